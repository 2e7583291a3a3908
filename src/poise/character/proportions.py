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
from poise.character.roles import SIDES, Roles
from poise.character.skeleton import Sites, Skeleton
from poise.character.standing_figure import StandingFigure
from poise.errors import BadValue

LEAST_FACTOR, MOST_FACTOR = 0.2, 5.0
"""Factors beyond these make no body."""

_LIMBS = (("hip", "knee", "ankle"), ("shoulder", "elbow", "wrist"))
_NO_LENGTH_M = 1e-6


def with_proportions(character: Character, *, limbs: float = 1.0, trunk: float = 1.0) -> Character:
    """The character with limbs and trunk so many times as long."""
    return with_arms_and_legs(character, arms=limbs, legs=limbs, trunk=trunk)


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
    for name, factor in (("limbs", arms), ("trunk", trunk), ("limbs", legs)):
        check_factor(name, factor)
    skeleton, roles = character.skeleton, character.known_roles
    if arms == legs == trunk == 1.0:
        return character
    figure, in_arm = StandingFigure(skeleton, roles), _in_an_arm(skeleton, roles)
    limbs, whole = np.where(in_arm, arms, legs), np.full(skeleton.joint_count, trunk)
    factors = np.ones(skeleton.joint_count)
    stretch = np.tile(np.eye(3), (skeleton.joint_count, 1, 1))
    for bones, longer in ((_limb_bones(figure), limbs), (_trunk_bones(figure), whole)):
        for joint, direction in bones.items():
            frame = rotations.conjugate(skeleton.standing.rest_world_wxyz[joint])
            own = rotations.rotate(frame, direction)
            factors[joint] = longer[joint]
            stretch[joint] += (longer[joint] - 1.0) * np.outer(own, own)
    same = (limbs == 1.0) & (trunk == 1.0)  # what keeps its size keeps its bits
    offsets = skeleton.offsets_m.copy()
    hips = _leg_roots(figure)
    for joint, parent in enumerate(skeleton.parents.tolist()):
        # Hips stay where they are in the pelvis.
        if parent >= 0 and joint not in hips and not same[parent]:
            offsets[joint] = stretch[parent] @ offsets[joint]
    built = f"limbs × {legs:g}" if arms == legs else f"arms × {arms:g}, legs × {legs:g}"
    body, said = character.body, f"Another build: {built}, trunk × {trunk:g}"
    if body is not None:
        body = _stretched_body(body, factors, stretch, same)
        said += f", {body.total_mass_kg:.1f} kg"
    ends = _stretched_sites(skeleton.end_sites, stretch, same)
    return replace(
        character,
        skeleton=replace(skeleton, offsets_m=offsets, end_sites=ends),
        sites=_stretched_sites(character.sites, stretch, same),
        body=body,
        notes=(*character.notes, f"{said}."),
    )


def check_factor(name: str, factor: float) -> None:
    """Raise unless a body can be so many times as long."""
    if not (np.isfinite(factor) and LEAST_FACTOR <= factor <= MOST_FACTOR):
        raise BadValue(name, f"a factor from {LEAST_FACTOR:g} to {MOST_FACTOR:g}", factor)


def _stretched_sites(sites: Sites, stretch: Array, same: NDArray[np.bool_]) -> Sites:
    places = np.einsum("sij,sj->si", stretch[sites.joints], sites.offsets_m)
    return Sites(sites.names, sites.joints, _unless(same[sites.joints], sites.offsets_m, places))


def _stretched_body(body: Body, factors: Array, stretch: Array, same: NDArray[np.bool_]) -> Body:
    """Every bit of a segment moved by its stretch, the same flesh to a length."""
    half = 0.5 * np.trace(body.inertias_kg_m2, axis1=1, axis2=2)
    spread = half[:, None, None] * np.eye(3) - body.inertias_kg_m2  # second moments of the mass
    spread = factors[:, None, None] * (stretch @ spread @ np.swapaxes(stretch, 1, 2))
    whole = np.trace(spread, axis1=1, axis2=2)
    inertias = whole[:, None, None] * np.eye(3) - spread
    centers = np.einsum("jab,jb->ja", stretch, body.centers_m)
    return Body(
        factors * body.masses_kg,
        _unless(same, body.centers_m, centers),
        _unless(same, body.inertias_kg_m2, 0.5 * (inertias + np.swapaxes(inertias, 1, 2))),
    )


def _unless(same: NDArray[np.bool_], old: Array, new: Array) -> Array:
    return np.where(same.reshape(-1, *[1] * (old.ndim - 1)), old, new)


def _in_an_arm(skeleton: Skeleton, roles: Roles) -> NDArray[np.bool_]:
    """(J,) shoulders and what hangs from them."""
    roots = {skeleton.index(roles.joint(f"{side}_shoulder")) for side in SIDES}
    found = np.zeros(skeleton.joint_count, dtype=np.bool_)
    for joint, parent in enumerate(skeleton.parents.tolist()):
        found[joint] = joint in roots or (parent >= 0 and found[parent])
    return found


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
