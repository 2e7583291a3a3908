"""Ranges of frames as users type them."""

from __future__ import annotations

import re

from poise.errors import BadValue


def frame_range(text: str | None) -> tuple[int | None, int | None]:
    """`120:480`, `:300`, `-60:` as the ends of a slice; None means all."""
    if text is None:
        return None, None
    match = re.fullmatch(r"\s*(-?\d+)?\s*:\s*(-?\d+)?\s*", text)
    if match is None:
        raise BadValue("--frames", "START:STOP, for example 120:480 or :300", text)
    start, stop = match.groups()
    return (int(start) if start else None, int(stop) if stop else None)
