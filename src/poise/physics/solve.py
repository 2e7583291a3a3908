"""One solve for a clip: contacts, reaction forces, torques and likeness at once.

Newton's method on a merit function, banded in time (`local_newton`). A first stage with soft
weights comes near, a second one is exact: multipliers take over what weights alone would have to
do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.contact import ContactSchedule
from poise.ik import IkProblem, IkSolution, unsolved
from poise.physics.clearance_rows import NO_FLESH, Flesh
from poise.physics.local_newton import LocalNewton
from poise.physics.merit import Held, Merit
from poise.physics.self_clearance_rows import Clearing
from poise.physics.settings import MET_M, MET_WRENCH, Asked, PhysicsSettings, everywhere

_IDLE = 3
"""How many updates of the multipliers in a row may gain less than a tenth."""
_AHEAD = 1.5
"""How far multipliers of contacts go in an update: they creep to where they end, and this saves a
tenth of the steps. Those of the laws of motion, further than 1, take more."""
_CHANGED = 0.05
"""Share of a frame's cost, and of one, that is a change."""
_WORSE = 1.0
"""A look that leaves so much more owed is undone."""
_COARSE = 5.0
"""Times the least gain of a step, in stages that only lead to the next,"""
_AGAIN = 1.5
"""and where a solve goes on from another: ripples far from what has changed are left alone. For a
wrist that is moved by 5 cm that saves a sixth of the steps, and joints end 1.1 mm on average from
where exact steps lead instead of 1.05."""


@dataclass(frozen=True, eq=False)
class Solved:
    """A motion, and what is left of what was asked."""

    at: IkSolution
    wrench_left: Array
    """(F, 6) what no reaction force explains: body weights, body weight × stature."""
    forces_n: Array
    """(F, 3) what the ground does in all."""
    steps: float
    """Newton steps: frames of all factorizations over those of the clip."""
    held: Held | None = None
    """What another solve of the same clip may go on with."""


def solve(
    problem: IkProblem,
    schedule: ContactSchedule,
    settings: PhysicsSettings,
    *,
    start: IkSolution | None = None,
    fastest_rad_s: Array | None = None,
    asked: Asked | None = None,
    flesh: Flesh = NO_FLESH,
    usual: Array | None = None,
    mobility: Mapping[int, float] | None = None,
    held: Held | None = None,
    peaks_rad_s2: Array | None = None,
    limbs: Clearing | None = None,
) -> Solved:
    """The motion nearest to the problem's clip that does what is asked.

    Args:
        problem: figure, tasks and ranges; its clip is the motion to stay close to.
        schedule: what touches when.
        settings: the knobs.
        start: a motion to begin with; the clip's by default.
        fastest_rad_s: (J,) how fast each joint may turn; as fast as it likes by default.
        asked: frames in which the laws of motion and strength are asked for; all by default.
        flesh: further points that stay out of the surroundings.
        usual: (F, 6) the wrench to stay close to; that of the clip by default.
        mobility: how far joints may be displaced against others, see `solve_clip`.
        held: with `start`, what the solve that made it left: then only stretches around what has
            changed since are solved for.
        peaks_rad_s2: (J,) largest acceleration of each joint in the capture; by default in the
            problem's clip.
        limbs: that stay out of each other.
    """
    at = unsolved(problem, start)
    frames = len(at.root_positions_m)
    if problem.width == 0:
        return Solved(at, np.zeros((frames, 6)), np.zeros((frames, 3)), 0.0)
    asked = asked or everywhere(frames)
    merit = Merit(
        problem, schedule, settings, fastest_rad_s, asked, flesh, usual, peaks_rad_s2, mobility,
        limbs,
    )  # fmt: skip
    newton = LocalNewton(merit)
    everything = np.ones(frames, dtype=np.bool_)
    goes_on = held is not None and start is not None and merit.restore(held)
    for stage in settings.stages if start is None else settings.stages[-1:]:
        merit.begin(at, stage)
        last = stage is settings.stages[-1]
        coarse = _AGAIN if goes_on else 1.0 if last else _COARSE
        newton.begin(coarse * settings.gain, foresighted=goes_on or not last)
        where = _changed(merit, at, held) if goes_on and held is not None else everything
        newton.descend(at, where, settings.iterations)
        if not last:
            merit.press(everything)
    found = _held(merit, newton, at, settings, everything)
    for _ in range(settings.looks):
        merit.put_back(found.held)
        merit.evaluate(found.at, 0, frames, slopes=False)
        where = merit.look_again(found.at)
        if not where.any():
            break
        near = newton.near(where)
        before, at = _owed(_left(merit, found.at), near), found.at.copy()
        newton.descend(at, where, settings.iterations)
        looked = _held(merit, newton, at, settings, near)
        if looked.owed > before + _WORSE:
            break
        found = looked
    merit.put_back(found.held)
    merit.evaluate(found.at, 0, frames, slopes=False)
    left = replace(merit.held(), left=_left(merit, found.at))
    wrench = merit.wrench_left()
    unbelieved = (merit.supports.believed == 0) & asked.laws
    wrench[unbelieved] = merit.usual[unbelieved]  # nothing is there to explain it
    steps = newton.solved_frames / max(frames, 1)
    return Solved(found.at, wrench, merit.total_force_n(), steps, left)


class _Found(NamedTuple):
    """A motion with the multipliers and weights that hold it."""

    at: IkSolution
    held: Held
    owed: float


def _held(
    merit: Merit, newton: LocalNewton, at: IkSolution, settings: PhysicsSettings,
    within: NDArray[np.bool_],
) -> _Found:  # fmt: skip
    """What is found once multipliers hold contacts and laws of motion; `at` moves.

    Only frames `within` are asked.
    """
    found, idle = _Found(at, merit.held(), np.inf), 0
    for done in range(settings.rounds + 1):
        left = np.where(within, _left(merit, at), 0.0)
        owed = _owed(left, within)
        idle = idle + 1 if owed > 0.9 * found.owed else 0
        if owed < found.owed:
            found = _Found(at.copy(), merit.held(), owed)
        if owed == 0.0 or idle == _IDLE or done == settings.rounds:
            break
        where = (left > 0.5) & newton.near(left > 1.0)
        merit.press(where, _AHEAD)
        merit.bounds.weigh(where)
        newton.descend(at, where, settings.iterations)
    return found


def _owed(left: Array, within: NDArray[np.bool_]) -> float:
    """A sum of logarithms: what cannot hold in a few frames does not hide what others gain."""
    return float(np.log(np.maximum(left[within], 1.0)).sum())


def _changed(merit: Merit, at: IkSolution, held: Held) -> NDArray[np.bool_]:
    """(F,) frames in which something is asked for that was not, or not so."""
    merit.evaluate(at, 0, merit.frames, slopes=False)
    left, costs = _left(merit, at), merit.equations.costs
    known = np.broadcast_to(held.left, left.shape) if len(held.left) else np.zeros_like(left)
    unmet = left > np.maximum(1.0, (1.0 + _CHANGED) * known)
    return np.asarray(unmet | (np.abs(costs - held.costs) > _CHANGED * (1.0 + held.costs)))


def _left(merit: Merit, at: IkSolution) -> Array:
    """(F,) what contacts, laws of motion and bounds are off by, over what they may be.

    At a motion of which every stretch was last evaluated as it is, which a descent leaves.
    """
    wrench = np.abs(merit.wrench_left()).max(axis=1) / MET_WRENCH
    return np.maximum.reduce([merit.contact_left_m(at) / MET_M, wrench, merit.bounds.left()])
