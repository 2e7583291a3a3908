"""What touches, as tasks that hold exactly: feet on their prints, other parts on their spots."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from poise import rotations
from poise.arrays import Array
from poise.character import SOLE_POINTS, Character, Sites, contact_points, contact_radii_m
from poise.constraints import EVERYTHING, Recruits, Scene, Task, recruits_of_point, recruits_of_turn
from poise.contact import ContactSchedule, foot_motion, foot_sites, intervals, sole_heights_m
from poise.environment import Environment, query
from poise.footing.foot_path import FootPath, foot_path, touching_sole
from poise.footing.foot_shape import (
    BALL,
    HEEL,
    INNER,
    OUTER,
    TIP,
    FootShape,
    foot_shapes,
    in_one_piece,
)
from poise.mechanics import site_positions
from poise.motion import Clip

ANKLE_SLACK_RAD = float(np.radians(15.0))
"""Soles are known to a few centimetres, and so is how an ankle is bent when they are flat."""


def ankle_slack_rad(character: Character) -> Array:
    """(J,) zero but for the joints of feet that have to stand flat.

    The stops of a machine are known exactly: its hinges go no further.
    """
    found = np.zeros(character.skeleton.joint_count)
    if "hinge" in character.skeleton.kinds:
        return found
    for shape in foot_shapes(character):
        found[[shape.joint, shape.toes]] = ANKLE_SLACK_RAD
    return found


RIGID_DEG = 0.5
"""A joint that never turns by more is a bone that the skeleton has cut in two."""


def moving_joints(clip: Clip) -> NDArray[np.bool_]:
    """(J,) joints that turn at all in a clip."""
    turns = clip.rotations_wxyz
    return rotations.angle_between(turns, turns[:1]).max(axis=0) > np.radians(RIGID_DEG)


ORIGIN = np.zeros(3)
LEAST_UPRIGHT = -0.2
"""Height of a unit arrow out of the instep, above which the foot stands on its sole: dancers' heels
go up by ninety degrees."""
_TURNED_OVER_S = 0.5
"""Feet that touch with something else than their soles do so for longer."""
WISHED = 2
"""Priority of what does not have to hold: how a foot is turned that stands on its heel or tip."""


@dataclass(frozen=True, eq=False)
class Movers:
    """Makes tasks that only recruit joints which the clip itself moves."""

    character: Character
    moves: NDArray[np.bool_]
    """(J,) joints that are not rigid in the clip: bones without a joint of their own are."""

    def point(
        self, name: str, joint: int, offset_m: Array, first: int, goals_m: Array,
        priority: int = 1, weight: float = 1.0,
        axes: tuple[bool, bool, bool] = (True, True, True), side: int = 0,
    ) -> Task:  # fmt: skip
        """A point of a joint is at a place."""
        found = recruits_of_point(self.character, joint, offset_m, EVERYTHING)
        recruits = Recruits(found.joints & self.moves, found.translation)
        return Task(
            name, "point", first, goals_m, recruits, priority, weight, joint=joint,
            offset_m=offset_m, axes=axes, side=side,
        )  # fmt: skip

    def turn(self, name: str, joint: int, first: int, goals_wxyz: Array, priority: int = 1) -> Task:
        """A joint is turned so, in the world."""
        found = recruits_of_turn(self.character, joint, EVERYTHING)
        return Task(
            name, "turn", first, goals_wxyz, Recruits(found.joints & self.moves, False), priority,
            joint=joint,
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Touching:
    """What touches: soles on their paths, everything else on spots."""

    paths: tuple[FootPath, ...]
    spots: tuple[Spot, ...]
    slid: dict[str, NDArray[np.bool_]]
    """(F,) for every part where it slides."""


def contact_tasks(
    scene: Scene, contacts: ContactSchedule, slides: ContactSchedule | None, movers: Movers,
    *, pitched: bool = False,
) -> tuple[list[Task], tuple[FootPath, ...], dict[str, NDArray[np.bool_]]]:  # fmt: skip
    """Tasks of everything that touches, paths of feet, and (F,) for every part where it slides.

    Feet that roll are `pitched` as captured, or as the solve likes.
    """
    found = touching(scene, contacts, slides, movers.moves)
    tasks = [task for path in found.paths for task in _foot_tasks(path, movers, pitched)]
    tasks += [spot_task(spot, movers) for spot in found.spots]
    return tasks, found.paths, found.slid


def held_longer(touching: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Contacts (F, P) held a frame before and after: at their ends, too, they have no speed."""
    longer = touching.copy()
    longer[1:] |= touching[:-1]
    longer[:-1] |= touching[1:]
    return longer


def with_slides(
    contacts: ContactSchedule, slid: Mapping[str, NDArray[np.bool_]]
) -> ContactSchedule:
    """Contacts with what `touching` found to slide, by part."""
    sliding = np.zeros_like(contacts.touching)
    for column, part in enumerate(contacts.parts):
        sliding[:, column] = slid[part] & contacts.column(part)
    return replace(contacts, sliding=sliding if sliding.any() else None)


