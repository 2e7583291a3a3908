"""What is filtered: a dance-like walk on 54 degrees of freedom, and walks of which some move."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

import numpy as np

import poise
from benchmarks.ik_body import IkWork, Poses, reference_walk, targets_of
from benchmarks.ik_ours import UNLIMITED
from benchmarks.workloads import Workload
from poise.character import Character, Skeleton, complete_character, with_proportions
from poise.constraints import Interval, Plant, Recruit
from poise.constraints.recruiting import TRANSLATION
from poise.methods import Edit
from poise.motion import Clip
from poise.motion.derivatives import differentiate
from poise.samples import walk
from tests.character.reference_human import reference_human
from tests.shared_data import MOCAP

RATE_HZ = 30.0
"""The paper's."""
FRAMES = 660
"""Of the paper's dance."""
ASIDE_M = 0.1
"""How far out each foot of a walk is set."""
LIMBS, TRUNK = 1.2, 0.8
"""The dancing experiment's body with long limbs and a short trunk."""
CARRIERS = {
    "left_foot": "left_ankle",
    "right_foot": "right_ankle",
    "left_hand": "left_wrist",
    "right_hand": "right_wrist",
}
FEET, ENDS = ("left_foot", "right_foot"), tuple(CARRIERS)

LEGS_AND_TRUNK = ("left_toe", "right_toe", "Spine1")
"""Of the sample figure's 69 coordinates these joints, and all that hangs on them, leave 27: the
root, hips, knees, ankles and the lowest joint of the spine."""

_LEGS = ("Hips", "*Leg", "*ToeBase", "LowerBack")
CMU_COORDINATES: dict[int, tuple[tuple[str, ...], tuple[str, ...]]] = {
    27: (_LEGS, ("*Foot", "Spine")),
    54: (
        (*_LEGS, "*HipJoint", "*Foot", "Spine", "Spine1", "Neck", "*Shoulder"),
        ("*ToeBase", "*ForeArm", "Neck1"),
    ),
    96: (("*",), ()),
}
"""Joints of a CMU body that kinematic rounds move to have so many coordinates, and joints that
dynamic rounds leave out, with all that hangs on them, to have as many. Kinematic rounds cannot do
without toes, which keep their turn to the foot."""


@dataclass(frozen=True, eq=False)
class Dance:
    """A motion on another body: feet (and hands) go where those of the first body went."""

    edit: Edit
    work: IkWork
    """The same for peers. It has targets for all joints, of which only `ends` count."""
    inputs: Poses
    """What every frame starts from."""
    ends: tuple[int, ...]
    """Joints whose place and orientation are wanted."""


def dance(frames: int, parts: tuple[str, ...]) -> Dance:
    """The reference human's walk on a body with long limbs, the root raised by a constant."""
    skeleton, body, poses = reference_walk(frames)
    other = _without_ranges(with_proportions(reference_human(), limbs=LIMBS, trunk=TRUNK))
    assert other.body is not None
    wanted = targets_of(skeleton, body, poses)
    ankles = [skeleton.joint_names.index(CARRIERS[part]) for part in FEET]
    low = targets_of(other.skeleton, other.body, poses).positions_m[:, ankles, 1]
    up_m = float(np.mean(wanted.positions_m[:, ankles, 1] - low))
    inputs = Poses(poses.root_m + np.array([0.0, up_m, 0.0]), poses.local_wxyz)
    clip = Clip(other.skeleton, RATE_HZ, inputs.root_m, inputs.local_wxyz)
    joints = tuple(range(1, skeleton.joint_count))
    offsets = np.tile(skeleton.offsets_m[1:], (frames, 1, 1))
    original = replace(
        clip, root_positions_m=poses.root_m, moving_joints=joints, moving_offsets_m=offsets
    )
    everyone = Recruit(joints=(TRANSLATION, *other.skeleton.joint_names))
    whole = Interval(0, frames - 1)
    plants = [Plant(part, part, whole, "follow", recruit=everyone) for part in parts]
    first = Poses(inputs.root_m[:1], inputs.local_wxyz[:1])
    return Dance(
        Edit(clip, other, plants, original=original),
        IkWork("dance", other.skeleton, other.body, first, wanted, best=wanted, center=False),
        inputs,
        tuple(skeleton.joint_names.index(CARRIERS[part]) for part in parts),
    )


def _without_ranges(character: Character) -> Character:
    """The peers run without joint limits."""
    skeleton = replace(character.skeleton, limits_rad=UNLIMITED)
    return replace(character, skeleton=skeleton, ranges=None)


def named(skeleton: Skeleton, patterns: tuple[str, ...]) -> tuple[str, ...]:
    """The joints whose names are like these; "*" stands for anything."""
    return tuple(n for n in skeleton.joint_names if any(fnmatchcase(n, p) for p in patterns))


def wide_walk(frames: int) -> Edit:
    """The sample figure walking with its feet set out, whatever captures there are."""
    clip = walk((frames + 1) / RATE_HZ, RATE_HZ).sliced(0, frames)
    return _wide(clip, complete_character(clip.skeleton))


def captured_walk() -> Edit | None:
    """The same of a captured walk: a CMU body, 96 degrees of freedom."""
    real = MOCAP / "cmu" / "35_03.bvh"
    if not real.is_file():
        print(f"\nleft out: {real.name} is not there (set POISE_SHARED)")
        return None
    clip = poise.load(real).sliced(1, None)  # the first frame is a T-pose
    return _wide(clip, complete_character(clip.skeleton))


def with_coordinates(edit: Edit, patterns: tuple[str, ...]) -> Edit:
    """The same feet, for which other joints may move."""
    moved = Recruit(joints=(TRANSLATION, *named(edit.clip.skeleton, patterns)))
    feet = [replace(c, recruit=moved) for c in edit.constraints if isinstance(c, Plant)]
    return replace(edit, constraints=feet)


def _wide(clip: Clip, character: Character) -> Edit:
    whole = Interval(0, clip.frame_count - 1)
    sides = {"left_foot": ASIDE_M, "right_foot": -ASIDE_M}
    feet = [
        Plant(part, part, whole, "follow", displacement_m=(aside, 0.0, 0.0))
        for part, aside in sides.items()
    ]
    return Edit(clip, character, feet)


def workload(edit: Edit, frames: int) -> Workload:
    """The clip's own poses and rates for the kernels, again and again."""
    clip, character = edit.clip, edit.character
    assert character.body is not None
    rates = differentiate(clip, None)
    return Workload(
        "filter", character.skeleton, character.body, character.sites,
        clip.root_positions_m, clip.rotations_wxyz,
        rates.root_velocities_m_s, rates.angular_velocities_rad_s,
        rates.root_accelerations_m_s2, rates.angular_accelerations_rad_s2,
    ).of_length(frames)  # fmt: skip
