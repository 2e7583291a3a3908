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
from typing import cast

import numpy as np
import yaml

from poise.arrays import Array, frozen_array
from poise.character.roles import JOINT_ROLES
from poise.character.skeleton import Skeleton
from poise.errors import FileProblem, nearest_name

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
    if not isinstance(root, yaml.MappingNode):
        raise FileProblem(path, _FORM, _kind(root), line=_line(root))
    joints: dict[str, str] = {}
    forward: Array | None = None
    for key, value in cast("list[tuple[yaml.Node, yaml.Node]]", root.value):
        if not isinstance(key, yaml.ScalarNode):
            raise FileProblem(path, "a role name", _kind(key), line=_line(key))
        role = str(key.value)
        if role in joints or (role == "forward" and forward is not None):
            raise FileProblem(path, "each role once", f"'{role}' again", line=_line(key))
        if role == "forward":
            forward = _direction(path, value)
            continue
        if role not in JOINT_ROLES:
            nearest = nearest_name(role, (*JOINT_ROLES, "forward"))
            advice = f"Did you mean '{nearest}'? " if nearest else ""
            advice += f"Roles: {', '.join(JOINT_ROLES)}, forward."
            raise FileProblem(path, "a role", f"'{role}'", line=_line(key), advice=advice)
        joints[role] = _joint(path, role, value, skeleton)
    return RoleOverrides(joints, forward)


def _parsed(path: Path) -> yaml.Node | None:
    """The file as YAML nodes, which know their lines; nothing in it is ever constructed."""
    try:
        if path.is_file() and path.stat().st_size > _LARGEST_FILE:
            raise FileProblem(path, f"a roles file ({_FORM})", "more than 1 MiB")
        text = path.read_text(encoding="utf-8-sig")
    except OSError as problem:
        raise FileProblem(path, "a readable file", problem.strerror or str(problem)) from problem
    except UnicodeDecodeError as problem:
        raise FileProblem(path, "UTF-8 text", f"byte {problem.start} that is not") from problem
    try:
        return yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark
        line = None if mark is None else mark.line + 1
        found = problem.problem or "something else"
        raise FileProblem(path, f"YAML ({_FORM})", found, line=line) from problem
    except (yaml.YAMLError, ValueError) as problem:
        reason = str(problem).splitlines()[0]
        raise FileProblem(path, f"YAML ({_FORM})", reason) from problem
    except RecursionError as problem:
        raise FileProblem(path, _FORM, "very deep nesting") from problem


def _joint(path: Path, role: str, value: yaml.Node, skeleton: Skeleton | None) -> str:
    if not isinstance(value, yaml.ScalarNode) or not value.value:
        raise FileProblem(path, f"a joint name for {role}", _kind(value), line=_line(value))
    name = str(value.value)
    if skeleton is not None and name not in skeleton.joint_names:
        nearest = nearest_name(name, skeleton.joint_names)
        advice = f"Did you mean '{nearest}'? " if nearest else ""
        advice += f"Joints: {', '.join(skeleton.joint_names[:60])}."
        raise FileProblem(
            path, "a joint of the skeleton", f"'{name}'", line=_line(value), advice=advice
        )
    return name


def _direction(path: Path, value: yaml.Node) -> Array:
    wanted = "three numbers for forward, such as [0, 0, 1]"
    if not isinstance(value, yaml.SequenceNode):
        raise FileProblem(path, wanted, _kind(value), line=_line(value))
    entries = cast("list[yaml.Node]", value.value)
    try:
        numbers = [float(cast("str", entry.value)) for entry in entries]
    except (TypeError, ValueError) as problem:
        raise FileProblem(path, wanted, "something else", line=_line(value)) from problem
    length = float(np.linalg.norm(numbers)) if len(numbers) == 3 else 0.0
    if not (np.isfinite(length) and length > 0):
        raise FileProblem(path, wanted, f"{numbers}", line=_line(value))
    return np.array(numbers) / length


def _line(node: yaml.Node | None) -> int | None:
    mark = None if node is None else node.start_mark
    return None if mark is None else mark.line + 1


def _kind(node: yaml.Node | None) -> str:
    if node is None:
        return "an empty file"
    if isinstance(node, yaml.SequenceNode):
        return "a list"
    if isinstance(node, yaml.MappingNode):
        return "a nested mapping"
    text = str(cast("object", node.value))
    return f"'{text[:40]}'" if text else "nothing"
