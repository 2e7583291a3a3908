"""Leaping on and on, where the user says (section 4.4).

A family of two leaps one after the other, whose first and last ground stage lie anywhere on a grid
around the middle one: q(d₁, d₂). The second flight of one such motion is blended into the first of
the next, which goes the same way: d₁ of the next is d₂ of this one. So a direction is known two
leaps ahead, and the body gets ready for it while it is still on the ground.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import Character
from poise.errors import BadShape, BadValue
from poise.mechanics import GRAVITY_M_S2, center_of_mass, forward_kinematics
from poise.methods.momentum.family import Family
from poise.methods.momentum.two_leaps import AXES, stage_feet_m
from poise.motion import Clip, smooth_step


@dataclass(frozen=True, eq=False)
class Played:
    """What is shown next: from a landing to just before the one after it."""

    clip: Clip
    """Frames on the ground, then those of the flight."""
    ground_frames: int
    landed_m: tuple[float, float]
    """Where the feet are, x and z."""
    direction_m: tuple[float, float]
    """Of the leap that is taken."""


class LeapController:
    """Leaps without end.

    Every `step` gives the frames from one landing to the next, and takes the direction of the leap
    after that one.
    """

    def __init__(
        self,
        family: Family,
        character: Character,
        start: tuple[float, float] = (0.0, 0.0),
        place_m: tuple[float, float] = (0.0, 0.0),
    ) -> None:
        """Stand ready: for a family with the axes of `two_leaps`, and its character with a body.

        `start` is the leap being landed, and the next one; `place_m` the first landing: x and z.
        """
        if tuple(axis.name for axis in family.axes) != AXES:
            allowed = "one of two leaps (see two_leaps)"
            raise BadValue("family", allowed, ", ".join(axis.name for axis in family.axes))
        if character.body is None or character.roles is None:
            allowed = "one with roles and a body (see complete_character)"
            raise BadValue("character", allowed, "neither")
        place = np.asarray(place_m, dtype=np.float64)
        if place.shape != (2,):
            raise BadShape("place_m", "(2,), x and z", place.shape)
        if not np.isfinite(place).all():
            raise BadValue("place_m", "two numbers", place_m)
        self._family, self._body = family, character.body
        self._spans = [(first, stop) for _, first, stop in family.stages]
        clip = family.at((0.0, 0.0, 0.0, 0.0))
        touching = np.asarray(family.contacts.touching.any(axis=1))
        middle = stage_feet_m(clip, touching, character, [self._spans[2]])[0]
        self._home = middle[[0, 2]]
        self._place = place.copy()
        self._now = self._next = self.inside(start)

    @property
    def reach_m(self) -> float:
        """How far a leap may go along either axis."""
        return self._family.axes[0].values[-1]

    def inside(self, direction: Sequence[float]) -> Array:
        """A direction as far as the family goes."""
        wanted = np.asarray(direction, dtype=np.float64)
        if wanted.shape != (2,):
            raise BadShape("direction", "(2,), x and z", wanted.shape)
        if not np.isfinite(wanted).all():
            raise BadValue("direction", "two numbers", direction)
        return np.clip(wanted, -self.reach_m, self.reach_m)

    def step(self, direction: Sequence[float]) -> Played:
        """The next frames; takes x and z, in metres, of the leap after the one that they take."""
        after = self.inside(direction)
        one = self._poses(self._now, self._next, self._place)
        # The next motion's middle stage is where this one's last stage is.
        place = self._place + self._next
        two = self._poses(self._next, after, place)
        (a, b), (c, d) = self._spans[2], self._spans[3]
        flight = self._flown(one, two, (c, d), self._spans[1])
        roots = np.concatenate([one[0][a:b], flight[0]])
        turns = np.concatenate([one[1][a:b], flight[1]])
        clip = replace(self._family.clip, root_positions_m=roots, rotations_wxyz=turns, source=None)
        played = Played(clip, b - a, _pair(self._place), _pair(self._next))
        self._now, self._next, self._place = self._next, after, place
        return played

    def _poses(self, first: Array, second: Array, place: Array) -> tuple[Array, Array]:
        roots, turns = self._family.poses((*first, *second))
        moved = roots.copy()
        moved[:, [0, 2]] += place - self._home
        return moved, turns

    def _flown(
        self, one: tuple[Array, Array], two: tuple[Array, Array], out: tuple[int, int],
        into: tuple[int, int],
    ) -> tuple[Array, Array]:  # fmt: skip
        """The second flight of one motion turned into the first of the other.

        The centre of mass goes from take-off to landing as gravity has it.
        """
        count, theirs = out[1] - out[0], into[1] - into[0]
        # Both flights from their take-off to their landing, whatever their lengths.
        x = (np.arange(count) + 1.0) / (count + 1.0)
        times = into[0] - 1.0 + x * (theirs + 1.0)
        low = np.clip(np.floor(times).astype(np.int64), 0, len(two[0]) - 2)
        part = (times - low)[:, None]
        their_roots = (1.0 - part) * two[0][low] + part * two[0][low + 1]
        their_turns = rotations.slerp(two[1][low], two[1][low + 1], part)
        share = smooth_step(x)[:, None]
        roots = (1.0 - share) * one[0][out[0] : out[1]] + share * their_roots
        turns = rotations.slerp(one[1][out[0] : out[1]], their_turns, share)
        start = self._center(one[0][[out[0] - 1]], one[1][[out[0] - 1]])[0]
        end = self._center(two[0][[into[1]]], two[1][[into[1]]])[0]
        lasts = (count + 1.0) / self._family.clip.rate_hz
        t = x[:, None] * lasts
        fall = 0.5 * GRAVITY_M_S2 * t * (t - lasts)
        path = start + (end - start) * x[:, None] + fall
        return roots + path - self._center(roots, turns), turns

    def _center(self, roots: Array, turns: Array) -> Array:
        state = forward_kinematics(self._family.clip.skeleton, roots, turns)
        return center_of_mass(state, self._body)


def _pair(values: Array) -> tuple[float, float]:
    return float(values[0]), float(values[1])