_FOOT_M = 0.2
"""How far a foot's end goes when it turns by a radian."""


def worst_miss(missed: Mapping[str, float]) -> tuple[float, str]:
    """How far the worst of tasks is missed in metres (turns: at a foot's end), and which it is."""
    off = {
        name: miss * (_FOOT_M if name.startswith("turn") else 1.0) for name, miss in missed.items()
    }
    name = max(off, key=off.__getitem__, default="")
    return off.get(name, 0.0), name.partition(": ")[2]


def spot_task(spot: Spot, movers: Movers) -> Task:
    """A point stays on its spot."""
    name = f"{spot.point} touches from frame {spot.first}"
    return movers.point(
        name, spot.joint, spot.offset_m, spot.first, spot.goals_m, axes=spot.axes
    )  # fmt: skip


def touching(
    scene: Scene, contacts: ContactSchedule, slides: ContactSchedule | None,
    moves: NDArray[np.bool_],
) -> Touching:  # fmt: skip
    """Where everything that touches is to be, and what slides besides what is known to.

    `moves` (J,) are the joints that are not rigid.
    """
    character, environment, rate = scene.character, scene.environment, scene.clip.rate_hz
    state, points, radii = scene.state, contact_points(character), contact_radii_m(character)
    never = np.zeros(contacts.frame_count, dtype=np.bool_)
    paths: list[FootPath] = []
    spots: list[Spot] = []
    slid = {part: never.copy() for part in contacts.parts}
    shapes = {
        shape.part: shape if moves[shape.toes] else in_one_piece(shape, state)
        for shape in foot_shapes(character)
    }
    feet = foot_motion(state, foot_sites(points), rate, environment) if shapes else None
    for part, sites in points.items():
        touches = contacts.column(part)
        if not touches.any():
            continue
        sliding = never if slides is None else slides.column(part)
        places = site_positions(state, sites)
        if part in shapes and feet is not None:
            shape = shapes[part]
            columns = [feet.motion.names.index(name) for name in sites.names]
            turns = state.rotations_wxyz[:, shape.joint]
            on_sole = _on_soles(shape, turns, touches, rate)
            flags = touching_sole(on_sole, sole_heights_m(feet, sites.names), shape, rate)
            speeds = feet.motion.speeds_m_s[:, columns]
            for first, stop in intervals(on_sole):
                path = foot_path(
                    shape, turns, state.rotations_wxyz[:, shape.toes], places, flags, speeds,
                    sliding, environment, first, stop, rate,
                )  # fmt: skip
                paths.append(path)
                slid[part][first:stop] = ~path.static
            touches = touches & ~on_sole
        for spot in spots_of(
            sites, places, radii[part], touches, sliding, environment, rate,
            pinned=part.endswith(("_hand", "_foot")),
        ):  # fmt: skip
            slid[part][spot.first : spot.first + len(spot.goals_m)] = spot.slides
            spots.append(spot)
    return Touching(tuple(paths), tuple(spots), slid)


def _on_soles(
    shape: FootShape, turns_wxyz: Array, touches: NDArray[np.bool_], rate_hz: float
) -> NDArray[np.bool_]:
    """(F,) where a foot touches with its sole; who lies or kneels touches with toes or instep."""
    upright = rotations.rotate(turns_wxyz, shape.axes[:, 2])[:, 1] > LEAST_UPRIGHT
    found = touches & upright
    for first, stop in intervals(touches & ~upright):
        # A heel that goes up far at the end of a step is still part of it.
        if stop - first < _TURNED_OVER_S * rate_hz:
            found[first:stop] = True
    return found


