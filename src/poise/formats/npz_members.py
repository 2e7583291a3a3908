"""Arrays out of a NumPy archive that nobody has reason to trust.

`numpy.load` allocates what a header declares before it looks whether the bytes are there, and may
unpickle. Here sizes are compared first, and only numbers and text are understood.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Mapping, Set
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

import numpy as np
from numpy.typing import NDArray

from poise.errors import FileProblem
from poise.formats.disk import read_bytes

MAX_BYTES = 2**30
"""Ten hours of a 30-joint figure at 30 Hz, or two and a half at 120 Hz."""

_EXPANSION = 64
"""Stored floats do not shrink much; an archive that claims to grow more than this is a bomb."""
_ALWAYS_ALLOWED_BYTES = 1 << 24

_KIND_WORDS = {"f": "real numbers", "i": "whole numbers", "U": "text"}


def read_members(
    path: Path, kinds: Mapping[str, str], *, optional: Set[str]
) -> dict[str, NDArray[Any]]:
    """The named arrays of an archive.

    Args:
        path: the archive.
        kinds: name to kind: "f" (float64), "i" (int64) or "U" (text).
        optional: names that may be absent.
    """
    data = read_bytes(path, max_bytes=MAX_BYTES)
    try:
        with ZipFile(BytesIO(data)) as archive:
            _check_entries(path, archive, len(data))
            present = set(archive.namelist())
            arrays: dict[str, NDArray[Any]] = {}
            for name, kind in kinds.items():
                if f"{name}.npy" in present:
                    content = archive.read(f"{name}.npy")
                    arrays[name] = _array(path, name, content, kind)
                elif name not in optional:
                    found = f"only {', '.join(sorted(present)[:20]) or 'nothing'}"
                    raise FileProblem(path, f"a member '{name}.npy'", found)
            return arrays
    except BadZipFile as problem:
        raise FileProblem(path, "a complete NumPy archive (.npz)", str(problem)) from None
    except (zlib.error, struct.error, EOFError, OSError, RuntimeError, ValueError) as problem:
        # What the zip reader lets through for damaged directories and members.
        raise FileProblem(path, "readable archive members", str(problem)) from None


def _check_entries(path: Path, archive: ZipFile, size: int) -> None:
    for entry in archive.infolist():
        if entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED) or entry.flag_bits & 1:
            raise FileProblem(path, "stored or deflated members", f"'{entry.filename}' is neither")
    declared = sum(entry.file_size for entry in archive.infolist())
    if declared > max(_ALWAYS_ALLOWED_BYTES, _EXPANSION * size):
        raise FileProblem(
            path,
            f"members of at most {_EXPANSION} times the file's {size} bytes",
            f"{declared} bytes declared",
        )


def _array(path: Path, name: str, content: bytes, kind: str) -> NDArray[Any]:
    what = f"member '{name}.npy' as a NumPy array of {_KIND_WORDS[kind]}"
    stream = BytesIO(content)
    try:
        version = np.lib.format.read_magic(stream)
        if version == (1, 0):
            shape, fortran, dtype = np.lib.format.read_array_header_1_0(stream)
        else:
            shape, fortran, dtype = np.lib.format.read_array_header_2_0(stream)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError, EOFError) as problem:
        reason = str(problem).splitlines()[0][:200] if str(problem) else type(problem).__name__
        raise FileProblem(path, what, reason) from None
    wanted_bytes = {"f": 8, "i": 8}.get(kind, dtype.itemsize)
    if dtype.kind != kind or dtype.itemsize != wanted_bytes or dtype.hasobject:
        raise FileProblem(path, what, f"type {dtype}")
    declared = math.prod(shape) * dtype.itemsize
    left = len(content) - stream.tell()
    if any(n < 0 for n in shape) or declared != left:
        found = f"shape {shape} ({declared} bytes) over {left} bytes"
        raise FileProblem(path, f"{what} whose shape fits its data", found)
    if left == 0:
        return np.zeros(shape, dtype=dtype)
    flat = np.frombuffer(content, dtype=dtype, offset=stream.tell())
    return flat.reshape(shape, order="F" if fortran else "C").astype(dtype.newbyteorder("="))
