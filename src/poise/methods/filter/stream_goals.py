"""Goals of constraints in a stream: read off each frame as it comes.

What follows the incoming pose (feet, hands and points that keep their paths, moved by a constant)
is read off all at once. Every other constraint is turned into tasks on a clip of one frame, by the
same functions that whole clips use.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.character import Character, Sites
from poise.constraints import (
    CONSTRAINTS,
    Constraint,
    HoldPoint,
    Interval,
    Plant,
    Scene,
    Task,
    key_of,
    tasks_of,
)
from poise.contact import LARGEST_OFFSET_M, distance_to_support, nearest_in_support, support_area
from poise.environment import Environment, query
from poise.errors import BadValue
from poise.mechanics import (
    GRAVITY_M_S2,
    forward_kinematics,
    inverse_dynamics,
    site_positions,
    zero_moment_point,
)
from poise.methods.filter.dynamic_state import Motion
from poise.methods.filter.law_rows import BALANCE, FLIGHT, NO_DYNAMICS, Demands
from poise.methods.filter.settings import Frames, Settings
from poise.methods.filter.strain import no_strain
from poise.motion import Clip

ALWAYS = Interval(0, 2**53)
"""The interval of a constraint that holds as long as the stream lasts."""

_NOW = Interval(0, 0)


class StreamGoals:
    """The goals of all constraints, frame by frame."""

    def __init__(
        self,
        constraints: Sequence[Constraint],
        character: Character,
        environment: Environment,
        template: Clip,
    ) -> None:
        """Find out which constraints merely follow the character whose poses come in.

        Intervals count the frames of the stream; the template is any clip of one frame.
        """
        self._character, self._environment, self._template = character, environment, template
        scene = Scene(template, character, environment)
        self._points: list[tuple[int, Task, Array]] = []
        self._turns: list[tuple[int, int]] = []
        self._own_turns: list[tuple[int, int]] = []
        self._others: list[tuple[Constraint, int, int, Interval]] = []
        self._intervals: list[tuple[Interval, int, int]] = []
        self.kinds: list[str] = []
        """Of all tasks, in order."""
        for constraint in constraints:
            check_streamable(constraint)
            now = at_one_frame(constraint)
            tasks = _tasks(now, scene)
            start = len(self.kinds)
            self.kinds += [task.kind for task in tasks]
            shift = _constant_shift(constraint)
            if shift is None or not all(self._is_plain(task) for task in tasks):
                self._others.append((now, start, len(tasks), constraint.interval))
                continue
            self._add_plain(tasks, start, shift)
            if constraint.interval != ALWAYS:
                self._intervals.append((constraint.interval, start, start + len(tasks)))
        self._sites = Sites(
            tuple(str(row) for row, _, _ in self._points),
            np.array([task.joint for _, task, _ in self._points], dtype=np.int64),
            np.array([task.offset_m for _, task, _ in self._points]).reshape(-1, 3),
        )
        self._shifts = np.array([shift for _, _, shift in self._points]).reshape(-1, 3)
        self._point_rows = [row for row, _, _ in self._points]

    def at(self, number: int, root_m: Array, rotations_wxyz: Array, offsets_m: Array) -> Array:
        """(T, 4) goals in a frame, from the pose that came in; NaN for none."""
        goals = np.zeros((len(self.kinds), 4))
        moving = self._template.moving_joints
        pose = (root_m[None], rotations_wxyz[None], moving, offsets_m[None])
        if self._points or self._turns:
            state = forward_kinematics(self._character.skeleton, *pose, parallel=False)
            places = site_positions(state, self._sites, parallel=False)
            goals[self._point_rows, :3] = places[0] + self._shifts
            for row, joint in self._turns:
                goals[row] = state.rotations_wxyz[0, joint]
        for row, joint in self._own_turns:
            goals[row] = rotations_wxyz[joint]
        for interval, start, stop in self._intervals:
            if not interval.first <= number <= interval.last:
                goals[start:stop] = np.nan
        if self._others:
            rate = self._template.rate_hz
            clip = Clip(self._character.skeleton, rate, *pose)
            self._put_others(number, Scene(clip, self._character, self._environment), goals)
        return goals

    def _put_others(self, number: int, scene: Scene, goals: Array) -> None:
        for constraint, start, count, interval in self._others:
            if not interval.first <= number <= interval.last:
                goals[start : start + count] = np.nan
                continue
            for row, task in enumerate(_tasks(constraint, scene), start):
                goals[row, : task.goals.shape[1]] = task.goals[0]

    def _is_plain(self, task: Task) -> bool:
        """Whether a goal is a place or a rotation that forward kinematics gives directly."""
        if task.kind == "point":
            return task.reference < 0
        parent = int(self._character.skeleton.parents[task.joint])
        return task.kind == "turn" and task.reference in (-1, parent)

    def _add_plain(self, tasks: Sequence[Task], start: int, shift: Array) -> None:
        for row, task in enumerate(tasks, start):
            if task.kind == "point":
                self._points.append((row, task, shift))
            elif task.reference < 0:
                self._turns.append((row, task.joint))
            else:
                self._own_turns.append((row, task.joint))


def at_one_frame(constraint: Constraint) -> Constraint:
    """The same for a clip of one frame."""
    return replace(constraint, interval=_NOW)


def check_streamable(constraint: Constraint) -> None:
    """Refuse what needs frames that have not come yet.

    Raises:
        BadValue: a curve through time, a part held still or put on the surface (both look for a
            frame of the clip), easing out of or into the original.
    """
    name = constraint.name
    key = key_of(constraint)
    if not CONSTRAINTS[key].frame_by_frame:
        raise BadValue(f"constraint '{name}'", "one that needs no other frame, in a stream", key)
    if isinstance(constraint, Plant):
        if constraint.mode != "follow":
            raise BadValue(f"mode of '{name}'", "follow in a stream", constraint.mode)
        if constraint.on_surface or constraint.turn_deg:
            asked = "on_surface" if constraint.on_surface else "turn_deg"
            raise BadValue(f"constraint '{name}'", "a displacement only, in a stream", asked)
    if constraint.interval.ease_in or constraint.interval.ease_out:
        easing = (constraint.interval.ease_in, constraint.interval.ease_out)
        raise BadValue(f"ease of '{name}'", "none in a stream", easing)


def _tasks(constraint: Constraint, scene: Scene) -> list[Task]:
    return [task for task in tasks_of(constraint, scene) if task.weight > 0.0]


def _constant_shift(constraint: Constraint) -> Array | None:
    """(3,) by how much goals differ from the incoming pose, where that is all they do."""
    if isinstance(constraint, Plant):
        return np.array(constraint.displacement_m)
    if isinstance(constraint, HoldPoint) and constraint.mode == "offset":
        return np.array(constraint.place_m)
    return None


_LEAST_PRESSURE = 0.1
"""Share of the weight that the ground carries at least, where balance means something."""


def demands_of_frame(
    number: int,
    motion: Motion,
    character: Character,
    places_m: Array,
    touching: NDArray[np.bool_],
    environment: Environment,
    settings: Settings,
) -> Demands:
    """What balance and flight ask (Eqs. 7 and 11) of a motion of one frame with its rates.

    The zero-moment point is a goal where it is outside the support area, as in the paper; strength
    asks for nothing. Points that may touch are given where they stand once constraints are met,
    (1, C, 3), with which of them do, (C,).
    """
    noise = np.array([0.0, settings.balance_noise, settings.flight_noise, settings.torque_noise])
    kind, goal, height = NO_DYNAMICS, np.zeros((1, 2)), 0.0
    if not touching.any():
        kind = FLIGHT if holds_in(settings.flight, number) else NO_DYNAMICS
    elif holds_in(settings.balance, number):
        kind, goal, height = _balance(motion, character, places_m, touching, environment, settings)
    return Demands(
        np.array([kind], dtype=np.int64), goal, np.array([height]), noise,
        shift=np.zeros((1, 6)),
        strain=no_strain(1, character.skeleton.joint_count),
    )  # fmt: skip


def holds_in(chosen: Frames, number: int) -> bool:
    """Whether a setting speaks of a frame."""
    if isinstance(chosen, bool):
        return chosen
    return any(first <= number <= last for first, last in chosen)


def _balance(
    motion: Motion,
    character: Character,
    places_m: Array,
    touching: NDArray[np.bool_],
    environment: Environment,
    settings: Settings,
) -> tuple[int, Array, float]:
    skeleton, body = character.skeleton, character.body
    assert body is not None
    surface = query(environment, places_m)
    far = surface.distances_m > LARGEST_OFFSET_M  # something that is not known
    area = support_area(np.where(far[..., None], places_m, surface.closest_m), touching[None])
    forces = inverse_dynamics(
        skeleton, body, motion.local, motion.omega, motion.root_accelerations, motion.alpha
    )
    height = float(area.heights_m[0])
    zmp = zero_moment_point(motion.roots, forces, area.heights_m)
    weight = body.total_mass_kg * float(np.linalg.norm(GRAVITY_M_S2))
    pressed = forces.root_force_n[0, 1] > _LEAST_PRESSURE * weight
    if not (pressed and distance_to_support(area, zmp)[0] > -settings.inset_m):
        return NO_DYNAMICS, np.zeros((1, 2)), height
    return BALANCE, nearest_in_support(area, zmp, settings.inset_m), height
