"""Every method run from a browser, one of them ended on its way."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise.job import save_pattern
from tests.apps.studio.browser.studio_page import StudioPage
from tests.methods.patterned import swing_pattern, swings

SECONDS = 500.0
"""For a run; each takes some seconds on a machine that does nothing else."""


def bars(page: StudioPage, which: str = "after") -> list[tuple[str, int, int]]:
    """What touches when."""
    touches = page.heard.last("physics", which=which).touches
    return [(each["part"], each["first"], each["last"]) for each in touches]


def drag_edge(page: StudioPage, number: int, edge: str, frames: int) -> None:
    """Stretch a contact bar of the timeline by the mouse."""
    page.dismiss_notices()
    box = page.by(f"tl-touch-{number}-{edge}").bounding_box()
    assert box is not None
    per_frame = page.value("poiseTimeline.frameToX(1) - poiseTimeline.frameToX(0)")
    start = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.page.keyboard.down("Shift")  # whole frames, whatever other edges are near
    page.drag_mouse(start, (frames * per_frame, 0.0))
    page.page.keyboard.up("Shift")


def test_a_contact_bar_is_stretched_and_the_clip_corrected_again(page: StudioPage) -> None:
    page.open_file("short.bvh")
    page.choose_method("correct")
    assert "Out of date" in page.by("status").inner_text()
    said = page.run(SECONDS)
    assert {each.method for each in said.all("progress")} == {"correct"}
    first, corrected = bars(page), page.motion()
    labels = [page.by(f"tl-touch-{i}").get_attribute("aria-label") or "" for i in range(len(first))]
    number = next(i for i, label in enumerate(labels) if not label.endswith(" to 29"))
    *_, start, _, end = labels[number].replace(",", "").split()
    mark = len(page.heard)
    drag_edge(page, number, "end", -3)
    page.until(lambda: page.since(mark).all("document_state"), "an answer")
    page.until(lambda: page.since(mark).state.solved == "stale", "a result out of date")
    assert "contact" in page.state.undo
    asked = page.sent[-1]
    assert asked["kind"] == "edit_contacts"
    stretched = [
        t for t in asked["touches"] if (t["first"], t["last"]) == (int(start), int(end) - 3)
    ]
    assert len(stretched) == 1
    assert page.state.recipe["steps"][0]["correct"]["contacts"]
    page.run(SECONDS)
    part = stretched[0]["part"]
    touched = {f for name, a, b in bars(page) if name == part for f in range(a, b + 1)}
    assert int(end) - 3 in touched and int(end) not in touched
    assert page.motion() != corrected
    # And back: both results are still known, so nothing is run for it.
    page.after(lambda: page.click("undo"))
    assert page.motion() == corrected and bars(page) == first


def test_a_run_that_is_cancelled_leaves_everything_as_it_was(capture: StudioPage) -> None:
    before = capture.motion()
    capture.choose_method("filter")
    recipe = capture.state.recipe
    capture.click("run")
    capture.by("cancel").wait_for()
    assert capture.by("run").count() == 0
    mark = len(capture.heard)
    capture.click("cancel")
    ended = capture.told(mark, "run_ended")
    assert ended.how == "cancelled"
    capture.by("run").wait_for()
    assert capture.by("notice").filter(has_text="Nothing has changed").is_visible()
    assert capture.state.recipe == recipe and capture.motion() == before
    assert capture.state.solved == "stale"
    # The page is as good as new.
    capture.after(lambda: capture.click("undo"))
    assert capture.motion() == before and capture.state.solved == "yes"


@pytest.mark.slow
def test_filter_runs_and_its_measures_are_shown(page: StudioPage) -> None:
    page.open_file("short.bvh")
    page.choose_method("filter")
    said = page.run(SECONDS)
    assert {each.method for each in said.all("progress")} == {"filter"}
    assert page.state.status.replace("_", " ") in page.by("status").inner_text()
    page.after(lambda: page.click("tab-measures"), "measures")
    rows = page.heard.last("measures").rows
    page.by(f"measure-row-{rows[0]['key']}").wait_for()
    assert len(rows) > 10


@pytest.mark.slow
def test_a_jump_lands_further_and_a_family_of_jumps_is_blended(page: StudioPage) -> None:
    page.open_sample("jump")
    page.choose_method("momentum")
    page.by("momentum-stages").wait_for()
    stages = page.heard.last("physics", which="before").stages
    assert [each["name"] for each in stages] == ["ground", "flight", "ground"]
    # What was asked of the whole clip says nothing about a leap, and would hold it back.
    assert page.wishes() == []
    # The landing is dragged in the picture: its handle, by 20 cm.
    page.until(lambda: "stage:2" in page.value("poiseViewport.grips()"), "its handle")
    assert page.value("poiseViewport.dragTo('stage:2', 0, 0, 0.2, 5)")
    page.until(page.wishes, "the landing's constraint")
    (wish,) = page.wishes()
    assert wish["kind"] == "move_stage" and wish["by_m"][2] == pytest.approx(0.2, abs=1e-3)
    page.run(SECONDS)
    assert page.state.status == "converged"
    landed = page.heard.last("physics", which="after").stages[2]["place_m"]
    assert landed[2] - stages[2]["place_m"][2] == pytest.approx(0.2, abs=0.03)

    page.by("family-setup").locator("summary").first.click()
    page.by("family-density").fill("2")
    page.by("family-density").press("Enter")
    page.after(lambda: page.click("family-grid"), "document_state")
    said = page.run(SECONDS)
    family = said.last("family_state")
    assert len(family.statuses) == 4
    pad = page.by("family-pad")
    pad.scroll_into_view_if_needed()
    box = pad.bounding_box()
    assert box is not None
    lives = []
    for x, y in ((0.3, 0.3), (0.7, 0.6)):
        mark = len(page.heard)
        page.page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
        page.page.mouse.down()
        page.page.mouse.move(box["x"] + x * box["width"], box["y"] + y * box["height"], steps=4)
        page.page.mouse.up()
        page.told(mark, "motion", which="live")
        page.page.wait_for_timeout(400)
        lives.append(page.since(mark).motion("live"))
        weights = page.since(mark).last("family_state").weights
        assert sum(weights) == pytest.approx(1.0, abs=1e-6) and max(weights) < 1.0
    assert lives[0] != lives[1]


@pytest.mark.slow
def test_a_swing_hits_elsewhere_in_the_style_of_others(page: StudioPage) -> None:
    folder = page.studio.folder
    pattern = swing_pattern()
    save_pattern(pattern, folder / "swings.npz")
    poise.save(swings()[0], folder / "swing.bvh")
    page.after(lambda: page.click("files-refresh"), "files")
    page.open_file("swing.bvh")
    page.choose_method("pattern")
    page.after(lambda: page.by("pattern-file").select_option("swings.npz"), "document_state")
    page.go_to(54)
    page.after(lambda: page.click("pattern-add-goal"), "document_state")
    (wish,) = page.wishes()
    goal = np.add(wish["place_m"], (0.02, 0.01, 0.02)).round(4).tolist()
    for axis, value in zip("xyz", goal, strict=True):
        box = page.by(f"pattern-place-{axis}")
        box.fill(str(value))
        page.after(lambda b=box: b.press("Enter"), "document_state")
    page.run(SECONDS)
    assert page.state.status == "converged"
    (wish,) = page.wishes()
    assert wish["place_m"] == pytest.approx(goal)
    assert page.heard.last("goals").goals[0]["met"]
    if wish["point"] in page.value("poiseViewport.grips().map((each) => each.slice(6))"):
        page.until(
            lambda: page.place(wish["point"]) == pytest.approx(goal, abs=5e-3), "the point there"
        )
    assert page.by("pattern-scatter").is_visible()
    assert len(page.heard.last("scatter").names) == 5


RETARGET = """\
poise: 1
clip: {file: capture.bvh}
character: {to: other_body.bvh}
steps:
  - retarget: {}
