"""Editing a leap: stages move, and the body takes off and lands so that it gets there."""

from __future__ import annotations

from poise.constraints import FlightHeight, Gravity, MoveStage, tasks_of
from poise.methods.edit import Edit
from poise.methods.momentum.plan import captured, leap_of, scene_of, wanted
from poise.methods.momentum.report import MomentumReport, finished
from poise.methods.momentum.settings import Settings
from poise.methods.momentum.solve_leap import solve_leap
from poise.methods.progress import ProgressCallback
from poise.methods.result import Result

STAGE_EDITS = (MoveStage, FlightHeight, Gravity)


def run(
    edit: Edit,
    settings: Settings | None = None,
    *,
    progress: ProgressCallback | None = None,
    previous: Result[MomentumReport] | None = None,
) -> Result[MomentumReport]:
    """Edit a leap.

    Args:
        edit: `MoveStage`, `FlightHeight` and `Gravity` change its stages. Other constraints hold
            beside them: those of priority 1 exactly, the rest as far as they cost little. They
            speak of the edited leap's own frames, and are read against the leap as moved, before
            it is solved. Whatever they recruit, the whole body helps.
        settings: the knobs.
        progress: told how many iterations are done; it usually ends before the last.
        previous: makes no difference.

    Raises:
        BadValue: no flight, a stage too short for its momentum curves, a stage that there is not,
            edits that contradict each other, a height that cannot be had.
    """
    settings = settings or Settings()
    base = captured(edit, settings)
    asked = wanted([each for each in edit.constraints if isinstance(each, STAGE_EDITS)], base)
    leap = leap_of(base, asked)
    scene = scene_of(leap)
    others = [each for each in edit.constraints if not isinstance(each, STAGE_EDITS)]
    wishes = [task for each in others for task in tasks_of(each, scene) if task.weight > 0.0]
    return finished(edit, base, asked, solve_leap(leap, wishes, settings, progress))
