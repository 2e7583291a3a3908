"""The body of a clip, posed: skinned vertices frame by frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from poise import rotations
from poise.arrays import Array, Indices
from poise.character import Roles, Skeleton, find_partial_roles, role_sites
from poise.formats import BodyMesh, body_mesh
from poise.mechanics import BodyState, forward_kinematics
from poise.motion import Clip

MIDDLE, LEFT, RIGHT = 0, 1, 2

LIMB_LEAD_M = 0.012
"""At hips and shoulders the round ends of limbs and of collar bones fill the same place; the limbs
are drawn in front, so that the seam is a clean line."""


@dataclass(frozen=True, eq=False)
class Figure:
    """A clip with the mesh of its body; `posed` gives the vertices of any frame."""

    clip: Clip
    state: BodyState
    roles: Roles
    mesh: BodyMesh
    sides: NDArray[np.int16]
    """(T,) MIDDLE, LEFT or RIGHT of each triangle."""
    lead_m: Array
    """(V,) how much nearer each vertex is drawn than it is; see `LIMB_LEAD_M`."""
    local_m: Array
    local_normals: Array
    """(V, 4, 3) both: each vertex in the rest frames of the joints that carry it."""

    def posed(self, frame: int) -> tuple[Array, Array]:
        """Vertices and their normals (V, 3) in one frame, in the world."""
        joints, shares = self.mesh.joints, self.mesh.weights[..., None]
        turns = rotations.to_matrix(self.state.rotations_wxyz[frame])[joints]
        places = self.state.positions_m[frame][joints]
        turned = np.einsum("vkij,vkj->vki", turns, self.local_m)
        normals = np.einsum("vkij,vkj->vki", turns, self.local_normals)
        return (shares * (turned + places)).sum(axis=1), (shares * normals).sum(axis=1)

    def some_frames(self, most: int) -> list[int]:
        """At most so many, evenly spread."""
        return np.unique(np.linspace(0, self.clip.frame_count - 1, most).astype(int)).tolist()

    def travel_direction(self, frames: Sequence[int]) -> Array:
        """(3,) level unit vector: the way the root goes, or faces when it stays in place."""
        path = self.clip.root_positions_m[list(frames)] * np.array([1.0, 0.0, 1.0])
        away = path[-1] - path[0]
        figure_m = float(np.ptp(self.mesh.positions_m, axis=0).max())
        if np.linalg.norm(away) > 0.5 * figure_m:
            return away / np.linalg.norm(away)
        return self._facing(frames)

    def _facing(self, frames: Sequence[int]) -> Array:
        pairs = [("right_hip", "left_hip"), ("right_shoulder", "left_shoulder")]
        names = self.roles.joints
        for right, left in pairs:
            if right in names and left in names:
                ends = [self.clip.skeleton.index(names[role]) for role in (right, left)]
                both = self.state.positions_m[list(frames)][:, ends]
                across = (both[:, 1] - both[:, 0]).mean(axis=0)
                ahead = np.cross(across, [0.0, 1.0, 0.0])
                if np.linalg.norm(ahead) > 1e-6:
                    return ahead / np.linalg.norm(ahead)
        return np.array([0.0, 0.0, 1.0])


def figure_of_clip(clip: Clip) -> Figure:
    """Forward kinematics and the mesh, once for all frames."""
    skeleton = clip.skeleton.standing
    roles = find_partial_roles(skeleton)
    mesh = flat_soles(skeleton, roles, body_mesh(skeleton))
    back = rotations.to_matrix(rotations.conjugate(skeleton.rest_world_wxyz))[mesh.joints]
    from_joint = mesh.positions_m[:, None] - skeleton.rest_positions_m[mesh.joints]
    sides = _sides(skeleton, roles, mesh)
    lead = np.zeros(len(mesh.positions_m))
    lead[mesh.triangles[sides != MIDDLE]] = LIMB_LEAD_M
    return Figure(
        clip=clip,
        state=forward_kinematics(skeleton, *clip.pose),
        roles=roles,
        mesh=mesh,
        sides=sides,
        lead_m=lead,
        local_m=np.einsum("vkij,vkj->vki", back, from_joint),
        local_normals=np.einsum("vkij,vj->vki", back, mesh.normals),
    )


def _sides(skeleton: Skeleton, roles: Roles, mesh: BodyMesh) -> NDArray[np.int16]:
    """Limbs below a left or right hip or shoulder have a side; the rest is the middle."""
    side = np.zeros(skeleton.joint_count, dtype=np.int16)
    tops: dict[int, int] = {}
    for word, value in (("left", LEFT), ("right", RIGHT)):
        for role in (f"{word}_hip", f"{word}_shoulder"):
            if role in roles.joints:
                tops[skeleton.index(roles.joints[role])] = value
    for joint, parent in enumerate(skeleton.parents.tolist()):
        side[joint] = tops.get(joint, int(side[parent]) if parent >= 0 else MIDDLE)
    return _triangle_sides(side, mesh)


def _triangle_sides(side: NDArray[np.int16], mesh: BodyMesh) -> NDArray[np.int16]:
    """Each closed solid of the mesh has one side: that of most of its weight."""
    count = len(mesh.positions_m)
    corners = mesh.triangles
    ends = np.concatenate([corners[:, :2], corners[:, 1:]])
    links = coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(count, count))
    _, solid = connected_components(links, directed=False)
    share = np.zeros((int(solid.max()) + 1, 3))
    np.add.at(share, (solid[:, None], side[mesh.joints]), mesh.weights)
    return share.argmax(axis=1).astype(np.int16)[solid[corners[:, 0]]]


_STEEPEST = 0.5
"""Rise over run of a sole at rest beyond which the rest pose does not stand on it."""


def flat_soles(skeleton: Skeleton, roles: Roles, mesh: BodyMesh) -> BodyMesh:
    """The mesh with whatever is below a foot's sole at rest lifted onto it, and toes that bend."""
    sites = role_sites(skeleton, roles)
    places = dict(zip(sites.names, _at_rest(skeleton, sites.joints, sites.offsets_m), strict=True))
    points, joints, weights = mesh.positions_m.copy(), mesh.joints.copy(), mesh.weights.copy()
    for side in ("left", "right"):
        heel, toe = places.get(f"{side}_heel"), places.get(f"{side}_toe_tip")
        ankle = roles.joints.get(f"{side}_ankle")
        if heel is None or toe is None or ankle is None:
            continue
        normal = _upward(toe - heel)
        if normal is None:
            continue
        carried = _below(skeleton, skeleton.index(ankle))[joints]
        on_foot = (carried * weights).sum(axis=1) > 0.5
        depth = np.minimum((points - heel) @ normal, 0.0)
        points[on_foot] -= depth[on_foot, None] * normal
        toes = roles.joints.get(f"{side}_toe")
        if toes is not None:
            bend = skeleton.index(toes)
            ahead = (points - skeleton.rest_positions_m[bend]) @ (toe - heel) > 0.0
            # What lies before the ball bends with the toes, or it would be pressed into the floor.
            joints[on_foot & ahead] = [bend, 0, 0, 0]
            weights[on_foot & ahead] = [1.0, 0.0, 0.0, 0.0]
    return replace(mesh, positions_m=points, joints=joints, weights=weights)


def _at_rest(skeleton: Skeleton, joints: Indices, offsets_m: Array) -> Array:
    turned = rotations.rotate(skeleton.rest_world_wxyz[joints], offsets_m)
    return skeleton.rest_positions_m[joints] + turned


def _upward(along: Array) -> Array | None:
    """The upward normal of a sole that is level from side to side."""
    level = float(np.hypot(along[0], along[2]))
    if level < 1e-6 or abs(along[1]) > _STEEPEST * level:
        return None
    normal = np.array([0.0, 1.0, 0.0]) - along[1] / float(along @ along) * along
    return normal / np.linalg.norm(normal)


def _below(skeleton: Skeleton, top: int) -> Array:
    """(J,) 1 for a joint and all that hangs on it, 0 for others."""
    found = np.zeros(skeleton.joint_count)
    found[top] = 1.0
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if parent >= 0 and found[parent]:
            found[joint] = 1.0
    return found
