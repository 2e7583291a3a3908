"""What was put in comes out: every measure of a damaged sample against its injected size."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from poise.contact import check_gravity, contact_agreement, detect_contacts
from poise.environment import Environment
from poise.measures.evaluate import Evaluation, evaluate
from poise.samples import (
    SAMPLES,
    Sample,
    sample_character,
    with_float,
    with_foot_slide,
    with_lean,
    with_noise,
    with_penetration,
    with_rotation_noise,
    with_wrong_rate,
)

PLACE = Environment.flat()
DEFECTS = {
    "slide 5": lambda s: with_foot_slide(s, 5.0),
    "slide 20": lambda s: with_foot_slide(s, 20.0),
    "sink 2": lambda s: with_penetration(s, 2.0),
    "float 1.5": lambda s: with_float(s, 1.5),
    "noise 1": lambda s: with_noise(s, 1.0),
    "rotation noise 0.5": lambda s: with_rotation_noise(s, 0.5),
}


@cache
def made(name: str) -> Sample:
    return SAMPLES[name]()


def evaluated(sample: Sample, clean: Sample | None = None) -> Evaluation:
    return evaluate(
        sample.clip,
        sample_character(),
        PLACE,
        contacts=sample.contacts,
        against=None if clean is None else clean.clip,
    )


@pytest.mark.parametrize("name", ["walk", "run", "squat"])
@pytest.mark.parametrize("defect", DEFECTS)
def test_measures_return_the_injected_size(name: str, defect: str) -> None:
    clean = made(name)
    damaged = DEFECTS[defect](clean)
    (injected,) = damaged.injected
    measured = evaluated(damaged, clean).value(injected.measure)
    assert measured == pytest.approx(injected.expected, rel=0.02)


@pytest.mark.parametrize("beyond_cm", [1.0, 6.0])
def test_a_lean_is_measured_as_injected(beyond_cm: float) -> None:
    leaning = with_lean(made("stand"), beyond_cm)
    assert evaluated(leaning).value("zmp_excursion.mean") == pytest.approx(beyond_cm, rel=1e-6)


@pytest.mark.parametrize("name", ["jump", "hop"])
@pytest.mark.parametrize("factor", [1.0, 2.0, 0.5])
def test_a_wrong_rate_is_found_by_the_gravity_it_shows(name: str, factor: float) -> None:
    sample = made(name) if factor == 1.0 else with_wrong_rate(made(name), factor)
    check = check_gravity(sample.clip, sample_character(), PLACE)
    assert check.verdict == ("right" if factor == 1.0 else "wrong")
    assert check.gravity_m_s2 == pytest.approx(9.81 * factor**2, rel=0.01)


def test_a_clean_walk_is_physical() -> None:
    result = evaluated(made("walk"))
    assert result.value("foot_slide.mean") < 0.2
    assert result.value("penetration.deepest") < 1e-3
    assert result.value("zmp_excursion.mean") < 1e-3
    assert result.value("root_wrench.force") < 1e-3
    assert result.value("torque_excess.worst") < 1.0


@pytest.mark.parametrize(("name", "least"), [("walk", 0.94), ("run", 0.98), ("jump", 0.98)])
def test_detection_finds_the_contacts(name: str, least: float) -> None:
    sample = made(name)
    found = detect_contacts(sample.clip, sample_character(), PLACE)
    agreement = contact_agreement(found, sample.contacts)
    assert np.mean([part.f1 for part in agreement.values()]) > least
