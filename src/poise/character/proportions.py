"""Another build: the same joints with longer or shorter limbs and trunk.

Thighs, shanks, upper arms, forearms and the trunk are stretched along themselves: they get longer,
not thicker, and their masses grow with their lengths. Feet, hands, head, hips and collar bones stay
as they are, so that a sole stands where it stood. Muscles stay too: strength and ranges of motion
are those of the body it is made from.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character.body import Body
from poise.character.character import Character
from poise.character.roles import SIDES
from poise.character.sites import Sites
from poise.character.standing_figure import StandingFigure
from poise.errors import BadValue

LEAST_FACTOR, MOST_FACTOR = 0.2, 5.0
"""Factors beyond these make no body."""

_LIMBS = (("hip", "knee", "ankle"), ("shoulder", "elbow", "wrist"))
_NO_LENGTH_M = 1e-6


def with_proportions(character: Character, *, limbs: float = 1.0, trunk: float = 1.0) -> Character:
    """The character with limbs and trunk so many times as long; frames and names stay.

    Args:
        character: with roles.
        limbs: factor for thighs, shanks, upper arms and forearms.
        trunk: factor for what lies between hips and neck.

    Raises:
        BadValue: factors that make no body; a character without roles.
    """
    check_factor("limbs", limbs)
    check_factor("trunk", trunk)
    if character.roles is None:
        raise BadValue("character", "one with roles (see complete_character)", character.name)
    if limbs == trunk == 1.0:
        return character
    skeleton = character.skeleton
    figure = StandingFigure(skeleton, character.roles)
    factors = np.ones(skeleton.joint_count)
    stretch = np.tile(np.eye(3), (skeleton.joint_count, 1, 1))
    for factor, along in ((limbs, _limb_bones(figure)), (trunk, _trunk_bones(figure))):
        for joint, direction in along.items():
            frame = rotations.conjugate(skeleton.rest_world_wxyz[joint])
            own = rotations.rotate(frame, direction)
            factors[joint] = factor
            stretch[joint] += (factor - 1.0) * np.outer(own, own)
    offsets = skeleton.offsets_m.copy()
    legs = _leg_roots(figure)
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if parent >= 0 and joint not in legs:  # hips stay where they are in the pelvis
            offsets[joint] = stretch[parent] @ offsets[joint]
    body, said = character.body, f"Another build: limbs × {limbs:g}, trunk × {trunk:g}"
    if body is not None:
        body = _stretched_body(body, factors, stretch)
        said += f", {body.total_mass_kg:.1f} kg"
    return replace(
        character,
        skeleton=replace(
            skeleton, offsets_m=offsets, end_sites=_stretched_sites(skeleton.end_sites, stretch)
        ),
        sites=_stretched_sites(character.sites, stretch),
        body=body,
        notes=(*character.notes, f"{said}."),
    )


def check_factor(name: str, factor: float) -> None:
    """Raise unless a body can be so many times as long."""
    if not (np.isfinite(factor) and LEAST_FACTOR <= factor <= MOST_FACTOR):
        raise BadValue(name, f"a factor from {LEAST_FACTOR:g} to {MOST_FACTOR:g}", factor)


def _stretched_sites(sites: Sites, stretch: Array) -> Sites:
    places = np.einsum("sij,sj->si", stretch[sites.joints], sites.offsets_m)
    return Sites(sites.names, sites.joints, places)


def _stretched_body(body: Body, factors: Array, stretch: Array) -> Body:
    """Every bit of a segment moved by its stretch, the same flesh to a length."""
    half = 0.5 * np.trace(body.inertias_kg_m2, axis1=1, axis2=2)
    spread = half[:, None, None] * np.eye(3) - body.inertias_kg_m2  # second moments of the mass
    spread = factors[:, None, None] * (stretch @ spread @ np.swapaxes(stretch, 1, 2))
    whole = np.trace(spread, axis1=1, axis2=2)
    inertias = whole[:, None, None] * np.eye(3) - spread
    return Body(
        factors * body.masses_kg,
        np.einsum("jab,jb->ja", stretch, body.centers_m),
        0.5 * (inertias + np.swapaxes(inertias, 1, 2)),
    )


def _limb_bones(figure: StandingFigure) -> dict[int, Array]:
    """Joints that carry thighs, shanks, upper arms and forearms, and (3,) where these go.

    A bone may be in pieces; its line is the same for all of them.
    """
    found = dict[int, Array]()
    for side in SIDES:
        for parts in _LIMBS:
            line = [figure.joints.get(f"{side}_{part}") for part in parts]
            known = [joint for joint in line if joint is not None]
            for upper, lower in pairwise(known):
                direction = _direction(figure, upper, lower)
                if direction is not None:
                    found |= dict.fromkeys(figure.figure.path(upper, lower)[:-1], direction)
    return found


def _trunk_bones(figure: StandingFigure) -> dict[int, Array]:
    """Joints of the spine, and (3,) from the hips to the shoulders."""
    line = figure.middle("shoulder") - figure.middle("hip")
    length = float(np.linalg.norm(line))
    return {} if length < _NO_LENGTH_M else dict.fromkeys(figure.spine(), line / length)


def _direction(figure: StandingFigure, upper: int, lower: int) -> Array | None:
    line = figure.figure.positions[lower] - figure.figure.positions[upper]
    length = float(np.linalg.norm(line))
    return None if length < _NO_LENGTH_M else line / length


def _leg_roots(figure: StandingFigure) -> set[int]:
    """All joints on the way from the trunk to the hips, the hips among them."""
    trunk = set(figure.spine())
    hips = [figure.joints[f"{side}_hip"] for side in SIDES if f"{side}_hip" in figure.joints]
    return {j for hip in hips for j in figure.skeleton.ancestors(hip) if j not in trunk}
