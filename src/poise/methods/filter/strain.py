"""Joints near the end of their strength, and how the ground shares what it carries (Eq. 9).

Torques are those of inverse dynamics less what the ground takes off: its forces come from
`contact.reaction_forces`, which also say how two standing legs share the weight.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from poise import rotations
from poise.arrays import Array, Indices
from poise.character import Character
from poise.compiled import inner_borrowing
from poise.contact import (
    ClipDynamics,
    ReactionForces,
    TouchingPoints,
    extent_m,
    joint_torques,
    reaction_forces,
)
from poise.ik import ANGLE, BALL, Blocks, Limits, Tree, Work, limited_numbers, turned_rotation
from poise.mechanics import BodyState, JointForces, center_of_mass, momentum_rate
from poise.methods.filter.dynamic_state import Motion
from poise.methods.filter.law_rows import Strain
from poise.motion import Clip, Derivatives

# Joints beyond the ends of their ranges, as rows that must not be positive.
#
# A joint's numbers are those of `poise.ik.limits`: swing and twist about anatomical axes, the
# components of a rotation vector, or the angle of a hinge.
_NOTICED_RAD = 1e-4


@inner_borrowing
def unlock(limits: Limits, work: Work) -> None:
    """Forget what was beyond its limit: a frame begins."""
    for l in range(len(limits.block)):
        work.locked[l] = 0


@inner_borrowing
def leaves_range(limits: Limits, blocks: Blocks, local: Array, work: Work) -> bool:
    """Whether a number is beyond its limit that was not held there yet."""
    for l in range(len(limits.block)):
        q = local[blocks.joint[limits.block[l]]]
        n = limited_numbers(limits, l, q[0], q[1], q[2], q[3])
        for c in range(3):
            beyond = max(n[c] - limits.high[l, c], limits.low[l, c] - n[c])
            if beyond > _NOTICED_RAD and work.locked[l] & (1 << c) == 0:
                return True
    return False


@inner_borrowing
def put_ranges(
    limits: Limits, tree: Tree, blocks: Blocks, width: int, lengths: Array, work: Work,
    local: Array, row: int, center: Array, plus: Array, minus: Array,
) -> int:  # fmt: skip
    """Rows from `row` on, at a pose and at its sigma points; returns how many there are.

    Joints are placed in `work`. Numbers that are beyond their limit are marked in `work.locked`,
    and marked ones have rows wherever they are.
    """
    k = row
    for s in range(width if len(limits.block) > 0 else 0):
        work.step[s] = 0.0
    for l in range(len(limits.block)):
        b = limits.block[l]
        q = local[blocks.joint[b]]
        now = limited_numbers(limits, l, q[0], q[1], q[2], q[3])
        size = 3 if blocks.kind[b] == BALL else 1
        for c in range(1 if limits.kind[l] == ANGLE else 3):
            for side in range(2):
                sign = 1.0 if side == 0 else -1.0
                limit = limits.high[l, c] if side == 0 else limits.low[l, c]
                beyond = sign * (now[c] - limit)
                held = work.locked[l] & (1 << c) != 0
                nearer = sign * (2.0 * now[c] - limits.high[l, c] - limits.low[l, c]) >= 0.0
                if not (beyond > 0.0 or (held and nearer)):
                    continue
                if beyond > 0.0:
                    work.locked[l] |= 1 << c
                center[k] = beyond
                for s in range(width):
                    plus[s, k], minus[s, k] = beyond, beyond
                for s in range(blocks.column[b], blocks.column[b] + size):
                    for way in range(2):
                        work.step[s] = lengths[s] if way == 0 else -lengths[s]
                        t = turned_rotation(tree, blocks, b, local, work.step, 1.0, work)
                        n = limited_numbers(limits, l, t[0], t[1], t[2], t[3])
                        if way == 0:
                            plus[s, k] = sign * (n[c] - limit)
                        else:
                            minus[s, k] = sign * (n[c] - limit)
                    work.step[s] = 0.0
                k += 1
    return k - row


def most_ranges(limits: Limits) -> int:
    """Rows that one frame has at most."""
    return int(np.isfinite(limits.low).sum() + np.isfinite(limits.high).sum())


_NEAR = 0.6
"""Torques beyond this share of the limit are watched: a round may raise them over it."""

_WITHIN = 0.98
"""Torques are kept within this share of the limit: the last kinematic round moves them a little."""


def no_strain(frames: int, joints: int) -> Strain:
    """Nothing is asked of strength."""
    none = np.zeros(0, dtype=np.int64)
    return Strain(
        np.zeros(frames + 1, dtype=np.int64), none, np.zeros((0, 3)), np.zeros(0), np.zeros(0),
        np.zeros((0, joints), dtype=np.int64), np.zeros((frames, 0)), np.zeros((frames, 0, 6)),
        np.zeros((frames, 6)),
    )  # fmt: skip


def strain_of(
    motion: Motion,
    clip: Clip,
    character: Character,
    state: BodyState,
    forces: JointForces,
    touched: TouchingPoints,
    limited: NDArray[np.bool_],
) -> Strain:
    """The rows of all frames in which strength is `limited`."""
    dynamics = _dynamics(motion, clip, character, state, forces)
    reaction = reaction_forces(dynamics, touched)
    torques = joint_torques(dynamics, reaction).joint_moments_nm
    axes, limits = _limits(character)
    # (F, J, K) torque about each limited axis; the bound on the side it is on is its unit.
    about = np.einsum("fjc,jkc->fjk", torques, axes)
    unit = np.where(about < 0.0, -limits[..., 0], limits[..., 1])
    near = np.isfinite(unit) & (unit > 0.0) & (np.abs(about) > _NEAR * unit)
    near &= limited[:, None, None]
    frame, joint, axis = np.nonzero(near)
    unit = unit[near]
    low, high = limits[joint, axis, 0] / unit, limits[joint, axis, 1] / unit
    share, given = _shared(reaction, state)
    return Strain(
        np.searchsorted(frame, np.arange(len(motion.roots) + 1)).astype(np.int64),
        joint.astype(np.int64), np.ascontiguousarray(axes[joint, axis] / unit[:, None]),
        _WITHIN * low, _WITHIN * high,
        _above(touched, character), share, given,
        np.concatenate([forces.root_force_n, forces.root_moment_nm], axis=1),
    )  # fmt: skip


def _dynamics(
    motion: Motion, clip: Clip, character: Character, state: BodyState, forces: JointForces
) -> ClipDynamics:
    body = character.body
    assert body is not None
    derivatives = Derivatives(
        motion.root_velocities, motion.root_accelerations, motion.omega, motion.alpha
    )
    moving = replace(clip, root_positions_m=motion.roots, rotations_wxyz=motion.local)
    com = center_of_mass(state, body)
    moment = momentum_rate(state, body, forces).moment_nm
    return ClipDynamics(
        moving, body, state, derivatives, forces, com, forces.root_force_n, moment, None,
        extent_m(clip.skeleton),
    )  # fmt: skip


def _limits(character: Character) -> tuple[Array, Array]:
    """(J, 3, 3) axes in joint frames, and (J, 3, 2) lowest and highest torque about them."""
    skeleton = character.skeleton
    count, hinges = skeleton.joint_count, skeleton.freedoms == 1
    if character.strength is not None:
        own = character.strength.axes.own_wxyz
        axes = rotations.rotate(own[:, None], np.tile(np.eye(3), (count, 1, 1)))
        limits = np.array(character.strength.limits_nm)
        along = skeleton.hinge_axes[hinges]
        # A hinge feels a torque only along itself, whatever anatomical axis it is near.
        axes[hinges] = np.einsum("jkc,jc->jk", axes[hinges], along)[..., None] * along[:, None]
    else:
        axes = np.tile(np.eye(3), (count, 1, 1))
        axes[hinges] = 0.0
        axes[hinges, 0] = skeleton.hinge_axes[hinges]
        largest = np.array(character.torque_limits_nm)
        largest[np.arange(3) >= skeleton.freedoms[:, None]] = np.inf
        limits = np.stack([-largest, largest], axis=-1)
    fixed = skeleton.freedoms == 0
    fixed[0] = True  # what acts on the root is no muscle's
    limits[fixed] = (-np.inf, np.inf)
    return axes, limits


def _shared(reaction: ReactionForces, state: BodyState) -> tuple[Array, Array]:
    """(F, P) share of each part in what the ground carries, (F, P, 6) what it carries."""
    points, parts = reaction.points, len(reaction.points.parts)
    frames = state.frame_count
    given = np.zeros((frames, parts, 6))
    arms = points.places_m - state.positions_m[:, :1]
    moments = np.cross(arms, reaction.forces_n)
    for p in range(parts):
        mine = points.owners == p
        given[:, p, :3] = reaction.forces_n[:, mine].sum(axis=1)
        given[:, p, 3:] = moments[:, mine].sum(axis=1) + reaction.torques_nm[:, p]
    size = np.linalg.norm(given[..., :3], axis=-1)
    total = size.sum(axis=1, keepdims=True)
    share = np.divide(size, total, out=np.zeros_like(size), where=total > 1e-9)
    return share, given


def _above(touched: TouchingPoints, character: Character) -> Indices:
    """(P, J) 1 where a part's first point hangs on the joint."""
    skeleton = character.skeleton
    above = np.zeros((len(touched.parts), skeleton.joint_count), dtype=np.int64)
    for p in range(len(touched.parts)):
        first = int(touched.joints[touched.owners == p][0])
        above[p, list(skeleton.ancestors(first))] = 1
    return above
