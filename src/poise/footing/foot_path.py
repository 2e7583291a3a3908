"""The path of a foot while it touches: flat on its print, rolling over heel and toes.

While heel and ball touch, the foot is flat. While only one of them does, it rolls about it, by as
much as the captured foot pitches; a foot on its edge rolls about that, and one that leaves rolls
over the tip of its toes. No touching point of a standing foot moves along the surface, and none is
above or below it, by construction. A foot that turns on its ball has its place, and its captured
heading.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d

from poise import rotations
from poise.arrays import Array
from poise.contact import intervals, without_blinks
from poise.environment import Environment, query
from poise.footing.foot_shape import (
    BALL,
    HEEL,
    INNER,
    OUTER,
    TIP,
    FootShape,
    out_of_the_ground,
)
from poise.footing.footprints import (
    LARGEST_MISS_M,
    SLID_M,
    Placed,
    Stretch,
    placed_at,
    points_of,
    stretches_of,
    weights_of,
)
from poise.motion import smooth_step

LIFTED_M = 0.012
"""A point of a touching foot that is higher than its lowest by this much has left the ground."""
BALL_LIFTED_M = 0.01
"""The same for the ball over the tip of the toes: feet leave by rolling over it, and a ball that is
held down longer takes the whole body with it."""
HEEL_UP_M = 0.025
"""Height of the heel over the ball from which on a foot may roll over the tip of its toes."""
LONGEST_ROLL_S = 0.25
"""Rolling over the tip takes less; who stays on the toes for longer stands on the ball,"""
ON_TIP_M = 0.04
"""unless that is higher over its own level: shoes can stand on their tips (golfers finish so)."""
SHORTEST_S = 0.04
"""Points do not touch, or leave, for less."""
_EASE_S = 0.012
"""Rolling begins and ends over about this time."""
_NEARLY_FLAT_RAD = 0.07
"""Pitch of a foot on its heel whose ball is nearly down, by a centimetre or so."""
_FORGET_S = 0.1
"""A foot that rolls is as steep as captured after about this time."""
_WAY_S = 0.06
"""Half the time in which a foot goes from one print to the next while it touches."""
_AWAY_M = 0.03
"""Half of the points of a foot that is on its print are nearer to where it has them."""
_PIVOT_M = 0.05
"""A ball that travels less from the middle of its way stays there, and the foot turns on it."""
_TOES_UP_RAD = 1.0
"""Toes of a standing foot point up by no more."""
_SLIDE_S = 0.03
"""Sliding feet are smoothed over this time."""


@dataclass(frozen=True, eq=False)
class FootPath:
    """Where a foot has to be over consecutive frames."""

    shape: FootShape
    first: int
    stop: int
    places_m: Array
    """(n, 3) of the foot's joint."""
    turns_wxyz: Array
    """(n, 4) of the foot's joint, in the world."""
    toes_wxyz: Array
    """(n, 4) of the toes' joint, in the world, while the ball touches."""
    posed: NDArray[np.bool_]
    """(n,) the ball touches, or heel and ball."""
    flat: NDArray[np.bool_]
    """(n,) heel and ball touch, or nearly: the foot has a pose. It rolls elsewhere."""
    touching: NDArray[np.bool_]
    """(n, 5) points that touch."""
    on_heel: NDArray[np.bool_]
    """(n,) only the heel touches: it has a place, and the foot turns about it."""
    heel_m: Array
    """(n, 3) where it is then."""
    toes_flat: NDArray[np.bool_]
    """(n,) the foot stands, flat or on its ball: the toes have a pose, too. While it rolls off,
    they bend as they like."""
    on_tip: NDArray[np.bool_]
    """(n,) only the tip touches: it has a place, and the foot turns about it."""
    tip_m: Array
    """(n, 3) where it is then."""
    ball_m: Array
    """(n, 3) where the ball is, or was, in the print."""
    static: NDArray[np.bool_]
    """(n,) it stands; it slides along the surface elsewhere."""


