"""Motions as vectors about their mean: there and back, whatever the skeleton's rest pose."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import CubicHermiteSpline

from poise import rotations
from poise.arrays import Array
from poise.methods.pattern.motion_vectors import (
    mean_turns,
    motion_of,
    sampled_places,
    sampled_turns,
    sampled_vectors,
    vector_of,
)
from tests.methods.swings import swing, varied

seeds = st.integers(0, 2**31)
often = settings(max_examples=30, deadline=None, derandomize=True)
NEAR_PI = (np.pi - 1e-3, np.pi - 1e-6, np.pi - 1e-9, np.pi)


def any_turns(random: np.random.Generator, *shape: int) -> Array:
    return rotations.normalize(random.normal(size=(*shape, 4)))


def any_vectors(random: np.random.Generator, angle: float, *shape: int) -> Array:
    """Rotation vectors of up to an angle."""
    directions = random.normal(size=(*shape, 3))
    directions /= np.linalg.norm(directions, axis=-1, keepdims=True)
    return directions * random.uniform(0.0, angle, (*shape, 1))


def vectors_between(mean: Array, turns: Array) -> Array:
    """(F, J, 3) without the root's place."""
    nowhere = np.zeros((len(mean), 3))
    return vector_of(nowhere, mean, nowhere, turns)[:, 1:]


def turned(mean: Array, vectors: Array) -> Array:
    nowhere = np.zeros((len(mean), 1, 3))
    return motion_of(nowhere[:, 0], mean, np.concatenate([nowhere, vectors], axis=1))[1]


@often
@given(seeds)
def test_rotations_between_frames_are_those_of_slerp(seed: int) -> None:
    random = np.random.default_rng(seed)
    turns = any_turns(random, 7, 3)
    frames = np.concatenate([random.uniform(0.0, 6.0, 20), np.arange(7.0)])
    at = np.minimum(frames.astype(int), 5)
    known = rotations.slerp(turns[at], turns[at + 1], np.repeat((frames - at)[:, None], 3, axis=1))
    made = sampled_turns(turns, frames)
    assert rotations.angle_between(made, known).max() < 1e-7
    np.testing.assert_allclose(np.linalg.norm(made, axis=-1), 1.0, atol=1e-14)
    np.testing.assert_array_equal(made[20:-1], turns[:-1])  # whole frames are copied


def test_half_way_between_neighbours_is_half_their_angle_on_the_shorter_arc() -> None:
    axis = np.array([0.0, 0.6, 0.8])
    for sign in (1.0, -1.0):
        a = rotations.from_axis_angle(axis, np.float64(0.3))
        b = sign * rotations.from_axis_angle(axis, np.float64(1.7))
        made = sampled_turns(np.array([[a], [b]]), np.array([0.5]))[0, 0]
        np.testing.assert_allclose(rotations.log(made), 1.0 * axis, atol=1e-14)


def test_places_between_frames_lie_on_straight_lines() -> None:
    places = np.random.default_rng(0).normal(size=(6, 3))
    frames = np.array([0.0, 0.25, 3.0, 4.9, 5.0])
    known = np.stack([np.interp(frames, np.arange(6), places[:, k]) for k in range(3)], axis=1)
    np.testing.assert_allclose(sampled_places(places, frames), known, atol=1e-15)


def test_a_single_frame_is_sampled_at_itself() -> None:
    turns, places = any_turns(np.random.default_rng(0), 1, 4), np.ones((1, 3))
    np.testing.assert_allclose(sampled_turns(turns, np.zeros(3)), np.repeat(turns, 3, axis=0))
    np.testing.assert_allclose(sampled_places(places, np.zeros(3)), np.ones((3, 3)))
    np.testing.assert_allclose(sampled_vectors(places, np.zeros(3)), np.ones((3, 3)))


