"""The planned wrench: possible, smooth, and the capture's own where that can have been."""

from __future__ import annotations

import numpy as np
import pytest

from poise.arrays import Array
from poise.constraints import Scene
from poise.contact import allowed_cutoff_hz, touching_points
from poise.environment import Environment
from poise.mechanics import center_of_mass, forward_kinematics
from poise.motion import splines
from poise.physics import PhysicsSettings
from poise.physics.equations import body_of, usual_wrench
from poise.physics.newton_euler_rows import Supports
from poise.physics.supports import every_point, supports_of
from poise.physics.wrench_plan import CUTOFF_HZ, _kernel, plan_wrench, smoothed
from poise.samples import Sample, running, sample_character, walking

BODY = sample_character()
FLAT = Environment.flat(0.0)
EFFORT = 1e-3


def both(sample: Sample, push: Array | None = None) -> tuple[Supports, Supports]:
    """What carries a sample, and its smoothed wrench; `push` (F, 6) is added to what it asks."""
    scene = Scene(sample.clip, BODY, FLAT, None)
    assert BODY.body is not None
    scale = body_of(BODY, sample.clip).scale
    usual = usual_wrench(sample.clip, BODY, scale)
    if push is not None:
        usual = np.ascontiguousarray(usual + push)
    touched = touching_points(scene.state, BODY, sample.contacts, FLAT)
    com = center_of_mass(forward_kinematics(sample.clip.skeleton, *sample.clip.pose), BODY.body)
    settings = PhysicsSettings()
    strict, lenient = (
        supports_of(scene.state, touched, com, scale, usual, each)
        for each in (settings, every_point(settings))
    )
    return strict, lenient


def planned(strict: Supports, lenient: Supports, rate_hz: float) -> Array:
    """For a motion of which measures see what smoothing its wrench shows."""
    kernel = _kernel(len(strict.usual), rate_hz)
    assert kernel is not None
    plan = plan_wrench(strict, lenient, EFFORT, rate_hz, smoothed(strict.usual, kernel))
    assert plan is not None
    return plan


def rough(wrench: Array) -> float:
    return float(np.abs(np.diff(wrench, n=2, axis=0)).max())


def test_a_wrench_that_can_be_is_planned_as_it_is() -> None:
    strict, lenient = both(walking())
    plan = planned(strict, lenient, walking().clip.rate_hz)
    changed = np.abs(plan - strict.usual)[1:-1]
    assert changed.max() < 0.07 and changed.mean() < 2e-3


def test_in_flight_nothing_pushes() -> None:
    sample = running()
    push = np.zeros((sample.clip.frame_count, 6))
    push[:, 1] = 0.2
    strict, lenient = both(sample, push)
    flying = np.diff(strict.first) == 0
    assert flying.any()
    plan = planned(strict, lenient, sample.clip.rate_hz)
    inner = flying & (strict.believed == 1)
    inner[[0, -1]] = False
    assert np.abs(plan[inner]).max() < 0.1 * np.abs(strict.usual[inner]).max()


def test_a_moment_that_feet_cannot_give_is_taken_back_smoothly() -> None:
    sample = walking()
    push = np.zeros((sample.clip.frame_count, 6))
    middle = sample.clip.frame_count // 2
    push[middle - 10 : middle + 10, 5] = 0.15  # 25 cm of pressure
    strict, lenient = both(sample, push)
    plan = planned(strict, lenient, sample.clip.rate_hz)
    inside = slice(middle - 8, middle + 8)
    assert np.abs(plan[inside, 5] - strict.usual[inside, 5]).max() > 0.05
    around = slice(middle - 15, middle + 15)
    assert rough(plan[around, 5:]) < rough(strict.usual[around, 5:])
    away = np.abs(plan - strict.usual)
    assert away[:20].max() < 0.05  # seconds away nothing changes


def test_what_measures_see_besides_is_part_of_the_plan() -> None:
    sample = walking()
    strict, lenient = both(sample)
    kernel = _kernel(sample.clip.frame_count, sample.clip.rate_hz)
    assert kernel is not None
    seen = smoothed(strict.usual, kernel)
    plain = plan_wrench(strict, lenient, EFFORT, sample.clip.rate_hz, seen)
    middle = sample.clip.frame_count // 2
    seen[middle - 5 : middle + 5, 5] += 0.15  # 25 cm of pressure that only measures see
    plan = plan_wrench(strict, lenient, EFFORT, sample.clip.rate_hz, seen)
    inside = slice(middle - 5, middle + 5)
    assert (plan - plain)[inside, 5].mean() < -0.01
    assert np.abs(plan - plain)[:20].max() < 1e-3


@pytest.mark.parametrize(("frames", "rate"), [(60, 120.0), (200, 120.0), (100, 30.0), (100, 24.0)])
def test_the_kernel_smooths_as_measures_do(frames: int, rate: float) -> None:
    kernel = _kernel(frames, rate)
    assert kernel is not None
    rng = np.random.default_rng(3)
    path = np.cumsum(np.cumsum(rng.normal(size=(frames, 1)), axis=0), axis=0)
    asked = splines.smooth(path, rate, allowed_cutoff_hz(CUTOFF_HZ, rate)).second[:, 0] / rate**2
    raw = np.zeros(frames)
    raw[1:-1] = path[2:, 0] - 2.0 * path[1:-1, 0] + path[:-2, 0]
    width = kernel.rows.shape[1]
    found = np.array([kernel.rows[f] @ raw[a : a + width] for f, a in enumerate(kernel.first)])
    assert np.abs(found - asked).max() < 0.1 * np.abs(asked).max()


def test_clips_that_are_too_short_have_no_plan() -> None:
    assert _kernel(10, 120.0) is None
    strict, lenient = both(walking())
    short = Supports(*(each[:10] if each.ndim and len(each) > 300 else each for each in strict))
    assert plan_wrench(short, lenient, EFFORT, 120.0, short.usual) is None
