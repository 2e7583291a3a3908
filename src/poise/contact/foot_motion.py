"""How high each point of a foot is over the height at which it stands.

Soles are where skeletons put them only to a few centimetres, and floors are off by as much. So each
point of a foot is measured from the height at which it is seen to stand: over one plane where there
is one floor, else over the place where it stood last or will stand next (stairs).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.character import Sites
from poise.contact.floor import (
    FloorFit,
    fit_floor,
    ground_of,
    weighted_quantile,
)
from poise.contact.point_motion import CUTOFF_HZ, PointMotion, point_motion
from poise.contact.schedule import intervals
from poise.environment import Environment
from poise.mechanics import BodyState

STANDING_QUANTILE = 0.07
"""Of the heights of a point while it is slow: low enough to be flat on the floor, high enough to
ignore a dip of a few frames. Anything from 0.05 to 0.1 serves."""

LEVEL_RANGE_M = 0.06
"""How far a point's standing level may be from the floor's: what skeletons get soles wrong by."""

LARGEST_OFFSET_M = 0.15
"""How far a known floor may be off; farther, the feet stand on something that is not known."""

PLANTED_M_S = 0.25
PLANTED_S = 0.15
PLANTED_BELOW_M = 0.05
"""A point slower than this for so long, and lower, stands on the floor: feet do not hover."""

UNEVEN_M = 0.02
"""Both soles of a skeleton are alike, to about this: a foot that hovers slowly while the other one
stands (hopping) does not show where its own sole stands."""

_SHORTEST_STANDING_S = 0.1
"""A point that stood less than this near the floor takes its level from the other foot."""

_STANDING_M_S = 0.5
"""On stairs, a point slower than this stands on something."""


@dataclass(frozen=True, eq=False)
class FootMotion:
    """The points of both feet over their standing levels."""

    motion: PointMotion
    clearances_m: Array
    """(F, S) height of each point over the level at which it stands."""
    standing_m: Array
    """(F, S) that level, as a height over the surface that `motion` refers to."""
    floor: FloorFit
    """Where the feet stand, over the surface that `motion` refers to."""
    place: Environment
    """The environment given, or the ground that the feet show."""


def foot_motion(
    state: BodyState, feet: Sites, rate_hz: float, environment: Environment | None,
    cutoff_hz: float = CUTOFF_HZ, alike: bool = False,
) -> FootMotion:  # fmt: skip
    """Follow the feet over an environment, or over the floor that they show when it is None.

    `alike` feet do not stand on different levels by more than `UNEVEN_M`.
    """
    known = Environment.flat() if environment is None else environment
    motion = point_motion(state, feet, rate_hz, known, cutoff_hz)
    floor = fit_floor(motion, rate_hz)
    place = Environment((ground_of(floor),)) if environment is None else environment
    if environment is None and not floor.single:
        clearances = _over_nearest_stance(motion, rate_hz)
        return FootMotion(motion, clearances, motion.heights_m - clearances, floor, place)
    trusted = floor.single and (environment is None or abs(floor.level_m) <= LARGEST_OFFSET_M)
    heights = motion.heights_m
    if trusted:
        heights = heights - floor.heights_m(motion.places_m)
    levels = _levels(motion, heights, rate_hz)
    if alike:
        levels = np.minimum(levels, _of_mirrored(motion.names, levels) + UNEVEN_M)
    clearances = heights - levels
    standing = motion.heights_m - clearances
    planted = _planted(motion, np.minimum(heights, clearances), rate_hz)
    clearances[planted] = np.minimum(clearances[planted], 0.0)
    return FootMotion(motion, clearances, standing, floor, place)


def _levels(motion: PointMotion, heights: Array, rate_hz: float) -> Array:
    """(S,) the height at which each point stands, near zero."""
    still = motion.stillness * (np.abs(heights) < 2 * LEVEL_RANGE_M)
    stood = still.sum(axis=0) > _SHORTEST_STANDING_S * rate_hz
    levels = np.zeros(len(motion.names))
    for s in np.flatnonzero(stood):
        level = weighted_quantile(heights[:, s], still[:, s], STANDING_QUANTILE)
        levels[s] = np.clip(level, -LEVEL_RANGE_M, LEVEL_RANGE_M)
    for s in np.flatnonzero(~stood):
        other = _mirrored(motion.names[s])
        if other in motion.names and stood[motion.names.index(other)]:
            levels[s] = levels[motion.names.index(other)]
    return levels


def _of_mirrored(names: tuple[str, ...], levels: Array) -> Array:
    """(S,) the level of each point's counterpart on the other foot, infinite without one."""
    others = [_mirrored(name) for name in names]
    return np.array([levels[names.index(o)] if o in names else np.inf for o in others])


def _planted(motion: PointMotion, heights: Array, rate_hz: float) -> NDArray[np.bool_]:
    """(F, S) points that stay still near the floor: they stand, whatever their level says.

    A foot that rolls onto its edge dips below the height at which it stands otherwise (the left
    foot of a golfer does for a second); its level then is too low for its ordinary stances.
    """
    near = (motion.speeds_m_s < PLANTED_M_S) & (heights < PLANTED_BELOW_M)
    planted = np.zeros(near.shape, dtype=np.bool_)
    for s in range(near.shape[1]):
        for first, last in intervals(near[:, s]):
            planted[first:last, s] = last - first >= PLANTED_S * rate_hz
    return planted


def _mirrored(name: str) -> str:
    side, _, rest = name.partition("_")
    return f"{'right' if side == 'left' else 'left'}_{rest}"


def _over_nearest_stance(motion: PointMotion, rate_hz: float) -> Array:
    """(F, S) heights over the stance before or after, whichever happened nearer by."""
    frames = len(motion.heights_m)
    clearances = np.full(motion.heights_m.shape, np.inf)
    shortest = max(1, round(_SHORTEST_STANDING_S * rate_hz))
    for s in range(len(motion.names)):
        runs = intervals(motion.speeds_m_s[:, s] < _STANDING_M_S)
        runs = [(a, b) for a, b in runs if b - a >= shortest]
        if not runs:
            continue
        heights, places = motion.heights_m[:, s], motion.places_m[:, s][:, [0, 2]]
        levels = np.array([np.quantile(heights[a:b], STANDING_QUANTILE) for a, b in runs])
        middles = np.array([places[a:b].mean(axis=0) for a, b in runs])
        # The last run that began by each frame, and the one after it.
        before = np.searchsorted([a for a, _ in runs], np.arange(frames), side="right") - 1
        after = np.minimum(before + 1, len(runs) - 1)
        before = np.maximum(before, 0)
        to_before = np.linalg.norm(places - middles[before], axis=1)
        to_after = np.linalg.norm(places - middles[after], axis=1)
        nearest = np.where(to_before <= to_after, before, after)
        clearances[:, s] = heights - levels[nearest]
    return clearances


def sole_heights_m(feet: FootMotion, names: tuple[str, ...]) -> Array:
    """(F, n) how far points of one foot are over the ground, the tip of its toes as the ball.

    Toes hover or press while a foot stands flat, so where their tip is then says little of where it
    is when the foot rolls over it.
    """
    columns = {name.partition("_")[2]: feet.motion.names.index(name) for name in names}
    standing = feet.standing_m.copy()
    if "toe_tip" in columns and "ball" in columns:
        standing[:, columns["toe_tip"]] = standing[:, columns["ball"]]
    return (feet.motion.heights_m - standing)[:, list(columns.values())]
