"""Pictures: where things land on them, that nothing is cut off, and what the files are."""

from __future__ import annotations

import io
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from poise.apps.cli.main import app
from poise.apps.render import (
    Overlays,
    beside,
    draw_strip,
    palette,
    stage_for,
    support_outline,
    write_picture,
)
from poise.apps.render.animation import as_gif, as_mp4, draw_frames
from poise.apps.render.camera import VIEWS, framed, view_axes
from poise.apps.render.figure import LEFT, MIDDLE, RIGHT, figure_of_clip
from poise.apps.render.ground import floor_of, level_plane, parts_of, shade_map
from poise.apps.render.layout import key_frames, place_figures
from poise.apps.render.raster import empty_buffers, rasterize
from poise.environment import ConvexPart, Environment, Ground, HeightField
from poise.errors import BadValue, FileProblem, MissingExtra, UnknownName
from poise.formats import load_character, save_clip
from poise.job import AS_IT_IS, clip_of, standing_clip, subject
from poise.motion import Clip
from poise.samples import walk, with_t_pose
from tests.shared_data import MOCAP, ROBOTS, needs_mocap, needs_robots


def short_walk(seconds: float = 1.0) -> Clip:
    return walk(seconds=seconds, rate_hz=60.0)


def drawn(seen: list[list[float]], *, cull: bool = False, size: int = 8) -> np.ndarray:
    buffers = empty_buffers(size, size)
    points = np.array(seen)
    triangles = np.arange(len(points)).reshape(-1, 3)
    numbers = np.arange(len(triangles), dtype=np.int16)
    rasterize(points, np.zeros_like(points), triangles, numbers, cull, 0, buffers)
    return buffers.materials


def pixels(image: Image.Image) -> np.ndarray:
    return np.asarray(image).astype(int)


def bluish(image: Image.Image) -> np.ndarray:
    """Pixels of a figure's left limbs: nothing else in a strip without marks is so blue."""
    p = pixels(image)
    return p[..., 2] - p[..., 0] > 45


def test_a_triangle_covers_the_pixels_whose_centres_are_inside() -> None:
    found = drawn([[0.0, 0.0, 1.0], [0.0, 4.0, 1.0], [4.0, 0.0, 1.0]])
    rows, columns = np.nonzero(found == 0)
    expected = {(r, c) for r in range(8) for c in range(8) if (r + 0.5) + (c + 0.5) <= 4.0}
    assert set(zip(rows.tolist(), columns.tolist(), strict=True)) == expected


def test_the_nearer_triangle_hides_the_other_whatever_the_order() -> None:
    far = [[0.0, 0.0, 1.0], [0.0, 8.0, 1.0], [8.0, 0.0, 1.0]]
    near = [[0.0, 0.0, 2.0], [0.0, 8.0, 2.0], [8.0, 0.0, 2.0]]
    assert drawn(far + near)[1, 1] == 1
    assert drawn(near + far)[1, 1] == 0


def test_what_faces_away_is_left_out_when_asked() -> None:
    facing = [[0.0, 0.0, 1.0], [0.0, 4.0, 1.0], [4.0, 0.0, 1.0]]
    assert (drawn(facing, cull=True) == 0).any()
    assert (drawn(facing[::-1], cull=True) == -1).all()
    assert (drawn(facing[::-1], cull=False) == 0).any()


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("distance_m", [np.inf, 12.0])
def test_everything_is_inside_the_margins(view: str, distance_m: float) -> None:
    points = np.random.default_rng(3).uniform([-2, 0, -0.5], [3, 1.8, 0.7], (400, 3))
    axes = view_axes(view, np.array([1.0, 0.0, 0.4]))
    camera = framed(axes, (500, 300), points, (20, 40, 30, 50), distance_m=distance_m)
    seen = camera.project(points)
    tolerance = 0.01 if np.isinf(distance_m) else 1.5
    assert seen[:, 0].min() >= 20 - tolerance
    assert seen[:, 0].max() <= 470 + tolerance
    assert seen[:, 1].min() >= 40 - tolerance
    assert seen[:, 1].max() <= 250 + tolerance
    used = np.ptp(seen[:, :2], axis=0) / [450, 210]
    assert used.max() > 0.98  # as large as the picture allows


def test_views_look_from_where_they_say() -> None:
    forward = np.array([0.0, 0.0, 1.0])
    right, up, toward = view_axes("side", forward)
    assert right == pytest.approx(forward)
    assert toward[0] < -0.9  # from the right-hand side of somebody who walks along +Z
    assert view_axes("front", forward)[2] @ forward > 0.9
    assert view_axes("above", forward)[2] == pytest.approx([0.0, 1.0, 0.0])
    assert np.cross(right, up) == pytest.approx(toward)
    with pytest.raises(UnknownName, match="three-quarter"):
        view_axes("threequarter", forward)


