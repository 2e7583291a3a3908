"""The missing thorax: CMU BVH files whose converter lost one bone of the trunk.

Neck and both collars then sit on the joint below, with zero offsets, and the figure is a hand's
breadth short. In the ASF files of the library the lost bone is as long as the one below it to
within 4 %, and points straight up at rest; that is the estimate. Whoever has the ASF file can give
the true vector.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import Skeleton
from poise.motion.cleanup.finding import Finding
from poise.motion.clip import Clip

NAME = "missing-thorax"

_ZERO_OFFSET_M = 1e-6
_COLLAR_WORDS = ("shoulder", "collar", "clav")
_SHORT_TRUNK = 0.36
"""Root to neck base over the longest leg: people and whole CMU skeletons have over 0.40, files
without the bone under 0.32."""


def find(clip: Clip) -> Finding | None:
    """The joint whose neck and collars have lost their offsets, if there is one."""
    skeleton = clip.skeleton
    joint = _bare_joint(skeleton)
    if joint is None:
        return None
    children = tuple(skeleton.joint_names[c] for c in skeleton.children[joint])
    length_cm = 100.0 * float(np.linalg.norm(skeleton.offsets_m[joint]))
    return Finding(
        NAME,
        f"the trunk is one bone short: {', '.join(children)} sit on "
        f"{skeleton.joint_names[joint]} itself (known of CMU BVH conversions)",
        joints=children,
        repair=f"move them up by {length_cm:.1f} cm, the length of the bone below (an estimate, "
        "right to 4 % on known skeletons)",
    )


def repair(clip: Clip, finding: Finding) -> Clip:
    """The clip with the estimated bone restored."""
    joint = clip.skeleton.parents[clip.skeleton.index(finding.joints[0])]
    length = float(np.linalg.norm(clip.skeleton.offsets_m[joint]))
    up_in_joint = rotations.rotate(
        rotations.conjugate(clip.skeleton.standing.rest_world_wxyz[joint]),
        np.array([0.0, 1.0, 0.0]),
    )
    return restore_thorax(clip, length * up_in_joint)


def restore_thorax(clip: Clip, thorax_m: Array) -> Clip:
    """Move neck and collars by a known thorax vector (in the frame of the joint they sit on)."""
    joint = _bare_joint(clip.skeleton)
    if joint is None:
        return clip
    offsets = clip.skeleton.offsets_m.copy()
    offsets[list(clip.skeleton.children[joint])] += thorax_m
    return replace(clip, skeleton=replace(clip.skeleton, offsets_m=offsets))


def _bare_joint(skeleton: Skeleton) -> int | None:
    lengths = np.linalg.norm(skeleton.offsets_m, axis=1)
    for joint in range(1, skeleton.joint_count):
        children = skeleton.children[joint]
        names = [skeleton.joint_names[c].lower() for c in children]
        collars = sum(any(word in name for word in _COLLAR_WORDS) for name in names)
        if (
            collars >= 2
            and any("neck" in name for name in names)
            and all(lengths[c] < _ZERO_OFFSET_M for c in children)
            and _trunk_share(skeleton, joint) < _SHORT_TRUNK
        ):
            return joint
    return None


def _trunk_share(skeleton: Skeleton, joint: int) -> float:
    """Length from the root to `joint` over the longest chain that leads down from the root."""
    lengths = np.linalg.norm(skeleton.offsets_m, axis=1)
    heights = skeleton.standing.rest_positions_m[:, 1]
    trunk = sum(lengths[j] for j in skeleton.ancestors(joint)[:-1])
    chains = [0.0] * skeleton.joint_count
    for j in range(1, skeleton.joint_count):
        if heights[j] < heights[0]:
            chains[j] = chains[int(skeleton.parents[j])] + float(lengths[j])
    longest = max(chains)
    return float(trunk) / longest if longest > 0 else np.inf
