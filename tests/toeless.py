"""Clips whose legs end at the ankle: others with their toes cut off."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.character import Sites, Skeleton
from poise.motion import Clip


def without_toes(clip: Clip, below_ankle_m: float | None = None) -> Clip:
    """The same motion on legs that end at the ankle, or at a tip so far straight below it."""
    old = clip.skeleton
    kept = [j for j, name in enumerate(old.joint_names) if "Toe" not in name]
    number = {j: i for i, j in enumerate(kept)}
    ends = old.end_sites
    left = [i for i, j in enumerate(ends.joints.tolist()) if j in number]
    sites = Sites(
        tuple(ends.names[i] for i in left),
        np.array([number[int(ends.joints[i])] for i in left]),
        ends.offsets_m[left],
    )
    names = tuple(old.joint_names[j] for j in kept)
    if below_ankle_m is not None:
        feet = [names.index(f"{side}Foot") for side in ("Left", "Right")]
        tips = np.tile([0.0, -below_ankle_m, 0.0], (2, 1))
        sites = sites.joined(Sites(("left tip", "right tip"), np.array(feet), tips))
    skeleton = Skeleton(
        joint_names=names,
        parents=np.array([number.get(int(old.parents[j]), -1) for j in kept]),
        offsets_m=old.offsets_m[kept],
        rest_wxyz=old.rest_wxyz[kept],
        end_sites=sites,
    )
    return replace(
        clip, skeleton=skeleton, rotations_wxyz=clip.rotations_wxyz[:, kept], source=None
    )
