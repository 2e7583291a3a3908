"""The place a body is in: one or more solids."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, Indices
from poise.environment.convex_part import ConvexPart
from poise.environment.ground import UP, Ground
from poise.environment.height_field import HeightField
from poise.errors import BadValue
from poise.one_line import framed, short

Surface = Ground | HeightField | ConvexPart


@dataclass(frozen=True, eq=False)
class Environment:
    """Solids that may overlap; the place is their union."""

    surfaces: tuple[Surface, ...]
    notes: tuple[str, ...] = ()
    """What was assumed when it was read from a file."""

    def __post_init__(self) -> None:
        surfaces = tuple[object, ...](self.surfaces)
        if not surfaces:
            raise BadValue("surfaces", "at least one ground, height field or part", "none")
        for surface in surfaces:
            if not isinstance(surface, Ground | HeightField | ConvexPart):
                kind = type(surface).__name__
                raise BadValue("surfaces", "grounds, height fields and convex parts", kind)
        object.__setattr__(self, "surfaces", surfaces)
        object.__setattr__(self, "notes", tuple(self.notes))

    def __repr__(self) -> str:
        names = ", ".join(short(each.name or type(each).__name__) for each in self.surfaces)
        return framed("Environment", names)

    @staticmethod
    def flat(height_m: float = 0.0, belt_velocity_m_s: ArrayLike = (0.0, 0.0, 0.0)) -> Environment:
        """Level ground; with a belt velocity, a treadmill."""
        velocity = np.asarray(belt_velocity_m_s, dtype=np.float64)
        return Environment((Ground(height_m, belt_velocity_m_s=velocity),))

    @property
    def up(self) -> Array:
        """(3,) against gravity."""
        return UP

    @property
    def grounds(self) -> tuple[Ground, ...]:
        """The endless planes among the surfaces."""
        return tuple(s for s in self.surfaces if isinstance(s, Ground))

    def with_surfaces(self, more: Iterable[Surface]) -> Environment:
        """The same place with more in it."""
        return Environment((*self.surfaces, *more), self.notes)

    @cached_property
    def packed_parts(self) -> PackedParts | None:
        """The convex parts as compiled loops read them; None when there are none."""
        found = [(i, s) for i, s in enumerate(self.surfaces) if isinstance(s, ConvexPart)]
        return packed([s for _, s in found], [i for i, _ in found]) if found else None


LANES = 4
"""Faces and corners come in groups of this many, the last ones repeated, so that loops over them
need no remainder."""


class PackedParts(NamedTuple):
    """All parts of a place, one after the other; indices count over all of them."""

    boxes: Array
    """(N, 6) lowest and highest coordinates of each part."""
    starts: Indices
    """(N + 1, 3) where the faces, triangles and corners of each part start."""
    surfaces: Indices
    """(N,) the number of the surface each part is."""
    faces: Array
    """(4, P) normals and offsets."""
    face_triangle: Indices
    """(P,) a triangle of each face."""
    corners: Array
    """(3, V)"""
    triangles: Indices
    """(T, 3)"""
    triangle_face: Indices
    """(T,)"""
    neighbors: Indices
    """(T, 3)"""
    around: Indices
    """(3T,) the triangles around each corner,"""
    around_start: Indices
    """(V + 1,) and where each corner's start."""


def packed(parts: Sequence[ConvexPart], surfaces: Sequence[int]) -> PackedParts:
    """Put parts one after the other; `surfaces` are the numbers to report them under."""
    faces = [_in_groups(np.c_[p.face_normals, p.face_offsets_m]) for p in parts]
    corners = [_in_groups(p.vertices_m) for p in parts]
    sizes = [
        (len(f), len(p.triangles), len(c)) for p, f, c in zip(parts, faces, corners, strict=True)
    ]
    starts = np.zeros((len(parts) + 1, 3), dtype=np.int64)
    np.cumsum(np.array(sizes, dtype=np.int64), axis=0, out=starts[1:])
    numbered = list(zip(parts, starts[:-1], strict=True))
    triangle_face = np.concatenate([p.triangle_faces + s[0] for p, s in numbered])
    triangles = np.concatenate([p.triangles + s[2] for p, s in numbered])
    face_triangle = np.full(starts[-1, 0], -1, dtype=np.int64)
    face_triangle[triangle_face] = np.arange(len(triangles))
    # A repeated face follows the one it repeats.
    face_triangle = face_triangle[
        np.maximum.accumulate(np.where(face_triangle >= 0, np.arange(len(face_triangle)), 0))
    ]
    around, around_start = _around(triangles, int(starts[-1, 2]))
    return PackedParts(
        boxes=np.array([[*p.vertices_m.min(axis=0), *p.vertices_m.max(axis=0)] for p in parts]),
        starts=starts,
        surfaces=np.array(surfaces, dtype=np.int64),
        faces=np.ascontiguousarray(np.concatenate(faces).T),
        face_triangle=face_triangle,
        corners=np.ascontiguousarray(np.concatenate(corners).T),
        triangles=triangles,
        triangle_face=triangle_face,
        neighbors=np.concatenate([p.neighbors + s[1] for p, s in numbered]),
        around=around,
        around_start=around_start,
    )


def _in_groups(rows: Array) -> Array:
    return np.concatenate([rows, np.repeat(rows[-1:], -len(rows) % LANES, axis=0)])


def _around(triangles: Indices, corner_count: int) -> tuple[Indices, Indices]:
    corners = triangles.reshape(-1)
    order = np.argsort(corners, kind="stable")
    start = np.zeros(corner_count + 1, dtype=np.int64)
    np.cumsum(np.bincount(corners, minlength=corner_count), out=start[1:])
    return (order // 3).astype(np.int64), start
