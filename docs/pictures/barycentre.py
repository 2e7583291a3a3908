"""The paths of the centre of mass and of the feet's barycentre: Fig. 1 of the paper."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from poise.apps.render.palette import BLUE, FAINT_INK, GRID, INK, PAPER, VERMILION, Color, write
from poise.arrays import Array
from poise.constraints import Scene
from poise.job import Subject

FINE = 3
"""Drawn so much larger, then shrunk, for smooth lines."""
POINTS = ("left_heel", "left_toe_tip", "right_heel", "right_toe_tip")


@dataclass(frozen=True)
class _Box:
    """A chart's area in fine pixels, and what it spans."""

    left: float
    top: float
    right: float
    bottom: float
    across: tuple[float, float]
    upward: tuple[float, float]

    def place(self, points: Array) -> Array:
        """(N, 2) fine pixels of (N, 2) values."""
        (a, b), (c, d) = self.across, self.upward
        x = self.left + (points[:, 0] - a) / (b - a) * (self.right - self.left)
        y = self.bottom - (points[:, 1] - c) / (d - c) * (self.bottom - self.top)
        return np.stack([x, y], axis=1)


def draw_barycentre(path: Path, prepared: Subject) -> None:
    """Left the two paths from above, right the way from one to the other."""
    scene = Scene(prepared.clip, prepared.character, prepared.environment)
    columns = [prepared.character.sites.names.index(name) for name in POINTS]
    middle = scene.site_places_m[:, columns].mean(axis=1)[:, [2, 0]]
    center = scene.centers_m[:, [2, 0]]
    apart = 100.0 * (center - middle)

    page = Image.new("RGB", (1400 * FINE, 440 * FINE), PAPER)
    paint = ImageDraw.Draw(page)
    paths = [
        ("barycentre of heels and toe tips", middle, BLUE),
        ("centre of mass", center, VERMILION),
    ]
    _chart(paint, (80, 60, 880, 370), paths, "forward [m]", "left [m]")
    write(paint, (80 * FINE, 26 * FINE), "The two paths from above", 16 * FINE)
    only = [("from the barycentre to the centre of mass", apart, INK)]
    _chart(paint, (980, 60, 1370, 370), only, "forward [cm]", "left [cm]")
    write(paint, (980 * FINE, 26 * FINE), "The centre of mass seen from the barycentre", 16 * FINE)
    note = "Across and upward differ in scale, to show the details."
    write(paint, (80 * FINE, 424 * FINE), note, 12 * FINE, color=FAINT_INK)
    small = page.resize((1400, 440), Image.Resampling.BOX)
    small.quantize(64).save(path, optimize=True)


def _chart(
    paint: ImageDraw.ImageDraw,
    corners: tuple[int, int, int, int],
    lines: Sequence[tuple[str, Array, Color]],
    across: str,
    upward: str,
) -> None:
    left, top, right, bottom = (FINE * c for c in corners)
    values = [points for _, points, _ in lines]
    box = _Box(
        left, top, right, bottom,
        _range([v[:, 0] for v in values]), _range([v[:, 1] for v in values]),
    )  # fmt: skip
    _axes(paint, box)
    for _, points, color in lines:
        paint.line([tuple(p) for p in box.place(points).tolist()], fill=color, width=2 * FINE)
        x, y = box.place(points[:1])[0].tolist()
        paint.ellipse([x - 4 * FINE, y - 4 * FINE, x + 4 * FINE, y + 4 * FINE], fill=color)
    write(paint, (right, bottom + 34 * FINE), across, 13 * FINE, color=FAINT_INK, align="right")
    write(paint, (left - 56 * FINE, top - 12 * FINE), upward, 13 * FINE, color=FAINT_INK)
    x = right
    for words, _, color in reversed(lines if len(lines) > 1 else []):
        write(paint, (x, top - 12 * FINE), words, 13 * FINE, color=color, align="right")
        x -= 130 * FINE


def _axes(paint: ImageDraw.ImageDraw, box: _Box) -> None:
    for value, label in _ticks(*box.across):
        x = float(box.place(np.array([[value, box.upward[0]]]))[0, 0])
        paint.line([x, box.top, x, box.bottom], fill=GRID, width=FINE)
        write(paint, (x, box.bottom + 14 * FINE), label, 13 * FINE, align="middle")
    for value, label in _ticks(*box.upward):
        y = float(box.place(np.array([[box.across[0], value]]))[0, 1])
        paint.line([box.left, y, box.right, y], fill=GRID, width=FINE)
        write(paint, (box.left - 10 * FINE, y), label, 13 * FINE, align="right")


def _range(values: Sequence[Array]) -> tuple[float, float]:
    """Ends of an axis, with some room."""
    low, high = (float(end(np.concatenate(values))) for end in (np.min, np.max))
    return low - 0.06 * (high - low), high + 0.06 * (high - low)


def _ticks(low: float, high: float, wanted: int = 5) -> list[tuple[float, str]]:
    """Multiples of 1, 2 or 5 times a power of ten, about `wanted` of them."""
    rough = (high - low) / wanted
    power = 10.0 ** math.floor(math.log10(rough))
    step = min((m * power for m in (1.0, 2.0, 5.0, 10.0)), key=lambda s: abs(s - rough))
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    counts = range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
    return [(k * step, f"{k * step:.{decimals}f}") for k in counts]
