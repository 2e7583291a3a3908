"""Writing AMC: the motion of a clip that came from one, for the skeleton it came with."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np

from poise import rotations, units
from poise.arrays import Array
from poise.errors import FileProblem
from poise.formats import amc_layout
from poise.formats.amc_layout import AmcLayout
from poise.formats.amc_read import find_skeleton
from poise.formats.asf import AsfBone, AsfSkeleton
from poise.formats.bvh_plan import (
    DECIMALS,
    SAME,
    kept_numbers,
    note_lost_turns,
    rotation_distance,
)
from poise.formats.disk import atomic_write
from poise.formats.text import MAX_MAGNITUDE
from poise.motion import Clip, Provenance, with_world_aligned_frames

_MARK = "# poise "
_CANNOT_MOVE = 1e-6
_SAME_OFFSET_M = 1e-6


def write(path: Path, clip: Clip, provenance: Provenance | None = None) -> tuple[str, ...]:
    """Write a clip's motion and return what should be said about it.

    Numbers are put back as they stood wherever the clip still says the same. Where the clip came
    from stands in comment lines after the header.

    Raises:
        FileProblem: the clip did not come from an AMC, has other joints than its skeleton, or the
            file cannot be written.
    """
    source = clip.source
    layout = source.layout if source else None
    if source is None or not isinstance(layout, AmcLayout):
        raise FileProblem(
            path,
            "a clip read from an AMC file, whose skeleton the motion needs",
            f"one from {source.format if source else 'elsewhere'}",
            advice="Write it as BVH, glTF or npz.",
        )
    if clip.skeleton.joint_names != layout.asf.skeleton.joint_names:
        found = "a clip whose joints were changed"
        raise FileProblem(path, f"the joints of {Path(layout.asf.path).name}", found)
    axes = units.world_from_file_wxyz(source.up)
    clip = with_world_aligned_frames(clip, axes)
    notes = _skeleton_notes(path, clip, layout, source.unit.metres)
    values = _values(clip, layout, source.unit.metres, rotations.conjugate(axes), notes)
    if np.abs(values[:, 1:]).max(initial=0.0) > MAX_MAGNITUDE:
        raise FileProblem(path, f"no number above {MAX_MAGNITUDE:g}", "a larger one")
    text = _header(layout, clip, provenance) + _body(layout, values)
    atomic_write(path, text.encode("utf-8"))
    return tuple(notes)


def _skeleton_notes(path: Path, clip: Clip, layout: AmcLayout, metres: float) -> list[str]:
    notes: list[str] = []
    asf = layout.asf
    offsets = asf.skeleton.offsets_m * metres
    apart = np.abs(clip.skeleton.offsets_m[1:] - offsets[1:]).max(initial=0.0)
    if apart > _SAME_OFFSET_M:
        notes.append(
            f"bones differ from {Path(asf.path).name} by up to {apart * 100:.3g} cm; "
            "AMC holds only the motion"
        )
    if clip.rate_hz != layout.rate_hz and ":SAMPLES-PER-SECOND" not in layout.header.upper():
        notes.append(f"AMC cannot state the rate of this clip, {clip.rate_hz:g} Hz")
    try:
        beside = find_skeleton(path)
    except FileProblem:
        beside = None
    if beside is None or beside.name.lower() != Path(asf.path).name.lower():
        notes.append(f"put {Path(asf.path).name} beside it: the motion needs its skeleton")
    return notes


def _values(
    clip: Clip, layout: AmcLayout, metres: float, file_from_world: Array, notes: list[str]
) -> Array:
    """(F, 1 + C) frame numbers and the numbers of each bone."""
    frames = clip.frame_count
    source = clip.source
    before = source.channels if source else None
    if before is not None and before.shape != (frames, layout.width):
        before = None
    values = np.zeros((frames, layout.width))
    values[:, 0] = before[:, 0] if before is not None else np.arange(1, frames + 1)
    said = amc_layout.turns(layout, before) if before is not None else None
    for index, bone in enumerate(layout.asf.bones):
        q = clip.rotations_wxyz[:, index]
        if index == 0:
            q = rotations.multiply(file_from_world, q)
        old = layout.numbers(before, index, "r") if before is not None else None
        angles = _angles(bone, q, old, None if said is None else said[:, index], layout, notes)
        start = layout.starts.get(index)
        if start is None:
            continue
        values[:, [start + c for c in bone.columns("r")]] = angles
        place = _start(clip, index, metres, file_from_world)
        moved = {"t": _translations(layout, index, place, values), "l": None}
        child = _showing_stretch(layout.asf, index)
        if child is not None:
            reach = _start(clip, child, metres, file_from_world)
            moved["l"] = _stretch(bone, reach)
        for kind, found in moved.items():
            columns = [start + c for c in bone.columns(kind)]
            if columns:
                old = None if before is None else before[:, columns]
                if found is not None:
                    values[:, columns] = kept_numbers(found, old)
                elif old is not None:
                    values[:, columns] = old  # the clip cannot show them
    _note_lost_places(clip, layout, values, metres, file_from_world, notes)
    return values


def _angles(
    bone: AsfBone,
    q: Array,
    old: Array | None,
    said: Array | None,
    layout: AmcLayout,
    notes: list[str],
) -> Array:
    """(F, rotations) a bone's angles in the file's unit and order."""
    axes = tuple(reversed(bone.turn_axes))
    c = bone.axes_wxyz
    own = rotations.multiply(rotations.multiply(rotations.conjugate(c), q), c)
    scale = layout.angle_rad
    edited = np.ones(len(q), dtype=bool)
    if old is None or said is None:
        angles = rotations.to_euler_continuous(own, axes)[:, ::-1] / scale
        angles = np.round(angles, DECIMALS) + 0.0
    else:
        angles = old.copy()
        edited = rotation_distance(q, said) > SAME
        if edited.any():
            near = old[edited][:, ::-1] * scale
            nearest = rotations.to_euler(own[edited], axes, near_rad=near)[:, ::-1] / scale
            angles[edited] = np.round(nearest, DECIMALS) + 0.0
    if len(axes) < 3 and edited.any():
        missed = rotations.angle_between(amc_layout.turn(bone, angles * scale), q)
        note_lost_turns(np.where(edited, missed, 0.0), bone.name, len(axes), notes)
    return np.asarray(angles, dtype=np.float64)


def _start(clip: Clip, index: int, metres: float, file_from_world: Array) -> Array:
    """(F, 3) a joint's origin in its parent's frame, or the root's in the file's axes."""
    if index == 0:
        return rotations.rotate(file_from_world, clip.root_positions_m) / metres
    if index in clip.moving_joints:
        return clip.moving_offsets_m[:, clip.moving_joints.index(index)] / metres
    return np.tile(clip.skeleton.offsets_m[index] / metres, (clip.frame_count, 1))


def _showing_stretch(asf: AsfSkeleton, index: int) -> int | None:
    """A child whose start tells how far a bone is stretched; none for the last bones."""
    if not np.any(asf.bones[index].direction):
        return None
    return next((c for c in asf.children[index] if not asf.bones[c].move_axes), None)


def _stretch(bone: AsfBone, reach: Array) -> Array:
    """(F, 1) how much longer than at rest a bone is whose end is at `reach`."""
    direction = np.array(bone.direction)
    return ((reach - bone.vector) @ direction / float(direction @ direction))[:, None]


def _translations(layout: AmcLayout, index: int, place: Array, values: Array) -> Array:
    """(F, translations) of a bone that starts at `place`, its parent's numbers being written."""
    asf = layout.asf
    bone = asf.bones[index]
    moved = place - asf.skeleton.offsets_m[index]
    if index:
        stretch = layout.numbers(values, bone.parent, "l").sum(axis=1, keepdims=True)
        moved = moved - stretch * np.array(asf.bones[bone.parent].direction)
        moved = rotations.rotate(rotations.conjugate(bone.axes_wxyz), moved)
    return moved[:, list(bone.move_axes)]


