from __future__ import annotations

import numpy as np
import pytest

from poise.arrays import Array
from poise.constraints.part_move import rise_to_surface_m
from poise.environment import ConvexPart, Environment, Ground, HeightField, query

CORNERS = np.array([[x, y, z] for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)])


def box(low: tuple[float, ...], high: tuple[float, ...]) -> ConvexPart:
    return ConvexPart(np.array(low) + CORNERS * (np.array(high) - np.array(low)))


def rise(place: Environment, *points: tuple[float, float, float]) -> Array:
    return rise_to_surface_m(place, np.array(points))


FLOOR = Environment.flat()
STAIRS = FLOOR.with_surfaces([box((0, 0, 1), (1, 0.2, 3)), box((0, 0.2, 2), (1, 0.4, 3))])


def test_level_ground_is_as_far_as_it_is_high() -> None:
    np.testing.assert_allclose(rise(Environment.flat(0.3), (1, 1, 1), (2, 0, 5)), [-0.7, 0.3])


def test_a_slope_is_met_straight_below_not_at_its_nearest_point() -> None:
    slope = Environment((Ground.tilted(np.radians(30)),))
    np.testing.assert_allclose(rise(slope, (0, 2, 1)), [np.tan(np.radians(30)) - 2])


def test_the_highest_surface_below_counts() -> None:
    found = rise(STAIRS, (0.5, 1, 0.5), (0.5, 1, 1.5), (0.5, 1, 2.5), (-0.5, 1, 2.5))
    np.testing.assert_allclose(found, [-1, -0.8, -0.6, -1], atol=1e-12)


def test_inside_a_solid_it_goes_up_through_all_that_lies_on_it() -> None:
    found = rise(STAIRS, (0.5, 0.1, 1.5), (0.5, 0.1, 2.5), (0.5, -0.1, 2.5), (0.5, -0.1, 0.5))
    np.testing.assert_allclose(found, [0.1, 0.3, 0.5, 0.1], atol=1e-12)


def test_under_a_table_the_floor_counts() -> None:
    table = FLOOR.with_surfaces([box((0, 0.7, 0), (1, 0.75, 1))])
    found = rise(table, (0.5, 0.1, 0.5), (0.5, 0.71, 0.5), (0.5, 0.8, 0.5), (0.5, -0.1, 0.5))
    np.testing.assert_allclose(found, [-0.1, 0.04, -0.05, 0.1], atol=1e-12)


def test_where_nothing_is_below_it_says_so() -> None:
    assert rise(Environment((box((0, 0, 0), (1, 1, 1)),)), (2, 2, 2))[0] == -np.inf


@pytest.mark.parametrize("seed", range(4))
def test_points_moved_so_far_lie_on_the_surface(seed: int) -> None:
    random = np.random.default_rng(seed)
    terrain = HeightField(random.normal(size=(6, 5)) * 0.3, np.array([0.5, 0.4]))
    wedge = ConvexPart(random.normal(size=(9, 3)) * 0.6 + [1.0, 0.8, 1.0])
    place = Environment((terrain, wedge, box((1, 0, 1), (2, 1.2, 2))))
    points = random.uniform([-1, -1, -1], [4, 3, 3], size=(300, 3))
    there = points + rise_to_surface_m(place, points)[:, None] * place.up
    assert np.abs(query(place, there).distances_m).max() < 1e-9
    # Those that were outside fell through nothing on the way.
    outside = query(place, points).distances_m > 0
    halfway = (0.5 * (points + there))[outside]
    assert query(place, halfway).distances_m.min() > 0
