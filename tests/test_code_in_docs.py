"""Code that pages quote is code that runs: each block stands in the file it names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = {"docs/extending.md": 7, "CONTRIBUTING.md": 8}
"""With how many blocks they quote at least."""
QUOTED = re.compile(r"<!-- from (\S+) -->\n```\w+\n(.*?)```", re.DOTALL)


@pytest.mark.parametrize("page", PAGES)
def test_quoted_code_stands_in_its_file(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    found = QUOTED.findall(text)
    assert len(found) >= PAGES[page]
    for name, block in found:
        rest = (ROOT / name).read_text(encoding="utf-8")
        for part in re.split(r"^\.\.\.$", block, flags=re.MULTILINE):
            part = part.strip("\n")
            assert part in rest, f"{page} quotes from {name} what does not stand there:\n{part}"
            rest = rest.split(part, 1)[1]


@pytest.mark.parametrize("page", PAGES)
def test_all_python_is_quoted_from_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert "```python" not in QUOTED.sub("", text)
