"""Places of another size: every distance about a point is so many times as long."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise.environment import ConvexPart, Environment, Ground, HeightField, query
from poise.environment.environment import Surface
from poise.environment.places import scaled

CUBE = np.array(list(product((-1.0, 1.0), repeat=3)))
BELT = np.array([0.4, 0.1, -1.2])


def _hills(belt: np.ndarray) -> HeightField:
    heights = 0.3 * np.random.default_rng(2).normal(size=(9, 7))
    return HeightField(heights, np.array([0.5, 0.7]), np.array([-2.0, -1.5]), belt)


SURFACES: dict[str, Surface] = {
    "floor": Ground(0.3),
    "slope": Ground.tilted(0.4, (0.8, 0.0, -0.5), height_m=-0.2),
    "belt": Ground.tilted(0.1, (0.0, 0.0, 1.0), height_m=0.5, belt_velocity_m_s=BELT),
    "hills": _hills(np.zeros(3)),
    "moving hills": _hills(BELT),
    "box": ConvexPart(0.4 * CUBE + [0.3, 0.2, -0.1], "box"),
    "conveyor": ConvexPart(
        0.5 * np.random.default_rng(5).normal(size=(20, 3)), "conveyor", BELT
    ),
}  # fmt: skip
PLACES = {name: (surface,) for name, surface in SURFACES.items()} | {
    "all": tuple(SURFACES.values())
}
POINTS = np.random.default_rng(7).uniform(-2, 2, (300, 3))

factors = st.floats(0.2, 4.0).filter(lambda factor: factor != 1.0)
abouts = st.tuples(*[st.floats(-3, 3)] * 3).map(np.array)


@pytest.mark.parametrize("name", PLACES)
@settings(max_examples=12, deadline=None)
@given(factor=factors, about=abouts)
def test_whatever_is_asked_of_a_place_grows_with_it(
    name: str, factor: float, about: np.ndarray
) -> None:
    place = Environment(PLACES[name])
    before = query(place, POINTS)
    after = query(scaled(place, factor, about), about + factor * (POINTS - about))
    np.testing.assert_allclose(after.distances_m, factor * before.distances_m, atol=1e-9)
    # Where two surfaces are as near, either may answer.
    same = (after.surfaces == before.surfaces) & (
        np.linalg.norm(after.normals - before.normals, axis=1) < 1e-6
    )
    assert same.mean() > 0.98
    grown = about + factor * (before.closest_m - about)
    np.testing.assert_allclose(after.closest_m[same], grown[same], atol=1e-7)
    np.testing.assert_allclose(
        after.velocities_m_s[same], factor * before.velocities_m_s[same], atol=1e-6
    )


@pytest.mark.parametrize("name", PLACES)
def test_there_and_back_again_is_the_same_place(name: str) -> None:
    place, about = Environment(PLACES[name]), np.array([0.4, -1.0, 0.8])
    again = scaled(scaled(place, 0.7, about), 1.0 / 0.7, about)
    before, after = query(place, POINTS), query(again, POINTS)
    np.testing.assert_allclose(after.distances_m, before.distances_m, atol=1e-9)


def test_a_place_of_the_same_size_is_the_same_place() -> None:
    place = Environment(PLACES["all"], ("as found",))
    assert scaled(place, 1.0, np.array([1.0, 2.0, 3.0])) is place


def test_names_notes_and_slopes_stay() -> None:
    place = Environment(PLACES["all"], ("as found",))
    other = scaled(place, 0.5, np.zeros(3))
    assert [s.name for s in other.surfaces] == [s.name for s in place.surfaces]
    assert other.notes == ("as found",)
    for before, after in zip(place.grounds, other.grounds, strict=True):
        np.testing.assert_array_equal(after.normal, before.normal)


def test_a_level_floor_that_the_point_lies_on_stays_where_it_is() -> None:
    floor = scaled(Environment.flat(0.3), 0.6, np.array([5.0, 0.3, -2.0])).grounds[0]
    assert floor.height_m == pytest.approx(0.3, abs=1e-15)
