"""What every method promises: one contract, whatever is inside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass
from types import ModuleType
from typing import get_args

import numpy as np
import pytest

from poise.constraints import (
    STAGE_EDITS,
    FlightHeight,
    Gravity,
    HitAt,
    HoldPoint,
    Interval,
    MoveStage,
)
from poise.errors import BadValue, PoiseError
from poise.methods import METHODS, Edit, Result, Status
from poise.motion import Clip
from tests.methods.edited import feet, sampled, whole
from tests.methods.leaping import jump
from tests.methods.patterned import walk_pattern

WALK, CHARACTER = sampled("walk", 30.0, 1.0)
STAGES = (MoveStage("moved", -1), FlightHeight("higher", 0, 1.1), Gravity("moon", 1.6))


@dataclass(frozen=True)
class Promises:
    """What a method says of itself; a new method adds its line."""

    empty_is_identity: bool
    """Without constraints the clip comes back bit for bit."""
    takes_previous: bool
    """`run` can go on from an earlier result."""
    keeps_what_is_unrecruited: bool
    """Joints that no constraint recruits keep their bits."""
    takes_constraints: bool = True
    """One that takes none says so, and refuses them by name."""
    takes_stage_edits: bool = False
    """One that knows stages says so; the others refuse them by name."""
    takes_pattern: bool = False
    """One that edits by a pattern says so, and refuses an edit without one."""


PROMISES = {
    "deform": Promises(True, True, True),
    "filter": Promises(True, False, True),
    "correct": Promises(False, False, False, takes_constraints=False),
    "momentum": Promises(False, False, False, takes_stage_edits=True),
    "pattern": Promises(True, True, False, takes_pattern=True),
}


def clip_of(method: str) -> Clip:
    """One that knows stages needs a leap."""
    return jump().clip if PROMISES[method].takes_stage_edits else WALK


def wishes(method: str) -> list[object]:
    if not PROMISES[method].takes_constraints:
        return []
    when = Interval(5, 24, 5, 5)
    place = (0.1, 0.2, 0.1)
    if PROMISES[method].takes_pattern:
        return [HitAt("hand", "left_wrist", (0.3, 0.9, 0.9), 12)]
    hand = HoldPoint("hand", "left_wrist", place, when, "offset", priority=2)
    if PROMISES[method].takes_stage_edits:
        return [MoveStage("landing", -1, (0.1, 0.0, 0.1), 20.0), hand]
    return [*feet(clip_of(method)), hand]


def asked(method: str, constraints: Sequence[object] = ()) -> Edit:
    """An edit with all that the method needs."""
    pattern = walk_pattern() if PROMISES[method].takes_pattern else None
    clip = clip_of(method)
    return Edit(clip, CHARACTER, constraints, pattern=pattern)  # type: ignore[arg-type]


@pytest.fixture(params=sorted(METHODS))
def method(request: pytest.FixtureRequest) -> str:
    return request.param


def module(name: str) -> ModuleType:
    return METHODS[name]


def test_every_method_has_a_line_of_promises() -> None:
    assert set(PROMISES) == set(METHODS)
    for name, promises in PROMISES.items():
        assert getattr(METHODS[name], "TAKES_CONSTRAINTS", True) == promises.takes_constraints
        assert getattr(METHODS[name], "TAKES_STAGE_EDITS", False) == promises.takes_stage_edits
        assert getattr(METHODS[name], "TAKES_PATTERN", False) == promises.takes_pattern


def test_settings_are_a_frozen_record_of_documented_knobs(method: str) -> None:
    settings = module(method).Settings()
    assert is_dataclass(settings) and settings == module(method).Settings()
    with pytest.raises(AttributeError):
        setattr(settings, fields(settings)[0].name, 1)


def test_the_folder_has_the_four_files(method: str) -> None:
    for part in ("problem", "settings", "run", "report"):
        assert getattr(__import__(f"poise.methods.{method}.{part}"), "__name__", None)


def test_a_run_gives_a_whole_result(method: str) -> None:
    clip = clip_of(method)
    edit = asked(method, wishes(method))
    result = module(method).run(edit)
    assert isinstance(result, Result)
    assert result.status in get_args(Status)
    assert result.summary.endswith(".") and "\n" not in result.summary
    made = result.clip
    assert made.skeleton is clip.skeleton and made.rate_hz == clip.rate_hz
    assert made.frame_count == clip.frame_count
    assert np.isfinite(made.rotations_wxyz).all() and np.isfinite(made.root_positions_m).all()
    assert made.history[: len(clip.history)] == clip.history
    assert len(made.history) == len(clip.history) + 1
    assert all(isinstance(note, str) for note in result.notes)


def test_the_input_is_left_alone_and_the_same_input_gives_the_same_bits(method: str) -> None:
    clip = clip_of(method)
    edit = asked(method, wishes(method))
    turns, roots = clip.rotations_wxyz.copy(), clip.root_positions_m.copy()
    one, two = module(method).run(edit), module(method).run(edit)
    np.testing.assert_array_equal(clip.rotations_wxyz, turns)
    np.testing.assert_array_equal(clip.root_positions_m, roots)
    np.testing.assert_array_equal(one.clip.rotations_wxyz, two.clip.rotations_wxyz)
    np.testing.assert_array_equal(one.clip.root_positions_m, two.clip.root_positions_m)
    assert one.status == two.status and one.summary == two.summary


def test_an_empty_edit_keeps_the_promise(method: str) -> None:
    clip = clip_of(method)
    result = module(method).run(asked(method))
    assert result.status == "converged"
    if PROMISES[method].empty_is_identity:
        np.testing.assert_array_equal(result.clip.rotations_wxyz, clip.rotations_wxyz)
        np.testing.assert_array_equal(result.clip.root_positions_m, clip.root_positions_m)


def test_an_earlier_result_may_be_gone_on_from(method: str) -> None:
    if not PROMISES[method].takes_previous:
        pytest.skip("it does not")
    edit = asked(method, wishes(method))
    first = module(method).run(edit)
    again = module(method).run(edit, previous=first)
    np.testing.assert_array_equal(again.clip.rotations_wxyz, first.clip.rotations_wxyz)


def test_wrong_names_and_frames_are_refused_by_name(method: str) -> None:
    clip = clip_of(method)
    nobody = HoldPoint("ghost", "third_hand", (0.0, 1.0, 0.0), whole(clip))
    if not PROMISES[method].takes_constraints:
        with pytest.raises(BadValue, match="ghost"):
            module(method).run(asked(method, [nobody]))
        return
    with pytest.raises(PoiseError, match="third_hand"):
        module(method).run(asked(method, [nobody]))
    late = HoldPoint("late", "left_wrist", (0.0, 1.0, 0.0), Interval(0, 999))
    with pytest.raises(PoiseError, match="999"):
        module(method).run(asked(method, [late]))
    twice = HoldPoint("twice", "left_wrist", (0.0, 1.0, 0.0), whole(clip))
    with pytest.raises(BadValue, match="twice"):
        Edit(clip, CHARACTER, [twice, twice])


@pytest.mark.parametrize("edit", STAGES, ids=lambda each: each.name)
def test_who_does_not_know_stages_refuses_their_edits_by_name(method: str, edit: object) -> None:
    assert {type(each) for each in STAGES} == set(STAGE_EDITS.values())
    if PROMISES[method].takes_stage_edits:
        return
    with pytest.raises(BadValue, match=edit.name):  # type: ignore[attr-defined]
        module(method).run(asked(method, [edit]))


def test_who_edits_by_a_pattern_refuses_an_edit_without_one(method: str) -> None:
    if not PROMISES[method].takes_pattern:
        return
    with pytest.raises(BadValue, match="pattern"):
        module(method).run(Edit(clip_of(method), CHARACTER, wishes(method)))  # type: ignore[arg-type]
