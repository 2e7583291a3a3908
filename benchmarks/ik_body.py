"""The body whose inverse kinematics is timed, its walk, and what is wanted of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import Body, Skeleton
from poise.mechanics import center_of_mass, forward_kinematics
from poise.motion import Clip
from poise.samples import walk
from tests.character.reference_human import reference_human

FRAMES = 145
RATE_HZ = 24.0

# Joints of the reference human and those of the sample figure whose turns they take, in order.
_TAKEN: dict[str, tuple[str, ...]] = {
    "pelvis": ("Hips",),
    "spine": ("Spine",),
    "chest": ("Spine1", "Spine2"),
    "neck": ("Neck",),
    "head": ("Head",),
    "*hip": ("*UpLeg",),
    "*knee": ("*Leg",),
    "*ankle": ("*Foot",),
    "*toe": ("*ToeBase",),
    "*collar": ("*Shoulder",),
    "*shoulder": ("*Arm",),
    "*elbow": ("*ForeArm",),
    "*wrist": ("*Hand",),
}


@dataclass(frozen=True, eq=False)
class Poses:
    """A pose for every frame, in our layout."""

    root_m: Array
    """(F, 3)."""
    local_wxyz: Array
    """(F, J, 4)."""


@dataclass(frozen=True, eq=False)
class Targets:
    """Where the frame of every joint and the centre of mass should be; all weigh 1 (m, rad)."""

    positions_m: Array
    """(F, J, 3)."""
    rotations_wxyz: Array
    """(F, J, 4)."""
    com_m: Array
    """(F, 3)."""


@dataclass(frozen=True, eq=False)
class IkWork:
    """One problem: each frame starts from the answer of the frame before, the first from `start`.

    All 21 joints have a frame task, so every task has a body of its own.
    """

    name: str
    skeleton: Skeleton
    body: Body
    start: Poses
    """One frame."""
    targets: Targets
    best: Targets
    """Where everything is when the targets are met as well as they can be."""
    center: bool = True
    """Whether the centre of mass counts; not every peer has such a task."""

    @property
    def frames(self) -> int:
        return len(self.targets.com_m)


def targets_of(skeleton: Skeleton, body: Body, poses: Poses) -> Targets:
    """Where a motion has its frames and its centre of mass."""
    state = forward_kinematics(skeleton, poses.root_m, poses.local_wxyz, parallel=False)
    com = center_of_mass(state, body, parallel=False)
    return Targets(state.positions_m, state.rotations_wxyz, com)


def reference_walk(frames: int = FRAMES) -> tuple[Skeleton, Body, Poses]:
    """The reference human, 54 degrees of freedom, walking straight ahead."""
    character = reference_human()
    assert character.body is not None
    clip = walk(frames / RATE_HZ, RATE_HZ).sliced(0, frames)
    skeleton = character.skeleton
    local = np.stack([_turns(clip, name) for name in skeleton.joint_names], axis=1)
    for joint, kind in enumerate(skeleton.kinds):
        if kind == "hinge":  # the roll of the sample's forearm (8 degrees) is lost
            axis = skeleton.hinge_axes[joint]
            local[:, joint] = rotations.from_axis_angle(
                axis, rotations.twist_angle(local[:, joint], axis)
            )
    return skeleton, character.body, Poses(clip.root_positions_m, local)


def _turns(clip: Clip, name: str) -> Array:
    side, _, joint = name.rpartition("_")
    taken = _TAKEN[f"*{joint}" if side else joint]
    turned = np.tile([1.0, 0.0, 0.0, 0.0], (clip.frame_count, 1))
    for source in taken:
        index = clip.skeleton.joint_names.index(source.replace("*", side.title()))
        turned = rotations.multiply(turned, clip.rotations_wxyz[:, index])
    return turned


def moved(skeleton: Skeleton, poses: Poses, step: Array) -> Poses:
    """Poses after (F, D) steps along the freedoms."""
    local = poses.local_wxyz.copy()
    for joint, kind in enumerate(skeleton.kinds):
        start = int(skeleton.freedom_starts[joint])
        turn = step[:, start : start + int(skeleton.freedoms[joint])]
        if kind == "hinge":
            turn = turn * skeleton.hinge_axes[joint]
        local[:, joint] = rotations.multiply(local[:, joint], rotations.exp(turn))
    return Poses(poses.root_m + step[:, :3], rotations.normalize(local))
