"""Motions that are in the hips, not in the root above them, as the root's own motion.

Some files (Bandai-Namco, SOMA, many exports of game engines) have a root that stays where it is, or
goes along on the floor, and hips that move against it. To solvers that is a bone whose length
changes. Here the root keeps the hips' place at rest instead: no point from the hips on moves by it.
"""

from __future__ import annotations

from dataclasses import replace

from poise import rotations
from poise.motion.clip import Clip

_HIPS = 1


def with_root_at_hips(clip: Clip) -> Clip:
    """The same motion with a root that carries its only child along; other clips as they are."""
    skeleton = clip.skeleton
    ends = skeleton.end_sites.joints
    if clip.moving_joints != (_HIPS,) or skeleton.children[0] != (_HIPS,) or (ends == 0).any():
        return clip
    moved = clip.moving_offsets_m[:, 0] - skeleton.offsets_m[_HIPS]
    roots = clip.root_positions_m + rotations.rotate(clip.rotations_wxyz[:, 0], moved)
    root, hips = skeleton.joint_names[:2]
    return replace(clip, root_positions_m=roots, moving_joints=()).noted(
        f"{root} goes along with {hips}, which moved against it"
    )
