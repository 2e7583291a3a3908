"""One pose inside the compiled loop, reached from Python: rows, errors, crowded layers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import Character
from poise.constraints import Recruits, Scene, Task
from poise.ik import IkProblem, build
from poise.ik.packed import BALL, TRANSLATION, Work
from poise.ik.packing import make_work
from poise.ik.posing import place_joints as place_joints_kernel
from poise.ik.rows import write_task as write_task_kernel
from tests.called_from_python import from_python

place_joints = from_python(place_joints_kernel)
write_task = from_python(write_task_kernel)

FAR = 1e9
"""No error is longer than this: none is shortened."""


def everything(character: Character) -> Recruits:
    """All joints and the translation."""
    return Recruits(character.skeleton.freedoms > 0, True)


@dataclass(frozen=True, eq=False)
class Posed:
    """A problem at one pose of one frame."""

    problem: IkProblem
    frame: int
    root_m: Array
    """(3,)"""
    local_wxyz: Array
    """(J, 4)"""

    def moved(self, step: Array) -> Posed:
        """The pose a step (W,) on: turns about world axes, all from the pose as it is."""
        blocks, skeleton = self.problem.blocks, self.problem.scene.character.skeleton
        world = self._world()
        root, local = self.root_m.copy(), self.local_wxyz.copy()
        for b, kind in enumerate(blocks.kind.tolist()):
            j, column, mobility = int(blocks.joint[b]), int(blocks.column[b]), blocks.mobility[b]
            if kind == TRANSLATION:
                root += mobility * step[column : column + 3]
            elif kind == BALL:
                up = int(skeleton.parents[j])
                turn = rotations.exp(mobility * step[column : column + 3])
                if up >= 0:  # seen from the parent
                    turn = rotations.multiply(
                        rotations.conjugate(world[up]), rotations.multiply(turn, world[up])
                    )
                local[j] = rotations.multiply(turn, local[j])
            else:
                turn = rotations.exp(mobility * step[column] * skeleton.hinge_axes[j])
                local[j] = rotations.multiply(local[j], turn)
        return replace(self, root_m=root, local_wxyz=local)

    def _world(self) -> list[Array]:
        world: list[Array] = []
        for joint, up in enumerate(self.problem.scene.character.skeleton.parents.tolist()):
            own = self.local_wxyz[joint]
            world.append(own if up < 0 else rotations.multiply(world[up], own))
        return world

    def work(self) -> Work:
        """Scratch in which the joints are placed."""
        p = self.problem
        made = make_work(p.tree, p.blocks, p.packed, p.limits, p.width)
        place_joints(p.tree, self.frame, self.root_m, self.local_wxyz, made)
        return made

    def written(
        self, task: int, reach: float = FAR, most_turn: float = FAR
    ) -> tuple[float, Array, Array]:
        """The whole error of one task, its scaled errors (K,) and its rows (K, W)."""
        p, work = self.problem, self.work()
        count = int(p.packed.rows[task])
        work.full[:] = 7e7  # what is not written would show
        work.errors[:] = 7e7
        miss = write_task(
            p.tree, p.blocks, p.packed, task, self.frame, 0, reach, most_turn, p.width, False, work
        )
        assert (work.full[count:] == 7e7).all() and (work.errors[count:] == 7e7).all()
        return miss, work.errors[:count].copy(), work.full[:count].copy()


def posed(
    scene: Scene, tasks: Sequence[Task], frame: int, mobility: Mapping[int, float] | None = None
) -> Posed:
    """Tasks at the original's pose of a frame."""
    clip = scene.clip
    return Posed(
        build(scene, tasks, mobility=mobility), frame,
        clip.root_positions_m[frame].copy(), clip.rotations_wxyz[frame].copy(),
    )  # fmt: skip


def random_goals(kind: str, frames: int, random: np.random.Generator) -> Array:
    """(F, size) goals that have nothing to do with the pose."""
    match kind:
        case "turn":
            return rotations.normalize(random.normal(size=(frames, 4)))
        case "distance":
            return random.uniform(0.2, 1.5, (frames, 1))
        case _:
            return random.normal(size=(frames, 3))
