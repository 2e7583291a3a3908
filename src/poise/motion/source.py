"""Where a clip came from, kept so that it can go back there unchanged."""

from __future__ import annotations

from dataclasses import dataclass

from poise.arrays import Array
from poise.units import Unit


@dataclass(frozen=True, eq=False)
class Source:
    """The file behind a clip: its unit and axes, its layout, and the numbers as they stood."""

    format: str
    """Name of the format in `formats.table.FORMATS`."""
    path: str
    sha256: str
    unit: Unit
    up: str
    """The file's own up axis, "y" or "z"."""
    up_reason: str
    layout: object = None
    """What the format's writer needs to write the same layout again; only that writer looks in."""
    channels: Array | None = None
    """(F, channels) the file's own numbers, frame by frame; a writer puts these back wherever the
    clip still says the same, so that untouched values survive to the last digit."""
    notes: tuple[str, ...] = ()
    """What the reader has to say about the file."""
