"""What a joint can have of a rotation; ranges that end near half a turn have two ends."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise import rotations
from poise.character import Skeleton
from poise.character.joint_motions import allowed_turn, angle_near_range
from poise.character.skeleton import JointKind

AXIS = np.array([0.6, 0.0, 0.8])
REST = rotations.normalize(np.array([0.5, 0.4, -0.3, 0.2]))

middles = st.floats(-3.0, 3.0)
widths = st.floats(0.1, 2.0 * np.pi - 0.1)


def joint(kind: JointKind, low: float = -np.inf, high: float = np.inf) -> Skeleton:
    limits = np.tile([-np.inf, np.inf], (2, 3, 1))
    limits[1, 0] = low, high
    axes = np.stack([np.zeros(3), AXIS if kind == "hinge" else np.zeros(3)])
    rest = np.stack([rotations.IDENTITY, REST])
    return Skeleton(
        ("root", "joint"), np.array([-1, 0]), np.eye(3)[:2], rest, ("ball", kind), axes, limits
    )


@settings(max_examples=200, deadline=None)
@given(middle=middles, width=widths, share=st.floats(0.0, 1.0), turns=st.integers(-3, 3))
def test_an_angle_within_its_range_is_found_however_often_it_went_round(
    middle: float, width: float, share: float, turns: int
) -> None:
    low, high = middle - 0.5 * width, middle + 0.5 * width
    angle = low + share * width
    found = angle_near_range(np.array(angle + 2.0 * np.pi * turns), low, high)
    assert found == pytest.approx(angle, abs=1e-9)


@settings(max_examples=200, deadline=None)
@given(middle=middles, width=widths, beyond=st.floats(1e-6, 0.045), upper=st.booleans())
def test_a_little_beyond_an_end_stops_at_that_end(
    middle: float, width: float, beyond: float, upper: bool
) -> None:
    low, high = middle - 0.5 * width, middle + 0.5 * width
    angle = high + beyond if upper else low - beyond
    turn = rotations.multiply(REST, rotations.from_axis_angle(AXIS, np.array([angle])))
    for sign in (1.0, -1.0):
        kept = allowed_turn(joint("hinge", low, high), 1, sign * turn, within_limits=True)
        bend = rotations.multiply(rotations.conjugate(REST), kept)
        stop = rotations.from_axis_angle(AXIS, np.array([high if upper else low]))
        assert rotations.angle_between(bend, stop)[0] < 1e-7


@pytest.mark.parametrize(("low", "high"), [(-np.inf, np.inf), (0.5, np.inf), (-np.inf, 0.5)])
def test_an_open_range_counts_from_zero(low: float, high: float) -> None:
    angles = np.linspace(-3.1, 3.1, 9)
    np.testing.assert_allclose(angle_near_range(angles, low, high), angles, atol=1e-12)


def test_a_hinge_has_the_part_about_its_axis_a_ball_all_of_it_and_a_bolt_none() -> None:
    turn = rotations.normalize(np.random.default_rng(0).normal(size=(20, 4)))
    np.testing.assert_array_equal(allowed_turn(joint("ball"), 1, turn), turn)
    np.testing.assert_allclose(allowed_turn(joint("fixed"), 1, turn), np.tile(REST, (20, 1)))
    bend = rotations.multiply(rotations.conjugate(REST), allowed_turn(joint("hinge"), 1, turn))
    vectors = rotations.log(bend)
    np.testing.assert_allclose(np.cross(vectors, AXIS), 0.0, atol=1e-9)
    # No other angle is nearer.
    got = rotations.angle_between(allowed_turn(joint("hinge"), 1, turn), turn)
    for angle in np.linspace(-np.pi, np.pi, 60):
        other = rotations.multiply(REST, rotations.from_axis_angle(AXIS, angle))
        assert (rotations.angle_between(np.tile(other, (20, 1)), turn) >= got - 1e-9).all()
