"""Which body parts touch something, found from clean motion.

A point touches when it is near the surface and slow along it, and the two may be traded for each
other: a heel that lands still moves, and a toe that leaves has begun to rise, so that a limit on
each alone cuts both ends of a stance off. The rule is

    max(0, h - t |v_n|) / H + |v_t| / V < 1

with h the height over the point's own standing level (see `foot_motion`), v_n and v_t its velocity
along and across the surface's normal, relative to the surface. Nothing touches while the centre of
mass falls as fast as gravity pulls, and where nothing touches though something carries the body, it
is the part that comes closest to the rule. Contacts and gaps too short for a person are noise.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.character import Character, Sites, contact_points, contact_radii_m
from poise.contact.floor import FEET, foot_sites
from poise.contact.foot_motion import FootMotion, foot_motion
from poise.contact.point_motion import PointMotion, part_motions, smoothed
from poise.contact.schedule import (
    BODY_PARTS,
    SWUNG,
    ContactSchedule,
    intervals,
    swinging,
    without_blinks,
)
from poise.environment import Environment
from poise.errors import BadValue, UnknownName
from poise.mechanics import GRAVITY_M_S2, BodyState, center_of_mass, forward_kinematics
from poise.motion import Clip

HEIGHT_M = 0.0275
"""H: a point this high over its standing level touches only if it does not move at all."""
SPEED_M_S = 2.75
"""V: a point this fast touches only if it is as low as when it stands."""
LEAD_S = 0.005
"""t: smoothing rounds the moment of landing by about this much."""
SHORTEST_S = 0.05
"""Feet do not touch, or stop touching, for less."""

OTHER_HEIGHT_M = 0.04
"""H of hands, knees and so on, whose skin is known less well."""
OTHER_SPEED_M_S = 1.0
"""V of the same: they rarely roll as soles do."""
OTHER_SHORTEST_S = 0.1
"""Shortest contact, and shortest gap, of the same."""

CARRIED_M_S2 = 3.0
"""Upward force per kilogram, a third of the weight, that nothing but a contact explains."""
CARRIES_BELOW = 2.0
"""How far beyond the rule (below 1) a part may be to be taken for what carries the body."""


def detect_contacts(
    clip: Clip,
    character: Character,
    environment: Environment | None = None,
    parts: Iterable[str] | None = None,
) -> ContactSchedule:
    """Find what touches when.

    Args:
        clip: clean motion at its right rate (see `check_gravity`).
        character: with a body, whose weight tells flight from support.
        environment: the place; None takes the floor that the feet show. On a treadmill the
            environment has to state the belt's velocity.
        parts: body parts to look at; None looks at all that the character has.
    """
    points = contact_points(character)
    wanted = _wanted(points, parts)
    state = forward_kinematics(clip.skeleton, *clip.pose)
    rate_hz = clip.rate_hz
    force = _specific_force(state, character, rate_hz)
    feet = foot_motion(state, foot_sites(points), rate_hz, environment)
    radii = contact_radii_m(character)
    others = {part: sites for part, sites in points.items() if part not in FEET}
    motions = part_motions(state, others, rate_hz, feet.place)
    scores = np.empty((clip.frame_count, len(points)))
    for column, (part, sites) in enumerate(points.items()):
        if part in FEET:
            scores[:, column] = _foot_score(feet, sites.names, rate_hz)
        else:
            scores[:, column] = part_score(motions[part], radii[part])
    touching = (scores < 1.0) & (force > 0.0)[:, None]
    touching = _without_blinks(touching, points, rate_hz)
    _let_the_nearest_carry(touching, scores, force, rate_hz)
    touching = _without_blinks(touching, points, rate_hz)
    columns = [list(points).index(part) for part in wanted]
    return ContactSchedule(wanted, touching[:, columns], rate_hz)


def _wanted(points: Mapping[str, Sites], parts: Iterable[str] | None) -> tuple[str, ...]:
    if parts is None:
        return tuple(part for part in BODY_PARTS if part in points)
    chosen = tuple(parts)
    for part in chosen:
        if part not in points:
            raise UnknownName("body part of this character", part, points)
    return chosen


def _specific_force(state: BodyState, character: Character, rate_hz: float) -> Array:
    """(F,) upward force on the body from outside, per kilogram."""
    if character.body is None:
        raise BadValue("character.body", "segment masses (see complete_character)", None)
    _, _, acceleration = smoothed(center_of_mass(state, character.body), rate_hz)
    return (acceleration - GRAVITY_M_S2)[:, 1]


def _foot_score(feet: FootMotion, names: tuple[str, ...], rate_hz: float) -> Array:
    """(F,) below 1 where one of a foot's points touches."""
    columns = [feet.motion.names.index(name) for name in names]
    rising = np.abs(feet.motion.leaving_m_s[:, columns])
    height = np.maximum(0.0, feet.clearances_m[:, columns] - LEAD_S * rising)
    speeds = feet.motion.sliding_m_s[:, columns]
    score = height / HEIGHT_M + speeds / SPEED_M_S
    return score.min(axis=1) + SWUNG * swinging(score, speeds, rate_hz)


def part_score(motion: PointMotion, radius_m: float) -> Array:
    """(F,) below 1 where a point of a hand, a knee and so on touches with the skin around it."""
    height = np.maximum(0.0, motion.heights_m - radius_m)
    return (height / OTHER_HEIGHT_M + motion.speeds_m_s / OTHER_SPEED_M_S).min(axis=1)


def _let_the_nearest_carry(
    touching: NDArray[np.bool_], scores: Array, force: Array, rate_hz: float
) -> None:
    """Where nothing touches and yet something carries the body, it is the likeliest part."""
    carried = ~touching.any(axis=1) & (force > CARRIED_M_S2)
    for first, last in intervals(carried):
        if last - first >= SHORTEST_S * rate_hz:
            frames = np.arange(first, last)
            nearest = scores[frames].argmin(axis=1)
            near = scores[frames, nearest] < CARRIES_BELOW
            touching[frames[near], nearest[near]] = True


def _without_blinks(
    touching: NDArray[np.bool_], parts: Iterable[str], rate_hz: float
) -> NDArray[np.bool_]:
    """Gaps, then contacts, too short to be real removed; the clip's ends may cut either."""
    kept = touching.copy()
    for column, part in enumerate(parts):
        shortest = rate_hz * (SHORTEST_S if part in FEET else OTHER_SHORTEST_S)
        kept[:, column] = without_blinks(kept[:, column], shortest)
    return kept
