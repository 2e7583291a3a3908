"""Roles from the shape of the tree alone, for skeletons whose names say nothing.

A standing human figure has exactly two pairs of long mirrored chains: legs that go down from one
joint, and arms that start higher, with something above the shoulders for a head. Feet tell
forward, and forward tells left from right. Whatever does not fit this is refused with a reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from poise.arrays import Array
from poise.character.role_geometry import UP, Figure
from poise.character.roles import SIDES

_LIMB_SHARE = 0.15
"""A limb is at least this share of the figure's size; fingers and toes are shorter."""

_LENGTH_TOLERANCE = 0.2
"""Left and right bones of a real figure differ by less than this."""

_MIRROR_COSINE = 0.94
"""Lines between mirrored joints are parallel to within 20 degrees."""

_LEG_RATIO = (0.6, 1.7)
"""Thigh to shank; people have about 1.0."""

_ARM_RATIO = 0.5
"""The shorter of upper arm and forearm to the longer, at least."""

_COLLAR_SPREAD = 0.13
"""Arms that start nearer to each other than this share of the figure start with collar bones:
shoulders are about 0.23 of stature apart, the inner ends of collars less than 0.1."""

_CROWN_SHARE = 0.075
"""A bare joint this far above the one below it is the top of the head, not the head."""

_MOST_LIMBS_AT_A_JOINT = 12


class NotHumanoid(Exception):
    """The shape does not fit; the text says why. Caught by `role_detection`."""


@dataclass(frozen=True)
class _Pair:
    junction: int
    chains: tuple[list[int], list[int]]
    """Joints at different places, from the trunk outwards."""

    def spread(self, figure: Figure) -> Array:
        """(n, 3) from each joint of the second chain to its twin of the first."""
        a, b = self.chains
        return figure.positions[a] - figure.positions[b]

    def height(self, figure: Figure, at: int) -> float:
        return float(np.mean([figure.positions[chain[at]] @ UP for chain in self.chains]))


def roles_from_shape(figure: Figure) -> dict[str, int]:
    """Role to joint for a standing human figure.

    Raises:
        NotHumanoid: the shape does not fit.
    """
    pairs = _mirrored_pairs(figure)
    if len(pairs) != 2:
        raise NotHumanoid(
            f"a human figure has two pairs of mirrored limbs, this tree has {len(pairs)}"
        )
    legs, arms = sorted(pairs, key=lambda pair: pair.height(figure, -1))
    if arms.height(figure, 0) <= legs.height(figure, 0):
        raise NotHumanoid("the arms do not start above the legs")
    joints = {"pelvis": legs.junction}
    _add_trunk(figure, legs.junction, arms, joints)
    leg_roles = [_leg(figure, chain) for chain in legs.chains]
    apart = float(np.linalg.norm(arms.spread(figure)[0]))
    collared = len(arms.chains[0]) > 3 and apart < _COLLAR_SPREAD * figure.size
    arm_roles = [_arm(figure, chain, collared) for chain in arms.chains]
    left = np.cross(UP, _forward(figure, leg_roles))
    for pair, roles in ((legs, leg_roles), (arms, arm_roles)):
        first_is_left = float(pair.spread(figure).sum(axis=0) @ left) > 0
        for side, limb in zip(SIDES, roles if first_is_left else roles[::-1], strict=True):
            joints.update({f"{side}_{part}": joint for part, joint in limb.items()})
    if figure.trunk_across_legs(joints):
        raise NotHumanoid("the trunk lies across the legs, as in a four-legged animal")
    return joints


def _mirrored_pairs(figure: Figure) -> list[_Pair]:
    reach, main = _reaches(figure)
    pairs: list[_Pair] = []
    for junction, children in enumerate(figure.skeleton.children):
        long = [c for c in children if reach[c] >= _LIMB_SHARE * figure.size]
        long = sorted(long, key=lambda c: -reach[c])[:_MOST_LIMBS_AT_A_JOINT]
        if len(long) < 2:
            continue
        chains = [_distinct_chain(figure, junction, child, main) for child in long]
        for a, b in combinations(chains, 2):
            pair = _Pair(junction, (a, b))
            if len(a) == len(b) >= 3 and _is_mirrored(figure, pair):
                pairs.append(pair)
    return pairs


def _reaches(figure: Figure) -> tuple[list[float], list[int]]:
    """How far the longest chain of bones below each joint goes, and the child it runs through."""
    skeleton = figure.skeleton
    reach = [0.0] * skeleton.joint_count
    main = [-1] * skeleton.joint_count
    ends = skeleton.end_sites
    for joint, length in zip(ends.joints, np.linalg.norm(ends.offsets_m, axis=1), strict=True):
        reach[joint] = max(reach[joint], float(length))
    lengths = np.linalg.norm(skeleton.offsets_m, axis=1)
    for joint in range(skeleton.joint_count - 1, 0, -1):
        parent = int(skeleton.parents[joint])
        through = reach[joint] + float(lengths[joint])
        if main[parent] < 0 or through > reach[parent]:
            reach[parent], main[parent] = max(reach[parent], through), joint
    return reach, main


