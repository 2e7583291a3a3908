"""Figures 15 and 16 of Lee and Lee again: `python docs/pictures/correct_studies.py`, some seconds.

Left the cost of the walk by time, ours and that of L-BFGS over joint angles; right the error of
every potential by round. The clip is real; without it, the picture stays as it is.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))

from benchmarks.correct_body import captured
from benchmarks.correct_convergence import angles_of, minimized, walk_problem
from benchmarks.ik import one_thread
from poise.apps.render.palette import (
    BLUE,
    FAINT_INK,
    GREEN,
    GRID,
    INK,
    ORANGE,
    PAPER,
    PURPLE,
    SKY,
    VERMILION,
    Color,
    write,
)
from poise.arrays import Array
from poise.methods.correct.problem import KINDS

FINE = 3
"""Drawn so much larger, then shrunk, for smooth lines."""
ROUNDS = 60
ITERATIONS = 3000
COLORS = (VERMILION, BLUE, GREEN, ORANGE, PURPLE, SKY, INK)
Line = tuple[str, Array, Color]
"""Words, (N, 2) decimal logarithms, colour."""


@dataclass(frozen=True)
class _Box:
    """A chart's corners in fine pixels, and the decades it spans."""

    corners: tuple[float, float, float, float]
    across: tuple[float, float]
    upward: tuple[float, float]

    def place(self, points: Array) -> list[tuple[float, float]]:
        left, top, right, bottom = self.corners
        (a, b), (c, d) = self.across, self.upward
        x = left + (points[:, 0] - a) / (b - a) * (right - left)
        y = bottom - (points[:, 1] - c) / (d - c) * (bottom - top)
        return list(zip(x.tolist(), y.tolist(), strict=True))


def main() -> None:
    if not captured("walking"):
        print("left as it is: the walk is not here (see POISE_SHARED)")
        return
    page = Image.new("RGB", (1400 * FINE, 460 * FINE), PAPER)
    paint = ImageDraw.Draw(page)
    with one_thread():
        costs, potentials = lines()
    write(paint, (80 * FINE, 26 * FINE), "Cost of the walk [square metres] by time [ms]", 16 * FINE)
    _chart(paint, (80, 60, 660, 410), costs)
    write(
        paint,
        (800 * FINE, 26 * FINE),
        "Error of each potential [square metres] by round",
        16 * FINE,
    )
    _chart(paint, (800, 60, 1250, 410), potentials)
    small = page.resize((1400, 460), Image.Resampling.BOX)
    small.quantize(64).save(HERE / "correct_convergence.png", optimize=True)


def lines() -> tuple[list[Line], list[Line]]:
    """What both charts show."""
    walk = walk_problem()
    ours, found = walk.solve(ROUNDS, True)
    start = walk.seconds(1)
    each = (walk.seconds(ROUNDS) - start) / (ROUNDS - 1)
    angles = angles_of(walk)
    angles.cost(np.zeros(angles.shape), np.zeros(angles.shape))
    rounds = np.arange(ROUNDS, dtype=np.float64)
    costs = [("ours", _logs(1e3 * (start + each * rounds), ours), VERMILION)]
    scales = {"L-BFGS": np.ones(angles.shape), "L-BFGS, scaled": angles.curvatures() ** -0.5}
    for (name, scale), color in zip(scales.items(), (BLUE, SKY), strict=True):
        descent = minimized(angles, scale, ITERATIONS)
        costs.append((name, _logs(1e3 * descent.seconds, descent.costs), color))
    potentials = [
        (name, _logs(1.0 + rounds, found[:, kind]), COLORS[kind])
        for kind, name in enumerate(KINDS)
        if found[:, kind].max() > 0.0
    ]
    return costs, potentials


def _logs(x: Array, y: Array) -> Array:
    return np.log10(np.stack([x, np.maximum(y, 1e-12)], axis=1))


def _chart(
    paint: ImageDraw.ImageDraw, corners: tuple[int, int, int, int], lines: Sequence[Line]
) -> None:  # fmt: skip
    left, top, right, bottom = (float(FINE * c) for c in corners)
    points = np.concatenate([values for _, values, _ in lines])
    low, high = np.floor(points.min(axis=0)), np.ceil(points.max(axis=0))
    box = _Box((left, top, right, bottom), (low[0], high[0]), (low[1], high[1]))
    for axis in range(2):
        for decade in np.arange(low[axis], high[axis] + 1.0).tolist():
            label = f"{10.0**decade:g}"
            if axis == 0:
                x = box.place(np.array([[decade, low[1]]]))[0][0]
                paint.line([x, top, x, bottom], fill=GRID, width=FINE)
                write(paint, (x, bottom + 16 * FINE), label, 13 * FINE, align="middle")
            else:
                y = box.place(np.array([[low[0], decade]]))[0][1]
                paint.line([left, y, right, y], fill=GRID, width=FINE)
                write(paint, (left - 10 * FINE, y), label, 13 * FINE, align="right")
    taken: list[float] = []
    for words, values, color in lines:
        placed = box.place(values)
        paint.line(placed, fill=color, width=2 * FINE)
        x, y = placed[-1]
        while any(abs(y - other) < 16 * FINE for other in taken):
            y += FINE
        taken.append(y)
        write(paint, (x + 8 * FINE, y), words, 13 * FINE, color=color)
    write(paint, (left, top - 14 * FINE), "both scales in decades", 12 * FINE, color=FAINT_INK)


if __name__ == "__main__":
    main()
