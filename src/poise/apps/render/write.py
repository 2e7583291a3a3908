"""Pictures into files; the extension decides what is drawn."""

from __future__ import annotations

import io
from pathlib import Path

from PIL import Image

from poise.apps.render.animation import FPS, as_gif, as_mp4, draw_frames
from poise.apps.render.staging import Stage
from poise.apps.render.strip import draw_strip
from poise.errors import BadValue, FileProblem
from poise.formats import atomic_write

STILL, MOVING = (".png",), (".gif", ".mp4")
LARGEST_PX = 8192
MOST_PICTURES = 3000
"""A GIF holds all its pictures in memory; two minutes are enough for anyone to look at."""


def check_picture_path(path: Path) -> None:
    """Raise unless the extension is one of a picture."""
    known = (*STILL, *MOVING)
    if path.suffix.lower() not in known:
        raise FileProblem(
            path, f"a picture ({', '.join(known)})", f"'{path.suffix}'" if path.suffix else "none"
        )


def write_picture(
    path: Path,
    stage: Stage,
    *,
    view: str | None = None,
    size: tuple[int, int] | None = None,
    figures: int | None = None,
    title: str = "",
    fps: float = FPS,
) -> str:
    """Draw and write; returns what was written, in words."""
    check_picture_path(path)
    if size is not None and not all(64 <= side <= LARGEST_PX for side in size):
        raise BadValue("size", f"from 64 to {LARGEST_PX} pixels each way", f"{size[0]}x{size[1]}")
    suffix = path.suffix.lower()
    if suffix in STILL:
        picture = draw_strip(stage, view=view or "side", size=size, figures=figures, title=title)
        atomic_write(path, as_png(picture))
        return f"{picture.width}x{picture.height} pixels"
    if not 1.0 <= fps <= 60.0:
        raise BadValue("fps", "from 1 to 60", fps)
    count = int(stage.figure.clip.duration_s * fps) + 1
    if count > MOST_PICTURES:
        raise BadValue("frames", f"at most {MOST_PICTURES} pictures; choose fewer frames", count)
    frames = draw_frames(stage, view=view or "three-quarter", size=size, title=title, fps=fps)
    atomic_write(path, as_gif(frames, fps) if suffix == ".gif" else as_mp4(frames, fps))
    return f"{count} pictures at {fps:g} a second"


def as_png(picture: Image.Image) -> bytes:
    """The bytes of a PNG file."""
    out = io.BytesIO()
    picture.save(out, "PNG", optimize=True)
    return out.getvalue()
