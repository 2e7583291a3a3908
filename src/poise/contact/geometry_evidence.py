"""What geometry says of every body part: how near to a surface it is, and how fast along it.

A part touches where its nearest point's height over the level at which it rests, over H, and its
speed, over V, add up to less than one: the rule of `detection`. Here the rule is evidence with a
stated uncertainty instead of a verdict. How noisy the clip is is read off its own points; noisy
clips are smoothed more, and what noise is left makes evidence weaker. How fast a loaded sole may
move (soft tissue, rolling, belts that run unevenly) differs tenfold between captures, so that V is
read off the clip's stances.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import binary_erosion

from poise.arrays import Array
from poise.character import SIDES, Character, contact_points, contact_radii_m
from poise.contact.detection import (
    OTHER_HEIGHT_M,
    OTHER_SPEED_M_S,
)
from poise.contact.floor import FEET, foot_sites, weighted_quantile
from poise.contact.foot_motion import (
    LARGEST_OFFSET_M,
    LEVEL_RANGE_M,
    STANDING_QUANTILE,
    FootMotion,
    foot_motion,
    sole_heights_m,
)
from poise.contact.point_motion import CUTOFF_HZ, part_motions
from poise.contact.schedule import BODY_PARTS, SWUNG, swinging
from poise.environment import Environment, query
from poise.mechanics import BodyState, site_positions

SOLE_HEIGHT_M, SOLE_SPEED_M_S = 0.025, 2.5
"""H and V of soles."""
LANDING_S, LEAVING_S = 0.012, 0.0075
"""Smoothing rounds the moments of landing and leaving by about this much."""
LOWEST_CUTOFF_HZ = 4.0
"""Of the smoothing of noisy clips: a step is still one."""
HEIGHT_NOISE_M = 0.004
"""What noise may be left in heights."""
SPEED_PER_CREEP = 60.0
"""V over the speed at which loaded soles creep. From 40 to 100 force plates and captures agree
alike; below 30 they agree less."""
LEAST_SPEED_M_S, LEAST_NOISY_M_S = 0.5, 1.5
"""Least V: of clips made by code, whose soles do not creep at all, and of clips whose noise hides
by how much they do."""
_HIDDEN = 0.25
"""Share of what noise seems to creep by that real creep may hide behind."""
_CREEP_S = 0.1
"""Over which creep is measured: long enough for noise to average out."""
_CREEPING = 0.25
"""Share of the loaded time in which soles creep faster than what counts."""
_RIM_S = 0.025
"""Of a stance, at both ends, in which soles still land and already leave: smoothing makes that look
like creep."""
_SURELY = 0.75
"""Of the detector's limit: points below it are surely loaded."""
RIGID = ("left_shoulder", "right_shoulder", "chest")
"""Parts that one bone carries: of these only what is lowest touches."""
RIGID_M, RIGID_HEIGHT_M = 0.01, 0.015
"""Higher than the lowest of them by this, a part is off by once its rule for each of those."""
_RESTING_S = 0.1
"""Flesh that was still near a surface for less has not rested on it."""


@dataclass(frozen=True, eq=False)
class GeometryEvidence:
    """How far from touching each part is, frame by frame."""

    parts: tuple[str, ...]
    scores: Array
    """(F, P) below 1 where a part touches by its height and speed."""
    doubts: Array
    """(P,) standard deviation that noise leaves in the scores."""
    sliding_m_s: Array
    """(F, P) speed along the surface of the point that is nearest to touching."""
    speeds_m_s: Array
    """(F, P) of the same point, in any direction."""
    lifts_m: Array
    """(F, P) how far the lowest point of a foot is over the ground; of other parts, their skin."""
    cutoff_hz: float
    """Where the smoothing keeps half the amplitude."""


