"""From a bare skeleton to a character with roles and named points."""

from __future__ import annotations

from collections.abc import Mapping

from poise.arrays import Array
from poise.character.body import Body
from poise.character.character import Character
from poise.character.role_detection import find_roles
from poise.character.role_file import RoleOverrides
from poise.character.role_sites import role_sites_and_notes
from poise.character.skeleton import Skeleton


def character_from(
    skeleton: Skeleton,
    overrides: RoleOverrides | Mapping[str, str] | None = None,
    *,
    name: str = "",
    body: Body | None = None,
    standing_wxyz: Array | None = None,
) -> Character:
    """A character with all roles, the skeleton's end sites and the points of `SITE_ROLES`.

    Args:
        skeleton: the figure.
        overrides: roles the user has named.
        name: what to call the character.
        body: its segment masses, if known.
        standing_wxyz: (J, 4) local rotations of an upright pose, for skeletons whose rest pose is
            not one (the roles' notes say so).

    Raises:
        MissingRoles: the skeleton is not recognised.
    """
    roles = find_roles(skeleton, overrides, standing_wxyz=standing_wxyz)
    points, notes = role_sites_and_notes(skeleton, roles, standing_wxyz=standing_wxyz)
    return Character(
        skeleton,
        name=name,
        body=body,
        roles=roles,
        sites=skeleton.end_sites.joined(points),
        notes=notes,
    )
