"""Limbs that would go through each other or through the trunk: tasks that keep them apart.

Forearms, upper arms, thighs and shins are capsules from joint to joint, the trunk one from hips to
shoulders, the head a ball; their radii are those of the flesh (`character.contact_points`), at the
body's size. Neighbours are not compared: they always touch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import SIDES, Character, contact_points, contact_radii_m
from poise.constraints import Recruits, Task
from poise.contact import intervals
from poise.mechanics import BodyState

_LIMBS = {
    "upper_arm": ("shoulder", "elbow"),
    "forearm": ("elbow", "hand"),
    "thigh": ("hip", "knee"),
    "shin": ("knee", "ankle"),
}
_SOFT_M = 0.005
"""How far flesh, or the play of a cover, lets two limbs into each other."""
_PIECE = 4
"""Most frames in which the same two points keep their distance."""
_AS_WIDE = {"thigh": 1.2, "shin": 0.8, "forearm": 0.8}
"""Radius of a limb over that of the flesh at its joint."""


@dataclass(frozen=True, eq=False)
class Capsule:
    """A limb: everything within a radius of a line that a joint carries."""

    name: str
    joint: int
    """Carries its far end."""
    start_m: Array
    """(F, 3) and"""
    end_m: Array
    """(F, 3) in the world."""
    radius_m: float


def capsules(state: BodyState, character: Character) -> dict[str, Capsule]:
    """The limbs of a body, by name."""
    assert character.roles is not None
    skeleton, radii = character.skeleton, contact_radii_m(character)
    joints = {role: skeleton.index(name) for role, name in character.roles.joints.items()}
    points = contact_points(character)
    found: dict[str, Capsule] = {}
    for side in SIDES:
        for limb, (top, bottom) in _LIMBS.items():
            start = state.positions_m[:, joints[f"{side}_{top}"]]
            if bottom == "hand":
                if f"{side}_hand" not in points:
                    continue
                palm = points[f"{side}_hand"]
                carrier, offset = int(palm.joints[1]), palm.offsets_m[1]
                turn = state.rotations_wxyz[:, carrier]
                end = state.positions_m[:, carrier] + rotations.rotate(turn, offset)
            else:
                joint = joints[f"{side}_{bottom}"]
                carrier, end = int(skeleton.parents[joint]), state.positions_m[:, joint]
            part = {"upper_arm": "elbow", "forearm": "elbow"}.get(limb, "knee")
            radius = _AS_WIDE.get(limb, 1.0) * radii[f"{side}_{part}"]
            found[f"{side}_{limb}"] = Capsule(f"{side}_{limb}", carrier, start, end, radius)
    hips, shoulders = (
        state.positions_m[:, [joints[f"{side}_{part}"] for side in SIDES]].mean(axis=1)
        for part in ("hip", "shoulder")
    )
    chest = joints.get("chest", joints["pelvis"])
    found["trunk"] = Capsule("trunk", chest, hips, shoulders, radii["chest"])
    return found


_PAIRS = tuple(
    (a, b)
    for a, b in combinations(
        [*(f"{side}_{limb}" for side in SIDES for limb in _LIMBS), "trunk"], 2
    )
    if {a.partition("_")[2] or a, b.partition("_")[2] or b} not in (
        {"upper_arm", "trunk"}, {"thigh", "trunk"}, {"thigh"},
    )
    and not (
        a.split("_")[0] == b.split("_")[0]
        and {a.partition("_")[2], b.partition("_")[2]}
        in ({"upper_arm", "forearm"}, {"thigh", "shin"})
    )
)  # fmt: skip


def apart_m(a: Capsule, b: Capsule) -> tuple[Array, Array, Array]:
    """(F,) how far two capsules are apart, negative where they overlap; (F, 3) nearest points."""
    one, other = a.end_m - a.start_m, b.end_m - b.start_m
    between = a.start_m - b.start_m
    aa, bb = (one * one).sum(-1), (other * other).sum(-1)
    ab, ac, bc = (one * other).sum(-1), (one * between).sum(-1), (other * between).sum(-1)
    span = aa * bb - ab * ab
    along = np.where(span > 1e-12 * aa * bb, (ab * bc - ac * bb) / np.where(span > 0, span, 1.0), 0)
    along = np.clip(along, 0.0, 1.0)
    across = np.clip((ab * along + bc) / np.maximum(bb, 1e-12), 0.0, 1.0)
    along = np.clip((ab * across - ac) / np.maximum(aa, 1e-12), 0.0, 1.0)
    first = a.start_m + along[:, None] * one
    second = b.start_m + across[:, None] * other
    return (
        np.linalg.norm(first - second, axis=1) - a.radius_m - b.radius_m,
        first,
        second,
    )


def gaps_m(state: BodyState, character: Character) -> dict[str, Array]:
    """(F,) how far limbs that are no neighbours are apart, by "one and the other"."""
    limbs = capsules(state, character)
    return {
        f"{a} and {b}": apart_m(limbs[a], limbs[b])[0]
        for a, b in _PAIRS
        if a in limbs and b in limbs
    }


def deepest_overlap_m(state: BodyState, character: Character) -> tuple[float, str]:
    """How far two limbs are inside each other at worst (negative: apart), and which."""
    depths = {pair: -float(gap.min()) for pair, gap in gaps_m(state, character).items()}
    which = max(depths, key=lambda pair: depths[pair])
    return depths[which], which


def self_clearance_tasks(state: BodyState, character: Character) -> list[Task]:
    """Tasks for every stretch in which two limbs overlap: two points keep their distance.

    A long stretch is cut into pieces with points of their own: limbs slide along each other.
    """
    limbs = capsules(state, character)
    found: list[Task] = []
    for a, b in _PAIRS:
        if a not in limbs or b not in limbs:
            continue
        gap, first, second = apart_m(limbs[a], limbs[b])
        for start, stop in _pieces(intervals(gap < -_SOFT_M)):
            worst = start + int(gap[start:stop].argmin())
            found.append(
                _task(state, character, limbs[a], limbs[b], first, second, start, stop, worst)
            )
    return found


def _pieces(stretches: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    return [
        (a, min(a + _PIECE, stop))
        for start, stop in stretches
        for a in range(start, stop, _PIECE)
    ]  # fmt: skip


def _task(
    state: BodyState, character: Character, a: Capsule, b: Capsule, first_m: Array,
    second_m: Array, start: int, stop: int, worst: int,
) -> Task:  # fmt: skip
    """The points that are nearest in the worst frame."""
    offsets = [
        rotations.rotate(
            rotations.conjugate(state.rotations_wxyz[worst, limb.joint]),
            place[worst] - state.positions_m[worst, limb.joint],
        )
        for limb, place in ((a, first_m), (b, second_m))
    ]
    goals = np.full((stop - start, 1), a.radius_m + b.radius_m - 0.5 * _SOFT_M)
    movers = np.zeros(character.skeleton.joint_count, dtype=np.bool_)
    for limb in (a, b):
        movers[list(character.skeleton.ancestors(limb.joint))] = True
    return Task(
        f"{a.name} stays clear of {b.name} from frame {start}", "distance", start, goals,
        Recruits(movers & (character.skeleton.freedoms > 0), False), 1, 1.0, a.joint, offsets[0],
        b.joint, offsets[1], side=-1,
    )  # fmt: skip
