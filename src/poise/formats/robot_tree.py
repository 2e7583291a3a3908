"""From a compiled MuJoCo model to a tree of joints with masses and limits.

In MuJoCo a body turns about its joints one after the other, each about an anchor somewhere in the
body. Here each joint gets a frame of its own at its anchor, turned like the body at rest; the body
rides on the last of them. Angles are counted from the pose in the file (`qpos0`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import chain, count, product
from pathlib import Path

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import Body, Character, JointKind, Sites, Skeleton
from poise.errors import FileProblem
from poise.formats.parsed import sites_of
from poise.formats.robot_compiler import Model
from poise.formats.robot_xml import Element
from poise.formats.text import free_name

SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH = 2, 3, 4, 5, 6, 7
"""Values of MuJoCo's `mjtGeom`."""
_FREE, _SLIDE, _HINGE = 0, 2, 3
"""Of `mjtJoint`."""
_TO_JOINT, _NO_BIAS, _FIXED_GAIN = 0, 0, 0
"""Of `mjtTrn`, `mjtBias` and `mjtGain`."""


# What MuJoCo does not read of the joints of a URDF: how fast they turn, and ranges of no width.
#
# A limit whose ends are the same, or the wrong way round, or that is not there, MuJoCo takes for
# none: the joint would turn freely. URDF says that a revolute joint has one, and that an end that
# is not stated is zero.
def with_urdf_limits(character: Character, path: Path, root: Element) -> Character:
    """A character with the speeds and ranges that its file states.

    Args:
        character: as MuJoCo reads it.
        path: its file, for complaints.
        root: what is in it.

    Raises:
        FileProblem: a limit that is none, by its joint.
    """
    skeleton = character.skeleton
    known = {name: joint for joint, name in enumerate(skeleton.joint_names)}
    speeds = np.full(skeleton.joint_count, np.inf)
    ranges, notes = skeleton.limits_rad.copy(), list[str]()
    for element in root.all():
        name, kind = (element.attributes.get(key, "") for key in ("name", "type"))
        if element.tag != "joint" or name not in known:
            continue
        limit = next((each for each in element.children if each.tag == "limit"), None)
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


def _range(path: Path, name: str, limit: Element | None) -> tuple[float, float]:
    """From the lowest to the highest angle of a revolute joint."""
    if limit is None:
        advice = "If it turns all round, its type is continuous."
        raise FileProblem(path, f"a limit of the revolute joint {name}", "none", advice=advice)
    low, high = (_number(path, name, limit, end) for end in ("lower", "upper"))
    if low > high:
        found = f"{low:g} and {high:g}"
        raise FileProblem(path, f"a lower limit of {name} that is below the upper", found)
    return low, high


def _number(path: Path, name: str, limit: Element, what: str) -> float:
    text = limit.attributes.get(what, "0")
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
class TreeJoint:
    """A joint, at first without mass."""

    name: str
    parent: int
    offset_m: Array
    rest_wxyz: Array
    kind: JointKind = "fixed"
    axis: Array = field(default_factory=lambda: np.zeros(3))
    limits_rad: Array = field(default_factory=lambda: np.tile([-np.inf, np.inf], (3, 1)))
    torque_nm: float = np.inf
    mass_kg: float = 0.0
    center_m: Array = field(default_factory=lambda: np.zeros(3))
    inertia_kg_m2: Array = field(default_factory=lambda: np.zeros((3, 3)))


