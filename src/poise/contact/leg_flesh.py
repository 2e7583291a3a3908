"""Thighs, shanks and feet as balls along their bones: what must not be inside furniture.

Radii go evenly from joint to joint: those of pelvis and knee are the contact points' own; ankles
and feet are as thick as a grown person's over stature (Gordon et al. 1989, halves of ankle breadth
and of the foot's height at the instep).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.character import SIDES, Character, contact_radii_m, stature_m
from poise.contact.seated import hips_m
from poise.errors import BadValue
from poise.mechanics import BodyState

ANKLE_PER_STATURE = 0.021
TOE_PER_STATURE = 0.012
THIGH_FROM = 0.3
"""Share of the thigh, from the hip, that is the seat's own: buttocks, which give way."""
BALLS = 8
"""Of each bone."""


@dataclass(frozen=True, eq=False)
class LegFlesh:
    """Balls of both legs, frame by frame (B of them)."""

    places_m: Array
    """(F, B, 3)"""
    radii_m: Array
    """(B,)"""


def leg_flesh(state: BodyState, character: Character) -> LegFlesh:
    """Thighs but for their upper ends, shanks, and feet as far as their balls."""
    roles = character.roles
    if roles is None:
        raise BadValue("character", "one with roles (see complete_character)", character.name)
    names, radii = character.skeleton.joint_names, contact_radii_m(character)
    stature = stature_m(character.skeleton, roles)
    hips = hips_m(state, character)
    places: list[Array] = []
    sizes: list[Array] = []
    for number, side in enumerate(SIDES):
        line = [hips[:, number]]
        thick = [radii["pelvis"], radii[f"{side}_knee"], ANKLE_PER_STATURE * stature]
        for part in ("knee", "ankle", "toe"):
            joint = roles.joints.get(f"{side}_{part}")
            if joint is not None:
                line.append(state.positions_m[:, names.index(joint)])
        thick.append(TOE_PER_STATURE * stature)
        for bone in range(len(line) - 1):
            shares = np.linspace(THIGH_FROM if bone == 0 else 0.0, 1.0, BALLS)
            upper, lower = line[bone][:, None], line[bone + 1][:, None]
            places.append(upper + shares[:, None] * (lower - upper))
            sizes.append(thick[bone] + shares * (thick[bone + 1] - thick[bone]))
    return LegFlesh(np.concatenate(places, axis=1), np.concatenate(sizes))
