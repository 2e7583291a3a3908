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
from poise.contact import ContactSchedule, clip_dynamics, detect_contacts, phases
from poise.environment import Environment
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


def stages_of(
    clip: Clip,
    character: Character,
    environment: Environment,
    contacts: ContactSchedule | None = None,
) -> tuple[Stage, ...]:
    """The stages of a clip, in order and without gaps.

    Args:
        clip: the motion.
        character: with a body.
        environment: the place.
        contacts: what touches when; the detector says so by default.

    Raises:
        BadValue: no flight, or a character without a body.
    """
    dynamics = clip_dynamics(clip, character)
    schedule = detect_contacts(clip, character, environment) if contacts is None else contacts
    upward = dynamics.outer_force_n[:, 1] / dynamics.body.total_mass_kg + GRAVITY_M_S2[1]
    found = [
        Stage("flight" if phase.kind == "flight" else "ground", phase.first, phase.last,
              NATURE_M_S2, parts=phase.parts)
        for phase in phases(schedule, upward)
    ]  # fmt: skip
    return _with_gravity(found, dynamics.com_m, clip.rate_hz)


def stages_at(
    clip: Clip, character: Character, changes: Sequence[int], begins: StageKind = "ground"
) -> tuple[Stage, ...]:
    """Stages as a person says: they alternate, and a new one begins at each frame of `changes`."""
    if character.body is None:
        raise BadValue("character.body", "segment masses (see complete_character)", None)
    edges = [0, *changes, clip.frame_count]
    if any(a >= b for a, b in pairwise(edges)):
        allowed = f"rising frames between 0 and {clip.frame_count}"
        raise BadValue("changes of stages", allowed, list(changes))
    kinds: tuple[StageKind, StageKind] = ("ground", "flight")
    offset = kinds.index(begins)
    found = [
        Stage(kinds[(i + offset) % 2], a, b, NATURE_M_S2)
        for i, (a, b) in enumerate(pairwise(edges))
    ]
    state = forward_kinematics(clip.skeleton, *clip.pose)
    return _with_gravity(found, center_of_mass(state, character.body), clip.rate_hz)


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
