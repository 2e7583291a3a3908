"""Dynamic rounds of a whole clip as one physics solve: constraints, contacts, balance, strength.

The paper's rounds take back in part what the last one did. Here nothing takes turns:
`poise.physics` asks for all of it at once, close to the input, and starts from what kinematic
rounds have sketched.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter1d, uniform_filter1d

from poise.arrays import Array
from poise.constraints import Recruits, Scene, Task
from poise.contact import UNLIMITED, clip_dynamics, reaction_forces, touching_points
from poise.errors import BadValue
from poise.footing import moving_joints
from poise.methods.edit import Edit
from poise.methods.filter.demands import frames_in
from poise.methods.filter.problem import Problem, mobility_of
from poise.motion import Clip, splines
from poise.physics import (
    LAWLESS,
    Asked,
    PhysicsSettings,
    PhysicsSolution,
    Stage,
    WholeSettings,
    capture_wrench,
    solve_clip,
)

_BARRIER = 1e-3, 3e-2
"""Weight of the barrier for an input that obeys, and for one that does not: reaction forces then
keep clear of the edges of the support, so that the result is in balance not only at one cutoff of
its accelerations. A motion that obeys as it is hardly changes."""
_OFTEN = 0.25
"""An input that does not obey in this share of its frames gets all of it."""
_KNOBS = PhysicsSettings(
    likeness=WholeSettings(place=60.0, acceleration_s=0.2, range=3e4, speed=2e6),
    root=1.0, knee=1.0, brisk_rad_s2=0.0, inset_m=0.01, least_grip=0.3, torque=100.0,
    clearance=0.0, most_peak=0.0, insistence=0.0, looks=8, fading=False,
)  # fmt: skip
"""The root is no stiffer than its inertia says: feet that are set elsewhere take it along. Surfaces
are not looked at: constraints may put feet below them, as captures do. The input's wrench is hardly
asked for. A second look is for torques only: the others weigh what the input does against what
constraints ask."""
_HARDEST_WISH = 1e6
"""What missing a soft constraint by a metre costs at most."""
_LIKE_INPUT = 1.0, 1.0
"""What it costs to ask a body weight (and one times stature) more or less of the ground than the
input does: little, on another body or with feet elsewhere it has to."""
_SLOW_HZ = 50.0
"""Clips of slower cameras are taken as they are: in these, noise cannot be told from motion."""
_FADE_S = 0.1
"""From frames in which noise is taken out to those in which it stays, twice."""
_STEADY = 10.0, 100.0
"""The same against what the ground can do of the wrench that the first solve asks for, smoothed:
forces do not tremble from frame to frame."""


def obeying(problem: Problem, sketch: Clip | None) -> PhysicsSolution:
    """The motion nearest to the input that meets constraints, contacts and the laws of motion.

    Args:
        problem: what is asked.
        sketch: where to begin, if not with the input: of several motions that do what is asked, one
            near it is found.
    """
    edit, contacts = problem.edit, problem.contacts
    assert contacts is not None
    if edit.clip.moving_joints:
        raise BadValue("moving_joints", "none in dynamic rounds", edit.clip.moving_joints)
    asked = asked_of(problem)
    clip = _without_noise(edit.clip, problem.cutoff_hz, asked.laws)
    scene, moves = Scene(clip, edit.character, edit.environment), _moving(edit)
    tasks, wish = _weighed(problem, moves)
    barrier = _barrier(problem)
    stages = Stage(1e5, 100.0, max(barrier, 1e-2)), Stage(1e7, 900.0, barrier)
    knobs = replace(_KNOBS, likeness=replace(_KNOBS.likeness, wish=wish), stages=stages)

    def solve(
        usual: Array, costs: tuple[float, float], start: PhysicsSolution | None
    ) -> PhysicsSolution:
        force, moment = costs
        likely = replace(knobs, wrench_likeness=force, moment_likeness=moment)
        return solve_clip(
            scene, tasks, contacts, likely, also=Recruits(moves, True), asked=asked,
            usual=usual, mobility=mobility_of(problem), start=start,
        )  # fmt: skip

    usual = capture_wrench(clip, edit.character)
    found = solve(usual, _LIKE_INPUT, None if sketch is None else _as_start(sketch))
    if clip.frame_count < splines.SHORTEST:
        return found
    # Supports are where the feet have come to; flights are believed as they were.
    aloft = np.asarray(~contacts.touching.any(axis=1))
    roots, turns = found.pose
    made = replace(edit.clip, root_positions_m=roots, rotations_wxyz=turns)
    steady = np.where(aloft[:, None], usual, _possible_wrench(problem, made)[0])
    return solve(steady, _STEADY, found)


def asked_of(problem: Problem) -> Asked:
    """Frames in which the laws of motion and strength are asked for."""
    settings, contacts = problem.settings, problem.contacts
    assert contacts is not None
    frames, touching = contacts.frame_count, np.asarray(contacts.touching.any(axis=1))
    laws = np.where(
        touching, frames_in(settings.balance, frames), frames_in(settings.flight, frames)
    )
    return Asked(laws, frames_in(settings.torque, frames))


def _without_noise(clip: Clip, cutoff_hz: float | None, where: NDArray[np.bool_]) -> Clip:
    """A clip within the band that its derivatives are good for: forces do not follow the rest.

    Frames far from those `where` forces are asked for keep all of it.
    """
    frames, rate = clip.frame_count, clip.rate_hz
    if cutoff_hz is None or frames < splines.SHORTEST or rate < _SLOW_HZ or not where.any():
        return clip
    size = 1 + 2 * round(_FADE_S * rate)
    near = maximum_filter1d(where.astype(np.float64), size)
    share = uniform_filter1d(near, size)[:, None]
    columns = np.concatenate(
        [clip.root_positions_m, clip.rotations_wxyz.reshape(frames, -1)], axis=1
    )
    columns = columns + share * (splines.smooth(columns, rate, cutoff_hz).values - columns)
    turns = columns[:, 3:].reshape(clip.rotations_wxyz.shape)
    return replace(
        clip,
        root_positions_m=columns[:, :3],
        rotations_wxyz=turns / np.linalg.norm(turns, axis=-1, keepdims=True),
    )


def _moving(edit: Edit) -> NDArray[np.bool_]:
    """(J,) joints that move in the clip or that a body has; others are bones cut in two."""
    character = edit.character
    moves = moving_joints(edit.clip)
    if character.roles is None:
        return character.skeleton.freedoms > 0
    for name in character.roles.joints.values():
        moves[character.skeleton.index(name)] = True
    return moves


def _weighed(problem: Problem, moves: NDArray[np.bool_]) -> tuple[list[Task], float]:
    """Tasks with soft ones as wishes, and what missing the heaviest of these costs."""
    settings = problem.settings
    place = _KNOBS.likeness.place
    found: list[Task] = []
    heaviest = 0.0
    for task in problem.ik.tasks:
        joints = task.recruits.joints & moves
        if joints.any():
            task = replace(task, recruits=Recruits(joints, task.recruits.translation))
        noise = settings.noise.get(task.name, 0.0)
        if noise > 0.0 and task.kind != "center":
            weight = min(place * settings.process_variance / noise, _HARDEST_WISH)
            task = replace(task, priority=2, weight=weight)
            heaviest = max(heaviest, weight)
        found.append(task)
    return found, heaviest


def _as_start(sketch: Clip) -> PhysicsSolution:
    frames, roots, turns = sketch.frame_count, sketch.root_positions_m, sketch.rotations_wxyz
    nothing = np.zeros((frames, 6)), np.zeros((frames, 3))
    return PhysicsSolution(roots, turns, {}, *nothing, steps=0.0, rate_hz=sketch.rate_hz)


def _barrier(problem: Problem) -> float:
    """Weight of the barrier, by how often the input asks for what the ground cannot do."""
    asked = asked_of(problem).laws
    if not asked.any() or problem.edit.clip.frame_count < splines.SHORTEST:
        return _BARRIER[0]
    _, missing = _possible_wrench(problem, problem.edit.clip)
    share = float((np.abs(missing[asked]).max(axis=1) > LAWLESS).mean())
    return _BARRIER[0] + min(1.0, share / _OFTEN) * (_BARRIER[1] - _BARRIER[0])


def _possible_wrench(problem: Problem, clip: Clip) -> tuple[Array, Array]:
    """(F, 6) what the ground can do of what a motion asks for, smoothed; and the rest of it."""
    edit = problem.edit
    assert problem.contacts is not None
    dynamics = clip_dynamics(clip, edit.character)
    touched = touching_points(dynamics.state, edit.character, problem.contacts, edit.environment)
    given = reaction_forces(dynamics, touched, UNLIMITED)
    unit = np.repeat([dynamics.weight_n, dynamics.weight_n * dynamics.length_m], 3)
    asked = np.concatenate([dynamics.outer_force_n, dynamics.outer_moment_nm], axis=1) / unit
    missing = np.concatenate([given.missing_force_n, given.missing_moment_nm], axis=1) / unit
    return asked - missing, missing
