"""Place the centre of mass: the balance control of section 4.3."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from poise.arrays import Array
from poise.character import Character, Sites
from poise.constraints.record_checks import (
    Vector,
    axis_flags,
    check_record,
    items,
    put,
    vector,
    whole,
    words,
)
from poise.constraints.recruiting import (
    EVERYTHING,
    Recruit,
    Recruits,
    body_recruits,
    carriers,
    find_point,
    listed_recruits,
)
from poise.constraints.scene import Scene, blended, body_size_m, point_path
from poise.constraints.shape_curve import smooth_keys
from poise.constraints.task import Interval, Task
from poise.errors import BadValue

CenterMode = Literal["relation", "original", "absolute"]
Normalisation = Literal["none", "leg_length", "stature"]


@dataclass(frozen=True)
class PlaceCenterOfMass:
    """The centre of mass keeps its relation to points of the body, its path, or a place.

    The relation of section 4.3, N₁ (c′ − mean A′) = N₂ (c − mean A), with c the centre of mass, A
    the points, and ′ for the edited motion: N₂ is one over the size of the body that the clip was
    captured on, N₁ one over that of the body that is to move. On one and the same body they cancel.
    """

    name: str
    interval: Interval
    points: tuple[str, ...] = ()
    """The points A (sites, joints or roles): for walking, points of the feet."""
    mode: CenterMode | None = None
    """`relation`: to the barycentre of `points`, wherever the edit takes it. `original`: its path
    in the original. `absolute`: `place_m`. None: `relation` if there are points, else `original`.
    """
    place_m: Vector | None = None
    """In the world, for `absolute`."""
    normalisation: Normalisation = "none"
    """By what the two bodies are compared, for `relation`: leg length or stature."""
    original_size_m: float | None = None
    """That size of the body the clip was captured on; None: of the character itself."""
    scale: Vector = (1.0, 1.0, 1.0)
    """Times the vector from the barycentre, along x, y and z; for `relation`."""
    displacement_m: Vector | tuple[tuple[int, Vector], ...] = (0.0, 0.0, 0.0)
    """Added, in world axes: constant, or keys (frame, (x, y, z)) with smooth passages between:
    leaning into the wind."""
    axes: str = "xyz"
    """Which coordinates count."""
    priority: int = 1
    weight: float = 1.0
    recruit: Recruit = EVERYTHING
    """Without a choice: every joint that carries a thousandth of the weight, or one of the points,
    and the root's translation."""

    def __post_init__(self) -> None:
        check_record(self)
        name = self.name
        listed = items(name, "points", self.points, "a list of names")
        points = tuple(words(name, "points", point) for point in listed)
        if len(set(points)) < len(points):
            raise BadValue(f"points of '{name}'", "different", points)
        mode = self.mode or ("relation" if points else "original")
        if (mode == "relation") != bool(points):
            allowed = "one or more with mode: relation" if not points else f"none in mode {mode}"
            raise BadValue(f"points of '{name}'", allowed, points)
        if (mode == "absolute") != (self.place_m is not None):
            allowed = "given in absolute mode, and only there"
            raise BadValue(f"place_m of '{name}'", allowed, self.place_m)
        put(self, points=points, mode=mode)
        self._check_proportions()
        put(self, displacement_m=_checked_displacement(name, self.displacement_m, self.interval))

    def _check_proportions(self) -> None:
        name = self.name
        if self.mode != "relation" and (self.normalisation != "none" or set(self.scale) != {1.0}):
            got = (self.normalisation, self.scale)
            raise BadValue(f"normalisation and scale of '{name}'", "left out without points", got)
        size = self.original_size_m
        if size is not None and (size <= 0 or self.normalisation == "none"):
            allowed = "more than zero, with a normalisation"
            raise BadValue(f"original_size_m of '{name}'", allowed, size)


