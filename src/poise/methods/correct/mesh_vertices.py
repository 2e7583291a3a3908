"""Which points of a body become vertices of the space-time mesh, and who hangs on whom.

Joints on the way to the parts that have roles are vertices; fingers, faces and props are not. A
joint that sits on its parent (captures are full of bones without length) shares the parent's
vertex. Every contact candidate has a vertex of its own, unless a joint sits there already; the feet
always have heel and ball, so that they are rigid bodies. The ball stands for the toe joint.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import SIDES, Character, Sites, contact_points, contact_radii_m, stature_m
from poise.errors import BadValue, UnknownName


def mass_parts(made: Vertices) -> tuple[list[tuple[int, int]], Array]:
    """Pairs of vertices with a part of the body half way between them, and its share of the mass.

    A segment lies on the bones from its vertex to the next ones, as much on each (Eq. 14); where
    none goes on, at its own vertex.
    """
    body = made.character.body
    if body is None:
        raise BadValue("character.body", "segment masses (see complete_character)", None)
    if not body.total_mass_kg > 0:
        raise BadValue("total mass of the body", "more than zero", body.total_mass_kg)
    found: dict[tuple[int, int], float] = {}
    for joint in np.flatnonzero(body.masses_kg > 0.0).tolist():
        carrier = made.carrier(joint)
        ends = made.children(carrier) or [carrier]
        for end in ends:
            pair = (carrier, end)
            share = float(body.masses_kg[joint]) / len(ends)
            found[pair] = found.get(pair, 0.0) + share
    return list(found), np.array(list(found.values())) / body.total_mass_kg


SAME_PLACE_PER_STATURE = 0.005
"""Points closer than this share of the stature are one vertex: bones of a few millimetres point
anywhere, and only make the equations stiff."""

THIGH_PER_STATURE = 0.048
"""Half the thickness of a sitting thigh over stature (Gordon et al. 1989: thigh clearance, men and
women averaged)."""

_SIDED = {
    "toe": ("foot", "ball"),
    "heel": ("foot", "heel"),
    "knee": ("knee", "knee"),
    "hand": ("hand", "palm"),
    "elbow": ("elbow", "elbow"),
    "shoulder": ("shoulder", "shoulder"),
}
CANDIDATES: dict[str, tuple[str, str]] = {
    **{
        f"{side}_{kind}": (f"{side}_{part}", f"{side}_{point}")
        for kind, (part, point) in _SIDED.items()
        for side in SIDES
    },
    **{f"{side}_thigh": ("pelvis", f"{side}_thigh") for side in SIDES},
    **{part: (part, part) for part in ("pelvis", "chest", "head")},
}
"""Everything that may be asked to touch: the part of `poise.contact.BODY_PARTS` that it belongs to,
and its point of `contact_points` (thighs have none there). Feet have two candidates each, toe (the
ball of the foot) and heel, because a foot rolls from one to the other."""


@dataclass
class Vertices:
    """Points fixed to joints, as a tree, while the mesh is being made."""

    character: Character
    names: list[str] = field(default_factory=list[str])
    joints: list[int] = field(default_factory=list[int])
    offsets_m: list[Array] = field(default_factory=list[Array])
    parents: list[int] = field(default_factory=list[int])
    """Vertex each one hangs on, -1 for the first."""
    of_joint: dict[int, int] = field(default_factory=dict[int, int])
    """Vertex of each joint that has one."""

    @property
    def rest_m(self) -> Array:
        """(V, 3) in the rest pose."""
        skeleton = self.character.skeleton.standing
        frames = skeleton.rest_world_wxyz[self.joints]
        return skeleton.rest_positions_m[self.joints] + rotations.rotate(
            frames, np.array(self.offsets_m)
        )

    def add(self, name: str, joint: int, offset_m: Array, parent: int) -> int:
        """A new vertex; a name that is taken says that it is the skin's."""
        self.names.append(f"{name} skin" if name in self.names else name)
        self.joints.append(joint)
        self.offsets_m.append(np.asarray(offset_m, dtype=np.float64))
        self.parents.append(parent)
        return len(self.names) - 1

    def children(self, vertex: int) -> list[int]:
        """The vertices that hang on one."""
        return [v for v, parent in enumerate(self.parents) if parent == vertex]

    def carrier(self, joint: int) -> int:
        """The vertex of a joint, or of the nearest joint above it that has one."""
        for above in self.character.skeleton.ancestors(joint):
            if above in self.of_joint:
                return self.of_joint[above]
        return 0


