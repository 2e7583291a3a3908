"""A glTF file as data that has been checked: container, JSON, buffers, accessors.

The writer builds its document with pygltflib. Reading does not go through it: it takes whatever
types the JSON holds, and follows sizes and offsets that a damaged file declares, so every value
would have to be checked here anyway, after it had already been copied into objects.
"""

from __future__ import annotations

import base64
import binascii
import json
import struct
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath, PureWindowsPath
from urllib.parse import unquote_to_bytes

import numpy as np

from poise.arrays import Array, Json, RawArray
from poise.errors import FileProblem
from poise.formats.disk import read_bytes

MAX_BYTES = 2**30
"""Motion itself needs little; textures in the same file may be large."""

MAX_NUMBER = 1e9
"""Metres, seconds or factors beyond this are damage, and would overflow further on."""

MAGIC = b"glTF"
_CHUNK_JSON, _CHUNK_BIN = b"JSON", b"BIN\x00"

COMPONENTS: dict[int, str] = {
    5120: "<i1",
    5121: "<u1",
    5122: "<i2",
    5123: "<u2",
    5125: "<u4",
    5126: "<f4",
}
WIDTHS: dict[str, int] = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}
"""Elements that motion uses; matrices occur only in skins, whose rest pose the nodes give."""

_UNREADABLE_EXTENSIONS = ("EXT_meshopt_compression", "KHR_meshopt_compression")

Facts = dict[str, Json]
"""A JSON object."""


