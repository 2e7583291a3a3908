"""Words on pictures, in the face that comes with Pillow: the same on every machine."""

from __future__ import annotations

from functools import cache
from typing import Literal

from PIL import ImageDraw, ImageFont

from poise.apps.render.palette import INK, PAPER, Color


@cache
def font(size_px: float) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """The face in a size."""
    return ImageFont.load_default(size_px)


def text_width(text: str, size_px: float) -> float:
    """How wide a line of text comes out."""
    return float(font(size_px).getlength(text))


def write(
    draw: ImageDraw.ImageDraw,
    place: tuple[float, float],
    text: str,
    size_px: float,
    *,
    color: Color = INK,
    align: Literal["left", "middle", "right"] = "left",
    halo: bool = False,
) -> None:
    """One line whose left end, middle or right end is at `place`, centred in height."""
    anchor = {"left": "lm", "middle": "mm", "right": "rm"}[align]
    draw.text(
        place,
        text,
        fill=color,
        font=font(size_px),
        anchor=anchor,
        stroke_width=max(1, round(size_px / 8)) if halo else 0,
        stroke_fill=PAPER,
    )
