"""Balance and contacts in turn; the best round is kept.

They pull at each other: who leans to keep balance moves his feet, and feet put back move the
balance. So a dynamic round of `filter` and holding what touches take turns.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from poise.character import SIDES, Character
from poise.contact import ContactSchedule, intervals
from poise.methods import filter
from poise.methods.edit import Edit
from poise.methods.progress import Progress, ProgressCallback
from poise.methods.retarget.kinematic import Kinematic
from poise.methods.retarget.report import Stage
from poise.methods.retarget.residuals import Residuals
from poise.methods.retarget.settings import Settings
from poise.methods.retarget.stages import PULL, held_stage

_LEAST = {"zmp_outside_cm": 0.2, "root_force": 0.004, "torque_ratio": 1.0}
"""What is this small need not get smaller."""
_HOPED = {"zmp_outside_cm": 0.5, "root_force": 0.5, "torque_ratio": 1.0}
"""What should be left of the first stage's residuals at most."""
_AT_MOST = {"slide_cm_s": 0.5, "depth_cm": 0.5}
"""Beyond these, whatever balance it has, a motion is no better than its start."""
_FAR_M = 0.15
"""Joints so far from where they were, on average, weigh as much as all of a residual."""
_FADES = 0.75
"""What is left of the pull from round to round: likeness first, then physics."""
_ARMS = 0.1
"""Mobility of shoulders in dynamic rounds. Arms that whirl would be the cheapest way to balance."""
_KNOT_S = 1.0 / 30.0
"""Of the curves of a dynamic round: a runner stands on a foot for a quarter of a second, and with
half as many control points slid meanwhile."""
_PATIENCE = 3
"""Rounds without gain after which it ends."""
_LAIN_ON = ("chest", "head", "shoulder", "elbow")
"""Parts that touch when a body lies or gets up: it does not balance then."""


def with_physics(
    start: Stage, made: Kinematic, target: Character, settings: Settings, progress: ProgressCallback
) -> Stage:
    """The best of some rounds of `filter` and holding what touches.

    Args:
        start: the stage before.
        made: the kinematic stage.
        target: whose motion.
        settings: of the method.
        progress: told which round begins.
    """
    contacts = made.contacts
    asked = filter.Settings(
        passes="1D", knot_s=_KNOT_S, torque=settings.torque, balance=_frames(~_lying(contacts)),
        mobility=dict.fromkeys(_shoulders(target), _ARMS),
    )  # fmt: skip
    best, now, since, pull = start, start, 0, PULL
    for number in range(1, settings.rounds + 1):
        progress(Progress(f"physics, round {number}"))
        edit = Edit(now.clip, target, (), made.environment, contacts=contacts)
        steady = filter.run(edit, asked)
        now = held_stage("physics", steady.clip, made, target, settings, pull)
        pull *= _FADES
        since = 0 if _left(now, start) < _left(best, start) else since + 1
        best = now if since == 0 else best
        if since >= _PATIENCE or _is_enough(best.residuals):
            break
    if best is start:
        said = "Every round of balance left it worse than it was: it is as the stage before made it"
        return replace(start, name="physics", status="infeasible", summary=f"{said}.")
    return best


def _left(stage: Stage, start: Stage) -> float:
    """What is left of everything that is wrong, as shares of what the start has.

    A share beyond what is hoped for counts three times.
    """
    found, before = vars(stage.residuals), vars(start.residuals)
    left = max(stage.off_m - start.off_m, 0.0) / _FAR_M
    for key, least in _LEAST.items():
        if np.isfinite(found[key]) and np.isfinite(before[key]):
            share = max(found[key], least) / max(before[key], least)
            left += share + 2.0 * max(share - _HOPED[key], 0.0)
    for key, most in _AT_MOST.items():
        # What the start has of it counts little, what is added to it much.
        left += max(found[key] - most, 0.0) + 10.0 * max(found[key] - max(most, before[key]), 0.0)
    return left


def _is_enough(residuals: Residuals) -> bool:
    found = vars(residuals)
    small = all(not found[key] > least for key, least in _LEAST.items())
    return small and all(found[key] <= most for key, most in _AT_MOST.items())


def _shoulders(target: Character) -> list[str]:
    """Joints between trunk and elbows."""
    assert target.roles is not None
    names, found = target.skeleton.joint_names, list[str]()
    roles = target.roles.joints
    trunk = target.skeleton.index(roles.get("chest", roles["pelvis"]))
    for side in SIDES:
        elbow = target.skeleton.index(target.roles.joint(f"{side}_elbow"))
        line = target.skeleton.ancestors(elbow)[1:]
        found += [names[j] for j in line[: line.index(trunk)] if target.skeleton.freedoms[j] > 0]
    return found


def _lying(contacts: ContactSchedule) -> NDArray[np.bool_]:
    """(F,) where a body lies on the ground."""
    columns = [i for i, part in enumerate(contacts.parts) if part.split("_")[-1] in _LAIN_ON]
    return np.asarray(contacts.touching[:, columns].any(axis=1))


def _frames(where: NDArray[np.bool_]) -> filter.Frames:
    """Frames as `filter` takes them."""
    if where.all():
        return True
    return tuple((first, stop - 1) for first, stop in intervals(where)) or False
