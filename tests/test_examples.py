"""Every example runs, in a folder of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).resolve().parents[1] / "examples").glob("[0-9]*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs(path: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(path)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert list((tmp_path / "out").iterdir())


def test_known_defects_are_measured_within_five_per_cent() -> None:
    namespace: dict[str, object] = {"__name__": "example"}
    source = next(p for p in EXAMPLES if p.stem.startswith("02"))
    exec(compile(source.read_text(encoding="utf-8"), str(source), "exec"), namespace)
    rows = namespace["table"]()  # type: ignore[operator]
    assert len(rows) == 7
    for defect, put_in, came_out, _ in rows:
        assert came_out == pytest.approx(put_in, rel=0.05), defect
