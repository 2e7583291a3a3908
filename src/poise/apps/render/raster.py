"""Triangles into pixels: a depth buffer with normals and materials, then light.

Nearness (see `Camera.project`) is larger closer to the eye; an untouched pixel has −inf.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, Indices
from poise.compiled import compiled

Floats = NDArray[np.float32]
Materials = NDArray[np.int16]


@dataclass(frozen=True, eq=False)
class Buffers:
    """What each pixel sees first; mutable on purpose, a kernel fills it."""

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
    seen: Array, normals: Array, triangles: Indices, materials: Materials, cull: bool, top: int,
    nearness: Floats, pixel_normals: Floats, pixel_materials: Materials,
) -> None:  # fmt: skip
    """Draw triangles into buffers whose first row is row `top` of the picture.

    `seen` (V, 3) comes from `Camera.project`. With `cull`, triangles that face away are left out;
    without, what is given is drawn from both sides.
    """
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
def shade(
    nearness: Floats, normals: Floats, materials: Materials, colors: Array,
    toward: Array, key: Array, picture: Floats,
) -> None:  # fmt: skip
    """Light what the buffers hold, in linear colours: sky, ground bounce, key light, a soft shine.

    Normals that point away from the eye are turned (open surfaces have no inside).
    """
    height, width = nearness.shape
    hx, hy, hz = key[0] + toward[0], key[1] + toward[1], key[2] + toward[2]
    half = 1.0 / np.sqrt(hx * hx + hy * hy + hz * hz)
    for row in range(height):
        for column in range(width):
            m = materials[row, column]
            if m < 0:
                continue
            nx, ny, nz = (
                normals[row, column, 0],
                normals[row, column, 1],
                normals[row, column, 2],
            )
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
def outline(
    nearness: Floats, materials: Materials, step: float, strength: float, reach: int,
    picture: Floats,
) -> None:  # fmt: skip
    """Darken the rim of whatever stands in front of something further away by `step` or more."""
    height, width = nearness.shape
    for row in range(height):
        for column in range(width):
            if materials[row, column] < 0:
                continue
            here = nearness[row, column]
            jump = 0.0
            for k in range(4):
                r = row + (reach if k == 0 else (-reach if k == 1 else 0))
                c = column + (reach if k == 2 else (-reach if k == 3 else 0))
                if r < 0 or c < 0 or r >= height or c >= width:
                    continue
                jump = max(jump, min((here - nearness[r, c]) / step - 0.5, 1.0))
            if jump > 0.0:
                kept = 1.0 - strength * jump
                for channel in range(3):
                    picture[row, column, channel] *= kept
