"""A file of records that is only ever appended to; what was written can always be read again.

A record is a line of JSON, its head, and the content that the head announces:

    {"edit": "raise hand", "bytes": 1234, "crc": 987654321}
    {"poise": 1, "clip": ...

A record that is not whole at the end of the file is one that a process was ended in: nobody was
told of it, and it is left out. Damage anywhere else is a problem.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import stat
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from poise.errors import BadValue, FileProblem
from poise.formats import check_readable, os_problem

MOST_CONTENT_BYTES = 32 * 2**20
"""Of one record. A message of a page has 4 MB at most, which are at most 24 MB of escaped JSON."""

_LONGEST_HEAD_BYTES = 2**20
_PIECE = 2**20


@dataclass(frozen=True)
class Record:
    """Where one is."""

    head: Mapping[str, object]
    at: int
    """Of its content."""
    size: int
    """Of its content, in bytes."""
    checksum: int


class Log:
    """The file and what is known of it."""

    def __init__(self, path: Path) -> None:
        """Nothing is read or written yet."""
        self.path = path
        self.end = 0
        """Behind the last whole record."""
        self.torn = 0
        """How many bytes behind it are no record."""

    def read(self) -> list[Record]:
        """All heads.

        Raises:
            FileProblem: there is no file, or damage that is not at its end.
        """
        check_readable(self.path)
        found: list[Record] = []
        try:
            if not stat.S_ISREG(self.path.stat().st_mode):
                raise _damaged(self.path, 0, "something that is no file")
            with self.path.open("rb") as file:
                size = os.fstat(file.fileno()).st_size
                self.end = 0
                while self.end < size and (record := self._next(file, size)) is not None:
                    found.append(record)
                    self.end = file.tell()
        except (OSError, ValueError) as refused:
            raise os_problem(self.path, refused, "read") from None
        self.torn = size - self.end
        return found

    def _next(self, file: BinaryIO, size: int) -> Record | None:
        """The record that begins here; None for one that is not whole and the last."""
        line = file.readline(_LONGEST_HEAD_BYTES)
        if not line.endswith(b"\n"):
            if file.tell() < size:
                raise _damaged(self.path, self.end, "a line without an end")
            return None
        try:
            head = cast("dict[str, object]", json.loads(line))
            length, checksum = head.get("bytes", 0), head.get("crc", 0)
        except (ValueError, AttributeError, RecursionError):
            raise _damaged(self.path, self.end, "a line that is no head") from None
        if not isinstance(length, int) or not isinstance(checksum, int):
            raise _damaged(self.path, self.end, "no size")
        if not 0 <= length <= MOST_CONTENT_BYTES:
            raise _damaged(self.path, self.end, f"a size of {length}"[:50])
        record = Record(head, file.tell(), length, checksum)
        if length == 0:
            return record
        behind = record.at + length + 1
        if behind > size:
            return None
        if behind == size and zlib.crc32(file.read(length)) != checksum:
            return None
        file.seek(behind)
        return record

    def content(self, record: Record) -> bytes:
        """What a record holds.

        Raises:
            FileProblem: it is not what was written.
        """
        check_readable(self.path)
        try:
            with self.path.open("rb") as file:
                file.seek(record.at)
                data = file.read(record.size)
        except OSError as refused:
            raise os_problem(self.path, refused, "read") from None
        if zlib.crc32(data) != record.checksum:
            raise _damaged(self.path, record.at, "content that was not written so")
        return data

    def append(self, head: Mapping[str, object], content: bytes = b"") -> Record:
        """One more record, on the disk when this returns; what was torn before it goes.

        Raises:
            BadValue: too much for one record.
            FileProblem: what the system refuses; the file is as it was.
        """
        data, record = _packed(head, content, self.end)
        try:
            with self.path.open("r+b", buffering=0) as file:
                file.truncate(self.end)
                file.seek(self.end)
                try:
                    left = memoryview(data)
                    while left:
                        left = left[file.write(left) :]
                    os.fsync(file.fileno())
                except OSError:
                    with contextlib.suppress(OSError):  # the next one cuts it off
                        file.truncate(self.end)
                    raise
        except OSError as refused:
            raise os_problem(self.path, refused, "write") from None
        self.end += len(data)
        self.torn = 0
        return record

    def begin(self, records: Iterable[tuple[Mapping[str, object], bytes]]) -> list[Record]:
        """Put a new file in place of the old one, whole or not at all; old contents may be read.

        Raises:
            BadValue: too much for one record.
            FileProblem: what the system refuses; the file is as it was.
        """
        temporary = self.path.with_name(f".{self.path.name}.{secrets.token_hex(8)}.tmp")
        found: list[Record] = []
        end = 0
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with temporary.open("xb") as file:
                for head, content in records:
                    data, record = _packed(head, content, end)
                    file.write(data)
                    found.append(record)
                    end += len(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, self.path)
        except OSError as refused:
            raise os_problem(self.path, refused, "write") from None
        finally:
            with contextlib.suppress(OSError):
                temporary.unlink()
        self.end, self.torn = end, 0
        return found


def _packed(head: Mapping[str, object], content: bytes, at: int) -> tuple[bytes, Record]:
    if len(content) > MOST_CONTENT_BYTES:
        most = MOST_CONTENT_BYTES // 2**20
        raise BadValue("edit", f"at most {most} MiB", f"{len(content) / 2**20:.0f} MiB")
    checksum = zlib.crc32(content) if content else 0
    sized = {**head, "bytes": len(content), "crc": checksum} if content else dict(head)
    line = json.dumps(sized).encode() + b"\n"
    if len(line) >= _LONGEST_HEAD_BYTES:
        raise BadValue("label", "a few words", f"{len(line)} bytes")
    data = line + content + b"\n" if content else line
    return data, Record(sized, at + len(line), len(content), checksum)


def _damaged(path: Path, at: int, found: str) -> FileProblem:
    return FileProblem(path.name, "a document of the studio", f"{found} at byte {at}")
