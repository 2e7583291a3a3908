"""The roles file: a small YAML in which a user names joints that were not recognised.

left_knee: LShin
right_knee: RShin
forward: [0, 0, 1]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

import numpy as np

from poise.arrays import Array, frozen_array
from poise.character.roles import JOINT_ROLES
from poise.character.skeleton import Skeleton
from poise.errors import FileProblem, nearest_name
from poise.wording import number_from
from poise.yaml_nodes import Node, parse_yaml

_LARGEST_FILE = 1 << 20
_FORM = "one 'role: joint' per line"


@dataclass(frozen=True, eq=False)
class RoleOverrides:
    """What the user says about a skeleton's roles."""

    joints: Mapping[str, str] = field(default_factory=dict[str, str])
    """Role to joint name."""
    forward: Array | None = None
    """(3,) unit: where the figure faces in its rest pose; None to find it."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "joints", MappingProxyType(dict(self.joints)))
        if self.forward is not None:
            forward = frozen_array("forward", self.forward, (3,))
            object.__setattr__(self, "forward", forward)


def read_role_file(path: Path, skeleton: Skeleton | None = None) -> RoleOverrides:
    """Read a roles file; with a skeleton, joint names are checked against it.

    Raises:
        FileProblem: with line and nearest valid name.
    """
    root = _parsed(path)
    if not isinstance(root.content, dict):
        raise FileProblem(path, _FORM, _kind(root), line=root.place.line)
    for key in root.odd_keys:
        if not key.word:
            raise FileProblem(path, "a role name", _kind(key), line=key.place.line)
        raise FileProblem(path, "each role once", f"'{key.word}' again", line=key.place.line)
    joints: dict[str, str] = {}
    forward: Array | None = None
    for role, value in root.items().items():
        if role == "forward":
            forward = _direction(path, value)
            continue
        if role not in JOINT_ROLES:
            nearest = nearest_name(role, (*JOINT_ROLES, "forward"))
            advice = f"Did you mean '{nearest}'? " if nearest else ""
            advice += f"Roles: {', '.join(JOINT_ROLES)}, forward."
            line = None if value.key_place is None else value.key_place.line
            raise FileProblem(path, "a role", f"'{role}'", line=line, advice=advice)
        joints[role] = _joint(path, role, value, skeleton)
    return RoleOverrides(joints, forward)


def _parsed(path: Path) -> Node:
    try:
        if path.exists() and not path.is_file():  # a pipe could be waited for without end
            raise FileProblem(path, f"a roles file ({_FORM})", "something that is no file")
        if path.is_file() and path.stat().st_size > _LARGEST_FILE:
            raise FileProblem(path, f"a roles file ({_FORM})", "more than 1 MiB")
        data = path.read_bytes()
    except OSError as problem:
        raise FileProblem(path, "a readable file", problem.strerror or str(problem)) from problem
    root, problems = parse_yaml(data, str(path), _FORM, max_bytes=_LARGEST_FILE)
    if problems and not root.odd_keys:  # those are named by their role
        raise problems[0].of_file(path, f"a roles file ({_FORM})")
    return root


def _joint(path: Path, role: str, value: Node, skeleton: Skeleton | None) -> str:
    name = value.word
    if isinstance(value.content, dict | tuple) or not name:
        raise FileProblem(path, f"a joint name for {role}", _kind(value), line=value.place.line)
    if skeleton is not None and name not in skeleton.joint_names:
        nearest = nearest_name(name, skeleton.joint_names)
        advice = f"Did you mean '{nearest}'? " if nearest else ""
        advice += f"Joints: {', '.join(skeleton.joint_names[:60])}."
        raise FileProblem(
            path, "a joint of the skeleton", f"'{name}'", line=value.place.line, advice=advice
        )
    return name


def _direction(path: Path, value: Node) -> Array:
    wanted, line = "three numbers for forward, such as [0, 0, 1]", value.place.line
    if not isinstance(value.content, tuple):
        raise FileProblem(path, wanted, _kind(value), line=line)
    numbers = [number_from(entry.word) for entry in value.content]
    if len(numbers) != 3 or None in numbers:
        raise FileProblem(path, wanted, "something else", line=line)
    direction = np.array(numbers, dtype=np.float64)
    length = float(np.linalg.norm(direction))
    if not length > 0:
        raise FileProblem(path, wanted, f"{numbers}", line=line)
    return direction / length


def _kind(node: Node) -> str:
    if isinstance(node.content, tuple):
        return "a list"
    if isinstance(node.content, dict):
        return "a nested mapping"
    return f"'{node.word[:40]}'" if node.word else "nothing"
