"""The table of formats, and loading and saving through it.

Readers and writers are named, not imported: a format's libraries load when a file needs them.
Installed packages add formats (entry points `poise.formats`, see `poise.extensions`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from poise.character import Character
from poise.errors import BadValue, ExtensionProblem, FileProblem, did_you_mean
from poise.extensions import Extended, attributing
from poise.formats.disk import atomic_write, read_bytes
from poise.formats.file_start import FileStart, looks_like_json, root_tag
from poise.formats.parsed import Parsed, clip_from
from poise.motion import Clip, Provenance, at_capture_rate, provenance_of


@dataclass(frozen=True)
class Format:
    """What can be done with files of one kind.

    A function is given itself, or as "module:name", which is imported when a file needs it.
    """

    name: str
    extensions: tuple[str, ...]
    """Lower case, with the dot. Several formats may share one: `recognises` tells them apart."""
    about: str
    read_motion: str | Callable[..., Parsed] = ""
    """path, **options -> Parsed: the file's own unit and axes."""
    read_clip: str | Callable[[Path], Clip] = ""
    """path -> Clip, for formats that state unit and axes."""
    write_clip: str | Callable[[Path, Clip, Provenance], tuple[str, ...]] = ""
    """path, clip, provenance -> notes on what the format could not hold."""
    read_character: str | Callable[[Path], Character] = ""
    """path -> Character."""
    list_animations: str | Callable[[Path], tuple[tuple[str | int, bool], ...]] = ""
    """path -> for each animation, what `read_motion` takes for it and whether anything moves."""
    options: tuple[str, ...] = ()
    """Keyword arguments that `read_motion` takes beside the path."""
    holds_provenance: bool = False
    """Whether the format has room for where a clip came from."""
    holds_body: bool = False
    """Whether the format has room for the body of a robot."""
    recognises: Callable[[FileStart], bool] | None = None
    """Whether a file looks like one of these; without it, every file with the extension does."""
    looks_for: str = ""
    """What `recognises` looks for, in words that go on from "it has": "'HIERARCHY' first"."""

    @property
    def reads_clips(self) -> bool:
        """Whether clips can be read from it."""
        return bool(self.read_motion or self.read_clip)


def _problem_with(name: str, format: Format) -> str:
    """What keeps a package's format out of the table."""
    functions = (format.read_motion, format.read_clip, format.write_clip, format.read_character)
    if format.name != name:
        return f"its Format is called '{format.name}'"
    if not format.extensions or any(
        len(e) < 2 or e[0] != "." or e != e.lower() for e in format.extensions
    ):
        return f"extensions must be like '.abc', got {format.extensions!r}"
    if not any(functions):
        return "it neither reads nor writes anything"
    wrong = [each for each in functions if isinstance(each, str) and each and ":" not in each]
    return f"functions must be like 'package.module:name', got {wrong[0]!r}" if wrong else ""


_OWN = (
    Format(
        "bvh", (".bvh",), "Biovision hierarchy",
        read_motion=".bvh:read", write_clip=".bvh:write", read_character=".bvh:read_character",
        recognises=lambda start: start.text.lstrip().upper().startswith("HIERARCHY"),
        looks_for="HIERARCHY first",
    ),
    Format(
        "amc", (".amc",), "Acclaim motion and its .asf; written only for clips that came from one",
        read_motion=".amc_read:read", write_clip=".amc_write:write",
        options=("skeleton", "rate_hz"), holds_provenance=True,
        recognises=lambda start: start.has_line(":fully-specified", ":degrees", ":radians", "1"),
        looks_for=":FULLY-SPECIFIED, :DEGREES or frame 1 on a line",
    ),
    Format(
        "asf", (".asf",), "Acclaim skeleton", read_character=".asf:read_character",
        recognises=lambda start: start.has_line(":version", ":units", ":root"),
        looks_for=":version, :units or :root on a line",
    ),
    Format(
        "gltf", (".glb", ".gltf"), "glTF 2.0, written with a simple skinned body",
        read_motion=".gltf_read:read", write_clip=".gltf_write:write", options=("animation",),
        list_animations=".gltf_read:animations_of",
        holds_provenance=True, holds_body=True,
        recognises=lambda start: start.head.startswith(b"glTF") or looks_like_json(start),
        looks_for="'glTF' or JSON first",
    ),
    Format(
        "npz", (".npz",), "Poise's own, without loss",
        read_clip=".npz:read_clip", write_clip=".npz:write", holds_provenance=True,
        holds_body=True,
        recognises=lambda start: {"meta_json", "root_positions_m"} <= set(start.members),
        looks_for="members meta_json and root_positions_m",
    ),
    Format(
        "mjcf", (".xml", ".mjcf"), "MuJoCo robot", read_character=".robots:read_character",
        recognises=lambda start: root_tag(start) in ("mujoco", "robot"),
        looks_for="<mujoco> or <robot> first",
    ),
    Format(
        "urdf", (".urdf",), "ROS robot", read_character=".robots:read_character",
        recognises=lambda start: root_tag(start) in ("mujoco", "robot"),
        looks_for="<robot> first",
    ),
)  # fmt: skip

