"""Clips for the benchmarks of the correction, ready to be corrected: the paper's seven motions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from poise.contact import detect_contacts
from poise.job import AS_IT_IS, Subject, measurable
from poise.methods.correct.mesh import Mesh, motion_mesh, vertices_of
from poise.methods.correct.motion_optimizer import MotionOptimizer
from poise.methods.correct.paper import known_candidates
from poise.methods.correct.rest_heights import rest_heights_m
from poise.methods.correct.settings import FEET, HANDS, KNEES, Settings, settings_for
from poise.methods.correct.smoothing import smoothed
from poise.methods.edit import Edit
from poise.motion import Clip, resample
from tests.shared_data import MOCAP

RECIPES = Path(__file__).resolve().parents[1] / "examples" / "recipes" / "correct"


@dataclass(frozen=True)
class Motion:
    """One of the paper's experiments, and what Tables 2 and 3 say of it."""

    name: str
    clip: str
    preset: str
    frames: int
    """At the working rate."""
    motion_s: float
    """Seconds of the motion optimizer,"""
    contacts_s: float
    """and of the contact optimizer, on eight cores."""
    diversity: float
    force_n: float
    candidates: tuple[str, ...] = ()
    """Ours, where they are not the preset's."""
    first_s: float = 0.0
    """Where the part that is taken begins."""
    longest: int | None = None
    """Frames at the working rate that are taken of a clip that is longer."""
    place: str | None = None
    rate_hz: float | None = None
    """Where the file's header is wrong."""


MOTIONS = {
    motion.name: motion
    for motion in (
        Motion("walking", "02_01", "walk", 85, 13.2, 17.7, 15, 200, longest=85),
        Motion("running", "09_01", "run", 43, 8.5, 13.2, 15, 500),
        Motion(
            "standing up", "140_08", "floor", 162, 4.98, 92.68, 30, 1000, FEET + HANDS + KNEES,
            first_s=2.0, longest=162,
        ),
        Motion("cartwheel", "90_02", "acrobatic", 255, 11.90, 73.51, 20, 1000),
        Motion("dancing", "05_02", "dance", 254, 11.9, 94.8, 20, 1000),
        Motion("rolling", "128_11", "roll", 210, 8.50, 153.29, 20, 200),
        Motion(
            "sitting", "143_18", "seat", 238, 11.58, 112.98, 20, 300, place="chair", rate_hz=60.0
        ),
    )
}  # fmt: skip
"""The CMU clips of the same kinds; which ones the paper took it does not say."""


@dataclass(frozen=True, eq=False)
class Ready:
    """A clip at the working rate, and an optimizer for it."""

    given: Subject
    settings: Settings
    working: Clip
    mesh: Mesh
    rest_m: NDArray[np.float64]

    def optimizer(self) -> MotionOptimizer:
        """One that has done nothing yet."""
        return MotionOptimizer(
            self.mesh,
            vertices_of(self.mesh, self.working),
            self.working.rate_hz,
            self.given.environment,
            self.settings,
            self.rest_m,
        )

    def detected(self) -> NDArray[np.bool_]:
        """(T, B) the detector's contacts at the working rate."""
        given = self.given
        schedule = detect_contacts(given.clip, given.character, given.environment)
        return known_candidates(
            schedule, self.mesh, vertices_of(self.mesh, self.working), given.environment,
            self.rest_m, self.working.rate_hz,
        )  # fmt: skip


def captured(name: str) -> bool:
    """Whether the clip of a motion is there."""
    return (MOCAP / "cmu" / f"{MOTIONS[name].clip}.bvh").is_file()


@cache
def taken(name: str) -> Subject:
    """The part of the clip that is corrected."""
    motion = MOTIONS[name]
    place = None if motion.place is None else RECIPES / f"{motion.place}.yaml"
    asked = replace(AS_IT_IS, environment=place and str(place))
    given = measurable(MOCAP / "cmu" / f"{motion.clip}.bvh", asked)
    clip = given.clip
    if motion.rate_hz is not None:
        clip = replace(clip, rate_hz=motion.rate_hz)
    first = round(motion.first_s * clip.rate_hz)
    last = clip.frame_count
    if motion.longest is not None:
        rate = settings_of(name).working_rate_hz
        last = min(last, first + round((motion.longest - 1) * clip.rate_hz / rate) + 1)
    return replace(given, clip=replace(clip.sliced(first, last), source=None))


def settings_of(name: str, **chosen: object) -> Settings:
    """The paper's mode for a motion: its preset and candidates, and what is chosen besides."""
    motion = MOTIONS[name]
    if motion.candidates:
        chosen = {"candidates": motion.candidates, **chosen}
    return settings_for(motion.preset, **{"mode": "paper", **chosen})


def edit_of(name: str) -> Edit:
    """What a correction of it is asked."""
    given = taken(name)
    return Edit(clip=given.clip, character=given.character, environment=given.environment)


def ready(name: str, **chosen: object) -> Ready:
    """All that `mode: paper` prepares before it looks for contacts."""
    given, settings = taken(name), settings_of(name, **chosen)
    clip = smoothed(given.clip, settings.smoothing_s)
    working = resample(clip, min(settings.working_rate_hz, clip.rate_hz))
    assert settings.candidates is not None
    mesh = motion_mesh(given.character, settings.candidates, extra_edges=settings.extra_edges)
    rest = rest_heights_m(mesh, working, given.character, given.environment)
    return Ready(given, settings, working, mesh, rest)
