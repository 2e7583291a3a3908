"""From the triangle meshes of a file to convex parts: one for each connected piece."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from poise import rotations, units
from poise.arrays import Array, Indices
from poise.environment.convex_part import ConvexPart, principal_extents
from poise.environment.environment import Environment
from poise.environment.query import query
from poise.errors import FileProblem
from poise.formats import MeshFile, read_mesh

MAX_PARTS = 2_000

SHEET_THICKNESS_M = 0.1
"""What a piece without thickness (a floor of one polygon) gets behind its front."""

_FLAT = 1e-6
"""Thickness over length of what counts as a sheet."""

_DENT = 0.01
"""Share of volume, or of size, that a hull may add without a word."""

_MANY_NOTES = 12
_WELD = 1e-6
"""Corners closer than this share of the object's size are one."""


def read_parts(
    path: Path, *, unit: str | None = None, up: str | None = None
) -> tuple[tuple[ConvexPart, ...], tuple[str, ...]]:
    """The convex parts of a mesh file, in metres and Y up, and what was assumed on the way.

    Args:
        path: an OBJ, STL or glTF file.
        unit: length unit of its numbers, when the format states none or the file is wrong.
        up: its up axis, "y" or "z", likewise.
    """
    found = read_mesh(path)
    metres, to_world, notes = _conversion(path, found, unit, up)
    parts: list[ConvexPart] = []
    remarks: list[str] = []
    for mesh in found.meshes:
        vertices = rotations.rotate(to_world, mesh.vertices) * metres
        for piece, triangles in enumerate(_pieces(vertices, mesh.triangles)):
            name = mesh.name if not piece else f"{mesh.name} {piece + 1}"
            if len(parts) >= MAX_PARTS:
                raise FileProblem(path, f"at most {MAX_PARTS} separate pieces", "more")
            part, remark = _part(name, vertices, triangles)
            if part is not None:
                parts.append(part)
            if remark:
                remarks.append(remark)
    if not parts:
        raise FileProblem(path, "at least one piece with a surface", "only points and lines")
    if len(remarks) > _MANY_NOTES:
        remarks[_MANY_NOTES:] = [f"{len(remarks) - _MANY_NOTES} more pieces of the same kinds."]
    return tuple(parts), (*notes, *found.notes, *remarks)


def _conversion(
    path: Path, found: MeshFile, unit: str | None, up: str | None
) -> tuple[float, Array, list[str]]:
    notes: list[str] = []
    if unit is not None:
        chosen = units.unit_called(unit, "given")
    elif found.unit is not None:
        chosen = found.unit
    else:
        chosen = units.unit_called("m", "assumed")
        across = max(float(np.ptp(mesh.vertices, axis=0).max()) for mesh in found.meshes)
        notes.append(
            f"{path.name} states no unit: metres assumed, its largest object is {across:.4g} m "
            "across."
        )
    if up is None and not found.up_reason.startswith("stated"):
        notes.append(f"{path.name} states no up axis: {found.up_reason}.")
    return chosen.metres, units.world_from_file_wxyz(up or found.up), notes


def _pieces(vertices: Array, triangles: Indices) -> list[Indices]:
    """Triangles grouped by whether they hang together, in the order of the file."""
    from scipy.sparse import coo_array  # slow to import
    from scipy.sparse.csgraph import connected_components

    cell = max(_WELD * float(np.ptp(vertices, axis=0).max()), 1e-12)
    low = vertices.min(axis=0)
    _, welded = np.unique(np.round((vertices - low) / cell), axis=0, return_inverse=True)
    corners = welded.reshape(-1)[triangles]
    count = int(welded.max()) + 1
    ends = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]]])
    links = coo_array((np.ones(len(ends), dtype=np.int8), ends.T), shape=(count, count))
    _, labels = connected_components(links.tocsr(), directed=False)
    of_triangle = labels[corners[:, 0]]
    order = np.argsort(of_triangle, kind="stable")
    cuts = np.flatnonzero(np.diff(of_triangle[order])) + 1
    groups = np.split(order, cuts)
    return [triangles[group] for group in sorted(groups, key=lambda group: int(group[0]))]


def _part(name: str, vertices: Array, triangles: Indices) -> tuple[ConvexPart | None, str]:
    """The hull of one piece, and what is to be said about it."""
    used = vertices[np.unique(triangles)]
    extents = principal_extents(used) if len(used) > 2 else np.zeros(3)
    if extents[1] <= _FLAT * max(float(extents[0]), 1e-9):
        return None, f"A piece of '{name}' without a surface was left out."
    if extents[2] <= _FLAT * float(extents[0]):
        thick = _thickened(used, vertices, triangles)
        remark = f"'{name}' is a flat sheet: {SHEET_THICKNESS_M:g} m thickness put behind it."
        return ConvexPart(thick, name), remark
    part = ConvexPart(used, name)
    return part, _dents(part, vertices, triangles)


def _thickened(used: Array, vertices: Array, triangles: Indices) -> Array:
    a, b, c = (vertices[triangles[:, i]] for i in range(3))
    normal = np.cross(b - a, c - a).sum(axis=0)
    if not np.linalg.norm(normal) > 0:  # seen from both sides: the larger side decides nothing
        _, axes = np.linalg.eigh((used - used.mean(axis=0)).T @ (used - used.mean(axis=0)))
        normal = axes[:, 0] if axes[1, 0] >= 0 else -axes[:, 0]
    return np.concatenate([used, used - SHEET_THICKNESS_M * normal / np.linalg.norm(normal)])


def _dents(part: ConvexPart, vertices: Array, triangles: Indices) -> str:
    """How much the hull adds to the piece, in words; nothing when it adds next to nothing."""
    a, b, c = (vertices[triangles[:, i]] - part.center_m for i in range(3))
    if _is_closed(vertices, triangles):
        volume = abs(float(np.sum(a * np.cross(b, c)) / 6.0))
        added = part.volume_m3 - volume
        if added <= _DENT * part.volume_m3:
            return ""
        share = f"{100.0 * added / volume:.0f} %" if volume > 1e-3 * part.volume_m3 else "most"
        return f"'{part.name}' is not convex: its hull adds {share} ({added:.3g} m³)."
    corners = vertices[np.unique(triangles)]
    middles = (a + b + c) / 3.0 + part.center_m
    inside = query(Environment((part,)), np.concatenate([corners, middles])).distances_m
    depth = -float(inside.min())
    if depth <= _DENT * float(np.ptp(part.vertices_m, axis=0).max()):
        return ""
    return (
        f"'{part.name}' is open and not convex: its hull covers surface up to "
        f"{100.0 * depth:.3g} cm deep."
    )


def _is_closed(vertices: Array, triangles: Indices) -> bool:
    """Whether every side of a triangle is the side of exactly one other, the other way round."""
    low, cell = vertices.min(axis=0), _WELD * float(np.ptp(vertices, axis=0).max())
    _, welded = np.unique(np.round((vertices - low) / cell), axis=0, return_inverse=True)
    t = welded.reshape(-1)[triangles]
    t = t[(t[:, 0] != t[:, 1]) & (t[:, 1] != t[:, 2]) & (t[:, 2] != t[:, 0])]
    count = int(welded.max()) + 1
    sides = np.concatenate([t[:, [0, 1]], t[:, [1, 2]], t[:, [2, 0]]])
    there, back = sides[:, 0] * count + sides[:, 1], sides[:, 1] * count + sides[:, 0]
    there = np.sort(there)
    return bool((np.diff(there) > 0).all() and np.array_equal(there, np.sort(back)))
