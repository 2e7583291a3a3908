"""The same complaint about many clips, said once.

Reasons differ in names and numbers: line 12 of one file, line 80 of another. Two are the same when
they agree in all other words. What is the same in all clips of a group is shown; where they differ
stands an ellipsis.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

_LONGEST = 400
"""Letters of a reason that count."""
_SHORTEST_NAME = 3
"""Shorter names stand in other words by chance."""
_CLIP = "\ue000"
"""Stands for the clip's own name."""
_PIECE = re.compile(
    rf"""[^\s'"]*{_CLIP}[^\s'",;]*"""  # the clip, wherever it lies, and its line
    r"""|(?<!\w)'[^']*'(?!\w)|(?<!\w)"[^"]*"(?!\w)|‘[^’]*’|“[^”]*”"""
    r"""|(?<![\w.])(?:[A-Za-z]:)?[\\/][^\s'",;]+|[^\s'",;\\/]+[\\/][^\s'",;]*\.\w+"""
    r"""|0x[0-9a-fA-F]+|\b(?=[a-f]*\d)[0-9a-f]{12,}\b"""
    r"""|[-−+]?\d+(?:[.,]\d+)*(?:[eE][-+]?\d+)?"""
)
"""What may differ: the clip's name, quoted names, paths, addresses and sums, numbers."""


@dataclass(frozen=True)
class Cause:
    """Clips with the same reason."""

    status: str
    words: str
    clips: tuple[int, ...]
    """Their places in the library."""
    is_one: bool
    """Whether all of them say the very same."""


class Grouping:
    """Reasons that come one by one."""

    def __init__(self) -> None:
        self._groups: dict[tuple[str, tuple[str, ...]], _Group] = {}

    def add(self, place: int, status: str, reason: str, clip: str) -> None:
        """A clip and what is said of it."""
        text = _without_clip(reason[:_LONGEST].strip(), clip)
        fixed, pieces = tuple(_PIECE.split(text)), _PIECE.findall(text)
        group = self._groups.setdefault((status, fixed), _Group(list(pieces), []))
        # A clip may say the same twice.
        if not group.clips or group.clips[-1] != place:
            group.clips.append(place)
        if group.pieces != pieces:
            group.pieces = [
                known if known == new else None
                for known, new in zip(group.pieces, pieces, strict=True)
            ]

    def causes(self, places: Sequence[int] | None = None) -> tuple[Cause, ...]:
        """All groups, the largest first; `places` says where each clip has moved since."""
        found: list[Cause] = []
        for (status, fixed), group in self._groups.items():
            shown = ["…" if p is None or _CLIP in p else p for p in group.pieces]
            words = "".join(a + b for a, b in zip(fixed, [*shown, ""], strict=True))
            clips = group.clips if places is None else sorted(places[c] for c in group.clips)
            found.append(
                Cause(status, words or "no reason given", tuple(clips), None not in group.pieces)
            )
        return tuple(sorted(found, key=lambda c: (-len(c.clips), c.status, c.words)))


@dataclass
class _Group:
    """Clips, and the pieces that all of them share."""

    pieces: list[str | None]
    clips: list[int]


def _without_clip(text: str, clip: str) -> str:
    path = PurePosixPath(clip.replace("\\", "/"))
    for name in (clip, path.as_posix(), path.name):
        if len(name) >= _SHORTEST_NAME:
            text = text.replace(name, _CLIP)
    if len(path.stem) >= _SHORTEST_NAME and path.stem in text:
        text = re.sub(rf"(?<!\w){re.escape(path.stem)}(?!\w)", _CLIP, text)
    return text
