"""Bodies to put motions on: made ones of other proportions, names and rest poses, and robots."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from poise import rotations
from poise.arrays import Array
from poise.character import Character, Sites, Skeleton, complete_character
from poise.character.joint_motions import angle_near_range
from poise.environment import Environment
from poise.formats import load_character
from poise.mechanics import forward_kinematics
from poise.methods import Edit, Result
from poise.methods.progress import ProgressCallback
from poise.methods.retarget import RetargetReport, Settings, run
from poise.motion import Clip
from poise.samples import human_skeleton, sample_character
from tests.shared_data import ROBOTS

FLAT = Environment.flat()
HUMAN = sample_character()
ROBOT_FILES = {
    "G1": "unitree_g1/g1_nomesh.xml",
    "H1": "unitree_h1/h1_nomesh.xml",
    "T1": "booster_t1/t1_nomesh.xml",
}
_LEGS = ("Leg", "Foot")
_ARMS = ("ForeArm", "Hand")
_OTHER_WORDS = {
    "Hips": "pelvis", "Spine": "spine_01", "Spine1": "spine_02", "Spine2": "spine_03",
    "Neck": "neck_01", "Head": "head", "UpLeg": "thigh", "Leg": "calf", "Foot": "foot",
    "ToeBase": "ball", "Shoulder": "clavicle", "Arm": "upperarm", "ForeArm": "lowerarm",
    "Hand": "hand",
}  # fmt: skip
"""Unreal's words for what the samples call otherwise."""


def put_on(
    clip: Clip, source: Character, target: Character, place: Environment,
    settings: Settings | None = None, progress: ProgressCallback | None = None,
) -> Result[RetargetReport]:  # fmt: skip
    """The method on a motion and two bodies."""
    edit = Edit(clip, source, environment=place, target=target)
    return run(edit, settings, progress=progress)


def places(clip: Clip) -> Array:
    """(F, J, 3) where joints are."""
    return forward_kinematics(clip.skeleton, *clip.pose).positions_m


def stretched(skeleton: Skeleton, factors: Mapping[tuple[str, ...], float]) -> Skeleton:
    """The same skeleton with bones so many times as long that end in joints of such names."""
    offsets = skeleton.offsets_m.copy()
    for ends, factor in factors.items():
        for joint, name in enumerate(skeleton.joint_names):
            bare = name.removeprefix("Left").removeprefix("Right")
            if bare in ends:
                offsets[joint] *= factor
    return replace(skeleton, offsets_m=offsets)


def resting_otherwise(skeleton: Skeleton, turns: Mapping[str, tuple[float, ...]]) -> Skeleton:
    """The same skeleton whose file has it rest in another pose, with other frames."""
    rest = skeleton.rest_wxyz.copy()
    for name, vector in turns.items():
        joint = skeleton.index(name)
        rest[joint] = rotations.multiply(rest[joint], rotations.exp(np.array(vector)))
    return replace(skeleton, rest_wxyz=rest)


def arms_at(angle_rad: float) -> dict[str, tuple[float, ...]]:
    """Turns that raise hanging arms sideways."""
    return {"LeftArm": (0.0, 0.0, angle_rad), "RightArm": (0.0, 0.0, -angle_rad)}


def renamed(skeleton: Skeleton) -> Skeleton:
    """The same skeleton as Unreal names it."""

    def other(name: str) -> str:
        side = {"L": "_l", "R": "_r"}[name[0]] if name.startswith(("Left", "Right")) else ""
        return _OTHER_WORDS[name.removeprefix("Left").removeprefix("Right")] + side

    ends = skeleton.end_sites
    sites = Sites(tuple(f"end_{i}" for i in range(len(ends.names))), ends.joints, ends.offsets_m)
    names = tuple(other(name) for name in skeleton.joint_names)
    return replace(skeleton, joint_names=names, end_sites=sites)


