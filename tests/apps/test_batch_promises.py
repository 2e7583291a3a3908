"""Every promise of docs/batch.md names tests, and these exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
_NAMED = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")


def _promises() -> dict[str, list[tuple[str, str]]]:
    """What is promised, with the files and names of its tests."""
    text = (ROOT / "docs" / "batch.md").read_text(encoding="utf-8")
    section = text.split("\n## What is promised\n")[1].split("\n## ")[0]
    rows = [line.split("|") for line in section.splitlines() if line.startswith("|")][2:]
    return {row[1].strip(): _NAMED.findall(row[2]) for row in rows}


@pytest.mark.parametrize("promise", _promises())
def test_a_promise_names_tests_that_exist(promise: str) -> None:
    tests = _promises()[promise]
    assert tests, "no test is named"
    for file, name in tests:
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        assert name in {each.name for each in tree.body if isinstance(each, ast.FunctionDef)}, name


def test_there_are_promises() -> None:
    assert len(_promises()) >= 10
