"""What the ground can do, as bounds, against distances to the support area."""

from __future__ import annotations

import numpy as np
import pytest

from poise.arrays import Array
from poise.contact.support_area import SupportArea, distance_to_support, support_area
from poise.mechanics import inverse_dynamics, zero_moment_point
from poise.methods.filter.footing import LEAST_PUSH, Footing, footing_of, no_footing
from poise.methods.filter.kinematic_frames import ANALYTIC, SAMPLED
from tests.methods.test_filter_law_slopes import problem_of, rows_of

WEIGHT_N = 700.0
HALF_WIDTH_M = 0.005
"""Of a line or a point."""
SQUARE = np.array([[0.0, 0, 0], [0.2, 0, 0], [0.2, 0, 0.2], [0.0, 0, 0.2]])


def area_of(places_m: Array, frames: int) -> SupportArea:
    """The same points (C, 3) touch in all frames."""
    repeated = np.repeat(places_m[None], frames, axis=0)
    return support_area(repeated, np.ones(repeated.shape[:2], dtype=np.bool_))


def bounds(area: SupportArea, zmp_m: Array, *, share: float = 1.0, inset_m: float = 0.0) -> Footing:
    asked = np.ones(len(zmp_m), dtype=np.bool_)
    push = np.full(len(zmp_m), share * WEIGHT_N)
    return footing_of(area, asked, zmp_m, push, inset_m, WEIGHT_N)


def edges(footing: Footing, frame: int) -> Array:
    """(E, 3) those of a frame, without the row of its push."""
    own = footing.edge[footing.first[frame] : footing.first[frame + 1]]
    return own[(own[:, :2] != 0.0).any(axis=1)]


def distances(footing: Footing, zmp_m: Array) -> Array:
    """(F,) how far inside the nearest edge the point is; negative outside."""
    found = np.full(len(zmp_m), np.inf)
    for f in range(len(zmp_m)):
        x, _, z = zmp_m[f] - footing.point[f]
        for nx, nz, away in edges(footing, f):
            found[f] = min(found[f], nx * x + nz * z - away)
    return found


def around(places_m: Array, count: int, seed: int, reach_m: float) -> Array:
    """(count, 3) points near an area."""
    rng = np.random.default_rng(seed)
    points = places_m.mean(axis=0) + rng.uniform(-reach_m, reach_m, (count, 3))
    points[:, 1] = 0.0
    return points


@pytest.mark.parametrize("seed", range(8))
def test_all_rows_are_met_exactly_where_the_point_is_inside(seed: int) -> None:
    rng = np.random.default_rng(seed)
    places = rng.normal(0.0, 0.15, (int(rng.integers(3, 9)), 3)) + np.array([1.0, 0.0, -2.0])
    places[:, 1] = 0.3
    points = around(places, 400, seed, 0.4)
    area = area_of(places, len(points))
    footing = bounds(area, points)
    outside = distance_to_support(area, points)
    met = distances(footing, points) >= 0.0
    clear = np.abs(outside) > 1e-9
    assert (met == (outside < 0.0))[clear].all()
    assert 10 < met.sum() < 390
    np.testing.assert_allclose(footing.point[:, 1], 0.3)
    # Inside, the nearest row says how far from the border it is.
    near = (outside < 0.0) & (outside > -0.2)
    np.testing.assert_allclose(distances(footing, points)[near], -outside[near], atol=1e-12)


@pytest.mark.parametrize("corners", [1, 2])
def test_a_line_or_a_point_carries_as_a_thin_box(corners: int) -> None:
    places = np.array([[0.3, 0.0, 0.1], [0.5, 0.0, 0.35]])[:corners]
    points = around(places, 4000, 1, 0.03 if corners == 1 else 0.2)
    area = area_of(places, len(points))
    footing = bounds(area, points)
    outside = distance_to_support(area, points)
    met = distances(footing, points) >= 0.0
    assert met[outside < HALF_WIDTH_M].all()
    assert not met[outside > np.sqrt(2.0) * HALF_WIDTH_M + 1e-12].any()
    assert met.sum() > 20
    assert (np.diff(footing.first) <= 5).all() and len(edges(footing, int(np.argmax(met)))) >= 2


