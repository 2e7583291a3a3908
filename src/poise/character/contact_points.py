"""Where a body can touch things: points on joints, and how far the skin lies from them.

Feet touch with their soles. Other parts touch with a ball of flesh around a point; the radii are
halves of body breadths and depths over stature (Gordon et al. 1989, men and women averaged): knee
and elbow breadth, chest depth, head length, hand thickness; thickness of the buttock under the hip
joint and of the shoulder over its joint by the same source's sitting heights.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from poise.arrays import Array
from poise.character.body_model import stature_m
from poise.character.character import Character
from poise.character.role_geometry import flattened
from poise.character.role_sites import HAND_PER_FOREARM, TOES_BEYOND_BALL, role_sites
from poise.character.roles import SIDES, Roles
from poise.character.skeleton import Sites, Skeleton
from poise.character.standing_figure import StandingFigure

# The soles: heel, ball, both edges at the ball, and toe tip of each foot.
#
# The sole is the plane of `role_sites`: as low as the lower of ball and toe tip, square to the
# shin's own plane. Heel, ball and edges ride on the foot (the joint that carries the heel), the
# tip on the toes.
BREADTH_PER_LENGTH = 0.37
"""Foot breadth over foot length: 100.6 of 269.7 mm for men, 89.7 of 244.4 for women (Gordon et al.
1989)."""

SOLE_POINTS = ("heel", "ball", "inner_edge", "outer_edge", "toe_tip")
"""The points of each foot; a site is called `left_heel`."""


def sole_points(skeleton: Skeleton, roles: Roles) -> Sites:
    """All points of both soles; a foot that does not show where the ground is has none."""
    figure = StandingFigure(skeleton, roles)
    ends = role_sites(skeleton, roles)
    names: list[str] = []
    joints: list[int] = []
    offsets: list[Array] = []
    for side in SIDES:
        heel, tip = (figure.site(ends, f"{side}_{point}") for point in ("heel", "toe_tip"))
        if heel is None or tip is None:
            continue
        foot = int(ends.joints[ends.index(f"{side}_heel")])
        places = _across_the_ball(figure, side, heel, tip)
        for point in SOLE_POINTS:
            names.append(f"{side}_{point}")
            if point in places:
                joints.append(foot)
                offsets.append(figure.in_joint(foot, places[point]))
            else:
                i = ends.index(f"{side}_{point}")
                joints.append(int(ends.joints[i]))
                offsets.append(ends.offsets_m[i])
    return Sites(tuple(names), np.array(joints, dtype=np.int64), np.array(offsets).reshape(-1, 3))


def _across_the_ball(
    figure: StandingFigure, side: str, heel: Array, tip: Array
) -> dict[str, Array]:
    """The ball and the edges beside it, in the pose."""
    ankle = figure.place(f"{side}_ankle")
    ahead = flattened(tip - heel, figure.up)
    length = float(np.linalg.norm(ahead))
    forward = ahead / length if length > 0 else figure.forward
    shin = flattened(ankle - figure.place(f"{side}_knee"), forward)
    if np.linalg.norm(shin) < 1e-9 or shin @ figure.up >= 0:
        shin = -figure.up
    down = shin / np.linalg.norm(shin)
    left = np.cross(forward, down)
    toe = figure.joints.get(f"{side}_toe")
    if toe is None:
        along = (tip - ankle) @ forward / (1 + TOES_BEYOND_BALL)
        lowest = tip
        ball = ankle + along * forward
    else:
        ball = figure.figure.positions[toe]
        lowest = max((ball, tip), key=lambda place: float(place @ down))
    ball = (ball @ forward) * forward + (ball @ left) * left + (lowest @ down) * down
    half = 0.5 * BREADTH_PER_LENGTH * length * (left if side == "left" else -left)
    return {"ball": ball, "outer_edge": ball + half, "inner_edge": ball - half}


RADII_PER_STATURE = {
    "foot": 0.0,
    "hand": 0.008,
    "knee": 0.029,
    "elbow": 0.020,
    "shoulder": 0.035,
    "pelvis": 0.050,
    "chest": 0.068,
    "head": 0.056,
}
"""Distance from a part's contact points to the skin, over stature."""


