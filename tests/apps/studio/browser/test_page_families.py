"""A family in a file, played with: the pad, and leaps on the arrow keys."""

from __future__ import annotations

import pytest

from poise.job import save_family
from tests.apps.studio.browser.studio_page import StudioPage
from tests.apps.studio.small_family import REACH_M, small_family


def test_two_leaps_from_a_file_are_blended_and_steered_with_the_keys(page: StudioPage) -> None:
    save_family(small_family(), page.studio.folder / "two_leaps.npz")
    page.visit()
    page.open_file("two_leaps.npz")
    assert page.state.solved == "yes"
    pad = page.by("family-pad")
    pad.scroll_into_view_if_needed()
    mark = len(page.heard)
    pad.press("ArrowRight")
    weights = page.told(mark, "family_state").weights
    assert sum(weights) == pytest.approx(1.0, abs=1e-6)
    assert page.since(mark).all("motion", which="live")

    leaps = page.by("leap-controller")
    leaps.scroll_into_view_if_needed()
    leaps.focus()
    mark = len(page.heard)
    page.page.keyboard.down("ArrowUp")
    page.until(lambda: len(page.since(mark).all("motion", which="live")) >= 5, "five leaps")
    page.page.keyboard.up("ArrowUp")
    steps = [each for each in page.sent if each["kind"] == "steer_leap"]
    assert [(each["forward"], each["turn"]) for each in steps[:4]] == [(1, 0)] * 4
    first, *_, last = (
        each.arrays["roots_m"][0, 2] for each in page.since(mark).all("motion", which="live")[:5]
    )
    # A direction is known two leaps ahead.
    assert last - first == pytest.approx(3 * REACH_M, abs=0.02)
    page.press("Space")
