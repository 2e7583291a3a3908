"""An edit that differs from an earlier one in a few constraints is solved only where it differs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from poise import rotations
from poise.constraints import Constraint, HoldPoint, Interval, PlaceCenterOfMass
from poise.environment import Environment
from poise.methods import Edit, Result, deform
from poise.motion import Clip
from tests.methods.edited import clip_named, feet, is_real, whole
from tests.shared_data import needs_mocap

AGREED = 1e-4
"""Radians, and metres."""


def parts(clip: Clip) -> dict[str, Constraint]:
    """Constraints of several layers at several times."""
    frames = clip.frame_count
    sixth, middle = (frames - 10) // 6, frames // 2
    main = Interval(middle - 2 * sixth, middle + 2 * sixth, sixth, sixth)
    late = Interval(middle + sixth, frames - 3, sixth // 2, sixth // 2)
    early = Interval(2, 2 + 2 * sixth, sixth // 2, sixth // 2)
    hand = HoldPoint("hand", "left_wrist", (0.1, 0.2, 0.2), main, "offset", priority=2)
    left, right = feet(clip)
    return {
        "left": left, "right": right,
        "balance": PlaceCenterOfMass("balance", whole(clip), priority=3),
        "hand": hand,
        "moved": replace(hand, place_m=(0.12, 0.25, 0.2)),
        "shifted": replace(hand, interval=replace(main, first=main.first + 5, last=main.last + 5)),
        "lesser": replace(hand, priority=5),
        "far": replace(hand, place_m=(0.1, 0.7, 0.9)),
        "further": replace(hand, place_m=(0.1, 0.75, 0.9)),
        "late": HoldPoint("late", "right_wrist", (-0.1, 0.3, 0.2), late, "offset", priority=4),
        "early": HoldPoint("early", "right_wrist", (-0.1, 0.3, 0.2), early, "offset", priority=2),
    }  # fmt: skip


BASE = ("left", "right", "balance")
CHANGES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "a goal moves": ((*BASE, "hand"), (*BASE, "moved")),
    "an interval shifts": ((*BASE, "hand"), (*BASE, "shifted")),
    "a priority changes": ((*BASE, "hand"), (*BASE, "lesser")),
    "one more": ((*BASE, "hand"), (*BASE, "hand", "late")),
    "one more, before": ((*BASE, "hand"), (*BASE, "hand", "early")),
    "one less": ((*BASE, "hand", "late"), (*BASE, "hand")),
    "all but one go": ((*BASE, "hand"), ("hand",)),
    "out of reach": ((*BASE, "far"), (*BASE, "further")),
    "from nothing": ((), ("hand",)),
    "to nothing": (("hand",), ()),
}
CLIPS = [
    pytest.param(c, marks=needs_mocap if is_real(c) else ()) for c in ("walk@30", "02_01@30")
]  # fmt: skip


def edit_of(label: str, names: tuple[str, ...]) -> Edit:
    clip, character = clip_named(label)
    known = parts(clip)
    return Edit(clip, character, [known[name] for name in names])


def assert_agree(one: Result, two: Result) -> None:
    turned = rotations.angle_between(one.clip.rotations_wxyz, two.clip.rotations_wxyz)
    assert turned.max() <= AGREED
    apart = np.abs(one.clip.root_positions_m - two.clip.root_positions_m)
    assert apart.max() <= AGREED


@pytest.mark.parametrize("label", CLIPS)
@pytest.mark.parametrize("change", CHANGES)
def test_what_changed_is_solved_again_and_the_rest_is_kept(label: str, change: str) -> None:
    before, after = (edit_of(label, names) for names in CHANGES[change])
    first = deform.run(before)
    full, again = deform.run(after), deform.run(after, previous=first)
    assert_agree(full, again)
    assert full.status == again.status
    for ours, theirs in zip(again.constraints, full.constraints, strict=True):
        assert ours.name == theirs.name and ours.met == theirs.met
    frames = after.clip.frame_count
    if change not in ("all but one go", "from nothing", "to nothing"):
        assert sum(again.report.frames_solved) < sum(full.report.frames_solved)
        assert again.report.frames_solved[0] < frames


@pytest.mark.parametrize("label", CLIPS)
def test_nothing_is_solved_for_an_edit_that_did_not_change(label: str) -> None:
    edit = edit_of(label, (*BASE, "hand"))
    first = deform.run(edit)
    again = deform.run(edit_of(label, (*BASE, "hand")), previous=first)
    assert sum(again.report.frames_solved) == 0
    np.testing.assert_array_equal(again.clip.rotations_wxyz, first.clip.rotations_wxyz)
    np.testing.assert_array_equal(again.clip.root_positions_m, first.clip.root_positions_m)
    assert again.status == first.status and again.summary == first.summary


def test_a_chain_of_edits_does_not_drift() -> None:
    """Back and forth between two edits, each going on from the one before."""
    one, two = edit_of("walk@30", (*BASE, "hand")), edit_of("walk@30", (*BASE, "moved", "late"))
    result = deform.run(one)
    for edit in (two, one) * 4:
        result = deform.run(edit, previous=result)
    assert_agree(result, deform.run(one))


SAME: dict[str, Callable[[Edit], tuple[Edit, deform.Settings]]] = {
    "another clip": lambda e: (replace(e, clip=e.clip.noted("touched")), deform.Settings()),
    "another figure": lambda e: (
        replace(e, character=replace(e.character)), deform.Settings()
    ),
    "other ground": lambda e: (
        replace(e, environment=Environment.flat(0.001)), deform.Settings()
    ),
    "other settings": lambda e: (e, deform.Settings(smoothing_s=0.05)),
}  # fmt: skip


@pytest.mark.parametrize("what", SAME)
def test_a_different_problem_is_solved_from_scratch(what: str) -> None:
    edit = edit_of("walk@30", ("left", "hand"))
    first = deform.run(edit)
    other, settings = SAME[what](edit)
    full, again = deform.run(other, settings), deform.run(other, settings, previous=first)
    assert again.report.frames_solved == full.report.frames_solved
    np.testing.assert_array_equal(again.clip.rotations_wxyz, full.clip.rotations_wxyz)


def test_a_result_of_something_else_is_no_help() -> None:
    edit = edit_of("walk@30", ("hand",))
    stranger: Result[Any] = Result(edit.clip, "converged", "something else", None)
    again = deform.run(edit, previous=stranger)
    np.testing.assert_array_equal(
        again.clip.rotations_wxyz, deform.run(edit).clip.rotations_wxyz
    )  # fmt: skip
