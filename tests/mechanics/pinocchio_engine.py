"""The same body in Pinocchio, asked for the same quantities in our layout."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pinocchio as pin

from poise import rotations
from poise.arrays import Array
from poise.character import Body, Skeleton
from tests.mechanics.random_trees import Case

WORLD = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED


@dataclass(frozen=True, eq=False)
class Model:
    model: Any
    frames: list[int]
    """For each of our joints, Pinocchio's frame."""
    movers: list[int]
    """For each of our joints, the Pinocchio joint that carries it."""
    dofs: list[int]


def build(skeleton: Skeleton, body: Body, gravity: Array) -> Model:
    model = pin.Model()
    model.gravity.linear = np.asarray(gravity)
    placed: list[tuple[int, Any]] = []  # Pinocchio joint, and our joint's frame in it
    frames: list[int] = []
    for joint, parent in enumerate(skeleton.parents.tolist()):
        name, kind = skeleton.joint_names[joint], skeleton.kinds[joint]
        rest = pin.SE3(rotations.to_matrix(skeleton.rest_wxyz[joint]), skeleton.offsets_m[joint])
        mover, here = (0, pin.SE3.Identity()) if joint == 0 else placed[parent]
        here = pin.SE3.Identity() if joint == 0 else here * rest
        if kind != "fixed":
            mover = model.addJoint(mover, _joint_model(skeleton, joint), here, name)
            here = pin.SE3.Identity()
        inertia = pin.Inertia(
            float(body.masses_kg[joint]), body.centers_m[joint], body.inertias_kg_m2[joint]
        )
        model.appendBodyToJoint(mover, inertia, here)
        frames.append(model.addFrame(pin.Frame(f"f{joint}", mover, here, pin.FrameType.OP_FRAME)))
        placed.append((mover, here))
    dofs = [0, 1, 2]
    for joint, count in enumerate(skeleton.freedoms.tolist()):
        if count:
            start = model.joints[placed[joint][0]].idx_v + (3 * (joint == 0))
            dofs.extend(range(start, start + count))
    return Model(model, frames, [mover for mover, _ in placed], dofs)


def _joint_model(skeleton: Skeleton, joint: int) -> Any:
    if joint == 0:
        return pin.JointModelFreeFlyer()
    if skeleton.kinds[joint] == "ball":
        return pin.JointModelSpherical()
    axis = skeleton.hinge_axes[joint]
    if axis.max() == 1.0:  # along a coordinate axis: Pinocchio has a faster joint for that
        return (pin.JointModelRX, pin.JointModelRY, pin.JointModelRZ)[int(axis.argmax())]()
    return pin.JointModelRevoluteUnaligned(axis)


def coordinates(engine: Model, skeleton: Skeleton, root_m: Array, local: Array) -> Array:
    """Pinocchio's q for one pose."""
    q = np.zeros(engine.model.nq)
    turned = rotations.multiply(rotations.conjugate(skeleton.rest_wxyz), local)
    q[:3], q[3:7] = root_m, local[0, [1, 2, 3, 0]]
    for joint, kind in enumerate(skeleton.kinds):
        if joint == 0 or kind == "fixed":
            continue
        start = engine.model.joints[engine.movers[joint]].idx_q
        if kind == "ball":
            q[start : start + 4] = turned[joint, [1, 2, 3, 0]]
        else:
            q[start] = rotations.twist_angle(turned[joint], skeleton.hinge_axes[joint])
    return q


def rates(engine: Model, local: Array, velocity: Array, acceleration: Array) -> tuple[Array, Array]:
    """Pinocchio's v and a for one frame: its root's linear part is in the root's own axes."""
    v, a = np.zeros(engine.model.nv), np.zeros(engine.model.nv)
    v[engine.dofs], a[engine.dofs] = velocity, acceleration
    back = rotations.to_matrix(local[0]).T
    v[:3] = back @ velocity[:3]
    a[:3] = back @ acceleration[:3] - np.cross(v[3:6], v[:3])
    return v, a


def answers(case: Case, velocities: Array, accelerations: Array) -> dict[str, Array]:
    """Every quantity the kernels compute, stacked over frames."""
    engine = build(case.skeleton, case.body, case.gravity)
    frames = [
        _answer(engine, case, f, velocities[f], accelerations[f]) for f in range(len(velocities))
    ]
    return {key: np.array([frame[key] for frame in frames]) for key in frames[0]}


def _answer(
    engine: Model, case: Case, f: int, velocity: Array, acceleration: Array
) -> dict[str, Array]:
    model, data = engine.model, engine.model.createData()
    local = case.motion.local[f]
    q = coordinates(engine, case.skeleton, case.motion.root_m[f], local)
    v, a = rates(engine, local, velocity, acceleration)
    pin.computeJointJacobians(model, data, q)
    pin.updateFramePlacements(model, data)
    pin.jacobianCenterOfMass(model, data, q)
    pin.ccrba(model, data, q, v)
    root = rotations.to_matrix(local[0])
    placements = [data.oMf[frame].copy() for frame in engine.frames]
    whole = [pin.getFrameJacobian(model, data, frame, WORLD) for frame in engine.frames]
    joints = case.sites.joints.tolist()
    arms = [placements[j].rotation @ o for j, o in zip(joints, case.sites.offsets_m, strict=True)]
    armed = list(zip(joints, arms, strict=True))

    def ours(matrix: Array) -> Array:
        columns = matrix[..., engine.dofs].copy()
        columns[..., :3] = columns[..., :3] @ root.T
        return columns

    return {
        "positions": np.array([p.translation for p in placements]),
        "rotations": np.array([p.rotation for p in placements]),
        "places": np.array([placements[j].translation + arm for j, arm in armed]),
        "center": data.com[0].copy(),
        "site jacobians": np.array(
            [
                ours(whole[j][:3] - pin.skew(arm) @ whole[j][3:])
                for j, arm in zip(joints, arms, strict=True)
            ]
        ),
        "angular jacobians": np.array([ours(matrix[3:]) for matrix in whole]),
        "center jacobian": ours(data.Jcom),
        "momentum matrix": ours(data.Ag),
        "linear momentum": data.hg.linear,
        "angular momentum": data.hg.angular,
        "forces": _forces(engine, case, f, q, v, a, root, wrenches=False),
        "forces with wrenches": _forces(engine, case, f, q, v, a, root, wrenches=True),
    }


def _forces(
    engine: Model, case: Case, f: int, q: Array, v: Array, a: Array, root: Array, *, wrenches: bool
) -> Array:
    model, data = engine.model, engine.model.createData()
    pin.framesForwardKinematics(model, data, q)
    outer = [pin.Force.Zero() for _ in range(model.njoints)]
    for c, joint in enumerate(case.wrenches.joints if wrenches else ()):
        # World axes at our joint's origin, to Pinocchio's joint frame.
        at = pin.SE3(np.eye(3), data.oMf[engine.frames[joint]].translation)
        force = pin.Force(case.wrenches.forces_n[f, c], case.wrenches.moments_nm[f, c])
        mover = engine.movers[joint]
        outer[mover] += data.oMi[mover].actInv(at.act(force))
    tau = pin.rnea(model, data, q, v, a, outer)[engine.dofs].copy()
    tau[:3] = root @ tau[:3]
    return tau
