"""Edits in a browser: dragged, taken back, reloaded; nothing is lost and all comes back the same."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import poise
from tests.apps.studio.browser.studio_page import StudioPage

FRAME = 30
UP_PX = 28
"""From a point to the middle of its gizmo's upright arrow, in a view of about 450 pixels."""


def arrays(data: bytes) -> dict[str, Any]:
    with np.load(io.BytesIO(data), allow_pickle=False) as found:
        return {name: found[name].copy() for name in found.files}


def dragged(page: StudioPage) -> list[dict[str, Any]]:
    """Constraints that came of dragging a point."""
    return [wish for wish in page.wishes() if wish["kind"] == "follow_curve"]


def test_a_wrist_dragged_by_its_gizmo_goes_there_and_the_body_follows(capture: StudioPage) -> None:
    capture.go_to(FRAME)
    before = capture.motion("after")
    capture.page.mouse.click(*capture.seen_at("right_wrist"))
    capture.drawn()  # the gizmo comes with the next picture
    start = capture.place("right_wrist")
    x, y = capture.seen_at("right_wrist")
    mark = len(capture.heard)
    mouse = capture.page.mouse
    mouse.move(x, y - UP_PX)
    mouse.down()
    mouse.move(x, y - UP_PX - 50, steps=8)
    # While it is held, the solved pose comes back and is shown.
    live = capture.told(mark, "motion", which="live")
    assert live.frames == capture.state.frames
    capture.until(lambda: capture.place("right_wrist")[1] > start[1] + 0.1, "the live pose")
    assert not capture.since(mark).all("motion", which="after")
    capture.after(mouse.up)
    _, wish = capture.wish(kind="follow_curve")
    assert wish["point"] == "right_wrist"
    (passed,) = wish["through"]
    assert passed["frame"] == FRAME
    # It was the upright arrow: the other axes have not moved.
    assert passed["place_m"][0] == pytest.approx(start[0], abs=2e-3)
    assert passed["place_m"][2] == pytest.approx(start[2], abs=2e-3)
    assert passed["place_m"][1] > start[1] + 0.1
    capture.until(
        lambda: capture.place("right_wrist") == pytest.approx(passed["place_m"], abs=1e-3),
        "the wrist where it was put",
    )
    assert capture.motion("after") != before
    assert capture.by("undo").get_attribute("aria-label") == "Undo: move right wrist"
    assert "converged" in capture.by("status").inner_text()


def test_a_foot_is_dragged_and_stays_elsewhere_as_it_was(capture: StudioPage) -> None:
    """A new document keeps both feet; one that is taken somewhere is let go there, and only there."""
    capture.go_to(30)
    before = capture.place("left_ankle")
    capture.drag_point("left_ankle", 0.0, 0.15, 0.1)
    assert capture.place("left_ankle") == pytest.approx(np.add(before, (0, 0.15, 0.1)), abs=2e-3)
    assert "converged" in capture.by("status").inner_text()
    for frame in (0, 59):
        capture.go_to(frame)
        there = capture.heard.last("motion", which="before").arrays["roots_m"][frame]
        now = capture.heard.last("motion", which="after").arrays["roots_m"][frame]
        assert now == pytest.approx(there, abs=5e-3)
    # What the user asks for and does not get is said.
    capture.drag_point("right_wrist", 0.0, 1.5, 0.0)
    assert "'right wrist' misses its goal" in capture.by("status").inner_text()


def test_a_drag_that_is_given_up_changes_nothing(capture: StudioPage) -> None:
    before, place = capture.motion("after"), capture.place("left_wrist")
    wishes = capture.wishes()
    mark = len(capture.heard)
    x, y = capture.seen_at("left_wrist")
    capture.page.mouse.move(x, y)
    capture.page.mouse.down()
    capture.page.mouse.move(x + 40, y - 40, steps=5)
    capture.told(mark, "motion", which="live")
    capture.press("Escape")
    capture.until(
        lambda: capture.place("left_wrist") == pytest.approx(place, abs=1e-6), "the old place"
    )
    capture.page.mouse.up()
    assert capture.wishes() == wishes and capture.motion("after") == before
    assert capture.by("undo").is_disabled()


def test_undo_and_redo_give_the_identical_clip(capture: StudioPage) -> None:
    """Motions as they are told, and files as they are written."""
    capture.go_to(FRAME)
    motions, files = [capture.motion()], [capture.downloaded("npz")[1]]
    for point in ("right_wrist", "left_ankle"):
        capture.drag_point(point, 0.1, 0.1, 0.0)
        motions.append(capture.motion())
        files.append(capture.downloaded("npz")[1])
    assert len(set(motions)) == 3
    for key, order in (("Control+z", (1, 0)), ("Control+y", (1, 2))):
        for expected in order:
            capture.after(lambda k=key: capture.press(k))
            assert capture.motion() == motions[expected]
            name, written = capture.downloaded("npz")
            assert name == "capture_edited.npz"
            found, wanted = arrays(written), arrays(files[expected])
            assert found.keys() == wanted.keys()
            for array in wanted:
                np.testing.assert_array_equal(found[array], wanted[array], err_msg=array)
    assert capture.by("redo").is_disabled()
    capture.after(lambda: capture.click("undo"))
    assert capture.by("redo").get_attribute("aria-label") == "Redo: move left ankle"


