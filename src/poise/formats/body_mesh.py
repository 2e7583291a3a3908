"""A simple body around a skeleton: closed rounded solids, skinned to the joints.

Which solids there are, `body_shape` decides; here they become vertices, normals and weights.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array, Indices
from poise.character import Skeleton
from poise.formats.body_shape import Solid, solids_of

SEGMENTS = 14
"""Vertices around a limb."""


@dataclass(frozen=True, eq=False)
class BodyMesh:
    """Triangles in the rest pose, and which joints carry them."""

    positions_m: Array
    """(V, 3) world, the skeleton at rest."""
    normals: Array
    """(V, 3) unit, outward."""
    triangles: Indices
    """(T, 3) vertex indices, counter-clockwise seen from outside."""
    joints: Indices
    """(V, 4) joint indices; unused places are 0 with weight 0."""
    weights: Array
    """(V, 4) sum to one."""


def body_mesh(skeleton: Skeleton) -> BodyMesh:
    """The body of a skeleton, sized by its bones."""
    solids = solids_of(skeleton)
    points, faces, joints, weights = list[Array](), list[Indices](), list[Indices](), list[Array]()
    start = 0
    for solid in solids:
        positions = _vertices(solid)
        points.append(positions)
        faces.append(_triangles(len(solid.centers_m)) + start)
        carriers, shares = _skinning(solid)
        joints.append(carriers)
        weights.append(shares)
        start += len(positions)
    positions, triangles = np.concatenate(points), np.concatenate(faces)
    return BodyMesh(
        positions_m=positions,
        normals=_smooth_normals(positions, triangles),
        triangles=triangles,
        joints=np.concatenate(joints),
        weights=np.concatenate(weights),
    )


def _vertices(solid: Solid) -> Array:
    """Rings in order, then the pole before the first and the pole after the last."""
    turn = 2.0 * np.pi * np.arange(SEGMENTS) / SEGMENTS
    around = np.cos(turn)[:, None, None] * solid.sides_m + np.sin(turn)[:, None, None] * (
        solid.depths_m
    )
    rings = solid.centers_m[:, None] + np.swapaxes(around, 0, 1)
    return np.concatenate([rings.reshape(-1, 3), solid.poles_m])


def _triangles(ring_count: int) -> Indices:
    here = np.arange(SEGMENTS)
    after = (here + 1) % SEGMENTS
    faces: list[Indices] = []
    for ring in range(ring_count - 1):
        low, high = ring * SEGMENTS, (ring + 1) * SEGMENTS
        faces.append(np.stack([low + here, low + after, high + after], axis=1))
        faces.append(np.stack([low + here, high + after, high + here], axis=1))
    first, last = ring_count * SEGMENTS, ring_count * SEGMENTS + 1
    top = (ring_count - 1) * SEGMENTS
    faces.append(np.stack([np.full(SEGMENTS, first), after, here], axis=1))
    faces.append(np.stack([np.full(SEGMENTS, last), top + here, top + after], axis=1))
    return np.concatenate(faces).astype(np.int64)


def _skinning(solid: Solid) -> tuple[Indices, Array]:
    shares = np.stack([1.0 - solid.shares, solid.shares], axis=1)
    weights = np.zeros((len(solid.shares), 4))
    weights[:, :2] = shares
    joints = np.zeros((len(solid.shares), 4), dtype=np.int64)
    joints[:, :2] = solid.joints
    # A joint may stand in a vertex only once, and not with weight zero.
    same = joints[:, 0] == joints[:, 1]
    weights[same, 0], weights[same, 1] = 1.0, 0.0
    joints[weights == 0.0] = 0
    rings = np.repeat(np.arange(len(joints)), SEGMENTS)
    of_vertex = np.concatenate([rings, [0, len(joints) - 1]])
    return joints[of_vertex], weights[of_vertex]


def _smooth_normals(positions: Array, triangles: Indices) -> Array:
    """Area-weighted means of the faces around each vertex."""
    corners = positions[triangles]
    face = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals = np.zeros_like(positions)
    for corner in range(3):
        np.add.at(normals, triangles[:, corner], face)
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    upward = np.array([0.0, 1.0, 0.0])  # only where all faces have no area
    return np.where(lengths > 1e-18, normals / np.where(lengths > 1e-18, lengths, 1.0), upward)
