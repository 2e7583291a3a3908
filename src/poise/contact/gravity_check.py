"""Whether a clip's frame rate is right: in flight, the body has to fall at 9.81 m/s².

Abe, Liu & Popović 2004, section 4.1: with no contact the centre of mass follows a parabola, and its
curvature per frame squared ties gravity to the time between frames. Flights are found by shape
alone, so that a wrong rate cannot hide them: every contact point is clear of the surface, the
centre of mass follows a parabola closely, and it does not accelerate sideways. How strong the
curvature is plays no part in that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from poise.arrays import Array, Indices
from poise.character import Character, contact_points, contact_radii_m
from poise.contact.floor import FEET, foot_sites
from poise.contact.foot_motion import foot_motion
from poise.contact.point_motion import part_motions
from poise.contact.schedule import intervals
from poise.environment import Environment
from poise.errors import BadValue
from poise.mechanics import GRAVITY_M_S2, center_of_mass, forward_kinematics
from poise.motion import Clip

Verdict = Literal["right", "wrong", "unverified"]

RIGHT_WITHIN = 1.2
"""Factor between fitted and true gravity that a right rate may show: errors of the body model."""

_FACTORS = (1 / 4, 1 / 3, 1 / 2, 2.0, 3.0, 4.0)
"""Frames dropped or doubled by an exporter: what wrong rates mostly come from."""
_USUAL_RATES_HZ = (24.0, 25.0, 30.0, 50.0, 60.0, 72.0, 90.0, 100.0, 120.0, 150.0, 200.0, 240.0)
_SNAP = 0.08
"""Share by which a rate may be off one of those and still be called by it."""

_CLEAR_M = 0.02
"""Every foot point is this far over its standing level in flight."""
_CLEAR_AT_PEAK_M = 0.04
"""At some time in it they are this far: feet that merely hover are planted and badly measured."""
_CLEAR_OF_OTHERS_M = 0.10
"""The same for the skin of hands, knees and so on over the surface, which is known less well."""
_FEWEST_FRAMES = 5
_LONGEST_S = 3.0
"""A real flight takes at most 1 s; a rate wrong by 3 makes that 3."""
_LOWEST_ARC_M = 0.006
"""Height of the parabola over its chord; lower ones drown in the error of the centre of mass."""
_CENTER_ERROR_M = 0.0025
"""How far a body model's centre of mass wanders off the true one during a flight."""
_MODEL_ERROR = 0.05
"""Share by which the body model's errors put one flight's gravity off, however long."""
_SHARE_IN_FLIGHT = 0.7
"""Of a stretch without contact that the parabola has to hold for: who flies, flies throughout."""
_ROUGHEST = 0.08
"""Residual of the parabola over the height of its arc."""
_SIDEWAYS = 0.25
"""Largest horizontal acceleration over the vertical one."""
_FOLLOWS_M = 0.003
_FOLLOWS_SHARE = 0.03
"""Frames at the ends of a flight that stray farther from its parabola than this, or this share of
its height, are part of a contact."""


@dataclass(frozen=True)
class Flight:
    """One flight and the gravity that its parabola shows."""

    first: int
    """First frame."""
    last: int
    """First frame after it."""
    gravity_m_s2: float
    """Downward acceleration of the centre of mass at the clip's rate."""
    uncertainty: float
    """Standard deviation of that, as a share of it."""
    arc_m: float
    """Height of the parabola over the chord between its ends."""


@dataclass(frozen=True)
class GravityCheck:
    """What the flights of a clip say about its rate."""

    verdict: Verdict
    rate_hz: float
    """As the clip states it."""
    flights: tuple[Flight, ...]
    gravity_m_s2: float | None
    """From all flights together; None without any."""
    uncertainty: float | None
    """Standard deviation of that, as a share of it."""
    likely_rate_hz: float | None
    """The rate at which the body would fall as it should; None unless the rate is wrong."""
    note: str
    """A sentence for the user."""


def check_gravity(
    clip: Clip, character: Character, environment: Environment | None = None
) -> GravityCheck:
    """Look for flights and judge the clip's rate by them.

    Args:
        clip: clean motion (no artificial first frame).
        character: with a body.
        environment: the place; None takes the floor that the feet show.
    """
    if character.body is None:
        raise BadValue("character.body", "segment masses (see complete_character)", None)
    state = forward_kinematics(clip.skeleton, *clip.pose)
    center = center_of_mass(state, character.body)
    points, radii = contact_points(character), contact_radii_m(character)
    feet = foot_motion(state, foot_sites(points), clip.rate_hz, environment)
    lowest = feet.clearances_m.min(axis=1)
    clear = lowest > _CLEAR_M
    others = {part: sites for part, sites in points.items() if part not in FEET}
    for part, motion in part_motions(state, others, clip.rate_hz, feet.place).items():
        # However fast it moves: a wrong rate must not make a hand that carries look free.
        clear &= (motion.heights_m - radii[part] > _CLEAR_OF_OTHERS_M).all(axis=1)
    found = [
        flight
        for first, last in intervals(clear)
        if lowest[first:last].max() > _CLEAR_AT_PEAK_M
        and last - first <= _LONGEST_S * clip.rate_hz
        and (flight := _fitted(center, first, last, clip.rate_hz)) is not None
    ]
    return _judged(clip.rate_hz, tuple(found))


