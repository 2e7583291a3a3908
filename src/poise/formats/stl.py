"""STL in both of its forms: triangles without names of corners, text or binary."""

from __future__ import annotations

import struct
from array import array
from pathlib import Path

import numpy as np

from poise.arrays import Array
from poise.errors import FileProblem
from poise.formats.disk import MAX_FILE_BYTES, read_bytes
from poise.formats.mesh import MAX_TRIANGLES, MeshFile, TriangleMesh, compact
from poise.formats.text import MAX_MAGNITUDE, MAX_NAME_LENGTH, Line, Lines, read_text

_HEADER = 80
_TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
_MAX_BYTES = _HEADER + 4 + MAX_TRIANGLES * _TRIANGLE.itemsize


def read(path: Path) -> MeshFile:
    """Read an STL file; which form it has, its size and its first words say."""
    data = read_bytes(path, max_bytes=max(_MAX_BYTES, MAX_FILE_BYTES))
    if not data:
        raise FileProblem(path, "an STL file", "an empty file")
    notes: tuple[str, ...] = ()
    if _is_text(data):
        meshes = _read_text(path)
    else:
        meshes, notes = _read_binary(path, data)
    return MeshFile(
        meshes=meshes,
        unit=None,
        up="z",
        up_reason="assumed: Z, the custom of this format",
        notes=notes,
    )


def _is_text(data: bytes) -> bool:
    """Whether it begins like text; a binary header may say 'solid' too, so its size counts."""
    if len(data) >= _HEADER + 4:
        (count,) = struct.unpack_from("<I", data, _HEADER)
        if len(data) == _HEADER + 4 + count * _TRIANGLE.itemsize:
            return False
    start = data[:1024].lstrip(b"\xef\xbb\xbf \t\r\n")
    return start[:5].lower() == b"solid" and b"\0" not in data[:1024]


def _read_binary(path: Path, data: bytes) -> tuple[tuple[TriangleMesh, ...], tuple[str, ...]]:
    if len(data) < _HEADER + 4:
        found = f"{len(data)} bytes that do not begin with 'solid'"
        raise FileProblem(path, "a binary STL header of 84 bytes", found)
    (count,) = struct.unpack_from("<I", data, _HEADER)
    needed = _HEADER + 4 + count * _TRIANGLE.itemsize
    if needed > len(data):
        wanted = f"the {count} triangles ({needed} bytes) that the header declares"
        raise FileProblem(path, wanted, f"{len(data)} bytes", advice="The file is cut off.")
    if count > MAX_TRIANGLES:
        raise FileProblem(path, f"at most {MAX_TRIANGLES} triangles", f"{count}")
    triangles = np.frombuffer(data, _TRIANGLE, count, _HEADER + 4)
    with np.errstate(invalid="ignore"):  # signalling nan; found below
        corners = triangles["corners"].astype(np.float64)
    good = (np.abs(corners) <= MAX_MAGNITUDE).all(axis=(1, 2))
    if not good.all():
        wanted = f"finite coordinates of at most {MAX_MAGNITUDE:g}"
        found = f"others in triangle {int(np.argmin(good)) + 1}"
        raise FileProblem(path, wanted, found)
    notes = ()
    if needed < len(data):
        notes = (f"{len(data) - needed} bytes after the last triangle not read.",)
    return _meshes([(path.stem, corners)]), notes


def _read_text(path: Path) -> tuple[TriangleMesh, ...]:
    lines = Lines(read_text(path))
    solids: list[tuple[str, Array]] = []
    total = 0
    line = lines.next()
    while line.words:
        if line.words[0].lower() != "solid":
            raise lines.wrong(line, "'solid'")
        name = " ".join(line.words[1:])[:MAX_NAME_LENGTH] or path.stem
        places = array("d")
        line = lines.next()
        while line.words and line.words[0].lower() == "facet":
            _facet(lines, places)
            if total + len(places) // 9 > MAX_TRIANGLES:
                raise lines.wrong(line, f"at most {MAX_TRIANGLES} triangles", found="more")
            line = lines.next()
        if not line.words or line.words[0].lower() != "endsolid":
            raise lines.wrong(line, "'facet' or 'endsolid'")
        total += len(places) // 9
        solids.append((name, np.frombuffer(places, dtype=np.float64).reshape(-1, 3, 3)))
        line = lines.next()
    return _meshes(solids)


def _facet(lines: Lines, places: array[float]) -> None:
    """The lines of one triangle after its `facet normal` line."""
    _expect(lines, "outer", "loop")
    for _ in range(3):
        line = _expect(lines, "vertex")
        if len(line.words) != 4:
            raise lines.wrong(line, "three coordinates after 'vertex'")
        places.extend(lines.numbers(line, line.words[1:], "a finite number in 'vertex'"))
    _expect(lines, "endloop")
    _expect(lines, "endfacet")


def _expect(lines: Lines, *words: str) -> Line:
    line = lines.next()
    if tuple(word.lower() for word in line.words[: len(words)]) != words:
        raise lines.wrong(line, f"'{' '.join(words)}'")
    return line


def _meshes(solids: list[tuple[str, Array]]) -> tuple[TriangleMesh, ...]:
    """Each solid with equal corners made one; solids without triangles are left out."""
    return tuple(
        compact(name, corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3))
        for name, corners in solids
        if len(corners)
    )
