"""Rows of the laws of motion for one frame and all its sigma points: balance, flight, strength."""

from __future__ import annotations

from typing import NamedTuple

from poise.arrays import Array, Indices
from poise.compiled import inner_borrowing
from poise.ik.packed import Tree
from poise.mechanics.newton_euler import newton_euler_in
from poise.mechanics.quaternion_kernels import cross, multiply, turn
from poise.methods.filter.dynamic_state import Batch, Segments

NO_DYNAMICS, BALANCE, FLIGHT = 0, 1, 2
"""What the laws of motion ask of the whole body in a frame."""

BALANCE_ROWS, FLIGHT_ROWS = 2, 6


class Strain(NamedTuple):
    """Joints near the end of their strength, and how the ground shares what it carries."""

    first: Indices
    """(F + 1,) where the rows of each frame begin in what follows."""
    joint: Indices
    """(N,)"""
    axis: Array
    """(N, 3) in the joint's frame, over the limit: the torque along it is a share of the limit."""
    low: Array
    """(N,) and"""
    high: Array
    """(N,) what that share may be."""
    above: Indices
    """(P, J) 1 where a touching part hangs on the joint."""
    share: Array
    """(F, P) of a change in what the ground must give, how much a part takes."""
    given: Array
    """(F, P, 6) force on a part, and its moment about the root: what the ground gives now."""
    wanted: Array
    """(F, 6) the same of the whole body, as inverse dynamics asks for it."""


class Demands(NamedTuple):
    """What the laws of motion ask, frame by frame."""

    kind: Indices
    """(F,) `NO_DYNAMICS`, `BALANCE` or `FLIGHT`."""
    goal: Array
    """(F, 2) x and z of the zero-moment point."""
    height: Array
    """(F,) of the ground."""
    noise: Array
    """(4,) measurement variance by kind, and of strength."""
    shift: Array
    """(F, 6) what flight rows are off by in the state, whose derivatives are worst at its ends."""
    strain: Strain


@inner_borrowing
def law_count(f: int, demands: Demands) -> int:
    """How many rows a frame has."""
    count = demands.strain.first[f + 1] - demands.strain.first[f]
    if demands.kind[f] == BALANCE:
        count += BALANCE_ROWS
    elif demands.kind[f] == FLIGHT:
        count += FLIGHT_ROWS
    return int(count)


@inner_borrowing
def sample_laws(
    f: int, states: int, row: int, tree: Tree, segments: Segments, demands: Demands, batch: Batch,
    center: Array, plus: Array, minus: Array,
) -> None:  # fmt: skip
    """Rows of a frame from `row` on, at the state and at its sigma points (in `batch`)."""
    newton_euler_in(
        batch.scratch, 0, len(batch.root), segments.parents, segments.constants,
        segments.slots, segments.moving, segments.gravity,
        batch.local, batch.omega, batch.root_acceleration, batch.alpha,
        batch.moments, batch.force, batch.moment,
    )  # fmt: skip
    _put_laws(f, tree, segments.mass, demands, batch, 0, center[row:])
    for s in range(states):
        _put_laws(f, tree, segments.mass, demands, batch, 1 + 2 * s, plus[s, row:])
        _put_laws(f, tree, segments.mass, demands, batch, 2 + 2 * s, minus[s, row:])


@inner_borrowing
def _put_laws(
    f: int, tree: Tree, mass: float, demands: Demands, batch: Batch, r: int, out: Array
) -> None:
    """What a row of the batch gives for all that is asked in a frame.

    In flight both the force and the moment that the root would need are zero, which is Eq. 11 with
    the dots put back (see the reading notes) and with the segments' own inertia.
    """
    force, moment, kind, k = batch.force[r], batch.moment[r], demands.kind[f], 0
    if kind == BALANCE:
        rise = batch.root[r, 1] - demands.height[f]
        out[0] = batch.root[r, 0] + (moment[2] - rise * force[0]) / force[1]
        out[1] = batch.root[r, 2] - (moment[0] + rise * force[2]) / force[1]
        k = BALANCE_ROWS
    elif kind == FLIGHT:
        for c in range(3):
            out[c] = force[c] / mass + demands.shift[f, c]
            out[3 + c] = moment[c] / mass + demands.shift[f, 3 + c]
        k = FLIGHT_ROWS
    strain = demands.strain
    for i in range(strain.first[f], strain.first[f + 1]):
        j = strain.joint[i]
        x, y, z = _relief(f, j, tree, strain, batch, r)
        m = batch.moments
        out[k] = (
            strain.axis[i, 0] * (m[r, j, 0] - x)
            + strain.axis[i, 1] * (m[r, j, 1] - y)
            + strain.axis[i, 2] * (m[r, j, 2] - z)
        )
        k += 1


@inner_borrowing
def _relief(
    f: int, j: int, tree: Tree, strain: Strain, batch: Batch, r: int
) -> tuple[float, float, float]:
    """The moment that the ground takes off a joint, in the joint's frame.

    Each touching part takes its share of what changes; so the loop that two standing legs make is
    cut in the proportion in which they carry now (Ko and Badler's approximation, with shares that
    come from reaction forces).
    """
    fx, fy, fz, mx, my, mz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    touched = False
    for p in range(strain.above.shape[0]):
        if strain.above[p, j] == 0 or strain.share[f, p] == 0.0:
            continue
        share, g, w = strain.share[f, p], strain.given, strain.wanted
        fx += g[f, p, 0] + share * (batch.force[r, 0] - w[f, 0])
        fy += g[f, p, 1] + share * (batch.force[r, 1] - w[f, 1])
        fz += g[f, p, 2] + share * (batch.force[r, 2] - w[f, 2])
        mx += g[f, p, 3] + share * (batch.moment[r, 0] - w[f, 3])
        my += g[f, p, 4] + share * (batch.moment[r, 1] - w[f, 4])
        mz += g[f, p, 5] + share * (batch.moment[r, 2] - w[f, 5])
        touched = True
    if not touched:
        return 0.0, 0.0, 0.0
    local, up = batch.local, j
    qw, qx, qy, qz = 1.0, 0.0, 0.0, 0.0
    x, y, z = 0.0, 0.0, 0.0  # the joint, from the one that the walk has come to, in its frame
    while up >= 0:
        a, b, c, d = local[r, up, 0], local[r, up, 1], local[r, up, 2], local[r, up, 3]
        x, y, z = turn(a, b, c, d, x, y, z)
        qw, qx, qy, qz = multiply(a, b, c, d, qw, qx, qy, qz)
        if up > 0:
            x, y, z = x + tree.offsets[up, 0], y + tree.offsets[up, 1], z + tree.offsets[up, 2]
        up = tree.parents[up]
    tx, ty, tz = cross(x, y, z, fx, fy, fz)
    return turn(qw, -qx, -qy, -qz, mx - tx, my - ty, mz - tz)
