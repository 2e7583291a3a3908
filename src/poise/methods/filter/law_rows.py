"""Rows of the laws of motion for one frame and all its sigma points: balance, flight, strength."""

from __future__ import annotations

from typing import NamedTuple

from poise.arrays import Array, Indices
from poise.compiled import inlined_borrowing, inner_borrowing
from poise.ik import BALL, TRANSLATION, Blocks
from poise.mechanics import (
    PLACE,
    TURN,
    Segments,
    Vector,
    cross,
    matrix_at,
    moved_by,
    points_of_moments,
    points_of_wrench,
    sine_and_bow,
    turned,
    vector_at,
)
from poise.methods.filter.dynamic_state import Batch, Motion, frame_motion

NO_DYNAMICS, BALANCE, FLIGHT = 0, 1, 2
"""What the laws of motion ask of the whole body in a frame."""

BALANCE_ROWS, FLIGHT_ROWS = 2, 6


class _Torque(NamedTuple):
    """A joint's torque, and what the ground gives to all that hangs on the joint."""

    axis: Vector
    """In the world."""
    place: Vector
    share: float
    force: Vector
    moment: Vector
    """About the root."""


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
    f: int, row: int, blocks: Blocks, width: int, segments: Segments, demands: Demands,
    motion: Motion, batch: Batch, lengths: Array, center: Array, plus: Array, minus: Array,
) -> None:  # fmt: skip
    """Rows of a frame from `row` on, at the state and at its sigma points."""
    strain, forces = demands.strain, batch.forces
    strained = strain.first[f + 1] > strain.first[f]
    points_of_wrench(
        segments, frame_motion(f, motion), blocks, width, lengths, strained, batch.scratch, forces
    )
    kind, k = demands.kind[f], row
    if kind == BALANCE:
        rise = motion.roots[f, 1] - demands.height[f]
        center[k], center[k + 1] = _zero_moment_point(forces.wrench, motion.roots[f], rise)
        _balance(f, k, 1.0, blocks, width, rise, motion, lengths, forces.wrench, forces.plus, plus)
        _balance(
            f, k, -1.0, blocks, width, rise, motion, lengths, forces.wrench, forces.minus, minus
        )
        k += BALANCE_ROWS
    elif kind == FLIGHT:
        share = 1.0 / segments.mass
        for c in range(FLIGHT_ROWS):
            center[k + c] = share * forces.wrench[c] + demands.shift[f, c]
            now, count = center[k + c], 3 * width
            _add_share(count, now, share, forces.plus[c], plus[:, k + c])
            _add_share(count, now, share, forces.minus[c], minus[:, k + c])
        k += FLIGHT_ROWS
    if not strained:
        return
    for j in range(len(batch.wanted)):
        batch.wanted[j] = 0
    for i in range(strain.first[f], strain.first[f + 1]):
        batch.wanted[strain.joint[i]] = 1
    points_of_moments(segments.parents, blocks, width, lengths, batch.wanted, batch.scratch, forces)
    for i in range(strain.first[f], strain.first[f + 1]):
        _torque(f, i, k, segments, blocks, width, strain, lengths, batch, center, plus, minus)
        k += 1


@inlined_borrowing
def _zero_moment_point(wrench: Array, root: Array, rise: float) -> tuple[float, float]:
    """Where it is, x and z: a moment over the force that presses."""
    up = 1.0 / wrench[1]
    return root[0] + (wrench[5] - rise * wrench[0]) * up, root[2] - (
        wrench[3] + rise * wrench[2]
    ) * up


@inlined_borrowing
def _over_push(
    count: int, root: float, moment: float, push: float, of_moment: float, of_force: float,
    m: Array, f: Array, p: Array, out: Array,
) -> None:  # fmt: skip
    for s in range(count):
        out[s] = root + (moment + of_moment * m[s] + of_force * f[s]) / (push + p[s])


@inlined_borrowing
def _add_share(count: int, now: float, share: float, change: Array, out: Array) -> None:
    for s in range(count):
        out[s] = now + share * change[s]


@inlined_borrowing
def _add_vector(
    count: int, share: float, v: Vector, a: Array, b: Array, c: Array, out: Array
) -> None:
    x, y, z = share * v[0], share * v[1], share * v[2]
    for s in range(count):
        out[s] += x * a[s] + y * b[s] + z * c[s]


@inner_borrowing
def _balance(
    f: int, k: int, sign: float, blocks: Blocks, width: int, rise: float, motion: Motion,
    lengths: Array, wrench: Array, change: Array, out: Array,
) -> None:  # fmt: skip
    """The zero-moment point where each coordinate is a length on, or back."""
    root, d = motion.roots[f], change
    # About the root: the point is a moment over the push.
    x, z = wrench[5] - rise * wrench[0], -wrench[3] - rise * wrench[2]
    _over_push(3 * width, root[0], x, wrench[1], 1.0, -rise, d[5], d[0], d[1], out[:, k])
    _over_push(3 * width, root[2], z, wrench[1], -1.0, -rise, d[3], d[2], d[1], out[:, k + 1])
    if blocks.kind[0] != TRANSLATION:
        return
    c = blocks.column[0]  # the root's place changes no force
    out[c, k] += sign * lengths[c]
    out[c + 1, k], out[c + 1, k + 1] = _zero_moment_point(
        wrench, root, rise + sign * float(lengths[c + 1])
    )
    out[c + 2, k + 1] += sign * lengths[c + 2]


