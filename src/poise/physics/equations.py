"""Everything a motion has to answer for, as one merit function and its normal equations."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.compiled import borrowing
from poise.contact import ClipDynamics, clip_dynamics, extent_m
from poise.ik import Limits, PoseArrays, Rig, place_joints
from poise.mechanics import GRAVITY_M_S2, Segments, segment_constants
from poise.motion import Clip
from poise.physics.clearance_rows import Outside, put_clearances
from poise.physics.likeness_rows import Equations, Price, put_frames
from poise.physics.newton_euler_rows import (
    STEPS,
    FrameWork,
    Multipliers,
    Scale,
    Supports,
    add_explained,
    explain,
    over_frames,
    put_steps,
    put_wrench,
    shift_steps,
)
from poise.physics.self_clearance_rows import Apart, put_self_clearances
from poise.physics.torque_rows import Strength, TorqueWork, put_torques, strength_of
from poise.solvers import Barrier


class Body(NamedTuple):
    """Who moves, for the laws of motion."""

    segments: Segments
    strength: Strength
    scale: Scale


class Weights(NamedTuple):
    """Of what no task asks for."""

    clearance: Array
    """(F,) of a metre inside something, or of limbs inside each other."""
    torque: Array
    """(F,) of a torque beyond strength by the strength itself."""


def body_of(character: Character, clip: Clip) -> Body:
    """The body of a clip's character, which has one."""
    body, skeleton = character.body, character.skeleton
    assert body is not None
    gravity = np.array(GRAVITY_M_S2, dtype=np.float64)
    weight_n = body.total_mass_kg * float(np.linalg.norm(gravity))
    return Body(
        Segments(skeleton.parents, segment_constants(skeleton, body), gravity, body.total_mass_kg),
        strength_of(character, clip.frame_count),
        Scale(weight_n, extent_m(skeleton), clip.rate_hz),
    )


def usual_wrench(clip: Clip, character: Character, scale: Scale) -> Array:
    """(F, 6) what a motion itself asks of the surroundings, moment about its centre of mass."""
    return wrench_of(clip_dynamics(clip, character, None), scale)


def wrench_of(dynamics: ClipDynamics, scale: Scale) -> Array:
    """(F, 6) body weights, and body weight × stature about the centre of mass."""
    force = dynamics.outer_force_n / scale.weight_n
    moment = dynamics.outer_moment_nm / (scale.weight_n * scale.length_m)
    return np.ascontiguousarray(np.concatenate([force, moment], axis=1))


def capture_wrench(clip: Clip, character: Character) -> Array:
    """(F, 6) what a clip asks of the surroundings: body weights, body weight × stature."""
    return usual_wrench(clip, character, body_of(character, clip).scale)


@borrowing
def evaluate_frames(
    first: int, stop: int, rig: Rig, limits: Limits, price: Price, original: PoseArrays,
    poses: PoseArrays, equations: Equations, misses: Array, body: Body, barrier: Barrier,
    supports: Supports, outside: Outside, apart: Apart, multipliers: Multipliers,
    weights: Weights, slopes: bool, work: FrameWork, torques: TorqueWork,
) -> float:  # fmt: skip
    """Cost of frames `first` to `stop` (exclusive); with `slopes`, the normal equations as well.

    Rows that reach beyond these frames are left out: with two frames more on either side, all that
    depends on a stretch is there.

    Args:
        first: frame, and
        stop: one past the last.
        rig: figure, unknowns and tasks.
        limits: of the joints' ranges.
        price: of displacements and missed tasks.
        original: the motion to stay close to.
        poses: the motion.
        equations: out, costs by frame included.
        misses: (F, T) out: how far tasks are missed.
        body: who moves.
        barrier: of the reaction forces; ρ of zero leaves the laws of motion out.
        supports: what can carry the body.
        outside: planes that points stay above.
        apart: limbs that stay out of each other.
        multipliers: in and out.
        weights: of what no task asks for.
        slopes: whether the equations are wanted, or only costs and errors.
        work: scratch.
        torques: scratch.
    """
    put_frames(first, stop, rig, limits, price, original, poses, slopes, equations, misses)
    tree, blocks, width, pose = rig.tree, rig.blocks, rig.width, rig.work
    band, right, scale, segments = equations.band, equations.right, body.scale, body.segments
    total = 0.0
    lawful = stop - first >= STEPS and barrier.rho > 0.0
    if lawful:
        put_steps(first, 1, poses.locals, slopes, work)
    for f in range(first, stop):
        cost = equations.costs[f]
        place_joints(tree, f, poses.roots[f], poses.locals[f], pose)
        clearance, strong = weights.clearance[f], weights.torque[f] > 0.0
        if clearance > 0.0:
            cost += put_clearances(
                f, tree, blocks, width, outside, clearance, slopes, pose, equations.row,
                band, right,
            )  # fmt: skip
            cost += put_self_clearances(
                f, tree, blocks, width, apart, clearance, slopes, pose, equations.row,
                band, right,
            )  # fmt: skip
        if lawful and first < f < stop - 1:
            shift_steps(slopes, work)
            put_steps(f, 1, poses.locals, slopes, work)
        if not lawful or f == first or f == stop - 1 or supports.believed[f] == 0:
            equations.costs[f] = cost
            total += cost
            continue
        put_wrench(f, segments, blocks, width, poses, scale, supports, slopes, strong, work)
        cost += 2.0 * explain(f, barrier, supports, multipliers, work)
        if slopes:
            over_frames(work.by, 6, blocks, tree, width, scale.rate_hz, work.turns, work.rows, pose)
        if strong:
            cost += put_torques(
                f, segments, tree, blocks, width, scale, supports, multipliers.forces,
                body.strength, weights.torque[f], slopes, pose, work, torques, band, right,
            )  # fmt: skip
        if slopes:
            add_explained(f, width, supports, multipliers.gradient[f], work, band, right)
        equations.costs[f] = cost
        total += cost
    return total
