"""Convex parts: the hull as a record, and exact signed distances to it."""

from __future__ import annotations

import subprocess
import sys
import time
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from poise import sharing
from poise.environment import ConvexPart, Environment, query
from poise.errors import BadShape, BadValue
from tests.environment.slow_answers import moved, random_turn, signed_distance_to_hull, to_triangles

CUBE = np.array(list(product((-1.0, 1.0), repeat=3)))


def ball(count: int, rng: np.random.Generator) -> np.ndarray:
    directions = rng.normal(size=(count, 3))
    return directions / np.linalg.norm(directions, axis=1, keepdims=True)


def box_distance(points: np.ndarray, half: np.ndarray) -> np.ndarray:
    """Signed distance to an upright box around the origin, from its formula."""
    q = np.abs(points) - half
    outside = np.linalg.norm(np.maximum(q, 0.0), axis=-1)
    return outside + np.minimum(q.max(axis=-1), 0.0)


def check_against_slow(part: ConvexPart, points: np.ndarray) -> None:
    """Distances, and that closest points lie on the part and normals lead from them."""
    found = query(Environment((part,)), points)
    triangles = part.vertices_m[part.triangles]
    middle = part.vertices_m.mean(axis=0)
    size = np.ptp(part.vertices_m, axis=0).max()
    far = size + np.abs(points - middle).max() + np.abs(middle).max()
    for i, point in enumerate(points):
        wanted = signed_distance_to_hull(point, triangles, middle)
        assert abs(found.distances_m[i] - wanted) < 1e-12 * far
        assert np.linalg.norm(to_triangles(found.closest_m[i], triangles) - found.closest_m[i]) < (
            1e-9 * far
        )
    reached = points - found.distances_m[:, None] * found.normals
    np.testing.assert_allclose(reached, found.closest_m, atol=1e-9 * far)
    np.testing.assert_allclose(np.linalg.norm(found.normals, axis=1), 1.0, atol=1e-9)


# --- the record ------------------------------------------------------------------------------


def test_a_cube_has_eight_corners_six_faces_and_its_volume() -> None:
    part = ConvexPart(np.concatenate([CUBE, CUBE, 0.5 * CUBE, np.zeros((1, 3))]))
    assert part.vertices_m.shape == (8, 3)
    assert part.triangles.shape == (12, 3)
    assert part.volume_m3 == pytest.approx(8.0)
    normals = sorted(map(tuple, np.round(part.face_normals, 12) + 0.0))
    assert normals == sorted(map(tuple, np.concatenate([np.eye(3), -np.eye(3)])))
    np.testing.assert_allclose(part.face_offsets_m, 1.0)


@pytest.mark.parametrize("shift", (0.0, 1e3))
def test_triangles_are_outward_and_know_their_neighbors(shift: float) -> None:
    rng = np.random.default_rng(3)
    part = ConvexPart(ball(60, rng) + shift)
    a, b, c = (part.vertices_m[part.triangles[:, i]] for i in range(3))
    outward = np.sum(np.cross(b - a, c - a) * (a - shift), axis=1)
    assert (outward > 0).all()
    along = np.sum(np.cross(b - a, c - a) * part.face_normals[part.triangle_faces], axis=1)
    np.testing.assert_allclose(along, np.linalg.norm(np.cross(b - a, c - a), axis=1), rtol=1e-6)
    for triangle, neighbors in enumerate(part.neighbors):
        for corner, other in enumerate(neighbors):
            shared = set(np.delete(part.triangles[triangle], corner))
            assert shared <= set(part.triangles[other])


FLAT = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0.3, 0.3, 0]])
BAD = {
    "no points": (np.zeros((0, 3)), BadValue, "at least four points"),
    "three points": (np.eye(3), BadValue, "at least four points"),
    "one place": (np.ones((6, 3)), BadValue, "all in one place"),
    "one line": (np.outer(np.arange(6.0), [1.0, 2.0, 3.0]), BadValue, "on one line"),
    "one plane": (FLAT @ random_turn(np.random.default_rng(0)), BadValue, "in one plane"),
    "almost a plane": (FLAT + 1e-9 * CUBE[:5], BadValue, "in one plane"),
    "NaN": (np.where(CUBE == CUBE[3], np.nan, CUBE), BadValue, "finite everywhere"),
    "infinity": (CUBE * np.inf, BadValue, "finite everywhere"),
    "two columns": (CUBE[:, :2], BadShape, "(V, 3)"),
    "words": ("corners", BadValue, "numbers"),
}


