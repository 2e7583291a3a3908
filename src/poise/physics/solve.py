"""One solve for a stretch of a clip: contacts, reaction forces, torques and likeness at once.

Newton's method on a merit function, banded in time. A first stage with soft weights comes near, a
second one is exact; multipliers take over what weights alone would have to do. Bounds (ground,
strength) are squared hinges: a step that runs into bounds it did not know is solved for again with
their rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from poise.arrays import Array, Indices
from poise.contact import ContactSchedule, touching_points
from poise.ik import (
    REACH,
    IkProblem,
    IkSolution,
    PoseArrays,
    Price,
    fastest_turns,
    hard_or_wished,
    inertia_stiffness,
    make_equations,
    price_of,
    take_steps,
    unsolved,
)
from poise.mechanics import center_of_mass, forward_kinematics
from poise.physics.clearance_rows import NO_FLESH, Flesh, Outside, outside_of
from poise.physics.equations import Weights, body_of, evaluate_clip, usual_wrench
from poise.physics.newton_euler_rows import Multipliers, Supports, make_frame_work
from poise.physics.settings import MET_M, MET_WRENCH, PhysicsSettings, Stage
from poise.physics.supports import supports_of
from poise.physics.torque_rows import make_torque_work
from poise.solvers import Barrier, factor_band, make_forces, solve_band

_FORESIGHT = 2
"""How often a step is solved for again with the rows of bounds that it ran into."""
_SHORTER, _SHORTEST = 0.4, 4e-3
"""A step that does not help is shortened by this, down to that share of it."""
_LONGEST = 0.5
"""Radians or metres that one step may move an unknown."""
_DAMPING = 0.02
"""Added to the diagonal, times stiffness."""
_ROUNDS, _IDLE = 15, 3
"""Most updates of the multipliers in the last stage, and how many of them in a row may gain less
than a tenth."""
_LEVER_M = 0.2
"""What a radian that a turn is off counts as: the length of a foot."""


@dataclass(frozen=True, eq=False)
class Solved:
    """A motion, and what is left of what was asked."""

    at: IkSolution
    wrench_left: Array
    """(F, 6) what no reaction force explains: body weights, body weight × stature."""
    forces_n: Array
    """(F, 3) what the ground does in all."""
    contact_left_m: float
    """How far a hard task is missed at worst."""
    factorizations: int
    met: bool


class _Solve:
    """What all stages share."""

    def __init__(
        self, problem: IkProblem, schedule: ContactSchedule, settings: PhysicsSettings,
        fastest_rad_s: Array | None, laws: bool, flesh: Flesh,
    ) -> None:  # fmt: skip
        scene = problem.scene
        clip, character = scene.clip, scene.character
        self.fastest = fastest_turns(problem, fastest_rad_s)
        self.problem = hard_or_wished(problem)
        self.schedule, self.settings, self.laws, self.flesh = schedule, settings, laws, flesh
        self.stiffness = inertia_stiffness(problem)
        self.equations = make_equations(problem)
        self.body = body_of(character, clip)
        self.original = PoseArrays(clip.root_positions_m, clip.rotations_wxyz)
        self.usual = usual_wrench(clip, character, self.body.scale)
        joints = clip.skeleton.joint_count
        self.work = make_frame_work(joints, problem.width)
        self.torques = make_torque_work(joints, problem.width)
        self.weights = Weights(settings.clearance, settings.torque if laws else 0.0)
        self.pressed = np.zeros((clip.frame_count, 6))
        self.damped = np.tile(_DAMPING * self.stiffness, clip.frame_count)
        self.levers = np.array(
            [
                (_LEVER_M if task.kind == "turn" else 1.0) * (task.priority == 1 and task.side == 0)
                for task in problem.tasks
            ]
        )
        self.factorizations = 0
        self.price: Price
        self.barrier: Barrier
        self.supports: Supports
        self.outside: Outside
        self.multipliers: Multipliers

    def look_around(self, at: IkSolution, stage: Stage, before: Stage | None) -> None:
        """Freeze what a stage takes as given: where parts touch, surfaces next to points."""
        scene, settings = self.problem.scene, self.settings
        character = scene.character
        assert character.body is not None
        state = forward_kinematics(scene.clip.skeleton, at.root_positions_m, at.rotations_wxyz)
        touched = touching_points(state, character, self.schedule, scene.environment)
        com = center_of_mass(state, character.body)
        self.supports = supports_of(state, touched, com, self.body.scale, self.usual, settings)
        self.outside = outside_of(state, character, scene.environment, self.flesh)
        frames = scene.clip.frame_count
        self.multipliers = Multipliers(
            self.pressed, np.zeros((frames, 6)), make_forces(self.supports.caps, stage.mu)
        )
        self.price = price_of(
            self.problem, settings.likeness, stage.hard, self.stiffness, self.fastest
        )
        self.barrier = Barrier(stage.rho if self.laws else 0.0, stage.mu, settings.effort)
        if before is not None:
            self.equations.shifts[:] *= before.hard / stage.hard

    def evaluate(self, at: IkSolution, slopes: bool = True) -> float:
        problem = self.problem
        return evaluate_clip(
            problem.rig, problem.limits, self.price, self.original, at.poses, self.equations,
            at.misses, self.body, self.barrier, self.supports, self.outside, self.multipliers,
            self.weights, slopes, self.work, self.torques,
        )  # fmt: skip

    def step(self, at: IkSolution, cost: float) -> tuple[IkSolution, float]:
        """The motion after a step that helps, and its cost; the same motion where none does."""
        inside, beyond = self.outside.inside.copy(), self.body.strength.beyond.copy()
        step, tried, then, share = self._tried(at)
        for _ in range(_FORESIGHT):
            if then <= cost or not self._foresee(inside, beyond):
                break
            self.evaluate(at)
            step, tried, then, share = self._tried(at)
        knew = self.outside.foreseen.any() or self.body.strength.foreseen.any()
        self.outside.foreseen[:] = 0
        self.body.strength.foreseen[:] = 0
        while not then <= cost and share > _SHORTEST:
            share *= _SHORTER
            tried = self._moved(at, step, share)
            then, knew = self.evaluate(tried), False
        if not then <= cost:
            return at, self.evaluate(at)
        return tried, self.evaluate(tried) if knew else then

    def _tried(self, at: IkSolution) -> tuple[Array, IkSolution, float, float]:
        e, width = self.equations, self.problem.width
        step = e.right.copy()
        e.band[:, 0] += self.damped
        self.factorizations += 1
        if not factor_band(e.band, width, REACH):
            return step, at, np.inf, 0.0
        solve_band(e.band, width, REACH, step)
        share = min(1.0, _LONGEST / max(float(np.abs(step).max(initial=0.0)), 1e-300))
        tried = self._moved(at, step, share)
        return step, tried, self.evaluate(tried), share

    def _foresee(self, inside: Indices, beyond: Indices) -> bool:
        """Whether the last step ran into bounds that it did not know; they are known now."""
        outside, strength = self.outside, self.body.strength
        points = (outside.inside != 0) & (inside == 0) & (outside.foreseen == 0)
        torques = (strength.beyond != 0) & (beyond == 0) & (strength.foreseen == 0)
        outside.foreseen[points] = 1
        strength.foreseen[torques] = strength.beyond[torques]
        return bool(points.any() or torques.any())

    def _moved(self, at: IkSolution, step: Array, share: float) -> IkSolution:
        tried, problem = at.copy(), self.problem
        take_steps(
            problem.blocks, problem.width, step, share, tried.root_positions_m,
            tried.rotations_wxyz,
        )  # fmt: skip
        tried.iterations[:] += 1
        return tried

    def settle(self, at: IkSolution) -> IkSolution:
        """Steps until one gains little."""
        cost = self.evaluate(at)
        for _ in range(self.settings.iterations):
            after, then = self.step(at, cost)
            gained, at, cost = cost - then, after, then
            if gained <= self.settings.gain * abs(cost):
                break
        return at

    def press(self) -> None:
        """Multipliers take over what the weights hold at the motion last evaluated."""
        self.pressed[:] = self.multipliers.gradient
        self.equations.shifts[:] += self.equations.errors

    def wrench_left(self) -> Array:
        """(F, 6) at the motion last evaluated."""
        if self.barrier.rho == 0.0:
            return np.zeros_like(self.pressed)
        left = (self.multipliers.gradient - self.pressed) / self.barrier.rho
        left[[0, -1]] = 0.0
        left[self.supports.believed == 0] = 0.0
        return left

    def contact_left_m(self, at: IkSolution) -> float:
        """At the motion last evaluated."""
        return float(np.nanmax(at.misses * self.levers, initial=0.0))


def solve(
    problem: IkProblem,
    schedule: ContactSchedule,
    settings: PhysicsSettings,
    *,
    start: IkSolution | None = None,
    fastest_rad_s: Array | None = None,
    laws: bool = True,
    flesh: Flesh = NO_FLESH,
    watch: Callable[[float], None] | None = None,
) -> Solved:
    """The motion nearest to the problem's clip that does what is asked.

    Args:
        problem: figure, tasks and ranges; its clip is the motion to stay close to.
        schedule: what touches when.
        settings: the knobs.
        start: a motion to begin with; the clip's by default.
        fastest_rad_s: (J,) how fast each joint may turn; as fast as it likes by default.
        laws: whether the laws of motion are asked for: forces, flight, strength.
        flesh: further points that stay out of the surroundings.
        watch: told the share of the work that is done.
    """
    at = unsolved(problem, start)
    if problem.width == 0:
        frames = len(at.root_positions_m)
        return Solved(at, np.zeros((frames, 6)), np.zeros((frames, 3)), 0.0, 0, True)
    run = _Solve(problem, schedule, settings, fastest_rad_s, laws, flesh)
    before: Stage | None = None
    for stage in settings.stages if start is None else settings.stages[-1:]:
        run.look_around(at, stage, before)
        at = run.settle(at)
        if stage is not settings.stages[-1]:
            run.press()
        before = stage
        if watch is not None:
            watch(0.5)
    best, found, idle = np.inf, at, 0
    for _ in range(_ROUNDS):
        run.evaluate(at, slopes=False)
        wrench, contact = run.wrench_left(), run.contact_left_m(at)
        now = max(contact / MET_M, float(np.abs(wrench).max(initial=0.0)) / MET_WRENCH)
        idle = idle + 1 if now > 0.9 * best else 0
        if now < best:
            best, found = now, at
        if now <= 1.0 or idle == _IDLE:
            break
        run.press()
        at = run.settle(at)
    at = found
    run.evaluate(at, slopes=False)
    wrench, contact = run.wrench_left(), run.contact_left_m(at)
    unbelieved = run.supports.believed == 0
    wrench[unbelieved] = run.usual[unbelieved]  # nothing is there to explain it
    met = contact <= MET_M and float(np.abs(wrench).max(initial=0.0)) <= MET_WRENCH
    return Solved(at, wrench, _total_force(run), contact, run.factorizations, met)


def _total_force(run: _Solve) -> Array:
    """(F, 3) what the ground does, in newtons."""
    supports = run.supports
    frames = len(supports.first) - 1
    owner = np.repeat(np.arange(frames), np.diff(supports.first))
    found = np.zeros((frames, 3))
    np.add.at(found, owner, run.multipliers.forces[:, :1] * supports.generators[:, :3])
    return found * run.body.scale.weight_n