def touching_sole(
    touches: NDArray[np.bool_],
    heights_m: Array,
    shape: FootShape,
    rate_hz: float,
) -> NDArray[np.bool_]:
    """(F, 5) which points of a touching foot touch: those about as low as its lowest.

    Heights (F, 5) are those of `sole_heights_m`.
    """
    heel_up = heights_m[:, HEEL] > heights_m[:, BALL] + HEEL_UP_M
    balls_up = (heights_m[:, BALL:TIP] > heights_m[:, [TIP]] + BALL_LIFTED_M).all(axis=1)
    rolls = np.asarray(touches & heel_up & balls_up)
    for first, stop in intervals(rolls):
        if np.median(heights_m[first:stop, BALL]) > ON_TIP_M:
            continue
        if stop - first > LONGEST_ROLL_S * rate_hz:
            rolls[first:stop] = False
    # Toes press and hover; their tip counts where the foot rolls over it.
    heights = heights_m.copy()
    heights[~rolls, TIP] = np.maximum(heights_m[:, TIP], heights_m[:, BALL])[~rolls]
    low = heights - heights.min(axis=1, keepdims=True) < LIFTED_M
    low[:, BALL:TIP] &= ~rolls[:, None]
    shortest = max(2, round(SHORTEST_S * rate_hz))
    groups = (low[:, HEEL], low[:, BALL] | (low[:, INNER] & low[:, OUTER]), low[:, INNER],
              low[:, OUTER], low[:, TIP])  # fmt: skip
    flags = np.stack([without_blinks(g & touches, shortest) & touches for g in groups], axis=1)
    if shape.toes == shape.joint:
        # A foot that does not bend rolls about its tip.
        flags[:, BALL:TIP] &= flags[:, [HEEL]]
    flags[:, TIP] |= touches & ~flags.any(axis=1)
    return flags


def foot_path(
    shape: FootShape,
    turns_wxyz: Array,
    toes_wxyz: Array,
    points_m: Array,
    flags: NDArray[np.bool_],
    speeds_m_s: Array,
    slides: NDArray[np.bool_],
    environment: Environment,
    first: int,
    stop: int,
    rate_hz: float,
) -> FootPath:
    """The path over one stance, from frame `first` to before `stop`.

    Turns (F, 4) of its joint and of its toes in the world, points (F, 5, 3) of its sole, flags
    (F, 5) from `touching_sole`, speeds (F, 5), and whether it is known to slide (F,) are those of
    all frames.
    """
    frames = slice(first, stop)
    touching = flags[frames]
    normal = _normal(points_m[frames], touching, environment)
    tangents = _tangents(normal)
    seen = points_m[frames] @ tangents.T
    weights = weights_of(touching, speeds_m_s[frames])
    stretches = _stretches(shape, seen, weights, slides[frames], rate_hz)
    ball, turn, static = _placing(shape, seen, stretches, rate_hz)
    forward = np.cos(turn)[:, None] * tangents[0] + np.sin(turn)[:, None] * tangents[1]
    left = np.asarray(np.cross(normal, forward), dtype=np.float64)
    world = np.stack([forward, left, np.broadcast_to(normal, forward.shape)], axis=2)
    headed = rotations.from_matrix(world @ shape.axes.T)
    touched = np.asarray(touching.any(axis=0))
    level = float(np.median((points_m[frames][:, touched] @ normal).min(axis=1)))
    prints = _prints(
        shape, forward, left, ball, tangents, level * normal, normal, touched, environment
    )
    pitch, roll = _rolling(shape, normal, turns_wxyz[frames], touching, rate_hz)
    tilted = rotations.from_axis_angle(shape.axes[:, 0], roll)
    rolled = rotations.multiply(tilted, rotations.from_axis_angle(shape.left, pitch))
    turns = rotations.multiply(headed, rolled)
    places = _on_lowest(shape, rolled, turns, prints)
    phases = _phases(touching, pitch)
    flat = phases.flat & phases.balls
    bent = _toes_as_they_stand(
        shape, turns_wxyz[frames], toes_wxyz[frames], flat if flat.any() else phases.posed
    )
    toes = rotations.multiply(rotations.multiply(headed, tilted), bent)
    stands = flat.copy()
    for a, b in intervals(phases.balls & ~flat):
        # Who never stands flat runs on the balls of the feet.
        stands[a:b] = b - a > LONGEST_ROLL_S * rate_hz or not flat.any()
    bends = shape.toes != shape.joint
    known = phases.balls if bends else phases.posed
    tip = _tip_places(shape, prints, places, turns, toes, known, phases.on_tip)
    return FootPath(
        shape, first, stop, places, turns, toes, phases.posed, phases.flat, touching,
        phases.on_heel, prints[:, HEEL], stands & bends, phases.on_tip, tip, prints[:, BALL],
        static,
    )  # fmt: skip


