"""One solve for a whole clip: contacts, reaction forces, torques and likeness at once.

Newton's method on a merit function, banded in time. Stages make contacts stiffer, the barrier of
the reaction forces thinner and the laws of motion harder; multipliers take over what weights alone
would have to do.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.compiled import borrowing
from poise.contact import ContactSchedule, clip_dynamics, extent_m, touching_points
from poise.ik.packed import Limits, PoseArrays, Rig
from poise.ik.posing import place_joints
from poise.ik.problem import IkProblem, IkSolution, unsolved
from poise.ik.whole_clip import WholeSettings, _fastest, _hard_or_wished, _price, inertia_stiffness
from poise.mechanics import GRAVITY_M_S2, Segments, center_of_mass, forward_kinematics, segment_constants
from poise.motion import Clip
from poise.physics.clearance_rows import Outside, outside_of, put_clearances
from poise.physics.newton_euler_rows import (
    STEPS,
    FrameWork,
    Multipliers,
    Scale,
    Supports,
    add_explained,
    explain,
    make_frame_work,
    over_frames,
    put_steps,
    put_wrench,
    shift_steps,
)
from poise.physics.pose_rows import REACH, Equations, Price, put_frames, take_steps
from poise.physics.supports import SupportSettings, supports_of
from poise.physics.torque_rows import Strength, TorqueWork, make_torque_work, put_torques, strength_of
from poise.solvers import factor_band, solve_band
from poise.solvers.force_barrier import Barrier, make_forces


@dataclass(frozen=True)
class Stage:
    hard: float
    rho: float
    mu: float
    iterations: int = 5


STAGES = (
    Stage(1e4, 100.0, 1e-2),
    Stage(1e5, 100.0, 3e-3),
    Stage(1e6, 300.0, 1e-3),
    Stage(1e6, 300.0, 3e-4),
    Stage(3e6, 900.0, 1e-4),
    Stage(1e7, 900.0, 1e-4),
)


class Body(NamedTuple):
    """Who moves, for the laws of motion."""

    segments: Segments
    strength: Strength
    scale: Scale


class Weights(NamedTuple):
    """Of what is not asked for by tasks."""

    clearance: float
    """Of a metre inside something."""
    torque: float
    """Of a torque beyond strength by the strength itself."""


@dataclass(frozen=True)
class PhysicsSettings:
    likeness: WholeSettings = field(default_factory=WholeSettings)
    supports: SupportSettings = field(default_factory=SupportSettings)
    stages: tuple[Stage, ...] = STAGES
    effort: float = 1e-3
    clearance: float = 3e5
    torque: float = 100.0
    foresight: int = 3
    most: int = 6
    damping: float = 1e-3
    longest: float = 0.5
    wrench: float = 2e-3
    """Good enough: what is left of a frame's wrench."""


@borrowing
def evaluate_clip(
    rig: Rig, limits: Limits, price: Price, original: PoseArrays, poses: PoseArrays,
    equations: Equations, misses: Array, body: Body, barrier: Barrier, supports: Supports,
    outside: Outside, multipliers: Multipliers, weights: Weights, slopes: bool, work: FrameWork,
    torques: TorqueWork,
) -> float:  # fmt: skip
    """Fill the normal equations at a motion; returns what it costs."""
    cost = put_frames(rig, limits, price, original, poses, equations, misses)
    tree, blocks, width, pose = rig.tree, rig.blocks, rig.width, rig.work
    band, right, scale, segments = equations.band, equations.right, body.scale, body.segments
    frames = len(poses.roots)
    lawful = frames >= STEPS and barrier.rho > 0.0
    if lawful:
        put_steps(0, 1, poses.locals, slopes, work)
    for f in range(frames):
        place_joints(tree, f, poses.roots[f], poses.locals[f], pose)
        if weights.clearance > 0.0:
            cost += put_clearances(
                f, tree, blocks, width, outside, weights.clearance, slopes, pose, equations.row,
                band, right,
            )  # fmt: skip
        if not lawful or f == 0 or f == frames - 1:
            continue
        shift_steps(slopes, work)
        put_steps(f, 1, poses.locals, slopes, work)
        if supports.enforced[f] == 0:
            continue
        strong = weights.torque > 0.0
        put_wrench(f, segments, blocks, width, poses, scale, supports, slopes, strong, work)
        cost += 2.0 * explain(f, barrier, supports, multipliers, work)
        if slopes:
            over_frames(work.by, 6, blocks, tree, width, scale.rate_hz, work.turns, work.rows, pose)
        if strong:
            cost += put_torques(
                f, segments, tree, blocks, width, scale, supports, multipliers.forces,
                body.strength, weights.torque, slopes, pose, work, torques, band, right,
            )  # fmt: skip
        if slopes:
            add_explained(f, width, supports, multipliers.gradient[f], work, band, right)
    return cost


def segments_of(character: Character) -> Segments:
    body = character.body
    return Segments(
        character.skeleton.parents, segment_constants(character.skeleton, body),
        np.array(GRAVITY_M_S2, dtype=np.float64), body.total_mass_kg,
    )  # fmt: skip


def usual_wrench(clip: Clip, character: Character, scale: Scale) -> Array:
    """(F, 6) what the motion itself asks of the surroundings, moment about its centre of mass."""
    asked = clip_dynamics(clip, character, None)
    force = asked.outer_force_n / scale.weight_n
    moment = asked.outer_moment_nm / (scale.weight_n * scale.length_m)
    return np.ascontiguousarray(np.concatenate([force, moment], axis=1))


