"""What a clip will look like as a BVH file: unit, axes, joints, channels and end sites."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np

from poise import rotations, units
from poise.arrays import Array
from poise.character import Skeleton
from poise.formats import bvh_layout
from poise.formats.bvh_layout import CHANNEL_AXES, BvhJoint, BvhLayout, BvhTip
from poise.formats.text import MAX_NAME_LENGTH, depth_first, free_name
from poise.motion import Clip, with_world_aligned_frames

# From a clip's poses to the channel numbers of a BVH file.
#
# The numbers of the file the clip came from are put back wherever they still say what the clip
# says; an edited rotation gets the equivalent angles nearest to them, so that curves stay smooth.
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
    shape = (plan.clip.frame_count, layout.starts[-1] if layout else 0)
    if layout is None or numbers is None or numbers.shape != shape:
        return [None] * len(plan.joints)
    turns = layout.turns(numbers)
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
    if index == 0:
        place = rotations.rotate(plan.file_from_world, clip.root_positions_m) / plan.metres
    elif index in clip.moving_joints:
        place = clip.moving_offsets_m[:, clip.moving_joints.index(index)] / plan.metres
    else:
        place = np.tile(np.array(joint.offset), (clip.frame_count, 1))
    _note_lost_places(place, joint, notes)
    return kept_numbers(place[:, joint.position_axes], before.places if before else None)


def kept_numbers(values: Array, before: Array | None) -> Array:
    """The file's numbers where they still hold, else rounded ones."""
    rounded = np.round(values, DECIMALS) + 0.0  # no negative zero
    if before is None or before.shape != values.shape:
        return rounded
    same = np.abs(values - before) <= SAME * np.maximum(1.0, np.abs(before))
    return np.where(same, before, rounded)


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


CENTIMETRE_M = 0.01
POSITIONS = ("Xposition", "Yposition", "Zposition")
ROTATIONS = ("Zrotation", "Xrotation", "Yrotation")

DECIMALS = 9
"""Digits after the point of an edited number: a billionth of a degree or of a file unit."""

SAME = 1e-9
"""A rotation or place this close to what the file's numbers say has not been edited."""


@dataclass(frozen=True, eq=False)
class Plan:
    """A clip beside the file joints it will be written as, in the file's own axes."""

    clip: Clip
    """With frames aligned to the file's axes at rest."""
    metres: float
    file_from_world: Array
    order: tuple[int, ...]
    """For each file joint, the joint of the skeleton: depth first, as the format demands."""
    joints: tuple[BvhJoint, ...]
    tips: tuple[BvhTip, ...]
    layout: BvhLayout | None
    """Of the file the clip came from."""
    origin: tuple[int | None, ...]
    """For each file joint, its index in that layout, where it is there."""
    notes: tuple[str, ...] = ()


def plan_for(clip: Clip) -> Plan:
    """Decide unit, axes, joint order, names and channels of the file to write."""
    source = clip.source
    layout = source.layout if source and isinstance(source.layout, BvhLayout) else None
    metres, axes = CENTIMETRE_M, rotations.IDENTITY
    if source and layout:
        metres, axes = source.unit.metres, units.world_from_file_wxyz(source.up)
    clip = with_world_aligned_frames(clip, axes)
    skeleton = clip.skeleton
    order = tuple(depth_first(0, lambda joint: skeleton.children[joint]))
    names, notes = _file_names(skeleton, order)
    known = {joint.name: i for i, joint in enumerate(layout.joints)} if layout else {}
    origin = tuple(known.get(skeleton.joint_names[j]) for j in order)
    file_from_world = rotations.conjugate(axes)
    joints = _file_joints(clip, order, names, origin, layout, metres, file_from_world)
    tips = _file_tips(skeleton, order, layout, metres)
    notes += _layout_notes(layout, joints)
    return Plan(clip, metres, file_from_world, order, joints, tips, layout, origin, tuple(notes))


