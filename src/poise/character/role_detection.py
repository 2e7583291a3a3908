"""Find the roles of a skeleton: names propose, the tree and the shape decide.

`role_matching` reads the names with the help of the tree; where they fail, `role_topology` looks
at the shape alone; and here both are put together and checked against the geometry.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character.role_file import RoleOverrides
from poise.character.role_geometry import Figure
from poise.character.role_matching import ARM, LEG, roles_from_names
from poise.character.role_names import convention_of
from poise.character.role_topology import NotHumanoid, roles_from_shape
from poise.character.roles import JOINT_ROLES, REQUIRED_ROLES, SIDES, Roles
from poise.character.skeleton import Skeleton
from poise.errors import MissingRoles, UnknownName


def find_roles(
    skeleton: Skeleton, overrides: RoleOverrides | Mapping[str, str] | None = None
) -> Roles:
    """The roles of a skeleton that has them all.

    Args:
        skeleton: the figure.
        overrides: roles the user has named; they win, and the rest is found around them.

    Raises:
        MissingRoles: not a human figure, or not all of one; lists what was found.
    """
    roles, reason = _recognise(skeleton, _as_overrides(overrides))
    missing = (*roles.missing, *_missing_wrists(skeleton, roles))
    if missing:
        used = set(roles.joints.values())
        unused = [name for name in skeleton.joint_names if name not in used]
        raise MissingRoles(dict(roles.joints), missing, unused, reason)
    return roles


def find_partial_roles(
    skeleton: Skeleton, overrides: RoleOverrides | Mapping[str, str] | None = None
) -> Roles:
    """Whatever roles can be found, for reports; `Roles.missing` and the notes say what lacks."""
    roles, reason = _recognise(skeleton, _as_overrides(overrides))
    return replace(roles, notes=(*roles.notes, reason)) if reason else roles


def _as_overrides(given: RoleOverrides | Mapping[str, str] | None) -> RoleOverrides:
    if given is None:
        return RoleOverrides()
    return given if isinstance(given, RoleOverrides) else RoleOverrides(given)


def _recognise(skeleton: Skeleton, overrides: RoleOverrides) -> tuple[Roles, str]:
    """Roles with notes, and why they are not all there (empty when they are)."""
    figure = Figure(skeleton.standing)
    fixed = _checked(skeleton, overrides)
    joints = roles_from_names(figure, fixed)
    notes: list[str] = []
    reason = ""
    convention = convention_of(skeleton.joint_names)
    if any(role not in joints for role in REQUIRED_ROLES):
        try:
            shape = roles_from_shape(figure)
        except NotHumanoid as problem:
            reason = f"names do not tell, and by shape: {problem}"
        else:
            joints, filled = _merged(figure, joints, shape)
            if filled == len(joints):
                convention = "shape alone"
                notes.append("Names not recognised: all roles come from the shape of the tree.")
            elif filled:
                notes.append(f"{filled} roles come from the shape of the tree, not from names.")
    if not fixed and figure.on_all_fours(joints):
        joints = {}
        reason = "the trunk lies across the legs, as in a four-legged animal"
    forward, more = _facing(figure, joints, _as_it_stands(skeleton, joints, overrides.forward))
    notes.extend(more)
    notes.extend(
        f"No {side} wrist: the forearm ends in the hand."
        for side in SIDES
        if f"{side}_elbow" in joints and f"{side}_wrist" not in joints
    )
    if not any(role not in joints for role in REQUIRED_ROLES):
        reason = ""
    names = {r: skeleton.joint_names[joints[r]] for r in JOINT_ROLES if r in joints}
    return Roles(names, forward, convention, tuple(notes)), reason


def _checked(skeleton: Skeleton, overrides: RoleOverrides) -> dict[str, int]:
    for role in overrides.joints:
        if role not in JOINT_ROLES:
            raise UnknownName("role", role, JOINT_ROLES)
    return {role: skeleton.index(name) for role, name in overrides.joints.items()}


def _missing_wrists(skeleton: Skeleton, roles: Roles) -> list[str]:
    """Wrists that should be there: the forearm carries more joints that can turn."""
    missing: list[str] = []
    for side in SIDES:
        elbow = roles.joints.get(f"{side}_elbow")
        if elbow is None or f"{side}_wrist" in roles.joints:
            continue
        below = [skeleton.index(elbow)]
        while below:
            children = skeleton.children[below.pop()]
            below.extend(children)
            if any(skeleton.kinds[child] != "fixed" for child in children):
                missing.append(f"{side}_wrist")
                break
    return missing


def _merged(
    figure: Figure, named: dict[str, int], shape: dict[str, int]
) -> tuple[dict[str, int], int]:
    """Named roles, and from the shape those that no name gives and no named role contradicts."""
    merged = dict(named)
    for role, joint in shape.items():
        if role in merged or joint in merged.values():
            continue
        merged[role] = joint
    for side in SIDES:
        for chain in (LEG, ARM):
            line = [merged[f"{side}_{p}"] for p in chain if f"{side}_{p}" in merged]
            if any(not figure.is_under(b, a) for a, b in pairwise(line)):
                return named, 0  # names and shape tell different stories: keep to the names
    return merged, len(merged) - len(named)


def _facing(
    figure: Figure, joints: dict[str, int], given: Array | None
) -> tuple[Array, tuple[str, ...]]:
    notes: list[str] = []
    forward, source = figure.facing(joints)
    up = figure.up(joints)
    if not figure.stands(joints):
        notes.append("The rest pose is not a standing one; up is taken along the trunk.")
    if given is not None:
        forward, source = given, "the roles file"
    if forward is None:
        return np.array([0.0, 0.0, 1.0]), ("Which way is forward is not known; Z is assumed.",)
    if source != "the feet":
        notes.append(f"Forward comes from {source}.")
    left = figure.leftward(joints, up)
    if left is not None and left @ np.cross(up, forward) < 0:
        notes.append(
            f"Left and right look swapped: by name they are one way, by {source} the other. "
            "The names were kept."
        )
    return forward, tuple(notes)


def _as_it_stands(
    skeleton: Skeleton, joints: dict[str, int], forward: Array | None
) -> Array | None:
    """A direction of the rest pose, brought along by the pelvis to the standing one."""
    if forward is None or skeleton.rest_stands:
        return forward
    pelvis = joints.get("pelvis", 0)
    in_pelvis = rotations.rotate(rotations.conjugate(skeleton.rest_world_wxyz[pelvis]), forward)
    return rotations.rotate(skeleton.standing.rest_world_wxyz[pelvis], in_pelvis)