"""


@pytest.mark.slow
def test_a_clip_goes_onto_another_body_of_the_project(page: StudioPage) -> None:
    (page.studio.folder / "onto.yaml").write_text(RETARGET, encoding="utf-8")
    page.open_file("capture.bvh")
    own = page.heard.last("motion", which="after").figure
    page.click("tab-open")
    page.after(lambda: page.click("files-refresh"), "files")
    page.by("file-filter").fill("onto")
    page.after(lambda: page.click("open-file-onto.yaml"), "goals")
    assert page.by("retarget-to").input_value() == "other_body.bvh"
    page.run(SECONDS)
    made = page.heard.last("motion", which="after")
    assert made.figure != own
    other = poise.load(page.studio.folder / "other_body.bvh").skeleton
    assert made.arrays["rotations_wxyz"].shape[1] == other.joint_count
    assert 0.5 < made.arrays["roots_m"][:, 1].mean() < 1.3
    page.opened()


def test_retarget_is_chosen_from_the_menu(capture: StudioPage) -> None:
    """It needs a body: before one is chosen the document hears nothing of it."""
    recipe, mark = capture.state.recipe, len(capture.heard)
    method = capture.by("method-select")
    method.select_option("retarget")
    assert capture.by("retarget-to").is_visible() and method.input_value() == "retarget"
    capture.click("retarget-cancel")
    assert capture.by("deform-strategy-priorities").is_visible()
    assert method.input_value() == "deform" and len(capture.heard) == mark
    method.select_option("retarget")
    body = capture.by("retarget-to")
    capture.after(lambda: body.select_option("other_body.bvh"), "document_state")
    assert capture.since(mark).problem_lines() == []
    assert capture.state.recipe["steps"] == [{"retarget": {}}]
    assert capture.state.recipe["character"] == {"to": "other_body.bvh"}
    # Another method is for the clip's own body again.
    capture.choose_method("filter")
    assert "character" not in capture.state.recipe
    capture.after(lambda: capture.click("undo"), "document_state")
    capture.after(lambda: capture.click("undo"))
    assert capture.state.recipe == recipe