@often
@given(seeds, st.sampled_from([1e-9, 1e-7, 1e-5, 0.1, 1.0, 3.0]))
def test_a_vector_is_what_its_rotation_was_made_of(seed: int, angle: float) -> None:
    random = np.random.default_rng(seed)
    mean, vectors = any_turns(random, 5, 4), any_vectors(random, angle, 5, 4)
    made = turned(mean, vectors)
    np.testing.assert_allclose(vectors_between(mean, made), vectors, atol=1e-14 + 1e-14 * angle)
    known = rotations.multiply(mean, rotations.exp(vectors))
    np.testing.assert_allclose(made, known, atol=1e-15)


@often
@given(seeds)
def test_a_rotation_is_what_its_vector_leads_to(seed: int) -> None:
    random = np.random.default_rng(seed)
    mean, turns = any_turns(random, 5, 4), any_turns(random, 5, 4)
    vectors = vectors_between(mean, turns)
    assert np.linalg.norm(vectors, axis=-1).max() <= np.pi + 1e-12
    back = turned(mean, vectors)
    same = np.minimum(np.abs(back - turns).max(axis=-1), np.abs(back + turns).max(axis=-1))
    assert same.max() < 1e-14


@pytest.mark.parametrize("angle", NEAR_PI)
def test_turns_of_nearly_half_a_turn_come_back(angle: float) -> None:
    random = np.random.default_rng(1)
    mean = any_turns(random, 40, 2)
    vectors = any_vectors(random, 1.0, 40, 2)
    vectors *= angle / np.linalg.norm(vectors, axis=-1, keepdims=True)
    found = vectors_between(mean, turned(mean, vectors))
    np.testing.assert_allclose(np.linalg.norm(found, axis=-1), angle, atol=1e-14)
    if angle < np.pi - 1e-12:
        np.testing.assert_allclose(found, vectors, atol=1e-13)


def test_the_sign_of_a_quaternion_does_not_matter() -> None:
    random = np.random.default_rng(2)
    mean, turns = any_turns(random, 4, 3), any_turns(random, 4, 3)
    known = vectors_between(mean, turns)
    np.testing.assert_allclose(vectors_between(-mean, turns), known, atol=1e-15)
    np.testing.assert_allclose(vectors_between(mean, -turns), known, atol=1e-15)


@often
@given(seeds, st.integers(2, 7), st.sampled_from([0.01, 0.4, 1.2]))
def test_turns_away_from_the_mean_sum_to_zero(seed: int, count: int, angle: float) -> None:
    random = np.random.default_rng(seed)
    center = any_turns(random, 6, 3)
    motions = np.array(
        [rotations.multiply(center, rotations.exp(any_vectors(random, angle, 6, 3)))
         for _ in range(count)]
    )  # fmt: skip
    mean = mean_turns(motions)
    np.testing.assert_allclose(np.linalg.norm(mean, axis=-1), 1.0, atol=1e-14)
    whole = sum(vectors_between(mean, each) for each in motions)
    assert np.abs(whole).max() < 1e-12 * count


@often
@given(seeds, st.sampled_from([0.1, 1.5, 2.9]))
def test_the_mean_of_two_is_half_way(seed: int, angle: float) -> None:
    random = np.random.default_rng(seed)
    a = any_turns(random, 6, 3)
    b = rotations.multiply(a, rotations.exp(any_vectors(random, angle, 6, 3)))
    half = rotations.slerp(a, b, np.full((6, 3), 0.5))
    assert rotations.angle_between(mean_turns(np.array([a, b])), half).max() < 1e-7


def test_the_mean_does_not_depend_on_which_motion_comes_first() -> None:
    motions = np.array([varied(0.1 * np.eye(5)[i]).rotations_wxyz for i in range(5)])
    mean, other = mean_turns(motions), mean_turns(motions[::-1])
    assert np.abs(vectors_between(mean, other)).max() < 1e-11


def test_one_motion_is_its_own_mean() -> None:
    turns = swing().rotations_wxyz
    assert np.abs(vectors_between(mean_turns(turns[None]), turns)).max() < 1e-14


