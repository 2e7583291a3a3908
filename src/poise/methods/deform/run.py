"""Deforming a motion: solve, smooth the root, solve again where smoothing did harm.

An edit that differs from an earlier one in a few constraints is solved again only over the frames
they reach: the first pass goes on from the last unchanged frame until the poses agree with the
earlier ones again; every later pass treats its frames one by one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter1d

from poise import rotations
from poise.contact.schedule import intervals
from poise.ik import IkSolution, look, solve, unsolved
from poise.methods.deform.problem import Problem, build
from poise.methods.deform.reach import changed_frames, same_ground, taken_over
from poise.methods.deform.report import finished
from poise.methods.deform.settings import Settings
from poise.methods.deform.smoothing import (
    RESIGNED,
    given_up,
    half_width,
    settled_for,
    smoothed,
    without_goals,
)
from poise.methods.edit import Edit
from poise.methods.result import Result

AGREED_RAD = 1e-4
"""Poses that differ by less (or by so many metres) count as the same when an edit is re-solved."""


@dataclass(frozen=True, eq=False)
class Solved:
    """An edit with all that was computed on the way, to go on from."""

    problem: Problem
    passes: tuple[IkSolution, ...]
    """After each round of solving."""
    final: IkSolution
    """What the result holds: the last round, or its smoothed form where that did no harm."""
    frames_solved: tuple[int, ...]
    """How many frames each round solved."""


def run(edit: Edit, settings: Settings | None = None, *, previous: Result | None = None) -> Result:
    """Deform a clip so that its constraints hold, in their order of importance.

    Args:
        edit: the clip, its character, and the constraints.
        settings: the knobs.
        previous: a result of `run` on the same clip and character; what has not changed since is
            not solved again.

    Raises:
        Contradiction: a constraint could not be protected from a lesser one.
        PoiseError: a constraint that the clip or the character has no answer to.
    """
    settings = settings or Settings()
    known = previous.trace.get("solved") if previous is not None else None
    if not isinstance(known, Solved) or not same_ground(known.problem, edit, settings):
        known = None
    problem = build(edit, settings, known.problem if known is not None else None)
    solved = _solve(problem, known)
    return finished(solved.problem, solved.final, solved.passes[-1], solved.frames_solved, solved)


def _solve(problem: Problem, known: Solved | None) -> Solved:
    settings, clip, ik = problem.settings, problem.edit.clip, problem.ik
    half = half_width(settings.smoothing_s, clip.rate_hz)
    changed = problem.active.copy()
    solution = unsolved(ik)
    if known is not None:
        changed = changed_frames(known.problem, problem)
        taken_over(known.problem, problem, known.passes[0], solution)
    changed = _first_pass(problem, solution, changed, known)
    passes, counts = [solution], [int(changed.sum())]
    joints = np.flatnonzero(ik.blocks.of_joint >= 0)
    while half > 0 and len(passes) < settings.passes:
        smooth = smoothed(clip, passes[-1], joints, half)
        changed = _widened(changed, RESIGNED * half)
        if not _harmed(problem, passes[-1], smooth):
            return Solved(problem, tuple(passes), smooth, tuple(counts))
        here = changed & problem.active
        wish = smooth.copy()
        shares = given_up(ik, passes[-1], half, _met(settings))
        if known is not None and len(known.passes) > len(passes):
            taken_over(known.problem, problem, known.passes[len(passes)], smooth, ~changed)
        else:
            here = problem.active
        easier = ik
        if shares:
            free, frames = without_goals(ik, shares)
            for first, stop in intervals(here & frames):
                solve(free, settings.ik, smooth, first, stop - 1, wished=wish)
            easier, wish = settled_for(ik, shares, smooth), smooth.copy()
        for first, stop in intervals(here):
            solve(easier, settings.ik, smooth, first, stop - 1, wished=wish)
            look(ik, settings.ik, smooth, first, stop - 1)
        passes.append(smooth)
        counts.append(int(here.sum()))
    return Solved(problem, tuple(passes), passes[-1], tuple(counts))


def _met(settings: Settings) -> tuple[float, float]:
    """Metres and radians."""
    return 1e-3 * settings.met_mm, float(np.radians(settings.met_deg))


def _first_pass(
    problem: Problem, solution: IkSolution, changed: NDArray[np.bool_], known: Solved | None
) -> NDArray[np.bool_]:
    """Solve in order of time; returns which frames were solved, or went back to the original."""
    ik, settings = problem.ik, problem.settings.ik
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
        look(problem.ik, problem.settings.ik, smooth, first, stop - 1)
    worse = smooth.misses - solved.misses
    return bool((worse[np.isfinite(worse)] > limit).any())


def _widened(frames: NDArray[np.bool_], half: int) -> NDArray[np.bool_]:
    if half == 0 or not frames.any():
        return frames
    return maximum_filter1d(frames, 2 * half + 1, mode="constant").astype(np.bool_)
