"""Clips of a figure that holds one pose, so that everything about its motion is known exactly."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from poise.character import Character, complete_character
from poise.motion import Clip
from poise.samples.human import human_skeleton


def human() -> Character:
    return complete_character(human_skeleton())


def rigid_clip(places_m: ArrayLike, rate_hz: float = 100.0) -> Clip:
    """The human in its rest pose, its soles' origin carried along (F, 3)."""
    skeleton = human_skeleton()
    places = np.asarray(places_m, dtype=np.float64)
    frames = len(places)
    return Clip(
        skeleton,
        rate_hz,
        skeleton.offsets_m[0] + places,
        np.broadcast_to(skeleton.rest_wxyz, (frames, skeleton.joint_count, 4)),
    )


def hop_heights_m(
    rate_hz: float, flight_s: float, *, still_s: float = 0.6, gravity_m_s2: float = 9.81
) -> np.ndarray:
    """Stand, fly along a parabola, stand again."""
    t = np.arange(0.0, 2 * still_s + flight_s, 1.0 / rate_hz) - still_s
    return np.where((t > 0) & (t < flight_s), 0.5 * gravity_m_s2 * t * (flight_s - t), 0.0)


def upward(heights_m: ArrayLike) -> np.ndarray:
    heights = np.asarray(heights_m, dtype=np.float64)
    return np.stack([np.zeros_like(heights), heights, np.zeros_like(heights)], axis=1)
