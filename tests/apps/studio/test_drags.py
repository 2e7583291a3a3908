"""While the user drags: answers in order, the last one always, and nothing is kept."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from poise.apps.studio.history import FILE
from tests.apps.studio.running_server import Heard, Page, Said, Studio
from tests.apps.studio.short_walk import ACROSS, opened, recipe, wrist

pytestmark = pytest.mark.slow

SEEN = 0.02
"""Of quaternions: what a drag shows is solved once, what is let go in several rounds."""


def live(heard: Said) -> list[Heard]:
    return heard.all("motion", which="live")


def dragged(page: Page, number: int, *constraints: Any, **others: Any) -> Said:
    return page.ask("begin_drag", recipe=recipe(*constraints, **others), number=number)


def test_a_drag_is_answered_and_not_kept(studio: Studio) -> None:
    with opened(studio) as (page, first):
        kept = studio.folder / ".poise" / "studio" / first.state.id / FILE
        before = kept.read_bytes()
        heard = dragged(page, 1, wrist(0.2))
        (motion,) = live(heard)
        assert motion.number == 1 and motion.frames == 31
        assert not heard.all("document_state") and kept.read_bytes() == before
        old = first.last("motion", which="after").arrays["rotations_wxyz"]
        new = motion.arrays["rotations_wxyz"]
        at = 14 - motion.first
        assert np.abs(new[at] - old[14]).max() > 0.01


def whole(motions: list[Heard]) -> Any:
    """As a page puts it together: the first has all frames, others those that are new."""
    made = motions[0].arrays["rotations_wxyz"].copy()
    for each in motions[1:]:
        new = each.arrays["rotations_wxyz"]
        made[each.first : each.first + len(new)] = new
    return made


def test_a_move_sends_one_constraint(studio: Studio) -> None:
    with opened(studio) as (page, _):
        heard = dragged(page, 1, wrist(0.1))
        moved = page.ask("drag", step=0, index=0, constraint=wrist(0.2), number=2)
        assert [each.number for each in live(moved)] == [2]
        page.ask("end_drag")
        (fresh,) = live(dragged(page, 3, wrist(0.2)))
        np.testing.assert_allclose(whole(live(heard) + live(moved)), whole([fresh]), atol=SEEN)


@pytest.mark.parametrize(
    ("move", "said"),
    [
        ({"constraint": wrist(0.1, point="right_wirst")}, "right_wirst"),
        ({"constraint": wrist(0.1, frames=[50, 60])}, "inside the clip"),
        ({"constraint": {"hold_pint": {}}}, "hold_pint"),
        ({"constraint": {}}, "one constraint"),
        ({"index": 7}, "constraint"),
        ({"step": 3}, "constraint of the recipe"),
    ],
    ids=lambda each: each if isinstance(each, str) else "move",
)
def test_a_wrong_move_is_said_at_its_place_and_later_ones_work(
    studio: Studio, move: dict[str, Any], said: str
) -> None:
    with opened(studio) as (page, _):
        dragged(page, 1, wrist(0.1))
        plain = {"step": 0, "index": 0, "constraint": wrist(0.2), "number": 2}
        heard = page.ask("drag", **{**plain, **move})
        problem = heard.last("problem")
        assert problem.about == "drag" and not live(heard)
        assert said in str(problem.lines) and "bug" not in str(problem.lines).lower()
        heard = page.ask("drag", **{**plain, "number": 3})
        assert [each.number for each in live(heard)] == [3]


def test_a_move_without_a_drag_is_refused(studio: Studio) -> None:
    with opened(studio) as (page, _):
        heard = page.ask("drag", step=0, index=0, constraint=wrist(0.2), number=1)
        assert heard.last("problem").about == "drag" and not live(heard)


def test_only_frames_that_have_changed_are_sent(studio: Studio) -> None:
    with opened(studio) as (page, _):
        first = dragged(page, 1, wrist(0.1, frames=[10, 16], ease=2))
        later = dragged(page, 2, wrist(0.2, frames=[10, 16], ease=2))
        (seen,) = live(later)
        assert 0 < len(seen.arrays["rotations_wxyz"]) < seen.frames
        page.ask("end_drag")
        again = dragged(page, 3, wrist(0.2, frames=[10, 16], ease=2))
        np.testing.assert_allclose(whole(live(first) + live(later)), whole(live(again)), atol=SEEN)


def test_physics_follow_when_the_hand_rests(studio: Studio) -> None:
    with opened(studio) as (page, _):
        page.send("begin_drag", recipe=recipe(wrist(0.2)), number=1)
        heard = page.until(lambda each: each.kind == "physics" and each.which == "live")
        assert [each.number for each in live(heard)] == [1]
        assert len(heard[-1].arrays["com_m"]) == 31 and heard[-1].touches
        for number in range(2, 12):  # not for every move
            page.send("begin_drag", recipe=recipe(wrist(0.02 * number)), number=number)
            page.until(lambda each: each.kind == "motion")
        heard = page.until(lambda each: each.kind == "physics" and each.which == "live")
        assert len(heard.all("physics", which="live")) == 1


def test_numbers_count_up_and_the_last_drag_is_answered(studio: Studio) -> None:
    with opened(studio) as (page, _):
        for number in range(1, 41):
            page.send("begin_drag", recipe=recipe(wrist(0.005 * number)), number=number)
        heard = page.done()
        numbers = [each.number for each in live(heard)]
        assert numbers == sorted(set(numbers)) and numbers[-1] == 40
        assert len(numbers) < 40, "drags that piled up were all solved"
        alone = dragged(page, 41, wrist(0.2))
        np.testing.assert_allclose(whole(live(heard) + live(alone)), whole(live(heard)), atol=SEEN)
        page.ask("end_drag")
        (fresh,) = live(dragged(page, 42, wrist(0.2)))
        assert fresh.first == 0 and len(fresh.arrays["rotations_wxyz"]) == fresh.frames
        np.testing.assert_allclose(whole([fresh]), whole(live(heard)), atol=SEEN)


def test_what_is_let_go_is_what_was_seen(studio: Studio) -> None:
    with opened(studio) as (page, _):
        for number, up in enumerate((0.05, 0.1, 0.15), 1):
            heard = dragged(page, number, wrist(up))
        seen = live(heard)[-1]
        kept = page.edit(recipe(wrist(0.15))).last("motion", which="after")
        stop = seen.first + len(seen.arrays["rotations_wxyz"])
        np.testing.assert_allclose(
            seen.arrays["rotations_wxyz"],
            kept.arrays["rotations_wxyz"][seen.first : stop], atol=SEEN,
        )  # fmt: skip


def test_a_drag_that_is_given_up_leaves_no_trace(studio: Studio) -> None:
    with opened(studio) as (page, first):
        dragged(page, 1, wrist(0.2))
        heard = page.ask("end_drag")
        assert heard.last("forget").which == "live"
        heard = page.edit(recipe(wrist(0.1)), "one")
        assert heard.state.undo == "one"
        heard = page.ask("undo")
        assert heard.motion("after") == first.motion("after")


WRONG = {
    "nothing": {},
    "an unknown point": recipe(wrist(0.1, point="right_wirst")),
    "frames outside": recipe(wrist(0.1, frames=[50, 60])),
    "not a number": recipe(wrist(float("nan"))),
    "no steps": {**ACROSS, "steps": []},
    "no clip": {**recipe(), "clip": {"file": "nothing.bvh"}},
    "an unknown method": {**ACROSS, "steps": [{"deform": {}}, {"defrom": {}}]},
    "a wrong place": {**recipe(wrist(0.1)), "environment": {"grund": 1}},
}


def test_a_wrong_drag_is_said_and_later_ones_work(studio: Studio) -> None:
    with opened(studio) as (page, first):
        for number, (what, wrong) in enumerate(WRONG.items(), 1):
            heard = page.ask("begin_drag", recipe=wrong, number=2 * number)
            problem = heard.last("problem")
            assert problem.about == "drag" and not live(heard), what
            assert "bug" not in str(problem.lines).lower(), (what, problem.lines)
            heard = dragged(page, 2 * number + 1, wrist(0.1))
            assert [each.number for each in live(heard)] == [2 * number + 1], what
        assert page.edit(recipe(wrist(0.1)), "one").state.undo == "one"
        assert page.ask("undo").motion("after") == first.motion("after")


@pytest.mark.parametrize("method", ["filter", "correct", "momentum"])
def test_constraints_of_other_methods_can_be_dragged(studio: Studio, method: str) -> None:
    with opened(studio) as (page, _):
        content: dict[str, Any] = {} if method == "correct" else {"constraints": [wrist(0.1)]}
        if method == "momentum":
            content = {
                "constraints": [{"move_stage": {"name": "a", "stage": 0, "by_m": [0, 0, 0]}}]
            }
        steps = [{method: content}]
        heard = page.ask("begin_drag", recipe={**ACROSS, "steps": steps}, number=1)
        assert "bug" not in str(heard.problem_lines()).lower(), heard.problem_lines()
        assert len(live(heard)) == 1, heard.problem_lines()


def test_a_drag_goes_on_from_what_earlier_steps_have_made(studio: Studio) -> None:
    left = {"hold_point": {**wrist(0.2)["hold_point"], "name": "left", "point": "left_wrist"}}
    both = [{"deform": {"constraints": [left]}}, {"deform": {"constraints": [wrist(0.1)]}}]
    with opened(studio) as (page, _):
        page.edit({**recipe(), "steps": both}, "both")
        (seen,) = live(page.ask("begin_drag", recipe={**recipe(), "steps": both}, number=1))
        kept = page.edit({**recipe(), "steps": both, "about": "x"}).last("motion", which="after")
        stop = seen.first + len(seen.arrays["rotations_wxyz"])
        np.testing.assert_allclose(
            seen.arrays["rotations_wxyz"],
            kept.arrays["rotations_wxyz"][seen.first : stop], atol=SEEN,
        )  # fmt: skip


def test_a_drag_on_another_body_moves_that_body(studio: Studio) -> None:
    with opened(studio) as (page, _):
        longer = {"legs": 1.1, "arms": 1.1}
        heard = page.edit(recipe(character=longer), "longer")
        body = heard.last("motion", which="after").figure
        (seen,) = live(dragged(page, 1, wrist(0.1), character=longer))
        assert seen.figure == body


def test_two_pages_hear_of_one_document(studio: Studio) -> None:
    with opened(studio) as (page, first), studio.page() as other:
        heard = other.open("open_document", id=first.state.id)
        assert heard.state.recipe == first.state.recipe
        assert heard.motion("after") == first.motion("after")
        mine = page.edit(recipe(wrist(0.1)), "mine")
        theirs = other.done()
        assert theirs.state.recipe == recipe(wrist(0.1)) and theirs.state.undo == "mine"
        assert theirs.motion("after") == mine.motion("after")
        other.ask("undo")
        assert page.done().state.recipe == first.state.recipe
        dragged(page, 7, wrist(0.2))
        assert [each.number for each in live(other.done())] == [7]


def test_a_page_that_leaves_does_not_disturb_the_other(studio: Studio) -> None:
    with opened(studio) as (page, first):
        with studio.page() as other:
            other.open("open_document", id=first.state.id)
            other.send("begin_drag", recipe=recipe(wrist(0.3)), number=1)
        heard = page.edit(recipe(wrist(0.1)), "still here")
        assert heard.state.undo == "still here"


def test_two_documents_do_not_mix(studio: Studio) -> None:
    with opened(studio) as (one, first), opened(studio) as (two, second):
        assert first.state.id != second.state.id
        one.send("edit_recipe", recipe=recipe(wrist(0.1)), label="one")
        two.send("edit_recipe", recipe=recipe(wrist(0.2)), label="two")
        here, there = one.done(), two.done()
        assert here.state.undo == "one" and there.state.undo == "two"
        assert {each.id for each in here.all("document_state")} == {first.state.id}
        assert {each.id for each in there.all("document_state")} == {second.state.id}
        assert here.motion("after") != there.motion("after")


def test_a_page_that_opens_another_document_hears_no_more_of_the_first(studio: Studio) -> None:
    with opened(studio) as (page, first):
        for _ in range(8):  # the first is busy for a while
            page.send("ask_measures")
        page.send("edit_recipe", recipe=recipe(wrist(0.2)), label="late")
        page.send("open_file", path="short.bvh")
        opening = page.until(
            lambda each: each.kind == "document_state" and each.id != first.state.id
        )
        heard = Said([opening[-1], *page.done()])
        with studio.page() as other:
            other.open("open_document", id=first.state.id)  # until it is done
        heard += page.done()
        assert heard.all("measures") == []
        assert {each.id for each in heard.all("document_state")} <= {heard.state.id}
        assert heard.state.id != first.state.id
