"""A stage of retargeting: a clip on the target, how well it holds and what is wrong with it."""

from __future__ import annotations

from dataclasses import replace

from poise.character import Character, StandingFigure
from poise.constraints import EVERYTHING, Recruits, Task, recruits_of_turn
from poise.contact import observe
from poise.mechanics import forward_kinematics
from poise.methods.constraint_report import Status
from poise.methods.retarget.holding import hold
from poise.methods.retarget.kinematic import Kinematic, tracking_m
from poise.methods.retarget.report import Stage
from poise.methods.retarget.residuals import residuals
from poise.methods.retarget.self_clearance import deepest_overlap_m
from poise.methods.retarget.settings import Settings
from poise.motion import Clip

PULL = 0.03
"""Weight with which parts are turned back to how the kinematic stage had them, against the wishes
of poses."""
_END_S, _AT_ENDS = 0.1, 0.15
"""How long the ends of a clip are, and the same weight there."""
_HELD_M = 0.005
"""A contact that is off by more does not hold."""
_TOO_FAR = 0.15
"""Of the legs: limbs that are farther from where they should be, on average, do something else."""
_TOO_DEEP_CM = 1.0


def kinematic_stage(made: Kinematic, target: Character, settings: Settings) -> Stage:
    """The first one."""
    return _stage("kinematic", made.clip, made.worst_m, made.worst, made, target, settings)


def held_stage(
    name: str, clip: Clip, made: Kinematic, target: Character, settings: Settings,
    pull: float = PULL,
) -> Stage:  # fmt: skip
    """A motion whose contacts are put back, and whose parts are pulled back a little.

    Args:
        name: of the stage.
        clip: the motion, on the target.
        made: the kinematic stage.
        target: whose.
        settings: of the method.
        pull: weight of how parts were turned in the kinematic stage.
    """
    contacts = replace(made.contacts, sliding=None)
    found = hold(
        clip, clip, _turns(made.clip, target, pull), target, made.environment, contacts,
        settings.fastest(target), steady=True,
    )  # fmt: skip
    return _stage(name, found.clip, found.worst_m, found.worst, made, target, settings)


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


def _turns(clip: Clip, target: Character, weight: float) -> list[Task]:
    """Wishes that parts are turned as in a clip, the more so at its ends.

    What came before and what comes after is not known: physics would bend a clip there as nobody
    moves.
    """
    state = forward_kinematics(clip.skeleton, *clip.pose)
    end = min(max(1, round(_END_S * clip.rate_hz)), clip.frame_count)
    stretches = ((0, clip.frame_count, weight), (0, end, _AT_ENDS),
                 (clip.frame_count - end, clip.frame_count, _AT_ENDS))  # fmt: skip
    tasks: list[Task] = []
    for joint, name in enumerate(target.skeleton.joint_names):
        if joint > 0 and target.skeleton.freedoms[joint] > 0:
            recruits = Recruits(recruits_of_turn(target, joint, EVERYTHING).joints, False)
            tasks += [
                Task(name, "turn", a, state.rotations_wxyz[a:b, joint], recruits, 2, w, joint)
                for a, b, w in stretches
            ]
    return tasks
