"""Methods that take their time: how far they are, what they end with, and how they are ended."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import psutil
import pytest

from tests.apps.studio.running_server import Page, Said, Studio
from tests.apps.studio.short_walk import ACROSS, opened, recipe, wrist

pytestmark = pytest.mark.slow

SOON_S = 240.0
"""For a run to end once it is told to."""


def corrected(samples: int, **others: Any) -> dict[str, Any]:
    """Four samples take a second; a hundred thousand, an hour."""
    settings = {"mode": "paper", "samples": samples, "iterations": 5, "sampling_iterations": 2}
    return {**ACROSS, "steps": [{"correct": {"settings": settings}}], **others}


LONG = corrected(100_000)


@pytest.fixture(autouse=True)
def no_process_is_left() -> Iterator[None]:
    """Nobody works on after a test."""
    yield
    end = time.monotonic() + SOON_S
    while (left := _workers()) and time.monotonic() < end:
        time.sleep(0.05)
    for each in left:
        with contextlib.suppress(psutil.Error):
            each.kill()
    assert not left


def _workers() -> list[psutil.Process]:
    found = []
    for each in psutil.Process(os.getpid()).children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if each.status() != psutil.STATUS_ZOMBIE and "resource_tracker" not in str(
                each.cmdline()
            ):
                found.append(each)
    return found


def ended(page: Page, seconds: float = 60.0) -> Said:
    """Until a run has ended, and all that is said about it."""
    heard = page.until("run_ended", seconds)
    return Said([*heard, *page.done()])


def test_a_run_tells_how_far_it_is_and_ends_with_a_motion(studio: Studio) -> None:
    with opened(studio) as (page, first):
        heard = page.edit(corrected(4), "correct")
        assert heard.state.solved in ("no", "stale") and not heard.all("motion", which="after")
        page.send("run_method")
        heard = ended(page)
        assert heard.all("document_state")[0].solved == "solving"
        progress = heard.all("progress")
        assert len({each.stage for each in progress}) >= 3
        assert all(0 <= each.done <= each.total for each in progress)
        assert all(each.method == "correct" for each in progress)
        assert heard.all("motion", which="preview")
        assert heard.last("run_ended").how == "done" and heard.last("run_ended").seconds > 0
        assert heard.state.solved == "yes" and heard.state.status
        after = heard.last("motion", which="after")
        assert after.frames == 31 and heard.motion("after") != first.motion("after")
        assert heard.last("physics", which="after").touches
        assert page.ask("ask_measures").last("measures").rows
        folder = studio.folder / ".poise" / "studio" / first.state.id
        assert not list(folder.glob("preview*")), "previews are left"
        # Taken back and done again, it need not run again.
        back = page.ask("undo")
        assert back.motion("after") == first.motion("after")
        again = page.ask("redo")
        assert again.state.solved == "yes" and again.motion("after") == heard.motion("after")


def test_a_run_is_cancelled_and_the_next_one_works(studio: Studio) -> None:
    with opened(studio) as (page, _):
        before = page.edit(LONG, "correct")
        page.send("run_method")
        page.until("progress")
        page.send("run_method")  # one at a time
        again = page.until("problem")
        assert again[-1].about == "run_method" and "one at a time" in again.problem_lines()[0][1]
        with studio.page() as other:  # a page that comes back sees that it runs
            seen = other.open("open_document", id=before.state.id)
            assert seen.state.solved == "solving"
        heard = page.edit({**LONG, "about": "edited while it runs"}, "words")
        assert heard.state.solved == "solving" and heard.state.undo == "words"
        page.ask("undo")
        page.send("cancel_run")
        heard = ended(page, SOON_S)
        assert heard.last("run_ended").how == "cancelled"
        assert heard.last("forget", which="preview")
        assert heard.problem_lines() == []
        assert heard.state.recipe == before.state.recipe and heard.state.undo == "correct"
        assert heard.state.solved == before.state.solved
        page.edit(corrected(4), "less")
        page.send("run_method")
        heard = ended(page)
        assert heard.last("run_ended").how == "done" and heard.state.solved == "yes"


def cancelled_at_once(page: Page, *, seen: bool) -> Said:
    page.edit(LONG, "correct")
    page.send("run_method")
    if seen:
        page.until(lambda each: each.kind == "document_state" and each.solved == "solving")
    page.send("cancel_run")
    try:
        return ended(page, SOON_S)
    except TimeoutError:
        page.send("cancel_run")
        ended(page)
        raise


def test_a_run_is_cancelled_before_it_has_begun(studio: Studio) -> None:
    with opened(studio) as (page, _):
        heard = cancelled_at_once(page, seen=False)
        assert heard.last("run_ended").how == "cancelled" and heard.state.solved != "solving"


def test_a_run_is_cancelled_while_its_process_starts(studio: Studio) -> None:
    with opened(studio) as (page, _):
        heard = cancelled_at_once(page, seen=True)
        assert heard.last("run_ended").how == "cancelled" and heard.state.solved != "solving"


def test_cancelling_nothing_is_harmless(studio: Studio) -> None:
    with opened(studio) as (page, first):
        page.send("cancel_run")
        assert page.edit(recipe(wrist(0.1)), "one").state.undo == "one"
        assert page.ask("undo").motion("after") == first.motion("after")


def test_work_goes_on_beside_a_run_which_keeps_its_own_recipe(studio: Studio) -> None:
    with opened(studio) as (page, _):
        page.edit(corrected(4), "correct")
        page.send("run_method")
        page.until("document_state")
        drag = page.ask("begin_drag", recipe=recipe(wrist(0.1)), number=1)
        heard = Said([*drag, *page.edit(recipe(wrist(0.2)), "meanwhile")])
        if not heard.all("run_ended"):
            heard += ended(page)
        assert heard.all("motion", which="live") and heard.last("run_ended").how == "done"
        assert heard.state.solved == "yes"  # of the edit that was made meanwhile
        raised = heard.motion("after")
        assert page.ask("undo").state.solved == "yes"
        assert page.ask("redo").motion("after") == raised


def test_a_deform_after_a_run_is_solved_at_once(studio: Studio) -> None:
    with opened(studio) as (page, _):
        page.edit(corrected(4), "correct")
        page.send("run_method")
        made = ended(page)
        last = {"deform": {"constraints": [wrist(0.2)]}}
        both = {**made.state.recipe, "steps": [*made.state.recipe["steps"], last]}
        heard = page.edit(both, "hand")
        assert heard.state.solved == "yes" and heard.motion("after") != made.motion("after")
        page.send("run_method")  # the same as all of it anew
        again = ended(page)
        assert again.motion("after") == heard.motion("after")
        with studio.page() as other:
            seen = other.open("open_document", id=heard.state.id)
            assert seen.state.solved == "yes" and seen.motion("after") == heard.motion("after")


def test_a_run_that_cannot_be_done_says_why(studio: Studio) -> None:
    with opened(studio) as (page, _):
        heard = page.edit({**ACROSS, "steps": [{"momentum": {}}]}, "leap")
        assert heard.problem_lines() == []
        page.send("run_method")
        heard = ended(page)
        assert heard.last("run_ended").how == "failed"
        problem = heard.last("problem")
        assert problem.about == "run_method" and "Traceback" not in str(problem.lines)
        assert heard.state.solved in ("no", "stale") and heard.state.status == ""


def test_a_run_whose_process_dies_is_told(studio: Studio) -> None:
    with opened(studio) as (page, _):
        page.edit(LONG, "correct")
        page.send("run_method")
        page.until("progress")
        for each in _workers():
            each.kill()
        heard = ended(page, SOON_S)
        assert heard.last("run_ended").how == "failed" and heard.last("problem").lines
        assert "Traceback" not in str(heard.last("problem").lines)
        assert heard.state.solved in ("no", "stale")


def test_deform_needs_no_asking_but_may_be_asked(studio: Studio) -> None:
    with opened(studio) as (page, _):
        solved = page.edit(recipe(wrist(0.1)))
        page.send("run_method")
        heard = ended(page)
        assert heard.last("run_ended").how == "done"
        assert heard.motion("after") == solved.motion("after")
        assert np.isfinite(heard.last("motion", which="after").arrays["roots_m"]).all()