@dataclass(frozen=True)
class Shape:
    """A geom: a primitive, a mesh with its outermost points, or one that nobody looks at."""

    joint: int
    kind: int
    """Of `mjtGeom`."""
    size: Array
    center: Array
    axes: Array
    """Columns are the shape's own axes."""
    points: Array = field(default_factory=lambda: np.zeros((0, 3)))
    """(n, 3) of a mesh, along the shape's axes from its centre."""
    touches: bool = True
    """Whether it is there to collide, and not only to be seen."""

    def bottom(self, down: Array) -> Array:
        """(n, 3) the points on which it stands: corners, and what is below the core of a rounding.

        Args:
            down: (3,) unit.
        """
        if self.kind == MESH:
            return self.center + self.points @ self.axes.T
        if self.kind == BOX:
            corners = np.array(list(product((-1.0, 1.0), repeat=3)))
            return self.center + (corners * self.size) @ self.axes.T
        if self.kind == CAPSULE:
            ends = np.outer([-self.size[1], self.size[1]], self.axes[:, 2])
            return self.center + ends + self.size[0] * down
        if self.kind == CYLINDER:
            around = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)
            rim = self.size[0] * np.stack([np.cos(around), np.sin(around)], axis=1)
            level = np.repeat([-self.size[1], self.size[1]], len(rim))[:, None]
            ends = np.concatenate([np.concatenate([rim, rim]), level], axis=1)
            return self.center + ends @ self.axes.T
        return self.support(down)[None]

    def support(self, direction: Array, *, core: bool = False) -> Array:
        """The point farthest along a direction; with `core`, of what lies inside the rounding.

        A ball rolls over its lowest point: where spheres and capsules touch the ground is below
        their core, not below their rim.
        """
        local = self.axes.T @ direction
        radius = 0.0 if core else float(self.size[0])
        if self.kind == SPHERE:
            return self.center + radius * direction
        if self.kind == CAPSULE:
            end = np.sign(local[2]) * self.size[1] * self.axes[:, 2]
            return self.center + end + radius * direction
        if self.kind == CYLINDER:
            flat = np.array([local[0], local[1], 0.0])
            length = float(np.linalg.norm(flat))
            rim = self.size[0] * flat / length if length > 1e-9 else np.zeros(3)
            end = np.array([0.0, 0.0, np.sign(local[2]) * self.size[1]])
            return self.center + self.axes @ (rim + end)
        if self.kind == MESH:
            return self.center + self.axes @ self.points[int((self.points @ local).argmax())]
        if self.kind == ELLIPSOID:
            scaled = self.size * local
            return self.center + self.axes @ (self.size * scaled / np.linalg.norm(scaled))
        return self.center + self.axes @ (np.sign(local) * self.size)


@dataclass
class Tree:
    """A robot as lists that grow while it is read; axes are the file's own."""

    joints: list[TreeJoint] = field(default_factory=list[TreeJoint])
    carriers: dict[int, int] = field(default_factory=dict[int, int])
    """Body of the model to the joint it rides on."""
    anchors: dict[int, Array] = field(default_factory=dict[int, Array])
    """Body of the model to that joint's origin in the body's frame."""
    site_list: list[tuple[str, int, Array]] = field(default_factory=list[tuple[str, int, Array]])
    shapes: list[Shape] = field(default_factory=list[Shape])
    """In the frames of their joints."""
    shapeless: set[int] = field(default_factory=set[int])
    """Joints at the ends of limbs whose shape is in a mesh file that is not there."""
    notes: list[str] = field(default_factory=list[str])
    up: str = "z"

    def add(self, joint: TreeJoint) -> int:
        """Append a joint under a name of its own; returns its index."""
        link = f"{joint.name}_link"
        others = chain((link,), (f"{link}{number}" for number in count(2)))
        joint.name = free_name(joint.name, others, {other.name for other in self.joints})
        self.joints.append(joint)
        return len(self.joints) - 1

    def skeleton(self, to_world: Array) -> Skeleton:
        """The joints, with the root turned to our axes."""
        rest = np.array([joint.rest_wxyz for joint in self.joints])
        offsets = np.array([joint.offset_m for joint in self.joints])
        rest[0] = rotations.multiply(to_world, rest[0])
        offsets[0] = rotations.rotate(to_world, offsets[0])
        return Skeleton(
            tuple(joint.name for joint in self.joints),
            np.array([joint.parent for joint in self.joints]),
            offsets,
            rest_wxyz=rest,
            kinds=tuple(joint.kind for joint in self.joints),
            hinge_axes=np.array([joint.axis for joint in self.joints]),
            limits_rad=np.array([joint.limits_rad for joint in self.joints]),
        )

    def body(self) -> Body:
        """Masses, centres and inertias."""
        return Body(
            np.array([joint.mass_kg for joint in self.joints]),
            np.array([joint.center_m for joint in self.joints]),
            np.array([joint.inertia_kg_m2 for joint in self.joints]),
        )

    def sites(self) -> Sites:
        """The file's own sites, under their own names."""
        return sites_of(self.site_list)

    def check(self) -> None:
        """Refuse numbers no robot has; beyond them sums would overflow further on."""
        facts: list[tuple[str, list[Array]]] = [
            ("place", [joint.offset_m for joint in self.joints]),
            ("rotation", [joint.rest_wxyz for joint in self.joints]),
            ("mass", [np.array(joint.mass_kg) for joint in self.joints]),
            ("centre of mass", [joint.center_m for joint in self.joints]),
            ("inertia", [joint.inertia_kg_m2 for joint in self.joints]),
        ]
        rows = [(j, what, value) for what, values in facts for j, value in enumerate(values)]
        rows += [(joint, f"site {name}", offset) for name, joint, offset in self.site_list]
        for shape in self.shapes:
            rows += [
                (shape.joint, "geom", part)
                for part in (shape.size, shape.center, shape.axes, shape.points)
            ]
        for joint, what, value in rows:
            if not (np.abs(value) < _LARGEST).all():  # also false for NaN
                found = f"another in {what} of {self.joints[joint].name}"
                raise FileProblem("", f"finite numbers below {_LARGEST:g}", found)

    @property
    def torque_limits_nm(self) -> Array:
        """(J, 3) infinite where the file states none."""
        return np.array([np.full(3, joint.torque_nm) for joint in self.joints])