def geometry_evidence(
    state: BodyState, character: Character, environment: Environment, rate_hz: float
) -> GeometryEvidence:
    """Follow all parts of a body that can touch something over an environment."""
    points, radii = contact_points(character), contact_radii_m(character)
    parts = tuple(part for part in BODY_PARTS if part in points)
    soles = foot_sites(points)
    raw = site_positions(state, soles)
    noise = _noise_m(raw)
    cutoff = suited_cutoff_hz(noise, rate_hz)
    feet = foot_motion(state, soles, rate_hz, environment, cutoff, alike=True)
    limit = speed_limit_m_s(feet, raw, rate_hz)
    frames = state.frame_count
    scores, sliding = np.empty((frames, len(parts))), np.empty((frames, len(parts)))
    total = np.empty((frames, len(parts)))
    lifts, doubts = np.empty((frames, len(parts))), np.empty(len(parts))
    others = {part: sites for part, sites in points.items() if part not in FEET}
    motions = part_motions(state, others, rate_hz, feet.place, cutoff)
    left_m, left_m_s = _noise_left(noise, rate_hz, cutoff)
    rows = np.arange(frames)
    for p, part in enumerate(parts):
        if part in FEET:
            columns = np.array([feet.motion.names.index(name) for name in points[part].names])
            along, fast = feet.motion.sliding_m_s[:, columns], limit
            rising = feet.motion.leaving_m_s[:, columns]
            lead = np.where(rising < 0.0, LANDING_S, LEAVING_S) * np.abs(rising)
            height, near = SOLE_HEIGHT_M, np.maximum(0.0, feet.clearances_m[:, columns] - lead)
            speeds, whole = along, feet.motion.speeds_m_s[:, columns]
            lifts[:, p] = sole_heights_m(feet, points[part].names).min(axis=1)
        else:
            motion = motions[part]
            above = motion.heights_m - radii[part]
            if feet.floor.single and abs(feet.floor.level_m) <= LARGEST_OFFSET_M:
                above = above - feet.floor.heights_m(motion.places_m)
            above = above - _flesh_level_m(above, motion.stillness, rate_hz)
            along, speeds, whole = motion.sliding_m_s, motion.speeds_m_s, motion.speeds_m_s
            height, fast, near = OTHER_HEIGHT_M, OTHER_SPEED_M_S, np.maximum(0.0, above)
            lifts[:, p] = above.min(axis=1)
        each = near / height + speeds / fast
        nearest = each.argmin(axis=1)
        scores[:, p], sliding[:, p] = each[rows, nearest], along[rows, nearest]
        total[:, p] = whole[rows, nearest]
        if part in FEET:
            scores[:, p] += SWUNG * swinging(each, along, rate_hz)
        doubts[p] = np.hypot(left_m / height, left_m_s / fast)
    rigid = [p for p, part in enumerate(parts) if part in RIGID]
    if rigid:
        over = lifts[:, rigid] - lifts[:, rigid].min(axis=1, keepdims=True)
        scores[:, rigid] += np.maximum(0.0, over - RIGID_M) / RIGID_HEIGHT_M
    return GeometryEvidence(parts, scores, doubts, sliding, total, lifts, cutoff)


def suited_cutoff_hz(noise_m: float, rate_hz: float) -> float:
    """The cutoff at which noise of this deviation leaves `HEIGHT_NOISE_M` in heights."""
    if noise_m <= 0.0:
        return CUTOFF_HZ
    share = (HEIGHT_NOISE_M / noise_m) ** 2
    return float(np.clip(0.5 * rate_hz * share, LOWEST_CUTOFF_HZ, CUTOFF_HZ))


def _noise_left(noise_m: float, rate_hz: float, cutoff_hz: float) -> tuple[float, float]:
    """What white noise leaves in smoothed places and in their speeds."""
    kept = np.sqrt(min(1.0, 2.0 * cutoff_hz / rate_hz))
    return noise_m * kept, noise_m * kept * 2.0 * np.pi * cutoff_hz / np.sqrt(3.0)


def _noise_m(paths_m: Array) -> float:
    """Deviation of white noise along an axis of paths (F, S, 3), by their fourth differences."""
    if len(paths_m) < 8:
        return 0.0
    rough = np.abs(np.diff(paths_m, n=4, axis=0))
    return float(np.median(rough)) / (0.6745 * np.sqrt(70.0))


