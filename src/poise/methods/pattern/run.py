"""Editing by a pattern: coefficients that meet goals, and a whole motion of them (Algorithm 1)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poise.arrays import Array
from poise.mechanics import forward_kinematics
from poise.methods.edit import Edit
from poise.methods.pattern.goals import TURN_M, Goal
from poise.methods.pattern.motion_space_ik import Rules, Solved, coefficient_path, solve
from poise.methods.pattern.planted import root_lift
from poise.methods.pattern.problem import Problem, build, lifted
from poise.methods.pattern.report import PatternReport, finished, misses
from poise.methods.pattern.settings import Settings
from poise.methods.pattern.touch_up import Wanted, touched_up
from poise.methods.progress import ProgressCallback
from poise.methods.result import Result
from poise.motion import Clip


def run(
    edit: Edit,
    settings: Settings | None = None,
    *,
    progress: ProgressCallback | None = None,
    previous: Result[PatternReport] | None = None,
) -> Result[PatternReport]:
    """Edit a clip so that it meets goals in the pattern of motions like it.

    Goals are about places and orientations in the world: usually one `HitAt`. It is over in a
    moment, without progress. Where the clip lies in the pattern is taken from an earlier result on
    the same clip.

    Raises:
        BadValue: no pattern, another skeleton, an event that is not to be found, a constraint that
            a pattern has no answer to.
    """
    settings = settings or Settings()
    known: object = previous.report if previous is not None else None
    problem = build(edit, settings, known.problem if isinstance(known, PatternReport) else None)
    solved, change, motion = _standing(problem)
    history = f"edited by a pattern of {len(problem.pattern.examples)} motions"
    if motion is not None:
        by_pattern = problem.placed.with_motion(*motion, history)
    else:
        by_pattern = edit.clip.noted(history)  # what is met already is left as it is
    goals, left = _after_pattern(problem, by_pattern)
    made, notes = by_pattern, list[str]()
    if motion is not None or left:
        made, notes = touched_up(
            edit.clip, by_pattern, problem.character, edit.environment, problem.contacts,
            problem.pattern.tools, goals, settings.finish_s, finish=bool(left),
        )  # fmt: skip
    return finished(problem, made, by_pattern, solved, change, left, notes)


def _standing(problem: Problem) -> tuple[list[Solved], Array, tuple[Array, Array] | None]:
    """What was found, the change of coefficients, and the motion of it, standing on its feet.

    The root is raised or lowered so that feet stand, which takes the goal's point along. A little
    of that is left to be finished; more, and the goal is looked for again with it. None where
    nothing changes.
    """
    placed, clip, goals = problem.placed, problem.edit.clip, problem.goals
    frames = sorted({goal.frame for goal in goals})
    solved, change = _solved(problem, goals)
    if not change.any() and problem.settings.details == "kept":
        return solved, change, None
    roots, turns = placed.motion(problem.vector + placed.displacement(change))
    taken = np.zeros(clip.frame_count)
    most = max(0.01 * problem.settings.finish_cm, 0.2e-3 * problem.settings.met_mm)
    for _ in range(_ROUNDS if problem.carrying else 0):
        after = forward_kinematics(
            clip.skeleton, roots, turns, clip.moving_joints, clip.moving_offsets_m
        )
        lift = root_lift(problem.before, after, problem.carrying)
        roots[:, 1] += lift
        if not frames or np.abs(lift - taken)[frames].max() < most:
            break
        taken = lift
        solved, change = _solved(problem, lifted(problem, lift, change))
        roots, turns = placed.motion(problem.vector + placed.displacement(change))
    return solved, change, (roots, turns)


_ROUNDS = 4


def _solved(problem: Problem, goals: Sequence[Goal]) -> tuple[list[Solved], Array]:
    """What was found, and the change of coefficients: (m,), or (F, m) for goals solved apart."""
    if not goals:
        return [], np.zeros(problem.count)
    settings, pattern = problem.settings, problem.pattern
    start = problem.placed.coefficients[: problem.count]
    deviations = pattern.deviations[: problem.count]
    reach = np.inf if settings.reach is None else settings.reach * pattern.furthest(problem.count)
    rules = Rules(
        1e-3 * settings.met_mm * _SAFELY, float(np.radians(settings.met_deg)) * _SAFELY,
        settings.iterations, settings.damping, 0.01 * settings.damping_cm, reach,
    )  # fmt: skip
    frames = sorted({goal.frame for goal in goals})
    if settings.goals == "together" or len(frames) == 1:
        found = solve(goals, start, deviations, rules)
        return [found], found.change
    each = [
        solve([goal for goal in goals if goal.frame == frame], start, deviations, rules)
        for frame in frames
    ]
    changes = np.array([found.change for found in each])
    return each, coefficient_path(frames, changes, problem.edit.clip.frame_count)


_SAFELY = 0.9
"""Goals are met to this share of their tolerance, so that rounding to the clip's own numbers does
not undo it."""


def _after_pattern(problem: Problem, made: Clip) -> tuple[list[Wanted], list[Wanted]]:
    """Goals that are met or near enough to be finished, and those of them that are not met."""
    settings = problem.settings
    goals, left = list[Wanted](), list[Wanted]()
    for task, errors in zip(problem.tasks, misses(problem, made), strict=True):
        is_place = task.kind == "point"
        allowed = 1e-3 * settings.met_mm if is_place else float(np.radians(settings.met_deg))
        most = 0.01 * settings.finish_cm / (1.0 if is_place else TURN_M)
        for i, error in enumerate(errors.tolist()):
            if error <= max(allowed, most):
                goals.append(Wanted(task, task.first + i, np.array(task.goals[i])))
                left += [goals[-1]] if error > allowed else []
    return goals, left
