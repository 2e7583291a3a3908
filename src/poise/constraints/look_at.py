"""Turn a joint's gaze to a place."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import Character
from poise.constraints.record_checks import Vector, check_record, put, vector, words
from poise.constraints.recruiting import (
    EVERYTHING,
    ORIGIN,
    Recruit,
    find_joint,
    find_point,
    recruits_of_chain,
)
from poise.constraints.scene import Scene, joint_path, point_path
from poise.constraints.task import Interval, Task
from poise.errors import BadValue

NEAREST_M = 1e-3
"""Closer to the eye than this, a target has no direction."""


@dataclass(frozen=True)
class LookAt:
    """A direction fixed in a joint points at a target over an interval."""

    name: str
    joint: str
    """By name or role: "head"."""
    target: Vector | str
    """A place in the world, or a point of the body, which stands for its path in the original."""
    interval: Interval
    direction: Vector | None = None
    """In the joint's own frame, of any length; None: the way the figure faces at rest."""
    eye: str | None = None
    """The point that looks, riding on the joint; None: the joint's origin."""
    priority: int = 1
    weight: float = 1.0
    recruit: Recruit = EVERYTHING

    def __post_init__(self) -> None:
        check_record(self)
        if isinstance(self.target, str):
            words(self.name, "target", self.target)
        else:
            put(self, target=vector(self.name, "target", self.target))
        if self.direction is not None:
            if not np.linalg.norm(self.direction) > 0:
                raise BadValue(f"direction of '{self.name}'", "longer than zero", self.direction)


def tasks_of_look_at(constraint: LookAt, scene: Scene) -> tuple[Task, ...]:
    """One aim task; its goals swing from where the joint looked, at the target's distance."""
    name, interval, character = constraint.name, constraint.interval, scene.character
    joint = find_joint(character, constraint.joint, asked_by=name)
    offset = _eye(constraint, character, joint)
    direction = _direction(constraint, character, joint)
    first, last = interval.first, interval.last
    eyes = (
        joint_path(scene, joint, first, last)
        if constraint.eye is None
        else point_path(scene, constraint.eye, first, last)
    )
    if isinstance(constraint.target, str):
        find_point(character, constraint.target, asked_by=name)
        targets = point_path(scene, constraint.target, first, last)
    else:
        targets = np.broadcast_to(np.array(constraint.target), eyes.shape)
    rays = targets - eyes
    distances = np.sqrt(_dot(rays, rays))
    _check_apart(name, first, distances)
    shares = interval.shares()
    if not (shares == 1.0).all():
        looks = rotations.rotate(scene.state.rotations_wxyz[first : last + 1, joint], direction)
        swung = eyes + _swung(rays, distances, looks, shares)
        targets = np.where(shares[:, None] == 1.0, targets, swung)
    return (
        Task(
            name, "aim", first, targets,
            recruits_of_chain(character, joint, constraint.recruit, asked_by=name),
            constraint.priority, constraint.weight, joint, offset, direction=direction,
        ),
    )  # fmt: skip


def _eye(constraint: LookAt, character: Character, joint: int) -> Array:
    if constraint.eye is None:
        return ORIGIN
    carrier, offset = find_point(character, constraint.eye, asked_by=constraint.name)
    if carrier != joint:
        names = character.skeleton.joint_names
        raise BadValue(
            f"eye of '{constraint.name}'", f"a point that rides on {names[joint]}",
            f"{constraint.eye} on {names[carrier]}",
        )  # fmt: skip
    return offset


def _direction(constraint: LookAt, character: Character, joint: int) -> Array:
    """(3,) unit, in the joint's frame."""
    if constraint.direction is not None:
        given = np.array(constraint.direction)
        return given / np.linalg.norm(given)
    if character.roles is None:
        raise BadValue(
            f"direction of '{constraint.name}'",
            "given, as it is not known which way this figure faces (no roles)",
            None,
        )
    at_rest = rotations.conjugate(character.skeleton.standing.rest_world_wxyz[joint])
    return rotations.rotate(at_rest, character.roles.forward)


def _check_apart(name: str, first: int, distances: Array) -> None:
    nearest = int(distances.argmin())
    if not distances[nearest] > NEAREST_M:
        allowed = f"more than {1000 * NEAREST_M:g} mm from the eye"
        raise BadValue(f"target of '{name}'", allowed, f"there in frame {first + nearest}")


def _swung(rays: Array, distances: Array, looks: Array, shares: Array) -> Array:
    """(n, 3) rays as long, the share of the arc from the look to the ray."""
    straight = rays / distances[:, None]
    cosine = _dot(straight, looks)
    across = straight - looks * cosine[:, None]
    sine = np.sqrt(_dot(across, across))
    behind = (sine < 1e-9) & (cosine < 0)
    if behind.any():
        # Straight behind, every way round is as short: any side square to the look serves.
        spare = np.eye(3)[np.abs(looks).argmin(axis=1)]
        spare = spare - looks * _dot(spare, looks)[:, None]
        across = np.where(behind[:, None], spare, across)
    length = np.maximum(np.sqrt(_dot(across, across)), 1e-300)
    angle = shares * np.arctan2(sine, cosine)
    along, aside = distances * np.cos(angle), distances * np.sin(angle) / length
    return along[:, None] * looks + aside[:, None] * across


def _dot(a: Array, b: Array) -> Array:
    return np.einsum("ni,ni->n", a, b)
