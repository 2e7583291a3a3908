"""Velocity of the belt under a figure that walks or runs in place.

On a treadmill, and in the cycles of games, the body stays where it is and the feet that stand are
carried backwards, all of them at one velocity. No other law tells the two apart: the same motion
over ground differs by a steady velocity. So the velocity is looked for at which some foot stands
for most of the time, and a belt it is where that is far from zero and the body goes nowhere.
"""

from __future__ import annotations

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
    """(3,) level velocity of the belt; None: the figure stands on the ground, or who knows.

    Args:
        clip: the motion, over level ground.
        character: whose soles.
    """
    near, velocities = _low_feet(clip, character)
    if near is None:
        return None
    guesses = velocities[near > 0.5 * near.max()]
    guesses = guesses[:: max(1, len(guesses) // _MOST_GUESSES)]
    best = max(guesses, key=lambda guess: _standing(near, velocities, guess)[0])
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
    return None if travelled > TRAVEL * run else np.array([best[0], 0.0, best[1]])


def _low_feet(clip: Clip, character: Character) -> tuple[Array | None, Array]:
    """How much each point of the feet seems to stand, (F, S); its level motion, (F, S, 2)."""
    sites = foot_sites(contact_points(character))
    state = forward_kinematics(clip.skeleton, *clip.pose)
    places, velocities, _ = smoothed(site_positions(state, sites), clip.rate_hz)
    stride = max(1, clip.frame_count // _MOST_FRAMES)
    places, velocities = places[::stride], velocities[::stride]
    heights = places[:, :, 1] - np.quantile(places[:, :, 1], _LOWEST, axis=0)
    tall = max(1.0, float(np.ptp(clip.skeleton.rest_positions_m[:, 1])) / _TALL_M)
    low, level = tall * _LOW_M, tall * _LEVEL_M_S
    near = np.exp(-((np.maximum(heights, 0.0) / low) ** 2) - (velocities[:, :, 1] / level) ** 2)
    return (near if near.size and near.max() > 0.0 else None), velocities[:, :, [0, 2]]


def _standing(near: Array, velocities: Array, guess: Array) -> tuple[float, Array]:
    """Share of the time in which some point stands on a belt of this velocity, and each's part."""
    spread = _SPREAD_M_S + _SPREAD_SHARE * float(np.linalg.norm(guess))
    off = np.sum((velocities - guess) ** 2, axis=2)
    weights = near * np.exp(-off / (2.0 * spread**2))
    return float(weights.max(axis=1).mean()), weights
