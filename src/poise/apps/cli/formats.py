"""`poise formats`: what can be read and written."""

from __future__ import annotations


def formats() -> None:
    """List the file formats Poise reads and writes."""
    from rich.console import Console
    from rich.table import Table

    from poise.formats import FORMATS

    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("extension", "clips", "characters", "what it is"):
        table.add_column(title)
    for entry in FORMATS:
        reads = bool(entry.read_motion or entry.read_clip)
        clips = " ".join(w for w, can in (("read", reads), ("write", entry.write_clip)) if can)
        table.add_row(
            " ".join(entry.extensions),
            clips or "-",
            "read" if entry.read_character else "-",
            entry.about,
        )
    Console().print(table)
