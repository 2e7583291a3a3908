"""Leaps to be edited, as spacetime problems: the first that `momentum` solves for an edit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from poise.character import complete_character, with_ranges
from poise.constraints.stage_edits import StageEdit
from poise.contact import estimate_ground
from poise.environment import Environment
from poise.footing import clearance_tasks
from poise.formats import load_clip
from poise.methods.edit import Edit
from poise.methods.momentum.plan import captured, leap_of, wanted
from poise.methods.momentum.problem import Problem, build, footing
from poise.methods.momentum.settings import Settings
from poise.methods.momentum.solve_leap import NEAR_M
from poise.motion import Clip, resample
from poise.motion.cleanup import clean
from poise.samples import SAMPLES, sample_character


def captured_leap(path: Path, frames: tuple[int, int], rate_hz: float) -> Edit:
    """Part of a real clip at another rate."""
    clip, _ = clean(load_clip(path))
    return leap_edit(resample(clip.sliced(*frames), rate_hz))


def leap_edit(clip: Clip) -> Edit:
    character = with_ranges(complete_character(clip.skeleton), clip.rotations_wxyz)
    return Edit(clip, character, (), Environment((estimate_ground(clip, character)[0],)))


def sample_leap(rate_hz: float) -> Edit:
    """A jump made by code."""
    sample = SAMPLES["jump"](rate_hz=rate_hz)
    character = with_ranges(sample_character(), sample.clip.rotations_wxyz)
    return Edit(sample.clip, character, (), Environment.flat(), sample.contacts)


def problem_of(edit: Edit, asked: Sequence[StageEdit]) -> Problem:
    settings = Settings()
    base = captured(edit, settings)
    leap = leap_of(base, wanted(asked, base))
    held, movers, scene = footing(leap)
    above = clearance_tasks(scene, scene.state, held, movers, -NEAR_M, posed=True)
    return build(leap, [*held, *leap.tops, *above], settings)
