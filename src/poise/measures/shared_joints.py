"""Joints that a clip and its original share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Indices
from poise.character import joints_without_fingers
from poise.contact import Series


@dataclass(frozen=True, eq=False)
class SharedJoints:
    """Joints of the same name in two clips; fingers are left out."""

    ours: Indices
    """In the clip."""
    theirs: Indices
    """In its original."""
    frames: int
    """Frames that both have."""

    def only(self, chosen: NDArray[np.bool_]) -> SharedJoints:
        """Those that are chosen among the clip's joints (J,)."""
        kept = chosen[self.ours]
        return SharedJoints(self.ours[kept], self.theirs[kept], self.frames)


def shared_joints(series: Series, original: Series) -> SharedJoints:
    """Joints are matched by name, frames by number; what only one of the two has does not count."""
    theirs = {n: j for j, n in enumerate(original.clip.skeleton.joint_names)}
    counts = joints_without_fingers(series.character)
    names = series.clip.skeleton.joint_names
    pairs = [(j, theirs[n]) for j, n in enumerate(names) if n in theirs and counts[j]]
    columns = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    frames = min(series.clip.frame_count, original.clip.frame_count)
    return SharedJoints(columns[:, 0], columns[:, 1], frames)


def same_body(series: Series, original: Series) -> bool:
    """Two clips of one skeleton: only then do positions in the world compare."""
    return series.clip.skeleton.has_bones_of(original.clip.skeleton)
