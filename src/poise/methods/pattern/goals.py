"""Goals of an edit in the pattern's room: one for every frame of every task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.constraints import Task
from poise.errors import BadValue
from poise.mechanics import moving_table
from poise.methods.pattern.goal_kernels import POINT, TURN, goal_rows
from poise.methods.pattern.placed import PlacedClip

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
    """Goals of tasks, greater layers first.

    Args:
        placed: the clip.
        tasks: points and turns in the clip's world.
        count: how many coefficients may change.
        vector: (F, 1 + J, 3) what they are added to; the clip's own unless given.

    Raises:
        BadValue: a task that a pattern has no answer to, by its name.
    """
    vector = placed.vector if vector is None else vector
    made: list[Goal] = []
    for task in tasks:
        _check(task)
        if task.weight == 0.0:
            continue
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
