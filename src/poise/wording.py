"""Words in texts: those that people read, and those of files that stand for numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

MAX_MAGNITUDE = 1e9
"""No length or angle in a file is larger; beyond it sums would overflow further on."""

NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
"""A plain decimal number."""

_SHOWN = 40


def shown(word: str) -> str:
    """A word for a message: quoted, cut short, without control characters."""
    if not word:
        return "the end of the file"
    cut = word if len(word) <= _SHOWN else word[: _SHOWN - 1] + "…"
    return "'" + "".join(c if c.isprintable() else "�" for c in cut) + "'"


def number_from(word: str) -> float | None:
    """A plain decimal number no larger than `MAX_MAGNITUDE`, or None if the word is not one."""
    if not NUMBER.fullmatch(word):
        return None
    value = float(word)
    return value if abs(value) <= MAX_MAGNITUDE else None


def counted(number: int, noun: str) -> str:
    """`1 frame`, `2 frames`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def frame_list(frames: Sequence[int], most: int | None = None) -> str:
    """`frame 7`, `frames 3, 10-14`: runs joined; beyond `most` runs, how many frames are left."""
    runs = [
        [frame for _, frame in run]
        for _, run in groupby(enumerate(sorted(frames)), key=lambda pair: pair[1] - pair[0])
    ]
    shown = runs if most is None else runs[:most]
    words = ", ".join(f"{r[0]}-{r[-1]}" if len(r) > 1 else str(r[0]) for r in shown)
    left = sum(len(run) for run in runs[len(shown) :])
    more = f" and {left} more" if left else ""
    return f"frame{'' if len(frames) == 1 else 's'} {words}{more}"
