"""Things a body carries: a rock on a club head, a sandbag on a calf."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from poise.arrays import Array, frozen_array
from poise.character.body_model import RigidPart, assembled, parts_of
from poise.character.character import Body, Character
from poise.character.skeleton import Sites
from poise.character.standing_figure import StandingFigure
from poise.errors import BadValue, UnknownName

TRUNK = "trunk"
"""Stands for all joints of the spine."""

MOST = 100.0


def with_mass_factors(character: Character, factors: Mapping[str, float]) -> Character:
    """The character with parts so many times as heavy; sizes and strength stay.

    Args:
        character: with a body.
        factors: by joint, role or "trunk" (what the spine carries; not limbs, neck or head).

    Raises:
        BadValue: factors that make no body; a character without masses.
        UnknownName: a part that the character does not have.
    """
    if not factors:
        return character
    body = character.body
    if body is None:
        raise BadValue("character", "one with a body (see complete_character)", character.name)
    scale = np.ones(character.skeleton.joint_count)
    for name, factor in factors.items():
        check_mass_factor(name, factor)
        scale[list(_joints(character, name))] *= factor
    heavier = Body(
        body.masses_kg * scale, body.centers_m, body.inertias_kg_m2 * scale[:, None, None]
    )
    said = ", ".join(f"{name} × {factor:g}" for name, factor in factors.items())
    note = f"Masses: {said}; {heavier.total_mass_kg:.1f} kg."
    return replace(character, body=heavier, notes=(*character.notes, note))


def check_mass_factor(name: str, factor: float) -> None:
    """Raise unless a part can be so many times as heavy."""
    if not (np.isfinite(factor) and 0.0 < factor <= MOST):
        raise BadValue(f"mass factor of {name}", f"more than 0, at most {MOST:g}", factor)


def _joints(character: Character, name: str) -> tuple[int, ...]:
    names = character.skeleton.joint_names
    roles = {} if character.roles is None else character.roles.joints
    if name in names:
        return (names.index(name),)
    if name in roles:
        return (names.index(roles[name]),)
    if name == TRUNK and character.roles is not None:
        return tuple(StandingFigure(character.skeleton, character.roles).spine())
    raise UnknownName("body part", name, (TRUNK, *roles, *names))


@dataclass(frozen=True, eq=False)
class Attachment:
    """A mass fixed to one body part."""

    name: str
    """Also the name of the site that marks it."""
    on: str
    """The joint that carries it, by name or role; or a site of the character."""
    mass_kg: float
    place_m: Array | Sequence[float] = (0.0, 0.0, 0.0)
    """(3,) from the joint's origin, or from the site, in the joint's axes."""
    radius_m: float = 0.0
    """Of a solid ball of that mass; zero for a point."""

    def __post_init__(self) -> None:
        if not _is_text(self.name):
            raise BadValue("attachment name", "a name for its site", self.name)
        if not _is_text(self.on):
            raise BadValue(f"carrier of {self.name}", "a joint, role or site", self.on)
        if not (np.isfinite(self.mass_kg) and self.mass_kg >= 0):
            raise BadValue(f"mass_kg of {self.name}", "zero or more", self.mass_kg)
        if not (np.isfinite(self.radius_m) and self.radius_m >= 0):
            raise BadValue(f"radius_m of {self.name}", "zero or more", self.radius_m)
        place = frozen_array(f"place_m of {self.name}", self.place_m, (3,))
        object.__setattr__(self, "place_m", place)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value)


def with_attachments(character: Character, attachments: Sequence[Attachment]) -> Character:
    """The character with these fixed to it: more mass on its segments, and a site for each.

    A character without a body gets only the sites, unless something weighs anything.
    """
    if not attachments:
        return character
    sites, body = character.sites, character.body
    parts = [] if body is None else parts_of(body)
    for attachment in attachments:
        if attachment.name in sites.names:
            raise BadValue(
                "attachment name", "one that no site of the character has", attachment.name
            )
        joint, origin = _carrier(character, sites, attachment.on)
        place = origin + np.asarray(attachment.place_m)
        if attachment.mass_kg > 0 and body is None:
            raise BadValue(
                "character", "one with a body, to weigh it down (see complete_character)",
                character.name,
            )  # fmt: skip
        ball = 0.4 * attachment.mass_kg * attachment.radius_m**2 * np.eye(3)
        parts.append(RigidPart(joint, attachment.mass_kg, place, ball))
        mark = Sites((attachment.name,), np.array([joint], dtype=np.int64), place[None])
        sites = sites.joined(mark)
    if body is not None:
        body = assembled(parts, character.skeleton.joint_count)
    notes = tuple(f"Carries {a.name}: {a.mass_kg:g} kg on {a.on}." for a in attachments)
    return replace(character, body=body, sites=sites, notes=(*character.notes, *notes))


def _carrier(character: Character, sites: Sites, on: str) -> tuple[int, Array]:
    """The joint, and where on it: its origin, or the site's place."""
    roles = character.roles.joints if character.roles is not None else {}
    names = character.skeleton.joint_names
    joint = on if on in names else roles.get(on)
    if joint is not None:
        return names.index(joint), np.zeros(3)
    if on in sites.names:
        i = sites.index(on)
        return int(sites.joints[i]), sites.offsets_m[i]
    raise UnknownName("joint, role or site", on, (*names, *roles, *sites.names))
