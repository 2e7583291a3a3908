"""Knees and elbows as hinges: the axis, the skeleton, and what a clip loses by it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from poise import rotations
from poise.arrays import Array, frozen_array
from poise.character.anatomical_axes import LEFT, anatomical_axes
from poise.character.joint_motions import joint_motions
from poise.character.range_of_motion import RANGES_DEG
from poise.character.roles import SIDES, Roles
from poise.character.skeleton import Skeleton
from poise.errors import BadShape

HINGED_ROLES: tuple[str, ...] = tuple(f"{s}_{part}" for part in ("knee", "elbow") for s in SIDES)

_TELLING_RAD = 0.35
"""A joint that bends by this much or more in a clip shows its axis; else anatomy gives it."""


@dataclass(frozen=True, eq=False)
class Hinged:
    """A skeleton with hinges at knees and elbows, and a clip's rotations on it."""

    skeleton: Skeleton
    rotations_wxyz: Array | None
    """(F, J, 4) the clip's rotations with the hinges' projected on their axes, if any came in."""
    residuals_rad: dict[str, float]
    """For each joint that became a hinge, the largest turn that its axis could not express."""
    notes: tuple[str, ...] = ()


def hinge_knees_and_elbows(
    skeleton: Skeleton,
    roles: Roles,
    rotations_wxyz: ArrayLike | None = None,
    *,
    standing_wxyz: Array | None = None,
) -> Hinged:
    """Turn ball knees and elbows into hinges.

    The axis is the one the clip bends about, where the joint bends enough to show it; else the
    anatomical one. Angles count from the rest pose; the range is the published one, from there.
    Joints that are not balls stay as they are.
    """
    count = skeleton.joint_count
    q = None if rotations_wxyz is None else np.array(rotations_wxyz, dtype=np.float64)
    if q is not None and (q.ndim != 3 or q.shape[1:] != (count, 4)):
        raise BadShape("rotations_wxyz", f"(F, {count}, 4)", q.shape)
    anatomy = anatomical_axes(skeleton, roles, standing_wxyz=standing_wxyz)
    kinds, axes, limits = (
        list(skeleton.kinds),
        skeleton.hinge_axes.copy(),
        skeleton.limits_rad.copy(),
    )
    residuals: dict[str, float] = {}
    notes: list[str] = []
    for role in HINGED_ROLES:
        joint = skeleton.index(roles.joints[role]) if role in roles.joints else -1
        if joint < 0 or skeleton.kinds[joint] != "ball":
            continue
        rest = skeleton.rest_wxyz[joint]
        sign = joint_motions(role)["flexion"][1]
        axis = sign * rotations.rotate(anatomy.own_wxyz[joint], np.eye(3)[LEFT])
        start = _flexion_at_rest(anatomy.turns(skeleton.rest_wxyz)[joint], sign)
        name, angles = skeleton.joint_names[joint], None
        if q is not None:
            turns = rotations.multiply(rotations.conjugate(rest), q[:, joint])
            axis = _shown_axis(turns, axis)
            angles = rotations.twist_angle(turns, axis)
            flat = rotations.multiply(rest, rotations.from_axis_angle(axis, angles))
            residuals[name] = float(rotations.angle_between(flat, q[:, joint]).max())
            q[:, joint] = flat
            notes.append(
                f"{name} as a hinge: up to {np.degrees(residuals[name]):.1f} degrees of the clip's "
                "turn were about other axes and are gone."
            )
        kinds[joint] = "hinge"
        axes[joint] = axis
        flexion, extension = RANGES_DEG[role.partition("_")[2]][:2]
        low, high = np.radians([-extension, flexion]) - start
        if angles is not None and (angles.min() < low or angles.max() > high):
            notes.append(f"{name}: bends beyond the usual range in the clip; widened to hold it.")
            low, high = min(low, float(angles.min())), max(high, float(angles.max()))
        limits[joint] = [-np.inf, np.inf]
        limits[joint, 0] = low, high
    hinged = replace(skeleton, kinds=tuple(kinds), hinge_axes=axes, limits_rad=limits)
    if q is not None:
        q = frozen_array("rotations_wxyz", rotations.continuous(q), q.shape)
    return Hinged(hinged, q, residuals, tuple(notes))


def _flexion_at_rest(turn: Array, sign: int) -> float:
    """How far the joint is bent in the rest pose, against the anatomical one."""
    return sign * float(rotations.twist_angle(turn, np.eye(3)[LEFT]))


def _shown_axis(turns_wxyz: Array, anatomical: Array) -> Array:
    """The axis of a joint's turns from rest, or the anatomical one where they are small.

    The quaternions of turns about one axis lie in one plane through the identity: the axis is the
    main direction of their vector parts.
    """
    vectors = np.where(turns_wxyz[..., :1] < 0, -turns_wxyz, turns_wxyz)[..., 1:]
    if 2.0 * np.linalg.norm(vectors, axis=-1).max() < _TELLING_RAD:
        return anatomical
    _, directions = np.linalg.eigh(vectors.T @ vectors)
    axis = directions[:, -1]
    if abs(axis @ anatomical) < 0.5:  # the clip turns the joint about something else: a twist
        return anatomical
    return axis if axis @ anatomical > 0 else -axis
