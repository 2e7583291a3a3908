"""Another build: the same joints with longer or shorter limbs and trunk.

Thighs, shanks, upper arms, forearms and the trunk are stretched along themselves: they get longer,
not thicker, and their masses grow with their lengths. Feet, hands, head, hips and collar bones stay
as they are, so that a sole stands where it stood. Muscles stay too: strength and ranges of motion
are those of the body it is made from.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from poise import rotations
from poise.arrays import Array
from poise.character.anthropometry import Segment
from poise.character.character import Body, Character
from poise.character.roles import SIDES
from poise.character.skeleton import Sites
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
    skeleton, roles = character.skeleton, character.known_roles
    if limbs == trunk == 1.0:
        return character
    figure = StandingFigure(skeleton, roles)
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


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(32)
"""Gauss's points on -1..1: exact to rounding for the densities inside a part of the trunk."""


# A part of the trunk cut across: what lies between two heights, without loss.
#
# The density along the axis is exp(rate·u - bulge·u²), a bell or a slope, with the centre and
# (where that is narrower than a slope) the spread that the table's radii tell.
def trunk_piece(
    row: Segment, length_m: float, low: float, high: float
) -> tuple[float, float, Array] | None:
    """What lies between two heights (shares of the part, from its bottom) of a part of the trunk.

    Returns its share of the part's mass, its centre as a share from the bottom, and its inertias
    per mass about front, side and long axis; None when nothing lies there.
    """
    low, high = max(low, 0.0), min(high, 1.0)
    if high <= low:
        return None
    front, side, long = (radius**2 for radius in row.radii)
    wide, deep, tall = (
        (front + long - side) / 2,
        (side + long - front) / 2,
        (front + side - long) / 2,
    )
    density = _density(1.0 - row.center, tall)
    whole, _, whole_spread = _moments(*density, 0.0, 1.0)
    weight, mean, spread = _moments(*density, low, high)
    # Breadth and depth are the same all along; so is what stands beyond the part's own ends.
    tall = spread + max(tall - whole_spread, 0.0)
    return weight / whole, mean, length_m**2 * np.array([wide + tall, deep + tall, wide + deep])


def _moments(rate: float, bulge: float, low: float, high: float) -> tuple[float, float, float]:
    """Weight, mean and variance of the density exp(rate·u - bulge·u²) between two heights."""
    heights = 0.5 * (low + high + (high - low) * _NODES)
    weights = 0.5 * (high - low) * _WEIGHTS * np.exp(rate * heights - bulge * heights**2)
    total = float(weights.sum())
    mean = float(weights @ heights) / total
    variance = float(weights @ (heights - mean) ** 2) / total
    return total, mean, variance


@cache
def _density(center: float, spread: float) -> tuple[float, float]:
    """Rate and bulge of the density with this mean, and this variance or the largest below it."""
    (rate,) = _fitted(center)
    if _moments(rate, 0.0, 0.0, 1.0)[2] <= spread:
        return float(rate), 0.0
    rate, curve = _fitted(center, spread + center**2)
    return float(rate), -float(curve)


def _fitted(*means: float) -> Array:
    """The powers of u in the exponent, from the first on, that give u, u², ... these means.

    Newton's method on a convex problem; the limit on its steps only matters at the start.
    """
    powers = np.array([(0.5 + 0.5 * _NODES) ** (k + 1) for k in range(len(means))])
    exponents = np.zeros(len(means))
    for _ in range(100):
        weights = _WEIGHTS * np.exp(exponents @ powers)
        weights = weights / weights.sum()
        reached = powers @ weights
        gap = np.array(means) - reached
        step = np.linalg.solve((powers * weights) @ powers.T - np.outer(reached, reached), gap)
        exponents = exponents + step * min(1.0, 5.0 / max(float(np.abs(step).max()), 1e-300))
        if np.abs(gap).max() < 1e-13:
            return exponents
    raise AssertionError(f"no density on 0..1 has the means {means}")


# A build whose arms and legs differ: long arms and short legs make an ape of a man.
#
# Of two builds of one character, one with limbs as long as the arms are to be and one with limbs
# as long as the legs are to be, the arms are taken from the first and all else from the second.
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
    skeleton, roles = character.skeleton, character.known_roles
    roots = {skeleton.index(roles.joint(f"{side}_shoulder")) for side in SIDES}
    found = np.zeros(skeleton.joint_count, dtype=np.bool_)
    for joint, parent in enumerate(skeleton.parents.tolist()):
        found[joint] = joint in roots or (parent >= 0 and found[parent])
    return found


def _picked(which: NDArray[np.bool_], these: Array, those: Array) -> Array:
    return np.where(which.reshape(-1, *[1] * (these.ndim - 1)), these, those)


def _picked_sites(in_arm: NDArray[np.bool_], these: Sites, those: Sites) -> Sites:
    offsets = _picked(in_arm[those.joints], these.offsets_m, those.offsets_m)
    return Sites(those.names, those.joints, offsets)
