"""A library that holds every hostile file ends with a row each, and so does the next run."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.apps import hostile_library as hostile
from tests.apps.batch_runs import poise_batch, put_recipe, rows_of

PATIENCE_S = 400.0
"""Far more than it takes: a run that waits for a pipe waits for ever."""


def run(folder: Path, *more: object) -> tuple[int, str, str]:
    """`poise batch` over the library of a folder."""
    process = poise_batch(
        "library", "--recipe", "r.yaml", "--out", "out", "-j", 2, "--time-limit", 60, *more,
        cwd=folder, encoding="utf-8", errors="surrogateescape",
    )  # fmt: skip
    try:
        out, err = process.communicate(timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        pytest.fail(f"the run hangs: {err[-2000:]}")
    return process.returncode, out, err


def check(folder: Path, files: dict[str, hostile.Make]) -> None:
    names = hostile.put(folder / "library", files)
    put_recipe(folder / "r.yaml")
    code, out, err = run(folder)
    assert code == 3 and "Traceback" not in err, err
    rows = rows_of(folder / "out")
    assert sorted(row["clip"] for row in rows) == names
    for row in rows:
        wanted = "met" if row["clip"] in hostile.GOOD else "refused"
        assert row["status"] == wanted, (row["clip"], row["status"], row["reason"])
        assert row["reason"] and "\n" not in row["reason"]
    assert out.startswith(f"{len(names)} clips: ")
    assert "\x1b" not in err, "names reach the terminal as text"
    code, out, err = run(folder)
    assert code == 3 and "0 clips to do" in err, err
    assert rows_of(folder / "out") == rows


def test_a_library_of_hostile_files_ends_with_a_row_each(tmp_path: Path) -> None:
    check(tmp_path, hostile.every_file())


@pytest.mark.slow
def test_a_library_of_every_hostile_file_ends_with_a_row_each(tmp_path: Path) -> None:
    check(tmp_path, hostile.whole_corpus())
