"""A build whose arms and legs differ: long arms and short legs make an ape of a man.

Of two builds of one character, one with limbs as long as the arms are to be and one with limbs as
long as the legs are to be, the arms are taken from the first and all else from the second.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.character.body import Body
from poise.character.character import Character
from poise.character.proportions import with_proportions
from poise.character.roles import SIDES
from poise.character.sites import Sites
from poise.errors import BadValue


def with_arms_and_legs(
    character: Character, *, arms: float = 1.0, legs: float = 1.0, trunk: float = 1.0
) -> Character:
    """The character with arms, legs and trunk so many times as long; frames and names stay.

    Args:
        character: with roles.
        arms: factor for upper arms and forearms.
        legs: factor for thighs and shanks.
        trunk: factor for what lies between hips and neck.

    Raises:
        BadValue: factors that make no body; a character without roles.
    """
    armed = with_proportions(character, limbs=arms, trunk=trunk)
    legged = with_proportions(character, limbs=legs, trunk=trunk)
    if arms == legs:
        return legged
    in_arm = _in_an_arm(character)
    # A joint's place is the stretch of the one above it; points and flesh stretch with their own.
    above = np.array([p >= 0 and in_arm[p] for p in character.skeleton.parents.tolist()])
    skeleton = replace(
        legged.skeleton,
        offsets_m=_picked(above, armed.skeleton.offsets_m, legged.skeleton.offsets_m),
        end_sites=_picked_sites(in_arm, armed.skeleton.end_sites, legged.skeleton.end_sites),
    )
    body, said = legged.body, f"Another build: arms × {arms:g}, legs × {legs:g}, trunk × {trunk:g}"
    if body is not None and armed.body is not None:
        body = Body(
            _picked(in_arm, armed.body.masses_kg, body.masses_kg),
            _picked(in_arm, armed.body.centers_m, body.centers_m),
            _picked(in_arm, armed.body.inertias_kg_m2, body.inertias_kg_m2),
        )
        said += f", {body.total_mass_kg:.1f} kg"
    return replace(
        character,
        skeleton=skeleton,
        sites=_picked_sites(in_arm, armed.sites, legged.sites),
        body=body,
        notes=(*character.notes, f"{said}."),
    )


def _in_an_arm(character: Character) -> NDArray[np.bool_]:
    """(J,) shoulders and what hangs from them."""
    if character.roles is None:
        raise BadValue("character", "one with roles (see complete_character)", character.name)
    skeleton = character.skeleton
    roots = {skeleton.index(character.roles.joint(f"{side}_shoulder")) for side in SIDES}
    found = np.zeros(skeleton.joint_count, dtype=np.bool_)
    for joint, parent in enumerate(skeleton.parents.tolist()):
        found[joint] = joint in roots or (parent >= 0 and found[parent])
    return found


def _picked(which: NDArray[np.bool_], these: Array, those: Array) -> Array:
    return np.where(which.reshape(-1, *[1] * (these.ndim - 1)), these, those)


def _picked_sites(in_arm: NDArray[np.bool_], these: Sites, those: Sites) -> Sites:
    offsets = _picked(in_arm[those.joints], these.offsets_m, those.offsets_m)
    return Sites(those.names, those.joints, offsets)
