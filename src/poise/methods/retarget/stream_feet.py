"""Feet that stand, in a stream: what touches stays where it touched, as far as legs reach.

Legs of other proportions move a foot over the ground though its source stands. So every point of a
sole that comes down is remembered where it comes down, and the foot is moved by what its points
have departed since. A rolling foot goes on from the points it leaves to those it reaches. In the
air what it was moved by fades; nothing goes below the ground.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.character import Character, contact_points
from poise.constraints import EVERYTHING, Task, recruits_of_point
from poise.contact import LOOSE_M
from poise.environment import Environment, query
from poise.errors import UnknownName
from poise.mechanics import BodyState, forward_kinematics, site_positions
from poise.motion import Clip

_FIRM = 3.0
"""Weight of a point that stays, against the wishes of poses."""
_FADES_S = 0.15
"""What a foot in the air was moved by falls to a third in this time."""
_SETTLES_S = 0.05
"""The same for how far above the ground it came down."""
_FARTHEST_M = 0.15
"""A foot that would be moved farther over the ground slides: it is dragged along."""
_HIGHEST_M = 0.05
"""A foot that touches this far above the ground stands on something that is not known."""


class StandingFeet:
    """By how much each foot is moved, frame by frame."""

    def __init__(
        self, target: Character, environment: Environment, rate_hz: float, parts: tuple[str, ...]
    ) -> None:
        """Prepare the soles.

        Args:
            target: whose feet.
            environment: what they stand on.
            rate_hz: frames per second.
            parts: the feet, in the order in which they are said to touch.

        Raises:
            UnknownName: a foot that the body does not have.
        """
        known = contact_points(target)
        for part in parts:
            if part not in known:
                raise UnknownName("body part of this character", part, known)
        self._target = target
        self._soles = [known[part] for part in parts]
        self._environment, self._rate_hz = environment, rate_hz
        self._fading, self._settling = (
            math.exp(-1.0 / (seconds * rate_hz)) for seconds in (_FADES_S, _SETTLES_S)
        )
        self._held = [np.full((len(sole), 3), np.nan) for sole in self._soles]
        self.moved_m = np.zeros((len(parts), 3))
        """(P, 3) by how much, in the newest frame."""
        self._ends = np.cumsum([0, *(len(sole) for sole in self._soles)])
        self.stands_m = np.full((int(self._ends[-1]), 3), np.nan)
        """(n, 3) where points of soles stay in the newest frame; NaN where they are free."""

    def tasks(self, clip: Clip) -> list[Task]:
        """One for each point of `stands_m`."""
        state = forward_kinematics(clip.skeleton, *clip.pose)
        found: list[Task] = []
        for sole in self._soles:
            places = site_positions(state, sole)
            for i, name in enumerate(sole.names):
                joint, offset = int(sole.joints[i]), sole.offsets_m[i]
                recruits = recruits_of_point(self._target, joint, offset, EVERYTHING)
                goals = places[:, i]
                found.append(Task(name, "point", 0, goals, recruits, 2, _FIRM, joint, offset))
        return found

    def restart(self) -> None:
        """Forget where anything stands."""
        self.moved_m[:] = 0.0
        self.stands_m[:] = np.nan
        for held in self._held:
            held[:] = np.nan

    def push(self, ideal: BodyState, root_m: Array, touching: NDArray[np.bool_]) -> None:
        """Take one frame.

        Args:
            ideal: where free joints would have them, with the root at zero.
            root_m: (3,) and the root.
            touching: (P,) which of them touch.
        """
        for foot, sole in enumerate(self._soles):
            places = site_positions(ideal, sole, parallel=False)[0] + root_m
            surface = query(self._environment, places)
            heights = surface.distances_m
            held, moved = self._held[foot], self.moved_m[foot]
            lowest = float(heights.min())
            if touching[foot]:
                low = heights - lowest < LOOSE_M
                held[~low] = np.nan
                held += surface.velocities_m_s / self._rate_hz  # belts take feet along
                new = low & np.isnan(held[:, 0])
                held[new] = places[new] + moved
                along = (held[low] - places[low]).mean(axis=0)
                along[1] = 0.0
                excess = max(0.0, 1.0 - _FARTHEST_M / max(float(np.linalg.norm(along)), 1e-9))
                held -= excess * along
                moved[[0, 2]] = (1.0 - excess) * along[[0, 2]]
                if lowest < _HIGHEST_M:
                    moved[1] = -lowest + self._settling * (moved[1] + lowest)
            else:
                held[:] = np.nan
                moved *= self._fading
            moved[1] = max(moved[1], -lowest)
            stands = self.stands_m[self._ends[foot] : self._ends[foot + 1]]
            stands[:] = held
            stands[:, 1] += places[:, 1] + moved[1] - held[:, 1]
