"""What touches, held on the new body: it does not slide, wherever it comes to stand.

Legs of other lengths and hinges with limits do not reach every print. So nothing is asked of a
contact but that it stays where it is and that feet are on the ground; where along the ground
follows from the wishes (`Task.tied`). On slopes, where a place says how high it is, prints are as
the free body has them. Hands and knees that stay come down as far as they can.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from poise import rotations
from poise.arrays import Array
from poise.character import SIDES, SOLE_POINTS, Character, allowed_turn
from poise.constraints import Recruits, Scene, Task
from poise.contact import ContactSchedule, intervals
from poise.environment import Environment, query
from poise.footing import (
    BALL,
    HEEL,
    INNER,
    ORIGIN,
    OUTER,
    TIP,
    WISHED,
    FootPath,
    FootShape,
    Movers,
    Spot,
    Touching,
    ankle_slack_rad,
    clearance_tasks,
    held_longer,
    solve_until_clear,
    spot_task,
    touching,
    with_slides,
    worst_miss,
)
from poise.ik import build, keep_in_range, unsolved, widened
from poise.mechanics import BodyState, forward_kinematics, limbs_of
from poise.motion import Clip
from poise.physics import (
    Clearing,
    PhysicsSolution,
    WholeSettings,
    kinematic,
    nowhere,
    solve_clip,
)

_SETTINGS = replace(
    kinematic(WholeSettings(place=2.0, range=1e4, center=1.0), (1e5, 1e5, 3e6), rounds=0),
    iterations=100,
    gain=1e-3,
)
"""Without further updates of multipliers: stances out of reach, which are eased, would be pressed
upon in vain. Instead the descent goes on for longer: feet that cannot lie flat leave many ways."""
_LEVEL = 0.999
"""Height of a unit normal above which the ground is level."""
_TOUCHED, _ON_EDGE = 10.0, 25.0
"""Weights of a hand or knee that should come down, and of a foot that cannot lie flat, against the
wishes of poses."""
_FOR_A_FOOT = 2
"""Ways that an ankle must turn for its foot to lie flat."""
_FOR_A_ROLL = 3
"""Frames of the shortest stance that rolls."""
_ROLLED = 0.1
"""Weight of how a foot is turned that rolls, against the wishes of poses."""
_EASED = {"point": 0.003, "turn": 0.02}
"""Metres or radians: a stance that is off by more asks for what this body cannot do, and is eased.
"""
_SLIDES_M_S = 0.03
"""The same for points that should stay."""
_BESIDE_M = 0.1
"""How far from where it rolls a foot is held from turning."""
_LOW_M, _TILTED_M = 0.01, 0.01
"""Edges of a tilted sole that are higher than its lowest point by less touch, and what one edge is
above the other by if it is tilted."""
_DEEPEST_M = 0.001
_ROUNDS = 8
"""Most solves, each with tasks for the points that the last one left inside something."""


@dataclass(frozen=True, eq=False)
class Held:
    """A motion whose contacts hold."""

    clip: Clip
    worst_m: float
    """How far the worst of them is off: metres, or metres from frame to frame."""
    worst: str
    """Which."""
    contacts: ContactSchedule
    """As asked for, with what slides."""
    eased: tuple[Eased, ...]
    """Stances that this body cannot do as they are."""


@dataclass(frozen=True, eq=False)
class Eased:
    """A stance on an edge of the foot: what is asked of it instead."""

    path: FootPath
    level: bool
    """Whether the ground is."""


def hold(
    made: Clip, freely: Clip, wishes: Sequence[Task], target: Character, environment: Environment,
    contacts: ContactSchedule, fastest_rad_s: Array | None = None,
) -> Held:  # fmt: skip
    """The nearest motion in which what touches stays, and nothing is inside anything.

    Args:
        made: the motion to stay close to, within the joints' limits.
        freely: where feet would stand: of a body that can turn all its joints.
        wishes: what it should come near to besides.
        target: whose.
        environment: where.
        contacts: what touches when.
        fastest_rad_s: (J,) how fast joints may turn.
    """
    made = hinges_in_range(made)
    scene, movers = Scene(made, target, environment), _movers(target)
    found = _touching(freely, target, environment, contacts)
    told = with_slides(contacts, found.slid)
    spots = [task for spot in found.spots for task in _spot(spot, environment, movers)]
    eased = _cannot_lie_flat(found, target)
    solving = _Solving(scene, tuple(wishes), movers, told, fastest_rad_s)
    stances = _stances(found, eased, environment, movers)
    held = [*spots, *chain(*stances)]
    first: PhysicsSolution | None = solving.solved(solving.tasks(held), None)
    stuck = [
        any(_is_missed(task, first.missed_m, made.rate_hz) for task in stance) for stance in stances
    ]
    if any(s and not line for s, line in zip(stuck, eased, strict=True)):
        first = None  # what it did for stances that it cannot do is nothing to go on from
        eased = [s or line for s, line in zip(stuck, eased, strict=True)]
        stances = _stances(found, eased, environment, movers)
        held = [*spots, *chain(*stances)]
    clip, missed = solving.cleared(held, first)
    return Held(
        clip, *worst_miss(missed), told,
        tuple(
            Eased(path, _is_level(environment, path.ball_m))
            for path, line in zip(found.paths, eased, strict=True)
            if line
        ),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Solving:
    """All that does not change from one solve to the next."""

    scene: Scene
    wishes: tuple[Task, ...]
    movers: Movers
    contacts: ContactSchedule
    fastest_rad_s: Array | None

    def tasks(self, held: Sequence[Task]) -> list[Task]:
        """What is held, the wishes, and what keeps the motion to stay close to out of things."""
        return [*held, *self.wishes, *self.inside(self.scene.state, held)]

    def inside(self, state: BodyState, held: Sequence[Task]) -> list[Task]:
        """Tasks for points that are in the surroundings."""
        return clearance_tasks(self.scene, state, held, self.movers, _DEEPEST_M)

    def solved(self, tasks: Sequence[Task], before: PhysicsSolution | None) -> PhysicsSolution:
        return solve_clip(
            self.scene, tasks, self.contacts, _SETTINGS, fastest_rad_s=self.fastest_rad_s,
            slack_rad=ankle_slack_rad(self.scene.character), start=before,
            asked=nowhere(self.scene.clip.frame_count),
            also=Recruits(self.movers.moves, True), limbs=limbs_apart(self.scene.character),
        )  # fmt: skip

    def cleared(
        self, held: Sequence[Task], first: PhysicsSolution | None
    ) -> tuple[Clip, Mapping[str, float]]:
        """Solve until nothing is inside anything; `first` is the answer before that is known."""

        def inside(made: PhysicsSolution) -> list[Task]:
            return self.inside(forward_kinematics(self.scene.clip.skeleton, *made.pose), held)

        found = solve_until_clear(
            self.tasks(held), lambda tasks, before: self.solved(tasks, before or first), inside,
            _ROUNDS,
        )  # fmt: skip
        roots, turns = found.made.pose
        clip = replace(self.scene.clip, root_positions_m=roots, rotations_wxyz=turns)
        return in_range(clip, self.scene, found.tasks), found.made.missed_m


def limbs_apart(target: Character) -> Clearing:
    """Limbs stay out of each other, whatever they do in the motion to stay close to."""
    return Clearing(limbs_of(target), as_clip=False)


def contact_tasks(
    clip: Clip, target: Character, environment: Environment, contacts: ContactSchedule,
    eased: Sequence[Eased],
) -> tuple[Task, ...]:  # fmt: skip
    """What is asked of everything that touches in a motion of this body.

    Args:
        clip: where feet stand, and which of their points touch.
        target: whose.
        environment: where.
        contacts: what touches when.
        eased: stances that are asked for as they were eased before.
    """
    movers, found = _movers(target), _touching(clip, target, environment, contacts)
    state = forward_kinematics(clip.skeleton, *clip.pose)
    tasks, used = list[Task](), list[Eased]()
    for path, line in zip(found.paths, _cannot_lie_flat(found, target), strict=True):
        before = [each for each in eased if _are_one_stance(each.path, path)]
        if not before:
            level = _is_level(environment, path.ball_m)
            tasks += _stance(path, level, movers, line, _edges(path, state, environment))
        used += [each for each in before if each not in used]
    for spot in found.spots:
        # A foot that lies on its side now is held as it was eased, and not twice.
        if not any(_is_of(spot, each.path) for each in used):
            tasks += _spot(spot, environment, movers)
    for each in used:
        edges = _edges(each.path, state, environment)
        tasks += _stance(each.path, each.level, movers, True, edges)
    return tuple(tasks)


def _are_one_stance(a: FootPath, b: FootPath) -> bool:
    return a.shape.part == b.shape.part and a.first < b.stop and b.first < a.stop


def _is_of(spot: Spot, path: FootPath) -> bool:
    mine = spot.joint in (path.shape.joint, path.shape.toes)
    return mine and spot.first < path.stop and path.first < spot.first + len(spot.goals_m)


Edges = dict[int, NDArray[np.bool_]]
"""(n,) where the `INNER` and the `OUTER` edge touch of a sole that is tilted."""


def _edges(path: FootPath, state: BodyState, environment: Environment) -> Edges:
    """The edges of a foot in a motion, over the frames of its path."""
    shape, frames = path.shape, slice(path.first, path.stop)
    points = (INNER, OUTER, HEEL, TIP)
    joints = [shape.toes if point == TIP else shape.joint for point in points]
    places = state.positions_m[frames][:, joints] + rotations.rotate(
        state.rotations_wxyz[frames][:, joints], shape.offsets_m[list(points)]
    )
    heights = query(environment, places).distances_m
    low = heights <= heights.min(axis=1, keepdims=True) + _LOW_M
    tilted = np.abs(heights[:, 0] - heights[:, 1]) > _TILTED_M
    return {INNER: low[:, 0] & tilted, OUTER: low[:, 1] & tilted}


def _movers(target: Character) -> Movers:
    return Movers(target, target.skeleton.freedoms > 0)


def _touching(
    freely: Clip, target: Character, environment: Environment, contacts: ContactSchedule
) -> Touching:
    longer = replace(contacts, touching=held_longer(contacts.touching), sliding=None)
    return touching(Scene(freely, target, environment), longer, None, target.skeleton.freedoms > 0)


def _stances(
    found: Touching, eased: Sequence[bool], environment: Environment, movers: Movers
) -> list[list[Task]]:
    return [
        _stance(path, _is_level(environment, path.ball_m), movers, line)
        for path, line in zip(found.paths, eased, strict=True)
    ]


def _cannot_lie_flat(found: Touching, target: Character) -> list[bool]:
    return [_ankle_freedoms(target, path.shape) < _FOR_A_FOOT for path in found.paths]


def _is_missed(task: Task, missed: Mapping[str, float], rate_hz: float) -> bool:
    """Whether a body is far from doing what a stance asks of it."""
    off = missed.get(f"{task.kind}: {task.name}", 0.0)
    return off * rate_hz > _SLIDES_M_S if task.tied else off > _EASED[task.kind]


def hinges_in_range(clip: Clip) -> Clip:
    """The same with every hinge within its limits: a machine's stops do not give."""
    skeleton, turns = clip.skeleton, clip.rotations_wxyz.copy()
    for joint, kind in enumerate(skeleton.kinds):
        if kind == "hinge" and np.isfinite(skeleton.limits_rad[joint, 0]).any():
            turns[:, joint] = allowed_turn(skeleton, joint, turns[:, joint], within_limits=True)
    return replace(clip, rotations_wxyz=turns)