def _long_legs() -> Skeleton:
    return stretched(human_skeleton(), {_LEGS: 1.35})


def _short_legs() -> Skeleton:
    return stretched(human_skeleton(1.6), {_LEGS: 0.7, _ARMS: 1.2})


def _t_pose() -> Skeleton:
    return resting_otherwise(stretched(human_skeleton(), {_LEGS: 1.15}), arms_at(0.5 * np.pi))


def _a_pose() -> Skeleton:
    return resting_otherwise(human_skeleton(1.2), arms_at(0.25 * np.pi))


def _other_names() -> Skeleton:
    return renamed(stretched(human_skeleton(1.9), {_LEGS: 0.9, _ARMS: 0.9}))


MADE: dict[str, Callable[[], Skeleton]] = {
    "long legs": _long_legs,
    "short legs": _short_legs,
    "T-pose": _t_pose,
    "child in A-pose": _a_pose,
    "other names": _other_names,
}


@cache
def body(name: str) -> Character:
    """A made body, or a robot; skips aloud where its file is not here."""
    if name in MADE:
        return complete_character(MADE[name](), name=name)
    pytest.importorskip("mujoco", reason="MuJoCo is not installed (package mujoco)")
    path = ROBOTS / ROBOT_FILES[name]
    if not path.is_file():
        pytest.skip(f"{path} is not here (set POISE_SHARED)")
    return complete_character(load_character(path))


def hinge_angles(clip: Clip) -> dict[str, Array]:
    """(F,) angles of hinges by name, each near its range."""
    skeleton, found = clip.skeleton, dict[str, Array]()
    for joint, kind in enumerate(skeleton.kinds):
        if kind == "hinge":
            back = rotations.conjugate(skeleton.rest_wxyz[joint])
            turn = rotations.multiply(back, clip.rotations_wxyz[:, joint])
            angle = rotations.twist_angle(turn, skeleton.hinge_axes[joint])
            found[skeleton.joint_names[joint]] = angle_near_range(
                angle, *skeleton.limits_rad[joint, 0]
            )
    return found


def beyond_range_rad(clip: Clip) -> float:
    """How far hinges are beyond their limits at worst; zero where none are."""
    skeleton, worst = clip.skeleton, 0.0
    for name, angle in hinge_angles(clip).items():
        low, high = skeleton.limits_rad[skeleton.index(name), 0]
        worst = max(worst, float((low - angle).max()), float((angle - high).max()))
    return worst


def speeds_rad_s(clip: Clip) -> Array:
    """(F - 1, J) how fast joints turn from frame to frame."""
    turns = clip.rotations_wxyz
    return np.asarray(rotations.angle_between(turns[:-1], turns[1:]) * clip.rate_hz)


_LIMBS = (("hip", "knee"), ("knee", "ankle"), ("shoulder", "elbow"), ("elbow", "wrist"))


def bones_off_deg(made: Clip, target: Character, clip: Clip, source: Character) -> float:
    """Mean angle between thighs, shins, upper arms and forearms, as the world sees them.

    Only bones between joints that both bodies have.
    """
    assert target.roles is not None and source.roles is not None
    mine, theirs = places(made), places(clip)
    angles: list[Array] = []
    for side in ("left", "right"):
        for parts in _LIMBS:
            a, b = (f"{side}_{part}" for part in parts)
            if b not in target.roles.joints or b not in source.roles.joints:
                continue
            ways: list[Array] = []
            for character, where in ((target, mine), (source, theirs)):
                roles = character.roles
                assert roles is not None
                ends = [character.skeleton.index(roles.joint(role)) for role in (a, b)]
                way = where[:, ends[1]] - where[:, ends[0]]
                ways.append(way / np.linalg.norm(way, axis=1, keepdims=True))
            cosine = np.clip((ways[0] * ways[1]).sum(axis=1), -1.0, 1.0)
            angles.append(np.degrees(np.arccos(cosine)))
    return float(np.mean(angles))
