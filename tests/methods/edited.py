"""Clips to deform, and judges of what came out that share no code with the method."""

from __future__ import annotations

from functools import cache

import numpy as np

from poise.arrays import Array
from poise.character import Character, complete_character
from poise.constraints import Constraint, Interval, Plant, tasks_of
from poise.formats import load_clip
from poise.mechanics import forward_kinematics
from poise.methods import Edit
from poise.motion import Clip, resample
from poise.samples import SAMPLES, sample_character
from tests.constraints.made_scenes import gap
from tests.shared_data import MOCAP

ANGULAR = ("turn", "aim")

MET_M, MET_RAD = 1e-4, float(np.radians(0.01))
"""What counts as met, and as left alone."""


@cache
def sampled(name: str, rate_hz: float, seconds: float = 3.0) -> tuple[Clip, Character]:
    """A made clip."""
    return SAMPLES[name](seconds=seconds, rate_hz=rate_hz).clip, sample_character()


@cache
def recorded(name: str, rate_hz: float, stop: int | None = None) -> tuple[Clip, Character]:
    """A real clip without its first frame (a T-pose), at another rate."""
    clip = load_clip(MOCAP / "cmu" / f"{name}.bvh").sliced(1, stop)
    return resample(clip, rate_hz), complete_character(clip.skeleton)


def clip_named(label: str) -> tuple[Clip, Character]:
    """ "walk@30" is made, "02_01@30" is real; "02_05@24:700" is cut before it is resampled."""
    name, _, rest = label.partition("@")
    rate, _, stop = rest.partition(":")
    if name in SAMPLES:
        return sampled(name, float(rate))
    return recorded(name, float(rate), int(stop) if stop else None)


def is_real(label: str) -> bool:
    """Whether a label is of a real clip."""
    return label.partition("@")[0] not in SAMPLES


def whole(clip: Clip) -> Interval:
    """All frames."""
    return Interval(0, clip.frame_count - 1)


def eased(clip: Clip) -> Interval:
    """Nearly all frames, half of them on the way in and out."""
    quarter = (clip.frame_count - 10) // 4
    return Interval(5, clip.frame_count - 6, quarter, quarter)


def feet(clip: Clip, priority: int = 1) -> list[Constraint]:
    """Both feet stay with the original's."""
    return [
        Plant(f"{side} foot", f"{side}_foot", whole(clip), "follow", priority=priority)
        for side in ("left", "right")
    ]


def misses(edit: Edit, clip: Clip) -> dict[tuple[str, int, str], Array]:
    """(n,) metres or radians, by name, number and kind of every task."""
    return {
        (constraint.name, number, task.kind): gap(task, edit.scene, clip)
        for constraint in edit.constraints
        for number, task in enumerate(tasks_of(constraint, edit.scene))
    }


def limit_of(key: tuple[str, int, str]) -> float:
    """Tenth of a millimetre, hundredth of a degree."""
    return MET_RAD if key[2] in ANGULAR else MET_M


def accelerations(clip: Clip) -> Array:
    """(F - 2, J) of all joints, m/s²."""
    places = forward_kinematics(clip.skeleton, *clip.pose).positions_m
    return np.linalg.norm(np.diff(places, 2, axis=0), axis=-1) * clip.rate_hz**2
