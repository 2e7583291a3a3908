"""Tables that benchmarks put into pages of the documentation, between two marks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
END = "<!-- end -->"


def put_table(page: str, mark: str, lines: Sequence[str]) -> None:
    """Replace what stands between `<!-- mark -->` and the next end mark of `docs/page`."""
    path = ROOT / "docs" / page
    text = path.read_text(encoding="utf-8")
    begins = f"<!-- {mark} -->"
    first = text.index(begins) + len(begins)
    last = text.index(END, first)
    told = "\n".join(lines)
    path.write_text(f"{text[:first]}\n{told}\n{text[last:]}", encoding="utf-8", newline="\n")