class _Phases(NamedTuple):
    """What a foot stands on, each (n,)."""

    balls: NDArray[np.bool_]
    """Its ball touches, or an edge of it."""
    posed: NDArray[np.bool_]
    """The same, or its ball is nearly down."""
    flat: NDArray[np.bool_]
    """So does, or is, its heel, and no edge alone."""
    on_heel: NDArray[np.bool_]
    on_tip: NDArray[np.bool_]


def _phases(touching: NDArray[np.bool_], pitch: Array) -> _Phases:
    heel, balls = touching[:, HEEL], np.asarray(touching[:, BALL:TIP].any(axis=1))
    # A ball that is nearly down comes down where it will stand.
    landing = heel & ~balls & (np.abs(pitch) < _NEARLY_FLAT_RAD)
    posed = balls | landing
    flat = (heel & balls & (touching[:, INNER] == touching[:, OUTER])) | landing
    on_heel = heel & ~posed
    return _Phases(balls, posed, flat, on_heel, touching[:, TIP] & ~posed & ~on_heel)


def _normal(points: Array, touching: NDArray[np.bool_], environment: Environment) -> Array:
    """(3,) out of the surface that a foot stands on: that next to most points (n, 5, 3) that touch.

    Next to others there may be another one: the floor below toes whose heel is on a rung, the leg
    of a chair beside a heel.
    """
    near = query(environment, points)
    which = near.surfaces[touching]
    normal = near.normals[touching][which == np.bincount(which).argmax()].mean(axis=0)
    return np.asarray(normal / np.linalg.norm(normal))


def _tangents(normal: Array) -> Array:
    """(2, 3) across the normal, so that first × second = normal."""
    first = np.array([1.0, 0.0, 0.0]) if abs(normal[0]) < 0.9 else np.array([0.0, 0.0, 1.0])
    first = first - (first @ normal) * normal
    first /= np.linalg.norm(first)
    return np.stack([first, np.cross(normal, first)])


def _stretches(
    shape: FootShape, seen: Array, weights: Array, slides: NDArray[np.bool_], rate_hz: float
) -> list[Stretch]:
    """Standing and sliding of one stance, frames counted from its first.

    A foot that stays within its print does not slide, however fast its points seem to be: soles
    are known to centimetres only.
    """
    largest = SLID_M if slides.any() else LARGEST_MISS_M
    whole = stretches_of(shape, seen, weights, 0, rate_hz, largest)
    if len(whole) == 1 and whole[0].placed is not None:
        return whole
    found: list[Stretch] = []
    for value in (False, True):
        for a, b in intervals(slides == value):
            if value:
                found.append(Stretch(a, b, None))
            else:
                found += stretches_of(shape, seen[a:b], weights[a:b], a, rate_hz, largest)
    found.sort(key=lambda stretch: stretch.first)
    return _with_ways_between(shape, seen, found, max(2, round(_WAY_S * rate_hz)))


