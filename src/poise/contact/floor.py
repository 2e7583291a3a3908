"""Where the floor is, as the feet of a clip show it.

Feet that stand are slow, and most of them stand on one plane. Samples of heels and balls, weighted
by their slowness, are fitted by a plane each (the two ride at different heights over one tilt) with
weights that forget what lies off the plane: raised feet, kicks, stairs. The tilt is held back by a
prior, because a person who walks two steps says little about it, and a person who stands nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from poise.arrays import Array
from poise.character import UP, Character, Sites, contact_points
from poise.contact.point_motion import PointMotion, joined_sites, point_motion
from poise.environment import Environment, Ground
from poise.errors import BadValue
from poise.mechanics import forward_kinematics
from poise.motion import Clip

STEEPEST = 0.05
"""Rise over run beyond which a fitted tilt is stairs or a hill, not a camera set up askew."""

SINGLE_FLOOR_SHARE = 0.75
"""Share of the standing time that one floor has to explain: stairs reach 0.55, a jump, whose feet
are slow for a moment at its top too, 0.8."""

_STANCE_S = 0.4
"""Slow frames of one stance are one observation, not many: its heights err together."""

_HEIGHT_ERROR_M = 0.007
"""Of one stance."""
_TILT_PRIOR = 0.02
"""Rise over run that captures are off by, as a standard deviation."""
_FOOT_DIFFERENCE_M = 0.01
"""Left and right foot of one skeleton ride at different heights by this much; without it, such a
difference would pass for a floor that tilts sideways."""
_FIRST_GUESS = 0.2
"""Weighted quantile of the heights of slow feet that starts the fit."""
_REACHES_M = (0.15, 0.08, 0.04, 0.025)
"""Samples farther from the plane have no say; narrowed step by step, so that the first plane need
not be a good one."""
_NEAR_M = 0.05
_MOST_STEPS, _ENOUGH = 6, 1e-6
_HARDLY_STANDING = 0.1
"""Share of a clip below which standing feet look like a treadmill's."""
FEET = ("left_foot", "right_foot")
_STANDING_POINTS = ("_ball", "_heel")


@dataclass(frozen=True, eq=False)
class FloorFit:
    """A plane over (or under) a known surface, and how well it explains where feet stand."""

    level_m: float
    """Height of the plane at `center_m`, over the known surface."""
    slopes: Array
    """(2,) rise over run along x and z."""
    center_m: Array
    """(2,) x and z of the middle of where the feet stood."""
    share: float
    """Share of the standing time in which the lower foot is on the plane."""
    standing_s: float
    """Time in which a foot stood; none of the above means much near zero."""

    @property
    def rise(self) -> float:
        """Rise over run along the steepest line."""
        return float(np.hypot(self.slopes[0], self.slopes[1]))

    @property
    def single(self) -> bool:
        """Whether there is one floor, and it is one."""
        return self.share >= SINGLE_FLOOR_SHARE and self.rise <= STEEPEST

    def heights_m(self, places_m: Array) -> Array:
        """(...) the height of the plane over the known surface at places (..., 3)."""
        return self.level_m + (places_m[..., [0, 2]] - self.center_m) @ self.slopes


ENOUGH_FRAMES = 5000
"""A plane has five unknowns; more frames than this, evenly picked, would not tell more of it."""


def estimate_ground(
    clip: Clip, character: Character, belt_velocity_m_s: Array | None = None
) -> tuple[Ground, str]:
    """The floor that the feet of a clip stand on, and a sentence on it for the user.

    Stairs and rough terrain have no single floor; then the level on which the feet stand most is
    returned, and the sentence says so. A floor may be a belt (`contact.belt_velocity_m_s`).
    """
    belt = np.zeros(3) if belt_velocity_m_s is None else belt_velocity_m_s
    state = forward_kinematics(clip.skeleton, *clip.pose)
    feet = foot_sites(contact_points(character))
    under = Ground(0.0, _across(belt), belt)
    known = Environment((under,))
    fit = fit_floor(point_motion(state, feet, clip.rate_hz, known), clip.rate_hz)
    if belt.any():  # a tilt that is seen over one step of the way is none over all of it
        fit = replace(fit, slopes=np.zeros(2))
    note = note_on(fit)
    if belt[1]:
        return replace(under, height_m=fit.level_m / float(under.normal[1])), _slope_note(fit, belt)
    if belt_velocity_m_s is None and fit.standing_s < _HARDLY_STANDING * clip.duration_s:
        note += " Feet hardly ever stand still; on a treadmill, give its belt velocity."
    return replace(ground_of(fit), belt_velocity_m_s=belt), note


def _across(belt_m_s: Array) -> Array:
    """(3,) normal of the plane in which a belt runs, straight up across its way."""
    level = belt_m_s * [1.0, 0.0, 1.0]
    squared = float(level @ level)
    return UP if not squared else UP - belt_m_s[1] / squared * level


def _slope_note(fit: FloorFit, belt_m_s: Array) -> str:
    rise = 100.0 * abs(belt_m_s[1]) / float(np.linalg.norm(belt_m_s[[0, 2]]))
    return (
        f"Floor estimated from the feet, which sink and rise with it: {rise:.0f} cm a metre "
        f"({fit.standing_s:.1f} s of standing feet)."
    )