@often
@given(seeds)
def test_vectors_do_not_depend_on_how_joints_were_at_rest(seed: int) -> None:
    """Neither another frame of the parent nor another rest pose turns what is between motions."""
    random = np.random.default_rng(seed)
    center = any_turns(random, 3, 2)
    motions = np.array(
        [rotations.multiply(center, rotations.exp(any_vectors(random, 1.0, 3, 2))) for _ in "abcd"]
    )
    rest = any_turns(random, 2)
    other = rotations.multiply(rest, motions)
    mean, other_mean = mean_turns(motions), mean_turns(other)
    for a, b in zip(motions, other, strict=True):
        np.testing.assert_allclose(
            vectors_between(mean, a), vectors_between(other_mean, b), atol=1e-11
        )


def test_the_place_of_the_root_is_a_difference() -> None:
    a, b = swing(), varied([0.1, 0.2])
    vector = vector_of(a.root_positions_m, a.rotations_wxyz, b.root_positions_m, b.rotations_wxyz)
    np.testing.assert_array_equal(vector[:, 0], b.root_positions_m - a.root_positions_m)
    roots, turns = motion_of(a.root_positions_m, a.rotations_wxyz, vector)
    np.testing.assert_allclose(roots, b.root_positions_m, atol=1e-15)
    assert np.abs(vectors_between(turns, b.rotations_wxyz)).max() < 1e-14


FRAMES = np.concatenate([np.arange(12.0), np.linspace(0.0, 11.0, 97)])


def test_cubics_pass_through_the_frames_they_are_given() -> None:
    values = np.random.default_rng(0).normal(size=(12, 2, 3))
    np.testing.assert_allclose(sampled_vectors(values, np.arange(12.0)), values, atol=1e-15)


@pytest.mark.parametrize("curve", [lambda x: 2.0 * x - 3.0, lambda x: 0.5 * x**2 - x])
def test_cubics_reproduce_lines_and_parabolas_inside(curve: Callable[[Array], Array]) -> None:
    inside = FRAMES[(FRAMES >= 1.0) & (FRAMES <= 10.0)]
    made = sampled_vectors(curve(np.arange(12.0))[:, None], inside)[:, 0]
    np.testing.assert_allclose(made, curve(inside), atol=1e-13)


def test_cubics_have_the_slopes_of_catmull_and_rom() -> None:
    values = np.random.default_rng(4).normal(size=12)
    ends = 2.0 * values[[0, -1]] - values[[1, -2]]  # as straight as it came
    longer = np.concatenate([ends[:1], values, ends[1:]])
    slopes = 0.5 * (longer[2:] - longer[:-2])
    known = CubicHermiteSpline(np.arange(12.0), values, slopes)(FRAMES)
    np.testing.assert_allclose(sampled_vectors(values[:, None], FRAMES)[:, 0], known, atol=1e-14)


def test_cubics_are_held_outside() -> None:
    values = np.random.default_rng(5).normal(size=(6, 3))
    made = sampled_vectors(values, np.array([-3.0, -1e-9, 5.0, 5.0 + 1e-9, 40.0]))
    np.testing.assert_allclose(made, values[[0, 0, 5, 5, 5]], atol=1e-8)


def test_cubics_reproduce_lines_up_to_their_ends() -> None:
    made = sampled_vectors(2.0 * np.arange(12.0)[:, None] - 3.0, FRAMES)[:, 0]
    np.testing.assert_allclose(made, 2.0 * FRAMES - 3.0, atol=1e-13)


@pytest.mark.parametrize("count", [2, 3])
def test_a_few_frames_are_enough(count: int) -> None:
    values = np.arange(float(count))[:, None]
    made = sampled_vectors(values, np.array([0.0, 0.5, count - 1.0]))[:, 0]
    assert made[0] == 0.0 and 0.0 < made[1] < 1.0 and made[2] == count - 1.0
