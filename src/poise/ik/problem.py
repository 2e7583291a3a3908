"""Inverse kinematics of a clip: built once, then solved over any run of frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from poise.arrays import Array, Indices
from poise.constraints import Recruits, Scene, Task
from poise.errors import BadValue
from poise.ik.frame_loop import (
    AS_GIVEN,
    FROM_PREVIOUS,
    UNTOUCHED,
    keep_frames_inside,
    look_at_frames,
    solve_frames,
)
from poise.ik.packed import Blocks, Limits, PoseArrays, Rig, Tasks, Tree, Work
from poise.ik.packing import make_work, pack_blocks, pack_limits, pack_tasks, pack_tree
from poise.ik.settings import IkSettings


@dataclass(frozen=True, eq=False)
class IkProblem:
    """Tasks on a figure as arrays."""

    scene: Scene
    tasks: tuple[Task, ...]
    """Greater layers first; tasks of weight zero are left out."""
    layers: tuple[int, ...]
    """The layer of each, counted from 0."""
    tree: Tree
    blocks: Blocks
    packed: Tasks
    limits: Limits
    width: int
    """How many unknowns a frame has."""

    @cached_property
    def work(self) -> Work:
        """Scratch: threads do not solve the same problem at the same time."""
        return make_work(self.tree, self.blocks, self.packed, self.limits, self.width)

    @property
    def rig(self) -> Rig:
        """As the compiled loops take it."""
        return Rig(self.tree, self.blocks, self.packed, self.width, self.work)

    def with_goals(self, goals: Array) -> IkProblem:
        """The same with other goals: rows as in `packed.goals`; frames of NaN have none."""
        return replace(self, packed=self.packed._replace(goals=goals))

    def describe(self) -> str:
        """One line: unknowns, tasks, layers, rows."""
        return (
            f"{self.width} unknowns, {len(self.tasks)} tasks in {len(set(self.layers))} layers, "
            f"{int(self.packed.rows.sum())} rows, {len(self.limits.block)} limited joints"
        )


@dataclass(frozen=True, eq=False)
class IkSolution:
    """Poses, and how each frame ended. Arrays are the caller's to keep or go on with."""

    root_positions_m: Array
    """(F, 3)"""
    rotations_wxyz: Array
    """(F, J, 4)"""
    misses: Array
    """(F, T) error of every task where it holds, NaN elsewhere: metres, or radians for turns and
    aims."""
    iterations: Indices
    """(F,)"""
    status: Indices
    """(F,) codes of `frame_loop`."""

    @property
    def poses(self) -> PoseArrays:
        """As the compiled loops take them."""
        return PoseArrays(self.root_positions_m, self.rotations_wxyz)

    def copy(self) -> IkSolution:
        """The same on arrays of its own."""
        return IkSolution(
            self.root_positions_m.copy(),
            self.rotations_wxyz.copy(),
            self.misses.copy(),
            self.iterations.copy(),
            self.status.copy(),
        )


def build(
    scene: Scene,
    tasks: Sequence[Task],
    *,
    mobility: Mapping[int, float] | None = None,
    also: Recruits | None = None,
) -> IkProblem:
    """Arrays for the compiled loop.

    Args:
        scene: the original motion and its figure.
        tasks: what should hold, in any order.
        mobility: how readily joints move (1 by default), by index; -1 is the root's translation.
        also: joints that are unknowns though no task may use them.
    """
    kept = sorted((t for t in tasks if t.weight > 0), key=lambda task: task.priority)
    ranks = {p: layer for layer, p in enumerate(sorted({task.priority for task in kept}))}
    layers = [ranks[task.priority] for task in kept]
    skeleton = scene.character.skeleton
    blocks, width = pack_blocks(skeleton, kept, mobility or {}, also)
    return IkProblem(
        scene,
        tuple(kept),
        tuple(layers),
        pack_tree(scene, kept),
        blocks,
        pack_tasks(skeleton, blocks, kept, layers),
        pack_limits(scene.character, blocks),
        width,
    )


def unsolved(problem: IkProblem, over: IkSolution | None = None) -> IkSolution:
    """What solving starts from: the original poses, or those of another solution."""
    under = problem.scene.clip if over is None else over
    frames = len(under.root_positions_m)
    return IkSolution(
        under.root_positions_m.copy(),
        under.rotations_wxyz.copy(),
        np.full((frames, len(problem.tasks)), np.nan),
        np.zeros(frames, dtype=np.int64),
        np.full(frames, UNTOUCHED, dtype=np.int64),
    )


def solve(
    problem: IkProblem,
    settings: IkSettings,
    into: IkSolution,
    first: int,
    last: int,
    *,
    over: IkSolution | None = None,
    wished: IkSolution | None = None,
) -> None:
    """Solve frames `first` to `last`, in place.

    Args:
        problem: from `build`.
        settings: the knobs.
        into: solved frames before `first` are gone on from; the others are overwritten.
        first: a frame.
        last: included.
        over: frames go on from the one before and are attracted to this motion; the original
            motion by default.
        wished: start every frame from the pose that `into` holds instead, and attract it to this.
    """
    refuse_tied(problem)
    clip = problem.scene.clip
    under = clip if over is None else over
    wish = under if wished is None else wished
    solve_frames(
        first, last, FROM_PREVIOUS if wished is None else AS_GIVEN, problem.rig, problem.limits,
        settings.knobs(), PoseArrays(under.root_positions_m, under.rotations_wxyz),
        PoseArrays(wish.root_positions_m, wish.rotations_wxyz), into.poses, into.misses,
        into.iterations, into.status,
    )  # fmt: skip


def refuse_tied(problem: IkProblem) -> None:
    """Frame by frame, nobody knows what a point did in the frame before.

    Raises:
        BadValue: a task that is tied.
    """
    tied = [task.name for task in problem.tasks if task.tied]
    if tied:
        raise BadValue("tied", "False: only whole clips are solved for it (solve_clip)", tied[0])


def keep_in_range(problem: IkProblem, at: IkSolution, first: int, last: int) -> None:
    """Bring the joints that tasks move back inside their ranges, in place."""
    if len(problem.limits.block) == 0:
        return
    keep_frames_inside(
        first, last, problem.blocks, problem.packed, problem.limits, problem.work,
        problem.scene.clip.rotations_wxyz, at.rotations_wxyz,
    )  # fmt: skip


def look(problem: IkProblem, at: IkSolution, first: int, last: int) -> None:
    """Put the errors of the poses of frames `first` to `last`, as they are, into `misses`."""
    look_at_frames(first, last, problem.rig, at.poses, at.misses)
