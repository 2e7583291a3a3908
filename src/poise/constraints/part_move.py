"""How a foot or hand is moved from where the original has it, and set on what is under it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import Character, Sites, contact_points, contact_radii_m
from poise.constraints.recruiting import Recruits, carriers, carries_weight
from poise.constraints.scene import Scene
from poise.constraints.task import Task
from poise.environment import ConvexPart, Environment, Ground, HeightField, Surface
from poise.errors import BadValue

_LEVEL = 1e-9
"""A face whose normal has no more of the vertical than this is a wall."""

_SEAM_M = 1e-6
"""Solids this close on top of each other leave no gap between them."""


def rise_to_surface_m(environment: Environment, points_m: Array) -> Array:
    """(n,) how far up each point (n, 3) must go to touch the surface; negative: down.

    Inside a solid, that is up to its top, and on through whatever lies on it without a gap.
    Outside, it is down to the highest surface below. Minus infinity where nothing is below.
    """
    spans = [_span(surface, points_m, environment.up) for surface in environment.surfaces]
    bottoms = np.array([bottom for bottom, _ in spans])  # (surfaces, n)
    tops = np.array([top for _, top in spans])
    rise = np.where(tops < 0, tops, -np.inf).max(axis=0)
    inside = ((bottoms <= 0) & (tops >= 0)).any(axis=0)
    rise = np.where(inside, 0.0, rise)
    for _ in spans if inside.any() else ():  # each solid can add to the pile once
        reached = (bottoms <= rise + _SEAM_M) & (tops > rise) & inside
        rise = np.maximum(rise, np.where(reached, tops, -np.inf).max(axis=0))
    return rise


def _span(surface: Surface, points: Array, up: Array) -> tuple[Array, Array]:
    """(n,) and (n,) where the vertical through each point enters and leaves a solid, from it."""
    endless = np.full(len(points), -np.inf)
    if isinstance(surface, Ground):
        return endless, surface.heights_m(points) - points @ up
    if isinstance(surface, HeightField):
        return endless, _terrain_heights(surface, points) - points @ up
    return _span_of_part(surface, points, up)


def _span_of_part(part: ConvexPart, points: Array, up: Array) -> tuple[Array, Array]:
    """Clipped by the faces one by one; the span is empty (top below bottom) beside the part."""
    steep = part.face_normals @ up
    room = part.face_offsets_m - points @ part.face_normals.T  # (n, faces)
    wall, roof, floor = np.abs(steep) <= _LEVEL, steep > _LEVEL, steep < -_LEVEL
    top = (room[:, roof] / steep[roof]).min(axis=1)
    bottom = (room[:, floor] / steep[floor]).max(axis=1)
    beside = (room[:, wall] < 0).any(axis=1) | (top < bottom)
    return np.where(beside, np.inf, bottom), np.where(beside, -np.inf, top)


def _terrain_heights(terrain: HeightField, points: Array) -> Array:
    """(n,) of the triangles over or under each point."""
    x, z, heights = terrain.nodes
    i = np.clip(np.searchsorted(x, points[:, 0], side="right") - 1, 0, len(x) - 2)
    k = np.clip(np.searchsorted(z, points[:, 2], side="right") - 1, 0, len(z) - 2)
    along = (points[:, 0] - x[i]) / (x[i + 1] - x[i])
    across = (points[:, 2] - z[k]) / (z[k + 1] - z[k])
    low, high = heights[i, k], heights[i + 1, k + 1]
    near_x, near_z = heights[i + 1, k], heights[i, k + 1]
    return np.where(
        along >= across,
        low + along * (near_x - low) + across * (high - near_x),
        low + across * (near_z - low) + along * (high - near_z),
    )


def moved_by(task: Task, character: Character) -> Recruits:
    """Every joint, and the root's translation, that changes what a task is about.

    A joint does not move its own origin, nor how far or where that is from what it carries. What
    carries both a point and the joint it is seen from moves neither against the other. The centre
    of mass is moved by what carries a thousandth of the weight or more.
    """
    skeleton = character.skeleton
    match task.kind:
        case "point":
            mask = carriers(skeleton, task.joint)
            if task.reference >= 0:
                mask ^= carriers(skeleton, task.reference)
            mask[task.joint] &= task.offset_m.any()
            translation = task.reference < 0
        case "turn":
            mask = carriers(skeleton, task.joint)
            if task.reference >= 0:
                mask ^= carriers(skeleton, task.reference)
            translation = False
        case "aim":
            mask, translation = carriers(skeleton, task.joint), True
        case "distance":
            mask = carriers(skeleton, task.joint) ^ carriers(skeleton, task.reference)
            mask[task.joint] &= task.offset_m.any()
            mask[task.reference] &= task.reference_offset_m.any()
            translation = False
        case "center":
            mask = carries_weight(character)
            for joint, offset in zip(
                task.points.joints.tolist(), task.points.offsets_m, strict=True
            ):
                mask |= carriers(skeleton, joint, offset)
            translation = len(task.points) == 0
    return Recruits(mask & (skeleton.freedoms > 0), translation)


@dataclass(frozen=True, eq=False)
class PartMove:
    """A turn about the vertical through a place, then a shift."""

    pivot_m: Array
    up: Array
    turn_rad: float
    shift_m: Array

    def moved(self, places_m: Array) -> Array:
        """(..., 3) where places go."""
        if not self.turn_rad:
            return places_m + self.shift_m
        x, y, z = self.up.tolist()
        cosine, sine = math.cos(self.turn_rad), math.sin(self.turn_rad)
        spin = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        turn = cosine * np.eye(3) + (1.0 - cosine) * np.outer(self.up, self.up) + sine * spin
        return self.pivot_m + (places_m - self.pivot_m) @ turn.T + self.shift_m

    def turned(self, turns_wxyz: Array) -> Array:
        """(..., 4) where rotations go."""
        if not self.turn_rad:
            return turns_wxyz
        return rotations.multiply(rotations.from_axis_angle(self.up, self.turn_rad), turns_wxyz)


def put_on_surface(
    move: PartMove, scene: Scene, part: str, first: int, last: int, asked_by: str
) -> PartMove:
    """The move with as much more upwards, or downwards, as makes the part touch.

    One and the same for all frames: so that the part touches in its lowest frame and sinks in
    nowhere.
    """
    points, skin_m = _touching(scene.character, part, asked_by)
    places = move.moved(_places(scene, points, first, last).reshape(-1, 3))
    up = scene.environment.up
    rise = float(rise_to_surface_m(scene.environment, places - skin_m * up).max())
    if not math.isfinite(rise):
        raise BadValue(
            f"on_surface of '{asked_by}'", "used where there is a surface under the part",
            f"none under {part} in frames {first} to {last}",
        )  # fmt: skip
    return replace(move, shift_m=move.shift_m + rise * up)


def _places(scene: Scene, points: Sites, first: int, last: int) -> Array:
    """(n, S, 3) points of the original in the world."""
    frames, known = slice(first, last + 1), scene.character.sites.names
    if all(name in known for name in points.names):
        return scene.site_places_m[frames, [known.index(name) for name in points.names]]
    turned = rotations.rotate(scene.state.rotations_wxyz[frames, points.joints], points.offsets_m)
    return scene.state.positions_m[frames, points.joints] + turned


def _touching(character: Character, part: str, asked_by: str) -> tuple[Sites, float]:
    """The points that can touch, and how far the skin lies below them."""
    points, radii = _contact_points(character) if character.roles is not None else ({}, {})
    if part not in points:
        raise BadValue(
            f"on_surface of '{asked_by}'",
            f"used with a character that has points on its {part} (see complete_character)",
            character.name,
        )
    return points[part], radii[part]


@lru_cache(maxsize=8)
def _contact_points(character: Character) -> tuple[dict[str, Sites], dict[str, float]]:
    """Kept, as finding them takes longer than everything else here."""
    return contact_points(character), contact_radii_m(character)
