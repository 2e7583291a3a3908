"""What touches in a stream: as the sender says, or found with a short delay.

The rule is that of `contact.detection` with what a stream can know of it: a sole touches when it is
low and slow, the two traded for each other, and never while the body falls as gravity pulls. Only
feet are looked at; hands on a rail and seats have to be said by the sender. The level at which each
point of a foot stands is learnt on the way, so the first steps of a body whose soles are off by
centimetres are found less well than in a whole clip.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, Indices
from poise.character import Character, Sites, contact_points
from poise.contact import (
    CUTOFF_HZ,
    FEET,
    HEIGHT_M,
    LEAD_S,
    LEVEL_RANGE_M,
    LOOSE_M,
    PLANTED_BELOW_M,
    PLANTED_M_S,
    SHORTEST_S,
    SPEED_M_S,
    allowed_cutoff_hz,
)
from poise.environment import Environment, query
from poise.errors import BadShape, BadValue, UnknownName
from poise.mechanics import GRAVITY_M_S2, center_of_mass, forward_kinematics, site_positions
from poise.methods.filter.stream_window import Passing, StreamWindow, half_window_frames

HALF_WINDOW_S = 0.1
"""Frames to either side that speeds are taken from: most of what 12 Hz ask for."""

_SINKING_M_S, _RISING_M_S = 0.2, 0.04
"""How fast a standing level follows a foot that stands below it, or above it: a heel that slowly
leaves the ground is above it too."""


class StreamPoints:
    """The points of a body that may touch, by part."""

    def __init__(self, character: Character, parts: Sequence[str]) -> None:
        known = contact_points(character)
        for part in parts:
            if part not in known:
                raise UnknownName("body part of this character", part, known)
        self.parts = tuple(parts)
        self.sites = reduce(Sites.joined, (known[part] for part in parts), Sites())
        self.owners: Indices = np.repeat(
            np.arange(len(parts), dtype=np.int64), [len(known[part]) for part in parts]
        )

    def least(self, values: Array) -> Array:
        """(P,) the least of the values (C,) of each part."""
        least = np.full(len(self.parts), np.inf)
        np.minimum.at(least, self.owners, values)
        return least

    def are_low(self, heights: Array) -> NDArray[np.bool_]:
        """(C,) whether each point is about as low as the lowest of its part."""
        return heights - self.least(heights)[self.owners] < LOOSE_M


class GivenContacts:
    """Contacts as the sender says; of a part that touches, the lowest points do. No delay."""

    latency_frames = 0

    def __init__(
        self, character: Character, points: StreamPoints, environment: Environment
    ) -> None:
        self._character, self._points, self._environment = character, points, environment

    def push(self, frame: Passing) -> Passing:
        """See `Stage`."""
        parts = frame.parts_touching
        if parts is None or len(parts) != len(self._points.parts):
            got = () if parts is None else (len(parts),)
            raise BadShape(
                f"touching of frame {frame.number}", f"({len(self._points.parts)},)", got
            )
        motion = frame.motion
        state = forward_kinematics(self._character.skeleton, motion.roots, motion.local)
        places = site_positions(state, self._points.sites)
        heights = query(self._environment, places[0]).distances_m
        low = self._points.are_low(heights)
        frame.touching = np.asarray(parts, dtype=np.bool_)[self._points.owners] & low
        return frame

    def finish(self) -> list[Passing]:
        """See `Stage`."""
        return []


class FoundContacts:
    """Contacts of the feet, found from their heights and speeds."""

    def __init__(
        self,
        character: Character,
        points: StreamPoints,
        environment: Environment,
        rate_hz: float,
        raised_m: Array,
    ) -> None:
        if character.body is None:
            raise BadValue("character.body", "segment masses (see complete_character)", None)
        if any(part not in FEET for part in points.parts):
            raise BadValue("contact_parts", "feet, where contacts are to be found", points.parts)
        self._character, self._body = character, character.body
        self._points, self._environment, self._rate_hz = points, environment, rate_hz
        self._raised_m = raised_m
        half = half_window_frames(HALF_WINDOW_S, rate_hz, 2)
        cutoff = allowed_cutoff_hz(CUTOFF_HZ, rate_hz)
        self._window = StreamWindow(3 * len(points.sites) + 3, rate_hz, cutoff, half)
        self._held = max(1, round(SHORTEST_S * rate_hz))
        """Frames that a change has to last."""
        self.latency_frames = half + self._held - 1
        self._waiting = deque[Passing]()
        self._seen = deque[tuple[NDArray[np.bool_], NDArray[np.bool_]]]()
        self._start()

    def push(self, frame: Passing) -> Passing | None:
        """See `Stage`."""
        motion = frame.motion
        state = forward_kinematics(
            self._character.skeleton, motion.roots - self._raised_m, motion.local
        )
        places = site_positions(state, self._points.sites)
        center = center_of_mass(state, self._body)
        self._window.push(np.concatenate([places.ravel(), center[0]]))
        self._waiting.append(frame)
        self._taken += 1
        if self._taken > self._window.half_frames:
            self._look()
        return self._decided() if len(self._seen) == self._held else None

    def finish(self) -> list[Passing]:
        """See `Stage`."""
        while self._looked < self._taken:
            self._look()
        rest = [self._decided() for _ in range(len(self._seen))]
        self._start()
        return rest

    def _start(self) -> None:
        self._window.clear()
        self._taken = self._looked = 0
        self._levels = np.full(len(self._points.sites), np.nan)
        self._now: NDArray[np.bool_] | None = None

    def _look(self) -> None:
        """Judge the next frame that has neighbours enough."""
        reach = self._window.reach(self._looked)
        values, first, second = self._window.rates(self._looked, *reach)
        self._looked += 1
        places, velocities = values[:-3].reshape(-1, 3), first[:-3].reshape(-1, 3)
        surface = query(self._environment, places)
        relative = velocities - surface.velocities_m_s
        leaving = np.sum(relative * surface.normals, axis=-1)
        along = relative - leaving[:, None] * surface.normals
        sliding = np.linalg.norm(along, axis=-1)
        over = self._over_levels(surface.distances_m, np.hypot(sliding, leaving))
        score = np.maximum(0.0, over - LEAD_S * np.abs(leaving)) / HEIGHT_M + sliding / SPEED_M_S
        carried = (second[-3:] - GRAVITY_M_S2)[1] > 0.0
        parts = (self._points.least(score) < 1.0) & carried
        self._seen.append((parts, self._points.are_low(over)))

    def _over_levels(self, heights: Array, speeds: Array) -> Array:
        """(C,) heights over the levels at which points stand, as far as these are known.

        A point that is still and near its level stands, whatever the level says.
        """
        slow = speeds < PLANTED_M_S
        new = slow & np.isnan(self._levels) & (np.abs(heights) < 2 * LEVEL_RANGE_M)
        self._levels[new] = heights[new]
        over = heights - np.nan_to_num(self._levels)
        planted = slow & (over < PLANTED_BELOW_M)
        down, up = -_SINKING_M_S / self._rate_hz, _RISING_M_S / self._rate_hz
        self._levels[planted] += np.clip(over, down, up)[planted]
        np.clip(self._levels, -2 * LEVEL_RANGE_M, 2 * LEVEL_RANGE_M, out=self._levels)
        return np.where(planted, np.minimum(over, 0.0), over)

    def _decided(self) -> Passing:
        """The oldest frame; a change counts if it lasts through the frames seen after it."""
        raw, low = self._seen[0]
        if self._now is None:
            self._now = raw.copy()
        lasting = np.logical_and.reduce([parts == raw for parts, _ in self._seen])
        self._now = np.where(lasting, raw, self._now)
        self._seen.popleft()
        frame = self._waiting.popleft()
        frame.touching = self._now[self._points.owners] & low
        return frame