def test_a_page_that_is_reloaded_has_lost_nothing(capture: StudioPage) -> None:
    capture.go_to(FRAME)
    capture.drag_point("right_wrist", 0.0, 0.15, 0.1)
    # Let go and gone: what was dragged last is on its way when the page ends.
    capture.value("poiseViewport.dragTo('left_wrist', 0, 0.1, 0, 4)")
    capture.page.reload()
    mark = len(capture.heard)
    capture.told(mark, "physics", which="after")
    capture.opened()
    assert [wish["point"] for wish in dragged(capture)] == ["right_wrist", "left_wrist"]
    assert capture.by("undo").get_attribute("aria-label") == "Undo: move left wrist"
    assert capture.by("document-name").inner_text() == "capture.bvh"
    moved = capture.motion()
    capture.after(lambda: capture.click("undo"))
    assert [wish["point"] for wish in dragged(capture)] == ["right_wrist"]
    capture.after(lambda: capture.click("redo"))
    assert capture.motion() == moved
    assert "token" not in capture.page.url


def test_priorities_decide_what_yields(capture: StudioPage) -> None:
    """A wrist far above what the planted feet allow: the lesser layer gives way."""
    capture.go_to(FRAME)
    capture.drag_point("right_wrist", 0.0, 1.3, 0.0)
    index, wrist = capture.wish(kind="follow_curve")
    assert wrist["priority"] == 2
    assert {w.get("priority", 1) for w in capture.wishes() if w["kind"] == "plant"} == {1}
    goal = wrist["through"][0]["place_m"]

    def misses() -> float:
        return float(np.linalg.norm(np.subtract(capture.place("right_wrist"), goal)))

    capture.drawn()
    lesser = misses()
    assert lesser > 0.02
    capture.click("tab-constraints")
    assert capture.by(f"constraint-{index}-worst").is_visible()
    for name in [w["name"] for w in capture.wishes() if w["kind"] == "plant"]:
        number, _ = capture.wish(name=name)
        capture.after(lambda n=number: capture.click(f"constraint-{n}-down"))
    index, _ = capture.wish(kind="follow_curve")
    field = capture.by(f"constraint-{index}-priority")
    field.click()
    field.fill("1")
    capture.after(lambda: field.press("Enter"))
    _, wrist = capture.wish(kind="follow_curve")
    assert wrist["priority"] == 1
    assert {w.get("priority", 1) for w in capture.wishes() if w["kind"] == "plant"} == {2}
    capture.until(lambda: misses() < 0.01, "the wrist at its goal")


@pytest.mark.parametrize("key", ["bvh", "glb", "npz"])
def test_what_is_exported_opens_again_as_the_same_motion(
    capture: StudioPage, key: str, tmp_path: Path
) -> None:
    capture.go_to(FRAME)
    capture.drag_point("right_wrist", 0.0, 0.15, 0.1)
    place, state = capture.place("right_wrist"), capture.state
    name, data = capture.downloaded(key)
    assert name == f"capture_edited.{key}"
    (tmp_path / name).write_bytes(data)
    loaded = poise.load(tmp_path / name)
    assert (loaded.frame_count, loaded.rate_hz) == (state.frames, pytest.approx(state.rate_hz))
    capture.after(lambda: capture.drop(name, data))
    capture.until(lambda: capture.by("document-name").inner_text() == name, "the new document")
    assert capture.state.id != state.id and capture.state.frames == state.frames
    capture.go_to(FRAME)
    assert capture.place("right_wrist") == pytest.approx(place, abs=2e-3)


def test_a_recipe_is_saved_into_the_project_and_opens_as_the_same_edit(
    capture: StudioPage,
) -> None:
    capture.go_to(FRAME)
    capture.drag_point("right_wrist", 0.0, 0.15, 0.1)
    edited, wishes, id = capture.motion(), capture.wishes(), capture.state.id
    capture.press("Control+s")
    assert capture.by("save-path").input_value() == "capture.yaml"
    capture.after(lambda: capture.click("save-confirm"), "saved")
    capture.by("save-dialog").wait_for(state="detached")
    assert (capture.studio.folder / "capture.yaml").is_file()
    capture.click("tab-open")
    capture.open_file("capture.yaml")
    assert capture.state.id != id and capture.wishes() == wishes
    assert capture.motion() == edited
    # It is there now, and not written over by accident.
    capture.click("export", "save-recipe")
    capture.by("save-path").fill("capture.yaml")
    capture.click("save-confirm")
    assert "exists" in capture.by("save-dialog").get_by_role("alert").inner_text()
    capture.by("save-overwrite").check()
    capture.after(lambda: capture.click("save-confirm"), "saved")
    # The same file and a report come as downloads, too.
    name, text = capture.downloaded("recipe")
    assert name.endswith(".yaml") and b"right_wrist" in text
    name, text = capture.downloaded("report")
    assert name.endswith(".html") and text.lstrip().lower().startswith(b"<!doctype html")
