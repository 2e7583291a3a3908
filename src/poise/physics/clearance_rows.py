"""Nothing inside anything: points of the body stay outside of the surface next to them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise import rotations
from poise.arrays import Array, Indices
from poise.character import Character, Sites, contact_points, contact_radii_m
from poise.compiled import inner_borrowing
from poise.environment import Environment, Ground, query
from poise.ik import BALL, TRANSLATION, Blocks, Tree, Work, parent_turn
from poise.mechanics import BodyState, cross, site_positions, turn
from poise.physics.likeness_rows import smooth_hinge

SLACK_M = 2e-4
"""Points this little inside are left alone: soles that stand are right to a tenth of a millimetre,
and what holds them must not be fought."""


class Outside(NamedTuple):
    """Points, and the planes that they stay above."""

    joint: Indices
    """(C,)"""
    offset: Array
    """(C, 3)"""
    normal: Array
    """(F, C, 3) out of the surface, and"""
    height: Array
    """(F, C) n·x of a point that touches it."""
    inside: Indices
    """(F, C) out: 1 where a point is inside at the motion last evaluated."""
    foreseen: Indices
    """(F, C) 1 where the last step would lead inside: such points have rows before they are."""
    deepest: Array
    """(F,) out: how deep the deepest point is there."""


class Flesh(NamedTuple):
    """Balls around points of the body."""

    sites: Sites
    radii_m: Array
    """(S,)"""


NO_FLESH = Flesh(Sites(), np.zeros(0))


def outside_of(
    state: BodyState, character: Character, environment: Environment, flesh: Flesh = NO_FLESH
) -> Outside:
    """The planes next to flesh and to all points that can touch something, at a motion."""
    radii = contact_radii_m(character)
    joints: list[Indices] = []
    offsets: list[Array] = []
    normals: list[Array] = []
    heights: list[Array] = []
    parts = [(sites, radii[part]) for part, sites in contact_points(character).items()]
    for sites, radius in [*parts, flesh]:
        near = query(environment, site_positions(state, sites))
        joints.append(sites.joints)
        offsets.append(sites.offsets_m)
        normals.append(near.normals)
        heights.append((near.normals * near.closest_m).sum(axis=2) + radius - SLACK_M)
    shape = state.frame_count, sum(map(len, joints))
    return Outside(
        np.concatenate(joints).astype(np.int64), np.concatenate(offsets),
        np.ascontiguousarray(np.concatenate(normals, axis=1)),
        np.ascontiguousarray(np.concatenate(heights, axis=1)), np.zeros(shape, dtype=np.int64),
        np.zeros(shape, dtype=np.int64), np.zeros(state.frame_count),
    )  # fmt: skip


def is_one_plane(environment: Environment) -> bool:
    """Whether the plane next to a point is the same wherever it goes."""
    surfaces = environment.surfaces
    return len(surfaces) == 1 and isinstance(surfaces[0], Ground)


def unforeseen_m(state: BodyState, known: Outside, found: Outside) -> Array:
    """(F,) how much deeper points of a motion are below planes found there than below others."""
    places = state.positions_m[:, found.joint] + rotations.rotate(
        state.rotations_wxyz[:, found.joint], found.offset
    )
    depth, before = (
        np.maximum(each.height - (each.normal * places).sum(axis=2), 0.0) for each in (found, known)
    )
    return np.asarray((depth - before).max(axis=1, initial=0.0))


@inner_borrowing
def put_clearances(
    f: int, tree: Tree, blocks: Blocks, width: int, outside: Outside, weight: float, slopes: bool,
    pose: Work, row: Array, band: Array, right: Array,
) -> float:  # fmt: skip
    """Add the rows of the points of one frame that are inside; returns what they cost.

    Joints have been placed in `pose`.
    """
    cost = 0.0
    outside.deepest[f] = 0.0
    for c in range(len(outside.joint)):
        j, n = outside.joint[c], outside.normal[f, c]
        q, o = pose.world[j], outside.offset[c]
        x, y, z = turn(q[0], q[1], q[2], q[3], o[0], o[1], o[2])
        x, y, z = x + pose.place[j, 0], y + pose.place[j, 1], z + pose.place[j, 2]
        depth = outside.height[f, c] - (n[0] * x + n[1] * y + n[2] * z)
        outside.inside[f, c] = depth > -SLACK_M
        outside.deepest[f] = max(outside.deepest[f], depth + SLACK_M)
        share, error = 1.0, depth
        if depth > -SLACK_M:
            share, error, value = smooth_hinge(depth, SLACK_M)
            cost += weight * value
        elif outside.foreseen[f, c] == 0:
            continue
        if not slopes:
            continue
        for i in range(width):
            row[i] = 0.0
        up = j
        while up >= 0:
            b = blocks.of_joint[up]
            if b >= 0:
                p = pose.place[up]
                d = cross(x - p[0], y - p[1], z - p[2], n[0], n[1], n[2])
                if blocks.kind[b] == BALL:
                    r = parent_turn(tree, int(up), pose)
                    d = turn(r[0], -r[1], -r[2], -r[3], d[0], d[1], d[2])
                    for i in range(3):
                        row[blocks.column[b] + i] = d[i]
                else:
                    r, a = pose.world[up], blocks.axis[b]
                    e = turn(r[0], r[1], r[2], r[3], a[0], a[1], a[2])
                    row[blocks.column[b]] = e[0] * d[0] + e[1] * d[1] + e[2] * d[2]
            up = tree.parents[up]
        if blocks.kind[0] == TRANSLATION:
            for i in range(3):
                row[blocks.column[0] + i] = n[i]
        start = f * width
        for i in range(width):
            scaled = share * weight * row[i]
            if scaled != 0.0:
                right[start + i] += scaled * error
                for k in range(i, width):
                    band[start + i, k - i] += scaled * row[k]
    return cost