@inlined_borrowing
def ground_on(f: int, j: int, strain: Strain, w: Array) -> tuple[float, Vector, Vector]:
    """What the ground gives to all that hangs on a joint: share, force, moment about the root.

    Each touching part takes its share of what changes; so the loop that two standing legs make is
    cut in the proportion in which they carry now (Ko and Badler's approximation, with shares that
    come from reaction forces).
    """
    share, fx, fy, fz, mx, my, mz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for p in range(strain.above.shape[0]):
        if strain.above[p, j] == 0 or strain.share[f, p] == 0.0:
            continue
        own, g, v = strain.share[f, p], strain.given, strain.wanted
        share += own
        fx += g[f, p, 0] + own * (w[0] - v[f, 0])
        fy += g[f, p, 1] + own * (w[1] - v[f, 1])
        fz += g[f, p, 2] + own * (w[2] - v[f, 2])
        mx += g[f, p, 3] + own * (w[3] - v[f, 3])
        my += g[f, p, 4] + own * (w[4] - v[f, 4])
        mz += g[f, p, 5] + own * (w[5] - v[f, 5])
    return share, (fx, fy, fz), (mx, my, mz)


@inner_borrowing
def _torque(
    f: int, i: int, k: int, segments: Segments, blocks: Blocks, width: int, strain: Strain,
    lengths: Array, batch: Batch, center: Array, plus: Array, minus: Array,
) -> None:  # fmt: skip
    """One torque, less what the ground takes off it."""
    j = strain.joint[i]
    share, force, moment = ground_on(f, j, strain, batch.forces.wrench)
    moving = batch.scratch.state.moving
    axis = (strain.axis[i, 0], strain.axis[i, 1], strain.axis[i, 2])
    a = turned(matrix_at(moving, j, TURN), axis[0], axis[1], axis[2])
    x, m = vector_at(moving, j, PLACE), batch.forces.moments
    center[k] = axis[0] * m[j, 0] + axis[1] * m[j, 1] + axis[2] * m[j, 2]
    center[k] -= _relief(a, x, force, moment)
    torque = _Torque(a, x, share, force, moment)
    for side in range(2):
        sign, out = (1.0, plus) if side == 0 else (-1.0, minus)
        d = batch.forces.plus if side == 0 else batch.forces.minus
        by = batch.forces.moments_plus if side == 0 else batch.forces.moments_minus
        n = cross(a[0], a[1], a[2], x[0], x[1], x[2])  # a · (x × f) = (a × x) · f
        count, row = 3 * width, out[:, k]
        for s in range(count):
            row[s] = center[k]
        _add_vector(count, 1.0, axis, by[j, 0], by[j, 1], by[j, 2], row)
        if share != 0.0:
            _add_vector(count, -share, a, d[3], d[4], d[5], row)
            _add_vector(count, share, n, d[0], d[1], d[2], row)
        up = j
        while up >= 0 and share != 0.0:
            b = int(blocks.of_joint[up])
            if b >= 0:
                _turn_relief(b, k, sign, torque, blocks, lengths, moving, d, out)
            up = int(segments.parents[up])


@inlined_borrowing
def _relief(a: Vector, x: Vector, f: Vector, m: Vector) -> float:
    """What a wrench about the root gives along an axis at a place."""
    t = cross(x[0], x[1], x[2], f[0], f[1], f[2])
    return a[0] * (m[0] - t[0]) + a[1] * (m[1] - t[1]) + a[2] * (m[2] - t[2])


@inner_borrowing
def _turn_relief(
    b: int, k: int, sign: float, torque: _Torque, blocks: Blocks, lengths: Array, moving: Array,
    change: Array, out: Array,
) -> None:  # fmt: skip
    """Turning a joint at or above turns the torque's axis, and carries it along."""
    a, x, share, force, moment = torque
    up, ball = blocks.joint[b], blocks.kind[b] == BALL
    r, own = vector_at(moving, up, PLACE), blocks.axis
    arm = x[0] - r[0], x[1] - r[1], x[2] - r[2]
    for number in range(3 if ball else 1):
        s = blocks.column[b] + number
        e = (
            1.0 if number == 0 else 0.0, 1.0 if number == 1 else 0.0, 1.0 if number == 2 else 0.0
        )  # fmt: skip
        if not ball:
            e = turned(matrix_at(moving, up, TURN), own[b, 0], own[b, 1], own[b, 2])
        sine, bow = sine_and_bow(sign * blocks.mobility[b] * lengths[s])
        p, q = moved_by(e, sine, bow, a), moved_by(e, sine, bow, arm)
        f = (
            force[0] + share * change[0, s],
            force[1] + share * change[1, s],
            force[2] + share * change[2, s],
        )
        m = (
            moment[0] + share * change[3, s],
            moment[1] + share * change[4, s],
            moment[2] + share * change[5, s],
        )
        turned_axis = a[0] + p[0], a[1] + p[1], a[2] + p[2]
        carried = x[0] + q[0], x[1] + q[1], x[2] + q[2]
        out[s, k] += _relief(a, x, f, m) - _relief(turned_axis, carried, f, m)
