"""From contacts and places back to joint angles (section 3.5.2): everything that touches holds.

The paper's inverse kinematics follows soft results, which leaves slides. Here feet are on their
prints and other parts on their spots exactly, the whole clip is solved at once (`poise.physics`),
and the centre of mass accelerates as it should.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter1d

from poise import rotations
from poise.arrays import Array
from poise.character import Character, contact_points
from poise.constraints import Recruits, Scene, Task
from poise.contact import FEET, ContactSchedule, geometry_evidence, intervals, without_ends
from poise.environment import Environment, Ground
from poise.footing import (
    BALL,
    HEEL,
    ORIGIN,
    TIP,
    WISHED,
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
from poise.mechanics import forward_kinematics, site_positions
from poise.methods.correct.far_moved import FarMoved, far_moved, frames_of
from poise.motion import (
    Clip,
    joint_speeds_rad_s,
    peak_speeds_rad_s,
    smooth_step,
)
from poise.physics import (
    NO_FLESH,
    Asked,
    Clearing,
    Flesh,
    PhysicsSettings,
    PhysicsSolution,
    WholeSettings,
    kinematic,
    nowhere,
    solve_clip,
)

SHORTEST_GAP_S = 0.12
MOVED_ON_M = 0.05
"""A part that leaves for less time, while another one touches, and comes down less far away, has
not taken a step."""

TRAVELS_M_S = 0.15
"""A sole that is faster does not stand yet, or no longer,"""
LONGEST_TRAVEL_S = 0.12
"""at the ends of a contact."""
LONGEST_ROLL_S = 0.3
"""The same for other parts: who sits up rolls off the back, and flesh gives way meanwhile."""

FASTER = 1.06
"""A joint that turns faster, against its fastest in the capture, is seen to snap."""

_DEEPEST_M = 0.001
_DOUBTS = 2
"""How often stretches are left out of the laws of motion because limbs were thrown in them."""
_ROUNDS = 6
"""Most solves, each with tasks for the points that the last one left inside something."""

KINEMATIC = kinematic(WholeSettings(range=2e3), (1e5, 3e6))
"""Without the laws of motion."""


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
    doubted: tuple[FarMoved, ...] = ()
    """Where contacts do not explain the motion, so that the laws of motion were left off."""


def recover(
    clip: Clip,
    character: Character,
    environment: Environment,
    contacts: ContactSchedule,
    slides: ContactSchedule | None = None,
    *,
    moves: NDArray[np.bool_] | None = None,
    fastest_rad_s: Array | None = None,
    settings: PhysicsSettings | None = None,
    physics: PhysicsSettings | None = None,
    flesh: Flesh = NO_FLESH,
    limbs: Clearing | None = None,
    unknown: NDArray[np.bool_] | None = None,
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
        settings: of the solve without physics.
        physics: how the laws of motion are asked for; without it they are not.
        flesh: with `physics`, further points that stay out of the surroundings.
        limbs: with `physics`, parts of the body that stay out of each other.
        unknown: (F,) frames in which something carries the body that is not known: the laws of
            motion and strength are not asked for there.
    """
    belt = _common_belt_m_s(environment)
    if belt.any():
        # Laws of motion are the same for who travels with the belt, and there it stands still.
        found = recover(
            _seen_from(clip, belt), character, _stopped(environment), contacts, slides,
            moves=moves, fastest_rad_s=fastest_rad_s, settings=settings, physics=physics,
            flesh=flesh, limbs=limbs, unknown=unknown,
        )  # fmt: skip
        return replace(found, clip=_seen_from(found.clip, -belt))
    scene = Scene(clip, character, environment, None)
    movers = Movers(character, moving_joints(clip) if moves is None else moves)
    filled = _without_short_gaps(contacts, scene)
    loose = travelling(scene, filled)
    # Held a frame longer at both ends: there, too, what stands has no speed.
    standing = replace(filled, touching=held_longer(filled.touching & ~loose))
    held, paths, slid = contact_tasks(scene, standing, slides, movers)
    for column, part in enumerate(contacts.parts):
        slid[part] = slid[part] | loose[:, column]
    touches = np.asarray(contacts.touching.any(axis=1))
    swings = swing_tasks(scene, paths, movers)
    if physics is not None:

        def lawful(lawless: NDArray[np.bool_]) -> PhysicsSolution:
            return solve_clip(
                scene, [*held, *swings], contacts, physics, also=Recruits(movers.moves, True),
                fastest_rad_s=fastest_rad_s, flesh=flesh, limbs=limbs, asked=_asked(clip, lawless),
            )  # fmt: skip

        solved, doubted = _without_doubted(scene, lawful, unknown)
        told, miss = with_slides(contacts, slid), worst_miss(solved.missed_m)
        made = _moved_to(clip, solved)
        return Recovered(made, told, (*held, *swings), *miss, solved, doubted)
    slack = ankle_slack_rad(character)
    fastest = fastest_rad_s
    if fastest is None:
        fastest = np.full(clip.skeleton.joint_count, np.inf)
    snapping = movers.moves & (joint_speeds_rad_s(clip).max(axis=0) > fastest)
    also = Recruits(snapping, False)
    tasks = [*held, *swings, *center_tasks(scene, touches)]
    tasks += clearance_tasks(scene, scene.state, held, movers, _DEEPEST_M)
    told = with_slides(contacts, slid)
    if all(task.priority > 1 for task in tasks) and not snapping.any():
        # Nothing touches, nothing is inside anything, nothing snaps.
        return Recovered(clip, told, tuple(tasks), 0.0, "", None)

    def solve(tasks: Sequence[Task], before: PhysicsSolution | None) -> PhysicsSolution:
        return solve_clip(
            scene, tasks, contacts, settings or KINEMATIC, also=also, fastest_rad_s=fastest,
            slack_rad=slack, asked=nowhere(clip.frame_count), start=before,
        )  # fmt: skip

    def inside(made: PhysicsSolution) -> list[Task]:
        state = forward_kinematics(clip.skeleton, *made.pose)
        return clearance_tasks(scene, state, held, movers, _DEEPEST_M)

    found = solve_until_clear(tasks, solve, inside, _ROUNDS)
    made = _moved_to(clip, found.made)
    return Recovered(made, told, found.tasks, *worst_miss(found.made.missed_m), None)


