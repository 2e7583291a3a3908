"""Distances worked out the slow way, in NumPy, without what the compiled loops rely on."""

from __future__ import annotations

import numpy as np


def to_segments(point: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Closest points of segments (T, 3) to one point."""
    along = b - a
    length = np.maximum(np.sum(along * along, axis=1), 1e-300)
    share = np.clip(np.sum((point - a) * along, axis=1) / length, 0.0, 1.0)
    return a + share[:, None] * along


def to_triangles(point: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """The closest point of triangles (T, 3, 3): the best of all sides and all insides."""
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    normal = np.cross(b - a, c - a)
    size = np.maximum(np.sum(normal * normal, axis=1), 1e-300)
    foot = point - (np.sum((point - a) * normal, axis=1) / size)[:, None] * normal
    inside = np.ones(len(a), dtype=bool)
    for start, end in ((a, b), (b, c), (c, a)):
        inside &= np.sum(np.cross(end - start, foot - start) * normal, axis=1) >= 0.0
    inside &= size > 1e-200
    candidates = np.concatenate(
        [foot[inside], *(to_segments(point, s, e) for s, e in ((a, b), (b, c), (c, a)))]
    )
    return candidates[np.argmin(np.linalg.norm(candidates - point, axis=1))]


def signed_distance_to_hull(point: np.ndarray, triangles: np.ndarray, inside: np.ndarray) -> float:
    """Signed distance to a closed surface of outward triangles around a known inside point."""
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    areas = np.linalg.norm(normals, axis=1)
    kept = areas > 1e-12 * areas.max()
    normals = normals[kept] / areas[kept, None]
    assert (np.sum((triangles[kept, 0] - inside) * normals, axis=1) > 0).all()
    heights = np.sum((point - triangles[kept, 0]) * normals, axis=1)
    if heights.max() <= 0.0:
        return float(heights.max())
    return float(np.linalg.norm(to_triangles(point, triangles) - point))


def moved(points: np.ndarray, turn: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """Points turned by a matrix, then shifted."""
    return points @ turn.T + shift


def random_turn(rng: np.random.Generator) -> np.ndarray:
    """A rotation matrix."""
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q if np.linalg.det(q) > 0 else -q
