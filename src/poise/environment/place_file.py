"""A place from a file: a mesh, or an environment file, a few lines of YAML or JSON.

ground: {height_m: 0.0, tilt_deg: 3.0, uphill: [0, 0, 1], belt_velocity_m_s: [0, 0, -1.2]}
parts:
  - {file: chair.obj, unit: cm, at_m: [0, 0, 1.5], turn_deg: 180}
  - {stairs: {step_count: 4, rise_m: 0.17}, at_m: [2, 0, 0]}
"""

from __future__ import annotations

from collections.abc import Callable
from math import radians
from pathlib import Path
from typing import TypeVar

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.environment import places
from poise.environment.convex_part import ConvexPart
from poise.environment.environment import Environment, Surface
from poise.environment.ground import UP, Ground
from poise.environment.height_field import HeightField, read_heights
from poise.environment.mesh_parts import MAX_PARTS, read_parts
from poise.environment.yaml_entries import Entry, Range, read_entries
from poise.errors import BadValue, FileProblem, PoiseError, did_you_mean
from poise.formats import EXTENSIONS as MESH_EXTENSIONS
from poise.formats import shown

T = TypeVar("T")

PLACE_EXTENSIONS = (".yaml", ".yml", ".json")
_WHAT = "the environment file"
_GROUND_KEYS = ("height_m", "tilt_deg", "uphill", "belt_velocity_m_s")
_FIELD_KEYS = ("heights_m", "file", "spacing_m", "origin_m", "belt_velocity_m_s")
_COMMON_KEYS = ("name", "at_m", "turn_deg", "belt_velocity_m_s")
_FILE_KEYS = ("unit", "up")

_MADE: dict[str, tuple[Callable[..., tuple[ConvexPart, ...]], tuple[str, ...]]] = {
    "box": (places.box, ("size_m",)),
    "stairs": (
        places.stairs,
        ("step_count", "rise_m", "depth_m", "width_m", "landing_m", "foundation_m"),
    ),
    "ramp": (places.ramp, ("rise_m", "length_m", "width_m", "foundation_m")),
    "chair": (
        places.chair,
        (
            "seat_height_m", "seat_width_m", "seat_depth_m", "seat_thickness_m",
            "back_height_m", "back_thickness_m", "leg_thickness_m",
        ),
    ),
}  # fmt: skip
"""Things made by code, and the keys they take; all are numbers but `size_m`, which is three."""

_MAX_HEIGHTS = 500_000
_MAX_REPEATED_BYTES = 16 << 20

PLACES_M: Range = (-1e4, 1e4)
"""Ranges of what files may say, here of places and heights: nobody moves further."""
SIZES_M: Range = (1e-3, 1e4)
SPACINGS_M: Range = (1e-3, 1e3)
TILTS_DEG: Range = (-80.0, 80.0)
"""Steeper than this is a wall."""
BELTS_M_S: Range = (-50.0, 50.0)
"""Along each axis."""

_REQUIRED = {"stairs": ("step_count",), "ramp": ("rise_m", "length_m")}


def load_environment(
    path: str | Path, *, unit: str | None = None, up: str | None = None, ground: bool = True
) -> Environment:
    """Read a place from an OBJ, STL or glTF mesh, or from an environment file (YAML, JSON).

    Each connected piece of a mesh becomes the convex part around it. Level ground is put under a
    mesh: at height 0, or at its lowest point if that is lower. What was assumed is in `notes`.

    Args:
        path: the file; its extension says what it is.
        unit: length unit of a mesh (`cm`, or metres per unit as a number); metres when neither
            you nor the file says.
        up: the up axis of a mesh, "y" or "z".
        ground: whether a mesh gets level ground under it.

    Raises:
        FileProblem: with what is wrong, and the line where there are lines.
    """
    path = Path(path)
    extension = path.suffix.lower()
    if extension in PLACE_EXTENSIONS:
        if unit is not None or up is not None:
            raise BadValue("unit and up", "left out for environment files", (unit, up))
        return place_from(read_entries(path, _WHAT))
    if extension in MESH_EXTENSIONS:
        return _from_mesh(path, unit, up, ground)
    known = (*PLACE_EXTENSIONS, *MESH_EXTENSIONS)
    found = f"'{extension}'" if extension else "none"
    advice = f"{did_you_mean(extension, known)}Known: {', '.join(known)}."
    raise FileProblem(path, "an extension that a place can be read from", found, advice=advice)


