"""Leaps made by code, small enough to be edited in a fraction of a second."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any, get_args

import numpy as np
from numpy.typing import ArrayLike

from poise import rotations
from poise.arrays import Array
from poise.constraints import Constraint, StageEdit, Vector
from poise.environment import Environment
from poise.mechanics import center_of_mass, forward_kinematics, site_positions
from poise.methods import Edit, Result, Status
from poise.methods.momentum import MomentumReport, Settings, run
from poise.methods.momentum.family import Family, build_family
from poise.methods.momentum.family_axes import FamilyAxis, grid
from poise.motion import Clip
from poise.samples import SAMPLES, Sample, sample_character

RATE_HZ = 30.0
FRAMES = slice(21, 69)
GROUND, FLIGHT, LANDING = (0, 17), (17, 29), (29, 48)
"""Stages of these frames, first and stop."""
SETTINGS = Settings(knots_per_s=6.0)
FLAT = Environment.flat()
_UP = np.array([0.0, 1.0, 0.0])


@cache
def sample() -> Sample:
    return SAMPLES["jump"](rate_hz=RATE_HZ)


def jump(*asked: Constraint | StageEdit) -> Edit:
    """What is around the flight of the sample jump, with wishes."""
    made, cut = sample(), (FRAMES.start, FRAMES.stop)
    return Edit(made.clip.sliced(*cut), sample_character(), asked, FLAT, made.contacts.sliced(*cut))


@cache
def hops(rate_hz: float = RATE_HZ) -> Edit:
    """Two hops on the left leg, half a metre each, from the ground to the ground."""
    made, stop = SAMPLES["hop"](rate_hz=rate_hz), round(1.53 * rate_hz)
    return Edit(
        made.clip.sliced(0, stop), sample_character(), (), FLAT, made.contacts.sliced(0, stop)
    )


@cache
def edited(*asked: Constraint | StageEdit) -> Result[MomentumReport]:
    """The jump with such edits, solved once."""
    return run(jump(*asked), SETTINGS)


@cache
def landing_grid() -> Family:
    """Landings up to 30 cm aside and ahead, two by two."""
    axes = grid("landing", -1, (0.0, 0.3), (0.0, 0.3))
    return build_family(jump(), replace(SETTINGS, family=axes))


def line(name: str, stage: int, direction: Vector, values: Sequence[float]) -> FamilyAxis:
    """A stage along a line (Fig. 3, left)."""
    return FamilyAxis(name, stage, tuple(values), by_m=direction)


def circle(name: str, stage: int, around_stage: int, degrees: Sequence[float]) -> FamilyAxis:
    """A stage around another, turned as it goes (Fig. 3, right)."""
    return FamilyAxis(name, stage, tuple(degrees), turn_deg=1.0, around_stage=around_stage)


@cache
def landing_circle() -> Family:
    """Landings around the take-off, turned as they go, which blending makes glide."""
    axes = (circle("around", -1, 0, (-40.0, 0.0, 40.0)),)
    return build_family(jump(), replace(SETTINGS, family=axes))


def center_m(clip: Clip) -> Array:
    """(F, 3) the centre of mass."""
    body = sample_character().body
    assert body is not None
    return center_of_mass(forward_kinematics(clip.skeleton, *clip.pose), body)


def middle_m(span: tuple[int, int]) -> Array:
    """(3,) about what a stage of the jump turns."""
    return jump().clip.root_positions_m[span[0] : span[1]].mean(axis=0)


def off_prints_m(
    clip: Clip, times: Array, by_m: ArrayLike, turn_deg: float, about: tuple[int, int] = LANDING
) -> float:
    """How far the worst sole point is from where the jump has it at rest.

    Args:
        clip: an edited jump.
        times: (F,) frames of the jump that its frames show.
        by_m: how the landing was moved.
        turn_deg: and turned.
        about: about the middle of which stage.
    """
    sites = sample_character().sites
    state = forward_kinematics(clip.skeleton, *clip.pose)
    places = site_positions(state, sites)
    pivot, turn = middle_m(about), rotations.from_axis_angle(_UP, np.radians(turn_deg))
    worst, looked_at = 0.0, 0
    for rest in sample().planted:
        known = rest.frames(RATE_HZ, FRAMES.stop) - FRAMES.start
        goal = np.array(rest.position_m)
        for frame in known[known >= 0].tolist():
            moved = goal
            if frame >= LANDING[0]:
                moved = pivot + rotations.rotate(turn, goal - pivot) + np.asarray(by_m)
            (now,) = np.flatnonzero(times == frame)
            gap = places[now, sites.names.index(rest.site)] - moved
            worst, looked_at = max(worst, float(np.linalg.norm(gap))), looked_at + 1
    assert looked_at > 50
    return worst


def assert_finite(result: Result[MomentumReport]) -> None:
    """Nothing in a result is NaN, and its status is one there is."""
    clip, report = result.clip, result.report
    for numbers in (
        clip.root_positions_m, clip.rotations_wxyz, report.frame_times, report.momentum,
        report.left_place_mm, report.left_velocity_m_s, report.left_range_deg,
        report.off_guess_deg, report.off_guess_cm,
        *(np.array(_figures(stage)) for stage in report.stages),
    ):  # fmt: skip
        assert np.isfinite(numbers).all()
    np.testing.assert_allclose(np.linalg.norm(clip.rotations_wxyz, axis=-1), 1.0, atol=1e-9)
    assert result.status in get_args(Status)
    assert result.summary.endswith(".") and "nan" not in result.summary.lower()


def _figures(stage: Any) -> list[float]:
    return [value for value in vars(stage).values() if not isinstance(value, str)]
