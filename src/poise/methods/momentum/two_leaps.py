"""The family of a controller (section 4.4): two leaps, each going anywhere on a grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.character import Character
from poise.constraints import MoveStage, Recruits, Scene
from poise.contact import ContactSchedule
from poise.environment import Environment
from poise.errors import BadValue
from poise.footing import Movers, contact_tasks, moving_joints
from poise.ik import IkSettings, build, solve, unsolved
from poise.mechanics import forward_kinematics
from poise.methods.edit import Edit
from poise.methods.momentum.family_axes import FamilyAxis
from poise.methods.momentum.plan import captured
from poise.methods.momentum.settings import Settings
from poise.motion import Clip

# Feet that glide after blending are put back on their prints (section 4.3.2).
#
# Frame by frame inverse kinematics of the legs alone: everything above the hips stays as blended.
_FAST = IkSettings(
    tolerance_mm=0.1, tolerance_deg=0.05, posture_tolerance_deg=1.0, iterations=20, carry="pose"
)


def with_still_feet(
    clip: Clip, character: Character, environment: Environment, contacts: ContactSchedule
) -> Clip:
    """A blended clip with feet on their prints wherever they touch."""
    if character.roles is None:
        raise BadValue("character", "one with roles (see complete_character)", character.name)
    skeleton = clip.skeleton
    hips = [
        skeleton.index(character.roles.joints[role])
        for role in ("left_hip", "right_hip")
        if role in character.roles.joints
    ]
    legs = np.array(
        [any(hip in skeleton.ancestors(j) for hip in hips) for j in range(skeleton.joint_count)]
    )
    legs &= moving_joints(clip)
    scene = Scene(clip, character, environment, None)
    tasks, _, _ = contact_tasks(scene, contacts, None, Movers(character, legs))
    tasks = [
        replace(task, recruits=Recruits(task.recruits.joints & legs, False))
        for task in tasks
        if task.priority == 1
    ]
    tasks = [task for task in tasks if task.recruits.joints.any()]
    if not tasks:
        return clip
    problem = build(scene, tasks)
    found = unsolved(problem)
    solve(problem, _FAST, found, 0, clip.frame_count - 1)
    return replace(
        clip, root_positions_m=found.root_positions_m, rotations_wxyz=found.rotations_wxyz
    )


AXES = ("first x", "first z", "second x", "second z")
_KINDS = ("ground", "flight", "ground", "flight", "ground")


def two_leaps(
    edit: Edit, reach_m: float, settings: Settings
) -> tuple[Edit, tuple[FamilyAxis, ...]]:
    """The edit and the axes of a controller's family, 3 × 3 places around each of two leaps.

    The leaps are put on the spot first, so that coordinates are how far each one goes.

    Raises:
        BadValue: not two leaps, with three stages on the ground.
    """
    base = captured(edit, settings)
    kinds = tuple(stage.kind for stage in base.stages)
    if kinds != _KINDS:
        allowed = "two leaps: ground, flight, ground, flight, ground (cut it so)"
        raise BadValue("clip", allowed, ", ".join(kinds))
    spans = [(base.stages[i].first, base.stages[i].stop) for i in base.ground]
    touching = np.asarray(base.contacts.touching.any(axis=1))
    feet = stage_feet_m(edit.clip, touching, edit.character, spans)
    first, last = feet[1] - feet[0], feet[1] - feet[2]
    moves = (
        MoveStage("first leap on the spot", 0, _level(first)),
        MoveStage("second leap on the spot", -1, _level(last)),
    )
    values = (-reach_m, 0.0, reach_m)
    axes = (
        FamilyAxis(AXES[0], 0, values, by_m=(-1.0, 0.0, 0.0)),
        FamilyAxis(AXES[1], 0, values, by_m=(0.0, 0.0, -1.0)),
        FamilyAxis(AXES[2], -1, values, by_m=(1.0, 0.0, 0.0)),
        FamilyAxis(AXES[3], -1, values, by_m=(0.0, 0.0, 1.0)),
    )
    return replace(edit, constraints=(*edit.constraints, *moves)), axes


def two_leaps_reach_m(axes: Sequence[FamilyAxis]) -> float | None:
    """How far a leap may go along either axis; None for other axes than those of `two_leaps`."""
    return axes[0].values[-1] if tuple(axis.name for axis in axes) == AXES else None


def _level(vector: Array) -> tuple[float, float, float]:
    return float(vector[0]), 0.0, float(vector[2])


def stage_feet_m(
    clip: Clip, touching: NDArray[np.bool_], character: Character, spans: Sequence[tuple[int, int]]
) -> Array:
    """(n, 3) where the feet are in each stretch of frames, on average while something touches."""
    assert character.roles is not None
    joints = character.roles.joints
    ankles = [clip.skeleton.index(joints[f"{side}_ankle"]) for side in ("left", "right")]
    places = forward_kinematics(clip.skeleton, *clip.pose).positions_m[:, ankles].mean(axis=1)
    found: list[Array] = []
    for first, stop in spans:
        used = touching[first:stop]
        found.append(places[first:stop][used if used.any() else slice(None)].mean(axis=0))
    return np.array(found)
