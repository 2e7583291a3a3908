"""What tasks are about, as poses have it: the goals that these poses would meet exactly."""

from __future__ import annotations

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import Character
from poise.constraints import Task
from poise.errors import BadValue
from poise.mechanics import BodyState, center_of_mass, site_positions


def task_values(task: Task, state: BodyState, character: Character) -> Array:
    """(n, size of the goal) for the frames of `state`."""
    if task.kind == "center":
        return _center(task, state, character)
    places, turns = state.positions_m, state.rotations_wxyz
    here = places[:, task.joint] + rotations.rotate(turns[:, task.joint], task.offset_m)
    if task.kind == "distance":
        there = places[:, task.reference]
        there = there + rotations.rotate(turns[:, task.reference], task.reference_offset_m)
        return np.linalg.norm(here - there, axis=1, keepdims=True)
    if task.kind == "aim":
        far = np.linalg.norm(task.goals - here, axis=1, keepdims=True)
        return here + far * rotations.rotate(turns[:, task.joint], task.direction)
    own = turns[:, task.joint]
    if task.reference < 0:
        return own if task.kind == "turn" else here
    frame = rotations.conjugate(turns[:, task.reference])
    if task.kind == "turn":
        return rotations.multiply(frame, own)
    return rotations.rotate(frame, here - places[:, task.reference])


def _center(task: Task, state: BodyState, character: Character) -> Array:
    if character.body is None:
        raise BadValue("character", "one with a body (see complete_character)", "no masses")
    center = center_of_mass(state, character.body)
    if len(task.points) == 0:
        return center
    return center - site_positions(state, task.points).mean(axis=1)
