"""Keys, themes, sizes, names for screen readers, and the tour."""

from __future__ import annotations

import io
from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image

from tests.apps.studio.browser.audit import cut_off, without_focus, without_names
from tests.apps.studio.browser.conftest import NewPage
from tests.apps.studio.browser.studio_page import LARGE, SMALL, StudioPage

MAIN = (
    "document-name", "undo", "redo", "method-select", "add-step", "run", "status", "export",
    "theme-toggle", "help", "tab-open", "tab-body", "tab-constraints", "viewport",
    "vp-view-perspective", "vp-frame", "vp-follow", "vp-gizmo-translate", "vp-toggle-skin",
    "vp-toggle-grid", "tab-method", "tab-measures", "tl-play", "tl-frame-input", "tl-speed",
    "tl-zoom", "tl-fit", "tl-ruler",
)  # fmt: skip
METHODS = ("filter", "correct", "momentum", "pattern")


def test_keys_do_what_the_help_says(capture: StudioPage) -> None:
    at = "poiseViewport.frameShown()"

    def shown(frame: int) -> None:
        capture.until(lambda: capture.value(at) == frame, f"frame {frame}")

    capture.press("ArrowRight", "ArrowRight")
    shown(2)
    capture.press("Shift+ArrowRight", "ArrowLeft")
    shown(11)
    capture.press("End")
    shown(59)
    capture.press("Home")
    shown(0)
    capture.press("Space")
    capture.until(lambda: capture.value(at) > 2, "playback")
    capture.press("Space")
    capture.until(lambda: float(capture.value(at)).is_integer(), "a stop")
    # Backwards, forwards and again faster, stop.
    capture.go_to(40)
    capture.press("j")
    capture.until(lambda: capture.value(at) < 38, "going back")
    capture.press("k")
    capture.press("l", "l")
    assert capture.by("tl-speed").input_value() == "2"
    capture.press("k")
    capture.until(lambda: capture.by("tl-play").get_attribute("aria-label") == "play", "a stop")
    for key, pressed in (("e", "rotate"), ("r", "none"), ("w", "translate")):
        capture.press(key)
        chosen = capture.by(f"vp-gizmo-{pressed}")
        capture.until(lambda c=chosen: c.get_attribute("aria-pressed") == "true", key)
    for key, view in (("7", "top"), ("1", "front"), ("3", "side"), ("5", "perspective")):
        capture.press(key)
        chosen = capture.by(f"vp-view-{view}")
        capture.until(lambda c=chosen: c.get_attribute("aria-pressed") == "true", key)
    # F: what is far away in the picture fills it.
    size = "Math.abs(poiseViewport.project('head').y - poiseViewport.project('left_ankle').y)"
    box = capture.by("viewport").bounding_box()
    assert box is not None
    capture.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    capture.page.mouse.wheel(0, 1500)
    capture.drawn()
    small = capture.value(size)
    capture.press("f")
    capture.until(lambda: capture.value(size) > max(1.3 * small, 0.4 * box["height"]), "a figure")
    # Undo and redo.
    capture.drag_point("right_wrist", 0.0, 0.1, 0.0)
    moved = capture.motion()
    capture.after(lambda: capture.press("Control+z"))
    assert capture.motion() != moved
    capture.after(lambda: capture.press("Control+y"))
    assert capture.motion() == moved
    capture.after(lambda: capture.press("Control+z"))
    capture.after(lambda: capture.press("Control+Shift+z"))
    assert capture.motion() == moved
    capture.press("?")
    capture.by("help-overlay").wait_for()
    capture.press("Escape")
    capture.by("help-overlay").wait_for(state="detached")


def test_keys_in_a_field_are_the_fields(capture: StudioPage) -> None:
    """Letters and arrows go into what is typed; the motion stays where it is."""
    capture.click("tab-open")
    capture.by("file-filter").fill("")
    capture.by("file-filter").press_sequentially("jkl f")
    assert capture.by("file-filter").input_value() == "jkl f"
    capture.press("ArrowLeft", "End")
    assert capture.value("poiseViewport.frameShown()") == 0
    assert capture.by("tl-play").get_attribute("aria-label") == "play"


def brightness(page: StudioPage, testid: str) -> float:
    with Image.open(io.BytesIO(page.by(testid).screenshot())) as image:
        return float(np.asarray(image.convert("L")).mean())


def test_themes_change_everything_and_are_kept(capture: StudioPage) -> None:
    """System (light here), light, dark; panels and picture alike."""
    seen = {}
    for expected in ("light", "dark"):
        capture.click("theme-toggle")
        assert capture.value("document.documentElement.dataset.theme") == expected
        capture.drawn()
        seen[expected] = [
            brightness(capture, each) for each in ("viewport", "timeline", "left-panel")
        ]
    for light, dark in zip(seen["light"], seen["dark"], strict=True):
        assert light > 150 and dark < 90
    capture.page.reload()
    capture.opened()
    assert capture.value("document.documentElement.dataset.theme") == "dark"
    assert brightness(capture, "timeline") < 90
    capture.click("theme-toggle")
    assert capture.by("theme-toggle").get_attribute("aria-label") == "Theme: as the system"
    for scheme in ("dark", "light"):
        capture.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        capture.until(
            lambda s=scheme: capture.value("document.documentElement.dataset.theme") == s, scheme
        )