def _fitted(center: Array, first: int, last: int, rate_hz: float) -> Flight | None:
    """The parabola of one stretch without contact; None if the body does not fly in it."""
    frames = _without_repeats(center, first, last)
    count = len(frames)
    # From the middle outwards, because the ends may still hold a toe that pushes.
    a, b = count // 4, count - count // 4
    if b - a < _FEWEST_FRAMES:
        a, b = 0, count
    for _ in range(2):
        if b - a < _FEWEST_FRAMES:
            return None
        curve = _Parabola.through(center, frames[a:b])
        off = np.abs(curve.off(center, frames)[:, 1]) > max(
            _FOLLOWS_M, _FOLLOWS_SHARE * curve.arc_m(frames)
        )
        middle = (a + b) // 2
        before, after = np.flatnonzero(off[:middle]), np.flatnonzero(off[middle:])
        a = int(before[-1]) + 1 if len(before) else 0
        b = middle + int(after[0]) if len(after) else count
    if b - a < max(_FEWEST_FRAMES, _SHARE_IN_FLIGHT * count):
        return None
    return _as_flight(center, frames[a:b], rate_hz)


def _without_repeats(center: Array, first: int, last: int) -> Indices:
    """The frames of a stretch in which the body has moved; exporters repeat frames."""
    frames = np.arange(first, last)
    if first == 0:
        frames = frames[1:]
    moved = (center[frames] != center[frames - 1]).any(axis=1)
    return frames[moved]


def _as_flight(center: Array, frames: Indices, rate_hz: float) -> Flight | None:
    curve = _Parabola.through(center, frames)
    sideways, upward, more_sideways = 2.0 * curve.coefficients[2]
    falling = -float(upward)
    rms = float(np.sqrt(np.mean(curve.off(center, frames)[:, 1] ** 2)))
    arc = curve.arc_m(frames)
    flies = (
        arc >= _LOWEST_ARC_M
        and rms <= _ROUGHEST * arc
        and np.hypot(sideways, more_sideways) <= _SIDEWAYS * falling
    )
    if not flies:
        return None
    uncertainty = float(np.hypot(_CENTER_ERROR_M / arc, _MODEL_ERROR))
    gravity = falling * rate_hz**2
    return Flight(int(frames[0]), int(frames[-1]) + 1, gravity, uncertainty, arc)


@dataclass(frozen=True, eq=False)
class _Parabola:
    """A quadratic path in time, counted in frames from a frame near it."""

    start: int
    coefficients: Array
    """(3, 3) of 1, t and t², one column per axis."""

    @staticmethod
    def through(center: Array, frames: Indices) -> _Parabola:
        """The best fit to the path at some frames."""
        start = int(frames[0])
        fit = np.linalg.lstsq(_powers(frames - start), center[frames], rcond=None)[0]
        return _Parabola(start, np.asarray(fit, dtype=np.float64))

    def arc_m(self, frames: Indices) -> float:
        """Height of its top over the chord between two ends."""
        return -float(self.coefficients[2, 1]) * float(frames[-1] - frames[0]) ** 2 / 4.0

    def off(self, center: Array, frames: Indices) -> Array:
        """(K, 3) where the path is minus where the parabola says."""
        return center[frames] - _powers(frames - self.start) @ self.coefficients


def _powers(t: Indices) -> Array:
    times = t.astype(np.float64)
    return np.stack([np.ones(len(times)), times, times**2], axis=1)


def _judged(rate_hz: float, flights: tuple[Flight, ...]) -> GravityCheck:
    if not flights:
        note = f"Rate unverified: no flight in the clip to test {rate_hz:g} Hz with."
        return GravityCheck("unverified", rate_hz, (), None, None, None, note)
    weights = np.array([flight.uncertainty**-2 for flight in flights])
    logs = np.log([flight.gravity_m_s2 for flight in flights])
    mean = float((weights * logs).sum() / weights.sum())
    # Flights err together (one body model), so more of them help only down to its error.
    spread = float(np.sqrt(max(1.0 / weights.sum(), _MODEL_ERROR**2)))
    true = float(np.linalg.norm(GRAVITY_M_S2))
    gravity = float(np.exp(mean))
    off = abs(mean - np.log(true))
    count = f"{len(flights)} flight" + ("s" if len(flights) > 1 else "")
    shown = f"gravity {gravity:.1f} m/s² from {count}"
    if off <= np.log(RIGHT_WITHIN):
        note = f"Rate right: {shown} at {rate_hz:g} Hz."
        return GravityCheck("right", rate_hz, flights, gravity, spread, None, note)
    if off - 2.0 * spread <= np.log(RIGHT_WITHIN):
        note = (
            f"Rate unverified: {shown}, too short or low to tell whether {rate_hz:g} Hz is right."
        )
        return GravityCheck("unverified", rate_hz, flights, gravity, spread, None, note)
    likely = _usual(rate_hz * float(np.sqrt(true / gravity)), rate_hz)
    note = f"Rate wrong: {shown} at {rate_hz:g} Hz; looks like {likely:g} Hz."
    return GravityCheck("wrong", rate_hz, flights, gravity, spread, likely, note)


def _usual(likely_hz: float, rate_hz: float) -> float:
    """A simple multiple of the stated rate nearby, else a usual rate, else a whole number."""
    for known in ([factor * rate_hz for factor in _FACTORS], _USUAL_RATES_HZ):
        nearest = min(known, key=lambda hz: abs(np.log(hz / likely_hz)))
        if abs(np.log(nearest / likely_hz)) <= _SNAP:
            return nearest
    return float(round(likely_hz)) or likely_hz
