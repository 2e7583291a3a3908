"""A clip of a library, as a batch speaks of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from poise.job import Change


def stem_of(name: str) -> str:
    """What a clip is called without its extension."""
    return name.removesuffix(PurePosixPath(name).suffix)


@dataclass(frozen=True)
class Entry:
    """A clip of the library."""

    name: str
    """Its path below the folder, with slashes: what the results call it. One of several animations
    in a file stands before the extension: `fox.run.glb`."""
    path: Path
    changes: tuple[str | Change, ...] = ()
    """Values of the recipe that are others for this clip."""
    animation: str | int | None = None
    """Which of several animations in the file, where somebody has said so."""

    @property
    def size(self) -> int:
        """Bytes; 0 when it is not there."""
        try:
            return self.path.stat().st_size
        except (OSError, ValueError):  # a name that no file can have
            return 0


@dataclass(frozen=True)
class LeftAlone:
    """A file, or one animation of it, of which nothing is made."""

    name: str
    """As an entry would be called."""
    reason: str
