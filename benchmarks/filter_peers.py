"""mink and pink asked what kinematic filtering is: a few frames, each pose near its own input.

Both start every frame from the input pose and take damped Gauss-Newton steps, which change it no
more than they must: the same least change as ours, and the cheapest way they have. (With a posture
task and the answer of the frame before they have 54 more rows and need more steps; without one
they would forget the input.) As in `ik_plan`, they are told how many steps every frame takes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.filter_body import Dance
from benchmarks.ik_body import Poses, targets_of
from benchmarks.ik_contract import Solved
from benchmarks.ik_peers import DT, SOLVER, Mink, Pink
from benchmarks.ik_plan import CAP
from benchmarks.ik_residual import Residuals
from poise import rotations
from poise.arrays import Array, Indices

DAMPING = 1e-8
"""Leaves a hundred-millionth of an error that a step could take away; less makes the quadratic
program, of a few rows for 54 unknowns, singular to its solver."""


def at_ends(task: Dance, poses: Poses, first: int = 0) -> Residuals:
    """How far the ends are from where they are wanted, by our kinematics for everyone alike."""
    found = targets_of(task.work.skeleton, task.work.body, poses)
    frames, ends = slice(first, first + len(poses.root_m)), list(task.ends)
    wanted = task.work.targets
    away = found.positions_m[:, ends] - wanted.positions_m[frames, ends]
    turned = rotations.angle_between(
        found.rotations_wxyz[:, ends], wanted.rotations_wxyz[frames, ends]
    )
    return Residuals(
        np.sqrt(np.mean(np.sum(away**2, axis=2), axis=1)), np.sqrt(np.mean(turned**2, axis=1))
    )


class FromInput:
    """One of the peers on the ends of a dance."""

    def __init__(self, peer: Mink | Pink, task: Dance) -> None:
        peer.prepare(task.work)
        self.peer, self.task = peer, task
        self.tasks: list[Any] = [peer.tasks[end] for end in task.ends]
        self.targets = [[frame[end] for end in task.ends] for frame in peer.targets]
        self.inputs = self._coordinates(task.inputs)

    def _coordinates(self, poses: Poses) -> list[Array]:
        """The input in the peer's coordinates, frame by frame."""
        layout = self.peer.layout
        q = np.tile(self.peer.start, (len(poses.root_m), 1))
        rest = rotations.conjugate(layout.skeleton.rest_wxyz)
        turned = rotations.multiply(rest, poses.local_wxyz)
        q[:, :3] = poses.root_m
        q[:, layout.quaternions] = turned[:, layout.balls]
        axes = layout.skeleton.hinge_axes[layout.hinges]
        q[:, layout.angles] = rotations.twist_angle(turned[:, layout.hinges], axes)
        return list(q)

    def aim(self, frame: int) -> None:
        self.peer.configuration.update(self.inputs[frame])
        for task, target in zip(self.tasks, self.targets[frame], strict=True):
            task.set_target(target)

    def step(self) -> None:
        configuration = self.peer.configuration
        velocity = self.peer.solve_ik(
            configuration, self.tasks, DT, SOLVER, damping=DAMPING, limits=[]
        )
        configuration.integrate_inplace(velocity, DT)

    def plan(self) -> Indices:
        """(F,) the least steps that bring every frame within the tolerance."""
        counts: list[int] = []
        for frame in range(self.task.work.frames):
            self.aim(frame)
            steps = 0
            while not at_ends(self.task, self.peer.pose(), frame).met:
                if steps == CAP:
                    raise RuntimeError(f"{self.peer.name} does not get there in frame {frame}")
                self.step()
                steps += 1
            counts.append(steps)
        return np.array(counts)

    def solve(self, plan: Indices) -> Solved:
        found: list[Array] = []
        for frame, count in enumerate(plan.tolist()):
            self.aim(frame)
            for _ in range(count):
                self.step()
            found.append(self.peer.configuration.q)
        return Solved(self.peer.layout.poses(np.array(found)), plan)
