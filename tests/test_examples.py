"""Every example runs, in a folder of its own."""

from __future__ import annotations

import ast
import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import poise

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


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_use_the_public_face_and_packages_only(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
        if module.startswith("poise"):
            found = importlib.util.find_spec(module)
            assert not module.startswith("poise.apps"), module
            assert found is not None and found.submodule_search_locations is not None, module


def example(number: str) -> dict[str, Any]:
    """What an example defines."""
    namespace: dict[str, Any] = {"__name__": "example"}
    source = next(p for p in EXAMPLES if p.stem.startswith(number))
    exec(compile(source.read_text(encoding="utf-8"), str(source), "exec"), namespace)
    return namespace


def test_known_defects_are_measured_within_five_per_cent() -> None:
    rows = example("02")["table"]()
    assert len(rows) == 7
    for defect, put_in, came_out, _ in rows:
        assert came_out == pytest.approx(put_in, rel=0.05), defect


def test_the_demo_corrects_what_was_damaged(tmp_path: Path) -> None:
    demo = example("05")
    sample, captured = demo["damaged_walk"](), tmp_path / "walk.bvh"
    poise.save(sample.clip, captured)
    fixed = demo["corrected"](captured)
    table = fixed.measures()
    found = table.evaluation
    assert not table.worse
    assert fixed.status == "converged"
    assert len([row for row in table if row.change == "better"]) >= 6
    assert not fixed.steps[0].report.lawless
    assert found.value("foot_slide.mean") < 0.5  # cm/s, of 10 that were put in
    assert found.value("float.mean") < 0.5  # cm, of 3 that were put in
    assert found.value("penetration.deepest") < 0.5
    assert found.value("torque_excess.worst") < 1.0
    assert found.value("likeness.position") < 4.0
