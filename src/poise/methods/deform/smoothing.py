"""The low-pass filter between two rounds of solving (section 5.2).

It works on what was added, not on the motion (see the reading notes): where nothing was added,
nothing changes, and the original's own detail is kept. The paper filters the translation of the
root. We filter the turns of the controlled joints as well: frames are solved one by one, and where
a goal is out of reach, or many poses meet it, neighbours may settle differently.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter1d

from poise.arrays import Array, Indices
from poise.contact import intervals
from poise.ik import IkProblem, IkSolution, keep_in_range, smooth_displacements
from poise.mechanics import forward_kinematics
from poise.methods.deform.problem import Problem
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


def half_width(smoothing_s: float, rate_hz: float) -> int:
    """In frames."""
    return round(smoothing_s * rate_hz)


def widened(frames: NDArray[np.bool_], half: int) -> NDArray[np.bool_]:
    """(F,) frames, and so many around each."""
    return maximum_filter1d(frames, 2 * half + 1, mode="constant").astype(np.bool_)


def half_widths(served: NDArray[np.bool_], half: int, wider: int = 1) -> Indices:
    """(F, n) how far the windows of each frame reach to either side, in frames.

    Of frames in which constraints use the root's place or a joint (`served`), no displacement
    reaches further out than `half`; where that allows it, windows are `wider` times as wide.
    """
    halves = np.full(served.shape, half, dtype=np.int64)
    if wider > 1:
        frames, count = np.arange(len(served)), len(served)
        for n in range(served.shape[1]):
            for first, stop in intervals(served[:, n]):
                here = frames[first:stop]
                before = here - first if first > 0 else np.full_like(here, count)
                after = stop - 1 - here if stop < count else np.full_like(here, count)
                halves[first:stop, n] = np.minimum(half + np.minimum(before, after), wider * half)
    return halves


def served_frames(ik: IkProblem, joints: Indices) -> NDArray[np.bool_]:
    """(F, 1 + number of joints) in which frames tasks use the root's place, and joints."""
    served = np.zeros((ik.scene.clip.frame_count, 1 + len(joints)), dtype=np.bool_)
    for task in ik.tasks:
        uses = np.r_[task.recruits.translation, task.recruits.joints[joints]]
        served[task.first : task.last + 1, uses] = True
    return served


def smoothed(
    under: Clip | IkSolution,
    solution: IkSolution,
    problem: Problem,
    frames: NDArray[np.bool_],
    wider: int = 1,
) -> IkSolution:
    """A solution with its displacements from another motion filtered: of all that is controlled.

    Joints are kept inside their ranges in `frames` (F,), and as far around them as the filter
    reaches, which is `wider` times the usual width.
    """
    half = half_width(problem.settings.smoothing_s, problem.edit.clip.rate_hz)
    joints = np.flatnonzero(problem.ik.blocks.of_joint >= 0)
    roots, turns = smooth_displacements(
        under.root_positions_m, under.rotations_wxyz,
        solution.root_positions_m, solution.rotations_wxyz, joints,
        half_widths(served_frames(problem.ik, joints), half, wider),
    )  # fmt: skip
    smooth = replace(solution.copy(), root_positions_m=roots, rotations_wxyz=turns)
    for first, stop in intervals(widened(frames, half)):
        keep_in_range(problem.ik, smooth, first, stop - 1)
    return smooth
