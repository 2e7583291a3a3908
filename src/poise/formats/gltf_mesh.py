"""The meshes of a glTF file where its nodes put them; skinned figures are left out."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from poise import rotations
from poise.arrays import Array, Indices
from poise.formats.gltf_document import MAX_NUMBER, Document, Facts, load_document
from poise.formats.gltf_nodes import Nodes, nodes_of
from poise.formats.mesh import (
    MAX_OBJECTS,
    MAX_TRIANGLES,
    MAX_VERTICES,
    MeshFile,
    TriangleMesh,
    compact,
)
from poise.units import Unit

_TRIANGLES, _STRIP, _FAN = 4, 5, 6
_DRACO = "KHR_draco_mesh_compression"


def read(path: Path) -> MeshFile:
    """Read the still meshes of a .glb or .gltf file, in metres and Y up as glTF prescribes."""
    document = load_document(path)
    nodes = nodes_of(document)
    shown = sum("mesh" in facts for facts in nodes.facts)
    if shown > MAX_OBJECTS:
        raise document.problem(f"at most {MAX_OBJECTS} objects", f"{shown}")
    meshes: list[TriangleMesh] = []
    notes: list[str] = []
    budget = _Budget(document)
    for node, transform in _world_transforms(document, nodes):
        facts = nodes.facts[node]
        if "mesh" not in facts:
            continue
        if "skin" in facts:
            notes.append(f"'{nodes.names[node]}' is a skinned figure, not a part of the place.")
            continue
        mesh = _mesh(document, facts, transform, nodes.names[node], budget, notes)
        if mesh is not None:
            meshes.append(mesh)
    unit = Unit("m", 1.0, "stated by the format")
    return MeshFile(tuple(meshes), unit, "y", "stated by the format", tuple(notes))


class _Budget:
    """How much may still be read: many nodes can show one mesh."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.vertices, self.triangles = MAX_VERTICES, MAX_TRIANGLES

    def take(self, vertices: int, triangles: int) -> None:
        """Count what is about to be read."""
        self.vertices -= vertices
        self.triangles -= triangles
        if self.vertices < 0 or self.triangles < 0:
            wanted = f"at most {MAX_VERTICES} vertices and {MAX_TRIANGLES} triangles in all"
            raise self.document.problem(wanted, "more")


def _world_transforms(document: Document, nodes: Nodes) -> list[tuple[int, Array]]:
    """Nodes, parents first, with the 4 × 4 matrices that bring their coordinates to the world's."""
    turns = rotations.to_matrix(rotations.from_xyzw(nodes.rotations_xyzw))
    found: list[tuple[int, Array]] = []
    world: dict[int, Array] = {-1: np.eye(4)}
    for top in (node for node, parent in enumerate(nodes.parents) if parent < 0):
        for node in nodes.below(top):
            local = np.eye(4)
            local[:3, :3] = turns[node] * nodes.scales[node]
            local[:3, 3] = nodes.translations[node]
            with np.errstate(all="ignore"):
                world[node] = world[nodes.parents[node]] @ local
            if not (np.abs(world[node]) <= MAX_NUMBER).all():
                wanted = f"nodes within {MAX_NUMBER:g} m and scales up to as much"
                raise document.problem(wanted, f"more at node {node}")
            found.append((node, world[node]))
    return found


def _mesh(
    document: Document, facts: Facts, transform: Array, name: str, budget: _Budget, notes: list[str]
) -> TriangleMesh | None:
    meshes = document.items("meshes")
    number = document.index(facts, "mesh", len(meshes), f"node '{name[:60]}'")
    places, triangles, start = list[Array](), list[Indices](), 0
    for i, primitive in enumerate(document.objects_in(meshes[number], "primitives", "a mesh")):
        where = f"primitive {i} of mesh {number}"
        mode = document.size(primitive, "mode", where, _TRIANGLES)
        if mode not in (_TRIANGLES, _STRIP, _FAN):
            notes.append(f"Points or lines in '{name}' not read.")
            continue
        vertices, corners = _primitive(document, primitive, mode, where, budget)
        places.append(vertices)
        triangles.append(corners + start)
        start += len(vertices)
    if not triangles or not sum(len(t) for t in triangles):
        return None
    vertices = np.concatenate(places) @ transform[:3, :3].T + transform[:3, 3]
    if not (np.abs(vertices) <= MAX_NUMBER).all():
        raise document.problem(f"vertices within {MAX_NUMBER:g} m", f"others in '{name[:60]}'")
    corners = np.concatenate(triangles)
    if np.linalg.det(transform[:3, :3]) < 0:
        corners = corners[:, ::-1]
    return compact(name, vertices, corners)


def _primitive(
    document: Document, primitive: Facts, mode: int, where: str, budget: _Budget
) -> tuple[Array, Indices]:
    extensions = primitive.get("extensions")
    if isinstance(extensions, dict) and _DRACO in extensions:
        advice = "Export it again without compression."
        raise document.problem("plain buffers", f"the extension {_DRACO} in {where}", advice)
    attributes = primitive.get("attributes")
    if not isinstance(attributes, dict):
        raise document.problem(f"an object as 'attributes' of {where}", "something else")
    index = document.accessor_index(attributes, "POSITION", where)
    listed = (
        document.accessor_index(primitive, "indices", where) if "indices" in primitive else None
    )
    count, shown = (
        document.size(document.items("accessors")[i], "count", f"accessor {i}")
        for i in (index, index if listed is None else listed)
    )
    budget.take(count, shown // 3 if mode == _TRIANGLES else shown)
    vertices = document.accessor(index, 3, f"positions of {where}")
    order = np.arange(len(vertices))
    if listed is not None:
        order = document.accessor(listed, 1, f"indices of {where}")[:, 0].astype(np.int64)
        if len(order) and not (0 <= order.min() and order.max() < len(vertices)):
            wanted = f"indices below {len(vertices)} in {where}"
            raise document.problem(wanted, f"{order.min()} to {order.max()}")
    return vertices, _corners(order, mode)


def _corners(order: Indices, mode: int) -> Indices:
    """(T, 3) from a list of corners in one of the three ways to list triangles."""
    if mode == _TRIANGLES:
        return order[: len(order) // 3 * 3].reshape(-1, 3)
    if len(order) < 3:
        return np.zeros((0, 3), dtype=np.int64)
    if mode == _FAN:
        first = np.full(len(order) - 2, order[0])
        return np.stack([first, order[1:-1], order[2:]], axis=1)
    strip = np.stack([order[:-2], order[1:-1], order[2:]], axis=1)
    strip[1::2] = strip[1::2][:, [1, 0, 2]]  # every other one is listed the other way round
    return strip
