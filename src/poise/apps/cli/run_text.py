"""How a recipe went, in a few lines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from poise.methods.result import Result
from poise.recipes import Outcome, Recipe
from poise.wording import counted

_TITLES = ("constraint", "kind", "layer", "frames", "worst", "at frame", "")


def outcome_lines(recipe: Recipe, outcome: Outcome) -> list[str]:
    """What each step did, a table of its constraints, and how it ended."""
    clip = outcome.prepared.clip
    lines: list[str] = []
    for step, result in zip(recipe.steps, outcome.results, strict=True):
        wishes = counted(len(step.constraints), "constraint")
        frames = f"{counted(clip.frame_count, 'frame')} at {clip.rate_hz:g} Hz"
        lines.append(f"{step.method}: {wishes} on {frames}")
        lines += [f"  {line}" for line in _table(result)]
        lines.append(f"{result.status.replace('_', ' ')}: {result.summary}")
        clip = result.clip
    return lines


def constraint_notes(outcome: Outcome) -> list[str]:
    """The same for the notes of a report."""
    notes: list[str] = []
    for result in outcome.results:
        notes.append(f"{result.status.replace('_', ' ')}: {result.summary}")
        notes += [
            f"{row['name']} ({row['kind']}, layer {row['priority']}, frames {row['first']} to "
            f"{row['last']}): at worst {_amount(row)} off, at frame {row['worst_frame']}"
            for row in _rows(result)
        ]
    return notes


def _table(result: Result) -> list[str]:
    rows = [
        (
            str(row["name"]),
            str(row["kind"]),
            str(row["priority"]),
            f"{row['first']}-{row['last']}",
            _amount(row),
            str(row["worst_frame"]),
            "" if row["met"] else "not met",
        )
        for row in _rows(result)
    ]
    if not rows:
        return []
    widths = [max(map(len, column)) for column in zip(_TITLES, *rows, strict=True)]
    return [
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in (_TITLES, *rows)
    ]


def _rows(result: Result) -> list[Mapping[str, Any]]:
    """What a method has to say about each constraint; some say nothing."""
    told = result.trace.get("constraints", ())
    return [
        each
        if isinstance(each, Mapping)
        else {field.name: getattr(each, field.name) for field in fields(each)}
        for each in told
    ]


def _amount(row: Mapping[str, Any]) -> str:
    return f"{float(row['worst']):.3g} {row['unit']}"