def _note_lost_places(
    clip: Clip,
    layout: AmcLayout,
    values: Array,
    metres: float,
    file_from_world: Array,
    notes: list[str],
) -> None:
    for index in (0, *clip.moving_joints):
        wanted = _start(clip, index, metres, file_from_world)
        astray = np.abs(amc_layout.place(layout, values, index) - wanted).max(axis=1)
        slack = _CANNOT_MOVE * max(1.0, float(np.abs(wanted).max()))
        if astray.max() > slack:
            notes.append(
                f"{int((astray > slack).sum())} frames of {clip.skeleton.joint_names[index]} "
                f"needed a place its channels cannot express: worst {astray.max():.3g} file units"
            )


def _header(layout: AmcLayout, clip: Clip, provenance: Provenance | None) -> str:
    header, end = layout.header, layout.line_end
    if provenance is not None:
        lines = re.split(r"(?<=\n)|(?<=\r)(?!\n)", header)
        header = "".join(line for line in lines if not line.startswith(_MARK))
        if header and not header.endswith(("\n", "\r")):
            header += end
        for key, value in provenance.as_dict().items():
            header += f"{_MARK}{key}: {json.dumps(value, ensure_ascii=True)}{end}"
    if clip.rate_hz != layout.rate_hz:
        stated = re.compile(r"^(\s*:SAMPLES-PER-SECOND[ \t]+)\S+", re.IGNORECASE | re.MULTILINE)
        header = stated.sub(lambda m: f"{m.group(1)}{clip.rate_hz!r}", header)
    return header


def _body(layout: AmcLayout, values: Array) -> str:
    spans = [
        (name, layout.starts[bone], layout.starts[bone] + len(layout.asf.bones[bone].dofs))
        for name, bone in zip(layout.names, layout.bones, strict=True)
    ]
    lines: list[str] = []
    for row in values.tolist():
        lines.append(str(int(row[0])))
        words = list(map(_digits, row))
        lines += [" ".join((name, *words[start:stop])) for name, start, stop in spans]
    return layout.line_end.join(lines) + layout.line_end


def _digits(value: float) -> str:
    """The shortest digits that read back as this number, whole ones without a point."""
    text = repr(value)
    return text[:-2] if text.endswith(".0") else text
