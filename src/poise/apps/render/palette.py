"""The colours and letters of every picture: apart for all kinds of sight, on a light ground."""

from __future__ import annotations

from functools import cache
from typing import Literal

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from poise.arrays import Array

Color = tuple[int, int, int]

# The hues are Okabe and Ito's, which people with any common colour blindness can tell apart.
BLUE: Color = (0, 114, 178)
ORANGE: Color = (230, 159, 0)
VERMILION: Color = (213, 94, 0)
GREEN: Color = (0, 158, 115)
SKY: Color = (86, 180, 233)
PURPLE: Color = (204, 121, 167)

INK: Color = (38, 42, 48)
FAINT_INK: Color = (105, 112, 122)
PAPER: Color = (250, 250, 248)
FLOOR: Color = (229, 230, 231)
GRID: Color = (196, 199, 204)

BODY: Color = (160, 179, 203)
"""Trunk, head and whatever has no side."""
BODY_LEFT: Color = (82, 137, 196)
BODY_RIGHT: Color = (203, 212, 224)
"""The sides differ in lightness, so that crossing legs can be told apart."""
GHOST: Color = (236, 150, 48)
"""The original beside its edit."""
PART: Color = (205, 192, 170)
"""Chairs, stairs and other parts of a place."""

ZERO_MOMENT, SUPPORT, TOUCH = VERMILION, SKY, GREEN


def linear(color: Color) -> Array:
    """(3,) light per channel from 0 to 1, in which colours may be added and averaged."""
    share = np.array(color, dtype=np.float64) / 255.0
    return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)


def encoded(light: Array) -> Array:
    """What screens expect (sRGB, 0 to 1) from light."""
    light = np.clip(light, 0.0, 1.0)
    return np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)


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
    stroke = max(1, round(size_px / 8)) if halo else 0
    draw.text(place, text, color, font(size_px), anchor, stroke_width=stroke, stroke_fill=PAPER)


_SHARES = (1.0, 0.75, 0.5, 0.25)
_ACCENTS = (TOUCH, ZERO_MOMENT, SUPPORT, BLUE, INK, GHOST)


def color_table(picture: Image.Image, colors: int) -> Image.Image:
    """A palette for pictures like this one: its own colours, then those of marks.

    Marks are small, so a palette drawn from a whole picture has no room for their colours.
    """
    own = picture.quantize(colors, method=Image.Quantize.MEDIANCUT)
    listed = list(own.getpalette() or ())[: 3 * colors]
    for accent in _ACCENTS:
        for share in _SHARES:
            pairs = zip(accent, FLOOR, strict=True)
            listed += [round(share * a + (1.0 - share) * b) for a, b in pairs]
    table = Image.new("P", (1, 1))
    table.putpalette(listed[: 3 * 256])
    return table


def with_few_colors(picture: Image.Image, colors: int = 230) -> Image.Image:
    """The picture in at most 256 colours."""
    return picture.quantize(palette=color_table(picture, colors), dither=Image.Dither.NONE)
