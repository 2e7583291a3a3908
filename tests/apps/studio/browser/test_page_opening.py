"""Opening clips in a browser, playing them, going through them."""

from __future__ import annotations

from tests.apps.studio.browser.studio_page import StudioPage


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


def test_a_sample_opens_from_its_card_and_another_from_the_panel(page: StudioPage) -> None:
    page.open_sample("walk")
    first = page.state.id
    page.open_sample("stand")
    assert page.state.id != first and page.by("document-name").inner_text() == "stand"
    page.after(lambda: page.click("files-refresh"), "files")
    page.after(lambda: page.click(f"open-document-{first}"))
    page.until(lambda: page.by("document-name").inner_text() == "walk", "the first one")
