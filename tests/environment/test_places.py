"""Stairs, ramps, chairs and boxes made by code, and surfaces as triangles to draw."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from poise.environment import (
    ConvexPart,
    Environment,
    Ground,
    HeightField,
    load_environment,
    query,
    surface_meshes,
    surface_triangles,
)
from poise.environment.places import box, chair, ramp, stairs
from poise.errors import BadValue


def test_every_tread_is_at_its_height_and_every_riser_at_its_place() -> None:
    place = Environment((Ground(), *stairs(5, rise_m=0.17, depth_m=0.3, width_m=1.2)))
    for step in range(5):
        tread = [[0.3, 0.17 * (step + 1) + 0.02, 0.3 * step + 0.15]]
        found = query(place, tread)
        assert found.distances_m[0] == pytest.approx(0.02, abs=1e-12)
        np.testing.assert_allclose(found.normals[0], [0, 1, 0], atol=1e-12)
        riser = query(place, [[0.3, 0.17 * step + 0.1, 0.3 * step - 0.01]])
        assert riser.distances_m[0] == pytest.approx(0.01, abs=1e-12)
        np.testing.assert_allclose(riser.normals[0], [0, 0, -1], atol=1e-12)


def test_a_foot_that_sinks_into_a_tread_is_pushed_up_even_next_to_the_riser() -> None:
    place = Environment((Ground(), *stairs(4, rise_m=0.17, depth_m=0.3)))
    z = np.linspace(0.305, 0.5999, 40)
    points = np.stack([np.zeros(40), np.full(40, 0.34 - 0.004), z], axis=1)
    found = query(place, points)
    np.testing.assert_allclose(found.distances_m, -0.004, atol=1e-12)
    np.testing.assert_allclose(found.normals, [[0, 1, 0]] * 40, atol=1e-12)


def test_a_foot_that_kicks_a_riser_near_the_floor_is_pushed_back() -> None:
    place = Environment((Ground(), *stairs(2)))
    found = query(place, [[0.0, 0.002, 0.02]])
    np.testing.assert_allclose(found.normals[0], [0, 0, -1], atol=1e-12)


def test_stairs_can_stand_anywhere(tmp_path: Path) -> None:
    placed = "{stairs: {step_count: 1, depth_m: 0.3}, at_m: [2.0, 0.1, 3.0], turn_deg: 90}"
    (tmp_path / "place.yaml").write_text(f"parts:\n  - {placed}\n", encoding="utf-8")
    _, first = load_environment(tmp_path / "place.yaml").surfaces
    assert isinstance(first, ConvexPart)
    assert first.vertices_m[:, 0].min() == pytest.approx(2.0)  # +Z turned to +X
    assert first.vertices_m[:, 1].max() == pytest.approx(0.1 + 0.17)
    np.testing.assert_allclose(np.ptp(first.vertices_m[:, 2]), 1.0)


def test_a_ramp_has_its_slope() -> None:
    place = Environment(ramp(0.5, 2.0, width_m=1.0))
    found = query(place, [[0.0, 0.25 + 0.1, 1.0]])
    slope = np.arctan2(0.5, 2.0)
    assert found.distances_m[0] == pytest.approx(0.1 * np.cos(slope))
    np.testing.assert_allclose(found.normals[0], [0, np.cos(slope), -np.sin(slope)], atol=1e-12)


def test_a_chair_carries_a_sitter_and_lets_feet_under_it() -> None:
    place = Environment((Ground(), *chair(0.45)))
    names = [s.name for s in place.surfaces]
    assert names[:3] == ["ground", "seat", "back"]
    assert len(names) == 7
    on_seat = query(place, [[0.0, 0.44, 0.0]])
    assert on_seat.distances_m[0] == pytest.approx(-0.01)
    np.testing.assert_allclose(on_seat.normals[0], [0, 1, 0], atol=1e-12)
    behind = query(place, [[0.0, 0.8, -0.2]])
    np.testing.assert_allclose(behind.normals[0], [0, 0, 1], atol=1e-12)
    assert behind.distances_m[0] == pytest.approx(0.01)
    assert query(place, [[0.0, 0.02, 0.0]]).surfaces[0] == 0  # floor below the seat


def test_a_box_stands_on_the_floor() -> None:
    (part,) = box((0.4, 0.2, 0.6))
    np.testing.assert_allclose(part.vertices_m.min(axis=0), [-0.2, 0.0, -0.3])
    np.testing.assert_allclose(part.vertices_m.max(axis=0), [0.2, 0.2, 0.3])


BAD = {
    "no steps": (lambda: stairs(0), "step_count"),
    "half a step": (lambda: stairs(2.5), "step_count"),  # type: ignore[arg-type]
    "too many steps": (lambda: stairs(10**9), "step_count"),
    "flat steps": (lambda: stairs(3, rise_m=0.0), "rise_m"),
    "NaN": (lambda: stairs(3, depth_m=float("nan")), "depth_m"),
    "no length": (lambda: ramp(0.5, -1.0), "length_m"),
    "thick seat": (lambda: chair(0.05), "room for legs"),
    "thick legs": (lambda: chair(leg_thickness_m=0.4), "room for legs"),
    "flat box": (lambda: box((1.0, 0.0, 1.0)), "size_m"),
    "two sizes": (lambda: box((1.0, 2.0)), "size_m"),
}


@pytest.mark.parametrize("case", BAD)
def test_sizes_that_make_no_thing_are_refused(case: str) -> None:
    make, words = BAD[case]
    with pytest.raises(BadValue) as caught:
        make()
    assert words in str(caught.value)


# --- drawing ---------------------------------------------------------------------------------


def normals(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    a, b, c = (vertices[triangles[:, i]] for i in range(3))
    return np.cross(b - a, c - a)


def test_what_is_drawn_lies_on_the_surfaces_and_faces_out() -> None:
    rng = np.random.default_rng(0)
    hill = HeightField(0.3 * rng.normal(size=(9, 6)), (0.25, 0.4), (-0.6, -1.1))
    for surface in (Ground.tilted(0.2, height_m=0.3), hill, *stairs(2), *chair()):
        place = Environment((surface,))
        vertices, triangles = surface_triangles(place, (0.1, 0.0, 0.2), 2.0)
        middles = vertices[triangles].mean(axis=1)
        inner = np.abs(middles[:, [0, 2]] - [0.1, 0.2]).max(axis=1) < 1.7  # border cells are cut
        found = query(place, middles[inner])
        np.testing.assert_allclose(found.distances_m, 0.0, atol=1e-9)
        outward = np.sum(normals(vertices, triangles)[inner] * found.normals, axis=1)
        assert (outward > 0).all()


def test_ground_is_drawn_around_the_figure() -> None:
    (mesh,) = surface_meshes(Environment.flat(0.5), (10.0, 1.0, -4.0), 2.0)
    np.testing.assert_allclose(mesh.vertices_m.min(axis=0), [8.0, 0.5, -6.0])
    np.testing.assert_allclose(mesh.vertices_m.max(axis=0), [12.0, 0.5, -2.0])
    assert mesh.lines.shape == (4, 2)


def test_lines_of_a_box_are_its_twelve_edges() -> None:
    (mesh,) = surface_meshes(Environment(box()))
    ends = mesh.vertices_m[mesh.lines]
    assert len(ends) == 12
    np.testing.assert_allclose(np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1), 1.0)


def test_far_parts_are_left_out_and_large_terrains_thinned() -> None:
    (near,) = box()
    far = ConvexPart(near.vertices_m + np.array([50.0, 0.0, 0.0]))
    assert len(surface_meshes(Environment((far, near)), (0, 0, 0), 5.0)) == 1
    vertices, triangles = surface_triangles(Environment((far,)), (0, 0, 0), 1.0)
    assert vertices.shape == (0, 3) and triangles.shape == (0, 3)
    wide = Environment((HeightField(np.zeros((2000, 3)), (0.01, 1.0)),))
    (mesh,) = surface_meshes(wide, (10.0, 0.0, 1.0), 10.0)
    assert len(mesh.triangles) < 5000


def test_a_window_needs_a_size() -> None:
    with pytest.raises(BadValue, match="radius_m"):
        surface_meshes(Environment.flat(), radius_m=0.0)
    with pytest.raises(BadValue, match="center_m"):
        surface_meshes(Environment.flat(), (np.nan, 0, 0))


def test_parts_that_share_a_hull_keep_their_names() -> None:
    part = ConvexPart(box()[0].vertices_m, "crate")
    assert surface_meshes(Environment((part,)))[0].name == "crate"
