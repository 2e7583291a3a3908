"""docs/statuses.md says what the code does: statuses, exit codes, figures that are not known."""

from __future__ import annotations

import ast
import csv
import json
import math
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

import poise
from poise import samples
from poise.apps.batch.journal_row import DONE, FAILED
from poise.apps.cli.batch import EXIT_INTERRUPTED
from poise.apps.cli.main import EXIT_BUG
from poise.apps.cli.run import EXIT_NOT_MET, EXIT_WRONG_INPUT
from poise.constraints import HoldPoint, Interval
from poise.formats import save_clip
from poise.measures import evaluate
from poise.methods import METHODS, STATUSES, Status, status_words
from tests.apps.command_line import Command

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "statuses.md"


def table(title: str) -> list[list[str]]:
    """Rows of the first table below a heading."""
    text = PAGE.read_text(encoding="utf-8").split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip().strip("`") for cell in line.strip("|").split("|")] for line in lines[1:]]


def statuses_in(folder: Path) -> set[str]:
    """Statuses that the code of a method names."""
    found: set[str] = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(node.value)
    return found & set(get_args(Status))


def test_every_status_is_in_the_table_with_its_words_and_its_methods() -> None:
    rows = {row[0]: row[1:] for row in table("Of a method")}
    assert list(rows) == list(STATUSES) and set(STATUSES) == set(get_args(Status))
    used = {name: statuses_in(ROOT / "src/poise/methods" / name) for name in METHODS}
    for status, (words, meaning, code, methods) in rows.items():
        each = STATUSES[status]  # type: ignore[index]
        assert (words, meaning) == (each.words, each.meaning)
        assert code == ("0" if each.met else str(EXIT_NOT_MET))
        assert methods.split(", ") == sorted(name for name in used if status in used[name])


def test_every_exit_code_is_in_the_table() -> None:
    codes = [int(row[0]) for row in table("Of a command")]
    assert codes == [0, EXIT_WRONG_INPUT, EXIT_NOT_MET, EXIT_BUG, EXIT_INTERRUPTED]


def test_every_status_of_a_batch_is_in_the_table() -> None:
    rows = {row[0]: row[2] for row in table("Of a clip in a batch")}
    assert rows == dict.fromkeys(DONE, "written") | dict.fromkeys(FAILED, "none")


@pytest.mark.parametrize(("method", "covers"), [
    ("deform", "No constraints: nothing was changed"),
    ("filter", "ground can carry every frame"),
    ("correct", "ground can carry every frame within strength and range"),
])  # fmt: skip
def test_a_clip_that_is_right_already_is_success(method: str, covers: str) -> None:
    made = getattr(poise, method)(samples.standing(1.0, 30.0).clip)
    assert made.status == "converged" and covers in made.summary


def test_nothing_to_balance_is_success_with_a_note() -> None:
    made = poise.filter(samples.standing(1.0, 30.0).clip, passes="1D", fit="separate")
    assert made.status == "converged" and "Zero-moment point" in made.summary
    assert any("Nothing to do" in note for note in made.notes)


def test_a_status_is_said_in_the_same_words_everywhere(command: Command, tmp_path: Path) -> None:
    clip = samples.walking(1.0, 30.0).clip
    far = HoldPoint("far", "left_wrist", (5.0, 1.0, 5.0), Interval(10, 20))
    made = poise.deform(clip, far)
    assert made.status != "converged"
    words = status_words(made.status)
    assert str(made).splitlines()[-1].startswith(f"{words}: ")
    assert f"<b>{words}</b>" in made._repr_html_()
    library = tmp_path / "library"
    library.mkdir()
    save_clip(clip, library / "walk.bvh")
    recipe = tmp_path / "far.yaml"
    recipe.write_text(
        "poise: 1\nsteps:\n  - deform:\n      constraints:\n        - hold_point: {name: far, "
        "point: left_wrist, place_m: [5, 1, 5], frames: [10, 20]}\n"
    )
    arguments = ("run", recipe, "--clip", library / "walk.bvh", "-o", tmp_path / "out.bvh")
    done = command(*arguments)
    assert done.code == EXIT_NOT_MET and f"\n{words}: " in done.out
    assert (tmp_path / "out.bvh").is_file()
    assert command(*arguments, "--overwrite", "--accept").code == 0
    out = tmp_path / "out"
    done = command("batch", library, "--recipe", recipe, "--out", out, "-j", "1", "-q")
    assert done.code == EXIT_NOT_MET
    row = json.loads((out / "results.jsonl").read_text().splitlines()[-1])
    assert row["status"] == "not_met" and row["reason"].startswith(f"{words}: ")
    assert row["after"]["flight_residual.spin"] is None
    assert row["unknown"]["flight_residual.spin"] == "no flight"
    with (out / "results.csv").open(encoding="utf-8", newline="") as file:
        cells = next(csv.DictReader(file))
    assert cells["after.flight_residual.spin"] == ""
    assert "flight_residual.spin: no flight" in cells["unknown"]


def test_no_figure_is_nan(command: Command, tmp_path: Path) -> None:
    clip = samples.standing(1.0, 30.0).clip
    save_clip(clip, tmp_path / "stand.bvh")
    found = evaluate(clip)
    unknown = [m for m in found.measures if math.isnan(m.value)]
    assert unknown and all(m.reason for m in unknown)
    told = command("measure", tmp_path / "stand.bvh")
    assert "nan" not in told.out.lower() and "no flight" in told.out and "–" not in told.out
    data = json.loads(command("measure", tmp_path / "stand.bvh", "--json").out)["measures"]
    assert all(("reason" in each) == (each["value"] is None) for each in data.values())
    text = str(poise.measure(clip))
    assert "no flight" in text and "nan" not in text.lower()


def test_retarget_says_why_a_figure_is_not_known() -> None:
    from poise.apps.cli.retarget import said
    from poise.methods.retarget import RetargetReport

    clip = samples.standing(1.0, 30.0).clip
    aloft = poise.retarget(clip, samples.sample_character(), feet=False, balance=False)
    report = aloft.steps[0].report
    assert isinstance(report, RetargetReport)
    lines = said(report)
    known = [np.isfinite(v) for v in vars(report.stages[-1].residuals).values()]
    assert all(known) or any(line.startswith("–: ") for line in lines)