def states(page: StudioPage) -> dict[str, Callable[[], object]]:
    """How to bring about what is to be looked at, one after the other."""

    def method(name: str) -> Callable[[], object]:
        def choose() -> None:
            page.click("tab-method")
            page.choose_method(name)

        return choose

    def dragged() -> None:
        page.drag_point("right_wrist", 0.0, 0.15, 0.1)
        page.click("tab-constraints")
        index, _ = page.wish(kind="follow_curve")
        page.click(f"constraint-{index}-name")

    return {
        "just opened": lambda: None,
        "body and place": lambda: page.click("tab-body"),
        "a constraint": dragged,
        "measures": lambda: page.after(lambda: page.click("tab-measures"), "measures"),
        **{name: method(name) for name in METHODS},
    }


@pytest.mark.parametrize("size", [SMALL, LARGE])
def test_every_control_has_a_name_a_place_and_can_be_reached(
    new_page: NewPage, size: tuple[int, int]
) -> None:
    """With whatever a panel shows: for screen readers, for keyboards, for small windows."""
    page = new_page(size=size)
    found: dict[str, list[str]] = {}

    def look(name: str, within: str = "") -> None:
        page.page.mouse.move(5, 5)
        page.dismiss_notices()
        page.page.wait_for_timeout(100)
        wrong = {*without_names(page), *without_focus(page), *cut_off(page, within)}
        if wrong:
            found[name] = sorted(wrong)

    look("nothing is open")
    page.open_file("capture.bvh")
    for name, act in states(page).items():
        act()
        look(name)
    page.click("help")
    look("help", "dialog")
    page.press("Escape")
    page.click("export")
    look("export menu", ".pn-menu-list")
    page.press("Escape")
    assert found == {}
    boxes = {}
    for testid in MAIN:
        box = page.by(testid).bounding_box()
        assert box is not None, testid
        assert box["x"] >= 0 and box["x"] + box["width"] <= size[0] + 0.5, testid
        assert box["y"] >= 0 and box["y"] + box["height"] <= size[1] + 0.5, testid
        boxes[testid] = box
    # The picture keeps the most of the window.
    assert boxes["viewport"]["width"] > 0.4 * size[0]
    assert boxes["viewport"]["height"] > 0.5 * size[1]


def test_all_tabs_are_seen_in_a_small_window(capture: StudioPage) -> None:
    """Whole words too, with the badge that says how many constraints there are."""
    assert cut_off(capture, "[role=tablist]") == []
    short = "[...document.querySelectorAll('.pn-tab > span')].filter((e) => e.scrollWidth > e.clientWidth)"
    assert capture.value(f"{short}.map((e) => e.textContent)") == []


def test_every_point_of_the_body_diagram_can_be_clicked(new_page: NewPage) -> None:
    page = new_page(size=LARGE)
    page.open_file("short.bvh")
    page.by("com-point-left_ball").scroll_into_view_if_needed()
    assert [each for each in cut_off(page) if each.startswith("com-point-")] == []


def test_the_tour_can_be_walked_to_its_end(page: StudioPage) -> None:
    """Everything it asks for can be done as it says, and it sees that it was."""
    page.click("take-tour")

    def step(title: str, act: Callable[[], object] | None = None) -> None:
        assert title in page.by("tour").inner_text()
        card = page.by("tour").bounding_box()
        assert card is not None and card["x"] >= 0 and card["y"] >= 0
        assert card["x"] + card["width"] <= 1280 and card["y"] + card["height"] <= 720
        if act is not None:
            act()
            page.by("tour-done").wait_for()
        page.click("tour-next")

    step("Open the walk", lambda: page.open_sample("walk"))
    step("Play it", lambda: page.press("Space"))
    page.press("Space")
    page.go_to(30)

    def pick() -> None:
        page.page.mouse.click(*page.seen_at("right_wrist"))

    def pull() -> None:
        page.drawn()
        x, y = page.seen_at("right_wrist")
        page.after(lambda: page.drag_mouse((x, y - 28), (0.0, -40.0)))

    def plant() -> None:
        page.click("constraint-add")
        page.after(lambda: page.click("constraint-add-hold_point"))

    def one_more() -> None:
        page.after(lambda: page.click("add-step", "add-step-correct"), "document_state")

    step("Pick the right wrist", pick)
    step("Drag it", pull)
    assert page.wish(kind="follow_curve")[1]["point"] == "right_wrist"
    step("See whether it holds")
    step("Say what yields to what", plant)
    step("Let physics have a say", one_more)
    assert len(page.state.recipe["steps"]) == 2
    step("Run it", lambda: page.click("run"))
    page.click("cancel")
    step("Read the measures")
    step("Take it along")
    assert page.by("tour").count() == 0
    assert page.value("localStorage.getItem('poise-tour')") == "done"


@pytest.mark.parametrize("size", [SMALL, LARGE])
def test_the_tour_leaves_free_what_it_asks_to_be_clicked(
    new_page: NewPage, size: tuple[int, int]
) -> None:
    page = new_page(size=size)
    page.open_file("short.bvh")
    page.click("help", "help-tour")
    for title, menu, cards in (("Let physics have a say", "add-step", 6), ("Take it", "export", 3)):
        for _ in range(cards):
            page.click("tour-next")
        assert title in page.by("tour").inner_text()
        page.click(menu)
        page.until(lambda: cut_off(page, ".pn-menu-list") == [], "a menu that is whole")
        page.press("Escape")
