"""Marks on a picture: what touches, the support area, the centre of mass, the zero-moment point."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

import poise.apps.render.palette as palette
from poise.apps.render.camera import Camera
from poise.apps.render.ground import Plane
from poise.apps.render.palette import Color
from poise.arrays import Array
from poise.contact import Series


@dataclass(frozen=True, eq=False)
class Overlays:
    """Marks of a clip, frame by frame; whatever is None is not drawn."""

    com_m: Array | None = None
    """(F, 3) centre of mass."""
    zmp_m: Array | None = None
    """(F, 3) zero-moment point, NaN where there is none."""
    points_m: Array | None = None
    """(F, C, 3) points that can touch."""
    touching: NDArray[np.bool_] | None = None
    """(F, C) which of them do."""

    def touch_points(self, frame: int) -> Array:
        """(N, 3) the points that touch in one frame."""
        if self.points_m is None or self.touching is None:
            return np.zeros((0, 3))
        return self.points_m[frame][self.touching[frame]]

    def sliced(self, first: int, last: int) -> Overlays:
        """The marks of frames `first` up to but not including `last`."""
        return Overlays(*(None if v is None else v[first:last] for v in vars(self).values()))


def support_outline(points_m: Array, u: Array, v: Array) -> Array:
    """Corners of the area that points (N, 3) span on a ground along u and v, in order around."""
    if len(points_m) < 3:
        return points_m
    flat = np.stack([points_m @ u, points_m @ v], axis=1)
    order = np.lexsort((flat[:, 1], flat[:, 0]))

    def half(indices: list[int]) -> list[int]:
        chain: list[int] = []
        for i in indices:
            while len(chain) >= 2 and _turn(flat[chain[-2]], flat[chain[-1]], flat[i]) <= 1e-12:
                chain.pop()
            chain.append(i)
        return chain[:-1]

    forth = order.tolist()
    return points_m[half(forth) + half(forth[::-1])]


def _turn(a: Array, b: Array, c: Array) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def overlays_of(series: Series) -> Overlays:
    """Centre of mass, zero-moment point and the points that carry something."""
    return Overlays(
        com_m=series.com_m, zmp_m=series.zmp_m, points_m=series.points_m, touching=series.pressing
    )


CLEAR = (0, 0, 0, 0)
FARTHEST_ZMP_M = 0.45
"""From the centre of mass, on the ground; a point further away is drawn here, hollow."""


@dataclass(frozen=True, eq=False)
class FrameMarks:
    """The marks of one figure in one frame, where they are to be drawn."""

    com_m: Array | None
    zmp_m: Array | None
    touch_m: Array
    """(N, 3)"""


def draw_marks(
    camera: Camera, plane: Plane | None, marks: list[FrameMarks], pixel: float
) -> tuple[Image.Image, Image.Image]:
    """Two layers: what lies on the ground under the figures, and what shows through them.

    Args:
        camera: at the resolution of the layers.
        plane: the ground; without one nothing lies on it.
        marks: of every figure.
        pixel: size of a pixel of the finished picture, in pixels of the layers.
    """
    size = (camera.width, camera.height)
    below, over = Image.new("RGBA", size, CLEAR), Image.new("RGBA", size, CLEAR)
    for mark in marks:
        if plane is not None:
            _on_ground(ImageDraw.Draw(below), camera, plane, mark, pixel)
        _in_front(ImageDraw.Draw(over), camera, mark, pixel)
    return below, over


def _on_ground(
    draw: ImageDraw.ImageDraw, camera: Camera, plane: Plane, mark: FrameMarks, pixel: float
) -> None:
    u, v = plane.axes(camera.right)
    if len(mark.touch_m) >= 3:
        outline = support_outline(_dropped(plane, mark.touch_m), u, v)
        corners = _pixels(camera, outline)
        if len(corners) >= 3:
            draw.polygon(corners, fill=(*palette.SUPPORT, 120))
            closed = [*corners, corners[0]]
            draw.line(closed, fill=(*palette.BLUE, 255), width=round(1.6 * pixel), joint="curve")
    if mark.com_m is not None:
        x, y = _pixels(camera, _dropped(plane, mark.com_m[None]))[0]
        draw.line([_pixels(camera, mark.com_m[None])[0], (x, y)], fill=(*palette.INK, 120),
                  width=round(1.2 * pixel))  # fmt: skip
        _cross(draw, (x, y), 5.5 * pixel, pixel, palette.INK)


def _in_front(draw: ImageDraw.ImageDraw, camera: Camera, mark: FrameMarks, pixel: float) -> None:
    for place in _pixels(camera, mark.touch_m):
        _disc(draw, place, 2.6 * pixel, palette.TOUCH, palette.PAPER, 0.8 * pixel)
    if mark.zmp_m is not None and np.isfinite(mark.zmp_m).all():
        place, far = _within_reach(mark)
        diamond(draw, _pixels(camera, place[None])[0], 6.0 * pixel, hollow=far)
    if mark.com_m is not None:
        center_symbol(draw, _pixels(camera, mark.com_m[None])[0], 6.5 * pixel)


def _within_reach(mark: FrameMarks) -> tuple[Array, bool]:
    """Where to draw the zero-moment point: at most so far from the body, and whether it is further.

    A point metres away would stand beside another figure and seem to be its own.
    """
    assert mark.zmp_m is not None
    if mark.com_m is None:
        return mark.zmp_m, False
    away = (mark.zmp_m - mark.com_m) * np.array([1.0, 0.0, 1.0])
    length = float(np.linalg.norm(away))
    if length <= FARTHEST_ZMP_M:
        return mark.zmp_m, False
    return mark.zmp_m - (1.0 - FARTHEST_ZMP_M / length) * away, True


def zmp_is_far(mark: FrameMarks) -> bool:
    """Whether the zero-moment point is drawn nearer than it is."""
    known = mark.zmp_m is not None and bool(np.isfinite(mark.zmp_m).all())
    return known and _within_reach(mark)[1]


def diamond(
    draw: ImageDraw.ImageDraw, place: tuple[float, float], size: float, *, hollow: bool = False
) -> None:
    """The sign of the zero-moment point; hollow when it is further away than drawn."""
    x, y = place
    rings = [(1.3, palette.PAPER), (1.0, palette.ZERO_MOMENT)]
    if hollow:
        rings.append((0.6, palette.PAPER))
    for reach, color in rings:
        r = reach * size
        draw.polygon([(x - r, y), (x, y - r), (x + r, y), (x, y + r)], fill=(*color, 255))


def center_symbol(draw: ImageDraw.ImageDraw, place: tuple[float, float], size: float) -> None:
    """The engineers' sign of a centre of mass: a disc in quarters, dark and light."""
    x, y = place
    rim = 1.25 * size
    draw.ellipse([x - rim, y - rim, x + rim, y + rim], fill=(*palette.INK, 255))
    box = [x - size, y - size, x + size, y + size]
    draw.ellipse(box, fill=(*palette.PAPER, 255))
    draw.pieslice(box, 0, 90, fill=(*palette.INK, 255))
    draw.pieslice(box, 180, 270, fill=(*palette.INK, 255))


