"""Places from files: meshes cut into convex parts, and the environment file."""

from __future__ import annotations

import json
import tracemalloc
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from poise.environment import ConvexPart, Environment, Ground, HeightField, load_environment, query
from poise.environment.places import chair
from poise.errors import BadValue, FileProblem, UnknownName
from tests.formats.test_mesh import (
    CUBE,
    QUADS,
    gltf_cube,
    obj_text,
    put,
    stl_bytes,
)


def obj_of(objects: dict[str, list[tuple[np.ndarray, tuple[tuple[int, ...], ...]]]]) -> str:
    """OBJ text of named objects, each made of pieces with their own vertices."""
    lines, start = list[str](), 1
    for name, pieces in objects.items():
        lines.append(f"o {name}")
        for vertices, faces in pieces:
            lines += [f"v {x!r} {y!r} {z!r}" for x, y, z in vertices.tolist()]
            lines += ["f " + " ".join(str(i + start) for i in face) for face in faces]
            start += len(vertices)
    return "\n".join(lines)


def obj_of_parts(parts: tuple[ConvexPart, ...]) -> str:
    return obj_of(
        {p.name: [(p.vertices_m, tuple(map(tuple, p.triangles.tolist())))] for p in parts}
    )


# --- meshes ----------------------------------------------------------------------------------


def test_a_chair_written_as_obj_comes_back_as_it_was(tmp_path: Path) -> None:
    made = chair()
    path = put(tmp_path / "chair.obj", obj_of_parts(made))
    place = load_environment(path, unit="m")
    assert [s.name for s in place.surfaces] == ["ground", *(p.name for p in made)]
    points = np.random.default_rng(0).uniform(-1, 1, (500, 3))
    wanted = query(Environment((Ground(-0.04), *made)), points)
    np.testing.assert_allclose(query(place, points).distances_m, wanted.distances_m, atol=1e-12)
    assert not any("convex" in note for note in place.notes)
    assert not any("no unit" in note for note in place.notes)


def test_units_axes_and_the_ground_are_said_aloud(tmp_path: Path) -> None:
    place = load_environment(put(tmp_path / "box.obj", obj_text()))
    assert any("no unit: metres assumed" in note and "1 m" in note for note in place.notes)
    assert any("Y, the custom" in note for note in place.notes)
    assert any("Level ground put under box.obj, at height 0 m" in note for note in place.notes)
    small = load_environment(tmp_path / "box.obj", unit="cm", ground=False)
    (part,) = small.surfaces
    assert isinstance(part, ConvexPart)
    assert part.volume_m3 == pytest.approx(1e-6)
    assert not any("unit" in note or "ground" in note for note in small.notes)


def test_stl_is_z_up_unless_told(tmp_path: Path) -> None:
    corners = CUBE * [1.0, 2.0, 3.0]
    triangles = corners[[t for a, b, c, d in QUADS for t in ((a, b, c), (a, c, d))]]
    path = put(tmp_path / "post.stl", stl_bytes(triangles))
    tall = load_environment(path, ground=False)
    assert tall.surfaces[0].vertices_m[:, 1].max() == pytest.approx(3.0)
    assert any("Z, the custom" in note for note in tall.notes)
    flat = load_environment(path, ground=False, up="y")
    assert flat.surfaces[0].vertices_m[:, 1].max() == pytest.approx(2.0)


def test_gltf_states_both(tmp_path: Path) -> None:
    place = load_environment(gltf_cube().glb(tmp_path / "cube.glb"))
    assert len(place.surfaces) == 2
    assert len(place.notes) == 1  # only the ground


def test_ground_goes_below_what_lies_below_zero(tmp_path: Path) -> None:
    path = put(tmp_path / "pit.obj", obj_of({"pit": [(CUBE - [0, 3, 0], QUADS)]}))
    assert load_environment(path).grounds[0].height_m == -3.0
    path = put(tmp_path / "shelf.obj", obj_of({"shelf": [(CUBE - [0, -2, 0], QUADS)]}))
    assert load_environment(path).grounds[0].height_m == 0.0


