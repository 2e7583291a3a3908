"""Ground and flight stages of a clip, and the gravity of each flight (section 4.1).

A flight's centre of mass follows a parabola. The paper takes its curvature from three frames; all
of them say it more firmly, and how far they are off it says whether the stage is a flight at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.contact import ContactSchedule, clip_dynamics, phases
from poise.errors import BadValue
from poise.mechanics import GRAVITY_M_S2, center_of_mass, forward_kinematics
from poise.motion import Clip

StageKind = Literal["ground", "flight"]

FEWEST_FLIGHT_FRAMES = 4
"""Fewer do not show a parabola."""


@dataclass(frozen=True)
class Stage:
    """Consecutive frames in which something touches, or nothing does."""

    kind: StageKind
    first: int
    stop: int
    """The frame after it."""
    gravity_m_s2: float
    """How strongly a flight's centre of mass is seen to fall, downwards; of a ground stage nature's
    (flights next to it rule its ends)."""
    off_m: float = 0.0
    """How far a flight's centre of mass is from its parabola, RMS."""
    parts: tuple[str, ...] = ()
    """What touches at some time of a ground stage."""

    @property
    def frame_count(self) -> int:
        """How many frames it has."""
        return self.stop - self.first


def center_path_m(clip: Clip, character: Character) -> Array:
    """(F, 3) the centre of mass."""
    assert character.body is not None
    return center_of_mass(forward_kinematics(clip.skeleton, *clip.pose), character.body)


def rise_m(center_m: Array, stage: Stage) -> float:
    """Rise of a centre of mass over the last frame on the ground before a flight."""
    first, last = _arc(center_m, stage)
    return float(center_m[first : last + 1, 1].max() - center_m[first, 1])


def way_m(center_m: Array, stage: Stage) -> Array:
    """(3,) from the last frame on the ground before a flight to the first one after it."""
    first, last = _arc(center_m, stage)
    return center_m[last] - center_m[first]


def _arc(center_m: Array, stage: Stage) -> tuple[int, int]:
    return max(stage.first - 1, 0), min(stage.stop, len(center_m) - 1)


def stages_of(clip: Clip, character: Character, contacts: ContactSchedule) -> tuple[Stage, ...]:
    """The stages of a clip, in order and without gaps.

    Raises:
        BadValue: no flight, or a character without a body.
    """
    dynamics = clip_dynamics(clip, character)
    upward = dynamics.outer_force_n[:, 1] / dynamics.body.total_mass_kg + GRAVITY_M_S2[1]
    found = [
        Stage("flight" if phase.kind == "flight" else "ground", phase.first, phase.last,
              NATURE_M_S2, parts=phase.parts)
        for phase in phases(contacts, upward)
    ]  # fmt: skip
    return _with_gravity(found, dynamics.com_m, clip.rate_hz)


def stages_at(clip: Clip, character: Character, changes: Sequence[int]) -> tuple[Stage, ...]:
    """Stages as a person says: a new one begins at each change, and the first is on the ground."""
    edges = [0, *changes, clip.frame_count]
    if any(a >= b for a, b in pairwise(edges)):
        allowed = f"rising frames between 0 and {clip.frame_count}"
        raise BadValue("changes of stages", allowed, list(changes))
    found = [
        Stage("flight" if i % 2 else "ground", a, b, NATURE_M_S2)
        for i, (a, b) in enumerate(pairwise(edges))
    ]
    return _with_gravity(found, center_path_m(clip, character), clip.rate_hz)


def fallen(center_m: Array, rate_hz: float) -> tuple[float, float]:
    """Gravity of the parabola nearest to a centre of mass (n, 3), and how far it is off it, RMS.

    Only its height is asked to be one of second degree; along the ground it goes straight.
    """
    times = (np.arange(len(center_m)) - 0.5 * (len(center_m) - 1)) / rate_hz
    straight = np.stack([np.ones_like(times), times], axis=1)
    bent = np.column_stack([straight, -0.5 * times**2])
    height = np.linalg.lstsq(bent, center_m[:, 1], rcond=None)[0]
    level = np.linalg.lstsq(straight, center_m[:, [0, 2]], rcond=None)[0]
    off = np.column_stack([center_m[:, 1] - bent @ height, center_m[:, [0, 2]] - straight @ level])
    return float(height[2]), float(np.sqrt((off**2).sum(axis=1).mean()))


NATURE_M_S2 = float(-GRAVITY_M_S2[1])


def _with_gravity(found: Sequence[Stage], center_m: Array, rate_hz: float) -> tuple[Stage, ...]:
    if not any(stage.kind == "flight" for stage in found):
        allowed = "a clip that leaves the ground (correct and filter are for others)"
        raise BadValue("clip", allowed, "no flight in it")
    told: list[Stage] = []
    for stage in found:
        if stage.kind == "flight":
            if stage.frame_count < FEWEST_FLIGHT_FRAMES:
                allowed = f"at least {FEWEST_FLIGHT_FRAMES} frames"
                raise BadValue(f"flight at frame {stage.first}", allowed, stage.frame_count)
            gravity, off = fallen(center_m[stage.first : stage.stop], rate_hz)
            stage = replace(stage, gravity_m_s2=gravity, off_m=off)
        told.append(stage)
    return tuple(told)
