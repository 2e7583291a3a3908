"""Pinocchio and MuJoCo at their best from Python: everything built beforehand, one call a frame."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from benchmarks.workloads import Workload
from poise.arrays import Array
from tests.mechanics.random_trees import to_tangent

GRAVITY = np.array([0.0, -9.81, 0.0])

Job = Callable[[], Any]


def pinocchio_jobs(work: Workload) -> dict[str, Job]:
    """Loops over prepared rows of q, v and a."""
    import pinocchio as pin

    from tests.mechanics import pinocchio_engine as engine

    built = engine.build(work.skeleton, work.body, GRAVITY)
    model = built.model
    data = model.createData()
    rows = _rows(work, built, engine)

    def kinematics() -> None:
        forward = pin.forwardKinematics
        for q, _, _ in rows:
            forward(model, data, q)

    def dynamics() -> None:
        rnea = pin.rnea
        for q, v, a in rows:
            rnea(model, data, q, v, a)

    return {"kinematics": kinematics, "dynamics": dynamics}


def _rows(work: Workload, built: Any, engine: Any) -> list[tuple[Array, Array, Array]]:
    velocities = to_tangent(work.skeleton, work.root_v, work.omega)
    accelerations = to_tangent(work.skeleton, work.root_a, work.alpha)
    rows: list[tuple[Array, Array, Array]] = []
    for f in range(work.frames):
        q = engine.coordinates(built, work.skeleton, work.root_m[f], work.local[f])
        rows.append((q, *engine.rates(built, work.local[f], velocities[f], accelerations[f])))
    return rows


def mujoco_jobs(work: Workload) -> dict[str, Job]:
    """Rows are copied into MjData (that is its interface); contacts and constraints are off."""
    import mujoco

    from tests.mechanics import mujoco_engine as engine

    built = engine.build(work.skeleton, work.body, GRAVITY)
    model = built.model
    data = mujoco.MjData(model)
    motion = SimpleNamespace(root_m=work.root_m, local=work.local)
    case: Any = SimpleNamespace(skeleton=work.skeleton, motion=motion)
    velocities = to_tangent(work.skeleton, work.root_v, work.omega)
    accelerations = to_tangent(work.skeleton, work.root_a, work.alpha)
    rows = [
        (
            engine.coordinates(built, case, f),
            engine.tangent(built, velocities[f]),
            engine.tangent(built, accelerations[f]),
        )
        for f in range(work.frames)
    ]
    qpos, qvel, qacc = data.qpos, data.qvel, data.qacc

    def kinematics() -> None:
        forward = mujoco.mj_kinematics
        for q, _, _ in rows:
            qpos[:] = q
            forward(model, data)

    def dynamics() -> None:
        inverse = mujoco.mj_inverse
        for q, v, a in rows:
            qpos[:] = q
            qvel[:] = v
            qacc[:] = a
            inverse(model, data)

    return {"kinematics": kinematics, "dynamics": dynamics}


PEERS: dict[str, Callable[[Workload], dict[str, Job]]] = {
    "pinocchio": pinocchio_jobs,
    "mujoco": mujoco_jobs,
}
