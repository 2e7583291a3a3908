from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from poise.arrays import Array
from poise.contact import distance_to_support, support_area
from poise.errors import BadShape


def on_ground(points: list[list[float]]) -> Array:
    """One frame of points (x, z) at height zero."""
    flat = np.array(points, dtype=float).reshape(-1, 2)
    return np.stack([flat[:, 0], np.zeros(len(flat)), flat[:, 1]], axis=1)[None]


def distance(points: list[list[float]], x: float, z: float) -> float:
    places = on_ground(points)
    area = support_area(places, np.ones(places.shape[:2], dtype=bool))
    return float(distance_to_support(area, [[x, 5.0, z]])[0])


SQUARE = [[0.0, 0.0], [0.0, 2.0], [2.0, 0.0], [2.0, 2.0]]


@pytest.mark.parametrize(
    ("x", "z", "expected"),
    [(1, 1, -1), (0.25, 1, -0.25), (2, 1, 0), (3, 1, 1), (3, 3, 2**0.5), (-1, 0.5, 1), (0, 0, 0)],
)
def test_distance_to_a_square_is_negative_inside(x: float, z: float, expected: float) -> None:
    assert distance(SQUARE, x, z) == pytest.approx(expected, abs=1e-12)
    assert distance([*SQUARE, [1.0, 1.0], [0.5, 0.2], [2.0, 1.0]], x, z) == pytest.approx(
        expected, abs=1e-12
    )


def test_one_point_two_points_and_a_line_have_no_inside() -> None:
    assert distance([[1.0, 1.0]], 4, 5) == pytest.approx(5)
    assert distance([[1.0, 1.0], [1.0, 1.0]], 1, 1) == 0
    for line in ([[0.0, 0.0], [2.0, 0.0]], [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [0.5, 0.0]]):
        assert distance(line, 1, 0.5) == pytest.approx(0.5)
        assert distance(line, 1, 0) == 0
        assert distance(line, 5, 4) == pytest.approx(5)
    slanted = [[k / 10, k / 10 * 0.3] for k in range(11)]
    area = support_area(on_ground(slanted), np.ones((1, 11), dtype=bool))
    assert area.counts[0] == 2


def test_frames_are_independent_and_nothing_touching_has_no_area() -> None:
    places = np.repeat(on_ground(SQUARE), 3, axis=0)
    touching = np.array([[True] * 4, [False] * 4, [True, False, False, True]])
    places[2, 1] = np.nan
    area = support_area(places, touching)
    assert area.counts.tolist() == [4, 0, 2]
    assert np.isnan(area.corners_m[1]).all()
    assert np.isnan(area.heights_m[1])
    distances = distance_to_support(area, np.tile([1.0, 0.0, 1.0], (3, 1)))
    assert distances[0] == pytest.approx(-1)
    assert np.isnan(distances[1])
    assert distances[2] == pytest.approx(0, abs=1e-12)
    assert np.isnan(distance_to_support(area, np.full((3, 3), np.nan))).all()


def test_stairs_are_seen_along_gravity() -> None:
    places = on_ground(SQUARE)
    places[0, :, 1] = [0.0, 0.2, 0.4, 0.2]
    area = support_area(places, np.ones((1, 4), dtype=bool))
    assert area.heights_m[0] == pytest.approx(0.2)
    assert distance_to_support(area, [[1.0, -3.0, 1.0]])[0] == pytest.approx(-1)


def test_random_hulls_agree_with_qhull() -> None:
    rng = np.random.default_rng(12345)
    places = rng.normal(0, 1, (300, 12, 3))
    touching = rng.random((300, 12)) < 0.7
    touching[:, :3] = True
    points = rng.normal(0, 1.5, (300, 3))
    area = support_area(places, touching)
    distances = distance_to_support(area, points)
    for f in range(300):
        flat = places[f, touching[f]][:, [0, 2]]
        hull = ConvexHull(flat)
        ours = area.corners_m[f, : area.counts[f]]
        assert {tuple(c) for c in ours} == {tuple(c) for c in flat[hull.vertices]}
        p = points[f, [0, 2]]
        outside = (hull.equations[:, :2] @ p + hull.equations[:, 2]).max()
        if outside <= 0:
            assert distances[f] == pytest.approx(outside, abs=1e-9)
        else:
            assert distances[f] == pytest.approx(_to_edges(flat[hull.vertices], p), abs=1e-9)


def _to_edges(corners: Array, p: Array) -> float:
    """Distance to the nearest of many points along every edge's parameter, solved in closed form
    with complex numbers."""
    best = np.inf
    w = complex(*p)
    for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        u, v = complex(*a), complex(*b)
        t = min(max(((w - u) / (v - u)).real, 0.0), 1.0)
        best = min(best, abs(u + t * (v - u) - w))
    return best


def test_misuse_is_named() -> None:
    with pytest.raises(BadShape, match="places_m"):
        support_area(np.zeros((4, 3)), np.ones(4))
    with pytest.raises(BadShape, match="touching"):
        support_area(np.zeros((1, 4, 3)), np.ones((1, 3)))
    area = support_area(np.zeros((1, 4, 3)), np.ones((1, 4)))
    with pytest.raises(BadShape, match="points_m"):
        distance_to_support(area, np.zeros((2, 3)))
