"""From contacts and places back to joint angles (section 3.5.2): everything that touches holds.

The paper's inverse kinematics follows soft results, which leaves slides. Here feet are on their
prints and other parts on their spots exactly, the whole clip is solved at once (`ik.whole_clip`),
and the centre of mass accelerates as it should.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from poise import rotations
from poise.arrays import Array
from poise.character import Character, contact_points
from poise.constraints import Recruits, Scene, Task
from poise.contact import ContactSchedule, intervals
from poise.environment import Environment
from poise.footing import (
    Cleared,
    FootPath,
    Movers,
    ankle_slack_rad,
    center_tasks,
    clearance_tasks,
    contact_tasks,
    moving_joints,
    solve_until_clear,
)
from poise.ik import WholeSettings, solve_long
from poise.mechanics import BodyState, forward_kinematics, site_positions
from poise.methods.correct.swings import swing_tasks
from poise.motion import Clip

HELD_LONGER = 1
"""Frames before and after a contact in which its place is held already: the speed in its first and
last frame is then zero as well."""

SHORTEST_GAP_S = 0.12
MOVED_ON_M = 0.05
"""A part that leaves for less time, while another one touches, and comes down less far away, has
not taken a step."""

FASTER = 1.06
"""A joint that turns faster, against its fastest in the capture, is seen to snap."""
QUIET_DEG_S = 30.0
"""So fast may every joint turn, even one that is held still in the capture."""

_DEEPEST_M = 0.001
_ROUNDS = 6
"""Most solves, each with tasks for the points that the last one left inside something."""


_FOOT_M = 0.2
"""How far a foot's end goes when it turns by a radian."""

_Missed = Mapping[str, float]
"""How far tasks are missed, by name."""


@dataclass(frozen=True, eq=False)
class Recovered:
    """A clip whose contacts hold."""

    clip: Clip
    contacts: ContactSchedule
    """As asked for, with what slides."""
    tasks: tuple[Task, ...]
    worst_m: float
    """How far a hard task is missed, in metres (turns: times the length of a foot)."""
    worst: str
    """Which."""
    rounds: int
    paths: tuple[FootPath, ...]


def recover(
    clip: Clip,
    character: Character,
    environment: Environment,
    contacts: ContactSchedule,
    slides: ContactSchedule | None = None,
    *,
    moves: NDArray[np.bool_] | None = None,
    fastest_rad_s: Array | None = None,
    settings: WholeSettings | None = None,
) -> Recovered:
    """The nearest motion in which what touches touches, and nothing is inside anything.

    Args:
        clip: the motion to stay close to.
        character: whose.
        environment: where.
        contacts: what touches when.
        slides: what slides along the surface meanwhile.
        moves: (J,) joints that may turn; by default those that do in the clip.
        fastest_rad_s: (J,) how fast each joint may turn; as fast as it likes by default.
        settings: of the inverse kinematics.
    """
    scene = Scene(clip, character, environment, None)
    movers = Movers(character, moving_joints(clip) if moves is None else moves)
    held, paths, slid = contact_tasks(scene, _longer(contacts, scene), slides, movers)
    touches = np.asarray(contacts.touching.any(axis=1))
    if fastest_rad_s is None:
        fastest_rad_s = np.full(clip.skeleton.joint_count, np.inf)
    snapping = movers.moves & (_fastest_rad_s(clip) > fastest_rad_s)
    also = Recruits(snapping, False)
    slack = ankle_slack_rad(character)
    tasks = [*held, *swing_tasks(scene, paths, movers), *center_tasks(scene, touches)]
    tasks += clearance_tasks(scene, scene.state, held, movers, _DEEPEST_M)

    def solve(tasks: Sequence[Task], before: tuple[Clip, _Missed] | None) -> tuple[Clip, _Missed]:
        start = None if before is None else (before[0].root_positions_m, before[0].rotations_wxyz)
        roots, turns, missed = solve_long(
            scene, tasks, settings, start, also=also, fastest_rad_s=fastest_rad_s, slack_rad=slack
        )
        return replace(clip, root_positions_m=roots, rotations_wxyz=turns), missed

    def inside(made: tuple[Clip, _Missed]) -> list[Task]:
        return clearance_tasks(scene, _state(made[0]), held, movers, _DEEPEST_M)

    if all(task.priority > 1 for task in tasks) and not snapping.any():
        # Nothing touches, nothing is inside anything, nothing snaps.
        found = Cleared((clip, dict[str, float]()), tuple(tasks), 1, 0)
    else:
        found = solve_until_clear(tasks, solve, inside, _ROUNDS)
    made, missed = found.made
    sliding = np.zeros_like(contacts.touching)
    for column, part in enumerate(contacts.parts):
        sliding[:, column] = slid[part] & contacts.column(part)
    told = replace(contacts, sliding=sliding if sliding.any() else None)
    return Recovered(made, told, found.tasks, *_worst(missed), found.rounds, paths)


def fastest_turns_rad_s(clip: Clip) -> Array:
    """(J,) how fast joints may turn: hardly faster than they ever do in a clip."""
    return FASTER * np.maximum(_fastest_rad_s(clip), np.radians(QUIET_DEG_S))


def _fastest_rad_s(clip: Clip) -> Array:
    turns = clip.rotations_wxyz
    steps = rotations.angle_between(turns[:-1], turns[1:])
    return np.asarray(steps.max(axis=0, initial=0.0) * clip.rate_hz)


def _state(clip: Clip) -> BodyState:
    return forward_kinematics(clip.skeleton, *clip.pose)


def _longer(contacts: ContactSchedule, scene: Scene) -> ContactSchedule:
    """Contacts as they are held: a little longer, and through gaps too short for a step."""
    touching = contacts.touching.copy()
    points = contact_points(scene.character)
    for column, part in enumerate(contacts.parts):
        if part not in points:
            continue
        middle = site_positions(scene.state, points[part]).mean(axis=1)
        for first, stop in intervals(~touching[:, column]):
            if first == 0 or stop == len(touching):
                continue
            brief = stop - first < SHORTEST_GAP_S * contacts.rate_hz
            if brief and np.linalg.norm(middle[stop] - middle[first - 1]) < MOVED_ON_M:
                touching[first:stop, column] = contacts.touching[first:stop].any(axis=1)
    for _ in range(HELD_LONGER):
        longer = touching.copy()
        longer[1:] |= touching[:-1]
        longer[:-1] |= touching[1:]
        touching = longer
    return replace(contacts, touching=touching, sliding=None)


def _worst(missed: _Missed) -> tuple[float, str]:
    worst, name = 0.0, ""
    for task, miss in missed.items():
        away = miss * (_FOOT_M if task.startswith("turn") else 1.0)
        if away > worst:
            worst, name = away, task.partition(": ")[2]
    return worst, name
