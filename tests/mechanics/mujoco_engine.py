"""The same body in MuJoCo, asked for the same quantities in our layout."""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import Body, Skeleton
from tests.mechanics.random_trees import Case


@dataclass(frozen=True, eq=False)
class Model:
    model: Any
    bodies: list[int]
    dofs: list[int]
    """For each of our tangent directions, MuJoCo's degree of freedom."""


def words(numbers: Array) -> str:
    return " ".join(f"{x:.17g}" for x in np.ravel(numbers))


def mjcf(skeleton: Skeleton, body: Body, gravity: Array) -> str:
    def part(joint: int) -> str:
        i = body.inertias_kg_m2[joint]
        six = (i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2])
        name, kind = skeleton.joint_names[joint], skeleton.kinds[joint]
        lines = [
            f'<body name="{name}" pos="{words(skeleton.offsets_m[joint])}"'
            f' quat="{words(skeleton.rest_wxyz[joint])}">',
            f'<inertial pos="{words(body.centers_m[joint])}" mass="{body.masses_kg[joint]:.17g}"'
            f' fullinertia="{words(np.array(six))}"/>',
        ]
        if joint == 0:
            lines.append(f'<freejoint name="{name}"/>')
        elif kind == "ball":
            lines.append(f'<joint name="{name}" type="ball"/>')
        elif kind == "hinge":
            axis = words(skeleton.hinge_axes[joint])
            lines.append(f'<joint name="{name}" type="hinge" axis="{axis}"/>')
        return "\n".join([*lines, *(part(child) for child in skeleton.children[joint]), "</body>"])

    return (
        f'<mujoco><compiler autolimits="false" angle="radian"/>'
        f'<option gravity="{words(gravity)}">'
        f'<flag contact="disable" constraint="disable"/></option>'
        f"<worldbody>{part(0)}</worldbody></mujoco>"
    )


def build(skeleton: Skeleton, body: Body, gravity: Array) -> Model:
    model = mujoco.MjModel.from_xml_string(mjcf(skeleton, body, gravity))
    bodies = [model.body(name).id for name in skeleton.joint_names]
    dofs = [0, 1, 2]
    for joint, count in enumerate(skeleton.freedoms.tolist()):
        if count:
            start = int(model.joint(skeleton.joint_names[joint]).dofadr[0]) + (3 * (joint == 0))
            dofs.extend(range(start, start + count))
    return Model(model, bodies, dofs)


def coordinates(engine: Model, case: Case, frame: int) -> Array:
    skeleton, motion = case.skeleton, case.motion
    q = np.zeros(engine.model.nq)
    turned = rotations.multiply(rotations.conjugate(skeleton.rest_wxyz), motion.local[frame])
    q[:3], q[3:7] = motion.root_m[frame], motion.local[frame, 0]
    for joint, kind in itertools.islice(enumerate(skeleton.kinds), 1, None):
        if kind == "fixed":
            continue
        start = int(engine.model.joint(skeleton.joint_names[joint]).qposadr[0])
        if kind == "ball":
            q[start : start + 4] = turned[joint]
        else:
            q[start] = rotations.twist_angle(turned[joint], skeleton.hinge_axes[joint])
    return q


def tangent(engine: Model, ours: Array) -> Array:
    theirs = np.zeros(engine.model.nv)
    theirs[engine.dofs] = ours
    return theirs


def answers(case: Case, velocities: Array, accelerations: Array) -> dict[str, Array]:
    """Every quantity the kernels compute, stacked over frames."""
    engine = build(case.skeleton, case.body, case.gravity)
    model, data = engine.model, mujoco.MjData(engine.model)
    frames: list[dict[str, Array]] = []
    for f in range(len(velocities)):
        data.qpos[:] = coordinates(engine, case, f)
        data.qvel[:] = tangent(engine, velocities[f])
        data.qacc[:] = tangent(engine, accelerations[f])
        mujoco.mj_inverse(model, data)
        mujoco.mj_subtreeVel(model, data)
        frames.append(_answer(engine, data, case, f))
    return {key: np.array([frame[key] for frame in frames]) for key in frames[0]}


def _answer(engine: Model, data: Any, case: Case, f: int) -> dict[str, Array]:
    model, jac = engine.model, functools.partial(np.zeros, (3, engine.model.nv))
    places = rotations.rotate(data.xquat[engine.bodies][case.sites.joints], case.sites.offsets_m)
    places = places + data.xpos[engine.bodies][case.sites.joints]
    linear, angular, center = [], [], jac()
    for place, joint in zip(places, case.sites.joints, strict=True):
        linear.append(jac())
        mujoco.mj_jac(model, data, linear[-1], None, place, engine.bodies[joint])
    for body in engine.bodies:
        angular.append(jac())
        mujoco.mj_jacBody(model, data, None, angular[-1], body)
    mujoco.mj_jacSubtreeCom(model, data, center, engine.bodies[0])
    pushed = np.zeros(model.nv)
    for c, joint in enumerate(case.wrenches.joints):
        body = engine.bodies[joint]
        force, moment = case.wrenches.forces_n[f, c], case.wrenches.moments_nm[f, c]
        mujoco.mj_applyFT(model, data, force, moment, data.xpos[body], body, pushed)
    return {
        "positions": data.xpos[engine.bodies].copy(),
        "rotations": rotations.to_matrix(data.xquat[engine.bodies]),
        "places": places,
        "center": data.subtree_com[engine.bodies[0]].copy(),
        "site jacobians": np.array(linear)[..., engine.dofs],
        "angular jacobians": np.array(angular)[..., engine.dofs],
        "center jacobian": center[:, engine.dofs],
        "linear momentum": data.subtree_linvel[engine.bodies[0]] * case.body.total_mass_kg,
        "angular momentum": data.subtree_angmom[engine.bodies[0]].copy(),
        "forces": data.qfrc_inverse[engine.dofs],
        "forces with wrenches": (data.qfrc_inverse - pushed)[engine.dofs],
    }
