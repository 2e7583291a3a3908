"""From a compiled MuJoCo model to a tree of joints with masses and limits.

In MuJoCo a body turns about its joints one after the other, each about an anchor somewhere in the
body. Here each joint gets a frame of its own at its anchor, turned like the body at rest; the body
rides on the last of them. Angles are counted from the pose in the file (`qpos0`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import Body, Character, JointKind, Sites, Skeleton
from poise.errors import FileProblem


# What MuJoCo does not read of the joints of a URDF: how fast they turn, and ranges of no width.
#
# A limit whose ends are the same, or the wrong way round, or that is not there, MuJoCo takes for
# none: the joint would turn freely. URDF says that a revolute joint has one, and that an end that
# is not stated is zero.
def with_urdf_limits(character: Character, path: Path, data: bytes) -> Character:
    """A character with the speeds and ranges that its file states.

    Args:
        character: as MuJoCo reads it.
        path: its file, for complaints.
        data: what is in it.

    Raises:
        FileProblem: a limit that is none, by its joint.
    """
    skeleton = character.skeleton
    known = {name: joint for joint, name in enumerate(skeleton.joint_names)}
    speeds = np.full(skeleton.joint_count, np.inf)
    ranges, notes = skeleton.limits_rad.copy(), list[str]()
    for element in _root(path, data).iter("joint"):
        name, kind = element.get("name", ""), element.get("type", "")
        if name not in known:
            continue
        limit = element.find("limit")
        if limit is not None:
            # Zero is URDF's word for unknown.
            stated = _number(path, name, limit, "velocity")
            speeds[known[name]] = stated if stated > 0.0 else np.inf
        if kind != "revolute":
            continue
        low, high = _range(path, name, limit)
        if low == high:
            ranges[known[name], 0] = low, high
            notes.append(f"{name} cannot turn: its limit has no width.")
    return replace(
        character,
        skeleton=replace(skeleton, limits_rad=ranges),
        speed_limits_rad_s=speeds,
        notes=(*character.notes, *notes),
    )


def _root(path: Path, data: bytes) -> ElementTree.Element:
    try:
        return ElementTree.fromstring(data)
    except ElementTree.ParseError as problem:
        raise FileProblem(path, "well-formed XML", str(problem)[:120]) from None


def _range(path: Path, name: str, limit: ElementTree.Element | None) -> tuple[float, float]:
    """From the lowest to the highest angle of a revolute joint."""
    if limit is None:
        advice = "If it turns all round, its type is continuous."
        raise FileProblem(path, f"a limit of the revolute joint {name}", "none", advice=advice)
    low, high = (_number(path, name, limit, end) for end in ("lower", "upper"))
    if low > high:
        found = f"{low:g} and {high:g}"
        raise FileProblem(path, f"a lower limit of {name} that is below the upper", found)
    return low, high


def _number(path: Path, name: str, limit: ElementTree.Element, what: str) -> float:
    text = limit.get(what, "0")
    try:
        number = float(text)
    except ValueError:
        number = np.nan
    if np.isnan(number):
        raise FileProblem(path, f"a number for the {what} of {name}", f"{text}"[:80])
    return number


_LARGEST = 1e6
"""Metres, kilograms and kg m²: no robot comes near."""


@dataclass
class Tree:
    """A robot as lists that grow while it is read; axes are the file's own."""

    names: list[str] = field(default_factory=list[str])
    parents: list[int] = field(default_factory=list[int])
    offsets_m: list[Array] = field(default_factory=list[Array])
    rest_wxyz: list[Array] = field(default_factory=list[Array])
    kinds: list[JointKind] = field(default_factory=list[JointKind])
    axes: list[Array] = field(default_factory=list[Array])
    limits_rad: list[Array] = field(default_factory=list[Array])
    torques_nm: list[Array] = field(default_factory=list[Array])
    masses_kg: list[float] = field(default_factory=list[float])
    centers_m: list[Array] = field(default_factory=list[Array])
    inertias_kg_m2: list[Array] = field(default_factory=list[Array])
    carriers: dict[int, int] = field(default_factory=dict[int, int])
    """Body of the model to the joint it rides on."""
    anchors: dict[int, Array] = field(default_factory=dict[int, Array])
    """Body of the model to that joint's origin in the body's frame."""
    site_list: list[tuple[str, int, Array]] = field(default_factory=list[tuple[str, int, Array]])
    shapes: list[tuple[int, int, Array, Array, Array]] = field(
        default_factory=list[tuple[int, int, Array, Array, Array]]
    )
    """Primitive geoms: joint, MuJoCo type, size, and place and axes in the joint's frame."""
    notes: list[str] = field(default_factory=list[str])
    up: str = "z"

    def add(
        self,
        name: str,
        parent: int,
        offset: Array,
        rest: Array,
        kind: JointKind = "fixed",
        axis: Array | None = None,
        limits: Array | None = None,
        torque_nm: float = np.inf,
    ) -> int:
        """Append a joint without mass; returns its index."""
        taken = set(self.names)
        unique, count = name, 1
        while unique in taken:
            unique = f"{name}_link" if count == 1 else f"{name}_link{count}"
            count += 1
        self.names.append(unique)
        self.parents.append(parent)
        self.offsets_m.append(offset)
        self.rest_wxyz.append(rest)
        self.kinds.append(kind)
        self.axes.append(np.zeros(3) if axis is None else axis)
        free = np.tile([-np.inf, np.inf], (3, 1))
        self.limits_rad.append(free if limits is None else limits)
        self.torques_nm.append(np.full(3, torque_nm))
        self.masses_kg.append(0.0)
        self.centers_m.append(np.zeros(3))
        self.inertias_kg_m2.append(np.zeros((3, 3)))
        return len(self.names) - 1

    def skeleton(self, to_world: Array) -> Skeleton:
        """The joints, with the root turned to our axes."""
        rest, offsets = np.array(self.rest_wxyz), np.array(self.offsets_m)
        rest[0] = rotations.multiply(to_world, rest[0])
        offsets[0] = rotations.rotate(to_world, offsets[0])
        return Skeleton(
            tuple(self.names),
            np.array(self.parents),
            offsets,
            rest_wxyz=rest,
            kinds=tuple(self.kinds),
            hinge_axes=np.array(self.axes),
            limits_rad=np.array(self.limits_rad),
        )

    def body(self) -> Body:
        """Masses, centres and inertias."""
        return Body(
            np.array(self.masses_kg), np.array(self.centers_m), np.array(self.inertias_kg_m2)
        )

    def sites(self) -> Sites:
        """The file's own sites, under their own names."""
        return Sites(
            tuple(name for name, _, _ in self.site_list),
            np.array([joint for _, joint, _ in self.site_list], dtype=np.int64),
            np.array([offset for _, _, offset in self.site_list]).reshape(-1, 3),
        )

    def check(self) -> None:
        """Refuse numbers no robot has; beyond them sums would overflow further on."""
        rows: list[tuple[int, str, Array]] = [
            (joint, what, np.asarray(value))
            for what, values in (
                ("place", self.offsets_m),
                ("rotation", self.rest_wxyz),
                ("mass", self.masses_kg),
                ("centre of mass", self.centers_m),
                ("inertia", self.inertias_kg_m2),
            )
            for joint, value in enumerate(values)
        ]
        rows += [(joint, f"site {name}", offset) for name, joint, offset in self.site_list]
        for joint, _, size, place, axes in self.shapes:
            rows += [(joint, "geom", part) for part in (size, place, axes)]
        for joint, what, value in rows:
            if not (np.abs(value) < _LARGEST).all():  # also false for NaN
                raise FileProblem(
                    "",
                    f"finite numbers below {_LARGEST:g}",
                    f"another in {what} of {self.names[joint]}",
                )

    @property
    def torque_limits_nm(self) -> Array:
        """(J, 3) infinite where the file states none."""
        return np.array(self.torques_nm)