def in_range(clip: Clip, scene: Scene, tasks: Sequence[Task]) -> Clip:
    """Within the joints' limits to the last digit, or as far beyond as it was at the start."""
    turning = Recruits(scene.character.skeleton.freedoms > 0, True)
    untied = [replace(task, tied=False) for task in tasks]
    problem = build(replace(scene, clip=clip), untied, also=turning)
    before, slack = scene.clip.rotations_wxyz, ankle_slack_rad(scene.character)
    problem = replace(problem, limits=widened(problem.limits, problem.blocks, before, slack))
    solution = unsolved(problem)
    keep_in_range(problem, solution, 0, clip.frame_count - 1)
    return hinges_in_range(replace(clip, rotations_wxyz=solution.rotations_wxyz))


def _stance(
    path: FootPath, level: bool, movers: Movers, line: bool, edges: Edges | None = None
) -> list[Task]:
    """A foot from heel strike to toe-off: what is down does not move over the ground.

    Where one phase follows another, their points are held through the frame between, so that a foot
    rolls from one to the next and does not jump. A foot on a `line` cannot lie flat: heel and tip
    stay, and come down as far as they can. Where it is known to be tilted, it rolls over an edge.
    """
    shape, start = path.shape, path.first
    found: list[Task] = []
    path = _settled(path)
    heel, tip = (_into(phase, path.posed) for phase in (path.on_heel, path.on_tip))
    ball = np.zeros_like(tip)
    if line:
        heel |= path.posed
        toes = ball if shape.toes != shape.joint else tip
        toes |= path.posed
    for a, b in intervals(heel):
        name = f"{shape.part}'s heel stays from frame {start + a}"
        point = movers.point(name, shape.joint, shape.offsets_m[HEEL], start + a, path.heel_m[a:b])
        found += _down(point, level, _ON_EDGE if line else None)
    for a, b in intervals(tip):
        name = f"{shape.part}'s tip stays from frame {start + a}"
        point = movers.point(name, shape.toes, shape.offsets_m[TIP], start + a, path.tip_m[a:b])
        found += _down(point, level, _ON_EDGE if line else None)
    for a, b in intervals(ball):
        name = f"{shape.part}'s ball stays from frame {start + a}"
        point = movers.point(name, shape.joint, shape.offsets_m[BALL], start + a, path.ball_m[a:b])
        found += _down(point, level, _ON_EDGE)
    if not line:
        for a, b in intervals(path.posed):
            name = f"{shape.part} stands from frame {start + a}"
            point = movers.point(name, shape.joint, ORIGIN, start + a, path.places_m[a:b])
            found += _down(point, level)
            found.append(movers.turn(name, shape.joint, start + a, path.turns_wxyz[a:b]))
        for a, b in intervals(path.toes_flat):
            name = f"{shape.part}'s toes are flat from frame {start + a}"
            found.append(movers.turn(name, shape.toes, start + a, path.toes_wxyz[a:b]))
    for phase, pivot, places in (
        (path.on_heel, HEEL, path.heel_m),
        (path.on_tip, TIP, path.tip_m),
    ):
        phase = _into(phase, path.posed)
        level_sole = phase
        if edges is not None and shape.toes == shape.joint:
            found += _on_edges(path, phase, edges, movers)
            level_sole = _until_next(phase & ~(edges[INNER] | edges[OUTER]), phase)
        found += _unturned(path, level_sole, pivot, places, movers)
    for a, b in intervals(path.on_heel | path.on_tip):
        name = f"{shape.part} rolls from frame {start + a}"
        turn = movers.turn(name, shape.joint, start + a, path.turns_wxyz[a:b], WISHED)
        found.append(replace(turn, weight=_ROLLED))
    return found


