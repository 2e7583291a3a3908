"""Hinges whose ranges end near half a turn: a little beyond one end is not at the other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise import ik, rotations
from poise.arrays import Array
from poise.character import Character
from poise.ik.followed_frames import follow
from poise.ik.limits import limited_numbers as limited_numbers_kernel
from poise.ik.packed import ANGLE, Limits
from poise.ik.problem import keep_in_range, unsolved
from tests.called_from_python import from_python
from tests.ik.hinged import angles, arm, scene_of, tip_task, turned

limited_numbers = from_python(limited_numbers_kernel)

AXIS = np.array([0.0, 0.6, -0.8])
REST = rotations.normalize(np.array([0.7, -0.4, 0.3, 0.2]))


def hinge(low: float, high: float) -> Limits:
    one = np.array([1, 0, 0, 0.0])
    return Limits(
        block=np.zeros(1, dtype=np.int64), kind=np.array([ANGLE], dtype=np.int64),
        left=(REST * [1.0, -1.0, -1.0, -1.0])[None], right=one[None], axis=AXIS[None],
        low=np.array([[low, -np.inf, -np.inf]]), high=np.array([[high, np.inf, np.inf]]),
    )  # fmt: skip


def number(limits: Limits, angle: float, sign: float) -> float:
    q = sign * rotations.multiply(REST, rotations.from_axis_angle(AXIS, np.array(angle)))
    return float(limited_numbers(limits, 0, *q)[0])


@settings(max_examples=150, deadline=None)
@given(
    middle=st.floats(-3.1, 3.1), width=st.floats(0.1, 2.0 * np.pi - 0.1),
    share=st.floats(-0.1, 1.1), sign=st.sampled_from([1.0, -1.0]),
)  # fmt: skip
def test_the_angle_of_a_hinge_is_that_of_its_range(
    middle: float, width: float, share: float, sign: float
) -> None:
    low, high = middle - 0.5 * width, middle + 0.5 * width
    angle = np.clip(low + share * width, low - 0.045, high + 0.045)
    assert number(hinge(low, high), float(angle), sign) == pytest.approx(angle, abs=1e-7)


def test_the_angle_of_a_range_beyond_half_a_turn_is_found_too() -> None:
    """As `angle_near_range` has it: the end of this one is a quarter of a radian past a turn."""
    assert number(hinge(4.0, 6.5), 6.5, 1.0) == pytest.approx(6.5, abs=1e-7)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_hinge_without_a_range_counts_from_zero(sign: float) -> None:
    for angle in (-3.1, -1.0, 0.0, 2.0, 3.1):
        assert number(hinge(-np.inf, np.inf), angle, sign) == pytest.approx(angle, abs=1e-9)


def far_ranged(low: float, high: float) -> Character:
    """An arm whose elbow has this range."""
    skeleton = arm().skeleton
    limits = skeleton.limits_rad.copy()
    limits[4, 0] = low, high
    return Character(replace(skeleton, limits_rad=limits))


def elbow_at(character: Character, bends: Array) -> Array:
    posture = np.tile([0.3, -0.2, 0.4, 0.0, 0.1, -0.3], (len(bends), 1))
    posture[:, 3] = bends
    return turned(character, posture)


ENDS = [(-0.1, 3.1), (-3.1, 0.1), (0.4, 3.3), (-3.5, -0.2)]


@pytest.mark.parametrize(("low", "high"), ENDS)
def test_a_hinge_beyond_its_end_is_brought_back_to_that_end(low: float, high: float) -> None:
    character = far_ranged(low, high)
    bends = np.array([low - 0.3, low - 0.01, 0.5 * (low + high), high + 0.01, high + 0.3])
    turns = elbow_at(character, bends)
    problem = ik.build(scene_of(character, turns), [tip_task(character, np.zeros((5, 3)))])
    at = unsolved(problem)
    keep_in_range(problem, at, 0, 4)
    wanted = elbow_at(character, np.clip(bends, low, high))
    assert rotations.angle_between(at.rotations_wxyz, wanted).max() < 1e-7


@pytest.mark.parametrize(("low", "high"), ENDS)
def test_a_hinge_that_is_pulled_beyond_its_end_stays_there(low: float, high: float) -> None:
    """Goals are those of an elbow that turns past the end and back."""
    character = far_ranged(low, high)
    frames = 30
    end, way = (high, 1.0) if high > np.pi - 0.5 else (low, -1.0)
    bends = end + way * (0.6 * np.sin(np.linspace(0.0, np.pi, frames)) - 0.3)
    free = scene_of(character, elbow_at(character, bends)).state
    goals = free.positions_m[:, 6] + rotations.rotate(
        free.rotations_wxyz[:, 6], np.array([0.0, 0.25, 0.05])
    )
    start = elbow_at(character, np.full(frames, end - 0.3 * way))
    problem = ik.build(scene_of(character, start), [tip_task(character, goals)])
    at = unsolved(problem)
    follow(problem, at, 0, frames - 1)
    keep_in_range(problem, at, 0, frames - 1)
    found = angles(character, at.rotations_wxyz)[:, 3]
    middle = 0.5 * (low + high)
    found = middle + (found - middle + np.pi) % (2.0 * np.pi) - np.pi
    assert (found >= low - 1e-8).all() and (found <= high + 1e-8).all()
    assert np.abs(np.diff(found)).max() < 0.3
    assert np.abs(found - end).min() < 0.05
