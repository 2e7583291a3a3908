"""The table of formats, and loading and saving through it.

Readers and writers are named, not imported: a format's libraries load when a file needs them.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from poise.character import Character
from poise.errors import BadValue, FileProblem, did_you_mean
from poise.formats.disk import atomic_write, read_bytes
from poise.formats.parsed import clip_from
from poise.motion import Clip, provenance_of


@dataclass(frozen=True)
class Format:
    """What Poise can do with files of one kind. Functions are "module:name" inside this folder."""

    name: str
    extensions: tuple[str, ...]
    about: str
    read_motion: str = ""
    """path, **options -> Parsed."""
    read_clip: str = ""
    """path -> Clip, for the format that stores clips as they are."""
    write_clip: str = ""
    """path, clip, provenance -> notes."""
    read_character: str = ""
    """path -> Character."""
    options: tuple[str, ...] = ()
    """Keyword arguments that `read_motion` takes beside the path."""
    holds_provenance: bool = False
    """Whether the format has room for where a clip came from."""
    holds_body: bool = False
    """Whether the format has room for the body of a robot."""


FORMATS: tuple[Format, ...] = (
    Format(
        "bvh", (".bvh",), "Biovision hierarchy",
        read_motion="bvh:read", write_clip="bvh:write", read_character="bvh:read_character",
    ),
    Format(
        "amc", (".amc",), "Acclaim motion and its .asf; written only for clips that came from one",
        read_motion="amc_read:read", write_clip="amc_write:write", options=("skeleton", "rate_hz"),
        holds_provenance=True,
    ),
    Format("asf", (".asf",), "Acclaim skeleton", read_character="asf:read_character"),
    Format(
        "gltf", (".glb", ".gltf"), "glTF 2.0, written with a simple skinned body",
        read_motion="gltf_read:read", write_clip="gltf_write:write", options=("animation",),
        holds_provenance=True, holds_body=True,
    ),
    Format(
        "npz", (".npz",), "Poise's own, without loss",
        read_clip="npz:read_clip", write_clip="npz:write", holds_provenance=True,
        holds_body=True,
    ),
    Format("mjcf", (".xml", ".mjcf"), "MuJoCo robot", read_character="robots:read_character"),
    Format("urdf", (".urdf",), "ROS robot", read_character="robots:read_character"),
)  # fmt: skip


def load_clip(
    path: str | Path, *, unit: str | None = None, up: str | None = None, **options: object
) -> Clip:
    """Read a motion file as it is, without cleaning anything.

    Args:
        path: the file; its extension says the format.
        unit: length unit of the file's numbers (`cm`, `in`, or metres per unit as a number), for
            files that do not state one or state it wrongly.
        up: the file's up axis, "y" or "z", likewise.
        **options: what only some formats take: `skeleton` (the .asf of an .amc), `rate_hz` (of an
            .amc), `animation` (name or number of one of several in a glTF file).
    """
    path = Path(path)
    found = _format_of(path, "read_motion", "read_clip")
    options = {name: value for name, value in options.items() if value is not None}
    for name, value in options.items():
        if name not in found.options:
            takers = ", ".join(e for f in FORMATS if name in f.options for e in f.extensions)
            raise BadValue(name, f"left out: only {takers or 'no'} files take it", str(value))
    if found.read_clip:
        for name, value in (("unit", unit), ("up", up)):
            if value is not None:
                raise BadValue(name, f"left out: {found.name} files state it", value)
        return _function(found.read_clip)(path)
    parsed = _function(found.read_motion)(path, **options)
    return clip_from(parsed, path, found.name, unit=unit, up=up)


def load_character(path: str | Path) -> Character:
    """Read a skeleton or robot file as a character."""
    path = Path(path)
    return _function(_format_of(path, "read_character").read_character)(path)


def save_clip(clip: Clip, path: str | Path, *, sidecar: bool = False) -> tuple[str, ...]:
    """Write a clip in the format of the extension; returns what is to be said about it.

    A clip that goes back to its own format keeps its unit, axes, names and channel order. Where it
    came from is written into the file where there is room; with `sidecar`, a format without room
    gets a small `.provenance.json` beside it.
    """
    path = Path(path)
    found = _format_of(path, "write_clip")
    provenance = provenance_of(clip)
    notes: tuple[str, ...] = _function(found.write_clip)(path, clip, provenance)
    if clip.body is not None and not found.holds_body:
        body = clip.body.name or "the robot"
        notes = (
            *notes,
            f"{path.suffix} has no room for the body of {body}: name it where it is read (--body).",
        )
    beside = path.with_name(path.name + ".provenance.json")
    # One that is already there would tell of the file just replaced.
    if not found.holds_provenance and (sidecar or os.path.lexists(beside)):
        atomic_write(beside, provenance.as_json().encode("utf-8"))
        notes = (*notes, f"provenance written to {beside.name}")
    return notes


def check_can_write(path: str | Path) -> None:
    """Raise unless the extension is one that clips can be written to."""
    _format_of(Path(path), "write_clip")


def extensions(ability: str) -> tuple[str, ...]:
    """All extensions with an ability: "read_motion", "write_clip" or "read_character"."""
    return tuple(e for f in FORMATS if getattr(f, ability) for e in f.extensions)


def _format_of(path: Path, *abilities: str) -> Format:
    extension = path.suffix.lower()
    if abilities != ("write_clip",) and not path.is_file():
        read_bytes(path)  # says what is there instead of a file
    able = [f for f in FORMATS if any(getattr(f, ability) for ability in abilities)]
    for candidate in able:
        if extension in candidate.extensions:
            return candidate
    known = [e for f in able for e in f.extensions]
    advice = f"{did_you_mean(extension, known)}Known: {', '.join(known)}."
    what = {
        "write_clip": "a clip can be written to",
        "read_character": "a character can be read from",
    }
    if abilities[0] not in what:
        advice += f" As characters: {', '.join(extensions('read_character'))}."
    expected = f"an extension that {what.get(abilities[0], 'a clip can be read from')}"
    raise FileProblem(path, expected, f"'{extension}'" if extension else "none", advice=advice)


def _function(named: str) -> Callable[..., Any]:
    module, name = named.split(":")
    return getattr(import_module(f"poise.formats.{module}"), name)
