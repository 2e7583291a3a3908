"""Joint moments at all sigma points of one frame; after `inverse_dynamics_points`."""

from __future__ import annotations

from poise.arrays import Array, Indices
from poise.compiled import inlined_borrowing, inner_borrowing
from poise.mechanics.inverse_dynamics_points import VARIANTS, PointForces, PointScratch, respond
from poise.mechanics.inverse_dynamics_rates import (
    BALL,
    BASE_RISE,
    LAID_SIZE,
    RESPONSE,
    TRANSLATION,
    TURNING,
    TURNING_RATE,
    Blocks,
)
from poise.mechanics.joint_moment_rates import joint_moment
from poise.mechanics.lanes import LANES
from poise.mechanics.quaternion_kernels import Vector, cross, turned_back
from poise.mechanics.subtree_sums import (
    FIRST,
    MASS,
    PLACE,
    TURN,
    matrix_at,
    vector_at,
)
from poise.mechanics.triples import lanes_at, put_columns


@inlined_borrowing
def _put_moment(
    out: Array, at: int, stride: int, whole: bool, i: int, moving: Array, force: Vector,
    moment: Vector, sign: float,
) -> None:  # fmt: skip
    """A moment about the root's origin as joint i feels it."""
    r = matrix_at(moving, i, TURN)
    px, py, pz = vector_at(moving, i, PLACE)
    ax, ay, az = cross(px, py, pz, force[0], force[1], force[2])
    x, y, z = (moment[0] - ax) * sign, (moment[1] - ay) * sign, (moment[2] - az) * sign
    put_columns(out, at, whole, x * r[0] + y * r[3] + z * r[6])
    put_columns(out, at + stride, whole, x * r[1] + y * r[4] + z * r[7])
    put_columns(out, at + 2 * stride, whole, x * r[2] + y * r[5] + z * r[8])


@inner_borrowing
def _put_felt(
    i: int, b: int, below: bool, blocks: Blocks, width: int, scratch: PointScratch,
    plus: Array, minus: Array,
) -> None:  # fmt: skip
    """What joint i feels of a block: at or above itself (`below` it), or further out.

    Below a block all turns together with its axes, which changes no number.
    """
    laid, moving, sums = scratch.laid, scratch.state.moving, scratch.state.sums
    whole, stride = blocks.kind[b] == BALL, 3 * width
    for variant in range(VARIANTS):
        start = (VARIANTS * b + variant) * LAID_SIZE * LANES
        if below:
            force, moment = respond(
                i, lanes_at(laid, start, TURNING_RATE), lanes_at(laid, start, TURNING),
                lanes_at(laid, start, BASE_RISE), sums,
            )  # fmt: skip
        else:
            force = lanes_at(laid, start, RESPONSE)
            moment = lanes_at(laid, start, RESPONSE + 3)
        at = 3 * i * stride + (variant // 2) * width + blocks.column[b]
        if variant % 2 == 0:
            _put_moment(plus, at, stride, whole, i, moving, force, moment, 1.0)
        else:
            _put_moment(minus, at, stride, whole, i, moving, force, moment, 1.0)
        if variant == VARIANTS - 1:
            _put_moment(minus, at, stride, whole, i, moving, force, moment, -1.0)


@inner_borrowing
def _put_own(
    i: int, blocks: Blocks, width: int, lengths: Array, scratch: PointScratch,
    out: PointForces,
) -> None:  # fmt: skip
    """A joint's moment, and what it feels of the root's acceleration; nothing of all others."""
    moving, sums = scratch.state.moving, scratch.state.sums
    r = matrix_at(moving, i, TURN)
    p, h, m = vector_at(moving, i, PLACE), vector_at(sums, i, FIRST), sums[i, MASS]
    out.moments[i, 0], out.moments[i, 1], out.moments[i, 2] = joint_moment(i, scratch.state)
    for c in range(3):
        for s in range(3 * width):
            out.moments_plus[i, c, s] = 0.0
            out.moments_minus[i, c, s] = 0.0
    for b in range(len(blocks.kind)):
        if blocks.kind[b] != TRANSLATION:
            continue
        g = h[0] - m * p[0], h[1] - m * p[1], h[2] - m * p[2]
        for a in range(3):
            at = 2 * width + blocks.column[b] + a
            x, y, z = cross(
                g[0], g[1], g[2],
                1.0 if a == 0 else 0.0, 1.0 if a == 1 else 0.0, 1.0 if a == 2 else 0.0,
            )  # fmt: skip
            felt = turned_back(r, x, y, z)
            for c in range(3):
                out.moments_plus[i, c, at] = lengths[at] * felt[c]
                out.moments_minus[i, c, at] = -lengths[at] * felt[c]


@inner_borrowing
def points_of_moments(
    parents: Indices, blocks: Blocks, width: int, lengths: Array, wanted: Indices,
    scratch: PointScratch, out: PointForces,
) -> None:  # fmt: skip
    """The joint moments of `newton_euler` at all points, where `wanted`; after `points_of_wrench`.

    Args:
        parents: (J,)
        blocks: the coordinates.
        width: n, how many there are.
        lengths: (3n,)
        wanted: (J,) 0 for joints that nobody asks for: what is written of them is left.
        scratch: as `points_of_wrench` left it when told to `keep`.
        out: its last three are filled.
    """
    for i in range(len(parents)):
        if wanted[i] != 0:
            _put_own(i, blocks, width, lengths, scratch, out)
    for i in range(len(parents)):
        own, k = blocks.of_joint[i], i
        while k >= 0:
            b = blocks.of_joint[k]
            if b >= 0 and wanted[i] != 0:
                _put_felt(i, b, True, blocks, width, scratch, out.moments_plus, out.moments_minus)
            if k != i and own >= 0 and wanted[k] != 0:
                _put_felt(
                    k, own, False, blocks, width, scratch, out.moments_plus, out.moments_minus
                )
            k = int(parents[k])
