"""From a clip's poses to the channel numbers of a BVH file.

The numbers of the file the clip came from are put back wherever they still say what the clip
says; an edited rotation gets the equivalent angles nearest to them, so that curves stay smooth.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.formats import bvh_layout
from poise.formats.bvh_layout import CHANNEL_AXES, BvhJoint
from poise.formats.bvh_plan import DECIMALS, SAME, Plan

_CANNOT_TURN_RAD = np.deg2rad(0.01)
_CANNOT_MOVE = 1e-6
"""What missing channels may swallow without a note, in radians and file units."""


@dataclass(frozen=True, eq=False)
class _Before:
    """What the source file's numbers say about one joint."""

    places: Array
    """(F, position channels) file units."""
    angles_deg: Array
    """(F, rotation channels)."""
    turns_wxyz: Array
    """(F, 4) the rotation those angles make."""


def channel_values(plan: Plan) -> tuple[Array, list[str]]:
    """(F, C) the numbers to write, and notes about what the channels could not hold."""
    columns: list[Array] = []
    notes: list[str] = []
    for i, (joint, before) in enumerate(zip(plan.joints, _before(plan), strict=True)):
        positions = _positions(plan, i, joint, before, notes)
        angles = _angles(plan, i, joint, before, notes)
        supply = {"position": iter(positions.T), "rotation": iter(angles.T)}
        columns += [next(supply[CHANNEL_AXES[c.lower()][0]]) for c in joint.channels]
    if not columns:
        return np.zeros((plan.clip.frame_count, 0)), notes
    return np.stack(columns, axis=1), notes


def _before(plan: Plan) -> list[_Before | None]:
    """For each file joint what the source's numbers say, if there are as many frames of them."""
    source, layout = plan.clip.source, plan.layout
    numbers = source.channels if source and layout else None
    if layout is None or numbers is None:
        return [None] * len(plan.joints)
    if numbers.shape != (plan.clip.frame_count, layout.starts[-1]):
        return [None] * len(plan.joints)
    turns = bvh_layout.turns(layout.joints, layout.starts, numbers)
    return [
        None
        if known is None
        else _Before(
            places=numbers[:, layout.columns(known, "position")],
            angles_deg=numbers[:, layout.columns(known, "rotation")],
            turns_wxyz=turns[:, known],
        )
        for known in plan.origin
    ]


def _positions(
    plan: Plan, i: int, joint: BvhJoint, before: _Before | None, notes: list[str]
) -> Array:
    """(F, position channels) in the file's order."""
    clip, index = plan.clip, plan.order[i]
    axes = list(joint.position_axes)
    if index == 0:
        place = rotations.rotate(plan.file_from_world, clip.root_positions_m) / plan.metres
    elif index in clip.moving_joints:
        place = clip.moving_offsets_m[:, clip.moving_joints.index(index)] / plan.metres
    else:
        place = np.tile(np.array(joint.offset), (clip.frame_count, 1))
    _note_lost_places(place, joint, notes)
    place = place[:, axes]
    values = np.round(place, DECIMALS) + 0.0
    if before is None or before.places.shape != place.shape:
        return values
    same = np.abs(place - before.places) <= SAME * np.maximum(1.0, np.abs(before.places))
    return np.where(same, before.places, values)


def _note_lost_places(place: Array, joint: BvhJoint, notes: list[str]) -> None:
    fixed = [axis for axis in range(3) if axis not in joint.position_axes]
    astray = np.abs(place[:, fixed] - np.array(joint.offset)[fixed])
    slack = _CANNOT_MOVE * max(1.0, float(np.abs(place).max()))
    if astray.size and astray.max() > slack:
        frames = int((astray > slack).any(axis=1).sum())
        notes.append(
            f"{frames} frames of {joint.name} needed a place its {3 - len(fixed)} position "
            f"channels cannot express: worst {astray.max():.3g} file units"
        )


def _angles(plan: Plan, i: int, joint: BvhJoint, before: _Before | None, notes: list[str]) -> Array:
    """(F, rotation channels) degrees in the file's order."""
    q = plan.clip.rotations_wxyz[:, plan.order[i]]
    if plan.order[i] == 0:
        q = rotations.multiply(plan.file_from_world, q)
    axes = joint.rotation_axes
    edited = np.ones(len(q), dtype=bool)
    if before is None:
        angles = np.round(np.rad2deg(rotations.to_euler_continuous(q, axes)), DECIMALS) + 0.0
    else:
        angles = before.angles_deg.copy()
        edited = rotation_distance(q, before.turns_wxyz) > SAME
        if edited.any():
            near = np.deg2rad(angles[edited])
            nearest = np.rad2deg(rotations.to_euler(q[edited], axes, near_rad=near))
            angles[edited] = np.round(nearest, DECIMALS) + 0.0
    if len(axes) < 3 and edited.any():
        missed = rotations.angle_between(rotations.from_euler(np.deg2rad(angles), axes), q)
        note_lost_turns(np.where(edited, missed, 0.0), joint.name, len(axes), notes)
    return np.asarray(angles, dtype=np.float64)


def note_lost_turns(missed_rad: Array, joint: str, channels: int, notes: list[str]) -> None:
    """Say how far rotations were from what too few channels can express, if they were."""
    frames = int((missed_rad > _CANNOT_TURN_RAD).sum())
    if frames:
        notes.append(
            f"{frames} frames of {joint} needed a rotation its {channels} "
            f"channels cannot express: worst {np.rad2deg(missed_rad.max()):.1f} degrees"
        )


def rotation_distance(a: Array, b: Array) -> Array:
    """(…) largest difference of the parts of two unit quaternions, whatever their signs."""
    return np.minimum(np.abs(a - b).max(axis=-1), np.abs(a + b).max(axis=-1))
