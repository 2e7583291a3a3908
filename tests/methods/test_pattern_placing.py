"""Where clips were made in the room, and where they faced, is no part of a pattern."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from poise import rotations
from poise.arrays import Array
from poise.methods.motion_alignment import Placing
from poise.methods.pattern import learn
from poise.methods.pattern.placed import place
from poise.methods.pattern.placing import placing_on, placings_together
from poise.motion import Clip
from tests.methods.swings import (
    apart_m,
    apart_rad,
    character,
    golfer,
    learned,
    moved,
    pattern,
    placed_aside,
    state_of,
    swing,
    swings,
    varied,
)

often = settings(max_examples=30, deadline=None, derandomize=True)
turns = st.floats(-3.1, 3.1)
places = st.tuples(*[st.floats(-20.0, 20.0)] * 3)


def joints_of(clip: Clip) -> Array:
    return state_of(clip).positions_m


@often
@given(turns, places, places)
def test_what_is_placed_and_placed_back_is_where_it_was(
    turn: float, here: tuple[float, float, float], there: tuple[float, float, float]
) -> None:
    placing, random = Placing(turn, here, there), np.random.default_rng(0)
    points = random.normal(size=(5, 4, 3))
    np.testing.assert_allclose(placing.places_back(placing.places(points)), points, atol=1e-13)
    np.testing.assert_allclose(placing.places(placing.places_back(points)), points, atol=1e-13)
    spins = rotations.normalize(random.normal(size=(5, 4)))
    np.testing.assert_allclose(
        placing.root_turns_back(placing.root_turns(spins)), spins, atol=1e-14
    )
    np.testing.assert_allclose(placing.places(np.array(here)), there, atol=1e-14)


def test_a_turn_to_the_left_takes_ahead_to_the_left() -> None:
    """Y is up: from +Z (ahead) to +X."""
    quarter = Placing(np.pi / 2, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    np.testing.assert_allclose(quarter.places(np.array([0.0, 0.0, 1.0])), [1, 0, 0], atol=1e-15)


def test_placing_a_body_is_placing_its_joints() -> None:
    clip, placing = varied([0.1, -0.1]), Placing(0.7, (1.0, 0.2, 3.0), (-2.0, 0.0, 0.5))
    spins = np.array(clip.rotations_wxyz)
    spins[:, 0] = placing.root_turns(spins[:, 0])
    there = replace(
        clip, rotations_wxyz=spins, root_positions_m=placing.places(clip.root_positions_m)
    )
    np.testing.assert_allclose(joints_of(there), placing.places(joints_of(clip)), atol=1e-13)


@often
@given(turns, places)
def test_a_known_turn_and_shift_are_found(turn: float, by: tuple[float, float, float]) -> None:
    there = moved(swing(), turn, by)
    placing = placing_on(joints_of(there), joints_of(swing()), by[1])
    off = np.angle(np.exp(1j * (placing.turn_rad + turn)))
    assert abs(off) < 1e-12
    np.testing.assert_allclose(placing.places(joints_of(there)), joints_of(swing()), atol=1e-11)


def test_the_ground_becomes_zero() -> None:
    clip = moved(swing(), 0.3, (0.0, 2.5, 0.0))
    placing = placing_on(joints_of(clip), joints_of(swing()), 2.5)
    assert placing.places(np.array([9.0, 2.5, 9.0]))[1] == 0.0


def test_no_other_turn_and_shift_bring_joints_nearer() -> None:
    a, b = joints_of(varied([0.2, 0.1, -0.2])), joints_of(moved(swing(), 1.0, (1.0, 0.0, 2.0)))
    placing = placing_on(a, b, 0.0)

    def apart(x: Array) -> float:
        (tx, _, tz), (fx, _, fz) = placing.to_m, placing.from_m
        other = Placing(placing.turn_rad + x[0], (fx, 0.0, fz), (tx + x[1], 0.0, tz + x[2]))
        return float(((other.places(a) - b)[..., [0, 2]] ** 2).mean())

    best = minimize(apart, np.zeros(3), tol=1e-12)
    np.testing.assert_allclose(best.x, 0.0, atol=1e-5)
    assert apart(np.zeros(3)) <= best.fun + 1e-12


def test_the_same_motion_all_over_the_room_is_brought_together() -> None:
    random = np.random.default_rng(3)
    there = [moved(swing(), random.uniform(-3, 3), random.normal(size=3) * 5.0) for _ in range(5)]
    grounds = [
        float(clip.root_positions_m[0, 1] - swing().root_positions_m[0, 1]) for clip in there
    ]
    joints = [joints_of(clip) for clip in there]
    together = placings_together(joints, grounds)
    placed = np.array([p.places(j) for p, j in zip(together, joints, strict=True)])
    np.testing.assert_allclose(placed, np.repeat(placed[:1], 5, axis=0), atol=1e-11)
    np.testing.assert_allclose(placed.mean(axis=(0, 1, 2))[[0, 2]], 0.0, atol=1e-12)
    assert together[0].turn_rad == pytest.approx(0.0, abs=1e-12)


def test_every_motion_is_as_near_to_the_common_mean_as_it_can_be() -> None:
    joints = [joints_of(clip) for clip in swings()]
    together = placings_together(joints, [0.0] * len(joints))
    mean = np.mean([p.places(j) for p, j in zip(together, joints, strict=True)], axis=0)
    for placing, own in zip(together, joints, strict=True):
        alone = placing_on(own, mean, 0.0)
        assert abs(np.angle(np.exp(1j * (alone.turn_rad - placing.turn_rad)))) < 1e-8
        np.testing.assert_allclose(alone.places(own), placing.places(own), atol=1e-8)


@pytest.mark.parametrize("first", [0.0, 0.4, 2.0, -3.0])
def test_a_pattern_does_not_change_with_the_place_and_heading_of_its_clips(first: float) -> None:
    random, known = np.random.default_rng(8), pattern()
    headings = [first, *random.uniform(-3, 3, 5)]
    there = [
        moved(clip, turn, random.normal(size=3) * (9.0, 0.0, 9.0))
        for clip, turn in zip(swings(), headings, strict=True)
    ]
    other = learned(there)
    np.testing.assert_allclose(other.variances, known.variances, rtol=1e-8)
    np.testing.assert_allclose(np.abs(other.coefficients), np.abs(known.coefficients), atol=1e-6)
    np.testing.assert_allclose(other.coefficients, known.coefficients, atol=1e-6)
    # Joints below the root do not even see the turn.
    np.testing.assert_allclose(other.components[:, :, 1:], known.components[:, :, 1:], atol=1e-8)


def test_the_signs_of_components_do_not_depend_on_the_heading_of_the_clips() -> None:
    """Swings that differ most in where they step to."""
    way = np.zeros((1, swing().frame_count, 23, 3))
    way[0, :, 0, 0] = np.linspace(-1.0, 1.0, swing().frame_count)
    here = [varied([size], way, str(size)) for size in (-0.05, 0.01, 0.06)]
    there = [moved(clip, np.pi, (0.0, 0.0, 0.0)) for clip in here]
    np.testing.assert_allclose(learned(there).coefficients, learned(here).coefficients, atol=1e-6)


def test_a_clip_has_the_same_coefficients_wherever_it_is() -> None:
    known, clip = placed_aside(), placed_aside().clip
    other = place(pattern(), moved(clip, 2.2, (3.0, 1.5, -4.0)), golfer(), 1.5)
    np.testing.assert_allclose(other.coefficients, known.coefficients, atol=1e-9)
    np.testing.assert_allclose(other.vector, known.vector, atol=1e-10)
    assert other.left_over_deg == pytest.approx(known.left_over_deg, abs=1e-9)


def test_an_edit_moves_and_turns_with_its_clip() -> None:
    change = 0.5 * pattern().deviations
    here, turn, by = placed_aside(), 2.2, np.array([3.0, 1.5, -4.0])
    there = place(pattern(), moved(here.clip, turn, by), golfer(), 1.5)
    a = moved(here.with_motion(*here.motion(here.vector + here.displacement(change))), turn, by)
    b = there.with_motion(*there.motion(there.vector + there.displacement(change)))
    assert apart_m(a, b) < 1e-10 and apart_rad(a, b) < 1e-7


def test_a_clip_higher_up_is_not_another_motion_if_its_ground_is() -> None:
    up = [moved(clip, 0.0, (0.0, float(i), 0.0)) for i, clip in enumerate(swings())]
    known = learned(swings())
    other = learn(up, character(), grounds_m=[float(i) for i in range(len(up))])
    np.testing.assert_allclose(other.coefficients, known.coefficients, atol=1e-8)
