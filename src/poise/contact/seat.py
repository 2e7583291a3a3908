"""The seat that a clip shows by its sitter: something to sit on, and a stand under it.

Its upper side is where the buttocks are while the body sits. From under the hips it reaches behind
them, to the sides and forward under the thighs, and it is cut back wherever thighs, shanks or feet
pass in any frame of the clip. Its outline has sixteen sides; each obstacle is avoided by the side
where that costs least. The stand is what the legs leave room for.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.character import SIDES, Character, contact_points, contact_radii_m, stature_m
from poise.contact.detection import detect_contacts
from poise.contact.floor import estimate_ground
from poise.contact.outlines import SIDE_COUNT, cut, directions, prism
from poise.contact.point_motion import smoothed
from poise.contact.schedule import intervals
from poise.contact.support_area import distance_to_support, support_area
from poise.contact.touching_points import touching_points
from poise.environment import ConvexPart, Environment, Ground
from poise.errors import BadValue
from poise.mechanics import BodyState, center_of_mass, forward_kinematics, site_positions
from poise.motion import Clip

ALLOWED_M = 0.005
"""How deep flesh may be inside: it gives way, and skeletons err."""
UNDER_THIGHS = 0.75
"""Share of the thighs that a seat carries if nothing is in its way."""
BEYOND = 2.0
"""How far a seat goes beyond the hip joints, over the pelvis's radius."""
LEAST = 1.0
"""The same at least, whatever is in the way: the hips need it."""
THICKNESS_M = 0.06
STAND_M = 0.03
"""Radius of the thinnest stand."""
SAME_LEVEL_M, SAME_PLACE_M = 0.08, 0.4
"""Stretches of sitting farther apart are on another seat; the longest decides which is fitted."""
BELOW_FLOOR_M = 0.05
"""Stands go on a little, so that none floats over a floor that is not level."""


@dataclass(frozen=True, eq=False)
class Seat:
    """A seat as a sitter shows it."""

    ground: Ground
    height_m: float
    """Of its upper side, over the ground below it."""
    parts: tuple[ConvexPart, ...]
    """To sit on, and the stand below."""
    seated: NDArray[np.bool_]
    """(F,) frames that show it."""

    @property
    def environment(self) -> Environment:
        """The ground with the seat on it."""
        return Environment((self.ground, *self.parts))


def fit_seat(clip: Clip, character: Character, ground: Ground) -> Seat:
    """Find the seat of a clip.

    Args:
        clip: someone sits in it, at its right rate.
        character: with a body and roles.
        ground: the floor.

    Raises:
        BadValue: nobody sits.
    """
    state = forward_kinematics(clip.skeleton, *clip.pose)
    hips = hips_m(state, character)
    seated = _on_one_seat(seated_frames(clip, character, ground, state), hips.mean(axis=1))
    if not seated.any():
        wanted = "one in which someone sits still, the weight beside or above the feet"
        raise BadValue("clip", wanted, clip.name or "none such")
    radius = contact_radii_m(character)["pelvis"]
    middle = np.median(hips[seated].mean(axis=1), axis=0)
    floor = float(ground.heights_m(middle))
    top = float(middle[1]) - radius - ALLOWED_M
    bottom = top - min(THICKNESS_M, 0.5 * (top - floor))
    thighs = (knees_m(state, character) - hips)[seated]
    wanted = _wanted(hips[seated], thighs, middle, radius)
    # Where a seat or a stand may be is asked of all frames: who walks by must not walk through.
    # Where the hips are too low, all of the sitter is: that is no reason to cut the seat.
    sunk = np.clip(top + radius - hips[..., 1].min(axis=1), 0.0, radius)
    flesh = leg_flesh(state, character)
    raised = flesh.places_m.copy()
    raised[..., 1] += sunk[:, None]
    flesh = replace(flesh, places_m=raised)
    seat = cut(wanted, LEAST * radius, _in_the_way(flesh, middle, bottom, top))
    stand = cut(seat, STAND_M, _in_the_way(flesh, middle, -np.inf, bottom))
    parts = (
        prism("seat", seat, middle, bottom, top),
        # The stand ends inside the seat: where two solids only touched would be a seam.
        prism("stand", stand, middle, floor - BELOW_FLOOR_M, 0.5 * (bottom + top)),
    )
    return Seat(ground, top - floor, parts, seated)


def _on_one_seat(seated: NDArray[np.bool_], hips: Array) -> NDArray[np.bool_]:
    """The frames on the seat that is sat on longest without a break."""
    stretches = intervals(seated)
    kept = np.zeros_like(seated)
    if not stretches:
        return kept
    middles = [np.median(hips[first:stop], axis=0) for first, stop in stretches]
    longest = int(np.argmax([stop - first for first, stop in stretches]))
    for (first, stop), middle in zip(stretches, middles, strict=True):
        off = middle - middles[longest]
        if abs(off[1]) < SAME_LEVEL_M and np.hypot(off[0], off[2]) < SAME_PLACE_M:
            kept[first:stop] = True
    return kept