def _from_mesh(path: Path, unit: str | None, up: str | None, ground: bool) -> Environment:
    parts, notes = read_parts(path, unit=unit, up=up)
    if not ground:
        return Environment(parts, notes)
    lowest = min(float((part.vertices_m @ UP).min()) for part in parts)
    height = min(0.0, lowest)
    under = f"Level ground put under {path.name}, at height {height:.4g} m."
    return Environment((Ground(height), *parts), (*notes, under))


def place_from(root: Entry) -> Environment:
    """The place that an environment file, or a part of another file, describes.

    Without a `ground` there is level ground at height 0; `ground: none` leaves it out.

    Raises:
        FileProblem: with line and nearest valid key.
    """
    path, entries = root.path, root.mapping(("ground", "height_field", "parts"))
    surfaces: list[Surface] = []
    notes: list[str] = []
    if "ground" in entries:
        if not entries["ground"].is_nothing():
            surfaces.append(_ground(entries["ground"]))
    elif "height_field" not in entries:
        surfaces.append(Ground())
        notes.append(f"{path.name} names no ground: level ground at height 0 assumed.")
    if "height_field" in entries:
        surfaces.append(_height_field(entries["height_field"]))
    if "parts" in entries:
        listed = entries["parts"].items()
        _check_repeats(listed)
        for entry in listed:
            parts, remarks = _parts(entry)
            surfaces.extend(parts)
            notes.extend(remarks)
            if len(surfaces) > MAX_PARTS:
                raise entry.problem(f"at most {MAX_PARTS} parts", "more")
    if not surfaces:
        raise root.problem("a ground, a height field or parts", "none of them")
    return Environment(tuple(surfaces), tuple(notes))


def _check_repeats(entries: list[Entry]) -> None:
    """A mesh may be large, or named many times, but not both: each time it is read and closed."""
    seen, repeated = set[Path](), 0
    for entry in entries:
        keys = entry.mapping((*_MADE, "file", *_COMMON_KEYS, *_FILE_KEYS))
        if "file" not in keys:
            continue
        mesh = _beside(keys["file"])
        repeated += mesh.stat().st_size if mesh in seen else 0
        seen.add(mesh)
        if repeated > _MAX_REPEATED_BYTES:
            wanted = f"at most {_MAX_REPEATED_BYTES >> 20} MiB of meshes that are named again"
            raise keys["file"].problem(wanted, "more", "Use a simpler mesh for what comes often.")


def _ground(entry: Entry) -> Ground:
    keys = entry.mapping(_GROUND_KEYS)
    tilt = radians(keys["tilt_deg"].number(TILTS_DEG)) if "tilt_deg" in keys else 0.0
    return _made(
        entry,
        lambda: Ground.tilted(
            tilt,
            keys["uphill"].numbers(3) if "uphill" in keys else (0.0, 0.0, 1.0),
            height_m=keys["height_m"].number(PLACES_M) if "height_m" in keys else 0.0,
            belt_velocity_m_s=_belt(keys),
        ),
    )


def _height_field(entry: Entry) -> HeightField:
    keys = entry.mapping(_FIELD_KEYS)
    if ("heights_m" in keys) == ("file" in keys):
        raise entry.problem(f"either 'heights_m' or 'file' in {entry.where}", "both or none")
    if "spacing_m" not in keys:
        raise entry.problem(f"'spacing_m' in {entry.where}", "none")
    if "file" in keys:
        heights = read_heights(_beside(keys["file"]))
        if not (np.abs(heights) <= PLACES_M[1]).all():
            wanted = f"heights from {PLACES_M[0]:g} to {PLACES_M[1]:g} m in {entry.where}"
            raise keys["file"].problem(wanted, f"{heights.min():g} to {heights.max():g}")
    else:
        heights = _listed_heights(keys["heights_m"])
    return _made(
        entry,
        lambda: HeightField(
            heights,
            np.array(keys["spacing_m"].numbers(2, SPACINGS_M)),
            np.array(keys["origin_m"].numbers(2, PLACES_M)) if "origin_m" in keys else np.zeros(2),
            _belt(keys),
        ),
    )


