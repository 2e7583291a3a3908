"""How well constraints are met, as every method reports it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.constraints import Task
from poise.methods.status import Status

ANGULAR = ("turn", "aim")
"""Kinds of tasks whose errors are angles."""


@dataclass(frozen=True)
class ConstraintReport:
    """How well one task of a constraint is met."""

    name: str
    kind: str
    priority: int
    first: int
    last: int
    worst: float
    """In `unit`."""
    unit: str
    """"mm" or "deg"."""
    worst_frame: int
    met: bool


def constraint_reports(
    tasks: Sequence[Task], misses: Array, met_mm: float, met_deg: float
) -> tuple[ConstraintReport, ...]:
    """One row a task, from its errors (F, T) in metres and radians."""
    rows: list[ConstraintReport] = []
    for n, task in enumerate(tasks):
        missed = misses[task.first : task.last + 1, n]
        at = int(missed.argmax())
        angular = task.kind in ANGULAR
        worst = float(np.degrees(missed[at]) if angular else 1e3 * missed[at])
        limit, unit = (met_deg, "deg") if angular else (met_mm, "mm")
        rows.append(
            ConstraintReport(
                task.name, task.kind, task.priority, task.first, task.last,
                worst, unit, task.first + at, worst <= limit,
            )
        )  # fmt: skip
    return tuple(rows)


def worst_in_words(
    rows: Sequence[ConstraintReport], status: Status, reasons: dict[str, str]
) -> str:
    """One sentence with the worst constraint, and the reason that goes with the status."""
    if status == "converged":
        return "All constraints are met." if rows else "No constraints: nothing was changed."
    unmet = [row for row in rows if not row.met]
    worst = min(unmet, key=lambda row: (row.priority, -row.worst))
    others = f" (and {len(unmet) - 1} more not met)" if len(unmet) > 1 else ""
    return (
        f"'{worst.name}' misses its goal by up to {_amount(worst)} at frame "
        f"{worst.worst_frame}{others}. {reasons[status]}"
    )


def _amount(row: ConstraintReport) -> str:
    if row.unit == "mm" and row.worst >= 1000.0:
        return f"{1e-3 * row.worst:.3g} m"
    return f"{row.worst:.3g} {row.unit}"
