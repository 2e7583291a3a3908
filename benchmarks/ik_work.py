"""The problems that are timed: targets that another motion meets, and targets that conflict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from benchmarks.ik_best import best_of
from benchmarks.ik_body import FRAMES, IkWork, Poses, Targets, reference_walk, targets_of
from poise import rotations
from poise.arrays import Array

HAND_SHIFT_M = (-0.06, 0.08, 0.0)
"""10 cm to the right and up."""
CENTER_SHIFT_M = (0.02, 0.0, 0.0)


def bump(frames: int) -> Array:
    """(F, 1) zero at both ends, one in the middle, smooth."""
    return np.sin(np.pi * np.arange(frames) / max(frames - 1, 1))[:, None] ** 2


def changed(frames: int = FRAMES) -> IkWork:
    """Targets of another motion of the same body: it meets them all.

    It walks to the side, leans, twists and raises its right arm.
    """
    skeleton, body, poses = reference_walk(frames)
    share, names = bump(frames), skeleton.joint_names
    local = poses.local_wxyz.copy()
    for name, turn_deg in {
        "pelvis": (0.0, 8.0, 0.0),
        "spine": (6.0, 0.0, 4.0),
        "chest": (6.0, -10.0, 0.0),
        "head": (-10.0, 15.0, 0.0),
        "right_shoulder": (-70.0, 0.0, -20.0),
        "right_elbow": (-35.0, 0.0, 0.0),
        "right_wrist": (0.0, 20.0, 10.0),
        "left_hip": (0.0, 0.0, 5.0),
    }.items():
        joint = names.index(name)
        turn = rotations.exp(share * np.radians(turn_deg))
        local[:, joint] = rotations.multiply(local[:, joint], turn)
    moved = Poses(poses.root_m + share * np.array([0.10, -0.02, 0.0]), local)
    targets = targets_of(skeleton, body, moved)
    return IkWork("changed", skeleton, body, _first(poses), targets, best=targets)


def shifted(frames: int = FRAMES) -> IkWork:
    """The walk's own targets with one hand moved by 10 cm and the CoM by 2: they conflict."""
    skeleton, body, poses = reference_walk(frames)
    plain, share = targets_of(skeleton, body, poses), bump(frames)
    positions = plain.positions_m.copy()
    positions[:, skeleton.joint_names.index("right_wrist")] += share * np.array(HAND_SHIFT_M)
    com = plain.com_m + share * np.array(CENTER_SHIFT_M)
    targets = Targets(positions, plain.rotations_wxyz, com)
    work = IkWork("shifted", skeleton, body, _first(poses), targets, best=targets)
    return replace(work, best=best_of(work, poses))


def without_center(work: IkWork) -> IkWork:
    """The 21 frame tasks alone."""
    left = replace(work, name=f"{work.name}, no CoM", center=False)
    if work.best is work.targets:
        return left
    return replace(left, best=best_of(left, reference_walk(work.frames)[2]))


def _first(poses: Poses) -> Poses:
    return Poses(poses.root_m[:1], poses.local_wxyz[:1])


WORKS: dict[str, Callable[[int], IkWork]] = {"changed": changed, "shifted": shifted}
