"""mink and pink as a competent user runs them: everything built once, targets set frame by frame.

Both take one Gauss-Newton step a call and leave it to the caller when to stop. Here a plan says how
many steps every frame gets (see `ik_plan`), so they lose no time on asking whether they are done.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from benchmarks.ik_body import IkWork, Poses, Targets
from benchmarks.ik_contract import Solved
from benchmarks.ik_layout import Layout, with_mass
from poise import rotations
from poise.arrays import Array, Indices

COST = 1.0
"""Of a metre and of a radian, for every task."""
SOLVER = "daqp"
"""mink installs it and pink's examples prefer it; quadprog and proxqp were slower for both."""
DAMPING = 1e-12
"""The default of both: the tasks leave no freedom open, and more only slows them down."""
DT = 1.0


class _DifferentialIk:
    """What mink and pink have in common; pink came first and mink has the same interface."""

    has_center = True
    solve_ik: Any
    configuration: Any
    tasks: list[Any]
    targets: list[list[Any]]
    centers: list[Array]
    start: Array
    layout: Layout

    def __init__(self, solver: str = SOLVER) -> None:
        self.solver = solver

    def restart(self) -> None:
        self.configuration.update(self.start)

    def aim(self, frame: int) -> None:
        for task, target in zip(self.tasks, self.targets[frame], strict=False):
            task.set_target(target)
        self.tasks[-1].set_target(self.centers[frame])

    def step(self) -> None:
        configuration = self.configuration
        velocity = self.solve_ik(
            configuration, self.tasks, DT, self.solver, damping=DAMPING, limits=[]
        )
        configuration.integrate_inplace(velocity, DT)

    def pose(self) -> Poses:
        return self.layout.poses(self.configuration.q[None])

    def solve(self, plan: Indices) -> Solved:
        self.restart()
        found: list[Array] = []
        for frame, count in enumerate(plan.tolist()):
            self.aim(frame)
            for _ in range(count):
                self.step()
            found.append(self.configuration.q)
        return Solved(self.layout.poses(np.array(found)), plan)


class Mink(_DifferentialIk):
    """On MuJoCo."""

    name = "mink"

    def prepare(self, work: IkWork) -> None:
        import mink

        from tests.mechanics import mujoco_engine as engine

        self.solve_ik = mink.solve_ik
        built = engine.build(work.skeleton, with_mass(work.body), np.zeros(3))
        motion = SimpleNamespace(root_m=work.start.root_m, local=work.start.local_wxyz)
        start: Any = SimpleNamespace(skeleton=work.skeleton, motion=motion)
        self.start, self.bodies = engine.coordinates(built, start, 0), built.bodies
        names = work.skeleton.joint_names
        starts = [int(built.model.joint(name).qposadr[0]) for name in names]
        self.layout = Layout.of(work.skeleton, starts, (0, 1, 2, 3))
        self.configuration = mink.Configuration(built.model, self.start)
        self.tasks = [mink.FrameTask(name, "body", COST, COST) for name in names]
        self.tasks.append(mink.ComTask(COST))
        wanted = work.targets
        places = np.concatenate([wanted.rotations_wxyz, wanted.positions_m], axis=-1)
        self.targets = [[mink.SE3(place) for place in frame] for frame in places]
        self.centers = list(wanted.com_m)

    def seen(self) -> Targets:
        data = self.configuration.data
        center = data.subtree_com[self.bodies[0]]
        return Targets(
            data.xpos[self.bodies][None], data.xquat[self.bodies][None], center[None].copy()
        )


class Pink(_DifferentialIk):
    """On Pinocchio."""

    name = "pink"

    def prepare(self, work: IkWork) -> None:
        import pink
        import pinocchio as pin

        from tests.mechanics import pinocchio_engine as engine

        self.solve_ik = pink.solve_ik
        built = engine.build(work.skeleton, with_mass(work.body), np.zeros(3))
        model = built.model
        # Equal bounds mean none to pink; it would compare any others one by one in every step.
        model.lowerPositionLimit = np.zeros(model.nq)
        model.upperPositionLimit = np.zeros(model.nq)
        start = work.start
        self.start = engine.coordinates(built, work.skeleton, start.root_m[0], start.local_wxyz[0])
        starts = [int(model.joints[mover].idx_q) for mover in built.movers]
        self.layout, self.frames = Layout.of(work.skeleton, starts, (3, 0, 1, 2)), built.frames
        self.configuration = pink.Configuration(model, model.createData(), self.start)
        names = [model.frames[frame].name for frame in built.frames]
        self.tasks = [pink.tasks.FrameTask(name, COST, COST) for name in names]
        self.tasks.append(pink.tasks.ComTask(COST))
        wanted = work.targets
        turns = rotations.to_matrix(wanted.rotations_wxyz)
        self.targets = [
            [pin.SE3(turn, place) for turn, place in zip(*frame, strict=True)]
            for frame in zip(turns, wanted.positions_m, strict=True)
        ]
        self.centers = list(wanted.com_m)

    def seen(self) -> Targets:
        import pinocchio as pin

        model, data = self.configuration.model, self.configuration.data
        places = [data.oMf[frame] for frame in self.frames]
        turns = rotations.from_matrix(np.array([place.rotation for place in places]))
        center = pin.centerOfMass(model, data, self.configuration.q)
        return Targets(
            np.array([[place.translation for place in places]]), turns[None], center[None].copy()
        )
