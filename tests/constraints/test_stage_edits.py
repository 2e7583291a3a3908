"""What holds for every edit of a stage: a plain record that only the method of leaps reads."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields, replace
from typing import get_args

import numpy as np
import pytest

from poise.constraints import (
    CONSTRAINTS,
    STAGE_EDITS,
    FlightHeight,
    Gravity,
    MoveStage,
    StageEdit,
    tasks_of,
)
from poise.errors import BadValue
from tests.constraints.made_scenes import walk_scene

CASES: dict[str, tuple[StageEdit, ...]] = {
    "move_stage": (
        MoveStage("moved", -1, (0.0, 0.1, 0.5), 90.0),
        MoveStage("moved", 0),
    ),
    "flight_height": (
        FlightHeight("higher", 0, 1.3),
        FlightHeight("higher", -1, rise_m=0.4, by="gravity"),
    ),
    "gravity": (
        Gravity("moon", 1.6),
        Gravity("moon", 0.0, 0),
    ),
}
EVERY = [record for records in CASES.values() for record in records]


def test_every_edit_has_cases_here() -> None:
    assert set(CASES) == set(STAGE_EDITS)
    assert set(STAGE_EDITS.values()) == set(get_args(StageEdit))
    for key, records in CASES.items():
        assert all(type(record) is STAGE_EDITS[key] for record in records)
    # One key in a recipe is one record.
    assert not set(STAGE_EDITS) & set(CONSTRAINTS)


@pytest.mark.parametrize("record", EVERY, ids=str)
def test_there_are_no_tasks_in_frames_and_that_is_said_by_name(record: StageEdit) -> None:
    with pytest.raises(BadValue, match=f"constraint '{record.name}' must be one that holds in fr"):
        tasks_of(record, walk_scene())


@pytest.mark.parametrize("record", EVERY, ids=str)
def test_equal_edits_are_equal_and_can_be_keys(record: StageEdit) -> None:
    again = replace(record)
    assert again is not record and again == record and hash(again) == hash(record)
    assert replace(record, name="other") != record
    with pytest.raises(FrozenInstanceError):
        record.name = "other"  # type: ignore[misc]


@pytest.mark.parametrize("record", EVERY, ids=str)
def test_fields_are_plain_values(record: StageEdit) -> None:
    for field in fields(record):
        value = getattr(record, field.name)
        parts = value if isinstance(value, tuple) else (value,)
        assert all(part is None or type(part) in (str, int, float) for part in parts), field.name


def test_numbers_of_arrays_become_plain_ones() -> None:
    made = MoveStage("moved", np.int64(1), np.array([1, 2, 3]), np.float32(45))  # type: ignore[arg-type]
    assert made == MoveStage("moved", 1, (1.0, 2.0, 3.0), 45.0)
    assert type(made.stage) is int and type(made.turn_deg) is float
    assert [type(each) for each in made.by_m] == [float] * 3
    higher = FlightHeight("higher", np.int64(0), np.float64(1.5))  # type: ignore[arg-type]
    assert type(higher.flight) is int and type(higher.scale) is float


@pytest.mark.parametrize("record", EVERY, ids=str)
@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("name", "", "must be a name"),
        ("name", 3, "must be a name"),
        ("stage", 0.5, "must be a whole number"),
        ("stage", True, "must be a whole number"),
        ("stage", "last", "must be a whole number"),
        ("flight", 0.5, "must be a whole number"),
        ("by_m", (1.0, 2.0), "must be 3 numbers"),
        ("by_m", (1.0, 2.0, float("nan")), "must be a finite number"),
        ("turn_deg", "left", "must be a number"),
        ("turn_deg", float("inf"), "must be a finite number"),
        ("gravity_m_s2", -1.0, "must be zero or more"),
        ("gravity_m_s2", None, "must be a number"),
        ("by", "magic", "must be one of time, gravity"),
    ],
)
def test_bad_values_are_explained_by_name(
    record: StageEdit, field: str, value: object, words: str
) -> None:
    if field not in {each.name for each in fields(record)}:
        return
    with pytest.raises(BadValue) as problem:
        replace(record, **{field: value})  # type: ignore[arg-type]
    assert words in str(problem.value)
    assert field == "name" or f"{field} of '{record.name}'" in str(problem.value)