@pytest.mark.parametrize("case", BAD)
def test_points_without_a_volume_are_refused(case: str) -> None:
    points, error, words = BAD[case]
    with pytest.raises(error, match="vertices_m") as caught:
        ConvexPart(points, "seat")
    assert words in str(caught.value)


# --- distances -------------------------------------------------------------------------------


def test_a_box_by_its_formula() -> None:
    rng = np.random.default_rng(1)
    half = np.array([0.3, 0.05, 0.7])
    points = rng.uniform(-1.5, 1.5, (4000, 3))
    found = query(Environment((ConvexPart(CUBE * half),)), points)
    np.testing.assert_allclose(found.distances_m, box_distance(points, half), atol=1e-14)
    outside = found.distances_m > 0
    wanted = np.clip(points, -half, half)
    np.testing.assert_allclose(found.closest_m[outside], wanted[outside], atol=1e-14)


def test_points_on_faces_sides_and_corners_have_distance_zero() -> None:
    sides = np.array([[1.0, 1, 0], [1, 0.2, 1], [-1, -1, -1], [0, 1, 0], [1, 0.5, -0.5]])
    found = query(Environment((ConvexPart(CUBE),)), sides)
    np.testing.assert_allclose(found.distances_m, 0.0, atol=1e-15)
    np.testing.assert_allclose(found.closest_m, sides, atol=1e-15)
    np.testing.assert_allclose(np.linalg.norm(found.normals, axis=1), 1.0)
    assert (np.sum(found.normals * sides, axis=1) > 0).all()


def test_a_fine_ball_is_nearly_a_sphere() -> None:
    rng = np.random.default_rng(2)
    part = ConvexPart(ball(4000, rng))
    points = rng.normal(size=(1000, 3))
    found = query(Environment((part,)), points)
    radii = np.linalg.norm(points, axis=1)
    slack = 1.0 - float(part.face_offsets_m.min())
    assert slack < 0.01
    assert (found.distances_m >= radii - 1.0 - 1e-12).all()
    assert (found.distances_m <= radii - 1.0 + slack).all()


@pytest.mark.parametrize("seed", range(6))
def test_solids_with_many_faces_agree_with_trying_every_triangle(seed: int) -> None:
    rng = np.random.default_rng(seed)
    stretch = rng.uniform(0.05, 2.0, 3)
    corners = moved(ball(120, rng) * stretch, random_turn(rng), rng.normal(size=3))
    part = ConvexPart(corners)
    near = part.vertices_m[rng.integers(0, len(part.vertices_m), 60)] + 0.1 * rng.normal(
        size=(60, 3)
    )
    points = np.concatenate([near, corners.mean(axis=0) + 3.0 * rng.normal(size=(60, 3))])
    check_against_slow(part, points)


def test_long_thin_shapes_and_fans_of_needles() -> None:
    rng = np.random.default_rng(5)
    angles = 2 * np.pi * np.arange(90) / 90
    disc = np.c_[np.cos(angles), np.zeros(90), np.sin(angles)]
    drum = np.concatenate([disc, disc * [1, 0, 1] + [0, 1e-3, 0]])
    cone = np.concatenate([0.01 * disc, [[0.0, 5.0, 0.0]]])
    for corners in (drum, cone):
        corners = moved(corners, random_turn(rng), rng.normal(size=3))
        spots = corners[rng.integers(0, len(corners), 80)]
        check_against_slow(ConvexPart(corners), spots + 0.3 * rng.normal(size=(80, 3)))


def test_corners_that_nearly_coincide() -> None:
    rng = np.random.default_rng(8)
    jittered = np.concatenate([CUBE + 1e-9 * rng.normal(size=CUBE.shape) for _ in range(6)])
    points = rng.uniform(-2, 2, (200, 3))
    found = query(Environment((ConvexPart(jittered),)), points)
    np.testing.assert_allclose(found.distances_m, box_distance(points, np.ones(3)), atol=2e-8)


def test_far_from_the_origin() -> None:
    rng = np.random.default_rng(9)
    shift = np.array([1000.0, -50.0, 400.0])
    points = rng.uniform(-2, 2, (500, 3))
    found = query(Environment((ConvexPart(CUBE + shift),)), points + shift)
    np.testing.assert_allclose(found.distances_m, box_distance(points, np.ones(3)), atol=1e-11)