def test_pieces_of_one_object_become_parts_of_their_own(tmp_path: Path) -> None:
    pieces = [(0.3 * CUBE + [i, 0.0, 0.0], QUADS) for i in range(3)]
    path = put(tmp_path / "blocks.obj", obj_of({"blocks": pieces}))
    place = load_environment(path, ground=False)
    assert [s.name for s in place.surfaces] == ["blocks", "blocks 2", "blocks 3"]


def test_triangles_with_corners_of_their_own_hang_together(tmp_path: Path) -> None:
    place = load_environment(put(tmp_path / "cube.stl", stl_bytes()), ground=False)
    assert len(place.surfaces) == 1
    assert place.surfaces[0].volume_m3 == pytest.approx(1.0)


def l_shape() -> tuple[np.ndarray, tuple[tuple[int, ...], ...]]:
    profile = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
    vertices = np.array([(x, y, z) for z in (0.0, 1.0) for x, y in profile], dtype=float)
    sides = tuple((i, (i + 1) % 6, (i + 1) % 6 + 6, i + 6) for i in range(6))
    ends = ((0, 3, 2, 1), (0, 5, 4, 3), (6, 7, 8, 9), (6, 9, 10, 11))
    return vertices, (*sides, *ends)


def test_a_dent_is_measured_in_a_note(tmp_path: Path) -> None:
    path = put(tmp_path / "l.obj", obj_of({"ell": [l_shape()]}))
    place = load_environment(path)
    # Three unit cubes; the hull adds half of the fourth.
    assert any("'ell' is not convex: its hull adds 17 % (0.5 m³)" in n for n in place.notes)


def test_an_open_bowl_is_named(tmp_path: Path) -> None:
    path = put(tmp_path / "tray.obj", obj_of({"tray": [(CUBE, QUADS[:5])]}))  # no lid: convex
    assert not any("convex" in note for note in load_environment(path).notes)
    vertices, faces = l_shape()
    path = put(tmp_path / "open.obj", obj_of({"open": [(vertices, faces[:6])]}))
    notes = load_environment(path).notes
    assert any("'open' is open and not convex" in n and "cm deep" in n for n in notes)


def test_a_floor_of_one_polygon_gets_thickness_below(tmp_path: Path) -> None:
    floor = np.array([[-2.0, 0.5, -2.0], [-2, 0.5, 2], [2, 0.5, 2], [2, 0.5, -2]])
    path = put(tmp_path / "floor.obj", obj_of({"floor": [(floor, ((0, 1, 2, 3),))]}))
    place = load_environment(path, ground=False)
    found = query(place, [[0.0, 0.6, 0.0], [0.0, 0.47, 0.0]])
    np.testing.assert_allclose(found.distances_m, [0.1, -0.03], atol=1e-12)
    np.testing.assert_allclose(found.normals, [[0, 1, 0]] * 2, atol=1e-9)
    assert any("flat sheet" in note for note in place.notes)


def test_pieces_without_surface_are_left_out_or_refused(tmp_path: Path) -> None:
    line = (np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0]]) + 5.0, ((0, 1, 2),))
    path = put(tmp_path / "both.obj", obj_of({"wire": [line], "cube": [(CUBE, QUADS)]}))
    place = load_environment(path, ground=False)
    assert [s.name for s in place.surfaces] == ["cube"]
    assert any("'wire' without a surface" in note for note in place.notes)
    path = put(tmp_path / "wire.obj", obj_of({"wire": [line]}))
    with pytest.raises(FileProblem, match="only points and lines"):
        load_environment(path)


def test_notes_do_not_flood(tmp_path: Path) -> None:
    vertices, faces = l_shape()
    pieces = [(vertices - [4.0 * i, 0, 0], faces) for i in range(40)]
    notes = load_environment(put(tmp_path / "many.obj", obj_of({"ell": pieces}))).notes
    assert len(notes) < 20
    assert any("28 more pieces" in note for note in notes)


def test_bad_words_about_a_mesh(tmp_path: Path) -> None:
    path = put(tmp_path / "box.obj", obj_text())
    with pytest.raises(UnknownName, match="unit"):
        load_environment(path, unit="ell")
    with pytest.raises(UnknownName, match="up axis"):
        load_environment(path, up="x")


# --- the environment file --------------------------------------------------------------------