def _unturned(
    path: FootPath, phase: NDArray[np.bool_], pivot: int, places_m: Array, movers: Movers
) -> list[Task]:
    """A sole rolls over an edge: a point beside the pivot stays, too, to the outside."""
    shape, start = path.shape, path.first
    outward = 1.0 if shape.part.startswith("left") else -1.0
    beside, joint = outward * _BESIDE_M * shape.left, shape.joint
    across = beside
    if pivot == TIP and shape.toes != shape.joint:
        joint = shape.toes
        across = rotations.rotate(rotations.conjugate(shape.toes_wxyz), beside)
    found: list[Task] = []
    for a, b in intervals(phase):
        name = f"{shape.part} does not turn from frame {start + a}"
        turns = path.turns_wxyz[a:b] if joint == shape.joint else path.turns_wxyz[a]
        goals = places_m[a:b] + rotations.rotate(turns, beside)
        point = movers.point(name, joint, shape.offsets_m[pivot] + across, start + a, goals)
        found.append(replace(point, axes=(True, False, True), tied=True))
    return found


def _on_edges(path: FootPath, phase: NDArray[np.bool_], edges: Edges, movers: Movers) -> list[Task]:
    """A tilted sole that rolls stays on the edge that touches."""
    shape, start = path.shape, path.first
    found: list[Task] = []
    for edge, low in edges.items():
        for a, b in intervals(_until_next(phase & low, phase)):
            name = f"{shape.part}'s {SOLE_POINTS[edge]} stays from frame {start + a}"
            goals = np.repeat(path.ball_m[a : a + 1], b - a, axis=0)
            point = movers.point(name, shape.joint, shape.offsets_m[edge], start + a, goals)
            found.append(replace(point, axes=(True, False, True), tied=True))
    return found


