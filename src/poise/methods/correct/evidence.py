"""What the reference motion itself says of each candidate: how far it is lifted, how fast it moves.

Two dimensionless numbers per frame and candidate, in the units of the detector's rule
(`poise.contact.detection`): the height over the level at which the candidate rests, in units of H,
and the speed along the surface, in units of V. A candidate touches by the detector's rule where
they add up to less than one.

The paper's own costs need no such limits, it says, and that is true of its weights only: what is
near and slow there is so relative to the candidate that is farthest or fastest in the same frame
(the normalisation by the frame's largest), so that a stance is judged by how fast the other foot
swings. Fixed units cost two numbers per kind of part, which the detector already has.

Of these, V is fitted to the clip. How fast a sole that is loaded moves (soft tissue, rolling, belts
that run unevenly) differs tenfold between captures, and speaks for how fast one may be that leaves:
on the force-plate trials the best V goes with it from 0.5 to 4 m/s. Where soles rest without a
tremor, a foot that moves has left.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.character import SIDES, Character, contact_points
from poise.contact import (
    CUTOFF_HZ,
    FEET,
    HEIGHT_M,
    LEAD_S,
    LEVEL_RANGE_M,
    OTHER_HEIGHT_M,
    OTHER_SPEED_M_S,
    SPEED_M_S,
    STANDING_QUANTILE,
    SWUNG,
    FootMotion,
    foot_motion,
    foot_sites,
    point_motion,
    sole_heights_m,
    swinging,
    weighted_quantile,
)
from poise.environment import Environment, query
from poise.mechanics import forward_kinematics, site_positions
from poise.methods.correct.contact_states import is_sole, touching_sites
from poise.methods.correct.mesh import Mesh
from poise.methods.correct.standing_places import floor_is_trusted
from poise.motion import Clip

SPEED_PER_CREEP = 100.0
"""V over the speed at which loaded soles creep. From 30 on the force-plate trials agree as well;
a high one leaves the detector's V to nearly all captures, so that the frames in which a foot lands
and leaves are planted too."""
LEAST_SPEED_M_S = 0.75
"""Least V: of clips made by code, whose soles do not creep at all."""
_RESTING_S = 0.1
"""Flesh that was still near a surface for less has not rested on it."""
_CREEP_S = 0.1
"""Over which creep is measured: long enough for noise to average out."""
_CREEPING = 0.2
"""Share of the loaded time in which soles creep faster than what counts."""
_SURELY = 0.75
"""Of the detector's limit: points below it are surely loaded."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """How far from touching each candidate is, frame by frame (F, B)."""

    candidates: tuple[str, ...]
    lifted: Array
    """Height over the resting level, over H; 0 or less: as low as when it rests."""
    moving: Array
    """Speed along the surface, over V."""
    clearances_m: Array
    """Height over the resting level."""
    sliding_m_s: Array
    """Speed along the surface, relative to it."""

    @property
    def scores(self) -> Array:
        """(F, B) below 1 where the detector's rule says that a candidate touches."""
        return self.lifted + self.moving


def evidence(mesh: Mesh, clip: Clip, character: Character, environment: Environment) -> Evidence:
    """Follow the candidates of a mesh over an environment."""
    state = forward_kinematics(clip.skeleton, *clip.pose)
    soles = foot_sites(contact_points(character))
    feet = foot_motion(state, soles, clip.rate_hz, environment)
    sole_speed = speed_limit_m_s(feet, site_positions(state, soles), clip.rate_hz)
    frames, count = clip.frame_count, len(mesh.candidates)
    lifted, moving = np.empty((frames, count)), np.empty((frames, count))
    clearances, sliding = np.empty((frames, count)), np.empty((frames, count))
    for b, candidate in enumerate(mesh.candidates):
        sites = touching_sites(mesh, character, candidate)
        if is_sole(candidate):
            columns = [feet.motion.names.index(name) for name in sites.names]
            above = feet.clearances_m[:, columns]
            along = feet.motion.sliding_m_s[:, columns]
            fast = along
            low = np.maximum(0.0, above - LEAD_S * np.abs(feet.motion.leaving_m_s[:, columns]))
            height, speed = HEIGHT_M, sole_speed
        else:
            motion = point_motion(state, sites, clip.rate_hz, environment)
            above = motion.heights_m - mesh.radius_m[b]
            if floor_is_trusted(feet.floor):
                above = above - feet.floor.heights_m(motion.places_m)
            above = above - _flesh_level_m(above, motion.stillness, clip.rate_hz)
            along, fast = motion.sliding_m_s, motion.speeds_m_s
            low = np.maximum(0.0, above)
            height, speed = OTHER_HEIGHT_M, OTHER_SPEED_M_S
        nearest = (low / height + fast / speed).argmin(axis=1)
        rows = np.arange(frames)
        lifted[:, b] = low[rows, nearest] / height
        moving[:, b] = fast[rows, nearest] / speed
        clearances[:, b] = above[rows, nearest]
        sliding[:, b] = along[rows, nearest]
        if is_sole(candidate):
            moving[:, b] += SWUNG * swinging(low / height + fast / speed, along, clip.rate_hz)
    return Evidence(mesh.candidates, lifted, moving, clearances, sliding)


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


