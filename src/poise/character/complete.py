"""A whole character from a skeleton: roles, named points, body, strength; and what was assumed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from poise import rotations
from poise.character.anatomical_axes import anatomical_axes
from poise.character.anthropometry import anthropometry
from poise.character.body_model import body_from_table, mass_from_stature_kg, stature_m
from poise.character.character import Body, Character
from poise.character.contact_points import SOLE_POINTS, sole_points
from poise.character.joint_motions import joint_motions
from poise.character.range_of_motion import human_ranges
from poise.character.role_detection import find_roles
from poise.character.role_file import RoleOverrides
from poise.character.role_sites import role_sites_and_notes
from poise.character.roles import SIDES, Roles
from poise.character.skeleton import Sites, Skeleton
from poise.character.strength import human_strength
from poise.errors import BadValue, UnusualStature

STATURES_M = (0.05, 50.0)
"""From a finger puppet to a giant: other bodies come from a wrong unit, and their masses, forces
and soles are none that anything here is made for."""
_ALONG = 0.7
"""Cosine from which on a hinge turns about the axis of a knee."""
_MORE = 2.0
"""How many times as far it bends forward as back, or more."""


def backward_knee_notes(skeleton: Skeleton, roles: Roles) -> tuple[str, ...]:
    """A note if hinges of knees bend forward; roles must have all that is required."""
    if "hinge" not in skeleton.kinds:
        return ()
    anatomy = anatomical_axes(skeleton, roles)
    at_rest = anatomy.turns(skeleton.rest_wxyz)
    found: list[str] = []
    for role in (f"{side}_knee" for side in SIDES):
        joint = skeleton.index(roles.joint(role))
        low, high = skeleton.limits_rad[joint, 0]
        if skeleton.kinds[joint] != "hinge" or not np.isfinite([low, high]).all():
            continue
        axis, sign = joint_motions(role)["flexion"]
        into = rotations.conjugate(anatomy.own_wxyz[joint])
        along = sign * float(rotations.rotate(into, skeleton.hinge_axes[joint])[axis])
        if abs(along) < _ALONG:
            continue
        start = sign * float(rotations.twist_angle(at_rest[joint], np.eye(3)[axis]))
        ends = np.sign(along) * np.array([low, high]) + start
        back, forward = float(ends.max()), -float(ends.min())
        if forward > 0.0 and forward > _MORE * back:
            found.append(skeleton.joint_names[joint])
    if not found:
        return ()
    return (
        f"Its knees bend the other way: {', '.join(found)}. They keep to their ranges, so legs "
        "cannot be shaped like a human's.",
    )


def character_from(
    skeleton: Skeleton,
    overrides: RoleOverrides | Mapping[str, str] | None = None,
    *,
    name: str = "",
    body: Body | None = None,
) -> Character:
    """A character with all roles, the skeleton's end sites and the points of `SITE_ROLES`.

    `complete_character` says what the arguments are.

    Raises:
        MissingRoles: the skeleton is not recognised.
    """
    roles = find_roles(skeleton, overrides)
    points, notes = role_sites_and_notes(skeleton, roles)
    return Character(
        skeleton,
        name=name,
        body=body,
        roles=roles,
        sites=skeleton.end_sites.joined(points),
        notes=notes,
    )


def complete_character(
    skeleton: Skeleton | Character,
    *,
    mass_kg: float | None = None,
    table: str = "de_leva",
    sex: str = "average",
    overrides: RoleOverrides | Mapping[str, str] | None = None,
    name: str = "",
) -> Character:
    """A character with roles, all named points, a body and torque limits.

    Args:
        skeleton: the figure. A character that has a body (a robot) keeps it, and its torque limits.
        mass_kg: the whole body; None takes it from the stature.
        table: "de_leva" or "winter".
        sex: "male", "female" or "average".
        overrides: roles the user has named.
        name: what to call the character; its own name by default.

    Raises:
        MissingRoles: the skeleton is not recognised.
    """
    anthropometry(table, sex)  # a wrong name is said before the work
    given = skeleton if isinstance(skeleton, Character) else Character(skeleton)
    made = _recognised(given, overrides, name or given.name)
    soles = sole_points(made.skeleton, made.known_roles)
    knees = backward_knee_notes(made.skeleton, made.known_roles)
    made = replace(
        made,
        sites=given.sites.joined(made.sites).joined(soles).joined(_own_soles(given)),
        notes=tuple(dict.fromkeys((*given.notes, *made.notes, *knees))),
        ranges=given.ranges,
    )
    if given.body is None:
        return _with_human_body(made, mass_kg, table, sex)
    if mass_kg is not None:
        allowed = "left out for a robot, which has its own segment masses (or --body human)"
        raise BadValue("mass_kg", allowed, mass_kg)
    return replace(
        made,
        body=given.body,
        strength=given.strength,
        torque_limits_nm=given.torque_limits_nm,
        speed_limits_rad_s=given.speed_limits_rad_s,
    )


def _own_soles(given: Character) -> Sites:
    """The soles that a robot's file shows, of each foot that has all their points."""
    if "hinge" not in given.skeleton.kinds:
        return Sites()
    sites, kept = given.sites, list[int]()
    for side in SIDES:
        names = [f"{side}_{point}" for point in SOLE_POINTS]
        if {*names} <= {*sites.names}:
            kept += [sites.index(name) for name in names]
    names = tuple(sites.names[i] for i in kept)
    return Sites(names, sites.joints[kept], sites.offsets_m[kept])


def with_ranges(character: Character, rotations_wxyz: ArrayLike | None = None) -> Character:
    """The character with anatomical joint ranges, widened to hold a clip's rotations (F, J, 4).

    The notes say which ranges were widened and by how much.
    """
    ranges = human_ranges(character.skeleton, character.known_roles, rotations_wxyz=rotations_wxyz)
    return replace(character, ranges=ranges, notes=(*character.notes, *ranges.notes))


def _recognised(
    given: Character,
    overrides: RoleOverrides | Mapping[str, str] | None,
    name: str,
) -> Character:
    """Roles and their points: the character's own roles if it has them, else found ones."""
    if overrides is None and given.roles is not None and given.roles.missing:
        overrides = dict(given.roles.joints)
    if overrides is not None or given.roles is None:
        return character_from(given.skeleton, overrides, name=name)
    points, notes = role_sites_and_notes(given.skeleton, given.roles)
    return Character(given.skeleton, name=name, roles=given.roles, sites=points, notes=notes)


def _with_human_body(
    made: Character,
    mass_kg: float | None,
    table: str,
    sex: str,
) -> Character:
    roles = made.known_roles
    height = stature_m(made.skeleton, roles)
    if not STATURES_M[0] <= height <= STATURES_M[1]:
        raise UnusualStature(STATURES_M, height)
    notes = [f"Segment masses: {anthropometry(table, sex).source}."]
    if mass_kg is None:
        mass_kg = mass_from_stature_kg(height)
        notes.insert(
            0,
            f"Mass not given: {mass_kg:.1f} kg, usual for {height:.2f} m (a body-mass index of "
            "22.5; the stature by the skeleton).",
        )
    body = body_from_table(
        made.skeleton, roles, made.sites, mass_kg,
        table=table, sex=sex,
    )  # fmt: skip
    strength = human_strength(made.skeleton, roles, mass_kg, height, sex=sex)
    return replace(
        made,
        body=body,
        strength=strength,
        torque_limits_nm=strength.per_freedom_nm(made.skeleton),
        notes=(*made.notes, *notes),
    )
