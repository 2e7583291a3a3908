"""How sure contacts are, in the timeline of a browser."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import poise
from poise.samples import walk
from tests.apps.studio.browser.conftest import NewPage
from tests.apps.studio.browser.studio_page import StudioPage
from tests.apps.studio.running_server import Studio

SECONDS = 500.0


def alpha(page: StudioPage) -> list[str]:
    """What lies over bars that are less sure."""
    return page.value(
        "[...document.querySelectorAll('.tl-pale')].map((e) => e.style.backgroundImage)"
    )


def test_contacts_are_paler_where_less_sure_and_doubts_are_gone_to(capture: StudioPage) -> None:
    page = capture
    # What is found in the capture is weighed, too.
    assert "% sure" in (page.by("tl-touch-0").get_attribute("aria-label") or "")
    page.choose_method("correct")
    told = page.run(SECONDS).last("physics", which="after")
    sure = told.arrays["confidence"]
    doubts = told.doubts
    assert doubts and not told.unknown
    assert page.by("tl-lane-unknown").count() == 0
    assert page.value("document.querySelectorAll('.tl-doubt').length") == len(doubts)
    assert page.by("tl-doubts").inner_text() == f"{len(doubts)} in doubt"
    pale = sum(
        bool((sure[told.parts.index(t["part"]), t["first"] : t["last"] + 1] < 95).any())
        for t in told.touches
    )
    assert len(alpha(page)) == pale > 0
    # A tooltip says how sure the frame below the pointer is.
    page.dismiss_notices()
    label = page.by("tl-touch-0").get_attribute("aria-label") or ""
    touch = next(
        t
        for t in told.touches
        if label.startswith(t["part"].replace("_", " "))
        and label.endswith(f" {t['first']} to {t['last']}")
    )
    row = sure[told.parts.index(touch["part"])]
    mean = np.floor(row[touch["first"] : touch["last"] + 1].mean() + 0.5)
    assert f", {mean:.0f} % sure, frames " in label
    box = page.by("tl-touch-0").bounding_box()
    assert box is not None
    page.page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 8.0)
    at = round(page.value(f"poiseTimeline.xToFrame({box['x'] + 0.5 * box['width']})"))
    page.page.locator(".tl-tip", has_text=f"{row[at]} % sure in frame {at}").wait_for()
    # Keys go from one to the next, and round at the end.
    page.page.mouse.move(0.0, 0.0)
    page.go_to(0)
    page.value("document.activeElement.blur()")
    later = [each for each in doubts if each["first"] > 0]
    for each in later[:2]:
        page.press("d")
        page.until(lambda first=each["first"]: page.frame == first, "the next doubt")
        said = page.by("tl-doubt-said").inner_text()
        assert each["part"].replace("_", " ") in said and f"{each['percent']} % sure" in said
    page.press("Shift+D")
    page.until(lambda: page.frame == later[0]["first"], "the one before")
    for _ in later[:-1]:
        page.press("d")
    page.until(lambda: page.frame == later[-1]["first"], "the last doubt")
    page.press("d")
    page.until(lambda: page.frame == doubts[0]["first"], "the first doubt again")
    # What the user says of a part is in doubt no more.
    number = next(
        n
        for n in range(len(told.touches))
        if (page.by(f"tl-touch-{n}").get_attribute("aria-label") or "").startswith(
            doubts[0]["part"].replace("_", " ")
        )
    )
    page.by(f"tl-touch-{number}").focus()
    page.press("Delete")
    left = sum(each["part"] != doubts[0]["part"] for each in doubts)
    page.until(
        lambda: page.value("document.querySelectorAll('.tl-doubt').length") == left,
        "doubts of other parts only",
    )


def test_what_carries_the_body_unknown_has_a_lane_of_its_own(
    studio: Studio, new_page: NewPage
) -> None:
    made = walk(1.0, 30.0)
    # Two metres up in the air, and walking on.
    up = np.where(np.arange(made.frame_count) < 12, 0.0, 2.0)[:, None] * np.array([0.0, 1.0, 0.0])
    lifted = replace(made, root_positions_m=made.root_positions_m + up, source=None)
    poise.save(lifted, studio.folder / "lifted.bvh")
    page = new_page()
    page.open_file("lifted.bvh")
    page.choose_method("correct")
    unknown = page.run(SECONDS).last("physics", which="after").unknown
    assert unknown
    bars = page.by("tl-lane-unknown").locator(".tl-unknown")
    assert [bars.nth(n).get_attribute("aria-label") for n in range(bars.count())] == [
        "Something that is not known carries the body, frames {first} to {last}".format(**each)
        for each in unknown
    ]