@dataclass(frozen=True, eq=False)
class WholeFoot:
    """A foot by all of its points, the tip of its toes included."""

    scores: Array
    """(F,) below 1 where one of its points touches by the detector's rule."""
    speeds_m_s: Array
    """(F,) of the point that is nearest to touching."""
    lifts_m: Array
    """(F,) how far its lowest point is over the ground (see `sole_heights_m`)."""


def whole_feet(clip: Clip, character: Character, environment: Environment) -> dict[str, WholeFoot]:
    """Each foot of a character, by the part's name."""
    state = forward_kinematics(clip.skeleton, *clip.pose)
    points = contact_points(character)
    soles = foot_sites(points)
    feet = foot_motion(state, soles, clip.rate_hz, environment)
    limit = speed_limit_m_s(feet, site_positions(state, soles), clip.rate_hz)
    lead = LEAD_S * np.abs(feet.motion.leaving_m_s)
    low = np.maximum(0.0, feet.clearances_m - lead) / HEIGHT_M
    scores = low + feet.motion.sliding_m_s / limit
    rows = np.arange(clip.frame_count)
    found: dict[str, WholeFoot] = {}
    for part in FEET:
        if part in points:
            columns = np.array([feet.motion.names.index(name) for name in points[part].names])
            nearest = columns[scores[:, columns].argmin(axis=1)]
            swings = swinging(scores[:, columns], feet.motion.sliding_m_s[:, columns], clip.rate_hz)
            found[part] = WholeFoot(
                scores[rows, nearest] + SWUNG * swings, feet.motion.speeds_m_s[rows, nearest],
                sole_heights_m(feet, points[part].names).min(axis=1),
            )  # fmt: skip
    return found


def speed_limit_m_s(feet: FootMotion, raw_m: Array, rate_hz: float) -> float:
    """V of a clip's soles, from how they creep while they are surely loaded.

    Creep is the displacement along the surface over a tenth of a second, beyond what all stances
    have in common (a figure that drifts as a whole, a belt that is faster than said), of the
    slowest point of each foot, as fast as it is in a fifth of all stances' time (people also just
    stand), less what noise makes of it: `raw_m` (F, S, 3) are the points of the feet, not smoothed.
    """
    motion = feet.motion
    step = max(1, round(_CREEP_S * rate_hz))
    frames = len(motion.places_m) - step
    if frames < 1:
        return SPEED_M_S
    surface = query(feet.place, motion.places_m)
    moved = (motion.places_m[step:] - motion.places_m[:-step]) * (rate_hz / step)
    moved = moved - surface.velocities_m_s[step:]
    normals = surface.normals[step:]
    moved = moved - np.sum(moved * normals, axis=2, keepdims=True) * normals
    low = np.maximum(0.0, feet.clearances_m) / HEIGHT_M
    loaded = low + motion.sliding_m_s / SPEED_M_S < _SURELY
    through = np.logical_and.reduce([loaded[i : frames + i] for i in range(step + 1)])
    if not through.any():
        return SPEED_M_S
    speeds = np.linalg.norm(moved - np.median(moved[through], axis=0), axis=2)
    speeds[~through] = np.inf
    sides = [[i for i, name in enumerate(motion.names) if name.startswith(s)] for s in SIDES]
    slowest = np.concatenate([speeds[:, columns].min(axis=1) for columns in sides if columns])
    seen = float(np.quantile(slowest[np.isfinite(slowest)], 1.0 - _CREEPING))
    noise = _noise_creep_m_s(raw_m, loaded, rate_hz)
    creep = np.sqrt(max(0.0, seen**2 - noise**2))
    return float(np.clip(SPEED_PER_CREEP * creep, LEAST_SPEED_M_S, SPEED_M_S))


def _noise_creep_m_s(raw_m: Array, loaded: NDArray[np.bool_], rate_hz: float) -> float:
    """How fast points that stand seem to creep because of white noise in their places.

    Its size per axis follows from fourth differences of the points that are loaded (which see
    nothing of slow motion), what is left of it from the smoothing's cutoff, and the speed from two
    such places that are independent.
    """
    if len(raw_m) < 5:
        return 0.0
    still = np.logical_and.reduce([loaded[i : len(loaded) - 4 + i] for i in range(5)])
    if not still.any():
        return 0.0
    fourth = np.abs(np.diff(raw_m, n=4, axis=0)[still])
    size = float(np.median(fourth)) / (0.6745 * np.sqrt(70.0))
    kept = np.sqrt(min(1.0, 2.0 * CUTOFF_HZ / rate_hz))
    # Of two independent normal numbers, the length that this share of them exceeds.
    length = np.sqrt(-2.0 * np.log(_CREEPING))
    return float(length * np.sqrt(2.0) * kept * size / _CREEP_S)


def height_limits_m(mesh: Mesh) -> Array:
    """(B,) H of each candidate."""
    return np.array([HEIGHT_M if is_sole(c) else OTHER_HEIGHT_M for c in mesh.candidates])
