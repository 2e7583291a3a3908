"""Files that a robot names: which it may, and where they are."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from poise.errors import FileProblem
from poise.formats.disk import check_readable, read_bytes
from poise.formats.robot_xml import Element
from poise.formats.text import shown

_LONGEST_NAME = 1000
_MAX_MESH_BYTES = 64 << 20
_ALLOWED = "the relative path of a file in the robot's folder, or below the one above it"


def named_file(element: Element, name: str, folders: Iterable[Path], top: Path) -> Path:
    """The file that an element names, in the first of some folders that has it.

    Args:
        element: for complaints.
        name: as it is written.
        folders: absolute.
        top: the robot's folder, absolute.

    Raises:
        FileProblem: a name that leads too far away, or (in servers) out of the project.
    """
    paths = [_allowed(element, name, folder, top) for folder in dict.fromkeys(folders)]
    return next((path for path in paths if path.exists()), paths[0])


def _allowed(element: Element, name: str, folder: Path, top: Path) -> Path:
    plain = name.replace("\\", "/")
    odd = re.search(r"[\x00-\x1f:]", plain) or len(plain) > _LONGEST_NAME
    if odd or not plain or plain.startswith("/"):
        raise element.problem(_ALLOWED, shown(name) if name else "none")
    # By its letters: `a/..` is here even if `a` is a link, and that is the path we open.
    path = Path(os.path.abspath(folder / plain))
    if not path.is_relative_to(top.parent):
        raise element.problem(_ALLOWED, shown(name))
    check_readable(path)
    return path


@dataclass(frozen=True)
class Mesh:
    """A mesh file that a robot names; nothing is looked at unless a mass depends on it."""

    element: Element
    names: tuple[str, ...]
    """Where it may be, from the folder of its model."""
    folder: Path
    """Of its model, absolute."""
    top: Path
    """Of the robot, absolute."""

    @property
    def is_absent(self) -> bool:
        """Whether it may be read, but is not there; what may not is refused when it is read."""
        try:
            return not self._path().exists()
        except FileProblem:
            return False

    @property
    def size_bytes(self) -> int:
        """Of its file; zero where there is none that may be read."""
        try:
            return self._path().stat().st_size
        except (FileProblem, OSError):
            return 0

    def read(self) -> bytes:
        """Its content.

        Raises:
            FileProblem: a file that a robot may not name, or that cannot be read.
        """
        advice = "Simplify the mesh, or state masses by <inertial>."
        return read_bytes(self._path(), max_bytes=_MAX_MESH_BYTES, advice=advice)

    def _path(self) -> Path:
        paths = [named_file(self.element, each, (self.folder,), self.top) for each in self.names]
        return next((path for path in paths if path.exists()), paths[0])