def test_skinning_at_rest_is_the_mesh_itself() -> None:
    clip = short_walk()
    skeleton = clip.skeleton
    rest = Clip(skeleton, 30.0, skeleton.rest_positions_m[:1], skeleton.rest_wxyz[None])
    figure = figure_of_clip(rest)
    points, normals = figure.posed(0)
    assert np.abs(points - figure.mesh.positions_m).max() < 1e-12
    assert np.abs(normals - figure.mesh.normals).max() < 1e-12


def test_skin_follows_the_root() -> None:
    clip = short_walk()
    moved = replace(clip, root_positions_m=clip.root_positions_m + np.array([0.3, 0.1, -0.2]))
    a, b = figure_of_clip(clip).posed(7)[0], figure_of_clip(moved).posed(7)[0]
    assert np.abs(b - a - [0.3, 0.1, -0.2]).max() < 1e-12


def test_limbs_have_sides_and_mirror_each_other() -> None:
    figure = figure_of_clip(short_walk())
    counts = [int((figure.sides == side).sum()) for side in (MIDDLE, LEFT, RIGHT)]
    assert counts[1] == counts[2] > 500
    assert counts[0] > 500
    left = figure.mesh.positions_m[figure.mesh.triangles[figure.sides == LEFT]]
    assert left[..., 0].mean() > 0.05  # the sample's left is +X


def test_outline_of_touching_points_is_their_hull() -> None:
    square = np.array([[0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 1.0]])
    inside = np.array([[0.5, 0, 0.5], [0.2, 0, 0.7]])
    found = support_outline(np.concatenate([inside, square]), np.eye(3)[0], np.eye(3)[2])
    assert len(found) == 4
    assert {tuple(p) for p in found} == {tuple(p) for p in square}
    x, z = found[:, 0], found[:, 2]
    area = 0.5 * abs(x @ np.roll(z, -1) - z @ np.roll(x, -1))  # only if they come in order
    assert area == pytest.approx(1.0)


def test_key_frames_run_from_first_to_last_and_crowd_where_things_move() -> None:
    place = np.concatenate([np.zeros(60), np.linspace(0, 2, 40)])
    positions = np.zeros((100, 5, 3))
    positions[..., 0] = place[:, None]
    frames = key_frames(positions, 9)
    assert frames[0] == 0
    assert frames[-1] == 99
    assert sum(f >= 60 for f in frames) > sum(f < 60 for f in frames)
    assert key_frames(positions[:3], 9) == [0, 1, 2]
    assert key_frames(positions[:1], 9) == [0]
    assert len(set(key_frames(positions, 100))) == 100


def test_the_floor_is_dark_under_what_stands_on_it_and_light_elsewhere() -> None:
    square = np.array([[0.0, 0, 0], [0.3, 0, 0], [0.3, 0, 0.3], [0, 0, 0.3]])
    faces = np.array([[0, 1, 2], [0, 2, 3]])
    key = np.array([0.3, 0.9, 0.1])
    key /= np.linalg.norm(key)
    plane = level_plane(0.0)

    def least(height: float) -> float:
        solids = [(square + np.array([0.0, height, 0.0]), faces)]
        return float(shade_map(plane, np.array([1.0, 0, 0]), key, solids).light.min())

    standing, hovering, high = least(0.005), least(0.3), least(1.5)
    assert standing < hovering < high < 1.0
    whole = shade_map(plane, np.array([1.0, 0, 0]), key, [(square, faces)]).light
    assert whole[0, 0] == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("view", VIEWS)
def test_a_strip_cuts_nothing_off(view: str) -> None:
    stage = stage_for(short_walk(2.0))
    image = draw_strip(stage, view=view, size=(700, 300), samples=1)
    assert image.size == (700, 300)
    blue = bluish(image)
    assert blue.sum() > 500
    for edge in (blue[:8], blue[-8:], blue[:, :8], blue[:, -8:]):
        assert not edge.any()


def test_figures_that_stay_in_place_are_moved_apart() -> None:
    clip = short_walk(2.0)
    still = replace(clip, root_positions_m=clip.root_positions_m * [1.0, 1.0, 0.0])
    image = draw_strip(stage_for(still), figures=6, samples=1, size=(900, 300))
    p = pixels(image)
    # Between the head line and the feet, figures are columns of non-paper pixels.
    body = np.abs(p[60:200] - np.array(palette.PAPER)).sum(axis=2) > 60
    columns = body.any(axis=0)
    runs = int((np.diff(columns.astype(int)) == 1).sum()) + int(columns[0])
    assert runs == 6