def _settled(path: FootPath) -> FootPath:
    """A foot that comes down on its heel has it there in the frame that it is held longer, too."""
    if path.stop - path.first < _FOR_A_ROLL:
        return path
    heel, tip = path.on_heel.copy(), path.on_tip.copy()
    for end, beside in ((0, 1), (-1, -2)):
        if tip[end] and heel[beside]:
            heel[end], tip[end] = True, False
    return replace(path, on_heel=heel, on_tip=tip)


def _into(phase: NDArray[np.bool_], beside: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """A phase with the frames of another one that it borders on."""
    longer = phase.copy()
    longer[1:] |= phase[:-1] & beside[1:]
    longer[:-1] |= phase[1:] & beside[:-1]
    return longer


def _until_next(part: NDArray[np.bool_], whole: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Parts of a phase, each into the frame in which the next has begun: nothing slides between."""
    longer = part.copy()
    longer[1:] |= part[:-1] & whole[1:]
    return longer


def _down(point: Task, level: bool, wish: float | None = None) -> list[Task]:
    """A point on level ground: how high it is, and that it stays.

    With a weight, it comes down as far as it can: a foot that tilts stands on an edge.
    """
    if not level:
        return [point]
    over = (point.axes[0], False, point.axes[2])
    up = replace(point, name=f"{point.name}, up", axes=(False, True, False))
    if wish is not None:
        up = replace(up, priority=WISHED, weight=wish)
    return [up, replace(point, axes=over, tied=True)]


def _spot(spot: Spot, environment: Environment, movers: Movers) -> list[Task]:
    """Where a hand or a knee touches: what stays there comes down if it can, and does not slide.

    A part that may slide, or stands on no level ground, is held at its height (or on its place):
    as a wish, too, bodies that lie kept their shape less well.
    """
    task = spot_task(spot, movers)
    sideways = task.axes[0] or task.axes[2]
    if not task.axes[1] or not sideways or not _is_level(environment, spot.goals_m):
        return [task]
    return _down(task, True, _TOUCHED)


def _is_level(environment: Environment, places_m: Array) -> bool:
    return bool((query(environment, places_m[:, None]).normals[..., 1] > _LEVEL).all())


def _ankle_freedoms(target: Character, foot: FootShape) -> int:
    assert target.roles is not None
    skeleton = target.skeleton
    knees = {skeleton.index(target.roles.joint(f"{side}_knee")) for side in SIDES}
    count = 0
    for joint in skeleton.ancestors(foot.joint):
        if joint in knees:
            break
        count += int(skeleton.freedoms[joint])
    return count
