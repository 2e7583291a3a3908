"""Triangles into pixels: a depth buffer with normals and materials, then light.

Nearness (see `Camera.project`) is larger closer to the eye; an untouched pixel has −inf.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import poise.apps.render.palette as palette
from poise.arrays import Array, Indices
from poise.compiled import compiled

Floats = NDArray[np.float32]
Materials = NDArray[np.int16]
Bytes = NDArray[np.uint8]

_STEPS = 4096
_ROOTS = np.linspace(0.0, 1.0, _STEPS + 1)
ENCODED: Bytes = np.round(255.0 * palette.encoded(_ROOTS**2)).astype(np.uint8)
"""Screen values by the root of light, which spends the steps where the eye sees them."""
LINEAR: Floats = np.array([palette.linear((v, v, v))[0] for v in range(256)], dtype=np.float32)
"""Light by screen values."""


class Buffers(NamedTuple):
    """What each pixel sees first; a kernel fills it."""

    nearness: Floats
    """(H, W)"""
    normals: Floats
    """(H, W, 3) in the world."""
    materials: Materials
    """(H, W), −1 where nothing is."""


def empty_buffers(height: int, width: int) -> Buffers:
    """Buffers that have seen nothing yet."""
    return Buffers(
        np.full((height, width), -np.inf, dtype=np.float32),
        np.zeros((height, width, 3), dtype=np.float32),
        np.full((height, width), -1, dtype=np.int16),
    )


@compiled
def rasterize(
    seen: Array,
    normals: Array,
    triangles: Indices,
    materials: Materials,
    cull: bool,
    top: int,
    buffers: Buffers,
) -> None:
    """Draw triangles into buffers whose first row is row `top` of the picture.

    `seen` (V, 3) comes from `Camera.project`. With `cull`, triangles that face away are left out;
    without, what is given is drawn from both sides.
    """
    nearness, pixel_normals, pixel_materials = buffers
    height, width = nearness.shape
    for t in range(len(triangles)):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        ax, ay, az = seen[a, 0], seen[a, 1] - top, seen[a, 2]
        bx, by, bz = seen[b, 0], seen[b, 1] - top, seen[b, 2]
        cx, cy, cz = seen[c, 0], seen[c, 1] - top, seen[c, 2]
        low = max(0, int(np.ceil(min(ay, by, cy) - 0.5)))
        high = min(height - 1, int(np.floor(max(ay, by, cy) - 0.5)))
        first = max(0, int(np.ceil(min(ax, bx, cx) - 0.5)))
        last = min(width - 1, int(np.floor(max(ax, bx, cx) - 0.5)))
        if low > high or first > last:
            continue
        # The picture's y runs down, so a triangle that faces the eye has a negative area.
        area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
        if area == 0.0 or (cull and area > 0.0):
            continue
        share = 1.0 / area
        ub, uc = (cy - ay) * share, -(by - ay) * share
        vb, vc = -(cx - ax) * share, (bx - ax) * share
        for row in range(low, high + 1):
            y = row + 0.5 - ay
            for column in range(first, last + 1):
                x = column + 0.5 - ax
                wb = ub * x + vb * y
                wc = uc * x + vc * y
                wa = 1.0 - wb - wc
                if wa < 0.0 or wb < 0.0 or wc < 0.0:
                    continue
                near = np.float32(wa * az + wb * bz + wc * cz)
                if near <= nearness[row, column]:
                    continue
                nearness[row, column] = near
                pixel_materials[row, column] = materials[t]
                for axis in range(3):
                    pixel_normals[row, column, axis] = (
                        wa * normals[a, axis] + wb * normals[b, axis] + wc * normals[c, axis]
                    )


@compiled
def shade(buffers: Buffers, colors: Array, toward: Array, key: Array, picture: Floats) -> None:
    """Light what the buffers hold, in linear colours: sky, ground bounce, key light, a soft shine.

    Normals that point away from the eye are turned (open surfaces have no inside).
    """
    _, normals, materials = buffers
    height, width = materials.shape
    hx, hy, hz = key[0] + toward[0], key[1] + toward[1], key[2] + toward[2]
    half = 1.0 / np.sqrt(hx * hx + hy * hy + hz * hz)
    for row in range(height):
        for column in range(width):
            m = materials[row, column]
            if m < 0:
                continue
            normal = normals[row, column]
            nx, ny, nz = normal[0], normal[1], normal[2]
            size = np.sqrt(nx * nx + ny * ny + nz * nz)
            facing = nx * toward[0] + ny * toward[1] + nz * toward[2]
            size = (-1.0 if facing < 0.0 else 1.0) / max(size, 1e-12)
            nx, ny, nz = nx * size, ny * size, nz * size
            facing = min(abs(facing * size), 1.0)
            lit = max(0.0, (nx * key[0] + ny * key[1] + nz * key[2] + 0.22) / 1.22)
            sky = 0.5 + 0.5 * ny
            shine = max(0.0, (nx * hx + ny * hy + nz * hz) * half) ** 24
            rim = (1.0 - facing) ** 3
            light = 0.14 + 0.28 * sky + 0.80 * lit - 0.12 * rim
            for channel in range(3):
                picture[row, column, channel] = colors[m, channel] * light + 0.05 * shine * lit


@compiled
def outline(buffers: Buffers, step: float, picture: Floats) -> None:
    """Darken the rim of whatever stands in front of something further away by `step` or more."""
    nearness, _, materials = buffers
    height, width = nearness.shape
    for row in range(height):
        for column in range(width):
            if materials[row, column] < 0:
                continue
            here = nearness[row, column]
            jump = 0.0
            for down, right in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                r, c = row + down, column + right
                if 0 <= r < height and 0 <= c < width:
                    jump = max(jump, min((here - nearness[r, c]) / step - 0.5, 1.0))
            if jump > 0.0:
                kept = 1.0 - 0.5 * jump
                for channel in range(3):
                    picture[row, column, channel] *= kept


@compiled
def lay_over(layer: Bytes, picture: Floats) -> None:
    """Put a layer of screen colours with opacity (H, W, 4) over linear light (H, W, 3)."""
    height, width, _ = picture.shape
    for row in range(height):
        for column in range(width):
            opacity = layer[row, column, 3]
            if opacity == 0:
                continue
            share = opacity / np.float32(255.0)
            for c in range(3):
                light = LINEAR[layer[row, column, c]]
                picture[row, column, c] += share * (light - picture[row, column, c])


@compiled
def develop(fine: Floats, samples: int, pixels: Bytes) -> None:
    """Average `samples`² rays a pixel and encode for screens."""
    height, width, _ = pixels.shape
    share = 1.0 / (samples * samples)
    for row in range(height):
        for column in range(width):
            for c in range(3):
                light = 0.0
                for i in range(samples):
                    for j in range(samples):
                        light += fine[row * samples + i, column * samples + j, c]
                light = min(max(light * share, 0.0), 1.0)
                pixels[row, column, c] = ENCODED[int(np.sqrt(light) * _STEPS + 0.5)]
