"""Feet that land on their heels, stand and roll off over ball and tip: made, so all is known."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from poise import rotations
from poise.arrays import Array
from poise.environment import Environment, Ground, query
from poise.footing.foot_path import FootPath, foot_path, touching_sole
from poise.footing.foot_shape import BALL, HEEL, TIP, FootShape, foot_shapes
from poise.samples import sample_character

RATE_HZ = 100.0
ON_HEEL, FLAT, ON_BALL, ON_TIP = range(4)


def shape_of(side: str = "left") -> FootShape:
    """A foot of the sample's figure."""
    return next(s for s in foot_shapes(sample_character()) if s.part == f"{side}_foot")


def without_toes(shape: FootShape) -> FootShape:
    """The same foot in one piece."""
    tip = shape.toes_at_m + rotations.rotate(shape.toes_wxyz, shape.offsets_m[TIP])
    offsets = shape.offsets_m.copy()
    offsets[TIP] = tip
    return replace(
        shape,
        toes=shape.joint,
        offsets_m=offsets,
        toes_at_m=np.zeros(3),
        toes_wxyz=np.array(rotations.IDENTITY),
    )


def with_high_toes(shape: FootShape) -> FootShape:
    """The same foot with the toes' joint above the ball: toes shift as the foot rolls over it."""
    up = 0.02 * shape.axes[:, 2]
    offsets = shape.offsets_m.copy()
    offsets[TIP] -= rotations.rotate(rotations.conjugate(shape.toes_wxyz), up)
    return replace(shape, toes_at_m=shape.toes_at_m + up, offsets_m=offsets)


def slope(degrees: float, along: tuple[float, float] = (0.3, 1.0)) -> Environment:
    """Ground that rises."""
    x, z = np.array(along) / np.linalg.norm(along) * np.tan(np.radians(degrees))
    normal = np.array([-x, 1.0, -z]) / np.linalg.norm([x, 1.0, z])
    return Environment((Ground.tilted(0.1, normal),))


@dataclass(frozen=True, eq=False)
class Seen:
    """What is known of a foot in a clip."""

    shape: FootShape
    environment: Environment
    turns_wxyz: Array
    points_m: Array
    phase: NDArray[np.int64]

    @property
    def count(self) -> int:
        return len(self.turns_wxyz)

    def flags(self) -> NDArray[np.bool_]:
        """What touches, by height alone."""
        heights = np.asarray(query(self.environment, self.points_m).distances_m)
        return touching_sole(np.ones(self.count, dtype=np.bool_), heights, self.shape, RATE_HZ)

    def path(
        self, slides: NDArray[np.bool_] | None = None, first: int = 0, stop: int | None = None
    ) -> FootPath:
        """As the correction would have it."""
        speeds = np.linalg.norm(np.gradient(self.points_m, axis=0), axis=-1) * RATE_HZ
        never = np.zeros(self.count, dtype=np.bool_)
        return foot_path(
            self.shape, self.turns_wxyz,
            rotations.multiply(self.turns_wxyz, self.shape.toes_wxyz), self.points_m,
            self.flags(), speeds,
            never if slides is None else slides, self.environment, first,
            self.count if stop is None else stop, RATE_HZ,
        )  # fmt: skip

    def shaken(self, drift_m: float, noise_m: float, seed: int = 1) -> Seen:
        """The same foot as captured: it drifts along x and shakes."""
        random = np.random.default_rng(seed)
        moved = np.linspace(-0.5, 0.5, self.count)[:, None] * np.array([drift_m, 0.0, 0.0])
        moved = moved + random.normal(size=(self.count, 3)) * [noise_m, 0.2 * noise_m, noise_m]
        return replace(self, points_m=self.points_m + moved[:, None])


def tangents_of(environment: Environment) -> tuple[Array, Array, Array]:
    """Normal of level or tilted ground, and two directions along it."""
    normal = np.asarray(query(environment, np.zeros((1, 3))).normals)[0]
    first = np.array([1.0, 0.0, 0.0]) - normal[0] * normal
    first /= np.linalg.norm(first)
    return normal, first, np.cross(normal, first)


