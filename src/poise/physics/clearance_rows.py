"""Nothing inside anything: points of the body stay outside of the surface next to them."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from poise.arrays import Array, Indices
from poise.character import Character, Sites, contact_points, contact_radii_m
from poise.compiled import inner_borrowing
from poise.environment import Environment, query
from poise.ik import BALL, TRANSLATION, Blocks, Tree, Work, parent_turn
from poise.mechanics import BodyState, cross, site_positions, turn
from poise.physics.likeness_rows import smooth_hinge

SLACK_M = 2e-4
"""Points this little inside are left alone: soles that stand are right to a tenth of a millimetre,
and what holds them must not be fought."""


MOST_PLANES = 3
"""Surfaces next to a point that are looked at, the nearest ones."""


class Outside(NamedTuple):
    """Points, and the planes that they stay above."""

    joint: Indices
    """(C,) one for every plane of every point."""
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
    """The planes next to flesh and to all points that can touch something, at a motion.

    One for each of the nearest surfaces: a hand on its way from a wall to a block must not be
    inside of the block before that is the nearest.
    """
    radii = contact_radii_m(character)
    points = Sites()
    deep: list[Array] = []
    for part, sites in contact_points(character).items():
        points = points.joined(_named(sites, part))
        deep.append(np.full(len(sites), radii[part]))
    points = points.joined(_named(flesh.sites, "flesh"))
    skin = np.concatenate([*deep, flesh.radii_m])
    normals, heights = _planes(environment, site_positions(state, points))
    count = normals.shape[2]
    frames, planes = state.frame_count, count * len(points)
    shape = frames, planes
    return Outside(
        np.repeat(points.joints, count).astype(np.int64),
        np.repeat(points.offsets_m, count, axis=0),
        np.ascontiguousarray(normals.reshape(frames, planes, 3)),
        np.ascontiguousarray((heights + (skin - SLACK_M)[:, None]).reshape(shape)),
        np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64), np.zeros(frames),
    )  # fmt: skip


def _named(sites: Sites, part: str) -> Sites:
    """Points of several parts may share a name."""
    return replace(sites, names=tuple(f"{part}: {name}" for name in sites.names))


def _planes(environment: Environment, places_m: Array) -> tuple[Array, Array]:
    """Normals (F, C, K, 3) and heights n·x (F, C, K) of the planes next to points (F, C, 3)."""
    surfaces = environment.surfaces
    near = [query(replace(environment, surfaces=(each,)), places_m) for each in surfaces]
    distances = np.stack([each.distances_m for each in near], axis=-1)
    normals = np.stack([each.normals for each in near], axis=2)
    heights = np.stack([(each.normals * each.closest_m).sum(axis=-1) for each in near], axis=-1)
    if len(near) <= MOST_PLANES:
        return normals, heights
    order = np.argsort(distances, axis=-1, kind="stable")[..., :MOST_PLANES]
    return (
        np.take_along_axis(normals, order[..., None], axis=2),
        np.take_along_axis(heights, order, axis=-1),
    )


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
