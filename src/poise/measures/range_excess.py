"""Range excess: joint angles beyond both the body's range and what the original reaches."""

from __future__ import annotations

import numpy as np

from poise.character import Character, JointRanges, human_ranges, range_excess_rad
from poise.contact import Series


def measure(series: Series, original: Series) -> dict[str, float | tuple[float, str]]:
    """Largest excess over joints and frames, in degrees; the joint is named behind it.

    0 when no joint goes further than the original does. NaN where no range is known.
    """
    ranges, skeleton = ranges_of(series.character), series.clip.skeleton
    if ranges is None and not np.isfinite(skeleton.limits_rad).any():
        return {"range_excess.worst": float("nan")}
    same = skeleton.joint_names == original.clip.skeleton.joint_names
    excess = range_excess_rad(
        skeleton, ranges, series.clip.rotations_wxyz,
        original.clip.rotations_wxyz if same else None,
    )  # fmt: skip
    worst = np.degrees(excess.max(axis=0))
    joint = int(worst.argmax())
    where = f" (at {skeleton.joint_names[joint]})" if worst[joint] > 0.0 else ""
    return {"range_excess.worst": (float(worst[joint]), where)}


def ranges_of(character: Character) -> JointRanges | None:
    """The character's ranges; published human ones where it has roles and no limits of its own."""
    if character.ranges is not None:
        return character.ranges
    if character.roles is None or character.roles.missing:
        return None
    if np.isfinite(character.skeleton.limits_rad).any():
        return None
    return human_ranges(character.skeleton, character.roles)