def solve_physics(
    problem: IkProblem, schedule: ContactSchedule, settings: PhysicsSettings | None = None,
    start: IkSolution | None = None, fastest_rad_s: Array | None = None, trace=None,
) -> tuple[IkSolution, Multipliers]:
    settings = settings or PhysicsSettings()
    character, clip, environment = problem.scene.character, problem.scene.clip, problem.scene.environment
    at = unsolved(problem, start)
    fastest = _fastest(problem, fastest_rad_s)
    problem = _hard_or_wished(problem)
    stiffness = inertia_stiffness(problem)
    equations = _room(problem)
    frames, width = clip.frame_count, problem.width
    scale = Scale(character.body.total_mass_kg * 9.81, extent_m(clip.skeleton), clip.rate_hz)
    body = Body(segments_of(character), strength_of(character, frames), scale)
    pressed = np.zeros((frames, 6))
    original = PoseArrays(clip.root_positions_m, clip.rotations_wxyz)
    work = make_frame_work(clip.skeleton.joint_count, width)
    torques = make_torque_work(clip.skeleton.joint_count, width)
    hard_before = 0.0
    usual = usual_wrench(clip, character, scale)
    for number, stage in enumerate(settings.stages):
        state = forward_kinematics(clip.skeleton, at.root_positions_m, at.rotations_wxyz)
        touched = touching_points(state, character, schedule, environment)
        com = center_of_mass(state, character.body)
        supports = supports_of(touched, com, scale.length_m, clip.rate_hz, settings.supports, usual)
        outside = outside_of(state, character, environment)
        weights = Weights(settings.clearance, settings.torque)
        multipliers = Multipliers(pressed, np.zeros((frames, 6)), make_forces(supports.caps, stage.mu))
        price = _price(problem, settings.likeness, stage.hard, stiffness, fastest)
        barrier = Barrier(stage.rho, stage.mu, settings.effort)
        if hard_before:
            equations.shifts[:] *= hard_before / stage.hard
        hard_before = stage.hard

        def evaluate(at, slopes):
            return evaluate_clip(
                problem.rig, problem.limits, price, original, at.poses, equations, at.misses,
                body, barrier, supports, outside, multipliers, weights, slopes, work, torques,
            )

        cost = evaluate(at, True)
        for i in range(stage.iterations):
            before, promised, largest, share, tries = cost, 0.0, 0.0, 1.0, 0
            was = outside.inside.copy(), body.strength.beyond.copy()
            while True:
                damped = np.tile(price.stiffness, frames) * (settings.damping * price.place)
                step = equations.right.copy()
                equations.band[:, 0] += damped
                if not factor_band(equations.band, width, REACH):
                    raise ValueError("not definite")
                solve_band(equations.band, width, REACH, step)
                largest = float(np.abs(step).max())
                share = min(1.0, settings.longest / max(largest, 1e-300))
                tried = _moved(problem, at, step, share)
                then = evaluate(tried, True)
                tries += 1
                if then <= cost or tries > settings.foresight:
                    break
                # Say what the step ran into, and solve for another one that knows.
                inside = outside.inside & ~was[0] & ~outside.foreseen
                beyond = body.strength.beyond
                new = (beyond != 0) & (was[1] == 0) & (body.strength.foreseen == 0)
                if not (new.any() or inside.any()):
                    break
                outside.foreseen[:] |= inside
                body.strength.foreseen[new] = beyond[new]
                evaluate(at, True)
            known = outside.foreseen.any() or body.strength.foreseen.any()
            outside.foreseen[:] = 0
            body.strength.foreseen[:] = 0
            for _ in range(6):
                if then <= cost:
                    break
                share *= 0.4
                tried = _moved(problem, at, step, share)
                then = evaluate(tried, True)
                known = False
            if then > cost:
                break
            if known:
                then = evaluate(tried, True)
            at, cost = tried, then
            if trace is not None:
                trace(number, i, before, cost, largest, share, equations, multipliers, at, tries)
            if before - cost < 1e-3 * abs(cost):
                break
        evaluate(at, False)
        multipliers.wrench[:] = multipliers.gradient
        if stage.hard >= 1e6:
            equations.shifts[:] += equations.errors
    return at, multipliers


def _moved(problem: IkProblem, at: IkSolution, step: Array, share: float) -> IkSolution:
    tried = at.copy()
    take_steps(
        problem.blocks, problem.width, step, share, tried.root_positions_m, tried.rotations_wxyz
    )
    return tried


def _room(problem: IkProblem) -> Equations:
    frames, width = problem.scene.clip.frame_count, problem.width
    size = frames * width
    rows = len(problem.work.errors)
    return Equations(
        np.empty((size, REACH * width)), np.empty(size), np.empty((frames, width)),
        np.zeros((frames, 3, width)), np.zeros((frames, 4)), np.zeros(REACH * width),
        np.zeros(REACH * width, dtype=np.int64), np.zeros((len(problem.limits.block), 3)),
        np.zeros((len(problem.limits.block), 3), dtype=np.int64),
        np.zeros((len(problem.tasks), 3, width)), np.zeros((len(problem.tasks), 3)),
        np.zeros(len(problem.tasks), dtype=np.int64), np.zeros((frames, rows)),
        np.zeros((frames, rows)),
    )  # fmt: skip