def _with_ways_between(
    shape: FootShape, seen: Array, stretches: list[Stretch], half: int
) -> list[Stretch]:
    """From one print to the next a foot slides, for as long as it is away from both.

    Slides that meet are joined, and a rest too short to be one is part of them.
    """
    cut: list[Stretch] = []
    for stretch in stretches:
        if cut and cut[-1].placed is not None and stretch.placed is not None:
            before, at = cut[-1], stretch.first
            a = _leaves(shape, seen, before, max(before.first + 1, at - half))
            b = _arrives(shape, seen, stretch, min(stretch.stop - 1, at + half))
            cut[-1] = replace(before, stop=a)
            cut.append(Stretch(a, b, None))
            stretch = replace(stretch, first=b)
        cut.append(stretch)
    found: list[Stretch] = []
    for stretch in cut:
        if stretch.stop - stretch.first < half:
            stretch = replace(stretch, placed=None)
        if found and found[-1].placed is None and stretch.placed is None:
            found[-1] = replace(found[-1], stop=stretch.stop)
        else:
            found.append(stretch)
    return found


def _leaves(shape: FootShape, seen: Array, stretch: Stretch, frame: int) -> int:
    """The frame, `frame` at the latest, from which on a foot is away from its print."""
    while frame > (stretch.first + stretch.stop) // 2 and _is_away(shape, seen[frame], stretch):
        frame -= 1
    return max(frame, stretch.first + 1)


def _arrives(shape: FootShape, seen: Array, stretch: Stretch, frame: int) -> int:
    """The frame, `frame` at the earliest, from which on a foot is at its print."""
    while frame < (stretch.first + stretch.stop) // 2 and _is_away(shape, seen[frame], stretch):
        frame += 1
    return min(frame, stretch.stop - 1)


def _is_away(shape: FootShape, seen: Array, stretch: Stretch) -> bool:
    assert stretch.placed is not None
    away = np.linalg.norm(seen - points_of(shape, stretch.placed), axis=-1)
    return bool(np.median(away) > _AWAY_M)


def _placing(
    shape: FootShape, seen: Array, stretches: list[Stretch], rate_hz: float
) -> tuple[Array, Array, NDArray[np.bool_]]:
    """(n, 2) ball and (n,) heading in the tangent plane; (n,) whether the foot stands."""
    count = len(seen)
    poses = np.empty((count, 3))
    static = np.zeros(count, dtype=np.bool_)
    even = np.ones((1, 5))
    sliding = [s for s in stretches if s.placed is None]
    for stretch in stretches:
        if stretch.placed is not None:
            poses[stretch.first : stretch.stop] = (*stretch.placed.ball_m, stretch.placed.turn_rad)
            static[stretch.first : stretch.stop] = True
    for stretch in sliding:
        a, b = stretch.first, stretch.stop
        own = np.array([_numbers(placed_at(shape, seen[[f]], even)) for f in range(a, b)])
        own[:, 2] = np.unwrap(own[:, 2])
        own = gaussian_filter1d(own, _SLIDE_S * rate_hz, axis=0, mode="nearest")
        middle = own[:, :2].mean(axis=0)
        if np.linalg.norm(own[:, :2] - middle, axis=1).max() < _PIVOT_M:
            own[:, :2] = middle
        share = (np.arange(b - a) + 1.0) / (b - a + 1.0)
        before = _gap(poses[a - 1], own[0]) if a > 0 else None
        after = _gap(poses[b], own[-1]) if b < count else None
        if before is None:
            before = after
        if after is None:
            after = before
        if before is not None and after is not None:
            eased = smooth_step(share)[:, None]
            own = own + (1.0 - eased) * before + eased * after
        poses[a:b] = own
    return poses[:, :2], poses[:, 2], static


def _numbers(placed: Placed) -> tuple[float, float, float]:
    return (*placed.ball_m, placed.turn_rad)


def _gap(wanted: Array, have: Array) -> Array:
    gap = wanted - have
    gap[2] = (gap[2] + np.pi) % (2.0 * np.pi) - np.pi
    return gap


def _prints(
    shape: FootShape, forward: Array, left: Array, ball: Array, tangents: Array, level: Array,
    normal: Array, touched: NDArray[np.bool_], environment: Environment,
) -> Array:  # fmt: skip
    """(n, 5, 3) where the points of the flat foot are, on the surface next to where they were.

    Only those that are ever `touched` (5,) need to be on it.
    """
    at = ball @ tangents + level
    points = (
        at[:, None] + shape.flat_m[:, :1] * forward[:, None] + shape.flat_m[:, 1:] * left[:, None]
    )
    for _ in range(4):
        away = query(environment, points[:, touched]).distances_m
        # One plane for the whole sole: the height of its middle.
        points = points - away.mean(axis=1)[:, None, None] * normal
    return points


