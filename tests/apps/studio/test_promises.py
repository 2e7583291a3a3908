"""What docs/studio.md promises: each promise names tests, and these tests exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[3]
PAGE = PROJECT / "docs" / "studio.md"
LEAST = 10
TEST = re.compile(r"`(test_\w+)\.py::(test_\w+)`")


def promises() -> list[tuple[str, list[tuple[str, str]]]]:
    """Rows of the table: what is promised, and the files and names of its tests."""
    section = PAGE.read_text(encoding="utf-8").split("## What is promised")[1].split("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line[:2] == "| "]
    return [(row[0], TEST.findall(row[-1])) for row in rows[1:]]


def test_every_promise_names_tests_that_exist() -> None:
    found = promises()
    assert len(found) >= LEAST
    files = {path.stem: path for path in (PROJECT / "tests" / "apps" / "studio").rglob("test_*.py")}
    for promise, tests in found:
        assert tests, f"no test is named: {promise}"
        for file, name in tests:
            tree = ast.parse(files[file].read_text(encoding="utf-8"))
            names = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
            assert name in names, f"{file}.py has no {name}: {promise}"