def read_tree(model: Any, mujoco: Any, weightless: set[str]) -> Tree:
    """The robot of a model: the body on the ground that carries most joints, and all below it."""
    tree = Tree()
    if abs(float(model.opt.gravity[1])) > abs(float(model.opt.gravity[2])):
        tree.up = "y"
    bodies = _robot_bodies(model, tree)
    torques = _torque_limits(model, mujoco)
    for body in bodies:
        _add_body(tree, model, mujoco, body, torques, root=body == bodies[0])
        if model.body(body).name not in weightless:
            _add_mass(tree, model, body)
    for site in range(model.nsite):
        body = int(model.site_bodyid[site])
        if body in tree.carriers and model.site(site).name:
            offset = model.site_pos[site] - tree.anchors[body]
            tree.site_list.append((model.site(site).name, tree.carriers[body], offset))
    for geom in range(model.ngeom):
        body = int(model.geom_bodyid[geom])
        if body in tree.carriers:
            place = model.geom_pos[geom] - tree.anchors[body]
            axes = rotations.to_matrix(model.geom_quat[geom])
            kind, size = int(model.geom_type[geom]), model.geom_size[geom].copy()
            tree.shapes.append((tree.carriers[body], kind, size, place, axes))
    tree.check()
    return tree


def _robot_bodies(model: Any, tree: Tree) -> list[int]:
    roots = model.body_rootid
    tops = sorted({int(r) for r in roots[1:]})
    if not tops:
        raise FileProblem("", "a robot with at least one body", "none")
    joints = {top: int(model.body_jntnum[roots == top].sum()) for top in tops}
    best = max(tops, key=lambda top: joints[top])
    left_out = [model.body(top).name or f"body_{top}" for top in tops if top != best]
    if left_out:
        tree.notes.append(f"Not part of the robot and left out: {', '.join(left_out[:20])}.")
    # Parents come before children in MuJoCo's order.
    return [int(b) for b in np.flatnonzero(roots == best) if b > 0]