corner_sets = arrays(
    np.float64,
    st.tuples(st.integers(4, 14), st.just(3)),
    elements=st.floats(-2.0, 2.0, width=32).filter(lambda x: x == 0 or abs(x) > 1e-6),
)


@settings(max_examples=150, deadline=None)
@given(corner_sets, st.integers(0, 2**31))
def test_any_hull_agrees_with_trying_every_triangle(corners: np.ndarray, seed: int) -> None:
    try:
        part = ConvexPart(corners)
    except BadValue:
        assume(False)
        return
    assume(part.volume_m3 > 1e-4)
    rng = np.random.default_rng(seed)
    points = np.concatenate([rng.uniform(-4, 4, (8, 3)), part.vertices_m, part.center_m[None]])
    check_against_slow(part, points)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**31))
def test_normals_are_the_gradient_of_the_distance(seed: int) -> None:
    rng = np.random.default_rng(seed)
    place = Environment((ConvexPart(rng.normal(size=(12, 3))),))
    points = rng.normal(size=(20, 3)) * 1.5
    step = 1e-6
    here = query(place, points)
    gradient = np.stack(
        [
            query(place, points + step * e).distances_m
            - query(place, points - step * e).distances_m
            for e in np.eye(3)
        ],
        axis=1,
    ) / (2 * step)
    # Where two faces are equally near inside, the distance has a ridge and no gradient.
    smooth = np.abs(np.linalg.norm(gradient, axis=1) - 1.0) < 1e-5
    assert smooth.mean() > 0.8
    np.testing.assert_allclose(here.normals[smooth], gradient[smooth], atol=2e-4)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**31))
def test_turning_everything_turns_the_answer(seed: int) -> None:
    rng = np.random.default_rng(seed)
    corners, points = rng.normal(size=(15, 3)), 2.0 * rng.normal(size=(30, 3))
    turn, shift = random_turn(rng), rng.normal(size=3)
    here = query(Environment((ConvexPart(corners),)), points)
    there = query(
        Environment((ConvexPart(moved(corners, turn, shift)),)), moved(points, turn, shift)
    )
    np.testing.assert_allclose(there.distances_m, here.distances_m, atol=1e-13)
    deep = here.distances_m < 0
    np.testing.assert_allclose(
        there.closest_m[~deep], moved(here.closest_m, turn, shift)[~deep], atol=1e-7
    )


def test_several_threads_give_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    place = Environment((ConvexPart(ball(200, rng)), ConvexPart(CUBE + 1.5)))
    points = rng.normal(size=(3001, 3))
    alone = query(place, points, parallel=False)
    monkeypatch.setattr(sharing, "_WORTH_SHARING_NS", 0)
    monkeypatch.setattr(sharing, "core_count", lambda: 3)
    monkeypatch.setattr(sharing, "_pools", {})
    shared = query(place, points)
    np.testing.assert_array_equal(shared.distances_m, alone.distances_m)
    np.testing.assert_array_equal(shared.closest_m, alone.closest_m)


def test_ten_thousand_points_and_a_thousand_faces_cost_as_much_as_their_planes_in_numpy() -> None:
    """Exact distances in about the time in which NumPy has those to all planes, which are less."""
    rng = np.random.default_rng(0)
    part = ConvexPart(ball(502, rng))
    place, points = Environment((part,)), 1.2 * rng.normal(size=(10_000, 3))
    a, b, c = part.vertices_m[part.triangles].transpose(1, 0, 2)
    normals = np.cross(b - a, c - a)
    offsets = np.einsum("ij,ij->i", normals, a)
    query(place, points)
    ours, planes = list[float](), list[float]()
    for _ in range(7):
        start = time.perf_counter()
        query(place, points, parallel=False)
        middle = time.perf_counter()
        np.max(np.einsum("pi,ni->pn", points, normals) - offsets, axis=1)
        ours.append(middle - start)
        planes.append(time.perf_counter() - middle)
    assert min(ours) < 3.0 * min(planes), (ours, planes)


def test_importing_the_package_loads_no_compiler() -> None:
    heavy = "{'numba', 'scipy.spatial', 'scipy.sparse'}"
    code = f"import sys, poise.environment; print(sorted({heavy} & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
