"""The space-time mesh of a body: vertices, and what ties them in a frame (Lee & Lee, section 3.1).

Bones keep their length. Feet, pelvis and shoulder girdle are braced, so that they keep their shape,
and contact vertices are tied to what they ride on. Where a joint lies between two tied vertices
(collar bones, a wrist) their distance is not fixed by the skeleton: such an edge is `flexible`, and
takes its length frame by frame from the reference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, Indices, frozen_array, frozen_indices
from poise.character import Character, Sites
from poise.errors import BadValue, UnknownName
from poise.mechanics import forward_kinematics, site_positions
from poise.methods.correct.mesh_vertices import (
    CANDIDATES,
    Vertices,
    candidate_radii_m,
    contact_vertices,
    joint_vertices,
    mass_parts,
)
from poise.motion import Clip


@dataclass(frozen=True, eq=False)
class Mesh:
    """One frame's worth of the mesh; along time every vertex is tied to itself."""

    names: tuple[str, ...]
    """(V,) joints by their name, contact vertices by their candidate's."""
    sites: Sites
    """(V) the joint that each vertex rides on, and where."""
    rest_m: Array
    """(V, 3) in the skeleton's rest pose."""
    joint_vertex: Indices
    """(J,) the vertex at each joint, -1 where none is."""
    bones: Indices
    """(E, 2) pairs of vertices that keep their distance."""
    lengths_m: Array
    """(E,) in the rest pose."""
    flexible: NDArray[np.bool_]
    """(E,) whether a joint lies between, so that the length is the reference's in each frame."""
    limbs: tuple[tuple[int, ...], ...]
    """The limb meshes of Fig. 4: from the root to a terminal vertex, and back to the root."""
    shares: Array
    """(V,) of the mass: the centre of mass is shares @ vertices."""
    parts: Indices
    """(P, 2) pairs of vertices with a part of the body half way between them,"""
    part_shares: Array
    """(P,) and how much of the mass it has."""
    mass_kg: float
    candidates: tuple[str, ...]
    contact_vertex: Indices
    """(B,)"""
    radius_m: Array
    """(B,) from the vertex to the skin; 0 for soles."""
    sphere_m: Array
    """(V,) what may not enter the surroundings or another sphere; 0: a point."""
    extra_edges: Indices
    """(K, 2) pairs that the user wants kept as they are to each other."""

    @property
    def vertex_count(self) -> int:
        """V."""
        return len(self.names)


def motion_mesh(
    character: Character,
    candidates: Sequence[str],
    *,
    extra_edges: Sequence[tuple[str, str]] = (),
    spheres: Mapping[str, float] | None = None,
) -> Mesh:
    """The mesh of a character.

    Args:
        character: with roles and a body.
        candidates: what may touch, of `CANDIDATES`; this and the others as `Settings` checks them.
        extra_edges: pairs of candidates, roles or joints that keep to each other.
        spheres: radius of flesh in metres around candidates, roles or joints.
    """
    candidates, spheres = tuple(candidates), spheres or {}
    named = [name for pair in extra_edges for name in pair] + list(spheres)
    wanted = [j for j in (_joint(character, n) for n in named if n not in candidates) if j >= 0]
    made = joint_vertices(character, wanted)
    asked = [n for n in dict.fromkeys(named) if n in CANDIDATES and _joint(character, n) < 0]
    others = tuple(name for name in asked if name not in candidates)
    places = contact_vertices(made, (*candidates, *others))
    contact, at = places[: len(candidates)], dict(zip((*candidates, *others), places, strict=True))
    radii = candidate_radii_m(character, candidates)
    count = len(made.names)

    def vertex(name: str) -> int:
        if name in at:
            return at[name]
        if name in made.names:
            return made.names.index(name)
        joint = _joint(character, name)
        if joint < 0:
            assert character.roles is not None
            known = (*candidates, *character.roles.joints, *character.skeleton.joint_names)
            raise UnknownName("vertex, role or joint", name, dict.fromkeys(known))
        return made.of_joint[joint]

    sphere = np.zeros(count)
    for name, radius in spheres.items():
        sphere[vertex(name)] = radius
    extra = [(vertex(a), vertex(b)) for a, b in extra_edges]
    for (a, b), names in zip(extra, extra_edges, strict=True):
        if a == b:
            raise BadValue("extra_edges", "pairs of different places", names)
    bones, flexible = _edges(made)
    rest = made.rest_m
    lengths = np.linalg.norm(rest[bones[:, 0]] - rest[bones[:, 1]], axis=1)
    sites = Sites(tuple(made.names), np.array(made.joints), np.array(made.offsets_m))
    joints = np.array([made.of_joint.get(j, -1) for j in range(character.skeleton.joint_count)])
    assert character.body is not None
    parts, part_shares = mass_parts(made)
    shares = np.zeros(count)
    np.add.at(shares, np.array(parts), 0.5 * part_shares[:, None])
    return Mesh(
        names=sites.names,
        sites=sites,
        rest_m=frozen_array("rest_m", rest, (count, 3)),
        joint_vertex=frozen_indices("joint_vertex", joints, (len(joints),)),
        bones=frozen_indices("bones", bones, ("E", 2)),
        lengths_m=frozen_array("lengths_m", lengths, ("E",)),
        flexible=flexible,
        limbs=_limbs(made),
        shares=frozen_array("shares", shares, (count,)),
        parts=frozen_indices("parts", parts, ("P", 2)),
        part_shares=frozen_array("part_shares", part_shares, ("P",)),
        mass_kg=character.body.total_mass_kg,
        candidates=candidates,
        contact_vertex=frozen_indices("contact_vertex", contact, (len(candidates),)),
        radius_m=frozen_array("radius_m", radii, (len(candidates),)),
        sphere_m=frozen_array("sphere_m", sphere, (count,)),
        extra_edges=frozen_indices("extra_edges", np.reshape(extra, (-1, 2)), ("K", 2)),
    )


