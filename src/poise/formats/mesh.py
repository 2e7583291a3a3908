"""Triangle meshes of places and things, as their files give them."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import numpy as np

from poise.arrays import Array, Indices, frozen_array, frozen_indices
from poise.errors import FileProblem, did_you_mean
from poise.units import Unit

MAX_VERTICES = 3_000_000
MAX_TRIANGLES = 2_000_000
MAX_OBJECTS = 10_000
"""Far more than a place needs; beyond it memory would be at the mercy of the file."""

_READERS = {
    ".obj": "obj",
    ".stl": "stl",
    ".glb": "gltf_mesh",
    ".gltf": "gltf_mesh",
}
"""Extension to the module of this folder whose `read` reads it."""

EXTENSIONS = tuple(_READERS)


@dataclass(frozen=True, eq=False)
class TriangleMesh:
    """One named object. Lengths are in file units, axes are the file's own."""

    name: str
    vertices: Array
    """(V, 3)"""
    triangles: Indices
    """(T, 3) into the vertices, counter-clockwise seen from outside where the file is right."""

    def __post_init__(self) -> None:
        vertices = frozen_array("vertices", self.vertices, ("V", 3))
        triangles = frozen_indices("triangles", self.triangles, ("T", 3))
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "triangles", triangles)


@dataclass(frozen=True, eq=False)
class MeshFile:
    """The objects in a mesh file, and what is known of their unit and axes."""

    meshes: tuple[TriangleMesh, ...]
    unit: Unit | None
    """None when the format does not state one."""
    up: str
    """"y" or "z"."""
    up_reason: str
    notes: tuple[str, ...] = ()


def read_mesh(path: str | Path) -> MeshFile:
    """Read an OBJ, STL (text or binary) or glTF file as named triangle meshes.

    Raises:
        FileProblem: with what is wrong, and the line where there are lines.
    """
    path = Path(path)
    extension = path.suffix.lower()
    if extension not in _READERS:
        found = f"'{extension}'" if extension else "none"
        advice = f"{did_you_mean(extension, EXTENSIONS)}Known: {', '.join(EXTENSIONS)}."
        raise FileProblem(path, "an extension that a mesh can be read from", found, advice=advice)
    read = import_module(f"poise.formats.{_READERS[extension]}").read
    file: MeshFile = read(path)
    if not file.meshes:
        raise FileProblem(path, "at least one triangle", "none")
    return file


def compact(name: str, vertices: Array, triangles: Indices) -> TriangleMesh:
    """A mesh with only the vertices that its triangles use, equal ones made one."""
    used, numbers = np.unique(triangles, return_inverse=True)
    corners = vertices[used] + 0.0  # minus zero is zero
    rows = np.ascontiguousarray(corners).view([("x", "f8"), ("y", "f8"), ("z", "f8")])
    _, first, merged = np.unique(rows.reshape(-1), return_index=True, return_inverse=True)
    return TriangleMesh(name, corners[first], merged.reshape(-1)[numbers.reshape(-1, 3)])
