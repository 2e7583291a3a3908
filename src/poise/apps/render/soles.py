"""Feet with flat soles, where the character's sole points are: the round mesh would sink in."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise import rotations
from poise.arrays import Array, Indices
from poise.character import Roles, Skeleton, role_sites
from poise.formats import BodyMesh

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
