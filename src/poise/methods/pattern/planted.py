"""Feet that stand in the clip stand in the edited one.

Reconstructed from a few components, feet glide (section 4.3 says so of fewer than six). While a
foot touches, it therefore moves as it did in the clip, on a print that the edit has moved and
turned as a whole; in between it follows the edited motion, led smoothly from one print to the next.
An edit that changes nothing changes no foot.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import Character
from poise.constraints import Recruits, Task, hermite
from poise.contact import ContactSchedule, intervals
from poise.environment import Environment
from poise.mechanics import BodyState

_UP = np.array([0.0, 1.0, 0.0])
_LEVEL_RAD = 0.01


def foot_tasks(
    before: BodyState, after: BodyState, contacts: ContactSchedule, character: Character,
    environment: Environment, asked: Sequence[tuple[int, int]] = (),
) -> list[list[Task]]:  # fmt: skip
    """Where each foot goes, in every frame: for its leg alone to follow.

    Args:
        before: the clip.
        after: the edited motion.
        contacts: what touches when.
        character: with roles.
        environment: prints move over level ground only.
        asked: joints and frames of goals, in which a foot is where the edited motion has it.
    """
    assert character.roles is not None
    level = len(environment.surfaces) == 1 and all(
        ground.tilt_rad < _LEVEL_RAD for ground in environment.grounds
    )
    tasks: list[list[Task]] = []
    for side in ("left", "right"):
        roles = [character.roles.joints.get(f"{side}_{part}") for part in ("hip", "ankle")]
        part = f"{side}_foot"
        if None in roles or part not in contacts.parts:
            continue
        phases = intervals(contacts.column(part))
        if not len(phases):
            continue
        hip, ankle = (character.skeleton.index(str(name)) for name in roles)
        own = character.skeleton.ancestors(ankle)
        at = sorted({f for joint, f in asked if _is_of_leg(joint, own, hip, character)})
        tasks.append(_one_foot(before, after, phases, character, part, hip, ankle, at, moves=level))
    return tasks


def _one_foot(
    before: BodyState, after: BodyState, phases: Sequence[tuple[int, int]], character: Character,
    part: str, hip: int, ankle: int, asked: Sequence[int], *, moves: bool,
) -> list[Task]:  # fmt: skip
    places, turns = after.positions_m[:, ankle], after.rotations_wxyz[:, ankle]
    wanted, wanted_turns = places.copy(), turns.copy()
    for first, stop in phases:
        old = before.positions_m[first:stop, ankle]
        old_turns = before.rotations_wxyz[first:stop, ankle]
        yaw, way, middle = 0.0, np.zeros(3), old.mean(axis=0)
        turned = rotations.multiply(turns[first:stop], rotations.conjugate(old_turns))
        inside = [frame - first for frame in asked if first <= frame < stop]
        if inside:  # the print is where the goal has the foot
            yaw = float(rotations.twist_angle(turned[inside[0]], _UP))
            middle = old[inside[0]]
            way = places[first + inside[0]] - middle
        elif moves:
            yaw = float(np.mean(rotations.twist_angle(turned, _UP)))
            way = (places[first:stop].mean(axis=0) - middle) * (1.0, 0.0, 1.0)
        turn = rotations.from_axis_angle(_UP, np.float64(yaw))
        wanted[first:stop] = rotations.rotate(turn, old - middle) + middle + way
        wanted_turns[first:stop] = rotations.multiply(turn, old_turns)
    away = rotations.log(rotations.multiply(wanted_turns, rotations.conjugate(turns)))
    alone = [(f, f + 1) for f in asked if not any(a <= f < b for a, b in phases)]
    led = _led(np.concatenate([wanted - places, away], axis=1), sorted([*phases, *alone]))
    goals = places + led[:, :3]
    goal_turns = rotations.normalize(rotations.multiply(rotations.exp(led[:, 3:]), turns))
    skeleton = character.skeleton
    legs = np.zeros(skeleton.joint_count, dtype=np.bool_)
    for joint in skeleton.ancestors(ankle):
        legs[joint] = skeleton.freedoms[joint] > 0
        if joint == hip:
            break
    above = legs.copy()
    above[ankle] = False
    return [
        Task(part, "point", 0, goals, Recruits(above, False), 1, 1.0, ankle),
        Task(part, "turn", 0, goal_turns, Recruits(legs, False), 1, 1.0, ankle),
    ]


def is_of_a_leg(joint: int, character: Character) -> bool:
    """Whether a joint lies between a hip and the toes."""
    roles = character.roles.joints if character.roles is not None else {}
    hips = [character.skeleton.index(roles[r]) for r in ("left_hip", "right_hip") if r in roles]
    return any(hip in character.skeleton.ancestors(joint) for hip in hips)


def _is_of_leg(joint: int, ankle_chain: Sequence[int], hip: int, character: Character) -> bool:
    """Whether a joint lies between the hip and the toes."""
    chain = character.skeleton.ancestors(joint)
    return hip in chain and (joint in ankle_chain or ankle_chain[0] in chain)


def _led(wanted: Array, phases: Sequence[tuple[int, int]]) -> Array:
    """(F, 6) what is added to the edited foot: as wanted in contact, smooth in between."""
    made = wanted.copy()
    ends = list(phases)
    made[: ends[0][0]] = wanted[ends[0][0]]
    made[ends[-1][1] :] = wanted[ends[-1][1] - 1]
    speeds = np.zeros((2, wanted.shape[1]))
    for (begins, leaves), (lands, ends_at) in pairwise(ends):
        a, b = leaves - 1, lands
        # A print that lasts one frame has no speed of its own.
        speeds[0] = wanted[a] - wanted[a - 1] if a > begins else 0.0
        speeds[1] = wanted[b + 1] - wanted[b] if b + 1 < ends_at else 0.0
        between = np.arange(a + 1, b, dtype=np.float64)
        knots = np.array([a, b], dtype=np.float64)
        made[a + 1 : b] = hermite(knots, wanted[[a, b]], speeds, speeds, between)
    return made