def rolling(
    shape: FootShape,
    environment: Environment,
    heading_rad: float = 0.4,
    at_m: tuple[float, float] = (0.2, -0.3),
    roll_off: bool = True,
) -> Seen:
    """Down over the heel, flat, and up over ball (or tip) and tip."""
    normal, first, second = tangents_of(environment)
    forward = np.cos(heading_rad) * first + np.sin(heading_rad) * second
    left = np.cross(normal, forward)
    flat = rotations.from_matrix(np.stack([forward, left, normal], axis=1) @ shape.axes.T)
    ball = at_m[0] * first + at_m[1] * second
    ball = ball - float(query(environment, ball[None]).distances_m[0]) * normal
    prints = ball + shape.flat_m[:, :1] * forward + shape.flat_m[:, 1:] * left
    bends = shape.toes != shape.joint
    down, still, up, tip = 12, 30, 18 if bends else 0, 14 if roll_off else 0
    pitches = np.concatenate(
        [np.linspace(-0.4, -0.02, down), np.zeros(still), np.linspace(0.02, 0.6, up),
         np.linspace(0.03, 0.3, tip)]
    )  # fmt: skip
    phase = np.repeat([ON_HEEL, FLAT, ON_BALL, ON_TIP], [down, still, up, tip])
    turns, points = np.empty((len(phase), 4)), np.empty((len(phase), 5, 3))
    for f, (kind, pitch) in enumerate(zip(phase.tolist(), pitches.tolist(), strict=True)):
        toes_pitch = 0.0
        if kind == ON_TIP and bends:
            pitch, toes_pitch = 0.6 + pitch, pitch
        elif kind == ON_TIP:
            toes_pitch = pitch
        turn = rotations.multiply(flat, rotations.from_axis_angle(shape.left, pitch))
        toes = rotations.multiply(
            rotations.multiply(flat, rotations.from_axis_angle(shape.left, toes_pitch)),
            shape.toes_wxyz,
        )
        if kind == ON_HEEL:
            toes = rotations.multiply(turn, shape.toes_wxyz)
        own = sole(shape, np.zeros(3), turn, toes)
        pivot = {ON_HEEL: HEEL, FLAT: BALL, ON_BALL: BALL, ON_TIP: TIP}[kind]
        where = prints[pivot]
        if kind == ON_TIP and f > 0 and phase[f - 1] == ON_BALL:
            prints = prints.copy()
            prints[TIP] = where = points[f - 1, TIP]
        turns[f], points[f] = turn, own - own[pivot] + where
    return Seen(shape, environment, turns, points, phase)


def sole(shape: FootShape, place: Array, turn: Array, toes: Array) -> Array:
    """(5, 3) the points of a foot so placed."""
    points = place + rotations.rotate(turn, shape.offsets_m)
    if shape.toes != shape.joint:
        at = place + rotations.rotate(turn, shape.toes_at_m)
        points[TIP] = at + rotations.rotate(toes, shape.offsets_m[TIP])
    return points


def soles(path: FootPath) -> Array:
    """(n, 5, 3) the points of a path's foot."""
    places = zip(path.places_m, path.turns_wxyz, path.toes_wxyz, strict=True)
    return np.array([sole(path.shape, place, turn, toes) for place, turn, toes in places])


def travelling(
    shape: FootShape, environment: Environment, headings_rad: Array, balls_m: Array
) -> Seen:
    """A flat foot that is placed so in every frame."""
    normal, first, second = tangents_of(environment)
    turns, points = np.empty((len(balls_m), 4)), np.empty((len(balls_m), 5, 3))
    height = float(query(environment, np.zeros((1, 3))).distances_m[0])
    for f, (heading, ball) in enumerate(zip(headings_rad.tolist(), balls_m, strict=True)):
        forward = np.cos(heading) * first + np.sin(heading) * second
        left = np.cross(normal, forward)
        at = ball[0] * first + ball[1] * second - height * normal
        turns[f] = rotations.from_matrix(np.stack([forward, left, normal], axis=1) @ shape.axes.T)
        points[f] = at + shape.flat_m[:, :1] * forward + shape.flat_m[:, 1:] * left
    return Seen(shape, environment, turns, points, np.full(len(balls_m), FLAT))


def on_a_rung(shape: FootShape, pole: Environment, away_m: float, count: int = 30) -> Seen:
    """A foot whose heel is next to a pole's front at z = 0, so far away; its toes hang over air."""
    forward, left = np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])
    level = np.stack([forward, left, np.cross(forward, left)], axis=1)
    flat = rotations.from_matrix(level @ shape.axes.T)
    turn = rotations.multiply(flat, rotations.from_axis_angle(shape.left, 0.7))
    points = sole(shape, np.zeros(3), turn, rotations.multiply(turn, shape.toes_wxyz))
    points = points - points[HEEL] + [0.0, 0.3, away_m]
    turns = np.repeat(turn[None], count, axis=0)
    return Seen(shape, pole, turns, np.repeat(points[None], count, axis=0), np.zeros(count, int))