def _flesh_level_m(above_m: Array, stillness: Array, rate_hz: float) -> float:
    """How high over the surface a part's lowest point is when it rests, none or more.

    Captures know skin little better than soles (in some the wrist is missing, and a hand that
    carries the body stays five centimetres over the floor). A part that is still near the surface
    for a while rests on it.
    """
    lowest = above_m.argmin(axis=1)
    rows = np.arange(len(above_m))
    heights, still = above_m[rows, lowest], stillness[rows, lowest]
    still = still * (heights < LEVEL_RANGE_M)
    if still.sum() <= _RESTING_S * rate_hz:
        return 0.0
    return max(0.0, weighted_quantile(heights, still, STANDING_QUANTILE))


def speed_limit_m_s(feet: FootMotion, raw_m: Array, rate_hz: float) -> float:
    """V of a clip's soles, from how they creep while they are surely loaded.

    Creep is the displacement along the surface over a tenth of a second, beyond what all stances
    have in common (a figure that drifts as a whole, a belt that is faster than said), of the
    slowest point of each foot, as fast as it is in a quarter of all stances' time (people also just
    stand), less what noise makes of it: `raw_m` (F, S, 3) are the points of the feet, not smoothed.
    """
    motion = feet.motion
    step = max(1, round(_CREEP_S * rate_hz))
    frames = len(motion.places_m) - step
    if frames < 1:
        return SOLE_SPEED_M_S
    surface = query(feet.place, motion.places_m)
    moved = (motion.places_m[step:] - motion.places_m[:-step]) * (rate_hz / step)
    moved = moved - surface.velocities_m_s[step:]
    normals = surface.normals[step:]
    moved = moved - np.sum(moved * normals, axis=2, keepdims=True) * normals
    low = np.maximum(0.0, feet.clearances_m) / SOLE_HEIGHT_M
    loaded = low + motion.sliding_m_s / SOLE_SPEED_M_S < _SURELY
    settled = binary_erosion(loaded, np.ones((2 * round(_RIM_S * rate_hz) + 1, 1)), border_value=1)
    through = np.logical_and.reduce([settled[i : frames + i] for i in range(step + 1)])
    if not through.any():
        return SOLE_SPEED_M_S
    speeds = np.linalg.norm(moved - np.median(moved[through], axis=0), axis=2)
    speeds[~through] = np.inf
    sides = [[i for i, name in enumerate(motion.names) if name.startswith(s)] for s in SIDES]
    slowest = np.concatenate([speeds[:, columns].min(axis=1) for columns in sides if columns])
    seen = float(np.quantile(slowest[np.isfinite(slowest)], 1.0 - _CREEPING))
    noise = _noise_creep_m_s(raw_m, loaded, rate_hz)
    creep = np.sqrt(max(0.0, seen**2 - noise**2))
    least = min(LEAST_SPEED_M_S + SPEED_PER_CREEP * _HIDDEN * noise, LEAST_NOISY_M_S)
    return float(np.clip(SPEED_PER_CREEP * creep, least, SOLE_SPEED_M_S))


def _noise_creep_m_s(raw_m: Array, loaded: NDArray[np.bool_], rate_hz: float) -> float:
    """How fast points that stand seem to creep because of white noise in their places.

    Its size per axis follows from fourth differences of the points that are loaded (which see
    nothing of slow motion), what is left of it from the smoothing's cutoff, and the speed from two
    such places that are independent. Infinite where nothing stands for five frames: noise may
    hide any creep.
    """
    if len(raw_m) < 5:
        return np.inf
    still = np.logical_and.reduce([loaded[i : len(loaded) - 4 + i] for i in range(5)])
    if not still.any():
        return np.inf
    fourth = np.abs(np.diff(raw_m, n=4, axis=0)[still])
    size = float(np.median(fourth)) / (0.6745 * np.sqrt(70.0))
    kept = np.sqrt(min(1.0, 2.0 * CUTOFF_HZ / rate_hz))
    # Of two independent normal numbers, the length that this share of them exceeds.
    length = np.sqrt(-2.0 * np.log(_CREEPING))
    return float(length * np.sqrt(2.0) * kept * size / _CREEP_S)