FORMATS = Extended("poise.formats", {each.name: each for each in _OWN}, Format, _problem_with)
"""The formats by name, in the order in which they are asked about a file."""


def load_clip(
    path: str | Path,
    *,
    unit: str | None = None,
    up: str | None = None,
    rate_hz: float | None = None,
    **options: object,
) -> Clip:
    """Read a motion file as it is, without cleaning anything.

    Args:
        path: the file; its extension says the format.
        unit: length unit of the file's numbers (`cm`, `in`, or metres per unit as a number), for
            files that do not state one or state it wrongly.
        up: the file's up axis, "y" or "z", likewise.
        rate_hz: frame rate of an .amc, which does not state one; of other files, the true one where
            theirs is wrong.
        **options: what only some formats take: `skeleton` (the .asf of an .amc), `animation` (name
            or number of one of several in a glTF file).
    """
    path = Path(path)
    found = _format_of(path, "read_motion", "read_clip")
    options = {name: value for name, value in options.items() if value is not None}
    if rate_hz is not None and "rate_hz" in found.options:
        options["rate_hz"] = rate_hz
    clip = _read(found, path, unit, up, options)
    if rate_hz is None or "rate_hz" in found.options:
        return clip
    return at_capture_rate(clip, rate_hz)


def _read(
    found: Format, path: Path, unit: str | None, up: str | None, options: dict[str, object]
) -> Clip:
    for name, value in options.items():
        if name not in found.options:
            takers = ", ".join(
                e for f in FORMATS.values() if name in f.options for e in f.extensions
            )
            allowed = f"left out for {path.name}: only {takers or 'no'} files take it"
            raise BadValue(name, allowed, str(value))
    if found.read_clip:
        for name, value in (("unit", unit), ("up", up)):
            if value is not None:
                raise BadValue(
                    name, f"left out for {path.name}: {found.name} files state it", value
                )
        return _called(found, found.read_clip, Clip, path)
    parsed = _called(found, found.read_motion, Parsed, path, **options)
    return clip_from(parsed, path, found.name, unit=unit, up=up)


def animations_of(path: Path) -> tuple[tuple[str | int, bool], ...] | None:
    """The animations of a file of a format that holds several; None of any other.

    Each is what `load_clip` takes as `animation`, and whether anything moves in it.

    Raises:
        FileProblem: a file that cannot be read.
    """
    found = next(_candidates(path, ("list_animations",)), None)
    return None if found is None else _called(found, found.list_animations, tuple, path)


def reading_options(path: Path) -> frozenset[str]:
    """Names of what `load_clip` takes beside the path; by its extension, if there is no file."""
    try:
        entry = _format_of(path, "read_motion", "read_clip")
    except FileProblem:
        entry = next(_candidates(path, ("read_motion", "read_clip")), None)
    if entry is None:
        return frozenset()
    stated = () if entry.read_clip else ("unit", "up")
    return frozenset({"rate_hz", *stated, *entry.options})


def load_character(path: str | Path) -> Character:
    """Read a skeleton or robot file as a character."""
    path = Path(path)
    found = _format_of(path, "read_character")
    return _called(found, found.read_character, Character, path)


