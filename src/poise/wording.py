"""Small words that every text for people needs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby


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