def _file_names(skeleton: Skeleton, order: Sequence[int]) -> tuple[list[str], list[str]]:
    """Names a reader will take as they are, and notes about those that had to change."""
    names: list[str] = []
    notes: list[str] = []
    taken: set[str] = set()
    for joint in order:
        given = skeleton.joint_names[joint]
        base = printable_name(given)
        shorter = base[: MAX_NAME_LENGTH - 6]
        name = free_name(base, (f"{shorter}_{number}" for number in count(2)), taken)
        names.append(name)
        if name != given:
            notes.append(f"joint {given!r} is written as {name!r}: BVH cannot hold that name")
    return names, notes


def printable_name(name: str) -> str:
    """The nearest name that BVH can hold: no braces, line ends or comment marks."""
    name = name.encode("utf-8", "replace").decode("utf-8")
    name = re.sub(r"[\r\n{}\0]", "_", name)
    name = re.sub(r"(?<!\S)(?:#|//)", "_", name)
    return name.strip()[:MAX_NAME_LENGTH].strip() or "unnamed"


def _file_joints(
    clip: Clip,
    order: tuple[int, ...],
    names: list[str],
    origin: tuple[int | None, ...],
    layout: BvhLayout | None,
    metres: float,
    file_from_world: Array,
) -> tuple[BvhJoint, ...]:
    skeleton = clip.skeleton
    place = {joint: i for i, joint in enumerate(order)}
    offsets = skeleton.offsets_m.copy()
    offsets[0] = rotations.rotate(file_from_world, offsets[0])
    joints: list[BvhJoint] = []
    for i, joint in enumerate(order):
        before = layout.joints[known] if layout and (known := origin[i]) is not None else None
        channels = before.channels if before else ROTATIONS
        if before is None and i == 0:
            channels = (*POSITIONS, *ROTATIONS)
        if joint in clip.moving_joints and not (before and before.position_axes):
            channels = (*POSITIONS, *channels)
        offset = _restored(offsets[joint] / metres, before.offset if before else None)
        parent = place[int(skeleton.parents[joint])] if i else -1
        joints.append(BvhJoint(names[i], parent, offset, channels))
    return tuple(joints)


def _restored(value: Array, before: tuple[float, ...] | None) -> tuple[float, float, float]:
    """The file's own three numbers where they still hold, else rounded ones."""
    x, y, z = (
        old
        if old is not None and abs(new - old) <= SAME * max(1.0, abs(old))
        else round(new, DECIMALS) + 0.0  # no negative zero
        for new, old in zip(value.tolist(), before or (None,) * 3, strict=True)
    )
    return x, y, z


def _file_tips(
    skeleton: Skeleton, order: tuple[int, ...], layout: BvhLayout | None, metres: float
) -> tuple[BvhTip, ...]:
    sites = skeleton.end_sites
    place = {joint: i for i, joint in enumerate(order)}
    before = {tip.name: tip for tip in layout.tips} if layout else {}
    # The file's own order, if it is one of ours; else by joint, which is how they will be written.
    rank = {name: i for i, name in enumerate(before)}
    listed = sorted(
        range(len(sites)),
        key=lambda s: (rank.get(sites.names[s], len(rank)), place[int(sites.joints[s])], s),
    )
    tips: list[BvhTip] = []
    taken: set[str] = set()
    for s in listed:
        name, joint = sites.names[s], int(sites.joints[s])
        old = before.get(name)
        offset = _restored(sites.offsets_m[s] / metres, old.offset if old else None)
        usual = bvh_layout.tip_name("", skeleton.joint_names[joint], taken)
        label = old.label if old else "Site" if usual == name else f"Site {printable_name(name)}"
        tips.append(BvhTip(place[joint], label, name, offset))
    return tuple(tips)


def _layout_notes(layout: BvhLayout | None, joints: tuple[BvhJoint, ...]) -> list[str]:
    if layout is None:
        return []
    now, then = [j.name for j in joints], [j.name for j in layout.joints]
    if now != then:
        added = [n for n in now if n not in then]
        gone = [n for n in then if n not in now]
        parts = [f"{len(names)} {what} ({', '.join(names[:4])}{', …' if len(names) > 4 else ''})"
                 for names, what in ((added, "added"), (gone, "gone")) if names]  # fmt: skip
        what = ", ".join(parts) or "in another order"
        return [f"the joints are no longer those of the source file, {what}: new header"]
    if [j.channels for j in joints] != [j.channels for j in layout.joints]:
        return ["joints got position channels that the source file did not have: new header"]
    return []
