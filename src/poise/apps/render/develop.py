"""From fine linear light to the pixels of a picture."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from poise.apps.render import palette
from poise.apps.render.raster import Floats
from poise.compiled import compiled

Bytes = NDArray[np.uint8]

_STEPS = 4096
ENCODED: Bytes = np.round(255.0 * palette.encoded(np.linspace(0.0, 1.0, _STEPS + 1) ** 2)).astype(
    np.uint8
)
"""Screen values by the root of light, which spends the steps where the eye sees them."""
LINEAR: Floats = np.array([palette.linear((v, v, v))[0] for v in range(256)], dtype=np.float32)
"""Light by screen values."""


@compiled
def lay_over(layer: Bytes, linear: Floats, picture: Floats) -> None:
    """Put a layer of screen colours with opacity (H, W, 4) over linear light (H, W, 3)."""
    height, width, _ = picture.shape
    for row in range(height):
        for column in range(width):
            opacity = layer[row, column, 3]
            if opacity == 0:
                continue
            share = opacity / np.float32(255.0)
            for c in range(3):
                light = linear[layer[row, column, c]]
                picture[row, column, c] += share * (light - picture[row, column, c])


@compiled
def develop(fine: Floats, samples: int, encoded: Bytes, pixels: Bytes) -> None:
    """Average `samples`² rays a pixel and encode for screens."""
    height, width, _ = pixels.shape
    steps = len(encoded) - 1
    share = 1.0 / (samples * samples)
    for row in range(height):
        for column in range(width):
            for c in range(3):
                light = 0.0
                for i in range(samples):
                    for j in range(samples):
                        light += fine[row * samples + i, column * samples + j, c]
                light = min(max(light * share, 0.0), 1.0)
                pixels[row, column, c] = encoded[int(np.sqrt(light) * steps + 0.5)]
