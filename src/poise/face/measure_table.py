"""Measures before and after, as a small table that shows itself."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

from poise.apps.report.words import Figure, figures_of, number
from poise.character import Character
from poise.contact import ContactSchedule
from poise.environment import Environment
from poise.job import ClipChoice, Recipe, one_body, subject
from poise.measures import Evaluation, evaluate
from poise.motion import Clip
from poise.one_line import framed
from poise.wording import counted


@dataclass(frozen=True, eq=False)
class MeasureTable:
    """How physical a clip is, in figures; beside those of the original, where there is one."""

    evaluation: Evaluation
    """Everything that was measured, frame by frame, too."""

    @property
    def rows(self) -> tuple[Figure, ...]:
        """One row a measure: key, name, before, value, unit."""
        return figures_of(self.evaluation.measures, self.evaluation.before or None)

    @property
    def worse(self) -> tuple[Figure, ...]:
        """Rows that are worse than in the original, by more than the measure resolves."""
        return tuple(row for row in self.rows if row.change == "worse")

    def __getitem__(self, key: str) -> float:
        """A figure by its key: `table["foot_slide.mean"]`."""
        return self.evaluation.value(key)

    def __iter__(self) -> Iterator[Figure]:
        return iter(self.rows)

    def __str__(self) -> str:
        cells = [("", "before", "after", "", ""), *((*_cells(r), r.change) for r in self.rows)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        return "\n".join(
            "  ".join(f"{cell:<{w}}" for cell, w in zip(row, widths, strict=True)).rstrip()
            for row in cells
        )

    def __repr__(self) -> str:
        told = counted(len(self.rows), "measure")
        if self.evaluation.original is not None:
            changes = [row.change for row in self.rows]
            told += f", {changes.count('better')} better and {changes.count('worse')} worse"
            told += " than the original"
        return framed("MeasureTable", f"{told} (print it to see them)")

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr title='{escape(row.about, quote=True)}'>"
            + "".join(f"<td>{escape(cell)}</td>" for cell in _cells(row))
            + f"<td>{row.change}</td></tr>"
            for row in self.rows
        )
        head = "".join(f"<th>{title}</th>" for title in ("", "before", "after", "", ""))
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _cells(row: Figure) -> tuple[str, str, str, str]:
    before = "" if row.before is None else number(row.before)
    return row.name, before, row.shown, row.unit if math.isfinite(row.value) else ""


def measure_clip(
    clip: Clip | str | Path,
    against: Clip | str | Path | None,
    body: Character | None = None,
    place: Environment | None = None,
    contacts: ContactSchedule | None = None,
) -> MeasureTable:
    """Measure a clip, alone or beside the original it was made from."""
    seen = subject(_AS_IT_IS, clip, place=place)
    if against is None:
        character = body or seen.character
        return MeasureTable(evaluate(seen.clip, character, seen.environment, contacts))
    original = subject(_AS_IT_IS, against, place=place)
    return MeasureTable(
        evaluate(
            seen.clip,
            body or one_body(seen, original),
            original.environment,
            contacts,
            against=original.clip,
            against_character=original.character,
        )
    )


_AS_IT_IS = Recipe((), clip=ClipChoice())
