"""Samples with slide, float and noise put in: their true contacts and the clean motion come back.

What is not yet so is marked with what it is instead, strictly: a mark that no longer holds fails.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from poise import samples
from poise.arrays import Array
from poise.character import Character
from poise.contact import contact_agreement
from poise.environment import Environment
from poise.mechanics import forward_kinematics
from poise.methods.correct import run
from poise.methods.correct.settings import settings_for
from poise.methods.edit import Edit
from poise.methods.result import Result
from poise.motion import Clip
from poise.samples import Sample

LEAST_F1 = 0.98
FARTHEST_M = 0.0162
"""Mean distance of joints in the world from where they are in the clean clip."""

PRESETS = {"walk": "walk", "run": "run", "jump": "run", "hop": "run", "squat": "walk"}
DEFECTS: dict[str, Callable[[Sample], Sample]] = {
    "slide": lambda sample: samples.with_foot_slide(sample, 10.0),
    "slide ahead": lambda sample: samples.with_foot_slide(sample, 10.0, (0.0, 0.0, 1.0)),
    "float": lambda sample: samples.with_float(sample, 3.0),
    "noise": lambda sample: samples.with_noise(sample, 1.0),
    "all": lambda sample: samples.with_noise(
        samples.with_float(samples.with_foot_slide(sample, 10.0), 3.0), 1.0
    ),
}
CASES = [
    *(("walk", defect) for defect in DEFECTS),
    *((name, defect) for name in ("run", "jump", "hop", "squat") for defect in ("float", "all")),
]

F1_INSTEAD: dict[tuple[str, str], float] = {("run", "all"): 0.961}
"""Noise makes each of a runner's short stances a frame or two longer."""
CM_INSTEAD: dict[tuple[str, str], float] = {}


@cache
def damaged(name: str, defect: str) -> Sample:
    return DEFECTS[defect](samples.SAMPLES[name]())


@cache
def athlete() -> Character:
    """Twice as strong as people are: the samples' jumps ask for 1.4 to 1.6 times their strength,
    and would be made less of."""
    character = samples.sample_character()
    assert character.strength is not None
    limits = np.array(character.strength.limits_nm)
    limits[np.isfinite(limits)] *= 2.0
    return replace(character, strength=replace(character.strength, limits_nm=limits))


@cache
def corrected(name: str, defect: str) -> Result:
    edit = Edit(
        clip=damaged(name, defect).clip,
        character=athlete(),
        environment=Environment.flat(),
    )
    return run(edit, settings_for(PRESETS[name]))


def joints_m(clip: Clip) -> Array:
    return forward_kinematics(clip.skeleton, *clip.pose).positions_m


def away_m(clip: Clip, name: str) -> float:
    """Mean distance in the world from the clean sample."""
    gaps = joints_m(clip) - joints_m(samples.SAMPLES[name]().clip)
    return float(np.linalg.norm(gaps, axis=2).mean())


def cases(instead: dict[tuple[str, str], float], unit: str) -> list[object]:
    return [
        pytest.param(
            *case,
            marks=[pytest.mark.xfail(strict=True, reason=f"{instead[case]:g} {unit} instead")]
            if case in instead
            else [],
        )
        for case in CASES
    ]


@pytest.mark.parametrize(("name", "defect"), cases(F1_INSTEAD, "F1"))
def test_the_true_contacts_of_a_damaged_sample_are_found(name: str, defect: str) -> None:
    found = corrected(name, defect).contacts
    assert found is not None
    agreement = contact_agreement(found, samples.SAMPLES[name]().contacts)
    assert min(part.f1 for part in agreement.values()) >= LEAST_F1


@pytest.mark.parametrize(("name", "defect"), cases(CM_INSTEAD, "cm"))
def test_the_clean_motion_of_a_damaged_sample_comes_back(name: str, defect: str) -> None:
    assert away_m(corrected(name, defect).clip, name) <= FARTHEST_M


@pytest.mark.parametrize("defect", ["slide", "slide ahead", "float", "all"])
def test_the_defects_put_in_are_larger_than_what_is_asked(defect: str) -> None:
    assert away_m(damaged("walk", defect).clip, "walk") > 1.8 * FARTHEST_M
