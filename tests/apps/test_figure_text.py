"""The table of a terminal: aligned, with the digits that measures resolve, and a verdict."""

from __future__ import annotations

import math

import pytest

from poise.apps.figure_text import figure_lines
from poise.apps.report.words import kind_of, kinds
from poise.environment import Environment
from poise.measures import evaluate
from poise.samples import sample_character, walking, with_float, with_foot_slide

FLOOR = Environment.flat()


@pytest.fixture(scope="module")
def lines() -> list[str]:
    """A sliding, floating walk, and the clean one as what became of it."""
    clean = walking(2.0, 60.0)
    damaged = with_float(with_foot_slide(clean, 10.0), 2.0)
    found = evaluate(
        clean.clip, sample_character(), FLOOR, clean.contacts, against=damaged.clip,
        against_character=sample_character(), input_contacts=clean.contacts,
    )  # fmt: skip
    return figure_lines(found)


def test_what_got_better_is_said(lines: list[str]) -> None:
    for words, unit in (("foot slide", "cm/s"), ("floating contacts", "cm")):
        line = next(line for line in lines if line.startswith(words))
        assert unit in line.split() and "better" in line.split()
    assert lines[-1].endswith("none worse than the input")


def test_columns_are_aligned(lines: list[str]) -> None:
    stop = lines[0].index("after") + len("after")
    for line in lines[1:-1]:
        assert line[stop - 1].isdigit() and line[stop : stop + 2] == "  ", line


def test_every_figure_that_has_a_better_way_has_a_resolution() -> None:
    for kind in kinds().values():
        assert kind.direction == "neither" or kind.resolution > 0.0, kind.key
        if kind.is_judged:
            assert kind.resolution < abs(kind.poor_limit - kind.good_limit), kind.key


def test_values_within_the_resolution_are_equal() -> None:
    depth = kind_of("penetration.deepest")
    assert depth.change(0.0, 0.02) == "same"
    assert depth.change(0.0, 0.06) == "worse"
    assert depth.change(0.06, 0.0) == "better"
    assert depth.change(5.0, 4.9) == "same"  # under 3 %
    assert depth.change(math.nan, 1.0) == "" and depth.change(None, 1.0) == ""