def _listed_heights(entry: Entry) -> Array:
    rows = entry.items()
    widths = [row.count() for row in rows]
    if len(set(widths)) != 1:
        raise entry.problem("rows of equal length in heights_m", f"{len(rows)} rows")
    if sum(widths) > _MAX_HEIGHTS:  # rows may be aliases of one long row
        raise entry.problem(f"at most {_MAX_HEIGHTS} heights", f"{sum(widths)}")
    return np.array([row.numbers(None, PLACES_M) for row in rows])


def _parts(entry: Entry) -> tuple[list[ConvexPart], list[str]]:
    keys = entry.mapping((*_MADE, "file", *_COMMON_KEYS, *_FILE_KEYS))
    sources = [key for key in keys if key in _MADE or key == "file"]
    if len(sources) != 1:
        wanted = f"one of file, {', '.join(_MADE)} in {entry.where}"
        raise entry.problem(wanted, " and ".join(sources) or "none of them")
    (source,) = sources
    for key in _FILE_KEYS:
        if key in keys and source != "file":
            raise keys[key].problem(f"'{key}' only beside 'file'", f"it beside '{source}'")
    if source == "file":
        parts, notes = _from_file(entry, keys)
    else:
        parts, notes = _from_code(source, keys[source]), ()
    if not any(key in keys for key in _COMMON_KEYS):
        return list(parts), list(notes)
    turn_deg = keys["turn_deg"].number() if "turn_deg" in keys else 0.0
    turn = rotations.from_axis_angle(UP, np.radians(turn_deg))
    at = keys["at_m"].numbers(3, PLACES_M) if "at_m" in keys else [0.0, 0.0, 0.0]
    prefix = f"{keys['name'].text()[:200]}: " if "name" in keys else ""
    belt = _belt(keys)
    placed = [
        ConvexPart(rotations.rotate(turn, part.vertices_m) + at, prefix + part.name, belt)
        for part in parts
    ]
    return placed, list(notes)


def _from_file(
    entry: Entry, keys: dict[str, Entry]
) -> tuple[tuple[ConvexPart, ...], tuple[str, ...]]:
    mesh = _beside(keys["file"])
    unit = keys["unit"].text() if "unit" in keys else None
    up = keys["up"].text().lower() if "up" in keys else None
    return _made(entry, lambda: read_parts(mesh, unit=unit, up=up))


def _beside(entry: Entry) -> Path:
    """The file that an entry names, from the folder of the environment file."""
    named = entry.text()
    try:
        found = entry.path.parent / named
        if found.is_file():
            return found
    except (OSError, ValueError):
        pass
    raise entry.problem(f"a file for {entry.where}", f"nothing at {shown(named)}")


def _from_code(source: str, entry: Entry) -> tuple[ConvexPart, ...]:
    make, known = _MADE[source]
    keys = {} if entry.is_nothing() else entry.mapping(known)
    for key in _REQUIRED.get(source, ()):
        if key not in keys:
            raise entry.problem(f"'{key}' in {source}", "none")
    given: dict[str, float | list[float]] = {key: _size(key, value) for key, value in keys.items()}
    return _made(entry, lambda: make(**given))


def _size(key: str, entry: Entry) -> float | list[float]:
    if key == "size_m":
        return entry.numbers(3, SIZES_M)
    return entry.number() if key == "step_count" else entry.number(SIZES_M)


def _belt(keys: dict[str, Entry]) -> Array:
    key = "belt_velocity_m_s"
    return np.array(keys[key].numbers(3, BELTS_M_S)) if key in keys else np.zeros(3)


def _made(entry: Entry, make: Callable[[], T]) -> T:
    """What `make` returns; what it refuses, as a problem of this line of the file."""
    try:
        return make()
    except FileProblem:
        raise
    except PoiseError as problem:
        raise entry.problem(f"{entry.where} that can be made", str(problem).rstrip(".")) from None
