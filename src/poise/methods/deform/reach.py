"""How far a change of constraints reaches in time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from poise.ik import IkSolution
from poise.methods.deform.problem import Problem
from poise.methods.deform.settings import Settings
from poise.methods.edit import Edit


def same_ground(known: Problem, edit: Edit, settings: Settings) -> bool:
    """Whether two edits differ in nothing but their constraints."""
    before = known.edit
    return (
        before.clip is edit.clip
        and before.character is edit.character
        and before.environment is edit.environment
        and known.settings == settings
    )


def changed_frames(known: Problem, now: Problem) -> NDArray[np.bool_]:
    """(F,) frames in which a constraint was added, taken away or altered."""
    changed = np.zeros(len(now.active), dtype=np.bool_)
    before, after = (
        {constraint.name: constraint for constraint in problem.edit.constraints}
        for problem in (known, now)
    )
    for name in before.keys() | after.keys():
        if before.get(name) != after.get(name):
            for problem in (known, now):
                for task in problem.made.get(name, ()):
                    changed[task.first : task.last + 1] = True
    return changed


def taken_over(
    known: Problem,
    now: Problem,
    earlier: IkSolution,
    into: IkSolution,
    frames: NDArray[np.bool_] | None = None,
) -> None:
    """Copy an earlier solution's frames (all by default), with the errors of tasks still there."""
    chosen = np.ones(len(now.active), dtype=np.bool_) if frames is None else frames
    into.root_positions_m[chosen] = earlier.root_positions_m[chosen]
    into.rotations_wxyz[chosen] = earlier.rotations_wxyz[chosen]
    into.iterations[chosen] = earlier.iterations[chosen]
    into.status[chosen] = earlier.status[chosen]
    column = {key: n for n, key in enumerate(known.keys)}
    for n, key in enumerate(now.keys):
        if key in column:
            into.misses[chosen, n] = earlier.misses[chosen, column[key]]
