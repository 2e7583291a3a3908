"""A document: opened, edited, taken back, done again; and what is said when an edit is wrong."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import poise
from poise.apps.studio.library import MOST_OPEN, Documents
from poise.apps.studio.project import Project
from poise.contact import read_contacts
from poise.job import save_pattern
from tests.apps.studio.conftest import filled
from tests.apps.studio.running_server import Heard, Page, Said, Studio
from tests.apps.studio.short_walk import ACROSS, opened, recipe, wrist
from tests.methods.patterned import swing_pattern, swings

# Opening.


def test_a_sample_is_opened(page: Page) -> None:
    heard = page.open("open_sample", name="squat")
    assert heard.problem_lines() == []
    state = heard.state
    assert state.name == "squat" and state.recipe["clip"] == {"sample": "squat"}
    assert state.solved == "yes" and state.undo == "" and state.redo == ""
    assert len(state.recipe["steps"]) == 1 and state.status == "converged"
    kinds = [each.kind for each in heard]
    for kind in ("figure", "place", "motion", "physics", "goals"):
        assert kind in kinds


def test_what_is_drawn_fits_together(studio: Studio) -> None:
    with opened(studio) as (_, heard):
        state, figure = heard.state, heard.last("figure")
        frames, joints = state.frames, len(figure.joint_names)
        assert frames == 31 and state.rate_hz == pytest.approx(30)
        for which in ("before", "after"):
            motion, physics = heard.last("motion", which=which), heard.last("physics", which=which)
            assert motion.figure == figure.key and motion.frames == frames and motion.first == 0
            assert motion.arrays["roots_m"].shape == (frames, 3)
            assert motion.arrays["rotations_wxyz"].shape == (frames, joints, 4)
            lengths = np.linalg.norm(motion.arrays["rotations_wxyz"], axis=-1)
            np.testing.assert_allclose(lengths, 1, atol=1e-5)
            assert physics.arrays["com_m"].shape == (frames, 3)
            points = physics.arrays["points_m"]
            assert points.shape == physics.arrays["forces_n"].shape and len(points) == frames
            starts = physics.arrays["starts"]
            assert len(starts) == frames + 1 and starts[-1] == len(physics.arrays["corners_m"])
            assert all(0 <= t["first"] <= t["last"] < frames for t in physics.touches)
            assert {t["part"] for t in physics.touches} <= set(physics.parts)
        arrays = figure.arrays
        assert arrays["offsets_m"].shape == (joints, 3)
        assert arrays["triangles"].max() < len(arrays["positions_m"])
        assert arrays["skin_joints"].max() < joints
        np.testing.assert_allclose(arrays["weights"].sum(axis=1), 1, atol=1e-4)
        assert figure.parents[0] == -1 and all(0 <= p < joints for p in figure.parents[1:])
        assert figure.mass_kg > 30 and 1 < figure.height_m < 2.2
        assert all(0 <= site["joint"] < joints for site in figure.sites)


def test_an_unknown_sample_is_said_with_the_nearest(page: Page) -> None:
    heard = page.open("open_sample", name="wlak")
    assert heard[-1].kind == "problem" and "walk" in heard.problem_lines()[0][1]


@pytest.mark.parametrize("id", ["", "nothing", "..", "../..", "A", "0123456789abcdef", "é", "0\0"])
def test_an_unknown_document_is_said(page: Page, id: str) -> None:
    heard = page.open("open_document", id=id)
    assert [each.kind for each in heard] == ["problem"]


def test_a_recipe_is_opened_as_a_document(studio: Studio) -> None:
    text = json.dumps(recipe(wrist(0.1)))
    (studio.folder / "inside").mkdir(exist_ok=True)
    moved = text.replace("short.bvh", "../short.bvh")
    (studio.folder / "inside" / "up.yaml").write_text(moved, encoding="utf-8")
    with studio.page() as page:
        heard = page.open("open_file", path="inside/up.yaml")
        assert heard.problem_lines() == [] and heard.state.name == "up"
        assert heard.state.recipe["clip"] == {"file": "short.bvh"}  # as seen from the folder
        assert heard.motion("before") != heard.motion("after")


def test_a_recipe_opens_with_its_capture_or_with_what_stands_in(studio: Studio) -> None:
    made = {"sample": "squat", "set": {"hand.place_m": [0, 0.02, 0]}}
    for name, there in (("short.bvh", True), ("missing.bvh", False)):
        whole = {**recipe(wrist(0.1)), "clip": {"file": name, "stand_in": made}}
        (studio.folder / "held.yaml").write_text(json.dumps(whole), encoding="utf-8")
        with studio.page() as page:
            heard = page.open("open_file", path="held.yaml")
            assert heard.problem_lines() == []
            opened_recipe = heard.state.recipe
            # What is edited from here on would not fit the values of the stand-in.
            assert opened_recipe["clip"] == ({"file": name} if there else {"sample": "squat"})
            assert ("stands in for missing.bvh" in opened_recipe.get("about", "")) == (not there)


def test_a_recipe_that_is_wrong_is_not_opened(studio: Studio, page: Page) -> None:
    (studio.folder / "wrong.yaml").write_text("poise: 1\nsteps: [{defrom: {}}]\n")
    heard = page.open("open_file", path="wrong.yaml")
    assert [each.kind for each in heard] == ["problem"] and "deform" in str(heard.problem_lines())


def test_a_question_without_a_document_is_said(page: Page) -> None:
    for kind in ("undo", "run_method", "ask_measures", "end_drag", "cancel_run"):
        page.send(kind)
        heard = page.next()
        assert heard.kind == "problem" and heard.about == kind


def test_what_is_no_message_is_said_and_the_page_goes_on(page: Page) -> None:
    for text in ("", "{", '{"kind": "bomb"}', '{"kind": "drag", "recipe": 1}', "x" * 100_000):
        page.connection.send(text)
        assert page.next().kind == "problem"
    assert page.open("open_file", path="short.bvh")[-1].kind != "problem"


def test_bytes_are_no_message_and_the_page_goes_on(page: Page) -> None:
    page.connection.send(b"\x00\x01")
    assert page.next().kind == "problem"


# Editing.


def test_an_edit_changes_the_motion_and_only_where_it_is(studio: Studio) -> None:
    with opened(studio) as (page, before):
        heard = page.edit(recipe(wrist(0.2)), "raise hand")
        assert heard.problem_lines() == [] and heard.state.undo == "raise hand"
        old = before.last("motion", which="after").arrays["rotations_wxyz"]
        new = heard.last("motion", which="after").arrays["rotations_wxyz"]
        assert np.abs(new[14] - old[14]).max() > 0.01
        np.testing.assert_allclose(new[0], old[0], atol=1e-6)
        (goal,) = heard.last("goals").goals
        assert goal["name"] == "hand" and goal["met"] is True and goal["constraint"] == "hold_point"
        path = heard.last("goals").arrays["path_m"]
        assert len(path) >= goal["last"] - goal["first"] + 1 and np.isfinite(path).all()


def test_undo_and_redo_give_the_same_bytes(studio: Studio) -> None:
    with opened(studio) as (page, heard):
        seen = [(heard.state.recipe, heard.motion("after"))]
        for up, label in ((0.1, "one"), (0.2, "two"), (-0.1, "three")):
            heard = page.edit(recipe(wrist(up)), label)
            seen.append((heard.state.recipe, heard.motion("after")))
        assert len({motion for _, motion in seen}) == 4
        labels = ["", "one", "two", "three"]
        for at in (2, 1, 0):
            heard = page.ask("undo")
            assert (heard.state.recipe, heard.motion("after")) == seen[at]
            assert heard.state.undo == labels[at] and heard.state.redo == labels[at + 1]
        assert page.ask("undo").all("motion") == []  # nothing more
        for at in (1, 2, 3):
            heard = page.ask("redo")
            assert (heard.state.recipe, heard.motion("after")) == seen[at]
        assert heard.state.redo == ""
        assert page.ask("redo").all("motion") == []


def test_an_edit_after_undo_forgets_what_was_taken_back(studio: Studio) -> None:
    with opened(studio) as (page, _):
        page.edit(recipe(wrist(0.1)), "one")
        page.edit(recipe(wrist(0.2)), "two")
        page.ask("undo")
        heard = page.edit(recipe(wrist(0.3)), "three")
        assert heard.state.undo == "three" and heard.state.redo == ""
        assert page.ask("undo").state.undo == "one"


def test_steps_of_a_slider_are_one_for_undo(studio: Studio) -> None:
    with opened(studio) as (page, first):
        for up in (0.1, 0.15, 0.2):
            page.edit(recipe(wrist(up)), f"hand {up}", merge="hand.height")
        heard = page.edit(recipe(wrist(0.2), wrist(0.1, "other", frames=[22, 30])), "another")
        assert heard.state.undo == "another"
        heard = page.ask("undo")
        assert heard.state.undo == "hand 0.2"
        assert heard.state.recipe == recipe(wrist(0.2))
        heard = page.ask("undo")
        assert heard.state.undo == "" and heard.state.recipe == first.state.recipe


def test_edits_with_different_words_are_not_merged(studio: Studio) -> None:
    with opened(studio) as (page, _):
        page.edit(recipe(wrist(0.1)), "a", merge="x")
        page.edit(recipe(wrist(0.2)), "b", merge="y")
        page.edit(recipe(wrist(0.3)), "c")
        assert [page.ask("undo").state.undo for _ in range(3)] == ["b", "a", ""]


def test_an_edit_that_changes_nothing_is_no_step_of_undo(studio: Studio) -> None:
    with opened(studio) as (page, first):
        page.edit(first.state.recipe, "nothing")
        assert page.edit(recipe(wrist(0.1)), "one").state.undo == "one"
        assert page.ask("undo").state.undo == ""


def test_words_and_outputs_do_not_change_the_motion(studio: Studio) -> None:
    with opened(studio) as (page, first):
        heard = page.edit({**first.state.recipe, "about": "A walk.", "outputs": {"clip": "x.bvh"}})
        assert heard.state.solved == "yes" and heard.motion("after") == first.motion("after")
        assert not (studio.folder / "x.bvh").exists()


def test_another_stretch_of_the_clip_is_shown(studio: Studio) -> None:
    with opened(studio) as (page, _):
        shorter = recipe(clip={"file": "short.bvh", "frames": [5, 20]})
        heard = page.edit(shorter, "cut")
        assert heard.state.frames == 16 and heard.last("motion", which="after").frames == 16
        assert heard.last("motion", which="before").frames == 16


def test_another_place_is_shown(studio: Studio) -> None:
    with opened(studio) as (page, _):
        part = {"box": {"size_m": [1, 0.4, 1]}, "at_m": [0, 0, 2]}
        heard = page.edit(recipe(environment={"ground": {"height_m": 0}, "parts": [part]}), "box")
        assert len(heard.last("place").arrays["triangles"]) >= 12


def test_after_undo_the_old_stretch_is_shown_again(studio: Studio) -> None:
    with opened(studio) as (page, _):
        page.edit(recipe(clip={"file": "short.bvh", "frames": [5, 20]}), "cut")
        heard = page.ask("undo")
        assert heard.state.frames == 31
        assert heard.last("motion", which="before").frames == 31


# Edits that are wrong.

NO_CLIP = {**ACROSS, "clip": {"file": "nothing.bvh"}, "steps": [{"deform": {}}]}
AT = "steps.0.deform.constraints.0.hold_point"

WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "nothing": ({}, ""),
    "no steps": ({**ACROSS}, ""),
    "an empty list of steps": ({**ACROSS, "steps": []}, "steps"),
    "an unknown method": ({**ACROSS, "steps": [{"defrom": {}}]}, "steps.0"),
    "an unknown key": ({**recipe(), "colour": "red"}, "colour"),
    "another version": ({**recipe(), "poise": 2}, "poise"),
    "an unknown constraint": (recipe({"hold_pont": {}}), "steps.0.deform.constraints.0"),
    "an unknown field": (recipe(wrist(0.1, colour="red")), f"{AT}.colour"),
    "a word for a number": (recipe(wrist("high")), AT),  # type: ignore[arg-type]
    "two coordinates": (recipe(wrist(0.1, place_m=[0, 1])), f"{AT}.place_m"),
    "not a number": (recipe(wrist(float("nan"))), AT),
    "beyond all numbers": (recipe(wrist(float("inf"))), AT),
    "far away": (recipe(wrist(10**400)), AT),
    "a list for a recipe's clip": ({**recipe(), "clip": [1]}, "clip"),
    "an unknown sample": ({**recipe(), "clip": {"sample": "wlak"}}, "clip"),
    "a clip that is not there": (NO_CLIP, "clip"),
    "frames after the end of the clip": (
        {**recipe(), "clip": {"file": "short.bvh", "frames": [99, 100]}}, "clip",
    ),
    "no frame rate": ({**recipe(), "clip": {"file": "short.bvh", "rate_hz": 0}}, "clip"),
    "two of one name": (recipe(wrist(0.1), wrist(0.2)), "steps.0.deform.constraints.1"),
    "retarget to nothing": ({**ACROSS, "steps": [{"retarget": {}}]}, ""),
    "a place that is none": ({**recipe(), "environment": {"grund": {}}}, "environment"),
}  # fmt: skip

WRONG_ON_THIS_CLIP: dict[str, tuple[dict[str, Any], str]] = {
    "frames outside of the clip": (recipe(wrist(0.1, frames=[40, 50])), AT),
    "an unknown point": (recipe(wrist(0.1, point="right_wirst")), AT),
    "contacts that are not there": (
        {**ACROSS, "steps": [{"deform": {"contacts": "nothing.csv"}}]}, "steps.0.deform.contacts",
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def shared(studio: Studio) -> Iterator[tuple[Page, Said]]:
    """A document that nobody changes."""
    with opened(studio) as both:
        yield both


def assert_nothing_changed(heard: Said, before: Said, where: str) -> None:
    problem = heard.last("problem")
    assert problem.about == "edit_recipe" and problem.lines
    for line in problem.lines:
        assert line["text"] and "\n" not in line["text"] and "bug" not in line["text"].lower()
    assert any(line["path"].startswith(where) for line in problem.lines), problem.lines
    assert heard.state.recipe == before.state.recipe and heard.state.undo == ""
    assert heard.state.solved == "yes" and heard.state.frames == 31


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_edit_changes_nothing_and_says_where(shared: tuple[Page, Said], what: str) -> None:
    wrong, where = WRONG[what]
    assert_nothing_changed(shared[0].edit(wrong, "wrong"), shared[1], where)


@pytest.mark.parametrize("what", WRONG_ON_THIS_CLIP)
def test_an_edit_that_this_clip_cannot_have_changes_nothing(studio: Studio, what: str) -> None:
    wrong, where = WRONG_ON_THIS_CLIP[what]
    with opened(studio) as (page, before):
        assert_nothing_changed(page.edit(wrong, "wrong"), before, where)


def test_after_a_wrong_edit_a_good_one_is_taken(studio: Studio) -> None:
    with opened(studio) as (page, _):
        page.edit({}, "wrong")
        page.edit({**recipe(), "clip": {"file": "nothing.bvh"}}, "wrong")
        heard = page.edit(recipe(wrist(0.1)), "good")
        assert heard.problem_lines() == [] and heard.state.undo == "good"


def test_all_that_is_wrong_is_said_at_once(shared: tuple[Page, Said]) -> None:
    wrong = recipe(wrist(0.1, colour="red"), {"look_at": {"name": "x", "frames": "none"}})
    where = {path for path, _ in shared[0].edit(wrong).problem_lines()}
    assert f"{AT}.colour" in where
    assert any(path.startswith("steps.0.deform.constraints.1") for path in where)


# What touches when.

TOUCHES = [
    {"part": "left_foot", "first": 0, "last": 12},
    {"part": "right_foot", "first": 10, "last": 30},
]


def touched(page: Page, touches: list[Any], step: int = 0, label: str = "contacts") -> Said:
    return page.ask("edit_contacts", step=step, touches=touches, label=label)


def test_contacts_become_a_file_that_the_recipe_names(studio: Studio) -> None:
    with opened(studio) as (page, first):
        heard = touched(page, TOUCHES, label="longer stance")
        assert heard.problem_lines() == [] and heard.state.undo == "longer stance"
        named = heard.state.recipe["steps"][0]["deform"]["contacts"]
        schedule = read_contacts(studio.folder / named)
        assert schedule.column("left_foot").tolist() == [frame <= 12 for frame in range(31)]
        assert schedule.column("right_foot").tolist() == [frame >= 10 for frame in range(31)]
        shown = heard.last("physics", which="after").touches
        assert sorted((t["part"], t["first"], t["last"]) for t in shown) == [
            ("left_foot", 0, 12), ("right_foot", 10, 30),
        ]  # fmt: skip
        assert page.ask("undo").state.recipe == first.state.recipe


def test_contacts_may_slide(studio: Studio) -> None:
    with opened(studio) as (page, _):
        heard = touched(page, [{**TOUCHES[0], "sliding": True}, TOUCHES[1]])
        named = heard.state.recipe["steps"][0]["deform"]["contacts"]
        schedule = read_contacts(studio.folder / named)
        assert schedule.column("left_foot")[:13].all() and not schedule.standing("left_foot").any()
        assert schedule.standing("right_foot")[10:].all()


def test_no_contacts_at_all_can_be_had(studio: Studio) -> None:
    with opened(studio) as (page, _):
        heard = touched(page, [])
        assert heard.problem_lines() == []
        assert heard.last("physics", which="after").touches == []


BARS = {
    "after the end": [{"part": "left_foot", "first": 0, "last": 31}],
    "before the start": [{"part": "left_foot", "first": -1, "last": 3}],
    "backwards": [{"part": "left_foot", "first": 5, "last": 3}],
    "far after the end": [{"part": "left_foot", "first": 0, "last": 10**15}],
    "an unknown part": [{"part": "left_fot", "first": 0, "last": 3}],
    "no part": [{"part": "", "first": 0, "last": 3}],
    "a part like a path": [{"part": "../../a", "first": 0, "last": 3}],
}


@pytest.mark.parametrize("what", BARS)
def test_wrong_contacts_change_nothing(shared: tuple[Page, Said], what: str) -> None:
    page, first = shared
    heard = touched(page, BARS[what])
    assert heard.problem_lines() and "bug" not in str(heard.problem_lines()).lower()
    assert heard.state.recipe == first.state.recipe and heard.state.undo == ""


@pytest.mark.parametrize("step", [-1, 1, 10**9])
def test_contacts_of_a_step_that_is_not_there_change_nothing(studio: Studio, step: int) -> None:
    with opened(studio) as (page, first):
        before = set((studio.folder / ".poise" / "studio").rglob("*.json"))
        heard = touched(page, TOUCHES, step)
        assert "step" in str(heard.problem_lines()) and heard.state.undo == ""
        after = set((studio.folder / ".poise" / "studio").rglob("*.json"))
        assert after == before, "a file of contacts is left"
        assert first.state.recipe == heard.state.recipe


def test_the_same_bars_at_another_rate_do_not_spoil_undo(studio: Studio) -> None:
    with opened(studio) as (page, _):
        heard = touched(page, TOUCHES)
        named = heard.state.recipe["steps"][0]["deform"]["contacts"]
        before = (studio.folder / named).read_bytes()
        twice = {**recipe(), "clip": {"file": "short.bvh", "rate_hz": 60}}
        assert page.edit(twice).problem_lines() == []
        assert touched(page, TOUCHES).problem_lines() == []
        assert (studio.folder / named).read_bytes() == before


# Measures.


def test_measures_are_told_before_and_after(studio: Studio) -> None:
    with opened(studio) as (page, _):
        page.edit(recipe(wrist(0.2)))
        told: Heard = page.ask("ask_measures").last("measures")
        rows = {row["key"]: row for row in told.rows}
        assert len(rows) > 5 and all(row["name"] and row["about"] for row in rows.values())
        assert {row["verdict"] for row in rows.values()} <= {"good", "fair", "poor", ""}
        shape = len(told.plots), 31
        assert told.arrays["before"].shape == told.arrays["after"].shape == shape
        assert [plot["row"] for plot in told.plots] == list(range(len(told.plots)))


# Many.


def test_documents_that_nobody_looks_at_are_closed_and_opened_again(tmp_path: Path) -> None:
    documents = Documents(Project(filled(tmp_path)))
    first = documents.file("short.bvh")
    told = threading.Event()
    first.join(lambda _: told.set())
    assert told.wait(240.0)
    alone = documents.file("short.bvh")
    others = [documents.file("short.bvh") for _ in range(2 * MOST_OPEN)]
    try:
        assert documents.open(first.id) is first
        again = documents.open(alone.id)
        assert again is not alone and again.history.recipe == alone.history.recipe
        assert documents.open(others[-1].id) is others[-1]
    finally:
        documents.close()


# Patterns.


def test_tools_of_a_pattern_are_points_of_the_body(studio: Studio) -> None:
    pattern = swing_pattern()
    save_pattern(pattern, studio.folder / "swings.npz")
    poise.save(swings()[0], studio.folder / "swing.bvh")
    try:
        with studio.page() as page:
            page.send("ask_files")
            kinds = {each["path"]: each["what"] for each in page.until("files")[-1].files}
            assert kinds["swings.npz"] == "pattern" and kinds["swing.bvh"] == "clip"
            first = page.open("open_file", path="swing.bvh")
            plain = {**first.state.recipe, "steps": [{"pattern": {}}]}
            assert page.edit(plain).problem_lines() == []  # one is chosen after the method
            tools = {tool.name for tool in pattern.tools}
            assert tools.isdisjoint(site["name"] for site in first.last("figure").sites)
            known = {**plain, "steps": [{"pattern": {"pattern": "swings.npz"}}]}
            heard = page.edit(known)
            assert heard.problem_lines() == []
            assert tools <= {site["name"] for site in heard.last("figure").sites}
            with studio.page() as other:
                again = other.open("open_document", id=heard.state.id)
                assert tools <= {site["name"] for site in again.last("figure").sites}
    finally:
        (studio.folder / "swings.npz").unlink()
        (studio.folder / "swing.bvh").unlink()
