"""How a foot or hand is moved from where the original has it, and set on what is under it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import Character, Sites, contact_points, contact_radii_m
from poise.constraints.scene import Scene
from poise.constraints.surface_under import rise_to_surface_m
from poise.errors import BadValue


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
