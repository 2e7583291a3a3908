"""Momentum of a ground stage as six splines, fitted to the captured motion (section 4.1).

Ends are interpolated. Into a flight and out of it the curves go on smoothly: there the vertical
momentum changes by weight alone, and all others do not change. Only the vertical one may jump in
slope at a landing, which is a blow. Where no flight adjoins, slopes are open.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.contact import clip_dynamics
from poise.errors import BadValue
from poise.mechanics import momentum
from poise.methods.momentum.stages import Stage
from poise.motion import Clip
from poise.solvers.knot_fit import DEGREE, FittedSpline, fit_knots

CURVES = ("x", "y", "z", "about x", "about y", "about z")
VERTICAL = 1
KNOTS_PER_S = 12.0
"""Interior knots of a ground stage: two pushes a tenth of a second apart are told apart."""
FEWEST_KNOTS, MOST_KNOTS = 2, 12


@dataclass(frozen=True, eq=False)
class StageMomentum:
    """A ground stage's curves."""

    stage: Stage
    curves: tuple[FittedSpline, ...]
    """Six, in the order of `CURVES`; times are seconds from the stage's first frame."""
    off: Array
    """(6,) RMS of what they leave of the captured momentum, in its units."""


def captured_momentum(clip: Clip, character: Character) -> Array:
    """(F, 6) linear momentum, and angular momentum about the centre of mass, smoothed as suits."""
    seen = clip_dynamics(clip, character)
    rates = seen.derivatives
    found = momentum(
        seen.state, seen.body, rates.root_velocities_m_s, rates.angular_velocities_rad_s
    )
    return np.concatenate([found.linear_kg_m_s, found.angular_kg_m2_s], axis=1)


def fit_stage(
    stages: tuple[Stage, ...], index: int, momenta: Array, rate_hz: float, mass_kg: float
) -> StageMomentum:
    """Fit the curves of one ground stage.

    Args:
        stages: of the clip.
        index: of the ground stage.
        momenta: (F, 6) from `captured_momentum`.
        rate_hz: of the clip.
        mass_kg: of the whole body.

    Raises:
        BadValue: a flight, or a stage too short for a spline.
    """
    stage = stages[index]
    if stage.kind != "ground":
        raise BadValue(f"stage {index}", "one on the ground", "a flight")
    fewest = FEWEST_KNOTS + DEGREE + 1
    if stage.frame_count < fewest:
        allowed = f"at least {fewest} frames, as its momentum curves need"
        raise BadValue(f"ground stage at frame {stage.first}", allowed, stage.frame_count)
    interior = round(np.clip(stage.frame_count / rate_hz * KNOTS_PER_S, FEWEST_KNOTS, MOST_KNOTS))
    interior = min(interior, stage.frame_count - DEGREE - 1)
    before = stages[index - 1] if index > 0 else None
    after = stages[index + 1] if index + 1 < len(stages) else None
    seen = momenta[stage.first : stage.stop]
    times = np.arange(stage.frame_count) / rate_hz
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
    return StageMomentum(stage, tuple(curves), off)