def contact_points(character: Character) -> dict[str, Sites]:
    """For each body part that can touch something, its points; names are those of schedules.

    Points of feet are on the sole; those of other parts lie inside the body, `contact_radii_m`
    away from the skin.
    """
    known = _POINTS.get(character)
    if known is None:
        known = _POINTS[character] = _find_points(character)
    return dict(known)


_POINTS: WeakKeyDictionary[Character, dict[str, Sites]] = WeakKeyDictionary()
"""Of characters that live: every stage of an edit asks anew, a millisecond or two each time."""


def _find_points(character: Character) -> dict[str, Sites]:
    figure = StandingFigure(character.skeleton, character.known_roles)
    joints, sites = figure.joints, character.sites
    found: dict[str, Sites] = {}
    for side in SIDES:
        soles = [f"{side}_{p}" for p in SOLE_POINTS if f"{side}_{p}" in sites.names]
        if soles:
            picked = [sites.index(name) for name in soles]
            found[f"{side}_foot"] = Sites(
                tuple(soles), sites.joints[picked], sites.offsets_m[picked]
            )
        hand = _hand(figure, sites, side)
        if hand is not None:
            found[f"{side}_hand"] = hand
        for part in ("knee", "elbow", "shoulder"):
            role = f"{side}_{part}"
            if role in joints:
                found[role] = Sites((role,), np.array([joints[role]]), np.zeros((1, 3)))
    pelvis = joints["pelvis"]
    seat = {"pelvis": figure.middle("hip")}
    seat |= {f"{side}_hip": figure.place(f"{side}_hip") for side in SIDES}
    found["pelvis"] = _riding(figure, pelvis, seat)
    chest = joints.get("chest", pelvis)
    found["chest"] = _riding(figure, chest, {"chest": figure.middle("shoulder")})
    head = joints.get("head", joints.get("neck"))
    crown = figure.site(sites, "head_top")
    if head is not None and crown is not None:
        inside = RADII_PER_STATURE["head"] * stature_m(character.skeleton, character.known_roles)
        axis = crown - figure.figure.positions[head]
        length = float(np.linalg.norm(axis))
        middle = crown - inside * (axis / length if length > 0 else figure.up)
        found["head"] = _riding(figure, head, {"head": middle})
    return found


def contact_radii_m(character: Character) -> dict[str, float]:
    """For each part of `contact_points`, how far the skin lies from its points."""
    height = _HEIGHTS.get(character)
    if height is None:
        height = stature_m(character.skeleton, character.known_roles)
        _HEIGHTS[character] = height
    return {
        part: RADII_PER_STATURE[part.split("_")[-1]] * height for part in contact_points(character)
    }


_HEIGHTS: WeakKeyDictionary[Character, float] = WeakKeyDictionary()


def _hand(figure: StandingFigure, sites: Sites, side: str) -> Sites | None:
    wrist = figure.joints.get(f"{side}_wrist")
    tip = figure.site(sites, f"{side}_hand_tip")
    if wrist is None and tip is None:
        return None
    elbow = figure.place(f"{side}_elbow")
    start = elbow if wrist is None else figure.figure.positions[wrist]
    end = tip if tip is not None else start + HAND_PER_FOREARM * (start - elbow)
    wrist_place = start + (end - start) / (1 + HAND_PER_FOREARM) if wrist is None else start
    carrier = figure.joints[f"{side}_elbow"] if wrist is None else wrist
    places = {
        f"{side}_wrist": wrist_place,
        f"{side}_palm": 0.5 * (wrist_place + end),
        f"{side}_hand_tip": end,
    }
    found = _riding(figure, carrier, places)
    if tip is None:
        return found
    i = sites.index(f"{side}_hand_tip")  # the tip may ride on a finger
    own = Sites((sites.names[i],), sites.joints[[i]], sites.offsets_m[[i]])
    return found.joined(own)


def _riding(figure: StandingFigure, joint: int, places: dict[str, Array]) -> Sites:
    offsets = np.array([figure.in_joint(joint, place) for place in places.values()])
    return Sites(tuple(places), np.full(len(places), joint, dtype=np.int64), offsets)
