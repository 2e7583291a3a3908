"""Walks that are faster than people walk: a doubt about the frame rate where nobody flies."""

from __future__ import annotations

from dataclasses import replace

import pytest

from poise.character import complete_character
from poise.contact import check_gait
from poise.formats import load_clip
from poise.job import MUST_BE_CLEANED, Recipe, Step, subject
from poise.methods.correct import Settings
from poise.motion.cleanup import clean
from poise.samples import SAMPLES, sample_character, walking, with_noise, with_wrong_rate
from tests.shared_data import MOCAP, needs_mocap


def test_the_made_walk_is_measured_and_not_doubted() -> None:
    found = check_gait(walking().clip, sample_character())
    assert found is not None and not found.hurried
    assert found.steps >= 5
    assert found.steps_a_minute == pytest.approx(2 * 60 / 1.08, rel=0.03)
    assert found.speed_m_s == pytest.approx(1.24 / 1.08, rel=0.03)


def test_at_twice_its_rate_it_is_doubted_and_the_true_one_is_named() -> None:
    found = check_gait(with_wrong_rate(walking(8.0), 2.0).clip, sample_character())
    assert found is not None and found.hurried
    assert f"{0.5 * found.rate_hz:g}" in found.note and "--set clip.capture_rate_hz" in found.note


def test_noise_raises_no_doubt() -> None:
    found = check_gait(with_noise(walking(), 5.0).clip, sample_character())
    assert found is None or not found.hurried


@pytest.mark.parametrize("name", ["run", "jump", "hop", "reach", "golf", "squat", "stand"])
def test_what_is_no_walk_is_not_judged(name: str) -> None:
    assert check_gait(SAMPLES[name]().clip, sample_character()) is None


def test_a_doubt_is_a_note_and_stops_nothing() -> None:
    clip = with_wrong_rate(walking(8.0), 2.0).clip
    found = subject(Recipe([Step("correct", Settings())]), clip)
    assert any("Rate in doubt" in note for note in found.said)
    assert found.rate is not None and found.rate.verdict == "unverified"


@needs_mocap
@pytest.mark.parametrize(
    ("name", "doubted"),
    [("cmu_random/103_07", True), ("cmu/02_01", False), ("cmu/07_01", False), ("cmu/07_12", False),
     ("cmu_random/104_21", False), ("cmu_random/136_20", False)],
)  # fmt: skip
def test_real_walks(name: str, doubted: bool) -> None:
    clip, _ = clean(load_clip(MOCAP / f"{name}.bvh"), MUST_BE_CLEANED)
    found = check_gait(clip, complete_character(clip.skeleton))
    assert found is not None and found.hurried == doubted
    if not doubted:
        twice = check_gait(replace(clip, rate_hz=240.0), complete_character(clip.skeleton))
        assert twice is not None and twice.steps_a_minute == pytest.approx(2 * found.steps_a_minute)
