"""A solid without dents: the convex hull of its corners, with its faces worked out."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from poise.arrays import Array, Indices, frozen_array, frozen_indices
from poise.errors import BadValue

MAX_POINTS = 2_000_000
"""More points than any single convex solid has use for."""

_FLAT = 1e-7
"""Thickness over length below which points count as lying in a plane."""

_SAME_PLANE = 11
"""Decimals to which the normals and offsets of triangles in one face agree."""


@dataclass(frozen=True, eq=False)
class ConvexPart:
    """A convex solid: made from points, of which the corners of their hull are kept.

    Triangles are counter-clockwise seen from outside. Triangles in one plane form one face.
    """

    vertices_m: Array
    """(V, 3) the corners; points inside the hull are dropped."""
    name: str = "part"
    belt_velocity_m_s: Array = field(default_factory=lambda: np.zeros(3))
    """(3,) of its surface, as of a conveyor; what points along the normal is left out when asked
    for."""
    triangles: Indices = field(init=False)
    """(T, 3) into the corners."""
    triangle_faces: Indices = field(init=False)
    """(T,) the face that a triangle is a piece of."""
    neighbors: Indices = field(init=False)
    """(T, 3) the triangle across the side that lies opposite each corner."""
    face_normals: Array = field(init=False)
    """(P, 3) unit, outward."""
    face_offsets_m: Array = field(init=False)
    """(P,) normal · x on the face."""
    volume_m3: float = field(init=False)

    def __post_init__(self) -> None:
        points = frozen_array("vertices_m", self.vertices_m, ("V", 3))
        _check_spread(self.name, points)
        hull = _hull(self.name, points)
        velocity = frozen_array("belt_velocity_m_s", self.belt_velocity_m_s, (3,))
        for name, value in {"belt_velocity_m_s": velocity, **hull}.items():
            object.__setattr__(self, name, value)

    @property
    def center_m(self) -> Array:
        """(3,) the middle of the smallest upright box around it."""
        return 0.5 * (self.vertices_m.min(axis=0) + self.vertices_m.max(axis=0))


def _check_spread(name: str, points: Array) -> None:
    what = f"vertices_m of '{name}'"
    if len(points) < 4:
        raise BadValue(what, "at least four points that span a solid", f"{len(points)} points")
    if len(points) > MAX_POINTS:
        raise BadValue(what, f"at most {MAX_POINTS} points", f"{len(points)} points")
    extents = principal_extents(points)
    longest = float(extents[0])
    if not longest > 0:
        raise BadValue(what, "points that span a solid", "points all in one place")
    for extent, shape in ((extents[1], "on one line"), (extents[2], "in one plane")):
        if extent <= _FLAT * longest:
            raise BadValue(what, "points that span a solid", f"points all {shape}")


def principal_extents(points: Array) -> Array:
    """(3,) how far points reach along their principal axes, longest first."""
    centered = points - points.mean(axis=0)
    _, axes = np.linalg.eigh(centered.T @ centered)
    return np.sort(np.ptp(centered @ axes, axis=0))[::-1]


def _hull(name: str, points: Array) -> dict[str, Array | Indices | float]:
    from scipy.spatial import ConvexHull, QhullError  # slow to import, and not always needed

    middle = points.mean(axis=0)  # far from the origin, Qhull's rounding would grow with distance
    try:
        hull = ConvexHull(points - middle)
    except QhullError as problem:
        what = f"vertices_m of '{name}'"
        raise BadValue(what, "points that span a solid", "points too flat for a hull") from problem
    kept = np.unique(hull.simplices)
    renumbered = np.zeros(len(points), dtype=np.int64)
    renumbered[kept] = np.arange(len(kept))
    corners = points[kept]
    triangles, neighbors = _outward(
        corners, renumbered[hull.simplices], hull.neighbors.astype(np.int64), hull.equations
    )
    rounded = np.round(hull.equations / [1, 1, 1, np.ptp(points, axis=0).max()], _SAME_PLANE)
    _, first, faces = np.unique(rounded, axis=0, return_index=True, return_inverse=True)
    normals = hull.equations[first, :3]
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    # The outermost of its corners decides where a face is, so that none lies outside the solid.
    faces = faces.reshape(-1)
    reach = np.einsum("tci,ti->tc", corners[triangles], normals[faces]).max(axis=1)
    offsets = np.full(len(normals), -np.inf)
    np.maximum.at(offsets, faces, reach)
    count = len(triangles)
    return {
        "vertices_m": frozen_array("vertices_m", corners, ("V", 3)),
        "triangles": frozen_indices("triangles", triangles, (count, 3)),
        "triangle_faces": frozen_indices("triangle_faces", faces, (count,)),
        "neighbors": frozen_indices("neighbors", neighbors, (count, 3)),
        "face_normals": frozen_array("face_normals", normals, ("P", 3)),
        "face_offsets_m": frozen_array("face_offsets_m", offsets, ("P",)),
        "volume_m3": float(hull.volume),
    }


def _outward(
    corners: Array, triangles: Indices, neighbors: Indices, equations: Array
) -> tuple[Indices, Indices]:
    """Triangles and neighbours with two corners swapped where the order pointed inward."""
    a, b, c = corners[triangles[:, 0]], corners[triangles[:, 1]], corners[triangles[:, 2]]
    inward = np.sum(np.cross(b - a, c - a) * equations[:, :3], axis=1) < 0
    triangles, neighbors = triangles.copy(), neighbors.copy()
    triangles[inward] = triangles[inward][:, [0, 2, 1]]
    neighbors[inward] = neighbors[inward][:, [0, 2, 1]]
    return triangles, neighbors
