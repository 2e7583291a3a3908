"""Motions that differ a little, the patterns of them, and where points of them are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import Attachment, Character
from poise.constraints.recruiting import find_point
from poise.mechanics import forward_kinematics
from poise.methods.pattern import EventRule, Pattern, learn
from poise.motion import Clip, resample
from poise.samples import SAMPLES, sample_character

SEED = 12345
RATE_HZ = 30.0
CLUB = Attachment("club_head", "left_wrist", 0.0, (0.06, -0.55, -0.65))
"""Held in the left hand of the swing that is made by code."""
HIT = EventRule("hit", "lowest", "club_head", near="fastest")
BENT = {"Spine": 0.10, "Spine1": 0.08, "Spine2": 0.06, "Neck": 0.05, "LeftHand": 0.08}
"""How far joints are turned from one motion to the next, in radians: both hands stay together."""


def varied(clip: Clip, seed: int, bent: Mapping[str, float] = BENT, sway_m: float = 0.04) -> Clip:
    """The clip a little otherwise: bent, swaying, slower or faster, elsewhere in the room."""
    rng = np.random.default_rng(seed)
    slower = float(rng.uniform(0.92, 1.08))
    paced = replace(resample(clip, clip.rate_hz * slower), rate_hz=clip.rate_hz)
    share = np.linspace(0.0, 1.0, paced.frame_count)[:, None]
    bump = np.sin(np.pi * share) ** 2
    turns = np.array(paced.rotations_wxyz)
    for name, amount in bent.items():
        joint = paced.skeleton.index(name)
        vector = amount * (rng.uniform(-1, 1, 3) * bump + rng.uniform(-1, 1, 3) * bump * share)
        turns[:, joint] = rotations.multiply(turns[:, joint], rotations.exp(vector))
    roots = paced.root_positions_m + sway_m * bump * rng.uniform(-1, 1, 3) * (1.0, 0.3, 1.0)
    return moved(
        replace(paced, root_positions_m=roots, rotations_wxyz=turns, name=f"{clip.name} {seed}"),
        float(rng.uniform(-np.pi, np.pi)),
        rng.uniform(-2, 2, 3) * (1.0, 0.0, 1.0),
    )


def moved(clip: Clip, turn_rad: float, shift_m: Array) -> Clip:
    """The clip turned about the vertical, and elsewhere."""
    turn = rotations.from_axis_angle(np.array([0.0, 1.0, 0.0]), np.float64(turn_rad))
    turns = np.array(clip.rotations_wxyz)
    turns[:, 0] = rotations.multiply(turn, turns[:, 0])
    return replace(
        clip,
        root_positions_m=rotations.rotate(turn, clip.root_positions_m) + shift_m,
        rotations_wxyz=turns,
    )


@cache
def made(name: str = "golf", rate_hz: float = RATE_HZ, seconds: float | None = None) -> Clip:
    """A clip made by code."""
    length = {} if seconds is None else {"seconds": seconds}
    return SAMPLES[name](rate_hz=rate_hz, **length).clip


@cache
def swings(count: int = 5) -> tuple[Clip, ...]:
    """Swings that differ; the first one is as it was made."""
    return (made(), *(varied(made(), SEED + i) for i in range(count - 1)))


@cache
def swing_pattern() -> Pattern:
    """Of five swings with a club."""
    return learn(swings(), sample_character(), rules=[HIT], tools=[CLUB])


@cache
def walk_pattern() -> Pattern:
    """Of the second of walking that the contract of all methods is about, and three like it."""
    return learn(walks(), sample_character())


@cache
def walks() -> tuple[Clip, ...]:
    """What that pattern is learned from."""
    walk = made("walk", 30.0, 1.0)
    few = {"Spine": 0.10, "LeftArm": 0.15, "LeftForeArm": 0.15, "RightArm": 0.15}
    return (walk, *(varied(walk, SEED + i, few) for i in range(3)))


@cache
def golfer() -> Character:
    """With the club."""
    return swing_pattern().with_tools(sample_character())


def place_of(clip: Clip, point: str, frame: int, character: Character | None = None) -> Array:
    """(3,) where a point is in a frame."""
    joint, offset = find_point(character or golfer(), point)
    state = forward_kinematics(clip.skeleton, *clip.pose)
    return state.positions_m[frame, joint] + rotations.rotate(
        state.rotations_wxyz[frame, joint], offset
    )
