"""Files that come from a page: under names that disks take, beside the document they are for."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from poise.errors import BadValue, FileProblem
from poise.formats import os_problem

_LONGEST_BYTES = 200
_FIRST_PRINTED = 32
_PORTS = (f"{each}{number}" for each in ("COM", "LPT") for number in range(10))
_RESERVED = {"CON", "PRN", "AUX", "NUL", *_PORTS}
"""Names of devices on Windows, whatever comes after the dot."""


@dataclass(frozen=True)
class Upload:
    """A file as the page sends it."""

    name: str
    data: bytes | memoryview


def split(names: list[str], sizes: list[int], whole: bytes | bytearray) -> list[Upload]:
    """The files of one request, which come one after the other.

    Raises:
        BadValue: sizes that do not add up.
    """
    data = memoryview(whole)  # a quarter of a gigabyte is not copied
    if len(names) == 1 and not sizes:
        sizes = [len(data)]
    if not names or len(sizes) != len(names) or sum(sizes) != len(data) or min(sizes) < 0:
        raise BadValue("bytes", f"one for each of {len(names)} files, {len(data)} in all", sizes)
    found: list[Upload] = []
    at = 0
    for name, size in zip(names, sizes, strict=True):
        found.append(Upload(name, data[at : at + size]))
        at += size
    return found


def bare_name(name: str, known: Collection[str], what: str) -> str:
    """The last part of a name, if it is that of a file we know what to do with.

    Raises:
        FileProblem: it is not.
    """
    bare = Path(name.replace("\\", "/")).name
    odd = any(ord(each) < _FIRST_PRINTED for each in bare)
    long = len(bare.encode("utf-8", "replace")) > _LONGEST_BYTES
    if odd or long or bare.split(".")[0].upper() in _RESERVED:
        raise FileProblem("the file", "a name that every disk takes", "a line break" if odd else
                          f"{len(bare)} letters" if long else bare)  # fmt: skip
    if not bare or bare.startswith(".") or Path(bare).suffix.lower() not in known:
        raise FileProblem(name, f"{what} ({', '.join(sorted(known))})", "another file")
    return bare


def new_folder(below: Path) -> Path:
    """Where files go that must not be mixed with what was there before.

    Raises:
        FileProblem: what the system refuses.
    """
    for number in count(1):
        path = below / f"files-{number}"
        try:
            path.mkdir(parents=True)
            return path
        except FileExistsError:
            continue
        except OSError as refused:
            raise os_problem(path, refused, "write") from None
    raise AssertionError


def check_apart(names: list[str]) -> None:
    """Nothing, if all names are those of different files on any disk.

    Raises:
        FileProblem: two are the same.
    """
    if len({name.casefold() for name in names}) < len(names):
        raise FileProblem("the files", "each of its own name", ", ".join(sorted(names)))


def put_file(path: Path, data: bytes | memoryview) -> None:
    """Write a file, and the folder that it lies in.

    Raises:
        FileProblem: what the system refuses.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    except (OSError, ValueError) as refused:
        raise os_problem(path, refused, "write") from None