def test_feet_stand_on_the_floor() -> None:
    clip = short_walk()
    # Flat soles: at rest the mesh ends where the sole points are.
    skeleton = clip.skeleton
    rest = Clip(skeleton, 30.0, skeleton.rest_positions_m[:1], skeleton.rest_wxyz[None])
    assert figure_of_clip(rest).posed(0)[0][:, 1].min() == pytest.approx(0.0, abs=1e-9)
    plane = floor_of(None, figure_of_clip(clip))
    assert plane is not None
    # The sample walks on height zero.
    assert abs(plane.point_m[1]) < 0.015


def test_the_original_shows_in_orange_only_where_it_differs() -> None:
    clip = short_walk()
    higher = replace(clip, root_positions_m=clip.root_positions_m + np.array([0.0, 0.15, 0.0]))

    def orange(original: Clip | None) -> int:
        stage = stage_for(clip, original=original)
        image = pixels(draw_strip(stage, size=(700, 300), samples=1))[50:]
        return int((image[..., 0] - image[..., 2] > 40).sum())

    assert orange(higher) > 300
    assert orange(None) == 0
    assert orange(clip) < 0.1 * orange(higher)


def test_marks_are_drawn_where_the_arrays_say() -> None:
    clip = short_walk()
    com = clip.root_positions_m.copy()
    zmp = com * [1.0, 0.0, 1.0]
    marked = stage_for(clip, overlays=Overlays(com_m=com, zmp_m=zmp))
    plain = stage_for(clip)
    a, b = (pixels(draw_strip(s, size=(700, 300), samples=1))[50:] for s in (marked, plain))
    vermilion = np.abs(a - np.array(palette.VERMILION)).sum(axis=2) < 30
    assert vermilion.sum() > 20
    assert not (np.abs(b - np.array(palette.VERMILION)).sum(axis=2) < 30).any()
    gone = stage_for(clip, overlays=Overlays(zmp_m=np.full_like(zmp, np.nan)))
    c = pixels(draw_strip(gone, size=(700, 300), samples=1))[50:]
    assert not (np.abs(c - np.array(palette.VERMILION)).sum(axis=2) < 30).any()


def test_parts_and_terrain_become_triangles() -> None:
    figure = figure_of_clip(short_walk())
    box = ConvexPart(np.array([[x, y, z] for x in (1, 2.0) for y in (0, 0.5) for z in (0, 1.0)]))
    field = HeightField(np.zeros((400, 400)), np.array([0.1, 0.1]), np.array([-20.0, -20.0]))
    found = parts_of(Environment((Ground(), box)), figure)
    assert found is not None
    assert found.shape == (12, 3, 3)
    terrain = parts_of(Environment((field,)), figure)
    assert terrain is not None
    assert 1000 < len(terrain) < 0.1 * 2 * 400 * 400  # only what is near
    normals = np.cross(terrain[:, 1] - terrain[:, 0], terrain[:, 2] - terrain[:, 0])
    assert (normals[:, 1] > 0).all()
    assert floor_of(Environment((field,)), figure) is None
    assert parts_of(Environment.flat(), figure) is None


def test_what_was_never_captured_is_left_out_and_said(tmp_path: Path) -> None:
    clip = short_walk()
    save_clip(with_t_pose(clip), tmp_path / "walk.bvh")
    found = subject(AS_IT_IS, tmp_path / "walk.bvh", to_draw=True)
    assert found.kept.left_out == 1
    assert found.kept.total == clip.frame_count + 1
    assert found.clip.frame_count == clip.frame_count
    assert any("t-pose" in note for note in found.notes)


def test_an_original_of_another_rate_and_length_is_brought_beside() -> None:
    clip = short_walk()
    other = beside(walk(seconds=0.5, rate_hz=120.0), clip)
    assert other.frame_count == clip.frame_count
    assert other.rate_hz == clip.rate_hz
    at_half = clip.root_positions_m[24]
    assert other.root_positions_m[24] == pytest.approx(at_half, abs=2e-3)
    assert other.root_positions_m[-1] == pytest.approx(other.root_positions_m[40])


def test_a_gif_has_all_pictures_and_stays_small() -> None:
    stage = stage_for(short_walk(1.0))
    pictures = list(draw_frames(stage, size=(320, 240), samples=1))
    data = as_gif(pictures, pictures[::8], 25)
    with Image.open(io.BytesIO(data)) as image:
        assert image.size == (320, 240)
        assert getattr(image, "n_frames", 1) == 26
        assert image.info["duration"] == 40
        assert image.info["loop"] == 0
    assert len(data) < 600_000


def test_a_film_can_be_played() -> None:
    av = pytest.importorskip("av", reason="PyAV (extra 'video') is not installed")
    stage = stage_for(short_walk(0.5))
    data = as_mp4(draw_frames(stage, size=(321, 241), samples=1), 25)
    with av.open(io.BytesIO(data)) as film:
        stream = film.streams.video[0]
        assert (stream.width, stream.height) == (320, 240)
        assert float(stream.average_rate) == pytest.approx(25)
        assert sum(1 for _ in film.decode(video=0)) == 13


