"""A character from a file that holds only a skeleton, or is read as if it did."""

from __future__ import annotations

from pathlib import Path

from poise.character import Character
from poise.formats.parsed import Parsed, clip_from


def character_from(parsed: Parsed, path: Path, format_name: str) -> Character:
    """The skeleton in metres and Y up, with notes on how its unit and up axis were decided."""
    clip = clip_from(parsed, path, format_name)
    notes = parsed.notes
    if clip.source is not None:
        unit = clip.source.unit
        notes = (*notes, f"unit {unit.name}: {unit.reason}", f"up axis: {clip.source.up_reason}")
    return Character(skeleton=clip.skeleton, name=path.stem, notes=notes)
