"""The beginning of a file, by which formats with the same extension are told apart."""

from __future__ import annotations

import re
import struct
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from poise.formats.disk import opened

_HEAD_BYTES = 1 << 16
_MOST_ARCHIVE = 2**30
"""As large as any archive that is read."""


@dataclass(frozen=True)
class FileStart:
    """A file before it is read: its path and how it begins."""

    path: Path

    @cached_property
    def head(self) -> bytes:
        """The first 64 KiB."""
        with opened(self.path, max_bytes=sys.maxsize) as file:
            return file.read(_HEAD_BYTES)

    @cached_property
    def text(self) -> str:
        """The same as text, without a mark of the byte order; what is not UTF-8 is replaced."""
        if self.head.startswith((b"\xff\xfe", b"\xfe\xff")):
            return self.head.decode("utf-16", errors="replace")
        return self.head.decode("utf-8-sig", errors="replace")

    @cached_property
    def members(self) -> tuple[str, ...]:
        """Names of the arrays in a NumPy archive (.npz), or of the files in another zip archive.

        Empty for a file that is none.
        """
        if not self.head.startswith(b"PK"):
            return ()
        # Only its directory is read, which stands at the end.
        with opened(self.path, max_bytes=_MOST_ARCHIVE) as file:
            try:
                names = ZipFile(file).namelist()
            except (BadZipFile, struct.error, EOFError, OSError, RuntimeError, ValueError):
                return ()
        return tuple(name.removesuffix(".npy") for name in names)

    def has_line(self, *words: str) -> bool:
        """Whether a line begins with one of some words, in upper or lower case."""
        first = (line.split(maxsplit=1) for line in self.text.lower().splitlines())
        return any(line and line[0] in words for line in first)


def looks_like_json(start: FileStart) -> bool:
    """Whether a file begins as a JSON object does."""
    return start.text.lstrip().startswith("{")


_BEFORE_ROOT = re.compile(r"\s*(?:<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*>|\s+)*", re.DOTALL)
_TAG = re.compile(r"<([\w:.-]+)")


def root_tag(start: FileStart) -> str:
    """The name of the first element of an XML file; empty where there is none."""
    before = _BEFORE_ROOT.match(start.text)
    tag = _TAG.match(start.text, before.end() if before else 0)
    return tag.group(1) if tag else ""
