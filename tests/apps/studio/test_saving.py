"""Files that leave the studio: they are what is shown, they open again, and they run again."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from poise.formats import load_clip
from poise.job import load_recipe
from tests.apps.studio.conftest import filled
from tests.apps.studio.running_server import (
    PATIENCE_S,
    Page,
    Said,
    Studio,
    environment,
    in_this_process,
)
from tests.apps.studio.short_walk import opened, recipe, wrist
from tests.shared_data import ROBOTS, needs_robots

pytestmark = pytest.mark.slow

CLIPS = ("bvh", "glb", "npz")


@pytest.fixture(scope="module")
def edited(studio: Studio) -> Iterator[tuple[Page, Said]]:
    """A document with a hand that is raised, saved in every format."""
    with opened(studio) as (page, _):
        heard = page.edit(recipe(wrist(0.2), about="A raised hand: ja, schön."), "raise")
        yield page, heard


def saved(page: Page, path: str) -> Said:
    heard = page.ask("save_file", path=path)
    assert heard.problem_lines() == []
    assert heard.last("saved").path == path
    return heard


@pytest.mark.parametrize("form", CLIPS)
def test_a_saved_clip_is_what_is_shown(
    studio: Studio, edited: tuple[Page, Said], form: str
) -> None:
    page, heard = edited
    told = saved(page, f"out/shown.{form}").last("saved")
    path = studio.folder / "out" / f"shown.{form}"
    assert told.bytes == path.stat().st_size
    clip = load_clip(path)
    shown = heard.last("motion", which="after").arrays
    assert clip.frame_count == 31 and clip.rate_hz == pytest.approx(30, rel=1e-4)
    np.testing.assert_allclose(clip.root_positions_m, shown["roots_m"], atol=1e-4)
    if form != "glb":  # which may leave rest rotations to its nodes
        inner = np.abs(np.sum(clip.rotations_wxyz * shown["rotations_wxyz"], axis=-1))
        np.testing.assert_allclose(inner, 1, atol=1e-5)


@pytest.mark.parametrize("form", CLIPS)
def test_a_saved_clip_can_be_opened_again(
    studio: Studio, edited: tuple[Page, Said], form: str
) -> None:
    saved(edited[0], f"again.{form}")
    with studio.page() as page:
        heard = page.open("open_file", path=f"again.{form}")
        assert heard.problem_lines() == [] and heard.state.frames == 31
        page.send("ask_files")
        assert f"again.{form}" in {each["path"] for each in page.until("files")[-1].files}


def test_a_saved_recipe_runs_to_the_same_bytes(
    studio: Studio, edited: tuple[Page, Said], tmp_path: Path
) -> None:
    page, _ = edited
    touches = [{"part": "left_foot", "first": 0, "last": 12}]
    page.ask("edit_contacts", step=0, touches=touches, label="stance")
    for folder in ("", "deep/er/"):
        saved(page, f"{folder}replay.yaml")
        saved(page, f"{folder}replayed.bvh")
        assert load_recipe(studio.folder / folder / "replay.yaml").about.endswith("schön.")
    made = tmp_path / "made.bvh"
    done = subprocess.run(
        [sys.executable, "-m", "poise", "run", "deep/er/replay.yaml", "-o", str(made)],
        cwd=studio.folder, env=environment(), capture_output=True, text=True, timeout=PATIENCE_S,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert made.read_bytes() == (studio.folder / "deep" / "er" / "replayed.bvh").read_bytes()
    heard = page.ask("undo")
    assert heard.state.undo == "raise"


def test_a_saved_recipe_opens_as_the_same_document(
    studio: Studio, edited: tuple[Page, Said]
) -> None:
    page, heard = edited
    saved(page, "sub/same.yaml")
    with studio.page() as other:
        again = other.open("open_file", path="sub/same.yaml")
        assert again.problem_lines() == []
        assert again.state.recipe["steps"] == heard.state.recipe["steps"]
        assert again.state.recipe["clip"] == heard.state.recipe["clip"]
        assert again.motion("after") == heard.motion("after")


def test_a_report_is_saved(studio: Studio, edited: tuple[Page, Said]) -> None:
    saved(edited[0], "report.html")
    text = (studio.folder / "report.html").read_text(encoding="utf-8")
    assert "<html" in text and "Foot slide" in text


def test_a_file_is_written_over_when_that_is_wanted(
    studio: Studio, edited: tuple[Page, Said]
) -> None:
    (studio.folder / "old.bvh").write_text("old")
    page, _ = edited
    assert page.ask("save_file", path="old.bvh").problem_lines()
    heard = page.ask("save_file", path="old.bvh", overwrite=True)
    assert heard.all("saved") and load_clip(studio.folder / "old.bvh").frame_count == 31


@pytest.mark.parametrize("form", [*CLIPS, "yaml", "html"])
def test_every_format_is_exported(studio: Studio, edited: tuple[Page, Said], form: str) -> None:
    page, heard = edited
    answer = studio.export(heard.state.id, form)
    assert answer.code == 200 and answer.body
    assert answer.headers["content-disposition"] == f'attachment; filename="short.{form}"'
    assert answer.headers["x-content-type-options"] == "nosniff"
    page.ask("save_file", path=f"exported.{form}", overwrite=True)
    if form != "html":  # which has the time in it
        assert answer.body == (studio.folder / f"exported.{form}").read_bytes()


def test_exports_that_cannot_be_had_are_said(studio: Studio, edited: tuple[Page, Said]) -> None:
    document = edited[1].state.id
    for id, form in [(document, "exe"), (document, "amc"), ("nothing", "bvh"), ("../..", "bvh")]:
        answer = studio.export(id, form)
        assert answer.code == 422 and answer.problem, (id, form)
    assert studio.request("GET", "/export").code == 422


def test_what_is_not_solved_is_not_saved_but_its_recipe_is(studio: Studio) -> None:
    with opened(studio) as (page, first):
        page.edit({**first.state.recipe, "steps": [{"correct": {}}]}, "correct")
        heard = page.ask("save_file", path="unsolved.bvh")
        assert "run it first" in heard.problem_lines()[0][1]
        assert not (studio.folder / "unsolved.bvh").exists()
        assert studio.export(first.state.id, "bvh").code == 422
        saved(page, "unsolved.yaml")
        assert load_recipe(studio.folder / "unsolved.yaml").steps[0].method == "correct"


def test_a_name_with_other_letters_is_exported(studio: Studio) -> None:
    data = (studio.folder / "short.bvh").read_bytes()
    answer = studio.upload('schön "走".bvh', data)
    assert answer.code == 200
    found = re.search(rb"[0-9a-f]{16}", answer.body)
    assert found is not None
    with studio.page() as page:
        page.open("open_document", id=found[0].decode())
        exported = studio.export(found[0].decode(), "bvh")
        assert exported.code == 200 and exported.headers["content-disposition"].count('"') == 2


def test_saving_over_its_own_clip_does_not_edit_twice(tmp_path: Path) -> None:
    folder = filled(tmp_path)
    with in_this_process(folder) as studio, opened(studio) as (page, first):
        heard = page.edit(recipe(wrist(0.2)))
        page.ask("save_file", path="short.bvh", overwrite=True)  # refused, or a copy is kept
    with in_this_process(folder) as studio, studio.page() as page:
        again = page.open("open_document", id=first.state.id)
        np.testing.assert_allclose(
            again.last("motion", which="after").arrays["rotations_wxyz"],
            heard.last("motion", which="after").arrays["rotations_wxyz"], atol=1e-3,
        )  # fmt: skip


@needs_robots
def test_a_motion_is_put_on_a_robot_beside_the_capture(studio: Studio) -> None:
    pytest.importorskip("mujoco")
    shutil.copytree(ROBOTS / "unitree_g1", studio.folder / "g1")
    with opened(studio) as (page, first):
        robot = {
            **first.state.recipe, "clip": {"file": "short.bvh", "frames": [0, 11]},
            "character": {"to": "g1/g1_nomesh.xml"},
            "steps": [{"retarget": {"settings": {"torque": False}}}],
        }  # fmt: skip
        heard = page.edit(robot, "to g1")
        assert heard.problem_lines() == [] and heard.state.solved in ("no", "stale")
        page.send("run_method")
        heard = Said([*page.until("run_ended"), *page.done()])
        assert heard.last("run_ended").how == "done", heard.problem_lines()
        human = first.last("motion", which="before").figure
        after = heard.last("motion", which="after")
        assert after.figure != human and after.frames == 12
        figure = next(each for each in heard.all("figure") if each.key == after.figure)
        assert len(figure.joint_names) == after.arrays["rotations_wxyz"].shape[1]
        assert "left_hip_pitch_joint" in " ".join(figure.joint_names) or figure.mass_kg > 20
        saved(page, "g1_walk.npz")
        with studio.page() as other:  # who comes later sees both
            seen = other.open("open_document", id=heard.state.id)
            assert {human, after.figure} <= {each.key for each in seen.all("figure")}
            assert seen.motion("after") == heard.motion("after")
