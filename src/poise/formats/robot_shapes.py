"""End sites of a robot from the simple shapes on its links.

A robot file has no toe tips. The primitives on the foot (boxes, spheres, capsules; meshes are not
looked at) tell where the sole is: its level is their lowest point, its front and rear are the
outermost points that touch that level. Hands and heads get their farthest point.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import SIDES, UP, Figure, Roles, Sites, Skeleton
from poise.formats.robot_tree import Tree

_SPHERE, _CAPSULE, _ELLIPSOID, _CYLINDER, _BOX = 2, 3, 4, 5, 6
"""Values of MuJoCo's `mjtGeom`."""

_SOLE_SLACK_M = 0.02
"""Shapes whose underside is this near to the lowest point are part of the sole."""


@dataclass(frozen=True)
class _Shape:
    joint: int
    kind: int
    size: Array
    center: Array
    axes: Array
    """Columns are the shape's own axes in the world."""

    def support(self, direction: Array, *, core: bool = False) -> Array:
        """The point farthest along a direction; with `core`, of what lies inside the rounding.

        A ball rolls over its lowest point: where spheres and capsules touch the ground is below
        their core, not below their rim.
        """
        local = self.axes.T @ direction
        radius = 0.0 if core else float(self.size[0])
        if self.kind == _SPHERE:
            return self.center + radius * direction
        if self.kind == _CAPSULE:
            end = np.sign(local[2]) * self.size[1] * self.axes[:, 2]
            return self.center + end + radius * direction
        if self.kind == _CYLINDER:
            flat = np.array([local[0], local[1], 0.0])
            length = float(np.linalg.norm(flat))
            rim = self.size[0] * flat / length if length > 1e-9 else np.zeros(3)
            end = np.array([0.0, 0.0, np.sign(local[2]) * self.size[1]])
            return self.center + self.axes @ (rim + end)
        if self.kind == _ELLIPSOID:
            scaled = self.size * local
            return self.center + self.axes @ (self.size * scaled / np.linalg.norm(scaled))
        return self.center + self.axes @ (np.sign(local) * self.size)


def with_end_sites(skeleton: Skeleton, roles: Roles, tree: Tree) -> Skeleton:
    """The skeleton with toe, heel, hand and head tips wherever shapes show them."""
    figure = Figure(skeleton)
    joints = {role: skeleton.index(name) for role, name in roles.joints.items()}
    shapes = _shapes(skeleton, tree)
    points: list[tuple[str, int, Array]] = []
    for side in SIDES:
        ankle = joints.get(f"{side}_ankle")
        if ankle is not None:
            own = [s for s in shapes if figure.is_under(s.joint, ankle)]
            points.extend(_sole_points(skeleton, ankle, own, roles.forward))
        hand = joints.get(f"{side}_wrist", joints.get(f"{side}_elbow"))
        if hand is not None:
            own = [s for s in shapes if figure.is_under(s.joint, hand)]
            points.extend(_far_point(figure, skeleton, hand, own))
    head = joints.get("head", joints.get("neck", joints.get("chest")))
    if head is not None:
        line = {j for j in range(len(skeleton.kinds)) if _rides_on(figure, j, head)}
        points.extend(_top_point(skeleton, head, [s for s in shapes if s.joint in line]))
    return replace(skeleton, end_sites=_sites(figure, points))


def _shapes(skeleton: Skeleton, tree: Tree) -> list[_Shape]:
    world = rotations.to_matrix(skeleton.rest_world_wxyz)
    places = skeleton.rest_positions_m
    return [
        _Shape(joint, kind, size, places[joint] + world[joint] @ place, world[joint] @ axes)
        for joint, kind, size, place, axes in tree.shapes
        if kind in (_SPHERE, _CAPSULE, _ELLIPSOID, _CYLINDER, _BOX)
    ]


def _rides_on(figure: Figure, joint: int, head: int) -> bool:
    line = figure.path(head, joint)
    kinds = figure.skeleton.kinds
    return bool(line) and all(kinds[j] == "fixed" for j in line[1:])


def _sole_points(
    skeleton: Skeleton, ankle: int, shapes: list[_Shape], forward: Array
) -> list[tuple[str, int, Array]]:
    if not shapes:
        return []
    bottoms = [float(s.support(-UP) @ UP) for s in shapes]
    sole = min(bottoms)
    low = [s for s, y in zip(shapes, bottoms, strict=True) if y < sole + _SOLE_SLACK_M]
    left = np.cross(UP, forward)
    across = [float(s.support(d, core=True) @ left) for s in low for d in (left, -left)]
    middle = 0.5 * (max(across) + min(across))
    front = max(float(s.support(forward, core=True) @ forward) for s in low)
    rear = min(float(s.support(-forward, core=True) @ forward) for s in low)
    name = skeleton.joint_names[ankle]
    return [
        (f"{name}_{end}", ankle, along * forward + middle * left + sole * UP)
        for end, along in (("toe", front), ("heel", rear))
    ]


def _far_point(
    figure: Figure, skeleton: Skeleton, hand: int, shapes: list[_Shape]
) -> list[tuple[str, int, Array]]:
    origin = figure.positions[hand]
    reached: list[tuple[float, int, Array]] = []
    for shape in shapes:
        away = shape.center - origin
        length = float(np.linalg.norm(away))
        if length > 1e-6:
            point = shape.support(away / length)
            reached.append((float(np.linalg.norm(point - origin)), shape.joint, point))
    if not reached:
        return []
    _, joint, point = max(reached, key=lambda entry: entry[0])
    return [(f"{skeleton.joint_names[hand]}_tip", joint, point)]


def _top_point(skeleton: Skeleton, head: int, shapes: list[_Shape]) -> list[tuple[str, int, Array]]:
    if not shapes:
        return []
    shape = max(shapes, key=lambda s: float(s.support(UP) @ UP))
    return [(f"{skeleton.joint_names[head]}_top", shape.joint, shape.support(UP))]


def _sites(figure: Figure, points: list[tuple[str, int, Array]]) -> Sites:
    world = rotations.conjugate(figure.skeleton.rest_world_wxyz)
    offsets = [rotations.rotate(world[j], p - figure.positions[j]) for _, j, p in points]
    return Sites(
        tuple(name for name, _, _ in points),
        np.array([joint for _, joint, _ in points], dtype=np.int64),
        np.array(offsets).reshape(-1, 3),
    )
