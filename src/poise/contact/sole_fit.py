"""Soles fitted to a capture: the points of a foot that stands flat are on one level.

A skeleton shows where joints are, not where soles are: heels come from proportions, tips of toes
from end sites that often lie centimetres below the ball, and boots have heels. A capture in which a
foot stands flat shows where its sole is. Only the shape of the sole is fitted, not how thick it is:
a body that hovers still hovers.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from poise import rotations
from poise.arrays import Array
from poise.character import SOLE_POINTS, Character, contact_points
from poise.contact.floor import FEET
from poise.contact.point_motion import PointMotion, point_motion
from poise.environment import Environment, query
from poise.mechanics import BodyState, forward_kinematics, site_positions
from poise.motion import Clip

LEAST_M = 0.007
"""Soles of which no point is off by more are known well enough."""
LARGEST_M = 0.06
"""Points that are off by more do not touch while the foot stands: its heel is up, say."""
FLAT_S = 0.5
"""A foot that stands flat for less says nothing of its sole: who lands on the balls of the feet is
still for a moment, too, with the heel up."""
STILL_M_S = 0.15
"""A foot stands while no point of it is faster,"""
DOWN_M = 0.015
"""and heel and ball are down while they are hardly higher than they ever stand."""
_LOW_QUANTILE = 0.07
"""Of the heights of a point while the foot is still: low enough to be down, high enough to ignore a
dip of a few frames."""
_SPREAD_M = 0.015
"""Heights of a point, from the heel's, over the frames in which the foot stands flat; points that
vary more are left alone."""
_LEG_SHARE = 0.75
"""Hips of who stands are higher over the foot than this share of the leg's length."""


def fit_soles(
    character: Character, clip: Clip, environment: Environment
) -> tuple[Character, tuple[str, ...]]:
    """The character with the soles that its feet show where they stand flat; what was fitted."""
    feet = {
        part: sites
        for part, sites in contact_points(character).items()
        if part in FEET and len(sites) == len(SOLE_POINTS)
    }
    if not feet:
        return character, ()
    sites, notes = character.sites, list[str]()
    offsets = sites.offsets_m.copy()
    state = forward_kinematics(clip.skeleton, *clip.pose)
    for part, points in feet.items():
        motion = point_motion(state, points, clip.rate_hz, environment)
        flat = _flat_frames(motion, clip.rate_hz, _stands(state, character, part))
        if flat is None:
            continue
        off = _off_level(motion, flat)
        if np.abs(off).max() <= LEAST_M:
            continue
        normals = query(environment, site_positions(state, points)[flat]).normals
        turns = state.rotations_wxyz[flat][:, points.joints]
        up = rotations.rotate(rotations.conjugate(turns), normals).mean(axis=0)
        up /= np.linalg.norm(up, axis=1, keepdims=True)
        for s, name in enumerate(points.names):
            offsets[sites.index(name)] -= off[s] * up[s]
        notes.append(_note(part, points.names, off))
    if not notes:
        return character, ()
    return replace(character, sites=replace(sites, offsets_m=offsets)), tuple(notes)


def _stands(state: BodyState, character: Character, part: str) -> NDArray[np.bool_]:
    """(F,) whether the body stands over a foot, rather than lying or kneeling beside it."""
    side, roles = part.partition("_")[0], character.known_roles
    legs = [roles.joint(f"{side}_{joint}") for joint in ("hip", "knee", "ankle")]
    places = state.positions_m[:, [character.skeleton.index(name) for name in legs]]
    length = np.linalg.norm(np.diff(places, axis=1), axis=-1).sum(axis=1)
    return np.asarray(places[:, 0, 1] - places[:, 2, 1] > _LEG_SHARE * length)


def _flat_frames(
    motion: PointMotion, rate_hz: float, stands: NDArray[np.bool_]
) -> NDArray[np.bool_] | None:
    """(F,) frames in which a foot stands flat; None where there are too few."""
    heel, ball = (motion.columns(f"_{end}")[0] for end in ("heel", "ball"))
    heights = motion.heights_m
    still = stands & (motion.speeds_m_s < STILL_M_S).all(axis=1)
    still &= (np.abs(heights[:, [heel, ball]]) < 2.0 * LARGEST_M).all(axis=1)
    if still.sum() < FLAT_S * rate_hz:
        return None
    flat = still
    for point in (heel, ball):
        low = np.quantile(heights[flat, point], _LOW_QUANTILE)
        flat = flat & (heights[:, point] < low + DOWN_M)
    return np.asarray(flat) if flat.sum() >= FLAT_S * rate_hz else None


def _off_level(motion: PointMotion, flat: NDArray[np.bool_]) -> Array:
    """(S,) how much higher points are than where the foot stands; zero of those that vary.

    It stands where its heel is, or its ball: the one that is nearer to the surface.
    """
    heights = motion.heights_m[flat]
    middle = np.median(heights, axis=0)
    heel, ball, toes = (motion.columns(f"_{end}")[0] for end in ("heel", "ball", "toe_tip"))
    level = min(middle[heel], middle[ball], key=abs)
    off = middle - level
    if (np.abs(off[[heel, ball]]) > LARGEST_M).any():
        return np.zeros(len(off))  # it stands on its toes
    from_heel = heights - heights[:, [heel]]
    known = np.ptp(np.quantile(from_heel, (0.25, 0.75), axis=0), axis=0) < _SPREAD_M
    known[toes] = off[toes] < 0.0  # toes that hover are left where they are
    return np.where(known & (np.abs(off) <= LARGEST_M), off, 0.0)


def _note(part: str, names: tuple[str, ...], off_m: Array) -> str:
    told = ", ".join(
        f"{name.partition('_')[2].replace('_', ' ')} {-100.0 * off:+.1f} cm"
        for name, off in zip(names, off_m, strict=True)
        if abs(off) > 0.5 * LEAST_M
    )
    return f"The sole of the {part.replace('_', ' ')} was fitted to where it stands: {told}."
