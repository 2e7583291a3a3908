"""Editing by a pattern: coefficients that meet goals, and a whole motion of them (Algorithm 1)."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.methods.edit import Edit
from poise.methods.pattern.coefficient_paths import coefficient_path
from poise.methods.pattern.goals import TURN_M
from poise.methods.pattern.motion_space_ik import Rules, Solved, solve
from poise.methods.pattern.problem import Problem, build, radius_of
from poise.methods.pattern.report import finished, misses
from poise.methods.pattern.settings import Settings
from poise.methods.pattern.touch_up import LeftOver, touched_up
from poise.methods.result import Result
from poise.motion import Clip


def run(edit: Edit, settings: Settings | None = None, *, previous: Result | None = None) -> Result:
    """Edit a clip so that it meets goals in the pattern of motions like it.

    Args:
        edit: with a pattern, and goals about places and orientations in the world: usually one
            `HitAt`.
        settings: the knobs.
        previous: a result of `run` on the same clip with the same pattern; where the clip lies in
            the pattern is not looked for again.

    Raises:
        BadValue: no pattern, another skeleton, an event that is not to be found, a constraint that
            a pattern has no answer to.
    """
    settings = settings or Settings()
    known = previous.trace.get("problem") if previous is not None else None
    problem = build(edit, settings, known if isinstance(known, Problem) else None)
    solved, change = _solved(problem)
    history = f"edited by a pattern of {len(problem.pattern.examples)} motions"
    changed = bool(change.any()) or settings.details == "dropped"
    if changed:
        vector = problem.vector + problem.placed.displacement(change)
        by_pattern = problem.placed.with_vector(vector, history)
    else:
        by_pattern = edit.clip.noted(history)  # what is met already is left as it is
    left = _left_over(problem, by_pattern)
    made, notes = by_pattern, list[str]()
    if changed or left:
        made, notes = touched_up(
            edit.clip, by_pattern, problem.character, edit.environment, problem.contacts,
            problem.pattern.tools, left, settings.finish_s,
        )  # fmt: skip
    return finished(problem, made, by_pattern, solved, change, left, notes)


def _solved(problem: Problem) -> tuple[list[Solved], Array]:
    """What was found, and the change of coefficients: (m,), or (N, m) for goals solved apart."""
    if not problem.goals:
        return [], np.zeros(problem.count)
    settings, pattern = problem.settings, problem.pattern
    start = problem.placed.coefficients[: problem.count]
    deviations = pattern.deviations[: problem.count]
    rules = Rules(
        1e-3 * settings.met_mm * _SAFELY, float(np.radians(settings.met_deg)) * _SAFELY,
        settings.iterations, settings.damping, 0.01 * settings.damping_cm,
        radius_of(pattern, problem.count, settings.reach),
    )  # fmt: skip
    frames = sorted({goal.frame for goal in problem.goals})
    if settings.goals == "together" or len(frames) == 1:
        found = solve(problem.goals, start, deviations, rules)
        return [found], found.change
    each = [
        solve([goal for goal in problem.goals if goal.frame == frame], start, deviations, rules)
        for frame in frames
    ]
    changes = np.array([found.change for found in each])
    at = problem.placed.normal_frames[frames]
    return each, coefficient_path(at, changes, pattern.frame_count)


_SAFELY = 0.9
"""Goals are met to this share of their tolerance, so that rounding to the clip's own numbers does
not undo it."""


def _left_over(problem: Problem, made: Clip) -> list[LeftOver]:
    """Goals that the pattern has come near to, but not near enough."""
    settings = problem.settings
    left: list[LeftOver] = []
    for task, errors in zip(problem.tasks, misses(problem, made), strict=True):
        is_place = task.kind == "point"
        allowed = 1e-3 * settings.met_mm if is_place else float(np.radians(settings.met_deg))
        most = 0.01 * settings.finish_cm / (1.0 if is_place else TURN_M)
        left += [
            LeftOver(task, task.first + i, np.array(task.goals[i]))
            for i, error in enumerate(errors.tolist())
            if allowed < error <= most
        ]
    return left
