"""Momentum of a ground stage as six splines, fitted to the captured motion (section 4.1).

Ends are interpolated. Into a flight and out of it the curves go on smoothly: there the vertical
momentum changes by weight alone, and all others do not change. Only the vertical one may jump in
slope at a landing, which is a blow. Where no flight adjoins, slopes are open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.contact import clip_dynamics
from poise.errors import BadValue
from poise.mechanics import momentum
from poise.methods.momentum.stages import Stage
from poise.motion import Clip
from poise.solvers import DEGREE, FittedSpline, fit_knots

CURVES = ("x", "y", "z", "about x", "about y", "about z")
VERTICAL = 1
KNOTS_PER_S = 12.0
"""Interior knots of a ground stage: two pushes a tenth of a second apart are told apart."""
FEWEST_KNOTS = 2


@dataclass(frozen=True, eq=False)
class StageMomentum:
    """A ground stage's curves.

    Momentum is known between frames. Where a flight adjoins, the interval across the boundary
    belongs to both: there they have the same value.
    """

    stage: Stage
    first: int
    """The first interval, which lies between this frame and the next."""
    curves: tuple[FittedSpline, ...]
    """Six, in the order of `CURVES`; times are seconds from the middle of that interval."""
    sample_count: int
    """How many intervals it has."""
    off: Array
    """(6,) RMS of what they leave of the captured momentum, in its units."""


def captured_momentum(clip: Clip, character: Character) -> Array:
    """(F − 1, 6) linear momentum, and angular momentum about the centre of mass, between frames.

    From derivatives that are smoothed as suits the clip's noise.
    """
    seen = clip_dynamics(clip, character)
    rates = seen.derivatives
    found = momentum(
        seen.state, seen.body, rates.root_velocities_m_s, rates.angular_velocities_rad_s
    )
    at_frames = np.concatenate([found.linear_kg_m_s, found.angular_kg_m2_s], axis=1)
    return np.asarray(0.5 * (at_frames[1:] + at_frames[:-1]))


def intervals_of(stages: Sequence[Stage], index: int) -> tuple[int, int]:
    """First interval of a ground stage, and the one after its last."""
    stage = stages[index]
    return max(stage.first - 1, 0), min(stage.stop, stages[-1].stop - 1)


def fit_stage(
    stages: Sequence[Stage],
    index: int,
    momenta: Array,
    rate_hz: float,
    mass_kg: float,
    knots_per_s: float = KNOTS_PER_S,
) -> StageMomentum:
    """Fit the curves of one ground stage.

    Args:
        stages: of the clip.
        index: of the ground stage.
        momenta: (F − 1, 6) from `captured_momentum`.
        rate_hz: of the clip.
        mass_kg: of the whole body.
        knots_per_s: interior knots.

    Raises:
        BadValue: a flight, or a stage too short for a spline.
    """
    stage = stages[index]
    if stage.kind != "ground":
        raise BadValue(f"stage {index}", "one on the ground", "a flight")
    first, stop = intervals_of(stages, index)
    count, fewest = stop - first, FEWEST_KNOTS + DEGREE + 1
    if count < fewest:
        frames = fewest + stage.frame_count - count
        allowed = f"at least {frames} frames, as its momentum curves need"
        raise BadValue(f"ground stage at frame {stage.first}", allowed, stage.frame_count)
    interior = max(round(count / rate_hz * knots_per_s), FEWEST_KNOTS)
    interior = min(interior, count - DEGREE - 1)
    before = stages[index - 1] if index > 0 else None
    after = stages[index + 1] if index + 1 < len(stages) else None
    seen = momenta[first:stop]
    times = np.arange(count) / rate_hz
    curves: list[FittedSpline] = []
    for c in range(len(CURVES)):
        start = None if before is None or c == VERTICAL else 0.0
        end = None if after is None else 0.0
        if c == VERTICAL and after is not None:
            end = -mass_kg * after.gravity_m_s2
        curves.append(fit_knots(times, seen[:, c], interior, start, end))
    off = np.array(
        [np.sqrt(np.mean((seen[:, c] - curve(times)) ** 2)) for c, curve in enumerate(curves)]
    )
    return StageMomentum(stage, first, tuple(curves), count, off)
