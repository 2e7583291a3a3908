"""Scenes for tests of constraints, and what a task is about, worked out the slow way."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import Character
from poise.constraints import Scene, Task
from poise.environment import Environment
from poise.mechanics import BodyState, center_of_mass, forward_kinematics
from poise.motion import Clip
from poise.samples import sample_character, walking
from tests.character.reference_human import reference_human


@cache
def walk_scene() -> Scene:
    """Two seconds of walking on level ground, 30 frames a second."""
    return Scene(walking(seconds=2.0, rate_hz=30.0).clip, sample_character())


@cache
def free_scene(seed: int = 0, frames: int = 12) -> Scene:
    """The reference human in poses that have nothing in common, hinges bent about their axes."""
    character = reference_human()
    skeleton, random = character.skeleton, np.random.default_rng(seed)
    turns = rotations.normalize(random.normal(size=(frames, skeleton.joint_count, 4)))
    for joint, kind in enumerate(skeleton.kinds):
        if kind == "hinge":
            angles = random.uniform(-2, 2, frames)
            bend = rotations.from_axis_angle(skeleton.hinge_axes[joint], angles)
            turns[:, joint] = rotations.multiply(skeleton.rest_wxyz[joint], bend)
    return Scene(Clip(skeleton, 30.0, random.normal(size=(frames, 3)), turns), character)


def moved_scene(scene: Scene, turn_wxyz: Array, shift_m: Array) -> Scene:
    """The same motion elsewhere, on ground that moved with it."""
    clip = scene.clip
    turns = clip.rotations_wxyz.copy()
    turns[:, 0] = rotations.multiply(turn_wxyz, turns[:, 0])
    roots = rotations.rotate(turn_wxyz, clip.root_positions_m) + shift_m
    moved = replace(clip, root_positions_m=roots, rotations_wxyz=turns)
    return Scene(moved, scene.character, Environment.flat(float(shift_m @ scene.environment.up)))


def quantity(task: Task, state: BodyState, character: Character) -> Array:
    """(F, size) what the task is about, in the form of its goals.

    Of an aim: the direction of the ray, as its goal is any point on it.
    """
    place = _point(state, task.joint, task.offset_m)
    frame = state.rotations_wxyz[:, task.reference]
    match task.kind:
        case "point" if task.reference < 0:
            return place
        case "point":
            origin = state.positions_m[:, task.reference]
            return rotations.rotate(rotations.conjugate(frame), place - origin)
        case "turn" if task.reference < 0:
            return state.rotations_wxyz[:, task.joint]
        case "turn":
            own = state.rotations_wxyz[:, task.joint]
            return rotations.multiply(rotations.conjugate(frame), own)
        case "aim":
            return rotations.rotate(state.rotations_wxyz[:, task.joint], task.direction)
        case "distance":
            other = _point(state, task.reference, task.reference_offset_m)
            return np.linalg.norm(place - other, axis=1)[:, None]
        case "center":
            assert character.body is not None
            center = center_of_mass(state, character.body)
            points = zip(task.points.joints.tolist(), task.points.offsets_m, strict=True)
            places = [_point(state, joint, offset) for joint, offset in points]
            return center - np.mean(places, axis=0) if places else center


def _point(state: BodyState, joint: int, offset_m: Array) -> Array:
    turned = rotations.rotate(state.rotations_wxyz[:, joint], offset_m)
    return state.positions_m[:, joint] + turned


def gap(task: Task, scene: Scene, clip: Clip | None = None) -> Array:
    """(n,) how far a motion, by default the original, is from a task's goals: metres or radians.

    An aim is judged by the angle between its ray and the way to the goal.
    """
    clip = scene.clip if clip is None else clip
    state = forward_kinematics(scene.character.skeleton, *clip.pose)
    frames = slice(task.first, task.last + 1)
    is_now = quantity(task, state, scene.character)[frames]
    if task.kind == "turn":
        return rotations.angle_between(is_now, task.goals)
    if task.kind == "aim":
        way = task.goals - _point(state, task.joint, task.offset_m)[frames]
        way /= np.linalg.norm(way, axis=1, keepdims=True)
        return np.linalg.norm(np.cross(is_now, way), axis=1) + np.sum((is_now - way) ** 2, axis=1)
    return np.linalg.norm(is_now - task.goals, axis=1)
