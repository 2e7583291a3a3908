from __future__ import annotations

import numpy as np
import pytest

from poise.constraints import Recruits, Task
from poise.errors import BadShape, BadValue, PoiseError

NOBODY = Recruits(np.zeros(3, dtype=np.bool_), False)


def task(**changes: object) -> Task:
    usual = {
        "name": "t",
        "kind": "point",
        "first": 4,
        "goals": np.zeros((5, 3)),
        "recruits": NOBODY,
    }
    return Task(**{**usual, **changes})  # type: ignore[arg-type]


def test_it_lasts_as_long_as_its_goals() -> None:
    assert task().last == 8


def test_its_arrays_are_its_own_and_read_only() -> None:
    goals, offset = np.zeros((5, 3)), np.ones(3)
    made = task(goals=goals, offset_m=offset)
    goals[:], offset[:] = 7.0, 7.0
    assert not made.goals.any() and (made.offset_m == 1.0).all()
    for array in (made.goals, made.offset_m, made.reference_offset_m, made.direction):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"kind": "wish"}, BadValue, "kind must be point, turn, aim, distance, center"),
        ({"weight": -1.0}, BadValue, "weight of 't' must be zero or more"),
        ({"weight": np.nan}, BadValue, "weight of 't' must be zero or more"),
        ({"axes": (False, False, False)}, BadValue, "axes of 't' must be at least one"),
        ({"kind": "turn"}, BadShape, "goals of 't' must have shape (n, 4), got (5, 3)"),
        ({"goals": np.full((5, 3), np.nan)}, BadValue, "goals of 't' must be finite everywhere"),
        ({"offset_m": np.zeros(2)}, BadShape, "offset_m must have shape (3,)"),
    ],
)
def test_bad_tasks_say_so(changes: dict[str, object], error: type[PoiseError], words: str) -> None:
    with pytest.raises(error) as problem:
        task(**changes)
    assert words in str(problem.value)
