"""Goals of an edit in the pattern's room: one for every frame of every task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.compiled import borrowing
from poise.constraints import Task
from poise.errors import BadValue
from poise.mechanics import (
    Vector,
    cross,
    exponential,
    exponential_rate,
    logarithm,
    moving_table,
    multiply,
    turn,
)
from poise.methods.pattern.placed import PlacedClip

POINT, TURN = 0, 1


# A goal in motion space, compiled: where a point is for given coefficients, and Eq. 11.
#
# The Jacobian follows the chain rule through the constrained frame alone. A coefficient moves the
# rotation vectors of the joints on the way from the root to the point; the exponential map's own
# Jacobian makes turns of them, and every turn swings the point about its joint.
@borrowing
def goal_rows(
    change: Array, offsets_m: Array, mean: Array, vectors: Array, slices: Array,
    root_m: Array, root_slices: Array, point_m: Array, kind: int, goal: Array,
    placed: Array, rows: Array,
) -> Vector:  # fmt: skip
    """What is missing to a goal, and how it changes with the coefficients.

    Returns the way from where it is to the goal, in metres or as a rotation vector.

    Args:
        change: (m,) of the coefficients.
        offsets_m: (c, 3) of the chain's joints in their parents' frames; the root's is not read.
        mean: (c, 4) the mean motion's rotations of the chain in this frame.
        vectors: (c, 3) the clip's rotation vectors about them.
        slices: (m, c, 3) how those change with the coefficients.
        root_m: (3,) where the root is.
        root_slices: (m, 3) how that changes.
        point_m: (3,) the point in the last joint's frame.
        kind: POINT or TURN.
        goal: (3,) a place, or (4,) a rotation.
        placed: (c, 10) scratch: where joints are, how they are turned, their rotation vectors.
        rows: (3, m) filled.
    """
    chain, count = len(mean), len(change)
    px, py, pz = root_m[0], root_m[1], root_m[2]
    for i in range(count):
        px += change[i] * root_slices[i, 0]
        py += change[i] * root_slices[i, 1]
        pz += change[i] * root_slices[i, 2]
    w, x, y, z = 1.0, 0.0, 0.0, 0.0
    for c in range(chain):
        if c > 0:
            ox, oy, oz = turn(w, x, y, z, offsets_m[c, 0], offsets_m[c, 1], offsets_m[c, 2])
            px, py, pz = px + ox, py + oy, pz + oz
        vx, vy, vz = vectors[c, 0], vectors[c, 1], vectors[c, 2]
        for i in range(count):
            vx += change[i] * slices[i, c, 0]
            vy += change[i] * slices[i, c, 1]
            vz += change[i] * slices[i, c, 2]
        ew, ex, ey, ez = exponential(vx, vy, vz)
        w, x, y, z = multiply(w, x, y, z, mean[c, 0], mean[c, 1], mean[c, 2], mean[c, 3])
        w, x, y, z = multiply(w, x, y, z, ew, ex, ey, ez)
        placed[c, 0], placed[c, 1], placed[c, 2] = px, py, pz
        placed[c, 3], placed[c, 4], placed[c, 5], placed[c, 6] = w, x, y, z
        placed[c, 7], placed[c, 8], placed[c, 9] = vx, vy, vz
    if kind == POINT:
        ox, oy, oz = turn(w, x, y, z, point_m[0], point_m[1], point_m[2])
        px, py, pz = px + ox, py + oy, pz + oz
        error = goal[0] - px, goal[1] - py, goal[2] - pz
    else:
        gw, gx, gy, gz = multiply(goal[0], goal[1], goal[2], goal[3], w, -x, -y, -z)
        error = logarithm(gw, gx, gy, gz)
    for i in range(count):
        sx, sy, sz = 0.0, 0.0, 0.0
        if kind == POINT:
            sx, sy, sz = root_slices[i, 0], root_slices[i, 1], root_slices[i, 2]
        for c in range(chain):
            p = placed[c]
            tx, ty, tz = exponential_rate(
                (p[7], p[8], p[9]), slices[i, c, 0], slices[i, c, 1], slices[i, c, 2]
            )
            tx, ty, tz = turn(p[3], p[4], p[5], p[6], tx, ty, tz)
            if kind == POINT:
                tx, ty, tz = cross(tx, ty, tz, px - p[0], py - p[1], pz - p[2])
            sx, sy, sz = sx + tx, sy + ty, sz + tz
        rows[0, i], rows[1, i], rows[2, i] = sx, sy, sz
    return error


TURN_M = 0.3
"""A turn by one radian counts as much as so many metres, where both are weighed: a limb's lever."""


