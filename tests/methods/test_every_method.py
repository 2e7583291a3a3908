"""What every method promises: one contract, whatever is inside."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from typing import Any, get_args

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
    Recruit,
)
from poise.errors import BadValue, PoiseError
from poise.methods import METHODS, Edit, Progress, Result, Status, correct, momentum, retarget
from poise.methods.pattern import learn
from poise.samples import sample_character, walking
from tests.methods.edited import feet, whole
from tests.methods.leaping import jump
from tests.methods.other_bodies import body
from tests.methods.other_worlds import (
    SHIFT_M,
    TURN_RAD,
    apart_m,
    mirrored,
    mirrored_edit,
    moved_edit,
    shifted_edit,
)
from tests.methods.patterned import moved, place_of, walk_pattern, walks

WALK, CONTACTS = walks()[0], walking(1.0, 30.0).contacts
CHARACTER = sample_character()
STAGES = (MoveStage("moved", -1), FlightHeight("higher", 0, 1.1), Gravity("moon", 1.6))
CUT = 4
"""Frames that a clip begins later."""
SETTLED = 6
"""Frames after its begin, in which a motion may still be told that it was cut."""


@dataclass(frozen=True)
class Promises:
    """What a method says of itself; a new method adds its line."""

    moved_m: float
    """How far joints are off at most, if the world is elsewhere and turned."""
    mirrored_m: float
    """The same in a mirror."""
    shifted_m: float | None
    """The same if the clip begins later; None where the whole clip has a say in every frame."""
    empty_is_identity: bool = False
    """Without constraints the clip comes back bit for bit."""
    keeps_what_is_unrecruited: bool = False
    """Joints that no constraint recruits keep their bits."""
    one_frame: bool = False
    """A clip of one frame is edited; else it is refused in words."""


PROMISES = {
    "deform": Promises(1e-9, 1e-9, 1e-9, True, True, True),
    "filter": Promises(1e-6, 1e-9, 1e-6, True, True, True),
    # A second and a third of a frame more or less is another window of its optimizer.
    "correct": Promises(1e-5, 1e-9, 0.02),
    # It ends as soon as constraints hold, some centimetres from where it would end elsewhere.
    "momentum": Promises(0.06, 0.06, None),
    "pattern": Promises(1e-9, 1e-9, None, True),
    "retarget": Promises(1e-6, 1e-9, 0.03, one_frame=True),
}
QUICK: dict[str, Any] = {
    "correct": correct.Settings(samples=4, sampling_iterations=4, iterations=20),
    "momentum": momentum.Settings(knots_per_s=6.0),
    "retarget": retarget.Settings(balance=False),
}
"""The laws are the same for quick settings."""


def wishes(method: str) -> list[object]:
    takes = METHODS[method].takes
    hand = HoldPoint(
        "hand", "left_wrist", (0.05, 0.1, 0.05), Interval(12, 25, 5, 5), "offset", priority=2
    )
    if takes.pattern:
        there = place_of(WALK, "left_wrist", 12, CHARACTER) + np.array([0.02, 0.01, -0.01])
        return [HitAt("hand", "left_wrist", tuple(there.tolist()), 12)]
    if takes.stages:
        return [MoveStage("landing", -1, (0.1, 0.0, 0.1), 20.0), hand]
    return [*feet(WALK), hand] if takes.constraints else []


def asked(method: str, constraints: Sequence[object] = ()) -> Edit:
    """An edit with all that the method needs; contacts are known, so that none are drawn."""
    takes = METHODS[method].takes
    edit = jump() if takes.stages else Edit(WALK, CHARACTER, contacts=CONTACTS)
    return replace(
        edit,
        constraints=tuple(constraints),  # type: ignore[arg-type]
        contacts=edit.contacts if takes.contacts else None,
        pattern=walk_pattern() if takes.pattern else None,
        target=body("long legs") if takes.target else None,
    )


def run(method: str, edit: Edit, **more: Any) -> Result[Any]:
    return METHODS[method].run(edit, QUICK.get(method), **more)


@cache
def made(method: str) -> Result[Any]:
    """Run once for all laws."""
    return run(method, asked(method, wishes(method)))


@pytest.fixture(params=sorted(METHODS))
def method(request: pytest.FixtureRequest) -> str:
    return request.param


def test_every_method_has_a_line_of_promises_and_an_entry_of_its_name() -> None:
    assert set(PROMISES) == set(METHODS)
    assert all(name == method.name for name, method in METHODS.items())


def test_settings_are_a_frozen_record_of_documented_knobs(method: str) -> None:
    record = METHODS[method].settings
    settings = record()
    assert is_dataclass(settings) and settings == record()
    with pytest.raises(AttributeError):
        setattr(settings, fields(settings)[0].name, 1)
    for name, preset in METHODS[method].presets.items():
        assert record(preset=name, **preset).preset == name


def test_the_folder_has_its_files(method: str) -> None:
    for part in ("settings", "run"):
        assert importlib.import_module(f"poise.methods.{method}.{part}")


def test_a_run_gives_a_whole_result(method: str) -> None:
    edit, result = asked(method, wishes(method)), made(method)
    assert isinstance(result, Result)
    assert result.status in get_args(Status)
    assert result.summary.endswith(".") and "\n" not in result.summary
    now, character = result.clip, result.character or edit.character
    assert now.skeleton is character.skeleton and now.rate_hz == edit.clip.rate_hz
    assert (result.character is edit.target) == METHODS[method].takes.target or not edit.target
    assert now.frame_count == edit.clip.frame_count
    assert np.isfinite(now.rotations_wxyz).all() and np.isfinite(now.root_positions_m).all()
    assert now.history[: len(edit.clip.history)] == edit.clip.history
    assert len(now.history) == len(edit.clip.history) + 1
    assert all(isinstance(note, str) for note in result.notes)
    assert is_dataclass(result.report)
    assert {row.name for row in result.constraints} <= {each.name for each in edit.constraints}


def test_the_input_is_left_alone_and_the_same_input_gives_the_same_bits(method: str) -> None:
    edit, told = asked(method, wishes(method)), list[Progress]()
    clip = edit.clip
    turns, roots = clip.rotations_wxyz.copy(), clip.root_positions_m.copy()
    one, two = made(method), run(method, edit, progress=told.append)
    np.testing.assert_array_equal(clip.rotations_wxyz, turns)
    np.testing.assert_array_equal(clip.root_positions_m, roots)
    np.testing.assert_array_equal(one.clip.rotations_wxyz, two.clip.rotations_wxyz)
    np.testing.assert_array_equal(one.clip.root_positions_m, two.clip.root_positions_m)
    assert one.status == two.status and one.summary == two.summary
    assert all(each.stage and 0 <= each.done <= each.total for each in told)


def test_an_empty_edit_keeps_the_promise(method: str) -> None:
    edit = asked(method)
    result = run(method, edit) if wishes(method) else made(method)
    assert result.status == "converged"
    if PROMISES[method].empty_is_identity:
        np.testing.assert_array_equal(result.clip.rotations_wxyz, edit.clip.rotations_wxyz)
        np.testing.assert_array_equal(result.clip.root_positions_m, edit.clip.root_positions_m)


def test_another_place_in_the_world_makes_no_difference(method: str) -> None:
    there = run(method, moved_edit(asked(method, wishes(method))))
    # A body of another size goes as many times as far: also from where the world begins.
    times = made(method).report.scale if METHODS[method].takes.target else 1.0
    here = moved(made(method).clip, TURN_RAD, times * SHIFT_M)
    assert apart_m(here, there.clip) <= PROMISES[method].moved_m
    assert there.status == made(method).status


def test_a_mirror_makes_no_difference(method: str) -> None:
    edit = mirrored_edit(asked(method, wishes(method)))
    if edit.pattern is not None:
        edit = replace(edit, pattern=learn([mirrored(clip) for clip in walks()], CHARACTER))
    there = run(method, edit)
    assert apart_m(mirrored(made(method).clip), there.clip) <= PROMISES[method].mirrored_m
    assert there.status == made(method).status


def test_a_later_begin_makes_no_difference(method: str) -> None:
    allowed = PROMISES[method].shifted_m
    if allowed is None:
        return
    later = run(method, shifted_edit(asked(method, wishes(method)), CUT)).clip
    same = made(method).clip.sliced(CUT, made(method).clip.frame_count)
    assert apart_m(same, later, slice(SETTLED, None)) <= allowed


def test_one_frame_is_edited_or_refused_in_words(method: str) -> None:
    whole_clip = asked(method)
    contacts = whole_clip.contacts
    edit = replace(
        whole_clip,
        clip=whole_clip.clip.sliced(CUT, CUT + 1),
        contacts=None if contacts is None else contacts.sliced(CUT, CUT + 1),
    )
    if PROMISES[method].one_frame:
        assert run(method, edit).clip.frame_count == 1
    else:
        with pytest.raises(PoiseError, match=r"frame|start"):
            run(method, edit)


def test_what_nobody_recruits_keeps_its_bits(method: str) -> None:
    if not PROMISES[method].keeps_what_is_unrecruited:
        return
    hand = HoldPoint(
        "hand", "left_wrist", (0.0, 0.05, 0.05), Interval(5, 25, 5, 5), "offset",
        recruit=Recruit(up_to="left_shoulder"),
    )  # fmt: skip
    result = run(method, asked(method, [hand]))
    names = WALK.skeleton.joint_names
    moved_joints = [names.index(name) for name in ("LeftArm", "LeftForeArm", "LeftHand")]
    kept = [joint for joint in range(len(names)) if joint not in moved_joints]
    now, before = result.clip, WALK
    np.testing.assert_array_equal(now.rotations_wxyz[:, kept], before.rotations_wxyz[:, kept])
    np.testing.assert_array_equal(now.root_positions_m, before.root_positions_m)
    assert not np.array_equal(now.rotations_wxyz, before.rotations_wxyz)


def test_an_earlier_result_makes_no_difference(method: str) -> None:
    edit = asked(method, wishes(method))
    again = run(method, edit, previous=made(method))
    np.testing.assert_array_equal(again.clip.rotations_wxyz, made(method).clip.rotations_wxyz)


def test_wrong_names_and_frames_are_refused_by_name(method: str) -> None:
    clip = asked(method).clip
    nobody = HoldPoint("ghost", "third_hand", (0.0, 1.0, 0.0), whole(clip))
    if not METHODS[method].takes.constraints:
        with pytest.raises(BadValue, match="ghost"):
            run(method, asked(method, [nobody]))
        return
    with pytest.raises(PoiseError, match="third_hand"):
        run(method, asked(method, [nobody]))
    late = HoldPoint("late", "left_wrist", (0.0, 1.0, 0.0), Interval(0, 999))
    with pytest.raises(PoiseError, match="999"):
        run(method, asked(method, [late]))
    twice = HoldPoint("twice", "left_wrist", (0.0, 1.0, 0.0), whole(clip))
    with pytest.raises(BadValue, match="twice"):
        Edit(clip, CHARACTER, [twice, twice])


@pytest.mark.parametrize("edit", STAGES, ids=lambda each: each.name)
def test_who_does_not_know_stages_refuses_their_edits_by_name(method: str, edit: object) -> None:
    assert {type(each) for each in STAGES} == set(STAGE_EDITS.values())
    if METHODS[method].takes.stages:
        return
    with pytest.raises(BadValue, match=edit.name):  # type: ignore[attr-defined]
        run(method, asked(method, [edit]))


def test_who_needs_a_pattern_or_a_target_refuses_an_edit_without_one(method: str) -> None:
    takes = METHODS[method].takes
    for name, needed in (("pattern", takes.pattern), ("target", takes.target)):
        if needed:
            edit = replace(asked(method, wishes(method)), **{name: None})
            with pytest.raises(BadValue, match=name):
                run(method, edit)


LONG: dict[str, tuple[Any, float]] = {
    "correct": (QUICK["correct"], 1e-5),
    "retarget": (retarget.Settings(), 2e-3),
}
"""What the quick ways leave out, contacts that are drawn and a round of physics; and how far joints
may be off elsewhere."""


@pytest.mark.slow
@pytest.mark.parametrize("long", sorted(LONG))
def test_the_long_ways_keep_the_same_laws(long: str) -> None:
    settings, allowed = LONG[long]
    edit = replace(asked(long), contacts=None)
    one, two = (METHODS[long].run(edit, settings) for _ in range(2))
    np.testing.assert_array_equal(one.clip.rotations_wxyz, two.clip.rotations_wxyz)
    times = one.report.scale if METHODS[long].takes.target else 1.0
    there = METHODS[long].run(moved_edit(edit), settings)
    assert apart_m(moved(one.clip, TURN_RAD, times * SHIFT_M), there.clip) <= allowed
    across = METHODS[long].run(mirrored_edit(edit), settings)
    assert apart_m(mirrored(one.clip), across.clip) <= 1e-6
    assert one.status == there.status == across.status
