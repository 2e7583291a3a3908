"""Leaping on and on: no jolt from step to step, landings where they were told, nature's fall."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from poise import rotations
from poise.arrays import Array
from poise.character import Character, complete_character
from poise.contact import estimate_ground
from poise.environment import Environment
from poise.errors import BadShape, BadValue
from poise.formats import load_clip, save_clip
from poise.mechanics import center_of_mass, forward_kinematics
from poise.methods import Edit
from poise.methods.momentum import Settings
from poise.methods.momentum.controller import LeapController, Played
from poise.methods.momentum.family import Family, build_family
from poise.methods.momentum.two_leaps import AXES, stage_feet_m, two_leaps
from poise.methods.progress import Progress
from poise.motion import Clip, resample
from poise.motion.cleanup import clean
from poise.samples import sample_character
from tests.methods.leaping import hops as two_hops
from tests.methods.leaping import jump, landing_grid
from tests.shared_data import MOCAP, needs_mocap

RATE_HZ, REACH_M = 20.0, 0.2
SETTINGS = Settings(knots_per_s=6.0)
G = 9.81


def hops() -> Edit:
    return two_hops(RATE_HZ)


@cache
def family() -> Family:
    """Only the corners of what a controller uses: hops on the spot are in their middle."""
    edit, axes = two_leaps(hops(), REACH_M, SETTINGS)
    corners = tuple(replace(axis, values=(axis.values[0], axis.values[-1])) for axis in axes)
    return build_family(edit, replace(SETTINGS, family=corners))


def controller(**more: Any) -> LeapController:
    return LeapController(family(), sample_character(), **more)


def directions(seed: int, count: int, reach_m: float = REACH_M) -> Array:
    """Some outside the reach."""
    return np.random.default_rng(seed).uniform(-1.5 * reach_m, 1.5 * reach_m, (count, 2))


@cache
def played(seed: int = 0) -> tuple[Played, ...]:
    user = controller(start=(0.1, -0.05), place_m=(3.0, -2.0))
    return tuple(user.step(each) for each in directions(seed, 10))


def whole(steps: Sequence[Played]) -> tuple[Array, Array]:
    """Roots and rotations of all steps, one after the other."""
    return (
        np.concatenate([each.clip.root_positions_m for each in steps]),
        np.concatenate([each.clip.rotations_wxyz for each in steps]),
    )


def assert_chained(steps: Sequence[Played], clip: Clip, character: Character) -> None:
    roots, turns = whole(steps)
    assert np.isfinite(roots).all() and np.isfinite(turns).all()
    last = np.cumsum([each.clip.frame_count for each in steps])[:-1] - 1
    inside = np.ones(len(roots) - 1, dtype=np.bool_)
    inside[last] = False
    ways = np.linalg.norm(np.diff(roots, axis=0), axis=1)
    # The last way down to a landing is the fastest of a fall.
    assert ways[~inside].max() <= ways[inside].max() + 2.0 * G / clip.rate_hz**2
    turned = rotations.angle_between(turns[1:], turns[:-1])
    assert turned[~inside].max() <= 1.1 * turned[inside].max()
    # From the last frame on the ground before a flight to the first one after it.
    assert character.body is not None
    center = center_of_mass(forward_kinematics(clip.skeleton, roots, turns), character.body)
    falls, at = np.diff(center, n=2, axis=0) * clip.rate_hz**2, 0
    for each in steps[:-1]:
        flight = falls[at + each.ground_frames - 1 : at + each.clip.frame_count - 1]
        np.testing.assert_allclose(flight, np.tile([0.0, -G, 0.0], (len(flight), 1)), atol=1e-6)
        at += each.clip.frame_count


def assert_landings_add_up(steps: Sequence[Played]) -> None:
    for one, next_one in pairwise(steps):
        np.testing.assert_allclose(
            next_one.landed_m, np.add(one.landed_m, one.direction_m), atol=1e-12
        )


# The family


def test_two_leaps_are_put_on_the_spot() -> None:
    edit, axes = two_leaps(hops(), 0.3, SETTINGS)
    assert tuple(axis.name for axis in axes) == AXES
    assert all(axis.values == (-0.3, 0.0, 0.3) for axis in axes)
    # The first stage goes backwards for the first leap to go further.
    assert [axis.stage for axis in axes] == [0, 0, -1, -1]
    assert [axis.by_m for axis in axes] == [(-1, 0, 0), (0, 0, -1), (1, 0, 0), (0, 0, 1)]
    first, second = edit.constraints[-2:]
    assert first.name == "first leap on the spot" and second.name == "second leap on the spot"
    np.testing.assert_allclose(first.by_m, (0.0, 0.0, 0.5), atol=0.01)  # type: ignore[union-attr]
    np.testing.assert_allclose(second.by_m, (0.0, 0.0, -0.5), atol=0.01)  # type: ignore[union-attr]
    assert hops().constraints == ()


def test_members_are_solved_and_leap_as_far_as_their_coordinates_say() -> None:
    assert family().member_count == 16 and set(family().statuses) == {"converged"}
    touching = np.asarray(family().contacts.touching.any(axis=1))
    spans = [(first, stop) for kind, first, stop in family().stages if kind == "ground"]
    for at in ((-0.2, 0.2, 0.2, -0.2), (0.2, 0.2, 0.2, 0.2), (0.0, 0.0, 0.0, 0.0)):
        feet = stage_feet_m(family().at(at), touching, sample_character(), spans)
        leaps = np.diff(feet, axis=0)[:, [0, 2]].ravel()
        np.testing.assert_allclose(leaps, at, atol=0.03)


def test_settings_alone_make_the_whole_family() -> None:
    quick = replace(SETTINGS, iterations=1, two_leaps_m=0.1, stage_changes=(7, 12, 19, 24))
    told: list[int] = []

    def enough(now: Progress) -> None:
        told.append(now.total)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_family(hops(), quick, progress=enough)
    assert told == [81]


@pytest.mark.parametrize("reach", [0.0, -0.1, np.nan, np.inf])
def test_a_reach_that_is_none_is_refused(reach: float) -> None:
    with pytest.raises(BadValue, match="two_leaps_m must be"):
        replace(SETTINGS, two_leaps_m=reach)


def test_what_is_not_two_leaps_is_refused() -> None:
    with pytest.raises(BadValue, match="two leaps: ground, flight, ground, flight, ground"):
        two_leaps(jump(), 0.3, SETTINGS)
    with pytest.raises(BadValue, match="two leaps: ground, flight, ground, flight, ground"):
        build_family(jump(), replace(SETTINGS, two_leaps_m=0.3))


# The controller


def test_steps_follow_each_other_without_a_jolt_and_fall_as_nature_has_it() -> None:
    for seed in (0, 1):
        assert_chained(played(seed), family().clip, sample_character())


def test_landings_add_up_to_the_directions() -> None:
    steps, asked = played(), directions(0, 10)
    assert_landings_add_up(steps)
    assert steps[0].landed_m == (3.0, -2.0)
    # The first two leaps go as told at the start; then a direction is two leaps ahead.
    np.testing.assert_allclose(steps[0].direction_m, (0.1, -0.05))
    for step, direction in zip(steps[1:], asked[:-1], strict=True):
        np.testing.assert_allclose(step.direction_m, np.clip(direction, -REACH_M, REACH_M))


def test_the_foot_stands_where_the_landing_is_said_to_be() -> None:
    ankle = family().clip.skeleton.index("LeftFoot")
    prints = np.array([
        forward_kinematics(step.clip.skeleton, *step.clip.pose)
        .positions_m[step.ground_frames // 2, ankle][[0, 2]]
        for step in played()
    ])  # fmt: skip
    landings = np.array([step.landed_m for step in played()])
    gaps = prints - landings
    # Beside the middle of both ankles, but always as far.
    np.testing.assert_allclose(gaps, np.tile(gaps.mean(axis=0), (len(gaps), 1)), atol=0.01)


def test_each_step_is_from_a_landing_to_just_before_the_next() -> None:
    _, _, ground, flight, _ = family().stages
    for step in played():
        assert step.ground_frames == ground[2] - ground[1]
        assert step.clip.frame_count == step.ground_frames + flight[2] - flight[1]
        assert step.clip.rate_hz == RATE_HZ
        lowest = forward_kinematics(step.clip.skeleton, *step.clip.pose).positions_m[..., 1].min()
        assert lowest > -0.01


def test_a_direction_is_taken_one_step_later_and_within_reach() -> None:
    user = controller(start=(0.1, 0.0))
    assert user.reach_m == REACH_M
    asked = ((0.0, -0.15), (9.0, -9.0), (0.0, 0.0))
    taken = [user.step(each).direction_m for each in asked]
    assert taken == [(0.1, 0.0), (0.0, -0.15), (REACH_M, -REACH_M)]
    np.testing.assert_array_equal(user.inside((-9.0, 0.1)), (-REACH_M, 0.1))


def test_the_same_directions_give_the_same_bits() -> None:
    user = controller(start=(0.1, -0.05), place_m=(3.0, -2.0))
    again = [user.step(each) for each in directions(0, 10)]
    for a, b in zip(whole(played()), whole(again), strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_leap_is_the_same_everywhere() -> None:
    here, there = controller(), controller(place_m=(100.0, -50.0))
    for direction in directions(5, 3):
        one, other = here.step(direction).clip, there.step(direction).clip
        shift = other.root_positions_m - one.root_positions_m
        np.testing.assert_allclose(shift, np.tile([100.0, 0.0, -50.0], (len(shift), 1)), atol=1e-9)
        np.testing.assert_allclose(one.rotations_wxyz, other.rotations_wxyz, atol=1e-12)


@pytest.mark.parametrize(
    ("direction", "problem"),
    [
        ((1.0,), BadShape), ((1.0, 2.0, 3.0), BadShape), (0.3, BadShape), ((), BadShape),
        ((np.nan, 0.0), BadValue), ((0.0, np.inf), BadValue),
    ],
)  # fmt: skip
def test_what_is_no_direction_is_refused(direction: Any, problem: type[Exception]) -> None:
    user = controller()
    for ask in (user.step, user.inside, lambda start: controller(start=start)):
        with pytest.raises(problem, match="direction"):
            ask(direction)
    assert user.step((0.1, 0.0)).direction_m == (0.0, 0.0)


def test_other_families_and_bodies_are_refused() -> None:
    with pytest.raises(BadValue, match="family must be one of two leaps"):
        LeapController(landing_grid(), sample_character())
    with pytest.raises(BadValue, match="character must be one with roles and a body"):
        LeapController(family(), replace(sample_character(), body=None))


@pytest.mark.parametrize(
    "change", [{"roles": None}, {"place_m": (np.nan, 0.0)}, {"place_m": (1.0,)}]
)
def test_roles_and_places_that_are_none_are_refused(change: dict[str, Any]) -> None:
    character = sample_character()
    if "roles" in change:
        character, change = replace(character, **change), {}
    with pytest.raises((BadValue, BadShape), match=r"character|place_m"):
        LeapController(family(), character, **change)


def test_a_step_of_a_clip_from_a_file_can_be_written_and_read(tmp_path: Path) -> None:
    save_clip(hops().clip, tmp_path / "hops.bvh")
    source = load_clip(tmp_path / "hops.bvh").source
    assert source is not None and source.channels is not None
    from_file = replace(family(), clip=replace(family().clip, source=source))
    step = LeapController(from_file, sample_character()).step((0.0, 0.0))
    save_clip(step.clip, tmp_path / "step.npz")
    assert load_clip(tmp_path / "step.npz").frame_count == step.clip.frame_count


@needs_mocap
@pytest.mark.slow
def test_captured_leaps_are_played_on_and_on() -> None:
    clip, _ = clean(load_clip(MOCAP / "cmu" / "49_02.bvh"))
    clip = resample(clip.sliced(120, 345), 30.0)
    character = complete_character(clip.skeleton)
    edit = Edit(clip, character, (), Environment((estimate_ground(clip, character)[0],)))
    made = build_family(edit, Settings(two_leaps_m=0.4))
    assert made.member_count == 81
    assert made.statuses.count("converged") >= 75
    user = LeapController(made, character)
    steps = [user.step(each) for each in directions(2, 12, 0.4)]
    assert_chained(steps, clip, character)
    assert_landings_add_up(steps)