def joint_vertices(character: Character, wanted: Sequence[int] = ()) -> Vertices:
    """A vertex for every joint between the roles' joints, and for those `wanted` besides."""
    roles = character.roles
    if roles is None:
        raise BadValue("character", "one with roles (see complete_character)", character.name)
    skeleton = character.skeleton.standing
    near = SAME_PLACE_PER_STATURE * stature_m(skeleton, roles)
    played = {skeleton.index(name) for name in roles.joints.values()}
    chains = [set(skeleton.ancestors(joint)) for joint in played]
    start = max(set.intersection(*chains))
    kept = set.union(*chains, *(set(skeleton.ancestors(j)) for j in wanted))
    kept -= set(skeleton.ancestors(start)) - {start}
    made = Vertices(character)
    made.of_joint[start] = made.add(skeleton.joint_names[start], start, np.zeros(3), -1)
    places = skeleton.rest_positions_m
    for joint in sorted(kept - {start}):
        parent = made.of_joint.get(int(skeleton.parents[joint]), 0)
        gap = np.linalg.norm(places[joint] - places[made.joints[parent]])
        apart = joint in wanted or np.linalg.norm(skeleton.offsets_m[joint]) > near
        if not apart or gap == 0.0:
            made.of_joint[joint] = parent
        else:
            made.of_joint[joint] = made.add(skeleton.joint_names[joint], joint, np.zeros(3), parent)
    return made


def contact_vertices(made: Vertices, candidates: Sequence[str]) -> list[int]:
    """Add heels, balls, the crown and the candidates; the vertex of each candidate."""
    character = made.character
    points = contact_points(character)
    for side in SIDES:
        for part in ("toe", "heel"):
            if f"{side}_foot" in points:
                _contact_vertex(made, points, f"{side}_{part}")
    if "head_top" in character.sites.names:
        i = character.sites.index("head_top")
        joint = int(character.sites.joints[i])
        _placed(made, "head_top", joint, character.sites.offsets_m[i])
    return [_contact_vertex(made, points, candidate) for candidate in candidates]


def candidate_radii_m(character: Character, candidates: Sequence[str]) -> Array:
    """(B,) how far the skin lies from each candidate's vertex."""
    assert character.roles is not None
    radii = contact_radii_m(character)
    thigh = THIGH_PER_STATURE * stature_m(character.skeleton, character.roles)
    return np.array(
        [thigh if c.endswith("_thigh") else radii[CANDIDATES[c][0]] for c in candidates]
    )


def _contact_vertex(made: Vertices, points: dict[str, Sites], candidate: str) -> int:
    roles, skeleton = made.character.roles, made.character.skeleton.standing
    assert roles is not None
    side, _, part = candidate.partition("_")
    if part == "thigh":
        hip, knee = (skeleton.index(roles.joint(f"{side}_{p}")) for p in ("hip", "knee"))
        between = skeleton.rest_positions_m[knee] - skeleton.rest_positions_m[hip]
        frame = rotations.conjugate(skeleton.rest_world_wxyz[hip])
        return _placed(made, candidate, hip, 0.5 * rotations.rotate(frame, between))
    where, point = CANDIDATES[candidate]
    if where not in points or point not in points[where].names:
        known = [c for c in CANDIDATES if c.endswith("_thigh") or CANDIDATES[c][0] in points]
        raise UnknownName("contact candidate of this character", candidate, known)
    sites = points[where]
    i = sites.index(point)
    joint, offset = int(sites.joints[i]), sites.offsets_m[i]
    if part == "toe" and f"{side}_toe" in roles.joints:
        # Joint and ball are both fixed to the foot, a finger's breadth apart: one vertex.
        toe = made.of_joint[skeleton.index(roles.joint(f"{side}_toe"))]
        if made.joints[toe] == skeleton.index(roles.joint(f"{side}_toe")):
            made.joints[toe], made.offsets_m[toe] = joint, offset
            made.names[toe] = candidate
        if made.names[toe] == candidate:
            return toe
    return _placed(made, candidate, joint, offset)


def _placed(made: Vertices, name: str, joint: int, offset_m: Array) -> int:
    """The vertex at a point of a joint: one that is there, or a new one."""
    skeleton, roles = made.character.skeleton.standing, made.character.roles
    assert roles is not None
    near = SAME_PLACE_PER_STATURE * stature_m(skeleton, roles)
    turned = rotations.rotate(skeleton.rest_world_wxyz[joint], offset_m)
    place = skeleton.rest_positions_m[joint] + turned
    carrier = made.carrier(joint)
    rest = made.rest_m
    for vertex in (carrier, *made.children(carrier)):
        if np.linalg.norm(rest[vertex] - place) < near:
            return vertex
    return made.add(name, joint, offset_m, carrier)
