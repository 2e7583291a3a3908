"""What a clip will look like as a BVH file: unit, axes, joints, channels and end sites."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from poise import rotations, units
from poise.arrays import Array
from poise.character import Skeleton
from poise.formats import bvh_layout
from poise.formats.bvh_layout import BvhJoint, BvhLayout, BvhTip
from poise.formats.text import MAX_NAME_LENGTH
from poise.motion import Clip, with_world_aligned_frames

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
    order = _depth_first(skeleton)
    names, notes = _file_names(skeleton, order)
    known = {joint.name: i for i, joint in enumerate(layout.joints)} if layout else {}
    origin = tuple(known.get(skeleton.joint_names[j]) for j in order)
    file_from_world = rotations.conjugate(axes)
    joints = _file_joints(clip, order, names, origin, layout, metres, file_from_world)
    tips = _file_tips(skeleton, order, layout, metres)
    notes += _layout_notes(layout, joints)
    return Plan(clip, metres, file_from_world, order, joints, tips, layout, origin, tuple(notes))


def _depth_first(skeleton: Skeleton) -> tuple[int, ...]:
    order: list[int] = []
    todo = [0]
    while todo:
        joint = todo.pop()
        order.append(joint)
        todo.extend(reversed(skeleton.children[joint]))
    return tuple(order)


def _file_names(skeleton: Skeleton, order: Sequence[int]) -> tuple[list[str], list[str]]:
    """Names a reader will take as they are, and notes about those that had to change."""
    names: list[str] = []
    notes: list[str] = []
    taken: set[str] = set()
    for joint in order:
        given = skeleton.joint_names[joint]
        name = base = printable_name(given)
        number = 1
        while name in taken:
            number += 1
            name = f"{base[: MAX_NAME_LENGTH - 6]}_{number}"
        taken.add(name)
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
        old if old is not None and abs(new - old) <= SAME * max(1.0, abs(old)) else rounded(new)
        for new, old in zip(value.tolist(), before or (None,) * 3, strict=True)
    )
    return x, y, z


def rounded(value: float) -> float:
    """An edited number as it will be printed."""
    return round(value, DECIMALS) + 0.0  # no negative zero


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
