"""What holds for constraints of every kind."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields, replace
from typing import Any, get_args

import numpy as np
import pytest

from poise import rotations
from poise.arrays import Array
from poise.constraints import (
    CONSTRAINTS,
    Constraint,
    ConstraintRecord,
    HitAt,
    Interval,
    Recruit,
    Task,
    check_nesting,
    moved_by,
    tasks_of,
)
from poise.constraints.task import GOAL_SIZE
from poise.errors import BadValue, PoiseError, UnknownName
from tests.constraints.cases import CASES, WHEN, moved_record
from tests.constraints.made_scenes import gap, moved_scene, walk_scene

EVERY = [
    pytest.param(record, id=f"{key} {number}")
    for key, records in CASES.items()
    for number, record in enumerate(records)
]
LASTING = [param for param in EVERY if not isinstance(param.values[0], HitAt)]
"""All but those of a single frame."""
ONE_OF_EACH = [pytest.param(records[0], id=key) for key, records in CASES.items()]


def test_every_constraint_has_cases_here() -> None:
    assert set(CASES) == set(CONSTRAINTS)
    for key, records in CASES.items():
        assert all(type(record) is CONSTRAINTS[key].record for record in records)
    own = {kind.record for kind in CONSTRAINTS.own.values()}
    assert own == set(get_args(Constraint)) - {ConstraintRecord}


@pytest.mark.parametrize("record", EVERY)
def test_tasks_have_a_finite_goal_for_every_frame(record: Constraint) -> None:
    tasks = tasks_of(replace(record, priority=3, weight=0.25), walk_scene())
    assert tasks
    for task in tasks:
        assert (task.name, task.priority, task.weight) == (record.name, 3, 0.25)
        assert (task.first, task.last) == (record.interval.first, record.interval.last)
        assert task.goals.shape == (len(record.interval), GOAL_SIZE[task.kind])
        assert np.isfinite(task.goals).all()
        if task.kind == "turn":
            np.testing.assert_allclose(np.linalg.norm(task.goals, axis=1), 1.0, atol=1e-12)


@pytest.mark.parametrize("record", LASTING)
def test_where_nothing_is_asked_yet_the_goals_are_the_original(record: Constraint) -> None:
    shares = WHEN.shares()
    assert shares[0] == shares[-1] == 0.0
    for task in tasks_of(record, walk_scene()):
        gaps = gap(task, walk_scene())
        assert gaps[[0, -1]].max() < 1e-9, task.kind
        assert gaps[[1, -2]].max() < 0.1 * max(gaps.max(), 0.01)  # and they grow from there


@pytest.mark.parametrize("record", LASTING)
def test_goals_do_not_jump(record: Constraint) -> None:
    # The largest of all wishes here is metres away and ten frames of easing long.
    for task in tasks_of(record, walk_scene()):
        goals = rotations.continuous(task.goals) if task.kind == "turn" else task.goals
        assert np.abs(np.diff(goals, axis=0)).max() < 0.8


@pytest.mark.parametrize("record", EVERY)
def test_moving_and_turning_the_world_moves_the_goals_alike(record: Constraint) -> None:
    scene = walk_scene()
    turn = rotations.from_axis_angle(scene.environment.up, 2.1)
    shift = np.array([1.0, 0.7, -2.0])
    elsewhere = moved_scene(scene, turn, shift)
    here = tasks_of(record, scene)
    there = tasks_of(moved_record(record, turn, shift), elsewhere)
    for a, b in zip(here, there, strict=True):
        _assert_moved(a, b, turn, shift)


def _assert_moved(a: Task, b: Task, turn: Array, shift: Array) -> None:
    assert (a.kind, a.joint, a.reference, a.axes) == (b.kind, b.joint, b.reference, b.axes)
    goals = a.goals
    if a.reference < 0 and a.kind == "turn":
        goals = rotations.multiply(turn, goals)
    elif a.reference < 0:
        goals = rotations.rotate(turn, goals) + (0.0 if len(a.points) else shift)
    if a.kind == "turn":
        assert rotations.angle_between(goals, b.goals).max() < 1e-7
    else:
        np.testing.assert_allclose(b.goals, goals, atol=1e-9)


@pytest.mark.parametrize("record", EVERY)
def test_recruits_are_joints_that_move_it(record: Constraint) -> None:
    character = walk_scene().character
    for task in tasks_of(record, walk_scene()):
        movers = moved_by(task, character)
        assert (movers.joints & task.recruits.joints).any()
        if record.recruit == Recruit():
            assert not (task.recruits.joints & ~movers.joints).any()
        assert not (task.recruits.joints & (character.skeleton.freedoms == 0)).any()


@pytest.mark.parametrize("record", EVERY)
def test_without_a_choice_no_two_layers_contradict_each_other(record: Constraint) -> None:
    scene = walk_scene()
    ours = tasks_of(replace(record, name="ours", recruit=Recruit()), scene)
    for records in CASES.values():
        for other in records:
            theirs = replace(other, name="theirs", priority=2, recruit=Recruit())
            check_nesting([*ours, *tasks_of(theirs, scene)], scene.character)


@pytest.mark.parametrize("record", LASTING)
def test_equal_wishes_are_equal_and_can_be_keys(record: Constraint) -> None:
    again = replace(record)
    assert again is not record and again == record and hash(again) == hash(record)
    assert len({record, again, replace(record, priority=9)}) == 2
    assert replace(record, interval=Interval(5, 46, 10, 12)) != record


@pytest.mark.parametrize("record", EVERY)
def test_fields_are_plain_values(record: Constraint) -> None:
    def plain(value: Any) -> bool:
        if isinstance(value, tuple):
            return all(plain(part) for part in value)
        if hasattr(value, "__dataclass_fields__"):
            return all(plain(getattr(value, f.name)) for f in fields(value))
        return value is None or type(value) in (str, int, float, bool)

    for field in fields(record):
        assert plain(getattr(record, field.name)), field.name
    with pytest.raises(FrozenInstanceError):
        record.name = "other"  # type: ignore[misc]


@pytest.mark.parametrize("record", EVERY)
def test_the_same_twice_gives_the_same_bits_and_leaves_the_scene_alone(record: Constraint) -> None:
    scene = walk_scene()
    before = scene.clip.rotations_wxyz.tobytes(), scene.state.positions_m.tobytes()
    for a, b in zip(tasks_of(record, scene), tasks_of(record, scene), strict=True):
        assert a.goals.tobytes() == b.goals.tobytes()
        assert not a.goals.flags.writeable
    assert (scene.clip.rotations_wxyz.tobytes(), scene.state.positions_m.tobytes()) == before


@pytest.mark.parametrize("record", ONE_OF_EACH)
def test_a_weight_of_zero_is_allowed(record: Constraint) -> None:
    assert all(task.weight == 0 for task in tasks_of(replace(record, weight=0), walk_scene()))


BAD = [
    ("name", "", "name of a constraint must be some text"),
    ("name", 3, "name of a constraint must be some text"),
    ("interval", (3, 4), "must be an Interval"),
    ("priority", 0, "must be 1 (the most important) or more"),
    ("priority", 1.5, "must be a whole number"),
    ("weight", -1, "must be zero or more"),
    ("weight", float("nan"), "must be a finite number"),
    ("weight", "much", "must be a number"),
    ("recruit", "root", "must be a Recruit"),
    ("axes", "", "must be one, two or all of the letters xyz"),
    ("axes", "xx", "must be one, two or all of the letters xyz"),
    ("axes", "xw", "must be one, two or all of the letters xyz"),
    ("mode", "sideways", "must be one of"),
    ("point", "", "must be a name"),
    ("joint", None, "must be a name"),
    ("place_m", (1, 2), "must be 3 numbers"),
    ("place_m", "abc", "must be 3 numbers"),
    ("displacement_m", (1, 2), "must be 3 numbers"),
    ("relative_to", "chest", "must be left out in absolute mode"),
]


@pytest.mark.parametrize(("field", "value", "words"), BAD)
def test_bad_values_are_explained_by_name(field: str, value: object, words: str) -> None:
    tried = 0
    for record in (
        records[-1 if key == "place_center_of_mass" else 0] for key, records in CASES.items()
    ):
        if field in {f.name for f in fields(record)}:
            tried += 1
            with pytest.raises(BadValue) as problem:
                replace(record, **{field: value})  # type: ignore[arg-type]
            assert words in str(problem.value)
            assert field == "name" or f"'{record.name}'" in str(problem.value)
    assert tried


NAMED = ("point", "joint", "relative_to", "eye", "target", "first", "second", "points")


@pytest.mark.parametrize("record", EVERY)
def test_unknown_names_are_answered_with_known_ones(record: Constraint) -> None:
    scene = walk_scene()
    known = {*scene.character.skeleton.joint_names, *scene.character.sites.names}
    assert scene.character.roles is not None
    known |= set(scene.character.roles.joints)
    wrong: list[Constraint] = [replace(record, recruit=Recruit(joints=("left_knee", "left_wrst")))]
    if type(record) is not CONSTRAINTS["place_center_of_mass"].record:
        wrong.append(replace(record, recruit=Recruit(up_to="left_wrst")))
    for field in NAMED:
        value = getattr(record, field, None)
        if isinstance(value, str):
            wrong.append(replace(record, **{field: "left_wrst"}))  # type: ignore[arg-type]
        elif field == "points" and value:
            wrong.append(replace(record, points=(*value, "left_wrst")))  # type: ignore[call-arg]
    for one in wrong:
        with pytest.raises(UnknownName) as problem:
            tasks_of(one, scene)
        assert problem.value.nearest == "left_wrist"
        assert set(problem.value.known) <= known
        assert f"Asked for by '{record.name}'." in str(problem.value)


@pytest.mark.parametrize("record", LASTING)
def test_an_interval_outside_the_clip_is_explained_by_name(record: Constraint) -> None:
    frames = walk_scene().clip.frame_count
    with pytest.raises(BadValue, match=f"interval of '{record.name}' must be inside the clip"):
        tasks_of(replace(record, interval=Interval(5, frames, 10, 12)), walk_scene())


@pytest.mark.parametrize("record", [pytest.param(r[-1], id=k) for k, r in CASES.items()])
def test_recruits_that_cannot_help_are_explained_by_name(record: Constraint) -> None:
    only = Recruit(joints=("left_toe",))  # carries none of the points, and no weight
    with pytest.raises(BadValue) as problem:
        tasks_of(replace(record, recruit=only), walk_scene())
    words = f"recruit of '{record.name}' must be at least one joint that moves its"
    assert words in str(problem.value)


@pytest.mark.parametrize("record", EVERY)
def test_whatever_is_recruited_it_works_or_explains_itself(record: Constraint) -> None:
    scene = walk_scene()
    choices = [
        Recruit(up_to="root"),
        Recruit(up_to="chest"),
        Recruit(up_to="left_elbow"),
        Recruit(joints=("translation",)),
        Recruit(joints=("left_wrist", "translation")),
        Recruit(joints=("pelvis", "left_hip", "right_knee")),
    ]
    for recruit in choices:
        try:
            tasks = tasks_of(replace(record, recruit=recruit), scene)
        except PoiseError as problem:
            assert f"'{record.name}'" in str(problem)
        else:
            for task in tasks:
                chosen = task.recruits.names(scene.character)
                assert recruit.joints is None or len(chosen) <= len(recruit.joints)


@pytest.mark.parametrize("record", LASTING)
def test_a_single_frame_is_enough(record: Constraint) -> None:
    changes: dict[str, object] = {"interval": Interval(20, 20)}
    if hasattr(record, "through"):
        changes["through"] = ()
    if hasattr(record, "displacement_m"):
        changes["displacement_m"] = (0.0, 0.1, 0.0)
    for task in tasks_of(replace(record, **changes), walk_scene()):  # type: ignore[arg-type]
        assert len(task.goals) == 1


def test_what_is_no_constraint_is_answered_with_those_there_are() -> None:
    with pytest.raises(UnknownName, match="No constraint is called 'Interval'"):
        tasks_of(Interval(0, 1), walk_scene())  # type: ignore[arg-type]
