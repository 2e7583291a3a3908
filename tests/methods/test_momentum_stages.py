"""Stages of leaps, the gravity of their flights, and the momentum curves of what lies between."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from poise.arrays import Array
from poise.character import Character, complete_character
from poise.contact import ContactSchedule, detect_contacts, estimate_ground
from poise.environment import Environment
from poise.errors import BadValue
from poise.formats import load_clip
from poise.mechanics import center_of_mass, forward_kinematics
from poise.methods.momentum.momentum_curves import (
    CURVES,
    FEWEST_KNOTS,
    KNOTS_PER_S,
    VERTICAL,
    StageMomentum,
    captured_momentum,
    fit_stage,
)
from poise.methods.momentum.stages import Stage, fallen, stages_at, stages_of
from poise.motion import Clip
from poise.motion.cleanup import clean
from poise.samples import SAMPLES, sample_character
from tests.shared_data import MOCAP, needs_mocap

G = 9.81


@cache
def real(name: str) -> tuple[Clip, Character, ContactSchedule]:
    clip, _ = clean(load_clip(MOCAP / "cmu" / f"{name}.bvh"))
    character = complete_character(clip.skeleton)
    place = Environment((estimate_ground(clip, character)[0],))
    return clip, character, detect_contacts(clip, character, place)


# Stages


@pytest.mark.parametrize("name", ["jump", "hop", "run"])
def test_stages_of_a_sample_alternate_and_fall_as_nature_has_it(name: str) -> None:
    sample = SAMPLES[name]()
    found = stages_of(sample.clip, sample_character(), sample.contacts)
    assert found[0].first == 0 and found[-1].stop == sample.clip.frame_count
    for a, b in pairwise(found):
        assert a.stop == b.first and a.kind != b.kind
    touches = sample.contacts.touching.any(axis=1)
    for stage in found:
        assert (touches[stage.first : stage.stop] == (stage.kind == "ground")).all()
        if stage.kind == "flight":
            assert stage.gravity_m_s2 == pytest.approx(G, rel=0.02)
            assert stage.off_m < 0.002


@needs_mocap
@pytest.mark.parametrize("name", ["02_04", "13_11", "118_05", "124_11", "83_40"])
def test_real_jumps_have_flights_that_fall(name: str) -> None:
    found = [stage for stage in stages_of(*real(name)) if stage.kind == "flight"]
    assert found
    longest = max(found, key=lambda stage: stage.frame_count)
    assert longest.gravity_m_s2 == pytest.approx(G, rel=0.15)
    assert longest.off_m < 0.01


def test_half_the_rate_is_a_quarter_of_the_gravity() -> None:
    jump = SAMPLES["jump"]()
    slow = replace(jump.clip, rate_hz=0.5 * jump.clip.rate_hz)
    true = stages_of(jump.clip, sample_character(), jump.contacts)
    edges = [stage.first for stage in true[1:]]
    told = stages_at(slow, sample_character(), edges)
    assert [s.kind for s in told] == [s.kind for s in true]
    for a, b in zip(true, told, strict=True):
        if a.kind == "flight":
            assert b.gravity_m_s2 == pytest.approx(0.25 * a.gravity_m_s2, rel=1e-9)


def test_a_thrown_point_shows_its_gravity_and_how_far_it_is_off() -> None:
    times = np.arange(50) / 100.0
    path = np.stack([2.0 * times, 1.0 + 3.0 * times - 0.5 * 4.2 * times**2, -times], axis=1)
    gravity, off = fallen(path, 100.0)
    assert gravity == pytest.approx(4.2) and off < 1e-12
    # Shaken to the sides by 3 mm: its gravity is the same, and the shake is seen.
    path[:, 0] += 0.003 * np.where(np.arange(50) % 2, 1.0, -1.0)
    gravity, off = fallen(path, 100.0)
    assert gravity == pytest.approx(4.2) and off == pytest.approx(0.003, rel=0.05)


def test_what_is_no_leap_is_refused() -> None:
    stand = SAMPLES["squat"]()
    with pytest.raises(BadValue, match="leaves the ground"):
        stages_of(stand.clip, sample_character(), stand.contacts)
    jump = SAMPLES["jump"]().clip
    with pytest.raises(BadValue, match="rising frames"):
        stages_at(jump, sample_character(), [90, 60])
    with pytest.raises(BadValue, match="at least 4 frames"):
        stages_at(jump, sample_character(), [60, 62])


# Momentum curves


def fitted(clip: Clip, character: Character, stages: tuple[Stage, ...]) -> list[StageMomentum]:
    assert character.body is not None
    momenta, mass = captured_momentum(clip, character), character.body.total_mass_kg
    return [
        fit_stage(stages, i, momenta, clip.rate_hz, mass)
        for i, stage in enumerate(stages)
        if stage.kind == "ground"
    ]


def test_momentum_is_known_between_frames_as_the_way_of_the_centre_of_mass() -> None:
    clip, character = SAMPLES["jump"]().clip, sample_character()
    assert character.body is not None
    momenta = captured_momentum(clip, character)
    assert momenta.shape == (clip.frame_count - 1, len(CURVES))
    center = center_of_mass(forward_kinematics(clip.skeleton, *clip.pose), character.body)
    ways = np.diff(center, axis=0) * clip.rate_hz
    seen = momenta[:, :3] / character.body.total_mass_kg

    def off(a: Array, b: Array) -> float:
        return float(np.sqrt(np.mean((a - b) ** 2)))

    # Smoothed, so not exactly; but half an interval beside is farther off.
    assert off(seen, ways) < 0.004
    assert off(seen, ways) < 0.3 * off(0.5 * (seen[1:] + seen[:-1]), ways[1:])


def assert_curves_hold(clip: Clip, character: Character, stages: tuple[Stage, ...]) -> None:
    assert character.body is not None
    momenta, mass = captured_momentum(clip, character), character.body.total_mass_kg
    for curve_set in fitted(clip, character, stages):
        stage = curve_set.stage
        index = stages.index(stage)
        # From the interval across the boundary of one flight to that across the next.
        first, last = curve_set.first, curve_set.first + curve_set.sample_count - 1
        assert first == (stage.first - 1 if index > 0 else 0)
        assert last == (stage.stop - 1 if index + 1 < len(stages) else len(momenta) - 1)
        ends = np.array([0.0, (last - first) / clip.rate_hz])
        for c, curve in enumerate(curve_set.curves):
            seen = momenta[[first, last], c]
            np.testing.assert_allclose(curve(ends), seen, atol=1e-9 * (1.0 + np.abs(seen).max()))
            start, end = curve(ends, 1)
            if index > 0 and c != VERTICAL:
                assert start == pytest.approx(0.0, abs=1e-6 * mass)
            if index + 1 < len(stages):
                gravity = stages[index + 1].gravity_m_s2
                wanted = -mass * gravity if c == VERTICAL else 0.0
                assert end == pytest.approx(wanted, abs=1e-6 * mass)


@pytest.mark.parametrize("name", ["jump", "hop"])
def test_curves_of_samples_meet_their_ends_and_go_on_into_flights(name: str) -> None:
    sample = SAMPLES[name]()
    stages = stages_of(sample.clip, sample_character(), sample.contacts)
    assert_curves_hold(sample.clip, sample_character(), stages)


@needs_mocap
@pytest.mark.parametrize("name", [pytest.param("02_04", marks=pytest.mark.slow), "13_11"])
def test_curves_of_real_jumps_are_close_to_what_was_captured(name: str) -> None:
    clip, character, contacts = real(name)
    stages = stages_of(clip, character, contacts)
    assert_curves_hold(clip, character, stages)
    momenta = captured_momentum(clip, character)
    for curve_set in fitted(clip, character, stages):
        stage = curve_set.stage
        if stage.frame_count < 0.2 * clip.rate_hz:
            continue
        first = curve_set.first
        size = np.ptp(momenta[first : first + curve_set.sample_count], axis=0)
        # Of the vertical push, which leaps are about, nearly nothing is lost.
        assert curve_set.off[VERTICAL] < 0.08 * size[VERTICAL]
        assert len(curve_set.off) == len(CURVES)


@pytest.mark.parametrize("per_s", [4.0, KNOTS_PER_S])
def test_long_stages_have_more_knots(per_s: float) -> None:
    jump, character = SAMPLES["jump"](), sample_character()
    momenta, rate = captured_momentum(jump.clip, character), jump.clip.rate_hz
    stages = stages_of(jump.clip, character, jump.contacts)
    for i in (0, 2):
        found = fit_stage(stages, i, momenta, rate, 70.0, per_s)
        inside = round(found.sample_count / rate * per_s)
        assert inside > FEWEST_KNOTS
        assert [len(curve.control) for curve in found.curves] == [inside + 4] * len(CURVES)


def test_stages_that_no_spline_fits_into_are_refused() -> None:
    jump = SAMPLES["jump"]()
    momenta, fewest = captured_momentum(jump.clip, sample_character()), FEWEST_KNOTS + 3
    stages = stages_at(jump.clip, sample_character(), [60, 80, 80 + fewest - 1, 100])
    with pytest.raises(BadValue, match=f"at least {fewest} frames.* got {fewest - 1}"):
        fit_stage(stages, 2, momenta, jump.clip.rate_hz, 70.0)
    stages = stages_at(jump.clip, sample_character(), [60, 80, 80 + fewest, 100])
    assert fit_stage(stages, 2, momenta, jump.clip.rate_hz, 70.0).sample_count == fewest + 1


def test_a_short_stage_at_an_end_is_told_how_long_it_has_to_be() -> None:
    # It has one interval fewer than others: there is a flight on one side only.
    jump = SAMPLES["jump"]()
    momenta, fewest = captured_momentum(jump.clip, sample_character()), FEWEST_KNOTS + 4
    for frames in (fewest - 1, fewest):
        stages = stages_at(jump.clip, sample_character(), [frames, 40])
        if frames < fewest:
            with pytest.raises(BadValue, match=f"at least {fewest} frames.* got {frames}"):
                fit_stage(stages, 0, momenta, jump.clip.rate_hz, 70.0)
        else:
            assert fit_stage(stages, 0, momenta, jump.clip.rate_hz, 70.0).sample_count == fewest