def _distinct_chain(figure: Figure, junction: int, child: int, main: list[int]) -> list[int]:
    """The main chain from a child on, without joints that sit where the one before sits."""
    chain: list[int] = []
    last, joint = junction, child
    while joint >= 0:
        gap = np.linalg.norm(figure.positions[joint] - figure.positions[last])
        if gap > 1e-3 * figure.size:
            chain.append(joint)
            last = joint
        joint = main[joint]
    return chain


def _is_mirrored(figure: Figure, pair: _Pair) -> bool:
    a, b = (figure.positions[chain] for chain in pair.chains)
    bones = [np.linalg.norm(np.diff(points, axis=0), axis=1) for points in (a, b)]
    slack = _LENGTH_TOLERANCE * np.maximum(*bones) + 0.01 * figure.size
    if (np.abs(bones[0] - bones[1]) > slack).any():
        return False
    spread = pair.spread(figure)
    lengths = np.linalg.norm(spread, axis=1)
    apart = lengths > 0.02 * figure.size
    if not apart.any():
        return False
    lines = spread[apart] / lengths[apart, None]
    return bool((lines @ lines[np.argmax(lengths[apart])] > _MIRROR_COSINE).all())


def _leg(figure: Figure, chain: list[int]) -> dict[str, int]:
    hip, knee, ankle = figure.positions[chain[:3]]
    thigh, shank = np.linalg.norm(knee - hip), np.linalg.norm(ankle - knee)
    if not _LEG_RATIO[0] < thigh / shank < _LEG_RATIO[1]:
        raise NotHumanoid(f"thigh and shank differ too much ({thigh:.3g} and {shank:.3g} m)")
    if (hip - ankle) @ UP < 0.7 * (thigh + shank):
        raise NotHumanoid("the legs do not hang down in the rest pose")
    roles: dict[str, int] = {"hip": chain[0], "knee": chain[1], "ankle": chain[2]}
    pointing = figure.toe_direction(roles["ankle"], None, UP)
    if pointing is not None:
        # A heel joint may come first; the ball of the foot is the first one in front.
        ahead = [j for j in chain[3:] if (figure.positions[j] - ankle) @ pointing > 0]
        if ahead:
            roles["toe"] = ahead[0]
    return roles


def _arm(figure: Figure, chain: list[int], collared: bool) -> dict[str, int]:
    collar = {"collar": chain[0]} if collared else {}
    shoulder, elbow, wrist = chain[len(collar) : len(collar) + 3]
    upper, fore = np.linalg.norm(
        np.diff(figure.positions[[shoulder, elbow, wrist]], axis=0), axis=1
    )
    if min(upper, fore) < _ARM_RATIO * max(upper, fore):
        raise NotHumanoid(f"upper arm and forearm differ too much ({upper:.3g} and {fore:.3g} m)")
    return {**collar, "shoulder": shoulder, "elbow": elbow, "wrist": wrist}


def _add_trunk(figure: Figure, pelvis: int, arms: _Pair, joints: dict[str, int]) -> None:
    chest = arms.junction
    between = figure.path(pelvis, chest)[1:]
    if between:
        joints["chest"] = chest
    if len(between) > 1:
        joints["spine"] = between[0]
    heights = [tip.position_m @ UP for tip in figure.tips_under(chest)]
    shoulders = max(float(figure.positions[chain[0]] @ UP) for chain in arms.chains)
    if not heights or max(heights) < shoulders + 0.03 * figure.size:
        raise NotHumanoid("nothing stands above the shoulders for a head")
    arm_roots = {figure.path(chest, chain[0])[1] for chain in arms.chains}
    crown = max(
        (c for c in figure.skeleton.children[chest] if c not in arm_roots),
        key=lambda c: max(
            [float(t.position_m @ UP) for t in figure.tips_under(c)]
            + [float(figure.positions[c] @ UP)]
        ),
        default=None,
    )
    if crown is None or figure.is_under(pelvis, crown):
        return
    column = [crown]
    while len(figure.skeleton.children[column[-1]]) == 1:
        column.append(figure.skeleton.children[column[-1]][0])
    if len(column) > 2 and _is_crown(figure, column[-1]):
        column.pop()
    joints["head"] = column[-1]
    if len(column) > 1:
        joints["neck"] = column[0]


def _is_crown(figure: Figure, joint: int) -> bool:
    """Whether a joint only marks the top of the head, as files without end sites do."""
    bare = joint not in figure.skeleton.end_sites.joints
    bone = float(np.linalg.norm(figure.skeleton.offsets_m[joint]))
    return bare and not figure.skeleton.children[joint] and bone > _CROWN_SHARE * figure.size


def _forward(figure: Figure, legs: list[dict[str, int]]) -> Array:
    feet = [figure.toe_direction(leg["ankle"], leg.get("toe"), UP) for leg in legs]
    known = [foot for foot in feet if foot is not None]
    total = np.sum(known, axis=0) if known else np.zeros(3)
    length = float(np.linalg.norm(total))
    if length < 0.01 * figure.size:
        raise NotHumanoid("the feet do not show which way is forward, so left cannot be told")
    return total / length
