"""Names in constraints: a joint by its own name or its role, a point by site or joint."""

from __future__ import annotations

from poise.arrays import Array, frozen_array
from poise.character import Character
from poise.errors import UnknownName

ORIGIN: Array = frozen_array("origin", (0.0, 0.0, 0.0), (3,))
"""Where a joint is in its own frame."""


def find_joint(character: Character, name: str, *, asked_by: str = "") -> int:
    """The index of a joint by its name in the file or by its role ("left_wrist").

    Args:
        character: whose joint.
        name: of the joint, or its role.
        asked_by: the constraint that asks, for the message when there is no such joint.
    """
    roles = character.roles.joints if character.roles is not None else {}
    names = character.skeleton.joint_names
    if name in names:
        return names.index(name)
    if name in roles:
        return names.index(roles[name])
    raise UnknownName("joint or role", name, (*names, *roles), advice=_by(asked_by))


def find_point(character: Character, name: str, *, asked_by: str = "") -> tuple[int, Array]:
    """The joint a named point rides on, and where: a site, or the origin of a joint or role."""
    sites = character.sites
    if name in sites.names:
        site = sites.names.index(name)
        return int(sites.joints[site]), sites.offsets_m[site]
    roles = character.roles.joints if character.roles is not None else {}
    names = character.skeleton.joint_names
    if name in names or name in roles:
        return find_joint(character, name), ORIGIN
    raise UnknownName(
        "point (site, joint or role)", name, (*sites.names, *roles, *names), advice=_by(asked_by)
    )


def _by(asked_by: str) -> str:
    return f"Asked for by '{asked_by}'." if asked_by else ""
