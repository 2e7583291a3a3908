"""Terrain: true closest points to its triangles, and level ground past its border."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise.environment import Environment, Ground, HeightField, query
from poise.errors import BadShape, BadValue
from tests.environment.slow_answers import to_triangles


def terrain_triangles(field: HeightField, margin: int = 30) -> np.ndarray:
    """The triangles of the terrain and some of the level ground around it, as documented."""
    heights = np.pad(field.heights_m, margin, mode="edge")
    x = field.origin_m[0] + field.spacing_m[0] * (np.arange(heights.shape[0]) - margin)
    z = field.origin_m[1] + field.spacing_m[1] * (np.arange(heights.shape[1]) - margin)
    nodes = np.stack([*np.meshgrid(x, z, indexing="ij"), heights], axis=-1)[..., [0, 2, 1]]
    a, b, c, d = nodes[:-1, :-1], nodes[1:, :-1], nodes[1:, 1:], nodes[:-1, 1:]
    first, second = np.stack([a, b, c], axis=-2), np.stack([a, d, c], axis=-2)
    return np.concatenate([first.reshape(-1, 3, 3), second.reshape(-1, 3, 3)])


def height_over(point: np.ndarray, triangles: np.ndarray) -> float:
    """Height above the triangle that a vertical line through the point meets."""
    a, u, v = triangles[:, 0], triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    p = point - a
    area = u[:, 0] * v[:, 2] - u[:, 2] * v[:, 0]
    s = (p[:, 0] * v[:, 2] - p[:, 2] * v[:, 0]) / area
    t = (u[:, 0] * p[:, 2] - u[:, 2] * p[:, 0]) / area
    met = int(np.argmax(np.minimum(np.minimum(s, t), 1.0 - s - t)))
    return float(p[met, 1] - s[met] * u[met, 1] - t[met] * v[met, 1])


def check(field: HeightField, points: np.ndarray) -> None:
    triangles = terrain_triangles(field)
    found = query(Environment((field,)), points)
    for i, point in enumerate(points):
        closest = to_triangles(point, triangles)
        distance = float(np.linalg.norm(closest - point))
        sign = np.sign(height_over(point, triangles))
        assert abs(found.distances_m[i] - sign * distance) < 1e-10
        on_it = to_triangles(found.closest_m[i], triangles)
        assert np.linalg.norm(on_it - found.closest_m[i]) < 1e-10
    reached = points - found.distances_m[:, None] * found.normals
    np.testing.assert_allclose(reached, found.closest_m, atol=1e-7)


@pytest.mark.parametrize("shape", ((2, 2), (3, 7), (16, 9)))
def test_a_rough_terrain_agrees_with_trying_every_triangle(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(shape[0])
    field = HeightField(0.3 * rng.normal(size=shape), (0.2, 0.31), (-0.5, 1.0))
    low, high = field.origin_m - 0.7, field.origin_m + field.spacing_m * (np.array(shape) - 1) + 0.7
    points = rng.uniform([low[0], -1.5, low[1]], [high[0], 1.5, high[1]], (60, 3))
    check(field, points)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**31))
def test_any_small_terrain(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = tuple(int(n) for n in rng.integers(2, 6, 2))
    heights = np.round(rng.normal(size=shape), int(rng.integers(0, 3)))
    field = HeightField(heights, rng.uniform(0.2, 1.0, 2), rng.uniform(-1, 1, 2))
    points = rng.uniform(-1.5, 1.5, (8, 3))
    check(field, points)


def test_a_sloping_plane_is_a_tilted_ground() -> None:
    x, z = np.meshgrid(np.arange(40) * 0.5, np.arange(30) * 0.25, indexing="ij")
    field = HeightField(0.2 * x - 0.1 * z + 0.3, (0.5, 0.25))
    ground = Ground(0.3, np.array([-0.2, 1.0, 0.1]))
    points = np.random.default_rng(0).uniform([6, 1, 2], [12, 3, 5], (300, 3))
    as_field, as_ground = (
        query(Environment((field,)), points),
        query(Environment((ground,)), points),
    )
    np.testing.assert_allclose(as_field.distances_m, as_ground.distances_m, atol=1e-12)
    np.testing.assert_allclose(as_field.normals, as_ground.normals, atol=1e-9)
    np.testing.assert_allclose(as_field.closest_m, as_ground.closest_m, atol=1e-12)


def test_distance_is_to_the_closest_point_not_straight_down() -> None:
    wall = np.zeros((21, 5))
    wall[11:] = 10.0  # rises over one cell, from x = 1.0 to 1.1
    found = query(Environment((HeightField(wall, (0.1, 0.1)),)), [[0.8, 2.0, 0.2]])
    assert found.distances_m[0] == pytest.approx(0.22, abs=0.001)
    assert found.normals[0, 0] < -0.99


def test_past_the_border_the_ground_goes_on_at_its_height() -> None:
    field = HeightField(np.array([[1.0, 1.0], [2.0, 2.0]]), (1.0, 1.0))
    points = np.array([[-500.0, 1.5, 0.5], [800.0, 1.5, 0.5], [-5.0, 1.25, 3000.0]])
    found = query(Environment((field,)), points)
    np.testing.assert_allclose(found.distances_m, [0.5, -0.5, 0.25], atol=1e-9)


def test_normals_are_the_gradient_of_the_distance() -> None:
    rng = np.random.default_rng(2)
    place = Environment((HeightField(0.1 * rng.normal(size=(12, 12)), (0.2, 0.2)),))
    points = rng.uniform([0.2, -0.5, 0.2], [2.0, 0.5, 2.0], (300, 3))
    step = 1e-6
    moved = [query(place, points + s * step * e).distances_m for e in np.eye(3) for s in (1, -1)]
    gradient = np.stack([moved[0] - moved[1], moved[2] - moved[3], moved[4] - moved[5]], axis=1)
    gradient /= 2 * step
    smooth = np.abs(np.linalg.norm(gradient, axis=1) - 1.0) < 1e-5
    assert smooth.mean() > 0.9
    np.testing.assert_allclose(query(place, points).normals[smooth], gradient[smooth], atol=2e-4)


BAD = {
    "one node": ([[1.0]], (1, 1), BadValue, "4 to"),
    "one row": (np.zeros((1, 9)), (1, 1), BadShape, "two nodes each way"),
    "a line": (np.zeros(9), (1, 1), BadShape, "(X, Z)"),
    "NaN": ([[0.0, np.nan], [0, 0]], (1, 1), BadValue, "finite"),
    "no spacing": (np.zeros((3, 3)), (0, 1), BadValue, "spacing_m must be positive"),
    "backward": (np.zeros((3, 3)), (1, -1), BadValue, "spacing_m must be positive"),
    "one spacing": (np.zeros((3, 3)), (1,), BadShape, "spacing_m"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_no_terrain_is_refused(case: str) -> None:
    heights, spacing, error, words = BAD[case]
    with pytest.raises(error) as caught:
        HeightField(heights, spacing)
    assert words in str(caught.value)
