"""Opening clips in a browser, playing them, going through them."""

from __future__ import annotations

import pytest

from tests.apps.studio.browser.studio_page import StudioPage
from tests.shared_data import MOCAP, ROBOTS


def test_the_empty_page_says_what_to_do_and_what_can_be_opened(page: StudioPage) -> None:
    words = page.by("empty-state").inner_text()
    for said in ("Open a motion", "Drag what should be elsewhere", "capture.bvh", "project"):
        assert said in words
    assert page.by("take-tour").is_visible() and page.by("upload-input").count() == 1
    samples = page.heard.last("welcome").samples
    assert all(page.by(f"open-sample-{name}").is_visible() for name in samples)
    assert page.by("undo").count() == 0 and page.by("timeline").count() == 0


def test_a_clip_dropped_on_the_window_opens_and_is_what_was_dropped(page: StudioPage) -> None:
    data = (page.studio.folder / "capture.bvh").read_bytes()
    assert page.by("drop-overlay").count() == 0
    page.after(lambda: page.drop("from my disk.bvh", data, over=page.by("drop-overlay").wait_for))
    page.opened()
    assert page.by("drop-overlay").count() == 0
    assert page.by("document-name").inner_text() == "from my disk.bvh"
    dropped = page.motion("before")
    page.click("tab-open")
    page.open_file("capture.bvh")
    assert page.motion("before") == dropped
    assert page.state.frames == 60 and page.state.rate_hz == 30.0


def test_files_that_are_no_clips_are_refused_in_words(page: StudioPage) -> None:
    page.forgiven = ("status of 422",)  # Chromium writes every such answer to its console
    for name, data, words in (
        ("broken.bvh", b"HIERARCHY\nROOT Hips\n{\n OFFSET 0 0", "broken.bvh"),
        ("noise.npz", bytes(range(256)) * 8, "noise.npz"),
        ("empty.bvh", b"", "empty"),
        ("letter.docx", b"Dear animator", "letter.docx"),
    ):
        page.drop(name, data)
        said = page.by("problem").inner_text()
        assert words in said and "Traceback" not in said and str(page.studio.folder) not in said
        assert page.by("empty-state").is_visible()
        page.click("problem-dismiss")
        assert page.by("problem").count() == 0


def test_it_plays_stops_and_is_scrubbed(capture: StudioPage) -> None:
    at = "poiseViewport.frameShown()"
    assert capture.value(at) == 0
    capture.click("tl-play")
    capture.until(lambda: capture.value(at) > 3, "playback")
    assert capture.by("tl-play").get_attribute("aria-label") == "pause"
    capture.click("tl-play")
    capture.until(lambda: float(capture.value(at)).is_integer(), "a whole frame")
    halted = capture.frame
    capture.page.wait_for_timeout(150)
    assert capture.frame == halted == capture.value(at)

    box = capture.by("tl-ruler").bounding_box()
    assert box is not None
    places = []
    for frame in (10, 45):
        capture.page.mouse.move(box["x"] + 20, box["y"] + 8)
        capture.page.mouse.down()
        x = capture.value(f"poiseTimeline.frameToX({frame})")
        capture.page.mouse.move(x, box["y"] + 8, steps=4)
        capture.until(lambda f=frame: capture.value(at) == f, "the frame under the pointer")
        capture.page.mouse.up()
        assert capture.frame == frame
        places.append(capture.place("right_wrist"))
    assert abs(places[1][2] - places[0][2]) > 0.3  # it has walked on


def in_the_middle(page: StudioPage) -> None:
    """The figure is where one looks."""
    box = page.by("viewport").bounding_box()
    assert box is not None
    page.drawn()
    x, y = page.seen_at("pelvis")
    assert abs(x - box["x"] - box["width"] / 2) < box["width"] / 4
    assert abs(y - box["y"] - box["height"] / 2) < box["height"] / 4


def test_a_clip_far_from_the_one_before_is_in_the_picture(capture: StudioPage) -> None:
    capture.go_to(59)
    capture.page.mouse.move(640, 250)
    capture.page.mouse.wheel(0, -900)
    capture.click("tab-open")
    capture.open_file("short.bvh")
    in_the_middle(capture)


