"""Cells of results.csv: nothing that a spreadsheet would run, whoever named the clips."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poise.apps.batch.journal import as_cell
from tests.apps.batch_runs import put_recipe, rows_of, run_here, walk_text

FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n")
NAMES = (
    "=1+1.bvh", "+1.bvh", "-1.bvh", "@SUM(1).bvh", "＝1.bvh",
    *(("\tx.bvh", "\r=1.bvh", "\n=1.bvh", "=cmd|' ' !A0.bvh") if os.name != "nt" else ()),
)  # fmt: skip


def cells(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def test_no_cell_begins_like_a_formula(tmp_path: Path) -> None:
    library = tmp_path / "library"
    library.mkdir()
    for number, name in enumerate(NAMES):
        (library / name).write_bytes(walk_text(20) if number % 2 else b"no clip")
    out = tmp_path / "out"
    run_here(library, out, put_recipe(tmp_path / "r.yaml"))
    found = cells(out / "results.csv")
    assert len(found) == len(NAMES) + 1
    for cell in (cell for row in found for cell in row):
        assert not cell.startswith(FORMULAS) or is_number(cell), cell
    assert sorted(row[0] for row in found[1:]) == sorted(f"'{name}" for name in NAMES)
    assert sorted(row["clip"] for row in rows_of(out)) == sorted(NAMES), "names there are as ever"


@given(st.text(max_size=6) | st.sampled_from(FORMULAS).flatmap(lambda c: st.just(c + "1+1")))
def test_text_is_text(text: str) -> None:
    cell = str(as_cell(text))
    assert not cell.startswith(FORMULAS) or is_number(cell)
    assert cell in (text, f"'{text}")


@pytest.mark.parametrize("number", [-3.2, 0.0, -1, 7, 1e300, -1e-300, "-3.2", "+4", "-1e9"])
def test_numbers_stay_numbers(number: object) -> None:
    assert as_cell(number) == number


def test_what_there_is_not_is_empty() -> None:
    assert as_cell(None) == ""
