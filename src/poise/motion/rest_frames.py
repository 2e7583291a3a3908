"""The same motion with every joint's frame turned to stand along given axes at rest.

BVH and ASF know no rest rotations: their frames are aligned with the world when all angles are
zero. glTF and robot skeletons have rest rotations. This is the change of frames between the two;
no point of the body moves by it.

With W_j the joint's world rotation at rest and A the wanted axes, X_j = W_jᵀ·A takes new
coordinates of joint j to old ones, and q'_j = X_pᵀ·q_j·X_j (p the parent; nothing for the root).
For A = 1 this is q'_j = W_p·q_j·W_jᵀ.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from poise import rotations
from poise.arrays import Array
from poise.character import Skeleton
from poise.motion.clip import Clip

_SAME = 1e-12
"""Largest difference of a quaternion's parts that is only rounding."""


def with_world_aligned_frames(clip: Clip, axes_wxyz: ArrayLike = rotations.IDENTITY) -> Clip:
    """A clip whose joint frames are aligned with the world (or `axes_wxyz`) at rest.

    World positions of joints and end sites stay as they are. Limits of ball joints are ranges of
    components along the joint's axes: they follow when axes map to axes, and are otherwise opened
    to infinity, which the history then says.
    """
    skeleton = clip.skeleton
    axes = np.asarray(axes_wxyz, dtype=np.float64)
    if rests_along(skeleton, axes):
        return clip
    old_from_new = rotations.multiply(rotations.conjugate(skeleton.rest_world_wxyz), axes)
    new_from_old = rotations.conjugate(old_from_new)
    parents = skeleton.parents
    q = rotations.multiply(clip.rotations_wxyz, old_from_new)
    q[:, 1:] = rotations.multiply(new_from_old[parents[1:]], q[:, 1:])
    limits, opened = _turned_limits(skeleton, new_from_old)
    moving = list(clip.moving_joints)
    moved = rotations.rotate(new_from_old[parents[moving]], clip.moving_offsets_m)
    turned = replace(
        clip,
        skeleton=_turned(skeleton, new_from_old, axes, limits),
        rotations_wxyz=rotations.normalize(q),
        moving_offsets_m=moved,
        body=None,  # its segments are in the frames of before
    )
    if opened:
        return turned.noted(f"limits of {', '.join(opened)} opened: their axes were turned")
    return turned


def rests_along(skeleton: Skeleton, axes_wxyz: Array) -> bool:
    """Whether all joint frames already stand along these axes at rest."""
    world = skeleton.rest_world_wxyz
    signs = np.where(world @ axes_wxyz < 0, -1.0, 1.0)[:, None]
    return bool(np.abs(signs * world - axes_wxyz).max() <= _SAME)


def _turned(skeleton: Skeleton, new_from_old: Array, axes: Array, limits: Array) -> Skeleton:
    parents = skeleton.parents
    offsets = skeleton.offsets_m.copy()  # the root's is in the world and stays
    offsets[1:] = rotations.rotate(new_from_old[parents[1:]], offsets[1:])
    rest = np.tile(rotations.IDENTITY, (skeleton.joint_count, 1))
    rest[0] = axes
    sites = skeleton.end_sites
    stands = skeleton.standing_wxyz
    if not skeleton.rest_stands:
        stands = rotations.multiply(stands, rotations.conjugate(new_from_old))
        stands[1:] = rotations.multiply(new_from_old[parents[1:]], stands[1:])
    return replace(
        skeleton,
        offsets_m=offsets,
        standing_wxyz=stands,
        rest_wxyz=rest,
        hinge_axes=rotations.rotate(new_from_old, skeleton.hinge_axes),
        limits_rad=limits,
        end_sites=replace(
            sites, offsets_m=rotations.rotate(new_from_old[sites.joints], sites.offsets_m)
        ),
    )


def _turned_limits(skeleton: Skeleton, new_from_old: Array) -> tuple[Array, list[str]]:
    """Limits along the new axes, and the joints whose ranges could not follow."""
    limits = skeleton.limits_rad.copy()
    opened: list[str] = []
    for joint, kind in enumerate(skeleton.kinds):
        if kind != "ball" or not np.isfinite(limits[joint]).any():
            continue
        matrix = rotations.to_matrix(new_from_old[joint])
        source = np.abs(matrix).argmax(axis=1)
        along = matrix[np.arange(3), source]
        if np.abs(np.abs(along) - 1.0).max() > _SAME:
            limits[joint] = (-np.inf, np.inf)
            opened.append(skeleton.joint_names[joint])
            continue
        chosen = limits[joint, source]
        limits[joint] = np.where(along[:, None] > 0, chosen, -chosen[:, ::-1])
    return limits, opened
