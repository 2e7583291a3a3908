"""Inverse control: the leap between leaps that puts a point of the body where it should be."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from poise.arrays import Array
from poise.errors import BadShape, BadValue, UnknownName
from poise.mechanics import forward_kinematics, site_positions
from poise.methods.momentum.family import Family, build_family
from poise.methods.momentum.family_axes import FamilyAxis
from poise.methods.momentum.inverse_control import HIT_M, Aim
from poise.samples import sample_character
from tests.methods.leaping import SETTINGS, jump, landing_circle, landing_grid, line

POINTS = ("left_hand_tip", "head_top", "right_wrist", "RightToeBase", "pelvis")


@cache
def turning() -> Family:
    """Further and turned: what a point does then is far from linear."""
    axes = (
        line("ahead", -1, (0.0, 0.0, 1.0), (0.0, 0.2, 0.4)),
        FamilyAxis("turned", -1, (-60.0, 0.0, 60.0), turn_deg=1.0),
    )
    return build_family(jump(), replace(SETTINGS, family=axes))


def aim(family: Family, point: str) -> Aim:
    return Aim(family, sample_character(), point)


def place(family: Family, point: str, coordinate: tuple[float, ...], frame: int) -> Array:
    """Where a point is, by forward kinematics of the whole body."""
    character, clip = sample_character(), family.at(coordinate, "smooth")
    assert character.roles is not None
    state = forward_kinematics(clip.skeleton, *clip.pose)
    if point in character.sites.names:
        return site_positions(state, character.sites)[frame, character.sites.names.index(point)]
    return state.positions_m[frame, clip.skeleton.index(character.roles.joints.get(point, point))]


def drawn(family: Family, random: np.random.Generator, edge: float = 0.0) -> tuple[float, ...]:
    """A coordinate, not nearer to the members of its cell than a share of the cell."""
    found: list[float] = []
    for axis in family.axes:
        cell = int(random.integers(len(axis.values) - 1))
        low, high = axis.values[cell : cell + 2]
        found.append(low + (high - low) * random.uniform(edge, 1.0 - edge))
    return tuple(found)


@pytest.mark.parametrize("point", POINTS)
def test_places_are_those_of_the_whole_body(point: str) -> None:
    random = np.random.default_rng(7)
    for family in (landing_grid(), landing_circle(), turning()):
        found = aim(family, point)
        for frame in (0, 20, 47):
            for at in (drawn(family, random), tuple(axis.values[-1] for axis in family.axes)):
                np.testing.assert_allclose(
                    found.place_m(at, frame), place(family, point, at, frame), atol=1e-9
                )


@pytest.mark.parametrize("point", POINTS)
def test_the_coordinate_that_a_place_was_made_from_is_found(point: str) -> None:
    family, found, random = landing_grid(), aim(landing_grid(), point), np.random.default_rng(3)
    spans = np.array([high - low for low, high in family.bounds])
    for frame in (24, 28, 33, 47):
        for _ in range(5):
            # At members themselves the slope is zero: a hair's breadth is all the same there.
            at = drawn(family, random, 0.1)
            hit = found.hit(found.place_m(at, frame), frame)
            assert hit.status == "hit" and hit.frame == frame and hit.miss_m < 1e-4
            assert (np.abs(np.array(hit.coordinate) - at) < 1e-3 * spans).all()
            np.testing.assert_allclose(hit.place_m, found.place_m(hit.coordinate, frame))


def test_members_themselves_are_found() -> None:
    family = landing_grid()
    found = aim(family, "head_top")
    for corner in ((0.0, 0.0), (0.3, 0.0), (0.3, 0.3)):
        hit = found.hit(place(family, "head_top", corner, 40), 40)
        assert hit.status == "hit" and hit.miss_m < 1e-3
        np.testing.assert_allclose(hit.coordinate, corner, atol=0.02)


def hits(family: Family, point: str, count: int) -> float:
    """The share of places inside a family that are hit."""
    found, random = aim(family, point), np.random.default_rng(0)
    hit = 0
    for _ in range(count):
        at, frame = drawn(family, random), int(random.integers(20, 48))
        hit += found.hit(found.place_m(at, frame), frame).status == "hit"
    return hit / count


@pytest.mark.parametrize("point", ["left_hand_tip", "head_top", "right_toe_tip"])
def test_every_place_that_a_family_reaches_is_hit(point: str) -> None:
    for family in (landing_grid(), landing_circle(), turning()):
        assert hits(family, point, 200) == 1.0


def test_what_is_out_of_reach_is_told_and_the_nearest_is_given() -> None:
    family, found = landing_grid(), aim(landing_grid(), "head_top")
    edge = place(family, "head_top", (0.3, 0.15), 40)
    hit = found.hit(edge + np.array([0.5, 0.0, 0.0]), 40)
    assert hit.status == "out_of_reach"
    assert hit.miss_m == pytest.approx(0.5, abs=0.05) and hit.miss_m > HIT_M
    # As far as it goes towards it, not farther.
    np.testing.assert_allclose(hit.coordinate, (0.3, 0.15), atol=0.05)
    for low, high, value in zip(*zip(*family.bounds, strict=True), hit.coordinate, strict=True):
        assert low <= value <= high
    assert np.linalg.norm(np.array(hit.place_m) - edge) < 0.05
    far = found.hit((1e9, 1e9, 1e9), 40)
    assert far.status == "out_of_reach" and np.isfinite(far.coordinate).all()


# Balls


def test_a_ball_is_met_in_the_frame_in_which_it_can_be() -> None:
    found = aim(landing_grid(), "head_top")
    at, frame = (0.12, 0.21), 24
    # It comes from ten metres away, fast, through where the head can be in one frame only.
    there = found.place_m(at, frame)
    path = there + (np.arange(20, 30) - frame)[:, None] * np.array([0.0, 0.3, 2.0])
    hit = found.meet(path, 20)
    assert (hit.status, hit.frame) == ("hit", frame)
    np.testing.assert_allclose(hit.coordinate, at, atol=1e-3)
    assert hit.miss_m < 1e-4
    # Where it is not to be met it is not looked for.
    path[frame - 20] = np.nan
    other = found.meet(path, 20)
    assert other.frame != frame and other.status == "out_of_reach"


def test_only_frames_of_the_family_count() -> None:
    family, found = landing_grid(), aim(landing_grid(), "head_top")
    there = found.place_m((0.1, 0.1), 47)
    path = np.tile(there, (10, 1))
    assert found.meet(path, 44).frame == 47
    early = np.tile(found.place_m((0.1, 0.1), 1), (10, 1))
    assert 0 <= found.meet(early, -6).frame <= 3
    for first in (-10, family.frame_count, 10**6):
        with pytest.raises(BadValue, match="path_m must be at least one place"):
            found.meet(path, first)
    with pytest.raises(BadValue, match="path_m must be at least one place"):
        found.meet(np.full((10, 3), np.nan), 20)
    with pytest.raises(BadValue, match="path_m must be at least one place"):
        found.meet(np.zeros((0, 3)), 20)


# Bad input


@pytest.mark.parametrize("frame", [-1, 48, 10**9])
def test_frames_that_there_are_not_are_refused(frame: int) -> None:
    with pytest.raises(BadValue, match="frame must be from 0 to 47"):
        aim(landing_grid(), "head_top").hit((0.0, 1.0, 1.0), frame)


@pytest.mark.parametrize(
    ("where", "problem"),
    [
        ((0.0, 1.0), BadShape), (((0.0, 1.0, 1.0),), BadShape), ((), BadShape),
        ((0.0, np.nan, 1.0), BadValue), ((0.0, np.inf, 1.0), BadValue),
    ],
)  # fmt: skip
def test_places_that_are_none_are_refused(where: Any, problem: type[Exception]) -> None:
    with pytest.raises(problem, match="place_m"):
        aim(landing_grid(), "head_top").hit(where, 20)


@pytest.mark.parametrize("path", [np.zeros(3), np.zeros((5, 2)), np.zeros((2, 2, 3))])
def test_paths_that_are_none_are_refused(path: Array) -> None:
    with pytest.raises(BadShape, match="path_m"):
        aim(landing_grid(), "head_top").meet(path)


def test_points_that_nobody_knows_are_refused() -> None:
    with pytest.raises(UnknownName, match="left_hand_tp") as problem:
        aim(landing_grid(), "left_hand_tp")
    assert problem.value.nearest == "left_hand_tip"


def test_a_family_of_one_member_along_an_axis_is_no_trouble() -> None:
    family = landing_grid()
    narrow = Family(
        (family.axes[0], replace(family.axes[1], values=(0.0,))), family.clip, family.roots_m[::2],
        family.rotations_wxyz[::2], family.statuses[::2], family.contacts, family.stages,
        family.environment, family.stage_places_m,
    )  # fmt: skip
    found = aim(narrow, "head_top")
    hit = found.hit(place(narrow, "head_top", (0.2, 0.0), 40), 40)
    assert hit.status == "hit" and hit.coordinate == pytest.approx((0.2, 0.0), abs=1e-3)
