"""From contacts and places back to joint angles (section 3.5.2): everything that touches holds.

The paper's inverse kinematics follows soft results, which leaves slides. Here feet are on their
prints and other parts on their spots exactly, the whole clip is solved at once (`ik.whole_clip`),
and the centre of mass accelerates as it should.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from poise import rotations
from poise.arrays import Array
from poise.character import Character, contact_points
from poise.constraints import Recruits, Scene, Task
from poise.contact import ContactSchedule, intervals
from poise.environment import Environment
from poise.footing import (
    HEEL,
    ORIGIN,
    TIP,
    WISHED,
    Cleared,
    FootPath,
    Movers,
    ankle_slack_rad,
    center_tasks,
    clearance_tasks,
    contact_tasks,
    held_longer,
    moving_joints,
    solve_until_clear,
    with_slides,
    worst_miss,
)
from poise.ik import WholeSettings, solve_long
from poise.mechanics import forward_kinematics, site_positions
from poise.motion import Clip
from poise.physics import NO_FLESH, Flesh, PhysicsSettings, PhysicsSolution, solve_clip

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
    physics: PhysicsSolution | None
    """What the laws of motion left over; None where they were not asked for."""


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
    physics: PhysicsSettings | None = None,
    flesh: Flesh = NO_FLESH,
) -> Recovered:
    """The nearest motion in which what touches touches, and nothing is inside anything.

    With `physics`, also one that the ground can carry and the body can do.

    Args:
        clip: the motion to stay close to.
        character: whose.
        environment: where.
        contacts: what touches when.
        slides: what slides along the surface meanwhile.
        moves: (J,) joints that may turn; by default those that do in the clip.
        fastest_rad_s: (J,) how fast each joint may turn; as fast as it likes by default.
        settings: of the inverse kinematics.
        physics: how the laws of motion are asked for; without it they are not.
        flesh: with `physics`, further points that stay out of the surroundings.
    """
    scene = Scene(clip, character, environment, None)
    movers = Movers(character, moving_joints(clip) if moves is None else moves)
    held, paths, slid = contact_tasks(scene, _longer(contacts, scene), slides, movers)
    touches = np.asarray(contacts.touching.any(axis=1))
    if fastest_rad_s is None:
        fastest_rad_s = np.full(clip.skeleton.joint_count, np.inf)
    swings = swing_tasks(scene, paths, movers)
    slack = ankle_slack_rad(character)
    if physics is not None:
        solved = solve_clip(
            scene, [*held, *swings], contacts, physics, also=Recruits(movers.moves, True),
            fastest_rad_s=fastest_rad_s, slack_rad=slack, flesh=flesh,
        )  # fmt: skip
        made = replace(
            clip, root_positions_m=solved.root_positions_m, rotations_wxyz=solved.rotations_wxyz
        )
        told, miss = with_slides(contacts, slid), worst_miss(solved.missed_m)
        return Recovered(made, told, (*held, *swings), *miss, solved)
    snapping = movers.moves & (_fastest_rad_s(clip) > fastest_rad_s)
    also = Recruits(snapping, False)
    tasks = [*held, *swings, *center_tasks(scene, touches)]
    tasks += clearance_tasks(scene, scene.state, held, movers, _DEEPEST_M)

    def solve(tasks: Sequence[Task], before: tuple[Clip, _Missed] | None) -> tuple[Clip, _Missed]:
        start = None if before is None else (before[0].root_positions_m, before[0].rotations_wxyz)
        roots, turns, missed = solve_long(
            scene, tasks, settings, start, also=also, fastest_rad_s=fastest_rad_s, slack_rad=slack
        )
        return replace(clip, root_positions_m=roots, rotations_wxyz=turns), missed

    def inside(made: tuple[Clip, _Missed]) -> list[Task]:
        state = forward_kinematics(clip.skeleton, *made[0].pose)
        return clearance_tasks(scene, state, held, movers, _DEEPEST_M)

    if all(task.priority > 1 for task in tasks) and not snapping.any():
        # Nothing touches, nothing is inside anything, nothing snaps.
        found = Cleared((clip, dict[str, float]()), tuple(tasks), 1, 0)
    else:
        found = solve_until_clear(tasks, solve, inside, _ROUNDS)
    made, missed = found.made
    told = with_slides(contacts, slid)
    return Recovered(made, told, found.tasks, *worst_miss(missed), None)


def fastest_turns_rad_s(clip: Clip) -> Array:
    """(J,) how fast joints may turn: hardly faster than they ever do in a clip."""
    return FASTER * np.maximum(_fastest_rad_s(clip), np.radians(QUIET_DEG_S))


def _fastest_rad_s(clip: Clip) -> Array:
    turns = clip.rotations_wxyz
    steps = rotations.angle_between(turns[:-1], turns[1:])
    return np.asarray(steps.max(axis=0, initial=0.0) * clip.rate_hz)


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
    return replace(contacts, touching=held_longer(touching), sliding=None)


# Feet on their way from one stance to the next: as they went, between where they now stand.
#
# What a stance moves a foot by, its swing forgets slowly, so that it neither kinks nor sinks:
# from the displacement at the end of one stance to that at the start of the next.
WEIGHT = 0.1
"""Of a swinging foot, against the other wishes of the last solve."""
_FORGET_S = 0.4
"""Before the first stance and after the last one, displacements fade over this time."""


def swing_tasks(scene: Scene, paths: Sequence[FootPath], movers: Movers) -> list[Task]:
    """Wishes for the joints of feet between the paths that they have while they touch."""
    frames, rate = scene.clip.frame_count, scene.clip.rate_hz
    found: list[Task] = []
    for part in sorted({path.shape.part for path in paths}):
        mine = sorted((p for p in paths if p.shape.part == part), key=lambda p: p.first)
        joint = mine[0].shape.joint
        places = scene.state.positions_m[:, joint]
        fade = max(1, round(_FORGET_S * rate))
        gaps = [
            (p.stop, n.first, _moved(scene, p, -1), _moved(scene, n, 0)) for p, n in pairwise(mine)
        ]
        first, last = mine[0], mine[-1]
        gaps.append((first.first - fade, first.first, np.zeros(3), _moved(scene, first, 0)))
        gaps.append((last.stop, last.stop + fade, _moved(scene, last, -1), np.zeros(3)))
        for a, b, before, after in gaps:
            share = (np.arange(a, b) - a + 1.0) / (b - a + 1.0)
            share = (share * share * (3.0 - 2.0 * share))[:, None]
            moved = (1.0 - share) * before + share * after
            inside = slice(max(a, 0), min(b, frames))
            if inside.start >= inside.stop:
                continue
            goals = places[inside] + moved[inside.start - a : inside.stop - a]
            name = f"{part} swings from frame {inside.start}"
            found.append(movers.point(name, joint, ORIGIN, inside.start, goals, WISHED, WEIGHT))
    return found


def _moved(scene: Scene, path: FootPath, end: int) -> Array:
    """(3,) how far a stance moves its foot in its first frame (0) or its last (-1)."""
    shape, frame = path.shape, path.first if end == 0 else path.stop - 1
    places, turns = scene.state.positions_m[frame], scene.state.rotations_wxyz[frame]
    if path.posed[end]:
        return path.places_m[end] - places[shape.joint]
    if path.on_heel[end]:
        heel = places[shape.joint] + rotations.rotate(turns[shape.joint], shape.offsets_m[HEEL])
        return path.heel_m[end] - heel
    tip = places[shape.toes] + rotations.rotate(turns[shape.toes], shape.offsets_m[TIP])
    return path.tip_m[end] - tip