def fit_floor(motion: PointMotion, rate_hz: float) -> FloorFit:
    """Fit a plane to where heels and balls stand, over the surface their heights refer to."""
    columns = motion.columns(*_STANDING_POINTS)
    if not columns:
        raise BadValue("foot points", "a heel or a ball for each foot", motion.names)
    still = motion.stillness[:, columns]
    standing_s = float(still.max(axis=1).sum()) / rate_hz
    if not still.sum() > 0:  # nothing ever slows down: every frame counts alike
        still = np.full(still.shape, 1e-3)
    heights = motion.heights_m[:, columns]
    places = motion.places_m[:, columns][..., [0, 2]]
    center = np.average(places.reshape(-1, 2), axis=0, weights=still.ravel())
    names = [motion.names[c] for c in columns]
    every = max(1, len(heights) // ENOUGH_FRAMES)  # of a long clip a part says as much
    levels, slopes = _robust_plane(
        names, heights[::every], (places - center)[::every],
        still[::every] * (every / (rate_hz * _STANCE_S)),
    )  # fmt: skip
    plane = FloorFit(float(levels.min()), slopes, center, 0.0, standing_s)
    off = np.abs(heights - plane.heights_m(motion.places_m[:, columns]))
    on_plane = float((still * (off < _NEAR_M)).max(axis=1).sum())
    return replace(plane, share=on_plane / float(still.max(axis=1).sum()))


def weighted_quantile(values: Array, weights: Array, share: float) -> float:
    """The value below which `share` of the weight lies."""
    order = np.argsort(values)
    total = np.cumsum(weights[order])
    at = int(np.searchsorted(total, share * total[-1]))
    return float(values[order[min(at, len(values) - 1)]])


def ground_of(fit: FloorFit) -> Ground:
    """The fitted plane as a ground; level when there is no single floor."""
    slopes = fit.slopes if fit.single else np.zeros(2)
    at_origin = fit.level_m - float(fit.center_m @ slopes)
    return Ground(at_origin, np.array([-slopes[0], 1.0, -slopes[1]]))


def note_on(fit: FloorFit) -> str:
    """What was found, in a sentence for the user."""
    ground = ground_of(fit)
    if not fit.single:
        why = (
            f"the feet stand on one level for {100 * fit.share:.0f} % of the standing time only"
            if fit.share < SINGLE_FLOOR_SHARE
            else f"it would rise {100 * fit.rise:.0f} cm a metre"
        )
        return (
            f"No single floor found: {why}. Level ground at {100 * ground.height_m:+.1f} cm is "
            "assumed; give an environment for stairs, slopes and chairs."
        )
    tilt = f", tilted {100 * fit.rise:.1f} cm a metre" if fit.rise >= 5e-4 else ""
    return (
        f"Floor estimated from the feet: {100 * ground.height_m:+.1f} cm at the origin{tilt} "
        f"({fit.standing_s:.1f} s of standing feet)."
    )


def _robust_plane(
    names: list[str], heights: Array, places: Array, weights: Array
) -> tuple[Array, Array]:
    """Levels of heels and of balls and their common slopes, by reweighted least squares.

    Points have heights (F, S), places (F, S, 2) and weights (F, S), those of one observation each.
    """
    kinds = [ending for ending in _STANDING_POINTS if any(n.endswith(ending) for n in names)]
    count = len(kinds)
    design = np.zeros((*heights.shape, count + 3))
    for column, name in enumerate(names):
        design[:, column, next(k for k, kind in enumerate(kinds) if name.endswith(kind))] = 1.0
        design[:, column, count] = 1.0 if name.startswith("left") else -1.0
    design[..., count + 1 :] = places
    # The priors of the levels (none), of the difference of the feet and of the slopes.
    spread = np.array([np.inf] * count + [_FOOT_DIFFERENCE_M] + [_TILT_PRIOR] * 2)
    prior = (_HEIGHT_ERROR_M / spread) ** 2 + 1e-12
    fit = np.zeros(count + 3)
    for k in range(count):
        mine = design[..., k] > 0
        fit[k] = weighted_quantile(heights[mine], weights[mine], _FIRST_GUESS)
    rows, y, w = design.reshape(-1, count + 3), heights.ravel(), weights.ravel()
    for reach in _REACHES_M:
        for _ in range(_MOST_STEPS):
            off = y - rows @ fit
            kept = w * np.clip(1.0 - (off / reach) ** 2, 0.0, None) ** 2  # Tukey's biweight
            weighted = rows * kept[:, None]
            pull = weighted.T @ off - np.where(np.isfinite(spread), prior * fit, 0.0)
            step = np.linalg.solve(weighted.T @ rows + np.diag(prior), pull)
            fit += step
            if np.abs(step).max() < _ENOUGH:
                break
    return fit[:count], fit[count + 1 :]


def foot_sites(points: Mapping[str, Sites]) -> Sites:
    """The points of both feet, from those of all parts."""
    feet = joined_sites(points[part] for part in FEET if part in points)
    if not len(feet):
        raise BadValue("contact points", "some on the feet (see complete_character)", [*points])
    return feet
