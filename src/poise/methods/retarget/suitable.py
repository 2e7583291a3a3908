"""Why a body cannot move like a human, in words: what it is likely to be instead.

What was recognised is told first: legs without arms, arms without legs. Where nothing was, the
shape of the tree tells: a body on four legs, a hand, one arm, a lone part.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.character import SIDES, UP, Character, Figure, Skeleton, find_roles
from poise.errors import MissingRoles
from poise.wording import counted

SUITABLE = "a body with a trunk, two arms and two legs"
"""What a human's motion fits, for after "expected"."""
_LEG, _ARM = ("hip", "knee", "ankle"), ("shoulder", "elbow")
_STANDS = 0.15
"""Limbs that end this share of the figure, or less, above its lowest point stand on the ground."""
_ALIKE = 0.03
"""Left and right legs are as long as each other, to this share; thumb and finger are not."""
_SPREAD = 0.1
"""Feet of an animal are apart by this share of the figure, or more, along and across."""
_MOSTLY = 0.6
"""Share of all joints, on one part or in one line, that tells what a body is."""
_ANIMALS = {4: "four", 6: "six", 8: "eight"}
_FEWEST_FINGERS, _FINGER = 3, 0.5
"""As many as grippers have, each with more than half as many joints as the one with most."""
_WHEELS = re.compile(r"wheel|caster|castor", re.IGNORECASE)


def why_not(target: Character) -> str | None:
    """What stands in the way of a human's motion, for after "found"; None where nothing does.

    Such as `four legs, as an animal has`, or `legs but no arms: nothing was recognised
    as left_shoulder, ...`.
    """
    if target.roles is not None and not target.roles.missing:
        return None
    try:
        find_roles(target.skeleton)
    except MissingRoles as problem:
        return _what_it_is(target.skeleton, problem)
    return None


def _what_it_is(skeleton: Skeleton, problem: MissingRoles) -> str:
    limbs = [role for role in problem.found if role.split("_")[-1] in (*_LEG, *_ARM)]
    if limbs:
        missing = ", ".join(problem.missing)
        return f"{_lacking(skeleton, problem.found)}: nothing was recognised as {missing}"
    return _by_shape(skeleton) or _unnamed(problem)


def _lacking(skeleton: Skeleton, found: Mapping[str, str]) -> str:
    """Which limbs there are, and which not."""
    legs, arms = (_recognised(found, parts) for parts in (_LEG, _ARM))
    if legs == 1.0 and arms == 0.0:
        return "legs but no arms"
    if legs == 0.0 and arms == 1.0:
        wheels = any(_WHEELS.search(name) for name in skeleton.joint_names)
        return "arms but wheels for legs" if wheels else "arms but no legs"
    return "arms and legs only in part"


def _recognised(found: Mapping[str, str], parts: Sequence[str]) -> float:
    """The share of a pair of limbs that is."""
    return sum(f"{side}_{part}" in found for side in SIDES for part in parts) / (2 * len(parts))


def _by_shape(skeleton: Skeleton) -> str | None:
    """What a body is whose parts have no names that tell."""
    turning = [j for j in range(1, skeleton.joint_count) if skeleton.freedoms[j] > 0]
    if not turning:
        return "a body in one piece, with no joint that turns"
    figure = Figure(skeleton)
    limbs = _limbs(figure, turning)
    feet = _feet(figure, limbs)
    if feet in _ANIMALS:
        return f"{_ANIMALS[feet]} legs, as an animal has"
    most = max(limb.joints for limb in limbs)
    long = [limb for limb in limbs if limb.joints > _FINGER * most]
    start, count = Counter(limb.start for limb in long).most_common(1)[0]
    on_it = sum(limb.joints for limb in limbs if limb.start == start)
    if count >= _FEWEST_FINGERS and on_it >= _MOSTLY * len(turning):
        return f"{count} chains of joints on one part, as a hand has fingers"
    longest = max(limb.line for limb in limbs)
    if longest >= _MOSTLY * len(turning):
        return f"one chain of {counted(longest, 'joint')}, as an arm on a bench has"
    return None


def _unnamed(problem: MissingRoles) -> str:
    why = problem.reason.rpartition("by shape: ")[2]
    return f"joints whose names do not tell what they are, nor does their shape: {why}"


@dataclass(frozen=True, eq=False)
class _Limb:
    """A chain of joints that turn, from where it branches off to its end."""

    start: int
    """The joint it is on."""
    joints: int
    """How many turn."""
    line: int
    """How many turn from the root on."""
    top_m: Array
    """(3,) its first joint at rest."""
    tip_m: Array
    """(3,) its farthest point at rest."""

    @property
    def reach_m(self) -> float:
        """From the one to the other."""
        return float(np.linalg.norm(self.tip_m - self.top_m))


def _limbs(figure: Figure, turning: Sequence[int]) -> list[_Limb]:
    lines = {j: [a for a in figure.path(0, j)[1:] if a in turning] for j in turning}
    carried = Counter(line[-2] if len(line) > 1 else 0 for line in lines.values())
    limbs: list[_Limb] = []
    for joint, line in lines.items():
        if joint in carried:
            continue
        start = next((a for a in line[-2::-1] if carried[a] > 1), 0)
        own = line[line.index(start) + 1 :] if start else line
        top, tip = figure.positions[own[0]], _tip(figure, joint, start)
        limbs.append(_Limb(start, len(own), len(line), top, tip))
    return limbs


def _tip(figure: Figure, joint: int, start: int) -> Array:
    """(3,) what hangs below a joint and is farthest from another."""
    skeleton = figure.skeleton
    below = [figure.is_under(j, joint) for j in range(skeleton.joint_count)]
    ends = [below[j] for j in skeleton.end_sites.joints.tolist()]
    points = np.concatenate([figure.positions[below], skeleton.rest_end_positions_m[ends]])
    return points[np.linalg.norm(points - figure.positions[start], axis=1).argmax()]


def _feet(figure: Figure, limbs: Sequence[_Limb]) -> int:
    """How many limbs stand on the ground, if they come in pairs, and stand along and across."""
    lowest = float((figure.positions @ UP).min()) + _STANDS * figure.size
    legs = [limb for limb in limbs if limb.joints > 1 and float(limb.tip_m @ UP) < lowest]
    legs.sort(key=lambda limb: limb.reach_m)
    if len(legs) not in _ANIMALS or any(
        a.reach_m < (1.0 - _ALIKE) * b.reach_m for a, b in zip(legs[::2], legs[1::2], strict=True)
    ):
        return 0
    feet = np.array([limb.tip_m - (limb.tip_m @ UP) * UP for limb in legs])
    spread = np.linalg.svd(feet - feet.mean(axis=0), compute_uv=False) / np.sqrt(len(feet))
    return len(legs) if 2.0 * spread[1] >= _SPREAD * figure.size else 0
