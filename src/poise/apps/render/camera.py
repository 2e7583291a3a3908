"""Where a picture is seen from: an axis frame, a scale, and how far away the eye is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from poise.arrays import Array
from poise.errors import UnknownName

VIEWS: dict[str, tuple[float, float]] = {
    "side": (0.0, 11.0),
    "front": (90.0, 11.0),
    "three-quarter": (42.0, 18.0),
    "above": (0.0, 90.0),
}
"""Turn of the eye from the side towards the front, and its height over the horizon, in degrees."""

UP = np.array([0.0, 1.0, 0.0])


class Rays(NamedTuple):
    """The ray of every pixel; all (3,) but the last."""

    start_m: Array
    """Of pixel (0, 0), in the plane of the centre."""
    right_m: Array
    down_m: Array
    """How the start moves from one pixel to the next."""
    toward: Array
    eye_m: Array
    near_eye: bool
    """Whether rays meet in the eye; else all go along `toward`."""


@dataclass(frozen=True, eq=False)
class Camera:
    """An eye, and the picture it makes.

    Pixels count from the upper left corner; `center_m` lands in the middle of the picture.
    """

    right: Array
    up: Array
    toward: Array
    """(3,) unit vectors of the picture: to the right, upwards, and to the eye."""
    center_m: Array
    pixels_per_m: float
    width: int
    height: int
    distance_m: float = np.inf
    """From the centre to the eye; infinite for a parallel projection."""

    def project(self, points_m: Array) -> Array:
        """(..., 3) pixels to the right and down, and nearness to the eye.

        Nearness grows towards the eye and is linear across a triangle in the picture: metres for
        a parallel projection, one over the distance for an eye that is near.
        """
        away = points_m - self.center_m
        nearness = away @ self.toward
        scale = np.full(nearness.shape, self.pixels_per_m)
        if np.isfinite(self.distance_m):
            depth = np.maximum(self.distance_m - nearness, 0.05 * self.distance_m)
            scale, nearness = self.pixels_per_m * self.distance_m / depth, 1.0 / depth
        x = 0.5 * self.width + scale * (away @ self.right)
        y = 0.5 * self.height - scale * (away @ self.up)
        return np.stack([x, y, nearness], axis=-1)

    @property
    def nearness_per_m(self) -> float:
        """How much nearness grows with a metre towards the eye, near the centre."""
        return 1.0 / self.distance_m**2 if np.isfinite(self.distance_m) else 1.0

    def scaled(self, factor: float) -> Camera:
        """The same view with more pixels."""
        return replace(
            self,
            pixels_per_m=self.pixels_per_m * factor,
            width=round(self.width * factor),
            height=round(self.height * factor),
        )

    def rays(self) -> Rays:
        """The rays of all pixels, for kernels."""
        per_pixel = 1.0 / self.pixels_per_m
        start = (
            self.center_m
            - 0.5 * self.width * per_pixel * self.right
            + 0.5 * self.height * per_pixel * self.up
        )
        near = bool(np.isfinite(self.distance_m))
        eye = self.center_m + (self.distance_m if near else 0.0) * self.toward
        return Rays(start, per_pixel * self.right, -per_pixel * self.up, self.toward, eye, near)


def view_axes(view: str, forward: Array) -> tuple[Array, Array, Array]:
    """Right, up and toward-the-eye of a named view of something that goes `forward`.

    From the side, forward is to the right.
    """
    if view not in VIEWS:
        raise UnknownName("view", view, VIEWS)
    turn, height = np.radians(VIEWS[view])
    level = forward - (forward @ UP) * UP
    forward = level / np.linalg.norm(level)
    beside = np.cross(forward, UP)
    toward = np.cos(turn) * beside + np.sin(turn) * forward
    right = np.cross(UP, toward)
    toward = np.cos(height) * toward + np.sin(height) * UP
    return right, np.cross(toward, right), toward


def framed(
    axes: tuple[Array, Array, Array],
    bounds_px: Sequence[int],
    points_m: Array,
    margins_px: tuple[int, int, int, int],
    *,
    distance_m: float = np.inf,
    largest_pixels_per_m: float = np.inf,
) -> Camera:
    """A camera that shows all points inside a picture of a size, with margins.

    Args:
        axes: from `view_axes`.
        bounds_px: width and height of the picture.
        points_m: (N, 3) what must be seen.
        margins_px: kept free at the left, top, right and bottom.
        distance_m: of the eye.
        largest_pixels_per_m: not larger than this, however small the content.
    """
    right, up, toward = axes
    width, height = bounds_px
    left, top, aside, below = margins_px
    camera = Camera(right, up, toward, points_m.mean(axis=0), 1.0, width, height, distance_m)
    free = np.array([width - left - aside, height - top - below], dtype=np.float64)
    middle = np.array([left + 0.5 * free[0], top + 0.5 * free[1]])
    for _ in range(4 if np.isfinite(distance_m) else 2):
        seen = camera.project(points_m)[:, :2]
        low, high = seen.min(axis=0), seen.max(axis=0)
        growth = float((free / np.maximum(high - low, 1e-9)).min())
        ppm = min(camera.pixels_per_m * growth, largest_pixels_per_m)
        growth = ppm / camera.pixels_per_m
        off = 0.5 * (low + high) - 0.5 * np.array([width, height])
        want = middle - 0.5 * np.array([width, height])
        move = (off * growth - want) / ppm
        center = camera.center_m + move[0] * right - move[1] * up
        camera = replace(camera, center_m=center, pixels_per_m=ppm)
    return camera
