"""Parts that must touch because nothing else could carry the body.

Where the skin of hands, knees and so on is, skeletons know to some centimetres only, so that a hand
on which somebody gets up may hover. What the motion asks of the ground tells: where the parts that
touch leave a moment unexplained, and a part that is low and slow would explain it, that part
touches. Feet are not looked for: where their soles stand is known (`foot_motion`).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.character import Character, contact_points, contact_radii_m
from poise.contact.clip_dynamics import ClipDynamics, clip_dynamics
from poise.contact.detection import OTHER_SHORTEST_S, part_score
from poise.contact.floor import FEET
from poise.contact.point_motion import part_motions
from poise.contact.reaction_forces import UNLIMITED, reaction_forces
from poise.contact.schedule import ContactSchedule, intervals, without_blinks
from poise.contact.touching_points import TouchingPoints, touching_points
from poise.environment import Environment
from poise.mechanics import forward_kinematics
from poise.motion import Clip, splines

UNEXPLAINED = 0.03
"""Body weights, or body weight × stature: five centimetres of pressure. Less may be noise."""
HELPS = 0.5
"""Share of what is unexplained that a further part must explain."""
WITHIN = 3.0
"""Most that a part may score by the rule of `detection`, which is below 1 where it touches: 12 cm
where it is still. In 140_01, hands on which somebody gets up hover by 4 to 8."""
SHORTEST_S = 0.15
"""For less, nobody is missed: landings and take-offs blur."""
_PARTS = 4
"""Most that join at once."""


def with_carriers(
    schedule: ContactSchedule, clip: Clip, character: Character, environment: Environment
) -> ContactSchedule:
    """A schedule with parts that carry the body where what touches could not.

    Args:
        schedule: what touches when.
        clip: clean motion.
        character: with a body.
        environment: where.
    """
    could = _could(schedule, clip, character, environment)
    if clip.frame_count < splines.SHORTEST or not could.any():
        return schedule
    dynamics, touching = clip_dynamics(clip, character), np.array(schedule.touching)
    points = touching_points(
        dynamics.state, character, replace(schedule, touching=touching | could), environment
    )
    for _ in range(_PARTS):
        left = _unexplained(dynamics, points, touching)
        lacking = [
            (first, stop)
            for first, stop in intervals(left > UNEXPLAINED)
            if stop - first >= SHORTEST_S * schedule.rate_hz
        ]
        if not lacking:
            break
        free = could & ~touching
        gains = np.zeros(could.shape)
        for p in np.flatnonzero((free & (left > UNEXPLAINED)[:, None]).any(axis=0)):
            trial = touching.copy()
            trial[:, p] |= free[:, p]
            gains[:, p] = left - _unexplained(dynamics, points, trial)
        for first, stop in lacking:
            best = int(gains[first:stop].sum(axis=0).argmax())
            helped = free[first:stop, best] & (gains[first:stop, best] > HELPS * left[first:stop])
            touching[first:stop, best] |= helped
    shortest = OTHER_SHORTEST_S * schedule.rate_hz
    for p in np.flatnonzero((touching != schedule.touching).any(axis=0)):
        touching[:, p] = without_blinks(touching[:, p], shortest)
    return replace(schedule, touching=touching)


def _could(
    schedule: ContactSchedule, clip: Clip, character: Character, environment: Environment
) -> NDArray[np.bool_]:
    """(F, P) parts other than feet that are low and slow."""
    sites = {p: s for p, s in contact_points(character).items() if p not in FEET}
    state = forward_kinematics(clip.skeleton, *clip.pose)
    motions = part_motions(state, sites, clip.rate_hz, environment)
    radii, found = contact_radii_m(character), np.zeros(schedule.touching.shape, dtype=np.bool_)
    for p, part in enumerate(schedule.parts):
        if part in motions:
            found[:, p] = part_score(motions[part], radii[part]) < WITHIN
    return found


def _unexplained(
    dynamics: ClipDynamics, points: TouchingPoints, touching: NDArray[np.bool_]
) -> Array:
    """(F,) what reaction forces of these parts leave: body weights, body weight × stature."""
    held = replace(points, grip=points.grip * touching[:, points.owners])
    found = reaction_forces(dynamics, held, UNLIMITED)
    force = np.linalg.norm(found.missing_force_n, axis=1) / dynamics.weight_n
    moment = np.linalg.norm(found.missing_moment_nm, axis=1)
    return np.hypot(force, moment / (dynamics.weight_n * dynamics.length_m))