def _add_body(
    tree: Tree, model: Any, mujoco: Any, body: int, torques: dict[int, float], *, root: bool
) -> None:
    name = model.body(body).name or f"body_{body}"
    place, turn = model.body_pos[body].copy(), model.body_quat[body].copy()
    first = int(model.body_jntadr[body])
    joints = [first + k for k in range(int(model.body_jntnum[body]))]
    kinds = [int(model.jnt_type[j]) for j in joints]
    free, slide = int(mujoco.mjtJoint.mjJNT_FREE), int(mujoco.mjtJoint.mjJNT_SLIDE)
    if slide in kinds:
        which = model.joint(joints[kinds.index(slide)]).name or f"of {name}"
        raise FileProblem(
            "",
            "joints that turn (hinge, ball, free)",
            f"the slide joint {which}",
            advice="Weld it, or take it out of the file.",
        )
    anchor = np.zeros(3)
    if root:
        if free not in kinds:
            tree.notes.append(f"{name} is fixed to the world in the file; here it floats.")
        carrier = tree.add(name, -1, place, turn, "ball")
        place, turn = np.zeros(3), rotations.IDENTITY.copy()
        joints = [j for j, kind in zip(joints, kinds, strict=True) if kind != free]
    else:
        parent = int(model.body_parentid[body])
        carrier = tree.carriers[parent]
        place = place - tree.anchors[parent]
        if not joints:
            carrier = tree.add(name, carrier, place, turn)
    for k, joint in enumerate(joints):
        near, anchor = anchor, model.jnt_pos[joint].copy()
        offset = place + rotations.rotate(turn, anchor) if k == 0 else anchor - near
        rest = turn if k == 0 else rotations.IDENTITY.copy()
        carrier = _add_joint(tree, model, mujoco, joint, carrier, offset, rest, torques, name, k)
    tree.carriers[body], tree.anchors[body] = carrier, anchor


def _add_joint(
    tree: Tree,
    model: Any,
    mujoco: Any,
    joint: int,
    parent: int,
    offset: Array,
    rest: Array,
    torques: dict[int, float],
    link: str,
    number: int,
) -> int:
    hinge = int(model.jnt_type[joint]) == int(mujoco.mjtJoint.mjJNT_HINGE)
    name = model.joint(joint).name or f"{link}_joint{number}"
    limits = np.tile([-np.inf, np.inf], (3, 1))
    if model.jnt_limited[joint]:
        low, high = (float(v) for v in model.jnt_range[joint])
        if hinge:
            start = float(model.qpos0[model.jnt_qposadr[joint]])
            limits[0] = low - start, high - start
        else:
            limits[:] = -high, high
    return tree.add(
        name,
        parent,
        offset,
        rest,
        "hinge" if hinge else "ball",
        model.jnt_axis[joint].copy() if hinge else None,
        limits,
        torques.get(joint, np.inf),
    )


def _add_mass(tree: Tree, model: Any, body: int) -> None:
    joint = tree.carriers[body]
    frame = rotations.to_matrix(model.body_iquat[body])
    inertia = frame @ np.diag(model.body_inertia[body]) @ frame.T
    tree.masses_kg[joint] = float(model.body_mass[body])
    tree.centers_m[joint] = model.body_ipos[body] - tree.anchors[body]
    tree.inertias_kg_m2[joint] = 0.5 * (inertia + inertia.T)


def _torque_limits(model: Any, mujoco: Any) -> dict[int, float]:
    """Joint to the largest torque its own range and its motors allow; absent where unlimited."""
    limits: dict[int, float] = {}
    motors: dict[int, float] = {}
    for actuator in range(model.nu):
        if int(model.actuator_trntype[actuator]) == int(mujoco.mjtTrn.mjTRN_JOINT):
            joint = int(model.actuator_trnid[actuator, 0])
            motors[joint] = motors.get(joint, 0.0) + _motor_torque(model, mujoco, actuator)
    for joint in range(model.njnt):
        values = [motors.get(joint, np.inf)]
        if model.jnt_actfrclimited[joint]:
            values.append(float(np.abs(model.jnt_actfrcrange[joint]).max()))
        if np.isfinite(min(values)):
            limits[joint] = min(values)
    return limits


def _motor_torque(model: Any, mujoco: Any, actuator: int) -> float:
    gear = abs(float(model.actuator_gear[actuator, 0]))
    limits: list[float] = [np.inf]
    if model.actuator_forcelimited[actuator]:
        limits.append(float(np.abs(model.actuator_forcerange[actuator]).max()))
    direct = int(model.actuator_biastype[actuator]) == int(mujoco.mjtBias.mjBIAS_NONE)
    fixed = int(model.actuator_gaintype[actuator]) == int(mujoco.mjtGain.mjGAIN_FIXED)
    if model.actuator_ctrllimited[actuator] and direct and fixed:
        gain = abs(float(model.actuator_gainprm[actuator, 0]))
        limits.append(gain * float(np.abs(model.actuator_ctrlrange[actuator]).max()))
    return gear * min(limits)
