"""Arrays out of a NumPy archive that nobody has reason to trust.

`numpy.load` allocates what a header declares before it looks whether the bytes are there, and may
unpickle. Here sizes are compared first, and only numbers and text are understood.
"""

from __future__ import annotations

import ast
import math
import re
import struct
import sys
import zlib
from collections.abc import Mapping, Set
from io import BytesIO
from pathlib import Path
from typing import Any, cast
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

_MAX_HEADER_BYTES = 10_000
_PLAIN_TYPE = re.compile(r"[<>=|]?(?:[fiuc](?:1|2|4|8|16)|U\d{1,8})")

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
                    arrays[name] = _array(path, name, _content(archive, f"{name}.npy"), kind)
                elif name not in optional:
                    found = f"only {', '.join(sorted(present)[:20]) or 'nothing'}"
                    raise FileProblem(path, f"a member '{name}.npy'", found)
            return arrays
    except BadZipFile as problem:
        raise FileProblem(path, "a complete NumPy archive (.npz)", str(problem)) from None
    except (zlib.error, struct.error, EOFError, OSError, RuntimeError, ValueError) as problem:
        # What the zip reader lets through for damaged directories and members.
        raise FileProblem(path, "readable archive members", str(problem)) from None


def _content(archive: ZipFile, name: str) -> bytes:
    """A member's bytes, and no more of them than its entry declares (`read` would unfold all)."""
    with archive.open(name) as member:
        return member.read(archive.getinfo(name).file_size)


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
    dtype, fortran, shape, start = _header(path, what, content)
    wanted_bytes = {"f": 8, "i": 8}.get(kind, dtype.itemsize)
    if dtype.kind != kind or dtype.itemsize != wanted_bytes or dtype.hasobject:
        raise FileProblem(path, what, f"type {dtype}")
    declared = math.prod(shape) * dtype.itemsize
    left = len(content) - start
    if any(n < 0 for n in shape) or declared != left:
        found = f"shape {shape} ({declared} bytes) over {left} bytes"
        raise FileProblem(path, f"{what} whose shape fits its data", found)
    if left == 0:
        return np.zeros(shape, dtype=dtype)
    flat = np.frombuffer(content, dtype=dtype, offset=start)
    if kind == "U" and (flat.view(f"{dtype.byteorder}u4") > sys.maxunicode).any():
        raise FileProblem(path, what, "numbers that are no characters")
    return flat.reshape(shape, order="F" if fortran else "C").astype(dtype.newbyteorder("="))


def _header(
    path: Path, what: str, content: bytes
) -> tuple[np.dtype[Any], bool, tuple[int, ...], int]:
    """What an array says about itself: type, order, shape, and where its numbers start.

    NumPy's own reader of headers repairs those of Python 2 with a tokenizer, warns on the way, and
    fails in ways it does not list.
    """
    if content[:6] != np.lib.format.MAGIC_PREFIX or content[6:7] not in (b"\1", b"\2", b"\3"):
        raise FileProblem(path, what, "no array header")
    size_bytes = 2 if content[6] == 1 else 4
    start = 8 + size_bytes
    size = int.from_bytes(content[8:start], "little")
    if size > _MAX_HEADER_BYTES or start + size > len(content):
        raise FileProblem(path, what, f"a header of {size} bytes")
    try:
        facts = ast.literal_eval(content[start : start + size].decode("latin-1").strip())
        descr, fortran, shape = facts["descr"], facts["fortran_order"], facts["shape"]
    except (ValueError, SyntaxError, TypeError, KeyError, RecursionError, MemoryError):
        raise FileProblem(path, what, "an array header that cannot be read") from None
    whole = isinstance(shape, tuple) and all(type(n) is int for n in cast(tuple[Any, ...], shape))
    known = isinstance(descr, str) and _PLAIN_TYPE.fullmatch(descr) is not None
    if not known or not whole or type(fortran) is not bool:
        raise FileProblem(path, what, f"type {str(descr)[:60]}")
    return np.dtype(cast(str, descr)), fortran, cast(tuple[int, ...], shape), start + size
