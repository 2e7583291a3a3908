"""Swings of one behaviour, made by code: how each differs from the others is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from poise import rotations
from poise.arrays import Array
from poise.character import Character
from poise.character.attachments import Attachment, with_attachments
from poise.constraints import HitAt, Task, tasks_of
from poise.constraints.recruiting import find_point
from poise.constraints.scene import Scene
from poise.mechanics import BodyState, forward_kinematics
from poise.methods.pattern import Pattern, learn
from poise.methods.pattern.motion_vectors import motion_of, sampled
from poise.methods.pattern.placed import PlacedClip, place
from poise.motion import Clip
from poise.samples import golfing, sample_character

RATE_HZ = 30.0
HIT = 54
"""The frame of the hit, 1.8 s after the start."""
CLUB = Attachment("club_head", "left_wrist", 0.0, (0.75, -0.55, 0.3))
FIELDS = ("Head", "LeftHand", "RightHand")
"""Joints that carry no other: what they do places and turns nothing else."""
TOES = (4, 8)
_UP = np.array([0.0, 1.0, 0.0])


@cache
def swing() -> Clip:
    """The sample swing that all are made from: it hits in frame HIT and faces +Z."""
    return replace(golfing(rate_hz=RATE_HZ).clip, name="swing")


@cache
def character() -> Character:
    """Whose swings they are."""
    return sample_character()


@cache
def golfer() -> Character:
    """The same with a club in the left hand."""
    return with_attachments(character(), [CLUB])


@cache
def known_ways(count: int = 3) -> Array:
    """(count, F, 1 + J, 3) orthonormal: the root's height, the head and the hands differ.

    They move no joint over the floor, so that the mean's place and heading stay what they are.
    """
    clip, random = swing(), np.random.default_rng(3)
    names, columns = clip.skeleton.joint_names, _waves(clip.frame_count)
    ways = np.zeros((count, clip.frame_count, 1 + len(names), 3))
    ways[:, :, 0, 1] = 0.3 * random.normal(size=(count, len(columns))) @ columns
    for name in FIELDS:
        mixed = random.normal(size=(count, 3, len(columns))) @ columns
        ways[:, :, 1 + names.index(name)] = np.moveaxis(mixed, 1, 2)
    flat, _ = np.linalg.qr(ways.reshape(count, -1).T)
    return np.ascontiguousarray(flat.T).reshape(ways.shape)


@cache
def free_ways(count: int = 5, frames: int = 97, joints: int = 22) -> Array:
    """(count, F, 1 + J, 3) of unit root mean square: all joints differ, and the root's place.

    All but the toes, which carry too little to be part of a pattern.
    """
    random, columns = np.random.default_rng(7), _waves(frames)
    mixed = random.normal(size=(count, 1 + joints, 3, len(columns))) @ columns
    ways = np.moveaxis(mixed, 3, 1)
    ways[:, :, 0] *= 0.2
    ways[:, :, [1 + toe for toe in TOES]] = 0.0
    return ways / np.sqrt((ways**2).mean(axis=(1, 2, 3), keepdims=True))


def _waves(frames: int) -> Array:
    """(4, F) slow waves of about unit size."""
    x = np.linspace(0.0, np.pi, frames)
    return np.stack([np.ones(frames), np.cos(x), np.sin(x), np.cos(2.0 * x)])


def varied(weights: ArrayLike, ways: Array | None = None, name: str = "") -> Clip:
    """The swing with so much of each way added to it."""
    ways = free_ways() if ways is None else ways
    weights = np.asarray(weights, dtype=np.float64)
    clip, vector = swing(), np.tensordot(weights, ways[: len(weights)], axes=1)
    roots, turns = motion_of(clip.root_positions_m, clip.rotations_wxyz, vector)
    return replace(clip, root_positions_m=roots, rotations_wxyz=turns, name=name or clip.name)


def moved(clip: Clip, turn_rad: float, by_m: ArrayLike) -> Clip:
    """The same motion elsewhere in the room, turned to the left about the room's origin."""
    turn = rotations.from_axis_angle(_UP, np.float64(turn_rad))
    turns = np.array(clip.rotations_wxyz)
    turns[:, 0] = rotations.multiply(turn, turns[:, 0])
    roots = rotations.rotate(turn, clip.root_positions_m) + np.asarray(by_m, dtype=np.float64)
    return replace(clip, root_positions_m=roots, rotations_wxyz=turns)


