"""Velocity of the belt under a figure that walks or runs in place.

On a treadmill, and in the cycles of games, the body stays where it is and the feet that stand are
carried backwards, all of them at one velocity. No other law tells the two apart: the same motion
over ground differs by a steady velocity. So the velocity is looked for at which some foot stands
for most of the time, and a belt it is where that is far from zero and the body goes nowhere.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poise.arrays import Array
from poise.character import Character, contact_points
from poise.contact.floor import foot_sites
from poise.contact.point_motion import smoothed
from poise.mechanics import forward_kinematics, site_positions
from poise.motion import Clip

SLOWEST_M_S = 0.25
"""Slower belts are drift."""
TRAVEL = 0.35
"""Most that the body may travel, as a share of what the belt runs."""
STANDING = 0.3
"""Most that feet may stand in the world, as a share of the time in which they stand on the belt."""
LEAST_STANDING = 0.15
"""Share of the time in which a foot must stand on the belt: sprinters reach 0.2 a foot."""

LEAST_SLOPE = 0.03
"""Rise over run. Less is none: on level belts the feet of captures show up to 0.02."""

_MOST_SHEARS, _SAME_SLOPE = 8, 1e-3
_LOW_M, _LEVEL_M_S = 0.02, 0.3
"""Feet that stand are this near to their lowest, and rise or sink no faster;"""
_TALL_M = 2.0
"""on taller figures by as much more."""
_LOWEST = 0.05
"""Quantile of a point's heights that counts as its lowest."""
_SPREAD_M_S, _SPREAD_SHARE = 0.2, 0.1
"""How alike the velocities of standing feet are: so much, and this share of the belt's."""
_MOST_FRAMES, _MOST_GUESSES, _MOST_STEPS = 2000, 200, 20
_CLOSE_M_S = 1e-4


def belt_velocity_m_s(clip: Clip, character: Character) -> Array | None:
    """(3,) velocity of the belt; None: the figure stands on the ground, or who knows.

    It is level, or runs down or up where the feet that stand sink or rise with it as on a slope.

    Args:
        clip: the motion.
        character: whose soles.
    """
    feet = _feet(clip, character)
    found = _level_belt(clip, feet)
    if found is None:
        return None
    belt, slope = found
    for _ in range(_MOST_SHEARS):
        if abs(slope) < LEAST_SLOPE:
            break
        # Seen along the slope, heights and speeds of feet are again those over level ground.
        again = _level_belt(clip, feet.along(belt, slope))
        if again is None:
            return None
        belt, more = again
        slope += more
        if abs(more) < _SAME_SLOPE:
            break
    rises = slope if abs(slope) >= LEAST_SLOPE else 0.0
    return np.array([belt[0], rises * float(np.linalg.norm(belt)), belt[1]])


@dataclass(frozen=True, eq=False)
class _Feet:
    """Points of the feet, (F, S, 3), and how low and slow a standing one is."""

    places_m: Array
    velocities_m_s: Array
    low_m: float
    level_m_s: float

    def along(self, belt: Array, slope: float) -> _Feet:
        """Heights and rises over ground that rises so along a belt's way."""
        way = belt / float(np.linalg.norm(belt))
        places, velocities = self.places_m.copy(), self.velocities_m_s.copy()
        for each in (places, velocities):
            each[:, :, 1] -= slope * (each[:, :, [0, 2]] @ way)
        return replace(self, places_m=places, velocities_m_s=velocities)


def _feet(clip: Clip, character: Character) -> _Feet:
    sites = foot_sites(contact_points(character))
    state = forward_kinematics(clip.skeleton, *clip.pose)
    places, velocities, _ = smoothed(site_positions(state, sites), clip.rate_hz)
    stride = max(1, clip.frame_count // _MOST_FRAMES)
    tall = max(1.0, float(np.ptp(clip.skeleton.rest_positions_m[:, 1])) / _TALL_M)
    return _Feet(places[::stride], velocities[::stride], tall * _LOW_M, tall * _LEVEL_M_S)


def _level_belt(clip: Clip, feet: _Feet) -> tuple[Array, float] | None:
    """(2,) velocity over ground, and how much standing feet rise for every metre of it."""
    near, velocities = _low_feet(feet), feet.velocities_m_s[:, :, [0, 2]]
    if near is None:
        return None
    guesses = velocities[near > 0.5 * near.max()]
    guesses = guesses[:: max(1, len(guesses) // _MOST_GUESSES)]
    best = max(guesses, key=lambda guess: _standing(near, velocities, guess)[0])
    weights = near
    for _ in range(_MOST_STEPS):
        weights = _standing(near, velocities, best)[1]
        # The one point that stands best: the others roll over it.
        weights = np.where(weights >= weights.max(axis=1, keepdims=True), weights, 0.0)
        refined = np.einsum("fs,fsk->k", weights, velocities) / weights.sum()
        if np.linalg.norm(refined - best) < _CLOSE_M_S:
            break
        best = refined
    speed = float(np.linalg.norm(best))
    stands = _standing(near, velocities, best)[0]
    in_world = _standing(near, velocities, np.zeros(2))[0]
    roots = clip.root_positions_m[:, [0, 2]]
    travelled = float(np.linalg.norm(roots[-1] - roots[0]))
    run = speed * (clip.frame_count - 1) / clip.rate_hz
    if speed < SLOWEST_M_S or stands < LEAST_STANDING or in_world > STANDING * stands:
        return None
    rise = float((weights * feet.velocities_m_s[:, :, 1]).sum() / weights.sum())
    return None if travelled > TRAVEL * run else (best, rise / speed)


def _low_feet(feet: _Feet) -> Array | None:
    """How much each point of the feet seems to stand, (F, S)."""
    heights = feet.places_m[:, :, 1]
    heights = np.maximum(heights - np.quantile(heights, _LOWEST, axis=0), 0.0)
    rises = feet.velocities_m_s[:, :, 1]
    near = np.exp(-((heights / feet.low_m) ** 2) - (rises / feet.level_m_s) ** 2)
    return near if near.size and near.max() > 0.0 else None


def _standing(near: Array, velocities: Array, guess: Array) -> tuple[float, Array]:
    """Share of the time in which some point stands on a belt of this velocity, and each's part."""
    spread = _SPREAD_M_S + _SPREAD_SHARE * float(np.linalg.norm(guess))
    off = np.sum((velocities - guess) ** 2, axis=2)
    weights = near * np.exp(-off / (2.0 * spread**2))
    return float(weights.max(axis=1).mean()), weights