def vertices_of(mesh: Mesh, clip: Clip) -> Array:
    """(F, V, 3) the vertices in every frame of a clip of the mesh's skeleton."""
    return site_positions(forward_kinematics(clip.skeleton, *clip.pose), mesh.sites)


def _joint(character: Character, name: str) -> int:
    """The joint of a role or a name, -1 where there is none."""
    roles = character.roles.joints if character.roles is not None else {}
    names = character.skeleton.joint_names
    name = roles.get(name, name)
    return names.index(name) if name in names else -1


def _edges(made: Vertices) -> tuple[Indices, NDArray[np.bool_]]:
    """Bones, braces and ties as pairs, and which of them a joint lies between."""
    skeleton = made.character.skeleton
    roles = made.character.roles
    assert roles is not None

    def fixed_in(vertex: int) -> set[int]:
        """The joints in whose frames a vertex does not move."""
        joint = made.joints[vertex]
        if np.any(made.offsets_m[vertex]):
            return {joint}
        merged = {j for j, v in made.of_joint.items() if v == vertex}
        return merged | {int(skeleton.parents[joint])}

    found: dict[tuple[int, int], bool] = {}

    def tie(a: int, b: int) -> None:
        pair = (min(a, b), max(a, b))
        if a != b and pair not in found:
            found[pair] = not fixed_in(a) & fixed_in(b)

    chest = roles.joints.get("chest")
    above = [] if chest is None else _path(made, made.carrier(skeleton.index(chest)))
    for vertex, parent in enumerate(made.parents):
        if parent < 0:
            continue
        tie(parent, vertex)
        siblings = [v for v in made.children(parent) if v != vertex]
        for other in siblings:
            # The loins bend: neither hip keeps its distance to the spine.
            bends = parent == 0 and (vertex in above) != (other in above)
            if not bends:
                tie(vertex, other)
        rides = np.any(made.offsets_m[vertex])
        if rides and not siblings and made.parents[parent] >= 0:
            tie(vertex, made.parents[parent])
    pairs = np.array(list(found), dtype=np.int64).reshape(-1, 2)
    return pairs, np.array(list(found.values()), dtype=np.bool_)


def _path(made: Vertices, vertex: int) -> list[int]:
    """The vertices from the root to one."""
    path: list[int] = []
    while vertex >= 0:
        path.append(vertex)
        vertex = made.parents[vertex]
    return path[::-1]


def _limbs(made: Vertices) -> tuple[tuple[int, ...], ...]:
    ends = [v for v in range(len(made.names)) if not made.children(v)]
    return tuple(tuple(_path(made, end)) for end in ends)