def save_clip(clip: Clip, path: str | Path, *, sidecar: bool = False) -> tuple[str, ...]:
    """Write a clip in the format of the extension; returns what is to be said about it.

    A clip that goes back to its own format keeps its unit, axes, names and channel order. Where it
    came from is written into the file where there is room; with `sidecar`, a format without room
    gets a small `.provenance.json` beside it.
    """
    path = Path(path)
    found = _format_of(path, "write_clip")
    provenance = provenance_of(clip)
    notes: tuple[str, ...] = _called(found, found.write_clip, tuple, path, clip, provenance)
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
    able = (f for f in FORMATS.values() if getattr(f, ability))
    return tuple(dict.fromkeys(e for f in able for e in f.extensions))


def is_character(path: str | Path) -> bool:
    """Whether a file is of a body without motion: a skeleton or a robot.

    A file that cannot be looked at is judged by its extension: whoever reads it says what is wrong.
    """
    path = Path(path)
    start, tried = FileStart(path) if path.is_file() else None, list[Format]()
    for each in _candidates(path, ("read_motion", "read_clip", "read_character")):
        with suppress(FileProblem):
            if start is not None and _recognises(each, start):
                return not each.reads_clips
        tried.append(each)
    return bool(tried) and not any(each.reads_clips for each in tried)


def _format_of(path: Path, *abilities: str) -> Format:
    """The first format that recognises a file; of one to write, the first with its extension.

    Poise's own are asked before those of packages, which are not even imported where one of
    Poise's own is right. One format alone reads whatever has its extension: its reader says best
    what is wrong.
    """
    writing = abilities == ("write_clip",)
    if not writing and not path.is_file():
        read_bytes(path)  # says what is there instead of a file
    start, tried = FileStart(path), list[Format]()
    for candidate in _candidates(path, abilities):
        if writing or _recognises(candidate, start):
            return candidate
        tried.append(candidate)
    if not tried:
        raise _no_extension(path, abilities)
    if len(tried) == 1:
        return tried[0]
    listed = ", ".join(f"{each.name} ({each.looks_for or 'its own rule'})" for each in tried)
    found = "that none of them recognises it"
    raise FileProblem(path, f"one of the formats with that extension: {listed}", found)


def _candidates(path: Path, abilities: tuple[str, ...]) -> Iterator[Format]:
    for each in FORMATS.values():
        if path.suffix.lower() in each.extensions and any(getattr(each, a) for a in abilities):
            yield each


def _recognises(candidate: Format, start: FileStart) -> bool:
    if candidate.recognises is None:
        return True
    with attributing(FORMATS, candidate.name):
        return bool(candidate.recognises(start))


def _no_extension(path: Path, abilities: tuple[str, ...]) -> FileProblem:
    extension = path.suffix.lower()
    known = list(dict.fromkeys(e for ability in abilities for e in extensions(ability)))
    advice = f"{did_you_mean(extension, known)}Known: {', '.join(known)}."
    what = {
        "write_clip": "a clip can be written to",
        "read_character": "a character can be read from",
    }
    if abilities[0] not in what:
        advice += f" As characters: {', '.join(extensions('read_character'))}."
    expected = f"an extension that {what.get(abilities[0], 'a clip can be read from')}"
    return FileProblem(path, expected, f"'{extension}'" if extension else "none", advice=advice)


def _called(
    format: Format, function: str | Callable[..., Any], kind: type[Any], *args: object,
    **options: object,
) -> Any:  # fmt: skip
    """What a reader or writer gives back.

    Raises:
        ExtensionProblem: one of a package fails, or gives back something else than `kind`.
    """
    with attributing(FORMATS, format.name):
        made = _function(function)(*args, **options)
        package = FORMATS.package(format.name)
        if package is not None and not isinstance(made, kind):
            found = f"it gave back {type(made).__name__} instead of {kind.__name__}"
            raise ExtensionProblem("format", format.name, str(package), found)
        return made


def _function(named: str | Callable[..., Any]) -> Callable[..., Any]:
    if not isinstance(named, str):
        return named
    module, name = named.split(":")
    return getattr(import_module(module, "poise.formats"), name)