WHOLE = """\
# a treadmill beside a staircase
ground: {height_m: 0.1, tilt_deg: 5.0, uphill: [1, 0, 0], belt_velocity_m_s: [-1.2, 0, 0]}
height_field:
  heights_m: [[0.0, 0.1, 0.2], [0.0, 0.0, 0.0]]
  spacing_m: [0.5, 0.25]
  origin_m: [-1, -1]
parts:
  - {file: things/box.obj, unit: cm, at_m: [1, 0, 2], turn_deg: 90, name: crate}
  - stairs: {step_count: 3, rise_m: 0.2}
    at_m: [3, 0, 0]
  - chair:
  - ramp: {rise_m: 0.5, length_m: 2}
    belt_velocity_m_s: [0, 0, 1]
  - box: {size_m: [1, 2, 3]}
"""


def whole(folder: Path, name: str = "place.yaml", text: str = WHOLE) -> Path:
    (folder / "things").mkdir(exist_ok=True)
    put(folder / "things" / "box.obj", obj_text())
    return put(folder / name, text)


def test_everything_an_environment_file_can_say(tmp_path: Path) -> None:
    place = load_environment(whole(tmp_path))
    ground, field, crate, *rest = place.surfaces
    assert isinstance(ground, Ground)
    assert ground.tilt_rad == pytest.approx(np.radians(5.0))
    assert ground.heights_m([1.0, 0.0, 0.0]) == pytest.approx(0.1 + np.tan(np.radians(5.0)))
    np.testing.assert_array_equal(ground.belt_velocity_m_s, [-1.2, 0, 0])
    assert isinstance(field, HeightField)
    np.testing.assert_array_equal(field.heights_m, [[0.0, 0.1, 0.2], [0.0, 0.0, 0.0]])
    np.testing.assert_array_equal(field.origin_m, [-1, -1])
    assert isinstance(crate, ConvexPart)
    assert crate.name == "crate: box"
    np.testing.assert_allclose(crate.vertices_m.min(axis=0), [1.0, 0.0, 1.99], atol=1e-12)
    np.testing.assert_allclose(crate.vertices_m.max(axis=0), [1.01, 0.01, 2.0], atol=1e-12)
    assert [s.name for s in rest] == [
        "step 1", "step 2", "step 3", "seat", "back", "front left leg", "rear left leg",
        "front right leg", "rear right leg", "ramp", "box",
    ]  # fmt: skip
    np.testing.assert_array_equal(rest[-2].belt_velocity_m_s, [0, 0, 1])


def test_json_says_the_same(tmp_path: Path) -> None:
    text = json.dumps({"ground": {"height_m": 0.25}, "parts": [{"box": None}]}, indent="\t")
    place = load_environment(whole(tmp_path, "place.json", text))
    assert place.grounds[0].height_m == 0.25
    assert len(place.surfaces) == 2


def test_no_ground_named_is_level_ground_unless_none(tmp_path: Path) -> None:
    place = load_environment(whole(tmp_path, text="parts: [{box: }]\n"))
    assert place.grounds[0].height_m == 0.0
    assert any("level ground at height 0" in note for note in place.notes)
    place = load_environment(whole(tmp_path, text="ground: none\nparts: [{box: }]\n"))
    assert not place.grounds
    assert not place.notes


