"""Feet that stand in the clip stand in the edited one.

Reconstructed from a few components, feet glide (section 4.3 says so of fewer than six). While a
foot touches, it therefore moves as it did in the clip, on a print that the edit has moved and
turned as a whole; in between it follows the edited motion, led smoothly from one print to the next.
An edit that changes nothing changes no foot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from scipy.ndimage import gaussian_filter1d

from poise import rotations
from poise.arrays import Array
from poise.character import UP, Character
from poise.constraints import Recruits, Task, hermite
from poise.contact import ContactSchedule, intervals
from poise.environment import Environment
from poise.mechanics import BodyState
from poise.methods.pattern.goals import goals_of
from poise.methods.pattern.placed import PlacedClip

# Feet that give way a little where a leg is almost straight.
#
# A straight leg changes its length only by turning the knee a lot: a foot that is held to the
# millimetre there makes the knee snap. So much of a change of length is left out as keeps the
# knee from turning more than a bent one would: a few millimetres along the leg.
_BENT_RAD = float(np.radians(25.0))
"""A knee bent by this much changes the leg's length readily."""


def with_soft_knee(task: Task, here: BodyState, character: Character) -> Task:
    """An ankle's path (F, 3), nearer to the motion at hand where its leg is almost straight."""
    assert character.roles is not None
    roles, index = character.roles.joints, character.skeleton.index
    side = next(s for s in ("left", "right") if index(roles[f"{s}_ankle"]) == task.joint)
    if f"{side}_knee" not in roles:
        return task
    joints = [index(roles[f"{side}_{part}"]) for part in ("hip", "knee", "ankle")]
    hips, knees, ankles = (here.positions_m[:, joint] for joint in joints)
    thigh, shank = knees - hips, ankles - knees
    long = np.linalg.norm(thigh, axis=1) * np.linalg.norm(shank, axis=1)
    sine = np.linalg.norm(np.cross(thigh, shank), axis=1) / np.maximum(long, 1e-12)
    far_bent = (thigh * shank).sum(axis=1) < 0.0
    share = np.where(far_bent, 1.0, np.minimum(sine / np.sin(_BENT_RAD), 1.0))
    way = task.goals - hips
    wanted, has = np.linalg.norm(way, axis=1), np.linalg.norm(ankles - hips, axis=1)
    length = has + share * (wanted - has)
    return replace(task, goals=hips + way * (length / np.maximum(wanted, 1e-9))[:, None])


# The body over its feet: by what both of them are too high or too low, the root is.
#
# Blended motions do not stand as their feet would have them, often a few centimetres too high.
# Legs alone could undo that only by stretching, and a leg that comes out straight makes its knee
# snap. So the root is lowered or raised by what the feet that carry it need on average, smoothly
# from one to the other; what is left is the legs' (see `planted`).
_PASSED_ON_S = 0.06
"""Standard deviation in time of the weight that goes from foot to foot."""
_CARRIES = 1e-3
"""Feet that carry less together leave the root to what comes before and after."""


def carrying_shares(contacts: ContactSchedule, character: Character) -> dict[int, Array]:
    """(F,) for each ankle that ever stands, how much of the body it carries: at most one."""
    made: dict[int, Array] = {}
    roles = character.roles.joints if character.roles is not None else {}
    for side in ("left", "right"):
        part, ankle = f"{side}_foot", roles.get(f"{side}_ankle")
        if ankle is not None and part in contacts.parts and contacts.column(part).any():
            touches = contacts.column(part).astype(np.float64)
            made[character.skeleton.index(ankle)] = gaussian_filter1d(
                touches, _PASSED_ON_S * contacts.rate_hz
            )
    return made


def root_lift(before: BodyState, after: BodyState, shares: dict[int, Array]) -> Array:
    """(F,) by how much the root of an edited motion is raised for its feet to stand as before."""
    frames = after.frame_count
    whole, carried = np.zeros(frames), np.zeros(frames)
    for ankle, share in shares.items():
        whole += share * (before.positions_m[:, ankle, 1] - after.positions_m[:, ankle, 1])
        carried += share
    stands = np.flatnonzero(carried > _CARRIES)
    if not len(stands):
        return np.zeros(frames)
    return np.interp(np.arange(frames), stands, whole[stands] / carried[stands])


def lift_rows(
    placed: PlacedClip, vector: Array, shares: dict[int, Array], frame: int, count: int
) -> Array:
    """(count,) how that changes in a frame with coefficients whose change is added to a vector."""
    made, carried = np.zeros(count), 0.0
    nobody = Recruits(np.zeros(placed.clip.skeleton.joint_count, dtype=np.bool_), False)
    for ankle, share in shares.items():
        if share[frame] > _CARRIES:
            task = Task("foot", "point", frame, np.zeros((1, 3)), nobody, joint=ankle)
            (goal,) = goals_of(placed, [task], count, vector)
            made -= share[frame] * goal.look(np.zeros(count))[1][1]
            carried += float(share[frame])
    return made / carried if carried > 0.0 else made


_LEVEL_RAD = 0.01


def foot_tasks(
    before: BodyState, after: BodyState, contacts: ContactSchedule, character: Character,
    environment: Environment, asked: Sequence[tuple[int, int]] = (),
) -> list[list[Task]]:  # fmt: skip
    """Where each foot goes, in every frame: for its leg alone to follow.

    Prints move over level ground only. In `asked`, joints and frames of goals, a foot is where the
    edited motion has it.
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
            yaw = float(rotations.twist_angle(turned[inside[0]], UP))
            middle = old[inside[0]]
            way = places[first + inside[0]] - middle
        elif moves:
            yaw = float(np.mean(rotations.twist_angle(turned, UP)))
            way = (places[first:stop].mean(axis=0) - middle) * (1.0, 0.0, 1.0)
        turn = rotations.from_axis_angle(UP, np.float64(yaw))
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
