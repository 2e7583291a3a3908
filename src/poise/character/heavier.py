"""The same body with heavier or lighter parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from poise.character.body import Body
from poise.character.character import Character
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