def _moved_to(clip: Clip, solution: PhysicsSolution) -> Clip:
    roots, turns = solution.pose
    return replace(clip, root_positions_m=roots, rotations_wxyz=turns)


def _without_doubted(
    scene: Scene,
    solve: Callable[[NDArray[np.bool_]], PhysicsSolution],
    unknown: NDArray[np.bool_] | None,
) -> tuple[PhysicsSolution, tuple[FarMoved, ...]]:
    """A solution without the laws of motion where they would throw limbs, and where that is.

    `solve` takes the frames (F,) in which they are not asked for: first those that are `unknown`.
    """
    clip, character, frames = scene.clip, scene.character, scene.clip.frame_count
    lawless = np.zeros(frames, dtype=np.bool_) if unknown is None else unknown
    doubted: tuple[FarMoved, ...] = ()
    solved = solve(lawless)
    for _ in range(_DOUBTS):
        far = far_moved(clip, _moved_to(clip, solved), character)
        further = frames_of(far, frames) & ~lawless
        if not further.any():
            break
        without = solve(lawless | further)
        still = frames_of(far_moved(clip, _moved_to(clip, without), character), frames)
        if still[further].mean() > 0.5:
            break  # Contacts alone ask for it, not the laws of motion.
        doubted, lawless = (*doubted, *far), lawless | further
        solved = without
    return solved, doubted


_BESIDE_S = 0.05
"""What is not known reaches so far: smoothing blurs where it begins."""


def _asked(clip: Clip, unknown: NDArray[np.bool_] | None) -> Asked | None:
    if unknown is None or not unknown.any():
        return None
    wide = maximum_filter1d(unknown.astype(np.int8), 1 + 2 * round(_BESIDE_S * clip.rate_hz))
    known = np.asarray(wide == 0)
    return Asked(known, known)


def _common_belt_m_s(environment: Environment) -> Array:
    """(3,) velocity that all surfaces share, where all are endless planes; else zero."""
    surfaces = environment.surfaces
    if not surfaces or not all(isinstance(surface, Ground) for surface in surfaces):
        return np.zeros(3)
    belts = [surface.belt_velocity_m_s for surface in surfaces]
    return belts[0] if all(np.array_equal(belt, belts[0]) for belt in belts) else np.zeros(3)


def _stopped(environment: Environment) -> Environment:
    return Environment(
        tuple(replace(surface, belt_velocity_m_s=np.zeros(3)) for surface in environment.surfaces)
    )


def _seen_from(clip: Clip, velocity_m_s: Array) -> Clip:
    """A clip as it looks to who moves with this velocity."""
    times = np.arange(clip.frame_count)[:, None] / clip.rate_hz
    return replace(clip, root_positions_m=clip.root_positions_m - times * velocity_m_s)


