"""How hard a motion throws its joints, beside the motion it was made from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.ik import IkSolution
from poise.mechanics import forward_kinematics
from poise.motion import Clip


@dataclass(frozen=True, eq=False)
class Unrest:
    """The original's accelerations, to judge others by."""

    clip: Clip
    frames: NDArray[np.bool_]
    """(F,) those that the root mean square is taken over."""
    hardest: float
    """m/s², of any joint in any frame."""
    typical: float
    """m/s², root mean square of all joints."""

    def ratio(self, poses: IkSolution) -> float:
        """The hardest acceleration, or their root mean square, as a multiple of the original's."""
        now = _accelerations(self.clip, poses)
        hardest, typical = _judged(now, self.frames)
        return max(_times(hardest, self.hardest), _times(typical, self.typical))


def unrest_of(clip: Clip, frames: NDArray[np.bool_]) -> Unrest:
    """What a clip's own accelerations are."""
    return Unrest(clip, frames, *_judged(_accelerations(clip, clip), frames))


def _times(now: float, before: float) -> float:
    if before > 0.0:
        return now / before
    return np.inf if now > 0.0 else 1.0


def _judged(accelerations: Array, frames: NDArray[np.bool_]) -> tuple[float, float]:
    inner = accelerations[frames[1:-1]]
    if inner.size == 0:
        return 0.0, 0.0
    return float(accelerations.max()), float(np.sqrt(np.mean(inner**2)))


def _accelerations(clip: Clip, poses: Clip | IkSolution) -> Array:
    """(F - 2, J) m/s²."""
    places = forward_kinematics(
        clip.skeleton, poses.root_positions_m, poses.rotations_wxyz,
        clip.moving_joints, clip.moving_offsets_m,
    ).positions_m  # fmt: skip
    return np.linalg.norm(np.diff(places, 2, axis=0), axis=-1) * clip.rate_hz**2