@dataclass(frozen=True, eq=False)
class Document:
    """The JSON of a glTF file and the bytes it speaks of."""

    path: Path
    root: Facts
    buffers: tuple[bytes, ...]
    _checked: dict[str, list[Facts]] = field(default_factory=dict[str, list[Facts]], repr=False)

    @property
    def byte_count(self) -> int:
        """Bytes of all buffers."""
        return sum(map(len, self.buffers))

    def problem(self, expected: str, found: str, advice: str = "") -> FileProblem:
        """An error that names this file."""
        return FileProblem(self.path, expected, found, advice=advice)

    def items(self, key: str) -> list[Facts]:
        """A top-level list of objects; empty when absent."""
        if key not in self._checked:  # once: files with many meshes ask for each of them
            self._checked[key] = self.objects_in(self.root, key, "the file")
        return self._checked[key]

    def objects_in(self, owner: Facts, key: str, where: str) -> list[Facts]:
        """A list of objects inside another; empty when absent."""
        value = owner.get(key, [])
        found = [i for i in value if isinstance(i, dict)] if isinstance(value, list) else []
        if not isinstance(value, list) or len(found) < len(value):
            raise self.problem(f"a list of objects as '{key}' of {where}", _shown(value))
        return found

    def index(self, owner: Facts, key: str, count: int, where: str) -> int:
        """A whole number from 0 up to but not including `count`."""
        value = owner.get(key)
        if type(value) is not int or not 0 <= value < count:
            wanted = f"an index below {count} as '{key}' of {where}"
            raise self.problem(wanted, _shown(value))
        return value

    def size(self, owner: Facts, key: str, where: str, default: int | None = None) -> int:
        """A whole number, zero or more."""
        value = owner.get(key, default)
        if type(value) is not int or value < 0:
            raise self.problem(f"a size as '{key}' of {where}", _shown(value))
        return value

    def indices(self, owner: Facts, key: str, count: int, where: str) -> list[int]:
        """A list of whole numbers below `count`; empty when absent."""
        value = owner.get(key, [])
        if not isinstance(value, list):
            raise self.problem(f"a list of indices as '{key}' of {where}", _shown(value))
        found: list[int] = []
        for i in value:
            if type(i) is not int or not 0 <= i < count:
                raise self.problem(f"indices below {count} in '{key}' of {where}", _shown(i))
            found.append(i)
        return found

    def numbers(self, owner: Facts, key: str, default: list[float], where: str) -> Array:
        """A fixed count of finite numbers."""
        value = owner.get(key, [*default])
        listed = value if isinstance(value, list) else []
        if len(listed) != len(default) or not all(type(x) in (int, float) for x in listed):
            raise self.problem(f"{len(default)} numbers as '{key}' of {where}", _shown(value))
        try:
            array = np.array(value, dtype=np.float64)
        except OverflowError:
            array = np.array([np.inf])
        if not (np.abs(array) <= MAX_NUMBER).all():
            raise self.problem(f"numbers up to {MAX_NUMBER:g} as '{key}' of {where}", "others")
        return array

    def accessor_index(self, owner: Facts, key: str, where: str) -> int:
        """The number of the accessor that an object names."""
        return self.index(owner, key, len(self.items("accessors")), where)

    def accessor(self, index: int, width: int, where: str, *, floats: bool = False) -> Array:
        """The numbers of an accessor, (count, width), normalised integers as fractions.

        Args:
            index: which accessor.
            width: numbers in an element.
            where: what they are for, for messages.
            floats: whether the specification allows nothing but floats here.
        """
        found = self.items("accessors")[index]
        kind = found.get("type")
        if not isinstance(kind, str) or WIDTHS.get(kind) != width:
            wanted = next(k for k, w in WIDTHS.items() if w == width)
            raise self.problem(f"accessor {index} ({where}) of type {wanted}", _shown(kind))
        dtype = self._component(found, f"accessor {index} ({where})")
        if floats and dtype.kind != "f":
            raise self.problem(f"floats in accessor {index} ({where})", str(dtype))
        count = self.size(found, "count", f"accessor {index}")
        if count > sum(len(b) for b in self.buffers):
            # Also bounds the zeros of an accessor that has no bytes of its own.
            raise self.problem(f"as many values in accessor {index} as the file holds", f"{count}")
        values = np.zeros((count, width), dtype=dtype)
        if "bufferView" in found:
            offset = self.size(found, "byteOffset", f"accessor {index}", 0)
            values = self._viewed(found, offset, dtype, (count, width), f"accessor {index}")
        if "sparse" in found:
            values = self._sparse(found["sparse"], values, f"sparse accessor {index}")
        with np.errstate(invalid="ignore"):  # signalling nan; found below
            numbers = values.astype(np.float64)
        if dtype.kind != "f" and found.get("normalized") is True:
            numbers = np.maximum(numbers / np.iinfo(dtype.str).max, -1.0)
        if not (np.abs(numbers) <= MAX_NUMBER).all():
            wanted = f"numbers up to {MAX_NUMBER:g} in accessor {index} ({where})"
            raise self.problem(wanted, "NaN, infinity or larger ones")
        return numbers

    def _component(self, owner: Facts, where: str) -> np.dtype[np.generic]:
        code = owner.get("componentType")
        if type(code) is not int or code not in COMPONENTS:
            wanted = f"a componentType among {', '.join(map(str, COMPONENTS))} in {where}"
            raise self.problem(wanted, _shown(code))
        return np.dtype(COMPONENTS[code])

    def _viewed(
        self,
        owner: Facts,
        offset: int,
        dtype: np.dtype[np.generic],
        shape: tuple[int, int],
        where: str,
    ) -> RawArray:
        """Values at `offset` in a buffer view, after comparing every size with the bytes."""
        views = self.items("bufferViews")
        number = self.index(owner, "bufferView", len(views), where)
        view, named = views[number], f"bufferView {number}"
        data = self.buffers[self.index(view, "buffer", len(self.buffers), named)]
        start = self.size(view, "byteOffset", named, 0)
        length = self.size(view, "byteLength", named)
        if start + length > len(data):
            found = f"{start} + {length} over {len(data)} bytes"
            raise self.problem(f"{named} inside its buffer", found)
        count, width = shape
        packed = dtype.itemsize * width
        stride = self.size(view, "byteStride", named, packed)
        if stride < packed:
            raise self.problem(f"a byteStride of at least {packed} in {named}", f"{stride}")
        needed = offset + (count - 1) * stride + packed if count else 0
        if needed > length:
            found = f"{needed} bytes needed over {length}"
            raise self.problem(f"{where} inside {named}", found)
        if count == 0:
            return np.zeros(shape, dtype=dtype)
        strides = (stride, dtype.itemsize)
        return np.ndarray(shape, dtype, data, start + offset, strides).copy()

    def _sparse(self, sparse: Json, values: RawArray, where: str) -> RawArray:
        if not isinstance(sparse, dict):
            raise self.problem(f"an object as {where}", _shown(sparse))
        count = self.size(sparse, "count", where)
        spots, given = sparse.get("indices"), sparse.get("values")
        if not isinstance(spots, dict) or not isinstance(given, dict) or count > len(values):
            raise self.problem(f"indices and values for at most {len(values)} in {where}", "else")
        dtype = self._component(spots, where)
        if dtype.kind != "u":
            raise self.problem(f"unsigned indices in {where}", str(dtype))
        offset = self.size(spots, "byteOffset", where, 0)
        rows = self._viewed(spots, offset, dtype, (count, 1), where)[:, 0].astype(np.int64)
        if count and rows.max() >= len(values):
            raise self.problem(f"indices below {len(values)} in {where}", f"{rows.max()}")
        offset = self.size(given, "byteOffset", where, 0)
        shape = (count, values.shape[1])
        changed = values.copy()
        changed[rows] = self._viewed(given, offset, values.dtype, shape, where)
        return changed