def _rolling(
    shape: FootShape, normal: Array, turns: Array, touching: NDArray[np.bool_], rate_hz: float
) -> tuple[Array, Array]:
    """(n,) pitch (heel up) and roll (left side up), zero where the sole is flat."""
    # By how its own axes rise: however the foot is headed, and whatever its print's heading.
    ahead = rotations.rotate(turns, shape.axes[:, 0]) @ normal
    aside = rotations.rotate(turns, shape.left) @ normal
    pitch = -np.arcsin(np.clip(ahead, -1.0, 1.0))
    roll = np.arcsin(np.clip(aside, -1.0, 1.0))
    heel, balls = touching[:, HEEL], touching[:, BALL:TIP].any(axis=1)
    pitch = _from_zero(pitch, heel & balls, rate_hz)
    pitch = np.where(heel & ~balls, np.minimum(pitch, 0.0), np.maximum(pitch, 0.0))
    pitch[heel & balls] = 0.0
    edge = touching[:, INNER] != touching[:, OUTER]
    roll = _from_zero(roll, ~edge, rate_hz)
    roll[~edge] = 0.0
    width = _EASE_S * rate_hz
    pitch, roll = (gaussian_filter1d(a, width, mode="nearest") for a in (pitch, roll))
    return pitch, roll


def _from_zero(angles: Array, zero: NDArray[np.bool_], rate_hz: float) -> Array:
    """Angles less what they are in the frames around in which they should be zero.

    Before the first of these and after the last it is forgotten: a foot that leaves is as steep as
    it was captured.
    """
    known = np.flatnonzero(zero)
    if not len(known):
        return angles
    frames = np.arange(len(angles))
    away = np.maximum(known[0] - frames, 0) + np.maximum(frames - known[-1], 0)
    kept = np.exp(-away / (_FORGET_S * rate_hz))
    return angles - kept * np.interp(frames, known, angles[known])


def _toes_as_they_stand(
    shape: FootShape, turns: Array, toes: Array, stands: NDArray[np.bool_]
) -> Array:
    """(4,) the toes' rotation to the foot's over a stance: as captured, but not in the ground."""
    if not stands.any():
        return shape.toes_wxyz
    bend = rotations.multiply(rotations.conjugate(turns), toes)[stands]
    middle = rotations.continuous(bend[:, None])[:, 0].mean(axis=0)
    return out_of_the_ground(shape, rotations.normalize(middle), _TOES_UP_RAD)


def _on_lowest(shape: FootShape, rolled: Array, turns: Array, prints: Array) -> Array:
    """(n, 3) places of the foot's joint, so that the sole's lowest point is on its print."""
    sole = shape.offsets_m[:TIP] if shape.toes != shape.joint else shape.offsets_m
    up = shape.axes[:, 2]
    heights = rotations.rotate(rolled[:, None], sole) @ up
    lowest = heights.argmin(axis=1)
    frames = np.arange(len(turns))
    return prints[frames, lowest] - rotations.rotate(turns, sole[lowest])


def _tip_places(
    shape: FootShape, prints: Array, places: Array, turns: Array, toes: Array,
    known: NDArray[np.bool_], on_tip: NDArray[np.bool_],
) -> Array:  # fmt: skip
    """(n, 3) where the tip stays while only it touches: where the rolling foot left it."""
    tips = prints[:, TIP].copy()
    if shape.toes == shape.joint:
        followed = places + rotations.rotate(turns, shape.offsets_m[TIP])
    else:
        followed = places + rotations.rotate(turns, shape.toes_at_m)
        followed += rotations.rotate(toes, shape.offsets_m[TIP])
    for a, b in intervals(on_tip):
        if a > 0 and known[a - 1]:
            tips[a:b] += followed[a - 1] - prints[a - 1, TIP]
        elif b < len(tips) and known[b]:
            tips[a:b] += followed[b] - prints[b, TIP]
    return tips
