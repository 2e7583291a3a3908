"""One dynamic round as in the paper: the Kalman filter, then the least-squares filter."""

from __future__ import annotations

import numpy as np

from poise import rotations
from poise.arrays import Array, Indices
from poise.character import Character
from poise.contact import ContactSchedule, intervals
from poise.errors import BadValue
from poise.ik import IkProblem
from poise.mechanics import GRAVITY_M_S2, Segments, segment_constants
from poise.methods.filter.curve_fit import CurveFit
from poise.methods.filter.demands import SHORTEST_FLIGHT
from poise.methods.filter.dynamic_frames import Laws, filter_dynamic_frames
from poise.methods.filter.dynamic_state import Motion, make_batch
from poise.methods.filter.kinematic_frames import SAMPLED, Prior, make_rows
from poise.methods.filter.law_rows import FLIGHT_ROWS, Demands
from poise.methods.filter.law_slopes import make_rates
from poise.methods.filter.sliding_fit import component_rates, onto_rotations
from poise.methods.filter.strain import most_ranges
from poise.motion import Clip, differentiate


def motion_of(
    clip: Clip, cutoff_hz: float | None, contacts: ContactSchedule | None = None
) -> Motion:
    """A clip and its derivatives on arrays of their own.

    Each flight is differentiated by itself, so that push-off and landing do not smear into it.
    """
    d = differentiate(clip, cutoff_hz)
    motion = Motion(
        clip.root_positions_m.copy(), d.root_velocities_m_s.copy(),
        d.root_accelerations_m_s2.copy(), clip.rotations_wxyz.copy(),
        d.angular_velocities_rad_s.copy(), d.angular_accelerations_rad_s2.copy(),
    )  # fmt: skip
    aloft = np.zeros(clip.frame_count, dtype=np.bool_)
    if contacts is not None:
        aloft[:] = ~contacts.touching.any(axis=1)
    for first, stop in intervals(aloft):
        if stop - first >= SHORTEST_FLIGHT:
            alone = differentiate(clip.sliced(first, stop), cutoff_hz)
            motion.root_velocities[first:stop] = alone.root_velocities_m_s
            motion.root_accelerations[first:stop] = alone.root_accelerations_m_s2
            motion.omega[first:stop] = alone.angular_velocities_rad_s
            motion.alpha[first:stop] = alone.angular_accelerations_rad_s2
    return motion


def segments_of(character: Character, clip: Clip) -> Segments:
    """The body for the compiled loop."""
    body = character.body
    if body is None:
        raise BadValue("character.body", "segment masses (see complete_character)", None)
    if clip.moving_joints:
        raise BadValue("moving_joints", "none in dynamic rounds", clip.moving_joints)
    return Segments(
        character.skeleton.parents, segment_constants(character.skeleton, body),
        np.array(GRAVITY_M_S2), body.total_mass_kg,
    )  # fmt: skip


def dynamic_round(
    motion: Motion,
    ik: IkProblem,
    segments: Segments,
    prior: Prior,
    noise: Array,
    demands: Demands,
    fit: CurveFit,
    way: int,
) -> tuple[Motion, Indices]:
    """The motion after one round, and what came of every frame (see `filter_dynamic_frames`)."""
    frames, joints = motion.local.shape[:2]
    after = Motion(*(array.copy() for array in motion))
    dropped = np.zeros(frames, dtype=np.int64)
    strained = int(np.diff(demands.strain.first).max(initial=0))
    tasks = int(ik.packed.rows.sum()) + most_ranges(prior.limits)
    rows = make_rows(tasks + FLIGHT_ROWS + strained, 3 * ik.width)
    batch = make_batch(ik.width if way == SAMPLED else 0, joints)
    laws = Laws(segments, demands, batch, make_rates(joints, ik.width))
    step = np.zeros(3 * ik.width)
    filter_dynamic_frames(
        0, frames - 1, way, ik.rig, prior, noise, laws, rows, step, after, dropped
    )
    return _made_consistent(motion, after, fit), dropped


def _made_consistent(before: Motion, after: Motion, fit: CurveFit) -> Motion:
    """The least-squares filter (section 6), on what the Kalman filter added.

    The fit is linear, so the input keeps its own detail, and what was added becomes a curve whose
    places, velocities and accelerations belong together.
    """
    frames = len(before.roots)
    q, p = before.local, after.local
    p = np.where(np.sum(p * q, axis=-1, keepdims=True) < 0.0, -p, p)
    first, second = component_rates(q, before.omega, before.alpha)
    new_first, new_second = component_rates(p, after.omega, after.alpha)
    added = np.concatenate([after.roots - before.roots, (p - q).reshape(frames, -1)], axis=1)
    speed = np.concatenate(
        [after.root_velocities - before.root_velocities, (new_first - first).reshape(frames, -1)],
        axis=1,
    )
    rate = np.concatenate(
        [
            after.root_accelerations - before.root_accelerations,
            (new_second - second).reshape(frames, -1),
        ],
        axis=1,
    )
    a, v, w = fit.fit(added, speed, rate)
    turned, omega, alpha = onto_rotations(
        q + a[:, 3:].reshape(q.shape),
        first + v[:, 3:].reshape(q.shape),
        second + w[:, 3:].reshape(q.shape),
    )
    return Motion(
        before.roots + a[:, :3], before.root_velocities + v[:, :3],
        before.root_accelerations + w[:, :3], rotations.continuous(turned), omega, alpha,
    )  # fmt: skip
