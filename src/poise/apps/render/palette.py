"""The colours of every picture: apart for all kinds of sight, on a light ground."""

from __future__ import annotations

import numpy as np

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

CENTER_OF_MASS, ZERO_MOMENT, SUPPORT, TOUCH = INK, VERMILION, SKY, GREEN


def linear(color: Color) -> Array:
    """(3,) light per channel from 0 to 1, in which colours may be added and averaged."""
    share = np.array(color, dtype=np.float64) / 255.0
    return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)


def encoded(light: Array) -> Array:
    """What screens expect (sRGB, 0 to 1) from light."""
    light = np.clip(light, 0.0, 1.0)
    return np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
