"""Wavefront OBJ: vertices, polygons, objects and groups; materials and curves are left out.

Polygons become fans of triangles. For a polygon with dents the fan overlaps itself, but it keeps
the corners, and the signed volume.
"""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np

from poise.arrays import Array, Indices
from poise.formats.mesh import MAX_TRIANGLES, MAX_VERTICES, MeshFile, TriangleMesh, compact
from poise.formats.text import MAX_NAME_LENGTH, Line, Lines, read_text, shown

_INDEX = re.compile(r"(-?[0-9]{1,10})(?:/(?:-?[0-9]+)?){0,2}", re.ASCII)

_IGNORED = frozenset(
    "vt vn vp l p s usemtl mtllib usemap maplib mg lod bevel c_interp d_interp "
    "shadow_obj trace_obj".split()
)
"""Keywords that change no triangle."""

_CURVED = frozenset(
    "cstype deg bmat step curv curv2 surf parm trim hole scrv sp end con ctech stech call csh "
    "bsp bzp cdc cdp res".split()
)
"""Keywords of free-form curves and surfaces, whose shape is not read."""


@dataclass
class _Reading:
    """What has been read so far."""

    path: Path
    lines: Lines
    places: array[float] = field(default_factory=lambda: array("d"))
    corners: array[int] = field(default_factory=lambda: array("q"))
    """Three a triangle."""
    object_name: str = ""
    group_name: str = ""
    has_objects: bool = False
    starts: list[tuple[int, str, str]] = field(default_factory=list[tuple[int, str, str]])
    """The first triangle of each stretch, its object and its group."""
    ignored: dict[str, int] = field(default_factory=dict[str, int])
    """Unread keywords, and how often they came."""


def read(path: Path) -> MeshFile:
    """Read an OBJ file."""
    reading = _Reading(path, Lines(read_text(path)))
    while (line := _next(reading)).words:
        keyword, words = line.words[0], line.words[1:]
        if keyword == "v":
            _vertex(reading, line, words)
        elif keyword in ("f", "fo"):
            _face(reading, line, words)
        elif keyword == "o":
            reading.object_name, reading.has_objects = _name(words), True
        elif keyword == "g":
            reading.group_name = _name(words)
        elif keyword not in _IGNORED:
            _unread(reading, line, keyword)
    places = np.frombuffer(reading.places, dtype=np.float64).reshape(-1, 3)
    corners = np.frombuffer(reading.corners, dtype=np.int64).reshape(-1, 3)
    return MeshFile(
        meshes=_objects(reading, places, corners),
        unit=None,
        up="y",
        up_reason="assumed: Y, the custom of this format",
        notes=tuple(f"'{word}' not read ({n} times)." for word, n in reading.ignored.items()),
    )


def _next(reading: _Reading) -> Line:
    """The next line, with those that a backslash at its end adds to it."""
    line = reading.lines.next()
    if not line.words or not line.words[-1].endswith("\\"):
        return line
    words = list(line.words)
    while words[-1].endswith("\\"):
        words[-1] = words[-1][:-1]
        more = reading.lines.next().words
        if len(words) + len(more) > MAX_VERTICES:
            raise reading.lines.wrong(line, "a shorter line", found="one without end")
        words.extend(more or ("",))
    return Line(line.position, tuple(word for word in words if word))


def _vertex(reading: _Reading, line: Line, words: tuple[str, ...]) -> None:
    if len(words) < 3:
        raise reading.lines.wrong(line, "three coordinates after 'v'")
    reading.places.extend(reading.lines.numbers(line, words[:3], "a finite number in 'v'"))
    if len(reading.places) > 3 * MAX_VERTICES:
        raise reading.lines.wrong(line, f"at most {MAX_VERTICES} vertices", found="more")


def _face(reading: _Reading, line: Line, words: tuple[str, ...]) -> None:
    if len(words) < 3:
        raise reading.lines.wrong(line, "at least three corners after 'f'")
    count = len(reading.places) // 3
    numbers: list[int] = []
    for word in words:
        match = _INDEX.fullmatch(word)
        number = int(match.group(1)) if match else 0
        if not (1 <= number <= count or -count <= number <= -1):
            wanted = f"a vertex number from 1 to {count}, or from -{count} to -1"
            raise reading.lines.wrong(line, wanted, found=shown(word))
        numbers.append(number - 1 if number > 0 else count + number)
    names = (reading.object_name, reading.group_name)
    if not reading.starts or reading.starts[-1][1:] != names:
        reading.starts.append((len(reading.corners) // 3, *names))
    for second, third in pairwise(numbers[1:]):
        reading.corners.extend((numbers[0], second, third))
    if len(reading.corners) > 3 * MAX_TRIANGLES:
        raise reading.lines.wrong(line, f"at most {MAX_TRIANGLES} triangles", found="more")


def _unread(reading: _Reading, line: Line, keyword: str) -> None:
    if keyword not in _CURVED and not reading.places and not reading.ignored:
        wanted = "an OBJ file, with lines such as 'v 0 1 0' and 'f 1 2 3'"
        raise reading.lines.wrong(line, wanted, found=shown(keyword))
    if keyword in reading.ignored or len(reading.ignored) < 20:
        word = keyword[:40] if keyword.isprintable() else "?"
        reading.ignored[word] = reading.ignored.get(word, 0) + 1


def _name(words: tuple[str, ...]) -> str:
    return " ".join(words)[:MAX_NAME_LENGTH]


def _objects(reading: _Reading, places: Array, corners: Indices) -> tuple[TriangleMesh, ...]:
    """Triangles gathered by object, or by group in a file without objects."""
    stretches: dict[str, list[Indices]] = {}
    ends = [start for start, _, _ in reading.starts[1:]] + [len(corners)]
    for (start, thing, group), end in zip(reading.starts, ends, strict=False):
        name = (thing if reading.has_objects else group) or reading.path.stem
        stretches.setdefault(name, []).append(corners[start:end])
    return tuple(compact(name, places, np.concatenate(own)) for name, own in stretches.items())
