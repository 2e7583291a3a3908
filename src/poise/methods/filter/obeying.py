"""Dynamic rounds of a whole clip as one physics solve: constraints, contacts, balance, strength.

The paper's rounds take back in part what the last one did. Here nothing takes turns:
`poise.physics` asks for all of it at once, close to the input, and starts from what kinematic
rounds have sketched.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

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
    Asked,
    PhysicsSettings,
    PhysicsSolution,
    Stage,
    capture_wrench,
    solve_clip,
)

_BARRIER = 3e-2
"""Weight of the barrier, far more than other methods have: reaction forces keep clear of the edges
of the support. An edit is to be in balance however its accelerations are smoothed; who corrects a
capture stays nearer to it."""
_STAGES = Stage(1e5, 100.0, _BARRIER), Stage(1e7, 900.0, _BARRIER)
_KNOBS = PhysicsSettings(root=1.0, clearance=0.0, stages=_STAGES)
"""The root is no stiffer than its inertia says: feet that are set elsewhere take it along. Surfaces
are not looked at: constraints may put feet below them, as captures do."""
_HARDEST_WISH = 1e6
"""What missing a soft constraint by a metre costs at most."""
_LIKE_INPUT = 1.0, 1.0
"""What it costs to ask a body weight (and one times stature) more or less of the ground than the
input does: little, on another body or with feet elsewhere it has to."""
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
    clip = _without_noise(edit.clip, problem.cutoff_hz)
    scene, moves = Scene(clip, edit.character, edit.environment), _moving(edit)
    tasks, wish = _weighed(problem, moves)
    likeness = replace(_KNOBS.likeness, wish=wish)

    def solve(
        usual: Array, costs: tuple[float, float], start: PhysicsSolution | None
    ) -> PhysicsSolution:
        force, moment = costs
        knobs = replace(
            _KNOBS, likeness=likeness, wrench_likeness=force, moment_likeness=moment
        )  # fmt: skip
        return solve_clip(
            scene, tasks, contacts, knobs, also=Recruits(moves, True), asked=asked_of(problem),
            usual=usual, mobility=mobility_of(problem), start=start,
        )  # fmt: skip

    usual = capture_wrench(clip, edit.character)
    found = solve(usual, _LIKE_INPUT, None if sketch is None else _as_start(sketch))
    if clip.frame_count < splines.SHORTEST:
        return found
    # Supports are where the feet have come to; flights are believed as they were.
    aloft = ~contacts.touching.any(axis=1)
    steady = np.where(aloft[:, None], usual, _steady_wrench(problem, found))
    return solve(steady, _STEADY, found)


def asked_of(problem: Problem) -> Asked:
    """Frames in which the laws of motion and strength are asked for."""
    settings, contacts = problem.settings, problem.contacts
    assert contacts is not None
    frames, touching = contacts.frame_count, contacts.touching.any(axis=1)
    laws = np.where(
        touching, frames_in(settings.balance, frames), frames_in(settings.flight, frames)
    )
    return Asked(laws, frames_in(settings.torque, frames))


def _without_noise(clip: Clip, cutoff_hz: float | None) -> Clip:
    """A clip within the band that its derivatives are good for: forces do not follow the rest."""
    if cutoff_hz is None or clip.frame_count < splines.SHORTEST:
        return clip
    flat = clip.rotations_wxyz.reshape(clip.frame_count, -1)
    turns = splines.smooth(flat, clip.rate_hz, cutoff_hz).values.reshape(clip.rotations_wxyz.shape)
    return replace(
        clip,
        root_positions_m=splines.smooth(clip.root_positions_m, clip.rate_hz, cutoff_hz).values,
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


def _steady_wrench(problem: Problem, found: PhysicsSolution) -> Array:
    """(F, 6) what the ground can do of what a solution asks for, smoothed as suits its noise."""
    edit = problem.edit
    assert problem.contacts is not None
    roots, turns = found.pose
    clip = replace(edit.clip, root_positions_m=roots, rotations_wxyz=turns)
    dynamics = clip_dynamics(clip, edit.character)
    touched = touching_points(dynamics.state, edit.character, problem.contacts, edit.environment)
    given = reaction_forces(dynamics, touched, UNLIMITED)
    force = (dynamics.outer_force_n - given.missing_force_n) / dynamics.weight_n
    moment = dynamics.outer_moment_nm - given.missing_moment_nm
    return np.concatenate([force, moment / (dynamics.weight_n * dynamics.length_m)], axis=1)