def read_tree(model: Model) -> Tree:
    """The robot of a model: the body on the ground that carries most joints, and all below it."""
    tree = Tree()
    if abs(float(model["gravity"][1])) > abs(float(model["gravity"][2])):
        tree.up = "y"
    bodies = _robot_bodies(model, tree)
    torques = _torque_limits(model)
    for body in bodies:
        _add_body(tree, model, body, torques, root=body == bodies[0])
        if body not in model.weightless:
            _add_mass(tree, model, body)
    for site, name in enumerate(model.names["site"]):
        body = int(model["site_bodyid"][site])
        if body in tree.carriers and name:
            offset = model["site_pos"][site] - tree.anchors[body]
            tree.site_list.append((name, tree.carriers[body], offset))
    for geom in range(model.count("geom")):
        body = int(model["geom_bodyid"][geom])
        if body in tree.carriers:
            place = model["geom_pos"][geom] - tree.anchors[body]
            axes = rotations.to_matrix(model["geom_quat"][geom])
            kind, size = int(model["geom_type"][geom]), model["geom_size"][geom].copy()
            touches = bool(model["geom_contype"][geom] or model["geom_conaffinity"][geom])
            points = model["vertex_pos"][model["vertex_geom"] == geom]
            tree.shapes.append(Shape(tree.carriers[body], kind, size, place, axes, points, touches))
    tree.shapeless = {tree.carriers[b] for b in model.shapeless if b in tree.carriers}
    tree.check()
    return tree


def _robot_bodies(model: Model, tree: Tree) -> list[int]:
    roots = model["body_rootid"].astype(int)
    tops = sorted({int(r) for r in roots[1:]})
    if not tops:
        raise FileProblem("", "a robot with at least one body", "none")
    joints = {top: int(model["body_jntnum"][roots == top].sum()) for top in tops}
    best = max(tops, key=lambda top: joints[top])
    left_out = [model.names["body"][top] or f"body_{top}" for top in tops if top != best]
    if left_out:
        tree.notes.append(f"Not part of the robot and left out: {', '.join(left_out[:20])}.")
    # Parents come before children in MuJoCo's order.
    return [int(b) for b in np.flatnonzero(roots == best) if b > 0]