def test_a_sample_opens_from_its_card_and_another_from_the_panel(page: StudioPage) -> None:
    page.open_sample("walk")
    first = page.state.id
    page.drag_point("right_wrist", 0.0, 0.1, 0.0)
    page.open_sample("stand")
    assert page.state.id != first and page.by("document-name").inner_text() == "stand"
    in_the_middle(page)
    page.after(lambda: page.click("files-refresh"), "files")
    page.after(lambda: page.click(f"open-document-{first}"))
    page.until(lambda: page.by("document-name").inner_text() == "walk", "the first one")


WALK = MOCAP / "cmu_asfamc"


def test_an_amc_is_opened_with_its_skeleton(page: StudioPage) -> None:
    """Either of them alone is told what it lacks; in whatever order, both make a document."""
    if not (WALK / "02.asf").is_file():
        pytest.skip(f"no .amc is there: {WALK}")
    motion, skeleton = (WALK / "02_01.amc").read_bytes(), (WALK / "02.asf").read_bytes()
    page.drop("02_01.amc", motion)
    assert "together with its .asf" in page.by("problem").inner_text()
    page.drop("02.asf", skeleton)
    assert page.by("notice").filter(has_text=".amc").is_visible()
    page.after(lambda: page.drop("02.asf", skeleton, ("02_01.amc", motion)))
    page.opened()
    assert page.by("document-name").inner_text() == "02_01.amc"
    assert page.by("problem").count() == 0


FLOOR = b"v -5 0 -5\nv 5 0 -5\nv 5 0 5\nv -5 0 5\nf 1 3 2\nf 1 4 3\n"
STAIR = b"parts:\n  - {box: {size_m: [1.0, 0.2, 1.0]}, at_m: [0.0, 0.0, 3.0]}\n"


def test_a_place_and_a_body_are_dropped_on_an_open_clip(capture: StudioPage) -> None:
    def dropped(name: str, data: bytes, *clicks: str) -> None:
        mark = len(capture.heard)
        capture.drop(name, data)
        capture.click(*clicks)
        capture.told(mark, "document_state")
        assert capture.since(mark).problem_lines() == []

    dropped("floor.obj", FLOOR)
    assert capture.state.recipe["environment"].endswith("/floor.obj")
    dropped("stair.yaml", STAIR, "purpose-place")
    assert capture.state.recipe["environment"].endswith("/stair.yaml")
    capture.click("tab-body")
    shown = capture.by("environment").locator("option:checked")
    assert shown.inner_text() == "stair.yaml"  # not where the server keeps it
    if not (ROBOTS / "unitree_g1" / "g1_nomesh.xml").is_file():
        return
    dropped("robot.xml", (ROBOTS / "unitree_g1" / "g1_nomesh.xml").read_bytes())
    assert capture.state.recipe["steps"] == [{"retarget": {}}]
    assert capture.state.recipe["character"]["to"].endswith("/robot.xml")


def test_a_body_is_uploaded_where_one_is_chosen(capture: StudioPage) -> None:
    capture.by("method-select").select_option("retarget")
    other = capture.studio.folder / "other_body.bvh"
    chooser = capture.by("retarget-to-upload-input")
    capture.after(lambda: chooser.set_input_files(other), "document_state")
    kept = capture.state.recipe["character"]["to"]
    assert kept != "other_body.bvh" and kept.endswith("/other_body.bvh")
    assert (capture.studio.folder / kept).read_bytes() == other.read_bytes()


def test_a_good_edit_takes_back_what_was_said_about_a_bad_one(capture: StudioPage) -> None:
    """What is wrong with a file from the disk stays until it is read."""
    capture.click("tab-body")
    mass = capture.by("character-mass_kg")
    for typed, problems in (("-5", 1), ("70", 0)):
        mass.fill(typed)
        capture.after(lambda: mass.press("Enter"), "document_state")
        capture.until(lambda n=problems: capture.by("problem").count() == n, f"{problems} problems")
    capture.drop("empty.bvh", b"")
    assert "empty" in capture.by("problem").inner_text()
    capture.after(lambda: capture.click("undo"))
    assert capture.by("problem").is_visible()
