"""When further dynamic rounds with separate fits no longer help, the result says so."""

from __future__ import annotations

import pytest

from poise.methods.filter.progress import Left, note_on
from poise.methods.filter.run import run
from poise.methods.filter.settings import Settings
from tests.methods.test_filter_dynamic import leaning


def lefts(*balance_m: float) -> list[Left]:
    return [Left(balance, 0.0) for balance in balance_m]


def test_rounds_that_still_help_are_not_remarked_upon() -> None:
    assert note_on(lefts(0.1, 0.05, 0.02)) is None
    assert note_on([]) is None and note_on(lefts(0.1)) is None


def test_a_round_that_gains_nothing_is() -> None:
    note = note_on(lefts(0.1, 0.05, 0.049, 0.05))
    assert note is not None and "After 2 dynamic rounds they no longer help" in note
    assert "1 fewer" in note


def test_nothing_left_is_said_too() -> None:
    note = note_on(lefts(0.1, 0.0005))
    assert note is not None and "nothing is left to do" in note


@pytest.mark.parametrize("passes", ["1K", "3D+1K"])
def test_results_carry_what_was_left_before_and_after_every_dynamic_round(passes: str) -> None:
    result = run(leaning(), Settings(passes=passes, fit="separate"))
    left = result.report.left_to_do
    assert len(left) == (4 if "D" in passes else 0)
    if left:
        assert left[-1].balance_m < 0.5 * left[0].balance_m
        assert result.notes == tuple(note for note in [note_on(left)] if note is not None)