def _add_body(
    tree: Tree, model: Model, body: int, torques: dict[int, float], *, root: bool
) -> None:
    name = model.names["body"][body] or f"body_{body}"
    place, turn = model["body_pos"][body].copy(), model["body_quat"][body].copy()
    first = int(model["body_jntadr"][body])
    joints = [first + k for k in range(int(model["body_jntnum"][body]))]
    kinds = [int(model["jnt_type"][j]) for j in joints]
    if _SLIDE in kinds:
        which = model.names["jnt"][joints[kinds.index(_SLIDE)]] or f"of {name}"
        raise FileProblem(
            "",
            "joints that turn (hinge, ball, free)",
            f"the slide joint {which}",
            advice="Weld it, or take it out of the file.",
        )
    anchor = np.zeros(3)
    if root:
        if _FREE not in kinds:
            tree.notes.append(f"{name} is fixed to the world in the file; here it floats.")
        carrier = tree.add(TreeJoint(name, -1, place, turn, "ball"))
        place, turn = np.zeros(3), rotations.IDENTITY.copy()
        joints = [j for j, kind in zip(joints, kinds, strict=True) if kind != _FREE]
    else:
        parent = int(model["body_parentid"][body])
        carrier = tree.carriers[parent]
        place = place - tree.anchors[parent]
        if not joints:
            carrier = tree.add(TreeJoint(name, carrier, place, turn))
    for k, joint in enumerate(joints):
        near, anchor = anchor, model["jnt_pos"][joint].copy()
        offset = place + rotations.rotate(turn, anchor) if k == 0 else anchor - near
        rest = turn if k == 0 else rotations.IDENTITY.copy()
        added = TreeJoint(
            model.names["jnt"][joint] or f"{name}_joint{k}", carrier, offset, rest, "ball"
        )
        if int(model["jnt_type"][joint]) == _HINGE:
            added.kind, added.axis = "hinge", model["jnt_axis"][joint].copy()
        if model["jnt_limited"][joint]:
            low, high = (float(v) for v in model["jnt_range"][joint])
            if added.kind == "hinge":
                start = float(model["jnt_start"][joint])
                added.limits_rad[0] = low - start, high - start
            else:
                added.limits_rad[:] = -high, high
        added.torque_nm = torques.get(joint, np.inf)
        carrier = tree.add(added)
    tree.carriers[body], tree.anchors[body] = carrier, anchor


def _add_mass(tree: Tree, model: Model, body: int) -> None:
    joint = tree.joints[tree.carriers[body]]
    frame = rotations.to_matrix(model["body_iquat"][body])
    inertia = frame @ np.diag(model["body_inertia"][body]) @ frame.T
    joint.mass_kg = float(model["body_mass"][body])
    joint.center_m = model["body_ipos"][body] - tree.anchors[body]
    joint.inertia_kg_m2 = 0.5 * (inertia + inertia.T)


def _torque_limits(model: Model) -> dict[int, float]:
    """Joint to the largest torque its own range and its motors allow; absent where unlimited."""
    limits: dict[int, float] = {}
    motors: dict[int, float] = {}
    for actuator in range(model.count("actuator")):
        if int(model["actuator_trntype"][actuator]) == _TO_JOINT:
            joint = int(model["actuator_joint"][actuator])
            motors[joint] = motors.get(joint, 0.0) + _motor_torque(model, actuator)
    for joint in range(model.count("jnt")):
        values = [motors.get(joint, np.inf)]
        if model["jnt_actfrclimited"][joint]:
            values.append(float(np.abs(model["jnt_actfrcrange"][joint]).max()))
        if np.isfinite(min(values)):
            limits[joint] = min(values)
    return limits


def _motor_torque(model: Model, actuator: int) -> float:
    gear = abs(float(model["actuator_gear"][actuator]))
    limits: list[float] = [np.inf]
    if model["actuator_forcelimited"][actuator]:
        limits.append(float(np.abs(model["actuator_forcerange"][actuator]).max()))
    direct = int(model["actuator_biastype"][actuator]) == _NO_BIAS
    fixed = int(model["actuator_gaintype"][actuator]) == _FIXED_GAIN
    if model["actuator_ctrllimited"][actuator] and direct and fixed:
        gain = abs(float(model["actuator_gain"][actuator]))
        limits.append(gain * float(np.abs(model["actuator_ctrlrange"][actuator]).max()))
    return gear * min(limits)