def _wanted(hips: Array, thighs: Array, middle: Array, radius: float) -> Array:
    """(SIDE_COUNT,) how far the seat is to reach from the middle, if nothing is in its way.

    By hips and thighs (S, 2, 3), both while seated, and the radius of the pelvis.
    """
    outward = directions().T
    under_hips = ((hips - middle)[..., [0, 2]] @ outward).reshape(-1, SIDE_COUNT)
    under_thighs = ((hips + UNDER_THIGHS * thighs - middle)[..., [0, 2]] @ outward).reshape(
        -1, SIDE_COUNT
    )
    around = np.quantile(under_hips, 0.95, axis=0) + BEYOND * radius
    return np.maximum(around, np.median(under_thighs, axis=0))


def _in_the_way(flesh: LegFlesh, middle: Array, bottom: float, top: float) -> tuple[Array, Array]:
    """Balls that a solid between two heights could meet.

    Returns:
        (N, 2) where they are, from the middle, and (N,) how far the solid has to stay away.
    """
    heights = flesh.places_m[..., 1]
    over = np.maximum(np.maximum(heights - top, bottom - heights), 0.0)
    size = np.maximum(flesh.radii_m - ALLOWED_M, 0.0)
    met = over < size
    across = (flesh.places_m[met] - middle)[:, [0, 2]]
    return across, np.sqrt(np.broadcast_to(size, met.shape)[met] ** 2 - over[met] ** 2)


# Thighs, shanks and feet as balls along their bones: what must not be inside furniture.
#
# Radii go evenly from joint to joint: those of pelvis and knee are the contact points' own;
# ankles and feet are as thick as a grown person's over stature (Gordon et al. 1989, halves of
# ankle breadth and of the foot's height at the instep).
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
    assert roles is not None
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


# When a body sits: still, well above the floor, and not carried by what touches the floor.
#
# A squat looks like sitting down to its hips' height. What tells them apart is statics: a body
# that hardly accelerates must have its weight over what carries it, so that hips that rest while
# the weight is beside the feet (or while the feet hang) rest on something that the place does not
# show.
SLOW_M_S = 0.3
"""Hips that are faster do not rest. A sitter shifts about at half of this."""
CALM_M_S2 = 2.5
"""A quarter of gravity: beyond, the weight need not be over what carries it."""
BESIDE_M = 0.03
"""How far outside its support the weight must be: soles and masses are known no better."""
LOWEST = 0.1
"""Of the stature: seats lower than this are the floor."""
BENT = 0.8
"""Thighs of a sitter lie: knees are lower than hips by less than this share of the thighs, on
average. Who stands on tiptoe and sways has them upright."""
SHORTEST_S = 0.25


def seated_frames(
    clip: Clip, character: Character, ground: Ground, state: BodyState
) -> NDArray[np.bool_]:
    """(F,) whether the hips of a clip rest on something that is not the ground."""
    if character.body is None or character.roles is None:
        raise BadValue("character", "one with a body and roles (see complete_character)", None)
    floor = Environment((ground,))
    weight, _, acceleration = smoothed(center_of_mass(state, character.body), clip.rate_hz)
    hips, velocity, _ = smoothed(hips_m(state, character).mean(axis=1), clip.rate_hz)
    points = touching_points(state, character, detect_contacts(clip, character, floor), floor)
    beside = distance_to_support(support_area(points.places_m, points.touching), weight)
    alone = np.isnan(beside) | (beside > BESIDE_M)
    radius = contact_radii_m(character)["pelvis"]
    lowest = radius + LOWEST * stature_m(character.skeleton, character.roles)
    raised = hips[:, 1] - ground.heights_m(hips) > lowest
    slow = np.linalg.norm(velocity, axis=1) < SLOW_M_S
    calm = np.linalg.norm(acceleration, axis=1) < CALM_M_S2
    thighs = knees_m(state, character) - hips_m(state, character)
    drop = -thighs[..., 1].sum(axis=1) / np.linalg.norm(thighs, axis=-1).sum(axis=1)
    found = alone & raised & slow & calm & (drop < BENT)
    for first, stop in intervals(found):
        if stop - first < SHORTEST_S * clip.rate_hz:
            found[first:stop] = False
    return found


def hips_m(state: BodyState, character: Character) -> Array:
    """(F, 2, 3) the hip joints as points of the pelvis."""
    sites = contact_points(character)["pelvis"]
    columns = [sites.index(f"{side}_hip") for side in SIDES]
    return site_positions(state, sites)[:, columns]


def knees_m(state: BodyState, character: Character) -> Array:
    """(F, 2, 3) the knees."""
    assert character.roles is not None
    names, joints = character.skeleton.joint_names, character.roles.joints
    return state.positions_m[:, [names.index(joints[f"{side}_knee"]) for side in SIDES]]


def shown_place(clip: Clip, character: Character) -> tuple[Environment, tuple[str, ...]]:
    """The place that a clip at its right rate shows, and what was assumed."""
    ground, note = estimate_ground(clip, character)
    try:
        seat = fit_seat(clip, character, ground)
    except BadValue:  # nobody sits
        return Environment((ground,)), (note,)
    said = f"Someone sits: a seat, {100 * seat.height_m:.0f} cm high, is put there."
    # Not its stand: that is a guess at what one body's legs leave room for; others need the room.
    return Environment((ground, *seat.parts[:1])), (note, said)