@dataclass(frozen=True, eq=False)
class Goal:
    """One thing to be met in one frame."""

    name: str
    kind: int
    """POINT or TURN."""
    frame: int
    priority: int
    weight: float
    """Of its rows: square root of the constraint's, and turns in metres."""
    axes: tuple[int, ...]
    """Which of the clip's axes count."""
    to_clip: Array
    """(3, 3) from the pattern's axes to the clip's."""
    offsets_m: Array
    mean: Array
    vectors: Array
    slices: Array
    root_m: Array
    root_slices: Array
    point_m: Array
    goal: Array
    joint: int = -1
    shift_m: Array | None = None
    """(3,) the clip's axes: by how much the point is moved afterwards, with unchanged coefficients
    (see `standing`)."""
    shift_rows: Array | None = None
    """(3, m) how that changes."""

    def look(self, change: Array) -> tuple[Array, Array]:
        """What is missing (3,), in metres or radians, and its rows (3, m), unweighted."""
        rows = np.empty((3, len(change)))
        error = goal_rows(
            change, self.offsets_m, self.mean, self.vectors, self.slices, self.root_m,
            self.root_slices, self.point_m, self.kind, self.goal, np.empty((len(self.mean), 10)),
            rows,
        )  # fmt: skip
        error, rows = self.to_clip @ np.array(error), self.to_clip @ rows
        if self.shift_m is not None and self.shift_rows is not None:
            error = error - self.shift_m - self.shift_rows @ change
            rows = rows + self.shift_rows
        ignored = [axis for axis in range(3) if axis not in self.axes]
        error[ignored], rows[ignored] = 0.0, 0.0
        return error, rows


def goals_of(
    placed: PlacedClip, tasks: Sequence[Task], count: int, vector: Array | None = None
) -> list[Goal]:  # fmt: skip
    """Goals of tasks, greater layers first, for the first coefficients.

    What these change is added to `vector` (F, 1 + J, 3), the clip's own unless given.

    Raises:
        BadValue: a task that a pattern has no answer to, by its name.
    """
    vector = placed.vector if vector is None else vector
    made: list[Goal] = []
    for task in tasks:
        _check(task)
        for i in range(len(task.goals)):
            made.append(_goal(placed, task, i, count, vector))
    return sorted(made, key=lambda goal: goal.priority)


def _check(task: Task) -> None:
    if task.kind not in ("point", "turn"):
        allowed = "about a place or an orientation: a pattern knows no other"
        raise BadValue(f"constraint '{task.name}'", allowed, task.kind)
    if task.reference >= 0:
        raise BadValue(f"constraint '{task.name}'", "in the world, for a pattern", "relative")
    if task.side:
        raise BadValue(f"constraint '{task.name}'", "an equality, for a pattern", "one-sided")


def _goal(placed: PlacedClip, task: Task, i: int, count: int, vector: Array) -> Goal:
    frame, clip = task.first + i, placed.clip
    skeleton = clip.skeleton
    chain = np.array(list(skeleton.ancestors(task.joint))[::-1])
    slots, moving = moving_table(
        skeleton, clip.moving_joints, clip.moving_offsets_m, clip.frame_count
    )
    offsets = np.array(
        [moving[frame, slots[j]] if slots[j] >= 0 else skeleton.offsets_m[j] for j in chain]
    )
    slices = placed.slices(frame, count)
    kind = POINT if task.kind == "point" else TURN
    goal = np.array(task.goals[i])
    goal = placed.placing.places(goal) if kind == POINT else placed.placing.root_turns(goal)
    weight = float(np.sqrt(task.weight)) * (1.0 if kind == POINT else TURN_M)
    axes = tuple(a for a in range(3) if task.axes[a]) if kind == POINT else (0, 1, 2)
    return Goal(
        task.name, kind, frame, task.priority, weight, axes,
        rotations.to_matrix(placed.placing.turn_wxyz).T, offsets,
        np.ascontiguousarray(placed.mean_wxyz[frame, chain]),
        np.ascontiguousarray(vector[frame, 1 + chain]),
        np.ascontiguousarray(slices[:, 1 + chain]),
        placed.mean_roots_m[frame] + vector[frame, 0], np.ascontiguousarray(slices[:, 0]),
        np.array(task.offset_m), goal, task.joint,
    )  # fmt: skip
