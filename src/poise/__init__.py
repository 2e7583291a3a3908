"""Poise edits captured motion so that it does what you ask and still obeys body and ground.

    import poise

    clip = poise.load("walk.bvh")
    poise.save(clip, "walk.glb")

Everything else is imported from its package: `from poise.motion import Clip`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from poise.motion import Clip

__version__ = "0.1.0"


def load(path: str | Path, **options: Any) -> Clip:
    """Read a clip; see `poise.formats.load_clip` for the options."""
    from poise.formats import load_clip

    return load_clip(path, **options)


def save(clip: Clip, path: str | Path, **options: Any) -> tuple[str, ...]:
    """Write a clip in the format of the extension; see `poise.formats.save_clip`."""
    from poise.formats import save_clip

    return save_clip(clip, path, **options)
