"""Limbs stay out of each other: lines along them are no nearer than their flesh is thick.

The nearest points of two lines are found anew at every motion. How they move along the lines does
not change the distance to first order, so the row of a pair is that of its two nearest points:
n·(J_a − J_b), along the chains of joints up to the one that carries both limbs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, Indices
from poise.character import Skeleton
from poise.compiled import inlined_borrowing, inner_borrowing
from poise.ik import BALL, TRANSLATION, Blocks, Tree, Work, parent_turn
from poise.mechanics import BodyState, Limbs, cross, gaps_at_rest_m, gaps_m, turn
from poise.physics.likeness_rows import smooth_hinge

SOFT_M = 1e-3
"""Flesh begins to resist this much before two limbs touch, and resists in full as much after."""
_LEAST_M = 1e-6
"""Lines that are nearer cross: no way leads out of each other."""


@dataclass(frozen=True, eq=False)
class Clearing:
    """Which limbs stay out of each other, and how far."""

    limbs: Limbs
    least_m: float = 0.0
    """Distance of two surfaces."""
    as_clip: bool | NDArray[np.bool_] = True
    """Limbs that are nearer, or in each other, in the motion to stay close to may be so still; so
    may those that are at rest, whose flesh is thicker than it is. For all pairs, or (P,) each."""


class Apart(NamedTuple):
    """Lines along limbs, and pairs of them that keep a distance."""

    joint: Indices
    """(L, 2, 2) that carry the points between which the ends of a line are, and"""
    offset: Array
    """(L, 2, 2, 3) these points."""
    pair: Indices
    """(P, 2) lines."""
    common: Indices
    """(P,) the last joint that carries both lines: what it does changes no distance."""
    least: Array
    """(F, P) how far lines are apart that touch."""
    ends: Array
    """(L, 2, 3) scratch: the ends of lines in a frame."""
    inside: Indices
    """(F, P) out: 1 where a pair is inside at the motion last evaluated."""
    foreseen: Indices
    """(F, P) 1 where the last step would lead inside: such pairs have rows before they are."""
    deepest: Array
    """(F,) out: how far the nearest pair is nearer than it may be there."""


def apart_of(state: BodyState, skeleton: Skeleton, asked: Clearing | None) -> Apart:
    """Pairs of limbs that keep their distance, and how far that is; `state` is of the clip."""
    if asked is None or len(asked.limbs.pairs) == 0:
        return _nothing(state.frame_count)
    limbs = asked.limbs
    least = np.full((state.frame_count, len(limbs.pairs)), asked.least_m)
    near = np.minimum(gaps_m(state, limbs), gaps_at_rest_m(skeleton, limbs))
    least = np.where(asked.as_clip, np.minimum(least, near), least)
    common = [_common(skeleton, limbs.joints[pair].ravel()) for pair in limbs.pairs]
    return Apart(
        np.ascontiguousarray(limbs.joints, dtype=np.int64),
        np.ascontiguousarray(limbs.offsets_m), np.ascontiguousarray(limbs.pairs),
        np.array(common, dtype=np.int64),
        np.ascontiguousarray(least + limbs.radii_m[limbs.pairs].sum(axis=1)),
        np.zeros((len(limbs.names), 2, 3)), np.zeros(least.shape, dtype=np.int64),
        np.zeros(least.shape, dtype=np.int64), np.zeros(len(least)),
    )  # fmt: skip


def _nothing(frames: int) -> Apart:
    none = np.zeros((frames, 0), dtype=np.int64)
    return Apart(
        np.zeros((0, 2, 2), dtype=np.int64), np.zeros((0, 2, 2, 3)),
        np.zeros((0, 2), dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros((frames, 0)),
        np.zeros((0, 2, 3)), none, none.copy(), np.zeros(frames),
    )  # fmt: skip


def _common(skeleton: Skeleton, joints: Indices) -> int:
    """The last joint that carries all of some."""
    chains = [skeleton.ancestors(int(joint)) for joint in joints]
    return next(joint for joint in chains[0] if all(joint in chain for chain in chains))


@inner_borrowing
def put_self_clearances(
    f: int, tree: Tree, blocks: Blocks, width: int, apart: Apart, weight: float, slopes: bool,
    pose: Work, row: Array, band: Array, right: Array,
) -> float:  # fmt: skip
    """Add the rows of the limbs of one frame that are in each other; returns what they cost.

    Joints have been placed in `pose`.
    """
    _place_ends(apart, pose)
    cost = 0.0
    apart.deepest[f] = 0.0
    for p in range(len(apart.pair)):
        a, b = apart.pair[p, 0], apart.pair[p, 1]
        s, t, x, y, z = _nearest(apart.ends[a], apart.ends[b])
        distance = np.sqrt(x * x + y * y + z * z)
        depth = apart.least[f, p] - distance
        apart.inside[f, p] = depth > -SOFT_M
        apart.deepest[f] = max(apart.deepest[f], depth)
        share, error = 1.0, depth
        if depth > -SOFT_M:
            share, error, value = smooth_hinge(depth, SOFT_M)
            cost += weight * value
        elif apart.foreseen[f, p] == 0:
            continue
        if not slopes or distance < _LEAST_M:
            continue
        for i in range(width):
            row[i] = 0.0
        n = x / distance, y / distance, z / distance
        _add_line(a, s, n, 1.0, int(apart.common[p]), apart, tree, blocks, pose, row)
        _add_line(b, t, n, -1.0, int(apart.common[p]), apart, tree, blocks, pose, row)
        start = f * width
        for i in range(width):
            scaled = share * weight * row[i]
            if scaled != 0.0:
                right[start + i] += scaled * error
                for k in range(i, width):
                    band[start + i, k - i] += scaled * row[k]
    return cost


@inlined_borrowing
def _place_ends(apart: Apart, pose: Work) -> None:
    for n in range(len(apart.joint)):
        for end in range(2):
            for i in range(3):
                apart.ends[n, end, i] = 0.0
            for k in range(2):
                x, y, z = _placed(apart.joint[n, end, k], apart.offset[n, end, k], pose)
                apart.ends[n, end, 0] += 0.5 * x
                apart.ends[n, end, 1] += 0.5 * y
                apart.ends[n, end, 2] += 0.5 * z


@inlined_borrowing
def _placed(j: int, offset: Array, pose: Work) -> tuple[float, float, float]:
    """A point of a joint in the world."""
    q, o = pose.world[j], pose.place[j]
    x, y, z = turn(q[0], q[1], q[2], q[3], offset[0], offset[1], offset[2])
    return x + o[0], y + o[1], z + o[2]


@inlined_borrowing
def _nearest(a: Array, b: Array) -> tuple[float, float, float, float, float]:
    """Where along two lines (2, 3) they are nearest, and the way from the second to the first."""
    aa, bb, ab, ac, bc = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(3):
        one, other, between = a[1, i] - a[0, i], b[1, i] - b[0, i], a[0, i] - b[0, i]
        aa += one * one
        bb += other * other
        ab += one * other
        ac += one * between
        bc += other * between
    span, s = aa * bb - ab * ab, 0.0
    if span > 1e-12 * aa * bb:
        s = min(max((ab * bc - ac * bb) / span, 0.0), 1.0)
    t = min(max((ab * s + bc) / max(bb, 1e-12), 0.0), 1.0)
    s = min(max((ab * t - ac) / max(aa, 1e-12), 0.0), 1.0)
    return (
        s, t,
        a[0, 0] + s * (a[1, 0] - a[0, 0]) - b[0, 0] - t * (b[1, 0] - b[0, 0]),
        a[0, 1] + s * (a[1, 1] - a[0, 1]) - b[0, 1] - t * (b[1, 1] - b[0, 1]),
        a[0, 2] + s * (a[1, 2] - a[0, 2]) - b[0, 2] - t * (b[1, 2] - b[0, 2]),
    )  # fmt: skip


@inner_borrowing
def _add_line(
    line: int, along: float, n: tuple[float, float, float], sign: float, common: int,
    apart: Apart, tree: Tree, blocks: Blocks, pose: Work, row: Array,
) -> None:  # fmt: skip
    """Add to a row how a point of a line moves along n with the joints below the common one."""
    for end in range(2):
        share = 0.5 * sign * (along if end == 1 else 1.0 - along)
        if share == 0.0:
            continue
        for k in range(2):
            j = apart.joint[line, end, k]
            x, y, z = _placed(j, apart.offset[line, end, k], pose)
            up = j
            while up != common:
                b = blocks.of_joint[up]
                if b >= 0 and blocks.kind[b] != TRANSLATION:
                    p = pose.place[up]
                    d = cross(x - p[0], y - p[1], z - p[2], n[0], n[1], n[2])
                    if blocks.kind[b] == BALL:
                        r = parent_turn(tree, int(up), pose)
                        d = turn(r[0], -r[1], -r[2], -r[3], d[0], d[1], d[2])
                        for i in range(3):
                            row[blocks.column[b] + i] += share * d[i]
                    else:
                        r, axis = pose.world[up], blocks.axis[b]
                        e = turn(r[0], r[1], r[2], r[3], axis[0], axis[1], axis[2])
                        slope = e[0] * d[0] + e[1] * d[1] + e[2] * d[2]
                        row[blocks.column[b]] += share * slope
                up = tree.parents[up]
