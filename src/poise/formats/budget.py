"""How much a motion file may unfold to, by its own size: a small file never becomes a large clip.

Joints without channels, keys far apart and compressed zeros cost a file nothing, and memory a lot.
"""

from __future__ import annotations

from pathlib import Path

from poise.errors import FileProblem

MOST_JOINTS = 2000
"""Ten times the richest hand-and-face rig; more are a damaged or hostile file."""
MOST_FRAMES = 2**20
"""Two hours and a half at 120 Hz."""
MOST_JOINT_POSES = 2**24
"""Frames times joints: half a gigabyte of rotations, an hour of a 38-joint figure at 120 Hz."""
ALWAYS_ALLOWED = 2**20
"""Joint poses that any file may have; more need a file with at least eight bytes for each."""
_LEAST_BYTES = 8


def check_budget(
    path: Path,
    frames: int,
    joints: int,
    file_bytes: int,
    *,
    weight: int = 1,
    line: int | None = None,
) -> None:
    """Nothing, if a motion is of a size that its file bears out.

    Args:
        path: the file.
        frames: of the motion.
        joints: of its skeleton.
        file_bytes: the file's size, without what it repeats.
        weight: how many times as much memory as usual a joint pose takes.
        line: where the file says how many frames there are.

    Raises:
        FileProblem: too many joints, too many frames, or too many of these for so many joints.
    """
    if joints > MOST_JOINTS:
        raise FileProblem(path, f"at most {MOST_JOINTS} joints", f"{joints}", line=line)
    most = min(MOST_JOINT_POSES, max(ALWAYS_ALLOWED, file_bytes // _LEAST_BYTES))
    allowed = min(MOST_FRAMES, most // (max(joints, 1) * weight))
    if frames <= allowed:
        return
    raise FileProblem(
        path,
        f"at most {allowed} frames of {joints} joint{'s' * (joints != 1)}",
        f"{frames}",
        line=line,
        advice="Split the recording into shorter takes, or export it at a lower rate.",
    )