def retimed(clip: Clip, frames: Array, rate_hz: float | None = None) -> Clip:
    """The same motion, showing such frames of the clip one after the other."""
    roots, turns = sampled(clip, np.asarray(frames, dtype=np.float64))
    rate_hz = clip.rate_hz if rate_hz is None else rate_hz
    return replace(clip, rate_hz=rate_hz, root_positions_m=roots, rotations_wxyz=turns)


@cache
def swings(count: int = 6) -> tuple[Clip, ...]:
    """Swings that differ by weights of five ways, here and there in the room."""
    random, made = np.random.default_rng(2), list[Clip]()
    for i, weights in enumerate(_weights(count)):
        clip = varied(weights, name=f"swing {i + 1}")
        made.append(moved(clip, random.uniform(-3, 3), random.normal(size=3) * (2.0, 0.0, 2.0)))
    return tuple(made)


def _weights(count: int) -> Array:
    return 0.06 * np.random.default_rng(1).normal(size=(count, 5))


@cache
def pattern(count: int = 6) -> Pattern:
    """What those swings have in common, with the club in the left hand."""
    return learned(swings(count), tools=[CLUB])


def learned(clips: Sequence[Clip], **options: object) -> Pattern:
    """The pattern of clips on level ground at zero."""
    return learn(clips, character(), grounds_m=[0.0] * len(clips), **options)  # type: ignore[arg-type]


@cache
def placed(example: int = 0) -> PlacedClip:
    """One of the swings, seen from their pattern."""
    return place(pattern(), swings()[example], golfer(), 0.0)


@cache
def placed_aside(share: float = 0.37) -> PlacedClip:
    """A swing between the pattern's frames: longer, shifted by a share of a frame, elsewhere."""
    weights = np.array([0.3, 0.1, 0.2, 0.1, 0.1, 0.2]) @ _weights(6)
    clip = moved(varied(weights), 0.8, (1.0, 0.0, -2.0))
    frames = np.concatenate([[0.0], np.arange(share, 96.0, 0.83), [96.0]])
    return place(pattern(), retimed(clip, frames), golfer(), 0.0)


def hit(
    at: PlacedClip,
    place_m: ArrayLike,
    frame: int = HIT,
    point: str = "club_head",
    **options: object,
) -> list[Task]:
    """A `HitAt` of a placed clip as tasks."""
    name = str(options.pop("name", "hit"))
    place_at = tuple(np.asarray(place_m, dtype=np.float64).tolist())
    constraint = HitAt(name, point, place_at, frame, **options)  # type: ignore[arg-type]
    return list(tasks_of(constraint, Scene(at.clip, golfer())))


def state_of(clip: Clip) -> BodyState:
    """Where its joints are."""
    return forward_kinematics(clip.skeleton, *clip.pose)


def point_of(clip: Clip, point: str = "club_head") -> Array:
    """(F, 3) the path of a site, joint or role, by forward kinematics of the whole body."""
    joint, offset = find_point(golfer(), point)
    state = state_of(clip)
    return state.positions_m[:, joint] + rotations.rotate(state.rotations_wxyz[:, joint], offset)


def changed(at: PlacedClip, change: Array) -> Clip:
    """A placed clip with its coefficients changed."""
    return at.with_motion(*at.motion(at.vector + at.displacement(change)))


def apart_rad(a: Clip, b: Clip) -> float:
    """The greatest angle between joints of two clips."""
    return float(rotations.angle_between(a.rotations_wxyz, b.rotations_wxyz).max())


def apart_m(a: Clip, b: Clip) -> float:
    """The greatest distance between roots of two clips."""
    return float(np.abs(a.root_positions_m - b.root_positions_m).max())


def rebuilt(p: Pattern, example: int, count: int | None = None) -> Clip:
    """An example from its coefficients alone, back in its room, at the pattern's moments."""
    alpha = p.coefficients[example, :count]
    vector = np.tensordot(alpha, p.components[: len(alpha)], axes=1)
    roots, turns = motion_of(p.mean_roots_m, p.mean_wxyz, vector)
    placing = p.examples[example].placing
    turns[:, 0] = placing.root_turns_back(turns[:, 0])
    return Clip(p.skeleton, p.rate_hz, placing.places_back(roots), turns)
