"""pymomentum: a compiled loop in single precision, and no task for the centre of mass.

It gets the 21 frame tasks alone, which leaves it less to do than the others. Its own settings were
tried as well: of its error functions the state's with logarithms is fastest, of its solvers the
dense one, and any small regularization does the same. Wheels exist for Python 3.12 and 3.13 only.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.ik_body import IkWork, Poses, Targets
from benchmarks.ik_contract import Solved
from poise import rotations
from poise.arrays import Array, Indices
from poise.character import Skeleton

POSITION_WEIGHT = 1e3
"""Its own factor is a thousandth (it thinks in centimetres): so a metre costs 1, like a radian."""
REGULARIZATION = 1e-6
_SLOTS = 7
"""Numbers of a joint: translation, angles about x, y and z (z outermost), logarithm of scale."""
_EULER = (2, 1, 0)

Singles = NDArray[np.float32]


class Momentum:
    """Gauss-Newton: one call a frame, the iterations inside."""

    name = "pymomentum"
    has_center = False

    def prepare(self, work: IkWork) -> None:
        import pymomentum.geometry as geometry
        import pymomentum.solver2 as solver2

        skeleton = work.skeleton
        self.solver2, self.geometry, self.skeleton = solver2, geometry, skeleton
        offsets = np.where(skeleton.parents[:, None] < 0, 0.0, skeleton.offsets_m)
        rows = zip(skeleton.joint_names, skeleton.parents, _rests(skeleton), offsets, strict=True)
        tree = geometry.Skeleton(
            [
                geometry.Joint(name, int(parent), rotations.to_xyzw(rest), offset)
                for name, parent, rest, offset in rows
            ]
        )
        transform = _transform(skeleton)
        names = [f"p{i}" for i in range(transform.shape[1])]
        self.character = geometry.Character(
            "reference human", tree, geometry.ParameterTransform(names, tree, transform)
        )
        self.errors = solver2.StateErrorFunction(
            self.character,
            position_weight=POSITION_WEIGHT,
            rotation_error_type=solver2.RotationErrorType.QuaternionLogMap,
        )
        self.function = solver2.SkeletonSolverFunction(self.character, [self.errors])
        self.solvers: dict[int, Any] = {}
        wanted = work.targets
        turns = rotations.to_xyzw(wanted.rotations_wxyz)
        states = np.concatenate([wanted.positions_m, turns, np.ones_like(turns[..., :1])], axis=-1)
        self.targets = list(states.astype(np.float32))
        self.start = _coordinates(skeleton, work.start)[0]

    def _solver(self, count: int) -> Any:
        """One for each number of iterations: they are fixed when it is made."""
        if count not in self.solvers:
            options = self.solver2.GaussNewtonSolverOptions()
            options.min_iterations = options.max_iterations = count
            options.regularization = REGULARIZATION
            options.threshold = 0.0
            self.solvers[count] = self.solver2.GaussNewtonSolver(self.function, options)
        return self.solvers[count]

    def restart(self) -> None:
        self.parameters = self.start

    def aim(self, frame: int) -> None:
        self.errors.set_target_state(self.targets[frame])

    def step(self) -> None:
        self.parameters = self._solver(1).solve(self.parameters)

    def pose(self) -> Poses:
        return _poses(self.skeleton, self.parameters[None])

    def seen(self) -> Targets:
        numbers = self.character.parameter_transform.apply(self.parameters[None])
        states = self.geometry.joint_parameters_to_skeleton_state(self.character, numbers)
        state = np.asarray(states, dtype=np.float64)
        turns = rotations.normalize(rotations.from_xyzw(state[..., 3:7]))
        return Targets(state[..., :3], turns, np.full((1, 3), np.nan))

    def solve(self, plan: Indices) -> Solved:
        self.restart()
        found: list[Singles] = []
        for frame, count in enumerate(plan.tolist()):
            self.aim(frame)
            if count:
                self.parameters = self._solver(count).solve(self.parameters)
            found.append(self.parameters)
        return Solved(_poses(self.skeleton, np.array(found)), plan)


def _rests(skeleton: Skeleton) -> Array:
    """Our root's rest pose is not part of its rotation."""
    rests = skeleton.rest_wxyz.copy()
    rests[0] = 1.0, 0.0, 0.0, 0.0
    return rests


def _transform(skeleton: Skeleton) -> Singles:
    """(7 J, D) from the numbers that may vary to all of a joint."""
    rows, signs = [0, 1, 2], [1.0, 1.0, 1.0]
    for joint, kind in enumerate(skeleton.kinds):
        first = _SLOTS * joint + 3
        if kind == "ball":
            rows += [first, first + 1, first + 2]
            signs += [1.0, 1.0, 1.0]
        elif kind == "hinge":
            axis = skeleton.hinge_axes[joint]
            assert np.abs(axis).max() == 1.0, "hinges along coordinate axes only"
            rows.append(first + int(np.abs(axis).argmax()))
            signs.append(float(axis.sum()))
    transform = np.zeros((_SLOTS * skeleton.joint_count, len(rows)), dtype=np.float32)
    transform[rows, np.arange(len(rows))] = signs
    return transform


def _coordinates(skeleton: Skeleton, poses: Poses) -> Singles:
    """(F, D) from our poses."""
    turned = rotations.multiply(rotations.conjugate(_rests(skeleton)), poses.local_wxyz)
    parts = [poses.root_m]
    for joint, kind in enumerate(skeleton.kinds):
        if kind == "ball":
            parts.append(rotations.to_euler(turned[:, joint], _EULER)[:, ::-1])
        elif kind == "hinge":
            axis = skeleton.hinge_axes[joint]
            parts.append(rotations.twist_angle(turned[:, joint], axis)[:, None])
    return np.concatenate(parts, axis=1).astype(np.float32)


def _poses(skeleton: Skeleton, singles: Singles) -> Poses:
    """Back again, all joints of a kind at once."""
    rows = singles.astype(np.float64)
    starts, kinds = skeleton.freedom_starts, np.array(skeleton.kinds)
    balls, hinges = np.flatnonzero(kinds == "ball"), np.flatnonzero(kinds == "hinge")
    local = np.tile([1.0, 0.0, 0.0, 0.0], (len(rows), skeleton.joint_count, 1))
    local[:, balls] = rotations.from_euler(rows[:, starts[balls, None] + np.array(_EULER)], _EULER)
    axes = skeleton.hinge_axes[hinges]
    local[:, hinges] = rotations.from_axis_angle(axes, rows[:, starts[hinges]])
    return Poses(rows[:, :3], rotations.multiply(_rests(skeleton), local))