def load_document(path: Path) -> Document:
    """Open a .glb or .gltf file; which of the two it is, its first bytes say."""
    document, blob = _described(path)
    root = document.root
    asset = root.get("asset")
    version = asset.get("version") if isinstance(asset, dict) else None
    if not isinstance(version, str) or not version.startswith("2."):
        raise document.problem("glTF version 2 in 'asset'", _shown(version))
    required = root.get("extensionsRequired", [])
    for extension in _UNREADABLE_EXTENSIONS:
        if isinstance(required, list) and extension in required:
            advice = "Export it again without compression."
            raise document.problem("plain buffers", f"the extension {extension}", advice)
    buffers = tuple(
        _buffer(document, buffer, number, blob if number == 0 else None)
        for number, buffer in enumerate(document.items("buffers"))
    )
    return Document(path, root, buffers)


def buffer_files(path: Path) -> tuple[Path, ...]:
    """The files beside a document that hold its buffers, whether they are there or not.

    Raises:
        FileProblem: what is wrong with the document.
    """
    document, _ = _described(path)
    uris = [(n, buffer.get("uri")) for n, buffer in enumerate(document.items("buffers"))]
    return tuple(
        _path_beside(document, uri, f"buffer {number}")[1]
        for number, uri in uris
        if isinstance(uri, str) and not uri.startswith("data:")
    )


def _described(path: Path) -> tuple[Document, bytes | None]:
    """A document without its buffers, and its binary chunk."""
    data = read_bytes(path, max_bytes=MAX_BYTES)
    if data[:4] == MAGIC:
        text, blob = _chunks(path, data)
    elif path.suffix.lower() == ".glb":
        found = _shown(data[:4]) if data else "an empty file"
        raise FileProblem(path, "a binary glTF file that begins with 'glTF'", found)
    else:
        text, blob = data, None
    return Document(path, _parsed_json(path, text), ()), blob


def _chunks(path: Path, data: bytes) -> tuple[bytes, bytes | None]:
    """The JSON and the binary chunk of a GLB container."""
    if len(data) < 20:
        raise FileProblem(path, "a GLB header and a JSON chunk", f"only {len(data)} bytes")
    version, length = struct.unpack_from("<II", data, 4)
    if version != 2:
        raise FileProblem(path, "a GLB container of version 2", f"version {version}")
    if length > len(data):
        found = f"{len(data)} bytes"
        raise FileProblem(path, f"the {length} bytes that the GLB header declares", found)
    at, chunks = 12, list[tuple[bytes, bytes]]()
    while at < length:
        if at + 8 > length:
            raise FileProblem(path, f"a chunk header at byte {at}", "the end of the file")
        size, kind = struct.unpack_from("<I4s", data, at)
        if at + 8 + size > length:
            found = f"{length - at - 8}"
            raise FileProblem(path, f"a chunk of {size} bytes at byte {at}", found)
        chunks.append((kind, data[at + 8 : at + 8 + size]))
        at += 8 + size
    if not chunks or chunks[0][0] != _CHUNK_JSON:
        found = _shown(chunks[0][0]) if chunks else "nothing"
        raise FileProblem(path, "a JSON chunk first", found)
    blob = next((content for kind, content in chunks[1:] if kind == _CHUNK_BIN), None)
    return chunks[0][1], blob