def test_without_pyav_a_film_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "av", None)
    with pytest.raises(MissingExtra, match=r"poise\[video\]"):
        as_mp4(iter([]))


def test_files_are_what_their_extension_says(tmp_path: Path) -> None:
    stage = stage_for(short_walk(0.3))
    for name, magic in (("a.png", b"\x89PNG"), ("a.gif", b"GIF89a")):
        write_picture(tmp_path / name, stage, size=(200, 160), figures=2)
        assert (tmp_path / name).read_bytes().startswith(magic)
    with pytest.raises(FileProblem, match=r"\.png, \.gif, \.mp4"):
        write_picture(tmp_path / "a.jpg", stage)
    with pytest.raises(BadValue, match="64"):
        write_picture(tmp_path / "b.png", stage, size=(5, 5))
    with pytest.raises(BadValue, match="pixels in all"):
        write_picture(tmp_path / "b.png", stage, size=(8000, 8000))
    assert not (tmp_path / "b.png").exists()


def test_a_chair_goes_with_every_figure_and_a_hill_with_none() -> None:
    clip = short_walk(2.0)
    axes = view_axes("side", np.array([0.0, 0.0, 1.0]))
    middle = clip.root_positions_m[60] * [1.0, 0.0, 1.0]
    corners = np.array([[x, y, z] for x in (-0.2, 0.2) for y in (0.0, 0.4) for z in (-0.2, 0.2)])
    chair = Environment((Ground(), ConvexPart(corners + middle)))
    placed = place_figures(stage_for(clip, environment=chair), axes, 10.0, None)
    chairs = [p.shift_m @ axes[0] for p in placed]
    assert min(np.diff(chairs)) > 0.4  # no chair stands in another
    assert np.ptp([p.shift_m @ axes[2] for p in placed]) < 1e-9
    field = HeightField(np.zeros((200, 200)), np.array([0.1, 0.1]), np.array([-10.0, -10.0]))
    placed = place_figures(stage_for(clip, environment=Environment((field,))), axes, 10.0, None)
    assert len(placed) >= 3
    assert not any(p.moved for p in placed)


def cli(*arguments: object) -> tuple[int, str]:
    found = CliRunner().invoke(app, [str(a) for a in arguments])
    if found.exception is not None and not isinstance(found.exception, SystemExit):
        return 2, str(found.exception)
    return found.exit_code, found.output


def test_the_command_draws_marks_and_says_what_it_assumed(tmp_path: Path) -> None:
    save_clip(short_walk(), tmp_path / "walk.bvh")
    code, said = cli("render", tmp_path / "walk.bvh", "-o", tmp_path / "w.png", "--size", "700x300",
                     "--figures", "3")  # fmt: skip
    assert code == 0, said
    assert "700x300 pixels" in said
    assert "Mass not given" in said
    with Image.open(tmp_path / "w.png") as image:
        p = pixels(image.convert("RGB"))[50:]
    assert (np.abs(p - np.array(palette.TOUCH)).sum(axis=2) < 60).any()
    code, said = cli("render", tmp_path / "walk.bvh", "-o", tmp_path / "w.png")
    assert code == 2
    assert "--overwrite" in said


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--view", "back"), "No view is called 'back'"),
        (("--size", "big"), "WIDTHxHEIGHT"),
        (("--figures", "0"), "from 1 to 60"),
        (("--frames", "5"), "START:STOP"),
        (("--frames", "500:600"), "a range inside 0:61"),
    ],
)
def test_wrong_wishes_are_said_in_one_line(
    tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    save_clip(short_walk(), tmp_path / "walk.bvh")
    code, said = cli("render", tmp_path / "walk.bvh", "-o", tmp_path / "a.png", *arguments)
    assert code == 2
    assert words in said
    assert not (tmp_path / "a.png").exists()


@needs_robots
def test_a_robot_stands_at_rest() -> None:
    clip = standing_clip(load_character(ROBOTS / "unitree_g1" / "g1.xml"))
    image = draw_strip(stage_for(clip), view="three-quarter", samples=1)
    assert image.width < 800  # one figure needs no wide picture
    assert bluish(image).sum() > 300


@needs_mocap
@pytest.mark.parametrize("name", ["cmu/128_11", "cmu/49_06", "tennis/adorozco_Reves_8seg"])
def test_real_clips_fit_their_picture(name: str) -> None:
    clip, *_ = clip_of(AS_IT_IS, MOCAP / f"{name}.bvh")
    image = draw_strip(stage_for(clip), samples=1, size=(1000, 320))
    blue = bluish(image)
    for edge in (blue[:8], blue[-8:], blue[:, :8], blue[:, -8:]):
        assert not edge.any()