def test_every_asked_frame_ends_with_the_push_itself_and_others_have_no_rows() -> None:
    points = around(SQUARE, 6, 2, 0.05)
    asked = np.array([True, False, True, True, False, True])
    touching = np.ones((6, 4), dtype=np.bool_)
    touching[3] = False
    area = support_area(np.repeat(SQUARE[None], 6, axis=0), touching)
    footing = footing_of(area, asked, points, np.full(6, WEIGHT_N), 0.01, WEIGHT_N)
    has_rows = np.diff(footing.first) > 0
    assert has_rows.tolist() == [True, False, True, False, False, True]
    for f in np.flatnonzero(has_rows):
        own = footing.edge[footing.first[f] : footing.first[f + 1]]
        assert (own[-1] == 0.0).all()
        assert (own[:-1, :2] != 0.0).any(axis=1).all()
    assert footing.first[-1] == len(footing.edge)
    assert footing.weight == WEIGHT_N
    assert np.isfinite(footing.point).all()
    assert 0.0 < LEAST_PUSH < 1.0


def test_edges_that_are_far_away_for_the_force_are_left_out() -> None:
    """By distance times share of the weight: more than a quarter of a metre."""
    wide = np.array([[0.0, 0, 0], [1.0, 0, 0], [1.0, 0, 1.0], [0.0, 0, 1.0]])
    at = np.array([[0.2, 0.0, 0.5]])
    area = area_of(wide, 1)
    assert len(edges(bounds(area, at), 0)) == 1
    assert len(edges(bounds(area, at, share=0.4), 0)) == 3  # 0.2, 0.5 and 0.5 away: 0.08, 0.2, 0.2
    assert len(edges(bounds(area, at, share=0.1), 0)) == 4
    assert len(edges(bounds(area, at, share=-2.0), 0)) == 4  # pulled: everything is watched
    assert len(edges(bounds(area, at, share=3.0), 0)) == 0
    # From outside, the edge that is crossed is always there.
    beyond = np.array([[-3.0, 0.0, 0.5]])
    rows = edges(bounds(area, beyond, share=3.0), 0)
    assert [1.0, 0.0] in rows[:, :2].tolist()


def test_an_inset_moves_edges_inwards_and_no_further_than_half_way() -> None:
    at = np.array([[0.1, 0.0, 0.1]])
    area = area_of(SQUARE, 1)
    for inset_m, room_m in ((0.0, 0.1), (0.02, 0.08), (0.05, 0.05), (0.3, 0.05), (1e9, 0.05)):
        rows = edges(bounds(area, at, inset_m=inset_m), 0)
        assert len(rows) == 4
        np.testing.assert_allclose(-rows[:, 2], room_m, rtol=1e-12)


def test_corners_on_top_of_each_other_do_no_harm() -> None:
    """The same place three times over is a point; a hull drops points between corners."""
    at = np.array([[0.1, 0.0, 0.1]])
    place = np.array([[0.1, 0.0, 0.1]])
    for places in (np.repeat(place, 3, axis=0), np.concatenate([SQUARE, SQUARE, place])):
        footing = bounds(area_of(places, 1), at)
        assert np.isfinite(footing.edge).all()
        assert len(edges(footing, 0)) == 4
        assert distances(footing, at)[0] > 0.0


def test_no_footing_asks_for_nothing() -> None:
    footing = no_footing(5)
    assert footing.first.tolist() == [0] * 6 and len(footing.edge) == 0


@pytest.mark.parametrize("way", [SAMPLED, ANALYTIC])
@pytest.mark.parametrize("frame", [5, 20, 40])
def test_rows_through_inverse_dynamics_are_those_of_the_point_and_the_force(
    frame: int, way: int
) -> None:
    problem, motion, demands = problem_of("walk@30")
    footing, body = demands.footing, problem.edit.character.body
    assert body is not None
    forces = inverse_dynamics(
        problem.edit.clip.skeleton, body, motion.local, motion.omega,
        motion.root_accelerations, motion.alpha,
    )  # fmt: skip
    zmp = zero_moment_point(motion.roots, forces, footing.point[:, 1])
    share = float(forces.root_force_n[frame, 1]) / footing.weight
    assert footing.weight == pytest.approx(9.80665 * body.total_mass_kg, rel=1e-3)
    x, _, z = zmp[frame] - footing.point[frame]
    expected = list[float]()
    for nx, nz, away in footing.edge[footing.first[frame] : footing.first[frame + 1]].tolist():
        is_push = nx == nz == 0.0
        expected.append(share if is_push else share * (nx * x + nz * z - away))
    assert len(expected) >= 3
    rows, _ = rows_of("walk@30", frame, way)
    first = int(rows.narrow[0])
    assert rows.center[first : first + len(expected)] == pytest.approx(expected, abs=1e-9)
