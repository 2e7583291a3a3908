"""What a tree of bones says about the figure: legs, trunk, arms, head and height."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from poise.arrays import Array
from poise.character import Skeleton

HEAVY = 0.25
"""A branch at least this long is a limb; a neck with a head is shorter."""

ALIKE = 1.1
"""Two branches whose lengths differ by less than this factor are a pair of limbs."""

BELOW_NECK = 0.79
"""Share of a standing figure's height between its ankles and where the arms leave the spine."""
SKULL = 0.085


@dataclass(frozen=True)
class BodyFigure:
    """What the tree says about the figure."""

    height_m: float
    reach_m: tuple[float, ...]
    """For each joint, the longest way to a tip below it."""
    core: tuple[int, ...]
    """From the joint that carries the legs to that of the arms; empty when there are none."""
    legs: tuple[tuple[int, ...], ...]
    """Joints along each leg, from its first to its outermost."""
    arms: tuple[tuple[int, ...], ...]
    head: tuple[int, ...]
    """Joints from above the core to the head; empty when nothing stands above the arms."""


def figure_of(skeleton: Skeleton) -> BodyFigure:
    """Measure a skeleton; one without two pairs of limbs has only a height and reaches."""
    points = np.concatenate([skeleton.rest_positions_m, skeleton.rest_end_positions_m])
    extent = float(np.ptp(points, axis=0).max())
    ways = np.linalg.norm(skeleton.offsets_m, axis=1)
    reach = np.zeros(skeleton.joint_count)
    ends = skeleton.end_sites
    for joint, offset in zip(ends.joints.tolist(), ends.offsets_m, strict=True):
        reach[joint] = max(reach[joint], float(np.linalg.norm(offset)))
    for joint in range(skeleton.joint_count - 1, 0, -1):
        ways[joint] += reach[joint]  # from the parent to the furthest tip
        parent = int(skeleton.parents[joint])
        reach[parent] = max(reach[parent], float(ways[joint]))
    plain = BodyFigure(extent, tuple(reach.tolist()), (), (), (), ())
    twins = [_twins(skeleton.children[j], ways, HEAVY * extent) for j in range(len(ways))]
    # The arms leave from the outermost joint that has twin limbs, the legs from the next below it.
    chests = [j for j, pair in enumerate(twins) if pair]
    for chest in sorted(chests, key=lambda j: -len(skeleton.ancestors(j))):
        above = skeleton.ancestors(chest)
        for place, pelvis in enumerate(above[1:], start=1):
            # Not the branch of the chest itself: trunk and head may be as long as a leg.
            others = tuple(c for c in skeleton.children[pelvis] if c != above[place - 1])
            legs = _twins(others, ways, HEAVY * extent)
            if legs:
                return _figure(skeleton, plain, above[place::-1], legs, twins[chest])
    return plain


def _twins(children: tuple[int, ...], ways: Array, least_m: float) -> tuple[int, ...]:
    """The two long branches of a joint that are most alike; nothing when no two are."""
    long = sorted((c for c in children if ways[c] > least_m), key=lambda c: float(ways[c]))
    pairs = [(float(ways[b] / ways[a]), a, b) for a, b in pairwise(long)]
    ratio, a, b = min(pairs, default=(np.inf, 0, 0))
    return (a, b) if ratio < ALIKE else ()


def _figure(
    skeleton: Skeleton,
    plain: BodyFigure,
    core: tuple[int, ...],
    legs: tuple[int, ...],
    arms: tuple[int, ...],
) -> BodyFigure:
    leg_ways = tuple(_longest_way(skeleton, plain, j) for j in legs)
    arm_ways = tuple(_longest_way(skeleton, plain, j) for j in arms)
    lengths = np.linalg.norm(skeleton.offsets_m, axis=1)
    # Standing up, whatever the rest pose: some files rest with the legs along the spine.
    leg = leg_ways[0]
    standing = list(leg[: limb_span(skeleton, leg)[1] + 1]) + list(core[1:])
    height = float(lengths[standing].sum()) / BELOW_NECK
    figure = BodyFigure(height, plain.reach_m, core, leg_ways, arm_ways, ())
    return replace(figure, head=_head_chain(skeleton, figure, arms))


def _longest_way(skeleton: Skeleton, figure: BodyFigure, joint: int) -> tuple[int, ...]:
    way = [joint]
    while skeleton.children[way[-1]]:
        lengths = skeleton.offsets_m
        way.append(
            max(
                skeleton.children[way[-1]],
                key=lambda c: float(np.linalg.norm(lengths[c])) + figure.reach_m[c],
            )
        )
    return tuple(way)


def _head_chain(skeleton: Skeleton, figure: BodyFigure, arms: tuple[int, ...]) -> tuple[int, ...]:
    """The branch of the chest that ends furthest along the trunk, up to the head joint."""
    points, chest = skeleton.rest_positions_m, figure.core[-1]
    up = points[chest] - points[figure.core[0]]
    ways = [_longest_way(skeleton, figure, c) for c in skeleton.children[chest] if c not in arms]
    ways = [way for way in ways if float((points[way[-1]] - points[chest]) @ up) >= 0.0]
    if not ways:
        return ()
    way = max(ways, key=lambda w: float(points[w[-1]] @ up))
    lengths = np.linalg.norm(skeleton.offsets_m, axis=1)
    for place, joint in enumerate(way):
        children = skeleton.children[joint]
        if _twins(children, lengths + np.array(figure.reach_m), 1e-6 * figure.height_m):
            return way[: place + 1]  # eyes: the head is what carries them
    # A last bone as long as a skull ends at the crown (Mixamo's "HeadTop_End"), not in a joint.
    crowned = len(way) >= 2 and lengths[way[-1]] > SKULL * figure.height_m
    return way[:-1] if crowned else way


def limb_span(skeleton: Skeleton, way: tuple[int, ...]) -> tuple[int, int]:
    """Where along a branch the limb proper begins (hip, shoulder) and ends (ankle, wrist).

    A limb is two bones in a row that are long together; of nearly equal pairs the outer one counts,
    because a collar bone with an upper arm can match an upper arm with a forearm.
    """
    lengths = np.linalg.norm(skeleton.offsets_m[list(way[1:])], axis=1)
    bones = np.flatnonzero(lengths > 0.06 * lengths.sum()) if len(lengths) else lengths
    if len(bones) < 2:
        return 0, len(way) - 1
    pairs = lengths[bones[:-1]] + lengths[bones[1:]]
    best = int(np.flatnonzero(pairs >= 0.8 * pairs.max())[-1])
    return int(bones[best]), int(bones[best + 1]) + 1
