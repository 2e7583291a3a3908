"""What an edit did to a clip's figures: before and after, a line each."""

from __future__ import annotations

import math
from dataclasses import dataclass

from poise.measures import UNDER_INPUT_CONTACTS, Evaluation
from poise.recipes import Recipe


@dataclass(frozen=True)
class _Row:
    """A figure by its key."""

    key: str
    words: str
    twice: bool = False
    """Also with the contacts that are found in the original."""


ROWS = (
    _Row("foot_slide.mean", "slide of standing feet", twice=True),
    _Row("penetration.deepest", "deepest penetration"),
    _Row("float.mean", "float of what touches", twice=True),
    _Row("root_wrench.force", "force from nowhere", twice=True),
    _Row("root_wrench.moment", "moment from nowhere", twice=True),
    _Row("jitter.jerk", "jitter"),
)
CHANGES = (
    _Row("likeness.rotation", "turned away from the original"),
    _Row("likeness.position", "moved away from the original"),
)
_TITLES = ("", "before", "after", "with the original's contacts", "")


def is_measured(recipe: Recipe) -> bool:
    """Whether a recipe corrects or retargets, so that figures say more than constraints."""
    return any(step.method in ("correct", "retarget") for step in recipe.steps)


def figure_lines(found: Evaluation) -> list[str]:
    """A table of the figures that a correction is about."""
    after = {m.key: m for m in found.measures}
    before = {m.key: m for m in found.before}
    rows: list[tuple[str, ...]] = [_TITLES]
    for row in (*ROWS, *CHANGES):
        now = after.get(row.key)
        was = before[row.key].value if row.key in before else math.nan
        if now is None or (math.isnan(now.value) and math.isnan(was)):
            continue
        second = after.get(f"{row.key}{UNDER_INPUT_CONTACTS}") if row.twice else None
        again = "" if second is None else _shown(second.value)
        rows.append((row.words, _shown(was), _shown(now.value), again, now.unit))
    if all(not row[3] for row in rows[1:]):
        rows = [(*row[:3], row[4]) for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _shown(value: float) -> str:
    if math.isnan(value):
        return ""
    return f"{value:.0f}" if abs(value) >= 100.0 else f"{value:.3g}" if value >= 1e-3 else "0"
