"""Likeness: how far the result is from the original, joint by joint."""

from __future__ import annotations

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.contact import Series


def measure(series: Series, original: Series) -> dict[str, float]:
    """Mean difference of joint rotations and of positions relative to the root.

    Joints are matched by name, frames by number; what only one of the two has does not count.
    """
    theirs = {n: j for j, n in enumerate(original.clip.skeleton.joint_names)}
    names = series.clip.skeleton.joint_names
    pairs = [(j, theirs[n]) for j, n in enumerate(names) if n in theirs]
    frames = min(series.clip.frame_count, original.clip.frame_count)
    if not pairs:
        angle = place = float("nan")
    else:
        mine, yours = (list(column) for column in zip(*pairs, strict=True))
        turns = (
            series.clip.rotations_wxyz[:frames, mine],
            original.clip.rotations_wxyz[:frames, yours],
        )
        angle = float(np.degrees(rotations.angle_between(*turns).mean()))
        apart = _from_root(series, frames)[:, mine] - _from_root(original, frames)[:, yours]
        place = 100.0 * float(np.linalg.norm(apart, axis=-1).mean())
    return {"likeness.rotation": angle, "likeness.position": place}


def _from_root(series: Series, frames: int) -> Array:
    places = series.state.positions_m[:frames]
    return places - places[:, :1]
