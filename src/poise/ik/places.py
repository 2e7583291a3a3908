"""Where things are in a pose whose joints are placed: points, axes, mass moments of subtrees."""

from __future__ import annotations

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import Character
from poise.compiled import inlined_borrowing
from poise.constraints import Task
from poise.errors import BadValue
from poise.ik.packed import Blocks, Tasks, Tree, Work
from poise.mechanics import (
    BodyState,
    Quaternion,
    Vector,
    center_of_mass,
    cross,
    site_positions,
    turn,
)


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


NEAR_M = 1e-6
"""Below this distance a direction means nothing."""


@inlined_borrowing
def world_turn(work: Work, joint: int) -> Quaternion:
    """A joint's rotation in the world."""
    w = work.world
    return w[joint, 0], w[joint, 1], w[joint, 2], w[joint, 3]


@inlined_borrowing
def point_place(work: Work, joint: int, offset: Array, row: int) -> Vector:
    """Where a point of a joint is; its offset is a row of a table."""
    q = world_turn(work, joint)
    x, y, z = turn(q[0], q[1], q[2], q[3], offset[row, 0], offset[row, 1], offset[row, 2])
    p = work.place
    return p[joint, 0] + x, p[joint, 1] + y, p[joint, 2] + z


@inlined_borrowing
def reference_turn(work: Work, reference: int) -> Quaternion:
    """From the world into the frame of the reference."""
    if reference < 0:
        return 1.0, 0.0, 0.0, 0.0
    q = world_turn(work, reference)
    return q[0], -q[1], -q[2], -q[3]


@inlined_borrowing
def hinge_axis(blocks: Blocks, b: int, work: Work) -> Vector:
    """The world axis of a hinge."""
    q = world_turn(work, blocks.joint[b])
    a = blocks.axis
    return turn(q[0], q[1], q[2], q[3], a[b, 0], a[b, 1], a[b, 2])


@inlined_borrowing
def square_to(x: float, y: float, z: float) -> tuple[Vector, Vector]:
    """Two unit vectors square to a unit vector and to each other."""
    if abs(x) < 0.6:
        a = cross(x, y, z, 1.0, 0.0, 0.0)
    else:
        a = cross(x, y, z, 0.0, 1.0, 0.0)
    n = 1.0 / np.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])
    a = (a[0] * n, a[1] * n, a[2] * n)
    return a, cross(x, y, z, a[0], a[1], a[2])


@inlined_borrowing
def sum_moments(tree: Tree, tasks: Tasks, t: int, work: Work) -> float:
    """Mass times place, and mass, of every subtree into `work.moments`; returns the whole mass.

    A task's points count as negative masses that weigh as much as the body together.
    """
    moments, count, total = work.moments, len(tree.parents), 0.0
    for j in range(count):
        m = tree.masses[j]
        x, y, z = point_place(work, j, tree.centers, j)
        moments[j, 0], moments[j, 1], moments[j, 2], moments[j, 3] = m * x, m * y, m * z, m
        total += m
    points = tasks.point[t + 1] - tasks.point[t]
    for k in range(tasks.point[t], tasks.point[t + 1]):
        j, m = tasks.point_joint[k], -total / points
        x, y, z = point_place(work, j, tasks.point_offset, k)
        moments[j, 0] += m * x
        moments[j, 1] += m * y
        moments[j, 2] += m * z
        moments[j, 3] += m
    for j in range(count - 1, 0, -1):
        for c in range(4):
            moments[tree.parents[j], c] += moments[j, c]
    return total
