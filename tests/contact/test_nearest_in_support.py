from __future__ import annotations

import numpy as np
import pytest

from poise.arrays import Array
from poise.contact.support_area import (
    SupportArea,
    distance_to_support,
    nearest_in_support,
    support_area,
)
from poise.errors import BadShape

SQUARE = ((0.0, 0.0), (0.0, 2.0), (2.0, 0.0), (2.0, 2.0))


def area_of(*corners: tuple[float, float]) -> SupportArea:
    flat = np.array(corners, dtype=np.float64).reshape(-1, 2)
    places = np.stack([flat[:, 0], np.zeros(len(flat)), flat[:, 1]], axis=1)[None]
    return support_area(places, np.ones(places.shape[:2], dtype=np.bool_))


def nearest(area: SupportArea, x: float, z: float, inset_m: float = 0.0) -> Array:
    return nearest_in_support(area, [[x, 7.0, z]], inset_m)[0]


def random_areas(frames: int = 200) -> tuple[SupportArea, Array]:
    """Polygons of 3 to 9 points, and points around them, a third of them inside."""
    rng = np.random.default_rng(7)
    touching = rng.random((frames, 9)) < 0.6
    touching[:, :3] = True
    area = support_area(rng.normal(0.0, 1.0, (frames, 9, 3)), touching)
    return area, rng.normal(0.0, 1.0, (frames, 3))


def by_brute_force(corners: Array, point: Array, steps: int = 20001) -> Array:
    """The nearest of very many points along the border."""
    share = np.linspace(0.0, 1.0, steps)[:, None]
    border = np.concatenate(
        [a + share * (b - a) for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True)]
    )
    return border[np.linalg.norm(border - point, axis=1).argmin()]


def test_points_outside_go_where_a_search_along_the_border_finds_the_nearest() -> None:
    area, points = random_areas()
    found = nearest_in_support(area, points)
    outside = np.flatnonzero(distance_to_support(area, points) > 0.0)
    assert 50 < len(outside) < 180
    for f in outside:
        searched = by_brute_force(area.corners_m[f, : area.counts[f]], points[f, [0, 2]])
        assert np.linalg.norm(found[f] - searched) < 1e-3


def test_the_way_there_is_as_long_as_the_distance_and_ends_on_the_border() -> None:
    area, points = random_areas()
    found = nearest_in_support(area, points)
    distances = distance_to_support(area, points)
    outside = distances > 0.0
    way = np.linalg.norm(found - points[:, [0, 2]], axis=1)
    assert way[outside] == pytest.approx(distances[outside], abs=1e-12)
    there = np.stack([found[:, 0], np.zeros(len(found)), found[:, 1]], axis=1)
    assert np.abs(distance_to_support(area, there)[outside]).max() < 1e-12


@pytest.mark.parametrize("inset_m", [0.0, 0.01, 10.0])
def test_points_inside_keep_their_bits_whatever_the_inset(inset_m: float) -> None:
    area, points = random_areas()
    inside = distance_to_support(area, points) < 0.0
    assert inside.sum() > 20
    found = nearest_in_support(area, points, inset_m)
    assert (found[inside] == points[inside][:, [0, 2]]).all()


@pytest.mark.parametrize("inset_m", [0.001, 0.05, 0.5, 100.0])
def test_the_inset_goes_towards_the_mean_of_the_corners_and_no_further(inset_m: float) -> None:
    area, points = random_areas()
    border, found = nearest_in_support(area, points), nearest_in_support(area, points, inset_m)
    for f in np.flatnonzero(distance_to_support(area, points) > 0.0):
        mean = area.corners_m[f, : area.counts[f]].mean(axis=0)
        way = mean - border[f]
        length = float(np.linalg.norm(way))
        expected = border[f] + way * min(inset_m / length, 1.0)
        assert found[f] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("inset_m", [0.01, 0.3])
def test_with_an_inset_points_from_outside_end_strictly_inside(inset_m: float) -> None:
    area, points = random_areas()
    found = nearest_in_support(area, points, inset_m)
    there = np.stack([found[:, 0], np.zeros(len(found)), found[:, 1]], axis=1)
    outside = distance_to_support(area, points) > 0.0
    depth = -distance_to_support(area, there)[outside]
    assert (depth > 0.0).all()
    assert (depth <= inset_m + 1e-12).all()


@pytest.mark.parametrize(
    ("x", "z", "expected"),
    [
        (3, 1, (2, 1)),
        (3, 5, (2, 2)),
        (-1, 0.5, (0, 0.5)),
        (1, -4, (1, 0)),
        (2, 1, (2, 1)),
        (1, 1, (1, 1)),
    ],
)
def test_a_square(x: float, z: float, expected: tuple[float, float]) -> None:
    assert nearest(area_of(*SQUARE), x, z) == pytest.approx(np.array(expected), abs=1e-15)


def test_in_the_middle_of_a_side_the_inset_is_a_depth() -> None:
    assert nearest(area_of(*SQUARE), 3.0, 1.0, 0.25) == pytest.approx([1.75, 1.0], abs=1e-15)


def test_on_a_line_points_go_to_it_and_its_ends_move_inwards() -> None:
    line = area_of((0.0, 0.0), (2.0, 0.0), (1.5, 0.0))
    assert nearest(line, 0.5, 3.0) == pytest.approx([0.5, 0.0])
    assert nearest(line, 9.0, 3.0) == pytest.approx([2.0, 0.0])
    assert nearest(line, 9.0, 3.0, 0.25) == pytest.approx([1.75, 0.0])
    assert nearest(line, 9.0, 3.0, 50.0) == pytest.approx([1.0, 0.0])
    # A line has no inside: a point on it counts as outside and moves towards the middle.
    assert nearest(line, 0.5, 0.0, 0.25) == pytest.approx([0.75, 0.0])


def test_a_single_point_is_where_everything_goes() -> None:
    point = area_of((0.3, -0.2))
    for inset_m in (0.0, 0.1, 5.0):
        assert nearest(point, 4.0, 4.0, inset_m) == pytest.approx([0.3, -0.2], abs=1e-15)
        assert nearest(point, 0.3, -0.2, inset_m) == pytest.approx([0.3, -0.2], abs=1e-15)


def test_without_support_points_stay_and_what_is_not_a_number_stays_so() -> None:
    places = np.zeros((3, 4, 3))
    places[:, :, [0, 2]] = SQUARE
    touching = np.array([[False] * 4, [True] * 4, [True] * 4])
    area = support_area(places, touching)
    found = nearest_in_support(
        area, [[5.0, 0.0, 6.0], [np.nan, 0.0, 1.0], [1.0, np.nan, 9.0]], 0.01
    )
    assert found[0].tolist() == [5.0, 6.0]
    assert np.isnan(found[1, 0]) and found[1, 1] == 1.0
    # Heights are not looked at.
    assert found[2] == pytest.approx([1.0, 1.99])


def test_one_point_a_frame_is_wanted() -> None:
    with pytest.raises(BadShape, match="points_m"):
        nearest_in_support(area_of(*SQUARE), np.zeros((2, 3)))
    with pytest.raises(BadShape, match="points_m"):
        nearest_in_support(area_of(*SQUARE), np.zeros((1, 2)))


def test_the_area_and_the_points_are_left_as_they_were() -> None:
    area, points = random_areas(20)
    corners, before = area.corners_m.copy(), points.copy()
    nearest_in_support(area, points, 0.1)
    assert np.array_equal(area.corners_m, corners, equal_nan=True)
    assert (points == before).all()
