"""Deforming a motion: solve, smooth what was added, solve again where smoothing did harm.

Layers that miss a goal are settled one after the other, greater ones first (see `settling`); lesser
layers are then solved on top of the motion that came of it.

An edit that differs from an earlier one in a few constraints is solved again only over the frames
they reach: the first pass goes on from the last unchanged frame until the poses agree with the
earlier ones again; every later pass treats its frames one by one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from poise import rotations
from poise.contact import intervals
from poise.ik import IkSolution, look, solve, unsolved
from poise.methods.deform.obeying import obeying
from poise.methods.deform.problem import (
    Problem,
    build,
    changed_frames,
    same_ground,
    taken_over,
    with_first_goals,
    without_lesser,
)
from poise.methods.deform.report import DeformReport, finished
from poise.methods.deform.settings import Settings
from poise.methods.deform.settling import missed_layer, settled
from poise.methods.deform.smoothing import half_width, smoothed, widened
from poise.methods.edit import Edit
from poise.methods.progress import ProgressCallback
from poise.methods.result import Result

AGREED_RAD = 1e-4
"""Poses that differ by less (or by so many metres) count as the same when an edit is re-solved."""


def run(
    edit: Edit,
    settings: Settings | None = None,
    *,
    progress: ProgressCallback | None = None,
    previous: Result[DeformReport] | None = None,
) -> Result[DeformReport]:
    """Deform a clip so that its constraints hold, in their order of importance.

    It is over in a moment, without progress. What has not changed since an earlier result on the
    same clip and character is not solved again.

    Raises:
        Contradiction: a constraint could not be protected from a lesser one.
        PoiseError: a constraint that the clip or the character has no answer to.
    """
    settings = settings or Settings()
    known: object = previous.report if previous is not None else None
    if not isinstance(known, DeformReport) or not same_ground(known.problem, edit, settings):
        known = None  # a result of something else is no help
    problem = build(edit, settings, known.problem if known is not None else None)
    report = _solve(problem, known)
    return finished(obeying(report) if settings.physics else report)


def _solve(problem: Problem, known: DeformReport | None) -> DeformReport:
    changed = problem.active.copy()
    solution = unsolved(problem.ik)
    if known is not None:
        changed = changed_frames(known.problem, problem)
        taken_over(known.problem, problem, known.passes[0], solution)
    changed = _first_pass(problem, solution, changed, known)
    passes, counts = [solution], [int(changed.sum())]
    if problem.settings.passes == 1 or missed_layer(problem, solution, -1) is None:
        final = _filtered(problem, None, passes, counts, changed, known)
        return DeformReport(problem, tuple(passes), final, tuple(counts), has_settled=False)
    final = _settled_by_layers(problem, passes, counts)
    for first, stop in intervals(problem.active):
        look(problem.ik, final, first, stop - 1)
    return DeformReport(problem, tuple(passes), final, tuple(counts), has_settled=True)


def _settled_by_layers(
    problem: Problem, passes: list[IkSolution], counts: list[int]
) -> IkSolution:  # fmt: skip
    """Give up goals that are out of reach, greater layers first; notes its rounds."""
    last = max(problem.ik.layers)
    under, layer = None, -1
    while (missed := missed_layer(problem, passes[-1], layer)) is not None:
        layer = missed
        upper = without_lesser(problem, layer)
        found = _on_top(upper, under, passes, counts)
        if missed_layer(upper, found, layer - 1) is None:
            under = found  # it was the lesser ones that kept it from its goal
        else:
            goals, under = settled(upper, found, under)
            problem = with_first_goals(problem, goals)
        if layer < last:
            _on_top(problem, under, passes, counts)
    assert under is not None
    return (
        under if layer == last else _filtered(problem, under, passes, counts, problem.active, None)
    )


def _on_top(
    problem: Problem, under: IkSolution | None, passes: list[IkSolution], counts: list[int]
) -> IkSolution:  # fmt: skip
    """Solve all frames in order of time, starting over from a motion; notes the round."""
    solution = unsolved(problem.ik, under)
    for first, stop in intervals(problem.active):
        solve(problem.ik, problem.settings.ik, solution, first, stop - 1, over=under)
    passes.append(solution)
    counts.append(int(problem.active.sum()))
    return solution


def _filtered(
    problem: Problem, under: IkSolution | None,
    passes: list[IkSolution], counts: list[int],
    changed: NDArray[np.bool_], known: DeformReport | None,
) -> IkSolution:  # fmt: skip
    """The loop of section 5.2: smooth, and solve again what that disturbed; notes its rounds."""
    settings, clip, ik = problem.settings, problem.edit.clip, problem.ik
    half = half_width(settings.smoothing_s, clip.rate_hz)
    near_enough = settings.ik_within_reach if under is None else settings.ik
    for _ in range(settings.passes - 1 if half > 0 else 0):
        changed = widened(changed, half)
        # An earlier edit that went on from here was disturbed by smoothing: so is this one.
        going_on = known is not None and not known.has_settled and len(known.passes) > len(passes)
        here = changed & problem.active if going_on else problem.active
        smooth = smoothed(under or clip, passes[-1], problem, here)
        if not going_on and not _harmed(problem, passes[-1], smooth):
            return smooth
        wish = smooth.copy()
        if going_on:
            assert known is not None
            taken_over(known.problem, problem, known.passes[len(passes)], smooth, ~changed)
        for first, stop in intervals(here):
            solve(ik, near_enough, smooth, first, stop - 1, wished=wish)
        passes.append(smooth)
        counts.append(int(here.sum()))
    return passes[-1]


def _first_pass(
    problem: Problem, solution: IkSolution, changed: NDArray[np.bool_], known: DeformReport | None
) -> NDArray[np.bool_]:
    """Solve in order of time; returns which frames were solved, or went back to the original."""
    ik, settings = problem.ik, problem.settings.ik_within_reach
    done = changed.copy()
    clip = problem.edit.clip
    for first, stop in intervals(problem.active):
        frame = first
        while frame < stop:
            if known is not None and not changed[frame]:
                frame += 1
                continue
            # A run of changed frames, and on from there until nothing differs any more.
            end = frame
            while end < stop and changed[end]:
                end += 1
            solve(ik, settings, solution, frame, end - 1)
            while known is not None and end < stop and not changed[end]:
                old_root = solution.root_positions_m[end].copy()
                old = solution.rotations_wxyz[end].copy()
                solve(ik, settings, solution, end, end)
                done[end] = True
                apart = rotations.angle_between(old, solution.rotations_wxyz[end]).max()
                moved = np.abs(old_root - solution.root_positions_m[end]).max()
                end += 1
                if max(apart, moved) < AGREED_RAD:
                    break
            frame = end
    idle = ~problem.active
    solution.root_positions_m[idle] = clip.root_positions_m[idle]
    solution.rotations_wxyz[idle] = clip.rotations_wxyz[idle]
    return done


def _harmed(problem: Problem, solved: IkSolution, smooth: IkSolution) -> bool:
    """Whether smoothing made some constraint worse by more than the settings allow."""
    limit = 1e-3 * problem.settings.disturbed_mm
    for first, stop in intervals(problem.active):
        look(problem.ik, smooth, first, stop - 1)
    worse = smooth.misses - solved.misses
    if bool((worse[np.isfinite(worse)] > limit).any()):
        return True
    return missed_layer(problem, smooth, -1) is not None