def _checked_displacement(
    name: str, value: object, interval: Interval
) -> Vector | tuple[tuple[int, Vector], ...]:
    what = f"displacement_m of '{name}'"
    allowed = "three numbers, or keys (frame, (x, y, z))"
    listed = items(name, "displacement_m", value, allowed)
    if not listed:
        raise BadValue(what, allowed, value)
    if not all(isinstance(part, list | tuple) for part in listed):
        return vector(name, "displacement_m", listed)
    keys: list[tuple[int, Vector]] = []
    for part in listed:
        if not isinstance(part, list | tuple) or len(part) != 2:
            raise BadValue(what, allowed, value)
        frame = whole(name, "displacement_m", part[0])
        if not interval.first <= frame <= interval.last:
            inside = f"at frames of its interval ({interval.first} to {interval.last})"
            raise BadValue(what, inside, frame)
        if keys and frame <= keys[-1][0]:
            raise BadValue(what, "at ascending frames", frame)
        keys.append((frame, vector(name, "displacement_m", part[1])))
    return tuple(keys)


def tasks_of_place_center_of_mass(constraint: PlaceCenterOfMass, scene: Scene) -> tuple[Task, ...]:
    """One centre task."""
    name, interval, character = constraint.name, constraint.interval, scene.character
    if character.body is None:
        allowed = "one with a body (see complete_character)"
        raise BadValue(f"character of '{name}'", allowed, "no masses")
    points = _sites(constraint, character)
    original = scene.centers_m[interval.first : interval.last + 1]
    if len(points):
        original = original - _barycentres(scene, points, interval)
        goals = original * (_proportion(constraint, character) * np.array(constraint.scale))
    elif constraint.place_m is not None:
        goals = np.array(constraint.place_m)
    else:
        goals = original
    goals = goals + _displacements(constraint)
    return (
        Task(
            name, "center", interval.first, blended(original, goals, interval.shares()),
            _recruits(constraint, character, points), constraint.priority, constraint.weight,
            points=points, axes=axis_flags(constraint.axes),
        ),
    )  # fmt: skip


def _sites(constraint: PlaceCenterOfMass, character: Character) -> Sites:
    found = [find_point(character, p, asked_by=constraint.name) for p in constraint.points]
    if not found:
        return Sites()
    joints = np.array([joint for joint, _ in found], dtype=np.int64)
    return Sites(constraint.points, joints, np.stack([offset for _, offset in found]))


def _barycentres(scene: Scene, points: Sites, interval: Interval) -> Array:
    """(n, 3) the mean of the points in the original."""
    paths = [point_path(scene, point, interval.first, interval.last) for point in points.names]
    return np.mean(paths, axis=0)


def _proportion(constraint: PlaceCenterOfMass, character: Character) -> float:
    """N₂ over N₁: how much larger the body is than the one the clip was captured on."""
    if constraint.original_size_m is None:
        return 1.0
    size = body_size_m(character, constraint.normalisation, constraint.name)
    return size / constraint.original_size_m


def _displacements(constraint: PlaceCenterOfMass) -> Array:
    """What to add: (3,), or (n, 3) from keys."""
    keys = [key for key in constraint.displacement_m if isinstance(key, tuple)]
    if not keys:
        return np.array(constraint.displacement_m)
    frames = np.array([frame for frame, _ in keys], dtype=np.float64)
    places = np.array([place for _, place in keys])
    return smooth_keys(frames, places, constraint.interval.frames.astype(np.float64))


def _recruits(constraint: PlaceCenterOfMass, character: Character, points: Sites) -> Recruits:
    recruit = constraint.recruit
    if recruit.joints is not None:
        return listed_recruits(character, recruit.joints, asked_by=constraint.name)
    if recruit.up_to not in (None, "root"):
        allowed = "root, or a list of joints: a centre of mass is at the end of no chain"
        raise BadValue(f"up_to of '{constraint.name}'", allowed, recruit.up_to)
    body = body_recruits(character)
    mask = body.joints.copy()
    for joint, offset in zip(points.joints.tolist(), points.offsets_m, strict=True):
        mask |= carriers(character.skeleton, joint, offset)
    return Recruits(mask & (character.skeleton.freedoms > 0), body.translation)