def touch_symbol(draw: ImageDraw.ImageDraw, place: tuple[float, float], size: float) -> None:
    """The sign of a touching point."""
    _disc(draw, place, size, palette.TOUCH, palette.PAPER, 0.3 * size)


def support_symbol(draw: ImageDraw.ImageDraw, place: tuple[float, float], size: float) -> None:
    """The sign of the support area."""
    x, y = place
    corners = [(x - size, y + 0.6 * size), (x - 0.5 * size, y - 0.6 * size)]
    corners += [(x + size, y - 0.6 * size), (x + 0.5 * size, y + 0.6 * size)]
    draw.polygon(corners, fill=(*palette.SUPPORT, 120), outline=(*palette.BLUE, 255))


def _dropped(plane: Plane, points_m: Array) -> Array:
    return points_m - plane.heights(points_m)[:, None] * plane.normal


def _pixels(camera: Camera, points_m: Array) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y, _ in camera.project(points_m)]


def _disc(
    draw: ImageDraw.ImageDraw, place: tuple[float, float], size: float,
    color: Color, rim: Color, rim_width: float,
) -> None:  # fmt: skip
    x, y = place
    r = size + rim_width
    draw.ellipse([x - r, y - r, x + r, y + r], fill=(*rim, 255))
    draw.ellipse([x - size, y - size, x + size, y + size], fill=(*color, 255))


def _cross(
    draw: ImageDraw.ImageDraw, place: tuple[float, float], size: float, pixel: float, color: Color
) -> None:
    x, y = place
    for way in (1.0, -1.0):
        ends = [(x - size, y - way * 0.5 * size), (x + size, y + way * 0.5 * size)]
        draw.line(ends, fill=(*color, 255), width=round(1.6 * pixel))