def _parsed_json(path: Path, text: bytes) -> Facts:
    try:
        root: Json = json.loads(text.decode("utf-8-sig"), parse_constant=_refuse_constant)
    except UnicodeDecodeError as problem:
        found = f"byte {problem.start} is not"
        raise FileProblem(path, "JSON text in UTF-8", found) from None
    except json.JSONDecodeError as problem:
        found = f"{problem.msg} (column {problem.colno})"
        raise FileProblem(path, "JSON", found, line=problem.lineno) from None
    except (ValueError, RecursionError) as problem:
        found = "nesting too deep" if isinstance(problem, RecursionError) else str(problem)
        raise FileProblem(path, "JSON", found) from None
    if not isinstance(root, dict):
        raise FileProblem(path, "a JSON object", type(root).__name__)
    return root


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number")


def _buffer(document: Document, buffer: Facts, number: int, blob: bytes | None) -> bytes:
    where = f"buffer {number}"
    length = document.size(buffer, "byteLength", where)
    uri = buffer.get("uri")
    if uri is None:
        if blob is None:
            raise document.problem(f"a binary chunk for {where}", "none")
        data = blob
    elif not isinstance(uri, str):
        raise document.problem(f"text as 'uri' of {where}", _shown(uri))
    elif uri.startswith("data:"):
        data = _embedded(document, uri, where)
    else:
        data = _beside(document, uri, where)
    if len(data) < length:
        raise document.problem(f"{length} bytes in {where}", f"{len(data)}")
    return data[:length]


def _embedded(document: Document, uri: str, where: str) -> bytes:
    head, comma, body = uri.partition(",")
    if not comma or not head.endswith(";base64"):
        raise document.problem(f"base64 data in {where}", _shown(uri[:40]))
    try:
        return base64.b64decode(body, validate=True)
    except (binascii.Error, ValueError) as problem:
        raise document.problem(f"base64 data in {where}", str(problem)) from None


def _beside(document: Document, uri: str, where: str) -> bytes:
    """A buffer in a file of its own."""
    name, file = _path_beside(document, uri, where)
    try:
        return read_bytes(file, max_bytes=MAX_BYTES)
    except FileProblem as problem:
        advice = "Keep the .bin file next to the .gltf file."
        found = problem.found or "none that can be read"
        raise document.problem(f"a file {_shown(name)} for {where}", found, advice) from problem


def _path_beside(document: Document, uri: str, where: str) -> tuple[str, Path]:
    """Name and path of a buffer's file, which must lie in or below the document's folder."""
    try:
        name = unquote_to_bytes(uri).decode("utf-8")
    except UnicodeError:
        raise document.problem(f"a file name in UTF-8 for {where}", _shown(uri)) from None
    windows, parts = PureWindowsPath(name), PurePosixPath(name.replace("\\", "/")).parts
    if windows.drive or windows.root or ":" in name or ".." in parts or not parts:
        wanted = f"{where} in a file beside the document"
        raise document.problem(wanted, _shown(uri), "Put the .bin file next to the .gltf file.")
    return name, document.path.parent.joinpath(*parts)


def _shown(value: object) -> str:
    """A value in few words; a hostile one may be megabytes long."""
    if value is None:
        return "nothing"
    if isinstance(value, dict | list):
        return f"a JSON {'object' if isinstance(value, dict) else 'list'}"
    if type(value) is int and value.bit_length() > 64:
        return "a huge number"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
