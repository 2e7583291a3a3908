"""A stage of retargeting: a clip on the target, how well it holds and what is wrong with it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.character import Character, StandingFigure
from poise.contact import intervals, observe
from poise.footing import worst_miss
from poise.methods.constraint_report import Status
from poise.methods.retarget.kinematic import Kinematic, tracking_m
from poise.methods.retarget.physics import obeying
from poise.methods.retarget.report import Stage
from poise.methods.retarget.residuals import residuals
from poise.methods.retarget.self_clearance import deepest_overlap_m
from poise.methods.retarget.settings import Settings
from poise.motion import Clip
from poise.physics import PhysicsSolution

_HELD_M = 0.005
"""A contact that is off by more does not hold."""
_TOO_FAR = 0.15
"""Of the legs: limbs that are farther from where they should be, on average, do something else."""
_TOO_DEEP_CM = 1.0
_MOST_NAMED = 3
"""Stretches of frames that a summary names."""


def kinematic_stage(made: Kinematic, target: Character, settings: Settings) -> Stage:
    """The first one."""
    return _stage("kinematic", made.clip, made.worst_m, made.worst, made, target, settings)


def physics_stage(made: Kinematic, target: Character, settings: Settings) -> Stage:
    """The second one: what the ground can carry and the body can do."""
    found = obeying(made, target, settings)
    worst_m, worst = worst_miss(found.solved.missed_m)
    stage = _stage("physics", found.clip, worst_m, worst, made, target, settings)
    lawless = residual_frames(found.solved)
    if not lawless:
        return stage
    said = f"No force of the ground explains the motion in frames {lawless}."
    if stage.status != "converged":
        said = f"{stage.summary} {said}"
    return replace(stage, status="infeasible", summary=said)


def residual_frames(solved: PhysicsSolution) -> str:
    """The frames that no force of the ground explains, the worst first; empty where there are none.

    With the largest share of the weight (moments: of weight × stature) that is left.
    """
    left = np.abs(solved.wrench_left).max(axis=1)
    found = sorted(
        intervals(solved.lawless), key=lambda each: -float(left[each[0] : each[1]].max())
    )
    named = [
        f"{a} to {b - 1} ({100.0 * float(left[a:b].max()):.0f} % of the weight)"
        for a, b in found[:_MOST_NAMED]
    ]
    more = f" and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
    return ", ".join(named) + more


def _stage(
    name: str, clip: Clip, worst_m: float, worst: str, made: Kinematic, target: Character,
    settings: Settings,
) -> Stage:  # fmt: skip
    assert target.roles is not None
    series = observe(clip, target, made.environment, made.contacts)
    left = residuals(series)
    off = tracking_m(clip, target, made.wanted_m)
    overlap, _ = deepest_overlap_m(series.state, target)
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
    return Stage(name, clip, status, said, series, left, off, overlap)
