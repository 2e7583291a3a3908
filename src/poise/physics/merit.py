"""Merit of a motion: everything it answers for, over the whole clip or a stretch of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from poise import rotations
from poise.arrays import Array, Indices
from poise.character import Character
from poise.constraints import Task
from poise.contact import ContactSchedule, touching_points
from poise.environment import Environment
from poise.ik import (
    BALL,
    TRANSLATION,
    IkProblem,
    IkSolution,
    PoseArrays,
    inertia_stiffness,
    take_steps,
)
from poise.mechanics import BodyState, center_of_mass, forward_kinematics
from poise.motion import Clip, peak_accelerations_rad_s2
from poise.physics.bounds import Bounds, Grown
from poise.physics.clearance_rows import Flesh
from poise.physics.equations import body_of, evaluate_frames, usual_wrench
from poise.physics.likeness import fastest_turns, hard_or_wished, make_equations, price_of
from poise.physics.likeness_rows import REACH, Price, foresee_ranges
from poise.physics.newton_euler_rows import Multipliers, Supports, make_frame_work
from poise.physics.second_look import (
    acceleration_growth,
    replanned,
    seen_of,
    torque_severity,
)
from poise.physics.self_clearance_rows import Clearing, apart_of
from poise.physics.settings import Asked, PhysicsSettings, Stage
from poise.physics.supports import supports_of
from poise.physics.torque_rows import make_torque_work
from poise.solvers import Barrier, factor_and_solve, make_forces

_LEVER_M = 0.2
"""What a radian that a turn is off counts as: the length of a foot."""
_SLIDING_S = 0.1
"""What a point that should stay moves by from frame to frame counts as what it would amount to in
this time: contacts that are met to a tenth of a millimetre then slide by a millimetre a second."""
_QUIETEST = 200.0
"""Most that accelerations cost more in joints that hardly accelerate in the capture."""
_MOVED_M = 0.02
"""What carries is looked for again where a joint that does has moved so far since."""
_GROWN = 1.01
"""Accelerations that cost so many times more are worth another step."""
_LEAST_MOBILITY = 1e-3
"""What never moves is a million times as stiff: as much as the equations bear."""
BESIDE = REACH - 1
"""Frames on either side of a stretch whose rows depend on it."""


@dataclass(frozen=True, eq=False)
class Grounds:
    """All that is looked at to say what carries the body."""

    stage: Stage
    settings: PhysicsSettings
    environment: Environment
    schedule: ContactSchedule
    usual: Array
    """(F, 6) the wrench to stay close to."""
    laws: NDArray[np.bool_]
    """(F,)"""
    places_m: Array
    """(F, J, 3) joints of the motion."""


@dataclass(frozen=True, eq=False)
class Carried:
    """What is said to carry the body in a stage."""

    supports: Supports
    forces: Array
    """(N, 5) of its generators, see `force_barrier`."""
    grounds: Grounds

    def still_holds(self, now: Grounds) -> bool:
        """Whether nothing that carries has moved, and nothing else has changed."""
        was = self.grounds
        same = (
            was.stage == now.stage
            and was.settings == now.settings
            and was.environment is now.environment
            and was.schedule.parts == now.schedule.parts
            and np.array_equal(was.schedule.touching, now.schedule.touching)
            and np.array_equal(was.usual, now.usual)
            and np.array_equal(was.laws, now.laws)
            and was.places_m.shape == now.places_m.shape
        )
        if not same:
            return False
        owner = np.repeat(np.arange(len(was.usual)), np.diff(self.supports.first))
        moved = (now.places_m - was.places_m)[owner, self.supports.joint]
        return bool(np.abs(moved).max(initial=0.0) < _MOVED_M)


@dataclass(frozen=True, eq=False)
class Held:
    """What a solve leaves for the next one of the same clip: multipliers and costs."""

    wrench: Array
    """(F, 6)"""
    shifts: Array
    """(F, K) of hard rows."""
    costs: Array
    """(F,) of the solution, to see what has changed since."""
    calm: Array
    """(F, W) what accelerations cost more."""
    bounds: Grown
    carried: Carried
    left: Array = field(default_factory=lambda: np.zeros(0))
    """(F,) what was off at the end, over what it may be; empty where nobody looked."""


class Merit:
    """The merit function of a clip, its normal equations and multipliers."""

    def __init__(
        self, problem: IkProblem, schedule: ContactSchedule, settings: PhysicsSettings,
        fastest_rad_s: Array | None, asked: Asked, flesh: Flesh, usual: Array | None = None,
        peaks_rad_s2: Array | None = None,
        mobility: Mapping[int, float] | None = None, limbs: Clearing | None = None,
    ) -> None:  # fmt: skip
        scene = problem.scene
        clip, character = scene.clip, scene.character
        self.frames, self.rate_hz, self.width = clip.frame_count, clip.rate_hz, problem.width
        self._fastest = fastest_turns(problem, fastest_rad_s)
        self._problem = hard_or_wished(problem)
        self._schedule, self._settings = schedule, settings
        self.asked = asked
        self.stiffness = inertia_stiffness(problem)
        if problem.blocks.kind[0] == TRANSLATION:
            self.stiffness[:3] *= settings.root
        knees = _knees(character)
        for joint, columns in _rotations_of(problem):
            self.stiffness[columns] *= settings.knee if joint in knees else 1.0
        self.stiffness /= _mobility(problem, mobility or {}) ** 2
        if peaks_rad_s2 is None:
            peaks_rad_s2 = peak_accelerations_rad_s2(clip)
        self._peaks = peaks_rad_s2
        self._calm = np.tile(_calm(problem, settings, peaks_rad_s2), (self.frames, 1))
        self.equations = make_equations(problem)
        self.body = body_of(character, clip)
        self._original = PoseArrays(clip.root_positions_m, clip.rotations_wxyz)
        if not asked.laws.any():
            # Nothing carries: where parts touch need not be known.
            nothing = np.zeros((self.frames, 0), dtype=np.bool_)
            self._schedule = ContactSchedule((), nothing, self.rate_hz)
            usual = np.zeros((self.frames, 6))
        elif usual is None:
            usual = usual_wrench(clip, character, self.body.scale)
        self.usual = np.ascontiguousarray(usual, dtype=np.float64)
        joints = clip.skeleton.joint_count
        self._work = make_frame_work(joints, problem.width)
        self._torques = make_torque_work(joints, problem.width)
        self.body.strength.asked[:] = asked.strength
        apart = apart_of(forward_kinematics(clip.skeleton, *clip.pose), clip.skeleton, limbs)
        self.bounds = Bounds(scene, settings, flesh, apart, self.body.strength)
        self.pressed = np.zeros((self.frames, 6))
        self._levers = np.array(
            [self._lever(task) * (task.priority == 1 and task.side == 0) for task in problem.tasks]
        )
        self._stage: Stage | None = None
        self._price: Price
        self._barrier: Barrier
        self.supports: Supports
        self._carried: Carried
        self._before: Carried | None = None
        self.multipliers: Multipliers

    def _lever(self, task: Task) -> float:
        """What being off by one counts as in metres."""
        if task.tied:
            return max(1.0, _SLIDING_S * self.rate_hz)
        return _LEVER_M if task.kind == "turn" else 1.0

    def begin(self, at: IkSolution, stage: Stage) -> None:
        """Freeze what a stage takes as given: where parts touch, surfaces next to points."""
        scene, settings = self._problem.scene, self._settings
        state = forward_kinematics(scene.clip.skeleton, at.root_positions_m, at.rotations_wxyz)
        self._carried = self._carry(state, stage)
        self.supports = self._carried.supports
        self.bounds.begin(state)
        self.multipliers = Multipliers(
            self.pressed, np.zeros((self.frames, 6)), self._carried.forces.copy()
        )
        self._barrier = Barrier(stage.rho * bool(self.asked.laws.any()), stage.mu, settings.effort)
        if self._stage is not None:
            self.equations.shifts[:] *= self._stage.hard / stage.hard
        self._stage = stage
        self._set_price()

    def _set_price(self) -> None:
        assert self._stage is not None
        self._price = price_of(
            self._problem, self._settings.likeness, self._stage.hard, self.stiffness, self._fastest,
            self._calm, self._settings.fading,
        )  # fmt: skip

    def _carry(self, state: BodyState, stage: Stage) -> Carried:
        """What carries in a stage: as the solve before had it, where that still holds."""
        scene, settings, scale = self._problem.scene, self._settings, self.body.scale
        grounds = Grounds(
            stage, settings, scene.environment, self._schedule, self.usual, self.asked.laws,
            state.positions_m,
        )  # fmt: skip
        if self._before is not None and self._before.still_holds(grounds):
            return self._before
        assert scene.character.body is not None
        touched = touching_points(state, scene.character, self._schedule, scene.environment)
        com = center_of_mass(state, scene.character.body)
        supports = supports_of(state, touched, com, scale, self.usual, settings)
        supports.believed[~self.asked.laws] = 0
        return Carried(supports, make_forces(supports.caps, stage.mu), grounds)

    def held(self) -> Held:
        """At the motion last evaluated."""
        e = self.equations
        carried = replace(
            self._carried, supports=self.supports, forces=self.multipliers.forces.copy()
        )
        return Held(
            self.pressed.copy(), e.shifts.copy(), e.costs.copy(), self._calm.copy(),
            self.bounds.grown(), carried,
        )  # fmt: skip

    def restore(self, held: Held) -> bool:
        """Go on with the multipliers of another solve; whether they are for the same rows."""
        same = (
            held.shifts.shape == self.equations.shifts.shape and held.calm.shape == self._calm.shape
        )
        if same:
            self._before = held.carried
            self._go_on_with(held)
            self.bounds.restore(held.bounds)
        return same

    def put_back(self, held: Held) -> None:
        """Return to what this stage had at another motion: multipliers, weights and supports."""
        self._go_on_with(held)
        self.bounds.put_back(held.bounds)
        self.supports = held.carried.supports
        self.multipliers.forces[:] = held.carried.forces
        self._set_price()

    def _go_on_with(self, held: Held) -> None:
        self.pressed[:], self._calm[:] = held.wrench, held.calm
        self.equations.shifts[:] = held.shifts

    def evaluate(self, at: IkSolution, first: int, stop: int, slopes: bool = True) -> float:
        """Cost of everything that depends on frames `first` to `stop` (exclusive)."""
        problem = self._problem
        return evaluate_frames(
            max(first - BESIDE, 0), min(stop + BESIDE, self.frames), problem.rig, problem.limits,
            self._price, self._original, at.poses, self.equations, at.misses, self.body,
            self._barrier, self.supports, self.bounds.outside, self.bounds.apart,
            self.multipliers, self.bounds.weights, slopes, self._work, self._torques,
        )  # fmt: skip

    def newton_step(self, first: int, stop: int, damping: Array) -> Array | None:
        """((stop − first) · W,) from the equations last evaluated there, which are used up.

        `damping` (F,) is added to the diagonal, times stiffness. None where the equations are not
        positive definite.
        """
        part = slice(first * self.width, stop * self.width)
        band = self.equations.band[part]
        band[:, 0] += np.outer(damping[first:stop], self.stiffness).ravel()
        step = self.equations.right[part].copy()
        return step if factor_and_solve(band, self.width, REACH, step) else None

    def move(self, at: IkSolution, first: int, stop: int, step: Array, share: float) -> None:
        """Move frames of a motion by a share of a step, in place."""
        take_steps(
            self._problem.blocks, self.width, step, share, at.root_positions_m[first:stop],
            at.rotations_wxyz[first:stop],
        )  # fmt: skip

    def _clip(self, at: IkSolution) -> Clip:
        return replace(
            self._problem.scene.clip,
            root_positions_m=at.root_positions_m,
            rotations_wxyz=rotations.continuous(at.rotations_wxyz),
        )

    def look_again(self, at: IkSolution) -> NDArray[np.bool_]:
        """Weigh more what a motion shows through a filter and should not; (F,) where that is."""
        settings, scene = self._settings, self._problem.scene
        clip, where = self._clip(at), np.zeros(self.frames, dtype=np.bool_)
        if settings.most_peak > 0.0:
            growth = acceleration_growth(clip, self._peaks, settings.most_peak)
            for joint, columns in _rotations_of(self._problem):
                self._calm[:, columns] *= growth[:, [joint]]
                where |= growth[:, joint] > _GROWN
        strong = settings.torque > 0.0 and bool(self.asked.strength.any())
        insists = settings.insistence > 0.0 and self._barrier.rho > 0.0
        if strong or insists:
            seen = seen_of(clip, scene.character, scene.environment, self._schedule, self.asked)
            if strong:
                where |= self.bounds.worsen(torque_severity(seen))
            if insists:
                scale = self.body.scale
                self.supports, near = replanned(clip, seen, self.supports, scale, settings)
                where |= near
        if where.any():
            self._set_price()
        return where

    def bounds_met(self, first: int, stop: int) -> tuple[Indices, ...]:
        """Which bounds (clearance, limbs, torque) had rows at the last evaluation of a stretch."""
        return self.bounds.met(self._beside(first, stop))

    def foresee(self, at: IkSolution, first: int, stop: int, known: tuple[Indices, ...]) -> bool:
        """Give rows to bounds that the motion last evaluated runs into; whether there are any."""
        problem = self._problem
        ranges = foresee_ranges(
            first, stop, problem.limits, problem.blocks, at.rotations_wxyz, self.equations.foreseen
        )
        return self.bounds.foresee(self._beside(first, stop), known) or ranges > 0

    def forget(self) -> None:
        """Bounds that were foreseen are no longer."""
        self.bounds.forget()
        self.equations.foreseen[:] = 0

    def _beside(self, first: int, stop: int) -> slice:
        """A stretch and the frames whose rows depend on it."""
        return slice(max(first - BESIDE, 0), min(stop + BESIDE, self.frames))

    def press(self, where: NDArray[np.bool_], share: float = 1.0) -> None:
        """Multipliers of these frames take over what weights hold at the motion last evaluated.

        Those of contacts by a share of more than one go further, to where they are heading.
        """
        self.pressed[where] = self.multipliers.gradient[where]
        self.equations.shifts[where] += share * self.equations.errors[where]

    def wrench_left(self) -> Array:
        """(F, 6) what no reaction force explains, at the motion last evaluated."""
        if self._barrier.rho == 0.0:
            return np.zeros_like(self.pressed)
        left = (self.multipliers.gradient - self.pressed) / self._barrier.rho
        left[[0, -1]] = 0.0
        left[self.supports.believed == 0] = 0.0
        return left

    def contact_left_m(self, at: IkSolution) -> Array:
        """(F,) how far hard tasks are missed at worst, at the motion last evaluated."""
        off = np.nan_to_num(at.misses * self._levers)
        return np.asarray(off.max(axis=1, initial=0.0))

    def total_force_n(self) -> Array:
        """(F, 3) what the ground does, at the motion last evaluated."""
        supports = self.supports
        owner = np.repeat(np.arange(self.frames), np.diff(supports.first))
        found = np.zeros((self.frames, 3))
        np.add.at(found, owner, self.multipliers.forces[:, :1] * supports.generators[:, :3])
        return found * self.body.scale.weight_n


def _rotations_of(problem: IkProblem) -> list[tuple[int, slice]]:
    """Joints that turn, and their unknowns."""
    blocks = problem.blocks
    return [
        (int(joint), slice(int(column), int(column) + (3 if kind == BALL else 1)))
        for kind, joint, column in zip(blocks.kind, blocks.joint, blocks.column, strict=True)
        if kind != TRANSLATION
    ]


def _mobility(problem: IkProblem, by_joint: Mapping[int, float]) -> Array:
    """(W,) how far each unknown may be displaced against others."""
    found = np.ones(problem.width)
    if problem.blocks.kind[0] == TRANSLATION:
        found[:3] = by_joint.get(-1, 1.0)
    for joint, columns in _rotations_of(problem):
        found[columns] = by_joint.get(joint, 1.0)
    return np.maximum(found, _LEAST_MOBILITY)


def _knees(character: Character) -> set[int]:
    if character.roles is None:
        return set()
    names = (character.roles.joints.get(f"{side}_knee") for side in ("left", "right"))
    return {character.skeleton.index(name) for name in names if name is not None}


def _calm(problem: IkProblem, settings: PhysicsSettings, peaks_rad_s2: Array) -> Array:
    """(W,) how much more the acceleration of a displacement costs.

    In joints that no contact or goal asks to move, and in those that accelerate little in the
    capture, whose largest accelerations are `peaks_rad_s2` (J,).
    """
    busy = {
        above
        for task in problem.tasks
        if task.priority == 1 and task.joint >= 0
        for above in problem.scene.character.skeleton.ancestors(task.joint)
    }
    quiet = np.clip((settings.brisk_rad_s2 / np.maximum(peaks_rad_s2, 1e-9)) ** 2, 1.0, _QUIETEST)
    found = np.full(problem.width, 1.0)
    for joint, columns in _rotations_of(problem):
        found[columns] = max(float(quiet[joint]), 1.0 if joint in busy else settings.calm)
    return found