def _foot_tasks(path: FootPath, movers: Movers, pitched: bool) -> list[Task]:
    shape, start, found = path.shape, path.first, list[Task]()
    flat, toes_flat = path.posed & path.flat, path.toes_flat
    if pitched:
        balls = np.asarray(path.touching[:, BALL:TIP].any(axis=1))
        flat, toes_flat = path.posed, balls & (shape.toes != shape.joint)
    for a, b in intervals(flat):
        name = f"{shape.part} stands from frame {start + a}"
        found.append(movers.point(name, shape.joint, ORIGIN, start + a, path.places_m[a:b]))
        found.append(movers.turn(name, shape.joint, start + a, path.turns_wxyz[a:b]))
    for points, frames in _rolling_points(path, path.posed & ~flat):
        for a, b in intervals(frames):
            name = f"{shape.part} rolls from frame {start + a}"
            for point in points:
                offset = shape.offsets_m[point]
                goals = path.places_m[a:b] + rotations.rotate(path.turns_wxyz[a:b], offset)
                named = f"{name} on its {SOLE_POINTS[point]}"
                found.append(movers.point(named, shape.joint, offset, start + a, goals))
            found.append(movers.turn(name, shape.joint, start + a, path.turns_wxyz[a:b], WISHED))
    for a, b in intervals(path.on_heel):
        name = f"{shape.part}'s heel stays from frame {start + a}"
        offset = shape.offsets_m[HEEL]
        found.append(movers.point(name, shape.joint, offset, start + a, path.heel_m[a:b]))
        found.append(movers.turn(name, shape.joint, start + a, path.turns_wxyz[a:b], WISHED))
    for a, b in intervals(toes_flat):
        name = f"{shape.part}'s toes are flat from frame {start + a}"
        found.append(movers.turn(name, shape.toes, start + a, path.toes_wxyz[a:b]))
    for a, b in intervals(path.on_tip):
        name = f"{shape.part}'s tip stays from frame {start + a}"
        # Two ends of an axis across the toes: about a single point the heel would swing sideways.
        in_world = rotations.rotate(path.turns_wxyz[a:b], shape.left)
        across = rotations.rotate(rotations.conjugate(path.toes_wxyz[a]), in_world[0])
        for half_m, side in ((TIP_HALF_M, "left"), (-TIP_HALF_M, "right")):
            offset = shape.offsets_m[TIP] + half_m * across
            goals = path.tip_m[a:b] + half_m * in_world
            named = f"{name}, {side} end"
            found.append(movers.point(named, shape.toes, offset, start + a, goals))
        found.append(movers.turn(name, shape.joint, start + a, path.turns_wxyz[a:b], WISHED))
    return found


def _rolling_points(
    path: FootPath, rolls: NDArray[np.bool_]
) -> list[tuple[tuple[int, ...], NDArray[np.bool_]]]:
    """Sets of points that a foot stays on while it `rolls` (n,), and (n,) the frames of each.

    How steep it is meanwhile is left to the solve: a pitch that was written down beforehand would
    stop and start knees within a frame.
    """
    heel, inner, outer = (path.touching[:, point] for point in (HEEL, INNER, OUTER))
    on_edge = rolls & (inner != outer)
    found: list[tuple[tuple[int, ...], NDArray[np.bool_]]] = [((INNER, OUTER), rolls & ~on_edge)]
    for edge, touches in ((INNER, inner), (OUTER, outer)):
        found += [
            ((HEEL, edge), on_edge & touches & heel),
            ((edge,), on_edge & touches & ~heel),
        ]
    return found


TIP_HALF_M = 0.02
"""Half the width of the toes, about whose end a foot rolls."""
LARGEST_TRAVEL_M = 0.08
"""What travels further while it touches slides or rolls."""
SLOW_M_S = 0.3


@dataclass(frozen=True, eq=False)
class Spot:
    """A point of a body part on a surface over consecutive frames."""

    point: str
    joint: int
    offset_m: Array
    first: int
    goals_m: Array
    """(n, 3)"""
    axes: tuple[bool, bool, bool]
    """All of them where it is pinned; else the one that is nearest to the normal."""
    slides: bool
    """Whether it moves along the surface."""


def spots_of(
    sites: Sites,
    places_m: Array,
    radius_m: float,
    touches: NDArray[np.bool_],
    slides: NDArray[np.bool_],
    environment: Environment,
    rate_hz: float,
    *,
    pinned: bool = True,
) -> list[Spot]:
    """The spots of one part, whose points are at (F, S, 3) and `radius_m` under the skin.

    Hands stay where they are put, unless they slide: they are `pinned`. Knees, hips and shoulders
    are balls of flesh that roll as they carry, and two of them on one bone could not both stay:
    they keep to the surface only.
    """
    found: list[Spot] = []
    for first, stop in intervals(touches):
        frames = slice(first, stop)
        near = query(environment, places_m[frames])
        point = int(near.distances_m.mean(axis=0).argmin())
        path, normals = places_m[frames, point], near.normals[:, point]
        on = path - (near.distances_m[:, point] - radius_m)[:, None] * normals
        speeds = _speeds(places_m[:, point], rate_hz)[frames]
        slow = 1e-3 + np.exp(-((speeds / SLOW_M_S) ** 2))
        middle = (slow[:, None] * on).sum(axis=0) / slow.sum()
        away = np.linalg.norm(on - middle, axis=1)
        still = not slides[frames].any() and float(away.max()) <= LARGEST_TRAVEL_M
        if still and pinned:
            there = query(environment, middle)
            middle = middle - (there.distances_m - radius_m) * there.normals
            goals = np.repeat(middle[None], stop - first, axis=0)
            axes = (True, True, True)
        else:
            goals = on
            axis = int(np.abs(normals.mean(axis=0)).argmax())
            axes = (axis == 0, axis == 1, axis == 2)
        name, joint = sites.names[point], int(sites.joints[point])
        found.append(Spot(name, joint, sites.offsets_m[point], first, goals, axes, not still))
    return found


def _speeds(path: Array, rate_hz: float) -> Array:
    if len(path) < 2:
        return np.zeros(len(path))
    return np.asarray(np.linalg.norm(np.gradient(path, axis=0) * rate_hz, axis=1))