BAD = {
    "empty": ("", ":1: expected the environment file, found an empty file"),
    "a list": ("- ground\n", "keys and values"),
    "a word": ("ground\n", "keys and values"),
    "unknown key": ("groud: {height_m: 1}\n", ":1: expected a key of the environment file"),
    "nearest key": ("ground:\n  hight_m: 1\n", ":2: expected a key of ground"),
    "nearest key said": ("ground:\n  hight_m: 1\n", "Did you mean 'height_m'?"),
    "twice": ("ground: {}\nparts: []\nground: {}\n", ":3: expected each key"),
    "text for a number": (
        "ground: {height_m: low}\n",
        "a number from -10000 to 10000 for height_m of ground",
    ),
    "NaN": ("ground: {height_m: .nan}\n", "a number"),
    "infinity": ("ground: {height_m: 1e400}\n", "a number"),
    "two numbers": ("ground:\n  belt_velocity_m_s: [1, 2]\n", ":2: expected 3 numbers"),
    "one number": ("ground: {belt_velocity_m_s: 1}\n", "a list of 3 numbers"),
    "a wall": ("ground: {tilt_deg: 90}\n", "a number from -80 to 80 for tilt_deg"),
    "a ground beyond the sky": ("ground: {height_m: 1e6}\n", "from -10000 to 10000"),
    "a belt at the speed of light": (
        "ground: {belt_velocity_m_s: [0, 0, 3e8]}\n",
        "from -50 to 50",
    ),
    "a chair on the moon": ("parts: [{chair: , at_m: [0, 4e8, 0]}]\n", "entry 2 of at_m"),
    "a box of an atom": ("parts:\n- box:\n    size_m: [1, 1e-10, 1]\n", "from 0.001 to 10000"),
    "grid lines in one place": (
        "height_field: {heights_m: [[0, 0], [0, 0]], spacing_m: [1e-9, 1]}\n",
        "from 0.001 to 1000",
    ),
    "a mountain higher than any": (
        "height_field: {heights_m: [[0, 0], [0, 1e8]], spacing_m: [1, 1]}\n",
        "10000 for entry 2",
    ),
    "uphill is up": ("ground: {tilt_deg: 9, uphill: [0, 1, 0]}\n", "not vertical"),
    "nothing": ("ground: none\n", "a ground, a height field or parts"),
    "parts no list": ("parts: {box: }\n", "a list for parts"),
    "no source": ("parts:\n  - {at_m: [0, 0, 0]}\n", ":2: expected one of file, box"),
    "two sources": ("parts:\n  - {box: , chair: }\n", "box and chair"),
    "no steps": ("parts: [{stairs: {rise_m: 0.1}}]\n", "'step_count' in stairs"),
    "absurd steps": ("parts: [{stairs: {step_count: 1e9}}]\n", "from 1 to 500"),
    "half a step": ("parts: [{stairs: {step_count: 2.5}}]\n", "whole number"),
    "unknown size": ("parts: [{chair: {seat_hight_m: 1}}]\n", "Did you mean 'seat_height_m'?"),
    "bad size": ("parts:\n- box:\n    size_m: [1, 0, 1]\n", "from 0.001 to 10000"),
    "unit of a box": ("parts: [{box: , unit: cm}]\n", "only beside 'file'"),
    "no such file": (
        "parts:\n- box:\n- file: none.obj\n",
        ":3: expected a file for file of entry 2",
    ),
    "a folder": ("parts: [{file: things}]\n", "nothing at 'things'"),
    "itself": ("parts: [{file: place.yaml}]\n", "a mesh can be read from"),
    "unknown unit": ("parts: [{file: things/box.obj, unit: ell}]\n", "No unit is called 'ell'"),
    "unknown axis": ("parts: [{file: things/box.obj, up: x}]\n", "No up axis"),
    "file is a list": ("parts: [{file: [a]}]\n", "text for file"),
    "zero in a name": ('parts: [{file: "a\\0b"}]\n', "nothing at"),
    "a long name": ("parts: [{file: " + "x" * 5000 + "}]\n", "nothing at"),
    "two kinds of heights": ("height_field: {file: a, heights_m: [], spacing_m: [1, 1]}\n", "both"),
    "no heights": ("height_field: {spacing_m: [1, 1]}\n", "either 'heights_m' or 'file'"),
    "ragged heights": ("height_field: {heights_m: [[1], [1, 2]], spacing_m: [1, 1]}\n", "equal"),
    "no spacing": ("height_field: {heights_m: [[1, 2], [1, 2]]}\n", "'spacing_m'"),
    "one height": ("height_field: {heights_m: [[1]], spacing_m: [1, 1]}\n", "grid of 4 to"),
    "a word as height": ("height_field: {heights_m: [[1, x]], spacing_m: [1, 1]}\n", "'x'"),
    "tab": ("ground:\n\theight_m: 1\n", ":2: expected YAML"),
    "unclosed": ("ground: {height_m: 1\n", "YAML"),
    "a tag": ("ground: !!python/object:os.system {height_m: 1}\nx: 1\n", "a key of"),
    "deep": ("ground: " + "[" * 200_000, "very deep nesting"),
    "deep lists": ("- " * 20_000, "very deep nesting"),
    "zero byte": ("ground: \0\n", "YAML"),
    "an alias of itself": ("parts: &a [*a]\n", "undefined alias 'a'"),
    "too large": ("# " + "x" * 2**21, "at most 256 KiB"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_environment_file_is_refused(tmp_path: Path, case: str) -> None:
    text, words = BAD[case]
    assert words in refused(whole(tmp_path, text=text))


def test_heights_from_a_table(tmp_path: Path) -> None:
    put(tmp_path / "hill.csv", "# x down, z across\n0, 0.5,1\r\n2 3; 4\n")
    text = "height_field: {file: hill.csv, spacing_m: [1, 2]}\n"
    (field,) = load_environment(whole(tmp_path, text=text)).surfaces
    assert isinstance(field, HeightField)
    np.testing.assert_array_equal(field.heights_m, [[0, 0.5, 1], [2, 3, 4]])
    for table, words in (
        ("1,2\n3\n", "hill.csv:2: expected 2 heights"),
        ("1,2\n3,nan\n", "hill.csv:2: expected a height in metres, found 'nan'"),
        ("", "an empty file"),
        ("# nothing\n", "4 to"),
        ("1,2\n", "4 to"),
        ("1,2,3,4,5\n", "two nodes each way"),
    ):
        put(tmp_path / "hill.csv", table)
        assert words in refused(tmp_path / "place.yaml")


def refused(path: Path, below_bytes: int = 64 * 2**20) -> str:
    tracemalloc.start()
    try:
        with pytest.raises(FileProblem) as caught:
            load_environment(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    message = str(caught.value)
    assert str(path.parent) in message
    assert "\n" not in message
    assert len(message) < 600
    assert peak < below_bytes
    return message


def test_aliases_do_not_multiply_beyond_bounds(tmp_path: Path) -> None:
    row = "[" + "1, " * 2_000 + "1]"
    rows = "*a, " * 2_000
    text = f"height_field:\n  spacing_m: [1, 1]\n  heights_m: [&a {row}, {rows}]\n"
    assert "heights" in refused(whole(tmp_path, text=text))
    flights = "parts: [&a {stairs: {step_count: 500}}" + ", *a" * 5 + "]\n"
    with pytest.raises(FileProblem, match="at most 2000 parts"):
        load_environment(whole(tmp_path, text=flights))


def test_not_utf8_and_other_extensions(tmp_path: Path) -> None:
    assert "UTF-8" in refused(put(tmp_path / "place.yaml", b"ground: \xff\n"))
    message = refused(put(tmp_path / "place.yml2", b"ground: 1\n"))
    assert "Did you mean '.yml'?" in message
    with pytest.raises(BadValue, match="environment files"):
        load_environment(whole(tmp_path), unit="cm")


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.integers(0, 2**31), st.integers(1, 4))
def test_damaged_environment_files_load_or_are_refused(
    tmp_path: Path, seed: int, hits: int
) -> None:
    rng = np.random.default_rng(seed)
    text = list(WHOLE.replace("step_count: 3", "step_count: 1"))
    letters = "abz019 .:,-[]{}#&*!|>'\"%@\n\té\0"
    for _ in range(hits):
        where = int(rng.integers(len(text)))
        if rng.random() < 0.5:
            text[where] = letters[int(rng.integers(len(letters)))]
        else:
            del text[where : where + int(rng.integers(1, 30))]
    path = whole(tmp_path, text="".join(text))
    try:
        assert load_environment(path).surfaces
    except FileProblem as problem:
        assert str(tmp_path) in str(problem)


def test_a_cube_of_cubes_is_many_parts(tmp_path: Path) -> None:
    pieces = [
        (0.05 * CUBE + np.array(corner) * 0.1, QUADS) for corner in product(range(4), repeat=3)
    ]
    place = load_environment(put(tmp_path / "grid.obj", obj_of({"grid": pieces})), ground=False)
    assert len(place.surfaces) == 64
    inside = query(place, np.array([[0.12, 0.22, 0.32]]))
    assert inside.distances_m[0] == pytest.approx(-0.02)
