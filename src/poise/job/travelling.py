"""Figures that walk in place, for methods that know no belts: as if they walked over the ground.

The same motion on a belt and over ground differs by a steady velocity, which no law of motion
notices. So a step gets the clip as it would travel, and what comes of it is put back in place.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.environment import Environment, Ground
from poise.job.root_motion import moved, with_belt
from poise.methods import Edit, Result
from poise.motion import Clip

_STILL = np.zeros(3)


def belt_of(place: Environment) -> Array | None:
    """(3,) velocity of a place that is one belt and nothing else; None of any other."""
    surfaces = place.surfaces
    if len(surfaces) != 1 or not isinstance(surfaces[0], Ground):
        return None
    velocity = surfaces[0].belt_velocity_m_s
    return velocity if velocity.any() else None


def travelling(edit: Edit, belt_m_s: Array) -> Edit:
    """The same task over ground that stands still."""
    original = None if edit.original is None else moved(edit.original, -belt_m_s)
    place = with_belt(edit.environment, _STILL)
    return replace(edit, clip=moved(edit.clip, -belt_m_s), original=original, environment=place)


def in_place(result: Result[Any], edit: Edit, belt_m_s: Array) -> Result[Any]:
    """What came of a travelling task, in place again.

    Args:
        result: of `travelling(edit, belt_m_s)`.
        edit: the task.
        belt_m_s: of its place. Another body's runs as much faster as it travels farther.
    """
    scale = 1.0
    if result.character is not None:
        went = _velocity_m_s(moved(edit.clip, -belt_m_s))
        scale = float(_velocity_m_s(result.clip) @ went) / float(went @ went)
    belt = scale * belt_m_s
    start = None if result.start is None else moved(result.start, belt_m_s)
    place = None if result.environment is None else with_belt(result.environment, belt)
    return replace(result, clip=moved(result.clip, belt), start=start, environment=place)


def _velocity_m_s(clip: Clip) -> Array:
    """(3,) level, on average over the clip."""
    times = np.arange(clip.frame_count) / clip.rate_hz
    slopes = np.polyfit(times, clip.root_positions_m, 1)[0]
    return np.array([slopes[0], 0.0, slopes[2]])