def fastest_turns_rad_s(clip: Clip) -> Array:
    """(J,) how fast joints may turn: hardly faster than they ever do in a clip."""
    return FASTER * peak_speeds_rad_s(clip)


def travelling(scene: Scene, contacts: ContactSchedule) -> NDArray[np.bool_]:
    """(F, P) frames at the ends of contacts in which a part still travels.

    It touches, and may carry, but held where it stands later it would drag the swing by centimetres
    and stop the leg within a frame.
    """
    seen = geometry_evidence(scene.state, scene.character, scene.environment, contacts.rate_hz)
    found = np.zeros_like(contacts.touching)
    for column, part in enumerate(contacts.parts):
        if part in seen.parts:
            window = contacts.rate_hz * (LONGEST_TRAVEL_S if part in FEET else LONGEST_ROLL_S)
            touches = contacts.column(part)
            fast = seen.speeds_m_s[:, seen.parts.index(part)] > TRAVELS_M_S
            found[:, column] = touches & ~without_ends(touches, fast, window)
    return found


def _without_short_gaps(contacts: ContactSchedule, scene: Scene) -> ContactSchedule:
    """Contacts as they are held: through gaps too short for a step."""
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
    return replace(contacts, touching=touching, sliding=None)


# Feet on their way from one stance to the next: as they went, but for its first and last moments,
# in which they leave where they now stand, and come to where they will.
WEIGHT = 1.0
"""Of a swinging foot, against the other wishes of the last solve."""
_FORGET_S = 0.3
"""A swing forgets in this time what the stance before moved the foot by."""


def swing_tasks(scene: Scene, paths: Sequence[FootPath], movers: Movers) -> list[Task]:
    """Wishes for ankles and balls of feet between the paths that they have while they touch.

    Two points of a foot, or it would pitch to wherever its ankle is wished to be: feet are light.
    """
    frames, rate = scene.clip.frame_count, scene.clip.rate_hz
    fade = max(1, round(_FORGET_S * rate))
    found: list[Task] = []
    for part in sorted({path.shape.part for path in paths}):
        mine = sorted((p for p in paths if p.shape.part == part), key=lambda p: p.first)
        joint, first, last = mine[0].shape.joint, mine[0], mine[-1]
        for point, offset in (("ankle", ORIGIN), ("ball", mine[0].shape.offsets_m[BALL])):
            places = _places(scene, joint, offset)
            gaps = [
                (p.stop, n.first, _moved(scene, p, -1, offset), _moved(scene, n, 0, offset))
                for p, n in pairwise(mine)
            ]
            start, end = _moved(scene, first, 0, offset), _moved(scene, last, -1, offset)
            gaps.append((first.first - fade, first.first, np.zeros(3), start))
            gaps.append((last.stop, last.stop + fade, end, np.zeros(3)))
            for a, b, before, after in gaps:
                since = np.arange(a, b) - a + 1.0
                # In a swing shorter than that, what one end forgets the other one learns.
                over = min(fade, b - a) + 1.0
                moved = smooth_step(1.0 - since / over)[:, None] * before
                moved += smooth_step(1.0 - (b - a + 1.0 - since) / over)[:, None] * after
                inside = slice(max(a, 0), min(b, frames))
                if inside.start >= inside.stop:
                    continue
                goals = places[inside] + moved[inside.start - a : inside.stop - a]
                name = f"{part} swings from frame {inside.start} ({point})"
                found.append(movers.point(name, joint, offset, inside.start, goals, WISHED, WEIGHT))
    return found


def _places(scene: Scene, joint: int, offset_m: Array) -> Array:
    """(F, 3) of a point that a joint carries."""
    turns = scene.state.rotations_wxyz[:, joint]
    return scene.state.positions_m[:, joint] + rotations.rotate(turns, offset_m)


def _moved(scene: Scene, path: FootPath, end: int, offset_m: Array) -> Array:
    """(3,) how far a stance moves a point of its foot in its first frame (0) or its last (-1).

    A foot that rolls is as steep as captured there, so that all of it moves as what it rolls on.
    """
    shape, frame = path.shape, path.first if end == 0 else path.stop - 1
    if path.posed[end]:
        goal = path.places_m[end] + rotations.rotate(path.turns_wxyz[end], offset_m)
        return goal - _places(scene, shape.joint, offset_m)[frame]
    if path.on_heel[end]:
        return path.heel_m[end] - _places(scene, shape.joint, shape.offsets_m[HEEL])[frame]
    return path.tip_m[end] - _places(scene, shape.toes, shape.offsets_m[TIP])[frame]
