"""Editing a leap: stages move, and the body takes off and lands so that it gets there."""

from __future__ import annotations

from poise.methods.edit import Edit
from poise.methods.momentum.plan import captured, leap_of, wanted
from poise.methods.momentum.report import MomentumReport, finished
from poise.methods.momentum.settings import Settings
from poise.methods.momentum.solve_leap import solve_leap
from poise.methods.progress import ProgressCallback
from poise.methods.result import Result


def run(
    edit: Edit,
    settings: Settings | None = None,
    *,
    progress: ProgressCallback | None = None,
    previous: Result[MomentumReport] | None = None,
) -> Result[MomentumReport]:
    """Edit a leap; an earlier result makes no difference.

    `MoveStage`, `FlightHeight` and `Gravity` change its stages. Other constraints hold beside them:
    those of priority 1 exactly, the rest as far as they cost little. They speak of the edited
    leap's own frames, and are read against the leap as moved, before it is solved. Whatever they
    recruit, the whole body helps.

    Raises:
        BadValue: no flight, a stage too short for its momentum curves, a stage that there is not,
            edits that contradict each other, a height that cannot be had.
    """
    settings = settings or Settings()
    base = captured(edit, settings)
    asked = wanted(edit.constraints, base)
    solution = solve_leap(leap_of(base, asked), edit.constraints, settings, progress)
    return finished(edit, base, asked, solution)
