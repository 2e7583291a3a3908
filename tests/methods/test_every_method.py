"""What every method promises: one contract, whatever is inside."""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass
from types import ModuleType
from typing import get_args

import numpy as np
import pytest

from poise.constraints import HoldPoint, Interval
from poise.errors import BadValue, PoiseError
from poise.methods import METHODS, Edit, Result, Status
from tests.methods.edited import feet, sampled, whole

CLIP, CHARACTER = sampled("walk", 30.0, 1.0)


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


PROMISES = {
    "deform": Promises(True, True, True),
    "filter": Promises(True, False, True),
    "correct": Promises(False, False, False, takes_constraints=False),
}


def wishes(method: str) -> list[object]:
    if not PROMISES[method].takes_constraints:
        return []
    when = Interval(5, 24, 5, 5)
    place = (0.1, 0.2, 0.1)
    return [*feet(CLIP), HoldPoint("hand", "left_wrist", place, when, "offset", priority=2)]


@pytest.fixture(params=sorted(METHODS))
def method(request: pytest.FixtureRequest) -> str:
    return request.param


def module(name: str) -> ModuleType:
    return METHODS[name]


def test_every_method_has_a_line_of_promises() -> None:
    assert set(PROMISES) == set(METHODS)
    for name, promises in PROMISES.items():
        assert getattr(METHODS[name], "TAKES_CONSTRAINTS", True) == promises.takes_constraints


def test_settings_are_a_frozen_record_of_documented_knobs(method: str) -> None:
    settings = module(method).Settings()
    assert is_dataclass(settings) and settings == module(method).Settings()
    with pytest.raises(AttributeError):
        setattr(settings, fields(settings)[0].name, 1)


def test_the_folder_has_the_four_files(method: str) -> None:
    for part in ("problem", "settings", "run", "report"):
        assert getattr(__import__(f"poise.methods.{method}.{part}"), "__name__", None)


def test_a_run_gives_a_whole_result(method: str) -> None:
    edit = Edit(CLIP, CHARACTER, wishes(method))  # type: ignore[arg-type]
    result = module(method).run(edit)
    assert isinstance(result, Result)
    assert result.status in get_args(Status)
    assert result.summary.endswith(".") and "\n" not in result.summary
    clip = result.clip
    assert clip.skeleton is CLIP.skeleton and clip.rate_hz == CLIP.rate_hz
    assert clip.frame_count == CLIP.frame_count
    assert np.isfinite(clip.rotations_wxyz).all() and np.isfinite(clip.root_positions_m).all()
    assert clip.history[: len(CLIP.history)] == CLIP.history
    assert len(clip.history) == len(CLIP.history) + 1
    assert all(isinstance(note, str) for note in result.notes)


def test_the_input_is_left_alone_and_the_same_input_gives_the_same_bits(method: str) -> None:
    edit = Edit(CLIP, CHARACTER, wishes(method))  # type: ignore[arg-type]
    turns, roots = CLIP.rotations_wxyz.copy(), CLIP.root_positions_m.copy()
    one, two = module(method).run(edit), module(method).run(edit)
    np.testing.assert_array_equal(CLIP.rotations_wxyz, turns)
    np.testing.assert_array_equal(CLIP.root_positions_m, roots)
    np.testing.assert_array_equal(one.clip.rotations_wxyz, two.clip.rotations_wxyz)
    np.testing.assert_array_equal(one.clip.root_positions_m, two.clip.root_positions_m)
    assert one.status == two.status and one.summary == two.summary


def test_an_empty_edit_keeps_the_promise(method: str) -> None:
    result = module(method).run(Edit(CLIP, CHARACTER))
    assert result.status == "converged"
    if PROMISES[method].empty_is_identity:
        np.testing.assert_array_equal(result.clip.rotations_wxyz, CLIP.rotations_wxyz)
        np.testing.assert_array_equal(result.clip.root_positions_m, CLIP.root_positions_m)


def test_an_earlier_result_may_be_gone_on_from(method: str) -> None:
    if not PROMISES[method].takes_previous:
        pytest.skip("it does not")
    edit = Edit(CLIP, CHARACTER, wishes(method))  # type: ignore[arg-type]
    first = module(method).run(edit)
    again = module(method).run(edit, previous=first)
    np.testing.assert_array_equal(again.clip.rotations_wxyz, first.clip.rotations_wxyz)


def test_wrong_names_and_frames_are_refused_by_name(method: str) -> None:
    nobody = HoldPoint("ghost", "third_hand", (0.0, 1.0, 0.0), whole(CLIP))
    if not PROMISES[method].takes_constraints:
        with pytest.raises(BadValue, match="ghost"):
            module(method).run(Edit(CLIP, CHARACTER, [nobody]))
        return
    with pytest.raises(PoiseError, match="third_hand"):
        module(method).run(Edit(CLIP, CHARACTER, [nobody]))
    late = HoldPoint("late", "left_wrist", (0.0, 1.0, 0.0), Interval(0, 999))
    with pytest.raises(PoiseError, match="999"):
        module(method).run(Edit(CLIP, CHARACTER, [late]))
    twice = HoldPoint("twice", "left_wrist", (0.0, 1.0, 0.0), whole(CLIP))
    with pytest.raises(BadValue, match="twice"):
        Edit(CLIP, CHARACTER, [twice, twice])
