"""A stage of retargeting: a clip on the target, how well it holds and what is wrong with it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.character import Character, StandingFigure
from poise.contact import observe
from poise.footing import worst_miss
from poise.mechanics import deepest_overlap_m, limbs_of
from poise.methods.retarget.kinematic import Kinematic, tracking_m
from poise.methods.retarget.physics import obeying
from poise.methods.retarget.report import Stage
from poise.methods.retarget.residuals import residuals
from poise.methods.retarget.settings import Settings
from poise.methods.status import Status
from poise.motion import Clip
from poise.physics import (
    Shortfall,
    shortfalls,
    shortfalls_in_words,
    unexplained_in_words,
    unexplained_stretches,
)

_HELD_M = 0.005
"""A contact that is off by more does not hold."""
_TOO_FAR = 0.15
"""Of the legs: limbs that are farther from where they should be, on average, do something else."""
_TOO_DEEP_CM = 1.0


def kinematic_stage(made: Kinematic, target: Character, settings: Settings) -> Stage:
    """The first one; where it is the last one, it answers for speeds, ranges and depth."""
    stage = _stage("kinematic", made.clip, made.worst_m, made.worst, made, target, settings)
    if settings.balance or not settings.feet:
        return stage
    return _owing(stage, "", _shortfalls(made.clip, made, target, settings))


def physics_stage(made: Kinematic, target: Character, settings: Settings) -> Stage:
    """The second one: what the ground can carry and the body can do."""
    found = obeying(made, target, settings)
    worst_m, worst = worst_miss(found.solved.missed_m)
    stage = _stage("physics", found.clip, worst_m, worst, made, target, settings)
    unexplained = unexplained_in_words(unexplained_stretches(found.solved))
    if stage.status == "converged":
        strong = "strength and range" if settings.torque else "range"
        covered = f"The ground can carry every frame within {strong}."
        stage = replace(stage, summary=f"{covered} {stage.summary}")
    return _owing(stage, unexplained, _shortfalls(found.clip, made, target, settings))


def _shortfalls(
    clip: Clip, made: Kinematic, target: Character, settings: Settings
) -> tuple[Shortfall, ...]:
    """Limits that a clip breaks, of those that it was asked to keep."""
    fastest = settings.fastest(target)
    if fastest is None:
        fastest = np.full(target.skeleton.joint_count, np.inf)
    strong = settings.balance and settings.torque
    found = shortfalls(clip, target, made.environment, made.contacts, made.clip, fastest)
    return tuple(each for each in found if strong or each.kind != "torque")


def _owing(stage: Stage, unexplained: str, found: tuple[Shortfall, ...]) -> Stage:
    """A stage that says what it owes, too."""
    owed = list(filter(None, (unexplained, shortfalls_in_words(found))))
    if not owed:
        return stage
    failed = stage.status != "converged"
    return replace(
        stage,
        status=stage.status if failed else "out_of_iterations",
        summary=" ".join([stage.summary, *owed] if failed else owed),
        shortfalls=found,
    )


def _stage(
    name: str, clip: Clip, worst_m: float, worst: str, made: Kinematic, target: Character,
    settings: Settings,
) -> Stage:  # fmt: skip
    assert target.roles is not None
    series = observe(clip, target, made.environment, made.contacts)
    left = residuals(series)
    off = tracking_m(clip, target, made.wanted_m)
    overlap, _ = deepest_overlap_m(series.state, limbs_of(target))
    leg_m = StandingFigure(target.skeleton, target.roles).leg_m
    status: Status = "infeasible"
    if off > _TOO_FAR * leg_m and name == "kinematic":
        said = f"Limbs are {100 * off:.0f} cm off on average: this body cannot do it."
    elif worst_m > _HELD_M:
        said = f"'{worst}' is off by {1000 * worst_m:.0f} mm: this body cannot do it."
    elif settings.feet and left.depth_cm > _TOO_DEEP_CM:
        said = f"It is still {left.depth_cm:.1f} cm inside the ground at worst."
    else:
        status = "converged"
        said = f"Knees, feet, elbows and hands are {100 * off:.1f} cm from where free joints are."
        if settings.feet:
            said = f"{'Contacts hold' if worst else 'Nothing touches'}. {said}"
    return Stage(name, clip, status, said, series, left, off, overlap)
