"""The place as a whole: grounds, belts, overlapping solids, and what may be asked of it."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise.environment import UP, ConvexPart, Environment, Ground, HeightField, query
from poise.errors import BadShape, BadValue

CUBE = np.array(list(product((-1.0, 1.0), repeat=3)))


def test_flat_ground_is_height() -> None:
    points = np.random.default_rng(0).normal(size=(50, 3))
    found = query(Environment.flat(0.25), points)
    np.testing.assert_allclose(found.distances_m, points[:, 1] - 0.25, atol=1e-15)
    np.testing.assert_array_equal(found.normals, np.tile(UP, (50, 1)))
    np.testing.assert_allclose(found.closest_m, points * [1, 0, 1] + [0, 0.25, 0], atol=1e-15)
    assert not found.velocities_m_s.any()
    assert not found.surfaces.any()


@settings(max_examples=80, deadline=None)
@given(st.floats(-1.4, 1.4), st.floats(0.0, 6.3), st.floats(-5, 5))
def test_tilted_ground_by_its_formula(tilt: float, heading: float, height: float) -> None:
    uphill = np.array([np.sin(heading), 0.0, np.cos(heading)])
    ground = Ground.tilted(tilt, uphill, height_m=height)
    assert ground.tilt_rad == pytest.approx(abs(tilt), abs=1e-9)
    points = np.random.default_rng(1).normal(size=(20, 3))
    surface = height + np.tan(tilt) * (points @ uphill)
    np.testing.assert_allclose(ground.heights_m(points), surface, atol=1e-9)
    found = query(Environment((ground,)), points)
    wanted = (points[:, 1] - surface) * np.cos(tilt)
    np.testing.assert_allclose(found.distances_m, wanted, atol=1e-9)
    np.testing.assert_allclose(ground.heights_m(found.closest_m), found.closest_m[:, 1], atol=1e-9)


def test_a_belt_moves_along_its_surface() -> None:
    belt = np.array([0.0, 0.0, -1.25])
    level = query(Environment.flat(belt_velocity_m_s=belt), np.zeros((4, 3)))
    np.testing.assert_array_equal(level.velocities_m_s, np.tile(belt, (4, 1)))
    tilt = 0.1
    sloping = query(
        Environment((Ground.tilted(tilt, belt_velocity_m_s=belt),)), np.zeros((1, 3))
    ).velocities_m_s[0]
    along = np.array([0.0, np.sin(tilt), np.cos(tilt)])
    np.testing.assert_allclose(sloping, (belt @ along) * along, atol=1e-15)


def test_each_point_gets_the_belt_of_its_own_surface() -> None:
    left = ConvexPart(CUBE * 0.5 + [-1.0, 0.0, 0.0], "left belt", np.array([0.0, 0.0, -1.0]))
    right = ConvexPart(CUBE * 0.5 + [1.0, 0.0, 0.0], "right belt", np.array([0.0, 0.0, -2.0]))
    place = Environment((Ground(-0.5), left, right))
    found = query(place, [[-1.0, 0.6, 0.0], [1.0, 0.6, 0.0], [0.0, -0.4, 0.0], [-1.0, 0.0, 0.6]])
    np.testing.assert_array_equal(found.surfaces, [1, 2, 0, 1])
    # The last point is before the front face, which the belt would have to leave.
    np.testing.assert_allclose(found.velocities_m_s[:, 2], [-1.0, -2.0, 0.0, 0.0], atol=1e-12)


def test_overlapping_solids_answer_with_the_smallest_signed_distance() -> None:
    rng = np.random.default_rng(3)
    hill = HeightField(0.2 * rng.normal(size=(8, 8)), (0.5, 0.5), (-2.0, -2.0))
    parts = [ConvexPart(0.6 * CUBE + rng.uniform(-1, 1, 3)) for _ in range(12)]
    surfaces = (hill, *parts[:6], Ground(-0.1), *parts[6:], Ground.tilted(0.3, height_m=-0.5))
    points = rng.uniform(-2, 2, (2000, 3))
    together = query(Environment(surfaces), points)
    alone = [query(Environment((s,)), points) for s in surfaces]
    distances = np.stack([a.distances_m for a in alone])
    np.testing.assert_array_equal(together.distances_m, distances.min(axis=0))
    np.testing.assert_array_equal(
        distances[together.surfaces, np.arange(2000)], together.distances_m
    )
    closest = np.stack([a.closest_m for a in alone])[together.surfaces, np.arange(2000)]
    np.testing.assert_array_equal(together.closest_m, closest)


@pytest.mark.parametrize("shape", ((3,), (0, 3), (5, 3), (4, 7, 3), (2, 3, 4, 3)))
def test_leading_axes_are_kept(shape: tuple[int, ...]) -> None:
    points = np.random.default_rng(0).normal(size=shape)
    place = Environment((Ground(), ConvexPart(CUBE)))
    found = query(place, points)
    assert found.closest_m.shape == found.normals.shape == found.velocities_m_s.shape == shape
    assert found.distances_m.shape == found.surfaces.shape == shape[:-1]
    flat = query(place, points.reshape(-1, 3))
    np.testing.assert_array_equal(found.distances_m.reshape(-1), flat.distances_m)


def test_input_may_be_strided_and_is_left_alone() -> None:
    given = np.random.default_rng(0).normal(size=(9, 6))
    kept = given.copy()
    found = query(Environment.flat(), given[::2, ::2])
    np.testing.assert_array_equal(found.distances_m, given[::2, 2])
    np.testing.assert_array_equal(given, kept)
    assert given.flags.writeable
    assert not found.distances_m.flags.writeable


BAD_POINTS = {
    "NaN": ([[0.0, np.nan, 0.0]], BadValue, "nan at index (0, 1)"),
    "infinite": ([[0.0, 0.0, np.inf]], BadValue, "inf at index (0, 2)"),
    "two columns": (np.zeros((4, 2)), BadShape, "(..., 3)"),
    "a number": (1.0, BadShape, "(..., 3)"),
    "words": ("here", BadValue, "numbers"),
}


@pytest.mark.parametrize("case", BAD_POINTS)
def test_points_that_are_none_are_refused(case: str) -> None:
    points, error, words = BAD_POINTS[case]
    with pytest.raises(error) as caught:
        query(Environment.flat(), points)
    assert words in str(caught.value)


def test_a_place_needs_surfaces() -> None:
    with pytest.raises(BadValue, match="at least one ground"):
        Environment(())
    with pytest.raises(BadValue, match="got 'str'"):
        Environment(("floor",))  # type: ignore[arg-type]


BAD_GROUNDS = {
    "NaN": ({"height_m": np.nan}, "height_m"),
    "no normal": ({"normal": np.zeros(3)}, "longer than zero"),
    "a wall": ({"normal": np.array([1.0, 0.0, 0.0])}, "upward"),
    "a ceiling": ({"normal": np.array([0.0, -1.0, 0.0])}, "upward"),
    "a NaN belt": ({"belt_velocity_m_s": np.array([np.nan, 0.0, 0.0])}, "finite"),
}


@pytest.mark.parametrize("case", BAD_GROUNDS)
def test_what_is_no_ground_is_refused(case: str) -> None:
    given, words = BAD_GROUNDS[case]
    with pytest.raises(BadValue) as caught:
        Ground(**given)
    assert words in str(caught.value)


def test_a_slope_needs_a_direction() -> None:
    with pytest.raises(BadValue, match="not vertical"):
        Ground.tilted(0.1, UP)
    with pytest.raises(BadValue, match="right angle"):
        Ground.tilted(2.0)


def test_more_can_be_put_into_a_place() -> None:
    place = Environment.flat().with_surfaces([ConvexPart(CUBE)])
    assert [type(s).__name__ for s in place.surfaces] == ["Ground", "ConvexPart"]
    assert len(place.grounds) == 1
