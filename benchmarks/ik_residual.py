"""How far poses are from the best ones, judged by our own kinematics for everyone alike."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.ik_body import IkWork, Poses, Targets, targets_of
from poise import rotations
from poise.arrays import Array

TOLERANCE_M = 1e-4
TOLERANCE_RAD = float(np.radians(0.01))
"""What the project promises for goals that can be met: 0.1 mm, and 0.01 degrees."""


@dataclass(frozen=True, eq=False)
class Residuals:
    """Errors of every frame."""

    position_m: Array
    """(F,) root mean square over 21 joints and the centre of mass."""
    orientation_rad: Array
    """(F,) root mean square over 21 joints."""

    @property
    def worst(self) -> tuple[float, float]:
        """Millimetres and degrees."""
        return 1e3 * float(self.position_m.max()), float(np.degrees(self.orientation_rad.max()))

    @property
    def met(self) -> bool:
        """Whether every frame is within the tolerance."""
        near = (self.position_m <= TOLERANCE_M) & (self.orientation_rad <= TOLERANCE_RAD)
        return bool(near.all())


def from_targets(work: IkWork, poses: Poses, first: int = 0) -> Residuals:
    """How far consecutive poses are from the targets; the first belongs to frame `first`."""
    return _apart(work, poses, work.targets, first)


def from_best(work: IkWork, poses: Poses, first: int = 0) -> Residuals:
    """How far they are from where the targets are met best.

    The same as `from_targets` where they can be met. Where they conflict, errors that cannot be
    removed would drown those that can.
    """
    return _apart(work, poses, work.best, first)


def cost(work: IkWork, poses: Poses) -> Array:
    """(F,) sum of all squared errors, metres and radians alike: what is minimised."""
    left = from_targets(work, poses)
    count = work.skeleton.joint_count
    return (count + work.center) * left.position_m**2 + count * left.orientation_rad**2


def _apart(work: IkWork, poses: Poses, wanted: Targets, first: int) -> Residuals:
    found = targets_of(work.skeleton, work.body, poses)
    frames = slice(first, first + len(poses.root_m))
    count = work.skeleton.joint_count
    squares = np.sum((found.positions_m - wanted.positions_m[frames]) ** 2, axis=(1, 2))
    if work.center:
        squares = squares + np.sum((found.com_m - wanted.com_m[frames]) ** 2, axis=1)
    angles = rotations.angle_between(found.rotations_wxyz, wanted.rotations_wxyz[frames])
    return Residuals(
        np.sqrt(squares / (count + work.center)), np.sqrt(np.mean(angles**2, axis=1))
    )  # fmt: skip
