"""From a clip to what a scene shows of it: solids, ghosts, parts and marks."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from poise.apps.render.figure import Figure
from poise.apps.render.ground import Plane
from poise.apps.render.marks import FrameMarks
from poise.apps.render.overlays import Overlays
from poise.apps.render.scene import GHOST, PART, Solid
from poise.arrays import Array


@dataclass(frozen=True, eq=False)
class Stage:
    """Who moves where, and what is to be marked: all that strips and animations draw from."""

    figure: Figure
    plane: Plane | None
    ghost: Figure | None = None
    """The original, at the same rate and with as many frames."""
    part_triangles_m: Array | None = None
    """(T, 3, 3) corners of the parts of a place."""
    overlays: Overlays = field(default_factory=Overlays)
    first_frame: int = 0
    """Number of the clip's first frame in its file, for the time labels."""


LARGEST_PROP_M = 2.5
"""Parts of a place that are larger together are a terrain, not something beside the figure."""


def prop_points(stage: Stage) -> Array:
    """(N, 3) corners of the parts of a place, if they are small enough to be shown with a figure.

    A chair belongs to every figure of a strip; a hill does not.
    """
    if stage.part_triangles_m is None:
        return np.zeros((0, 3))
    points = stage.part_triangles_m.reshape(-1, 3)
    small = float(np.ptp(points, axis=0).max()) <= LARGEST_PROP_M
    return points if small else np.zeros((0, 3))


def solid_of(figure: Figure, frame: int, shift_m: Array) -> Solid:
    """A figure in one frame."""
    points, normals = figure.posed(frame)
    return Solid(
        points + shift_m, normals, figure.mesh.triangles, figure.sides, lead_m=figure.lead_m
    )


def ghost_solid(figure: Figure, frame: int, shift_m: Array) -> Solid:
    """The original in one frame."""
    points, normals = figure.posed(frame)
    materials = np.full(len(figure.mesh.triangles), GHOST, dtype=np.int16)
    return Solid(points + shift_m, normals, figure.mesh.triangles, materials, ghost=True)


def part_solid(triangles_m: Array, shift_m: Array) -> Solid:
    """Parts of a place, with flat faces."""
    corners = triangles_m + shift_m
    faces = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    count = len(corners)
    return Solid(
        corners.reshape(-1, 3),
        np.repeat(faces / np.maximum(np.linalg.norm(faces, axis=1, keepdims=True), 1e-18), 3, 0),
        np.arange(3 * count).reshape(-1, 3),
        np.full(count, PART, dtype=np.int16),
        closed=False,
    )


def marks_of(stage: Stage, frame: int, shift_m: Array) -> FrameMarks:
    """The marks of one frame."""
    overlays = stage.overlays
    com, zmp = overlays.com_m, overlays.zmp_m
    return FrameMarks(
        com_m=None if com is None else com[frame] + shift_m,
        zmp_m=None if zmp is None else zmp[frame] + shift_m,
        touch_m=overlays.touch_points(frame) + shift_m,
    )
