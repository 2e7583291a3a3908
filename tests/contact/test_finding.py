"""Contacts by all evidence: against force plates, made truths, and what must not matter."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise import rotations
from poise.contact import ContactSchedule, FoundContacts, contact_agreement, detect_contacts
from poise.contact import find_contacts as find
from poise.environment import Environment
from poise.errors import UnknownName
from poise.mechanics import forward_kinematics
from poise.motion import Clip
from poise.samples import SAMPLES, Sample, sample_character, with_float, with_noise
from tests.contact.force_plates import FEET, Trial, spoiled, trial, trial_paths
from tests.contact.rigid_clips import human, rigid_clip
from tests.shared_data import needs_mocap

FLOOR = Environment.flat()


@cache
def made(name: str) -> Sample:
    return SAMPLES[name]()


@cache
def found(name: str) -> FoundContacts:
    sample = made(name)
    return find(sample.clip, sample_character(), sample.environment)


def f1(schedule: ContactSchedule, true: ContactSchedule, part: str) -> float:
    return contact_agreement(schedule, true, parts=(part,))[part].f1


def plate_f1(given: Trial, schedule: ContactSchedule) -> list[float]:
    agreement = contact_agreement(schedule, given.truth, valid=given.valid, parts=FEET)
    return [part.f1 for part in agreement.values()]


def both_ways(trials: list[Trial]) -> tuple[np.ndarray, np.ndarray]:
    detector, evidence = list[float](), list[float]()
    for one in trials:
        place = one.environment
        detector += plate_f1(one, detect_contacts(one.clip, one.character, place, FEET))
        evidence += plate_f1(one, find(one.clip, one.character, place or FLOOR).schedule)
    return np.array(detector), np.array(evidence)


@needs_mocap
def test_feet_agree_with_the_force_plates_as_well_as_the_detector_or_better() -> None:
    detector, evidence = both_ways([trial(path) for path in trial_paths()])
    assert evidence.mean() >= detector.mean()
    assert evidence.mean() >= 0.98 and evidence.min() >= 0.94


@needs_mocap
@pytest.mark.parametrize(
    ("noise_m", "rate_hz", "better", "least"),
    [
        (0.005, None, 0.003, 0.97),
        (0.015, None, 0.02, 0.95),
        (0.0, 30.0, 0.0, 0.975),
        (0.015, 30.0, 0.02, 0.92),
    ],
)
def test_noise_and_few_frames_harm_it_less_than_the_detector(
    noise_m: float, rate_hz: float | None, better: float, least: float
) -> None:
    trials = [spoiled(trial(path), noise_m=noise_m, rate_hz=rate_hz) for path in trial_paths()]
    detector, evidence = both_ways(trials)
    assert evidence.mean() >= detector.mean() + better
    assert evidence.mean() >= least


@pytest.mark.parametrize(
    ("name", "part", "least"),
    [
        ("walk", "left_foot", 0.98),
        ("run", "right_foot", 0.97),
        ("jump", "left_foot", 0.98),
        ("squat", "right_foot", 0.99),
        ("sit", "pelvis", 0.90),
        ("kneel", "left_hand", 0.95),
        ("kneel", "right_knee", 0.95),
        ("getup", "pelvis", 0.88),
        ("cartwheel", "left_hand", 0.85),
        ("cartwheel", "right_hand", 0.85),
        ("cartwheel", "left_foot", 0.95),
    ],
)
def test_true_contacts_of_every_part_are_found(name: str, part: str, least: float) -> None:
    assert f1(found(name).schedule, made(name).contacts, part) >= least


@pytest.mark.parametrize("name", ["walk", "run", "reach", "golf", "squat", "cartwheel", "sit"])
def test_parts_that_touch_nothing_are_not_found(name: str) -> None:
    schedule, true = found(name).schedule, made(name).contacts
    touched = {part for part in schedule.parts if schedule.column(part).any()}
    assert touched == {part for part in true.parts if true.column(part).any()}
    assert not found(name).unknown.any()


@pytest.mark.parametrize("name", ["walk", "jump", "kneel"])
def test_noise_of_five_millimetres_changes_little(name: str) -> None:
    noisy = with_noise(made(name), 5.0)
    schedule = find(noisy.clip, sample_character(), FLOOR).schedule
    for part in FEET:
        assert f1(schedule, noisy.contacts, part) >= 0.96


def test_a_part_that_may_not_touch_is_not_found() -> None:
    sample = made("cartwheel")
    allowed = ("left_foot", "right_foot", "right_hand")
    schedule = find(sample.clip, sample_character(), FLOOR, allowed).schedule
    assert not schedule.column("left_hand").any()
    assert schedule.column("right_hand").any()
    with pytest.raises(UnknownName, match="right_hand"):
        find(sample.clip, sample_character(), FLOOR, ("right_hnd",))


@pytest.mark.parametrize("name", ["walk", "cartwheel", "kneel"])
def test_confidence_is_a_probability_and_lower_at_the_edges(name: str) -> None:
    schedule = found(name).schedule
    sure = schedule.confidence
    assert sure is not None and np.isfinite(sure).all()
    assert sure.min() >= 0.0 and sure.max() <= 1.0 + 1e-9
    assert np.isfinite(found(name).unexplained).all() and (found(name).unexplained >= 0.0).all()
    for part in FEET:
        flags, column = schedule.column(part), sure[:, schedule.parts.index(part)]
        edges = np.flatnonzero(np.diff(flags.astype(int)))
        assert column[edges].mean() < column.mean()


def moved(clip: Clip, turn: np.ndarray, shift: np.ndarray) -> Clip:
    q = clip.rotations_wxyz.copy()
    q[:, 0] = rotations.multiply(turn, q[:, 0])
    roots = rotations.rotate(turn, clip.root_positions_m) + shift
    return replace(clip, root_positions_m=roots, rotations_wxyz=q)


@settings(max_examples=6, deadline=None)
@given(angle=st.floats(-3.0, 3.0), x=st.floats(-50.0, 50.0), z=st.floats(-50.0, 50.0))
@pytest.mark.parametrize("name", ["walk", "cartwheel"])
def test_turning_and_moving_the_world_changes_nothing(name, angle, x, z) -> None:
    sample = made(name)
    turn = rotations.from_axis_angle([0.0, 1.0, 0.0], np.asarray(angle))
    elsewhere = moved(sample.clip, turn, np.array([x, 0.0, z]))
    again = find(elsewhere, sample_character(), FLOOR).schedule
    differing = (again.touching != found(name).schedule.touching).sum(axis=0)
    # Round-off may decide a frame in which nothing else does.
    assert differing.max() <= 1


def mirrored(clip: Clip) -> Clip:
    """Left and right exchanged: the world seen in the plane X = 0."""
    names = clip.skeleton.joint_names
    swap = [names.index(_other(name)) for name in names]
    q = clip.rotations_wxyz[:, swap] * np.array([1.0, 1.0, -1.0, -1.0])
    roots = clip.root_positions_m * np.array([-1.0, 1.0, 1.0])
    return replace(clip, root_positions_m=roots, rotations_wxyz=q)


def _other(name: str) -> str:
    for a, b in (("Left", "Right"), ("Right", "Left"), ("left", "right"), ("right", "left")):
        if name.startswith(a):
            return b + name[len(a) :]
    return name


@pytest.mark.parametrize("name", ["walk", "kneel", "cartwheel"])
def test_a_mirrored_clip_has_mirrored_contacts(name: str) -> None:
    clip = mirrored(made(name).clip)
    back = mirrored(clip)
    places = [forward_kinematics(c.skeleton, *c.pose).positions_m for c in (back, made(name).clip)]
    np.testing.assert_allclose(*places, atol=1e-9)
    schedule, straight = find(clip, sample_character(), FLOOR).schedule, found(name).schedule
    for part in straight.parts:
        assert (schedule.column(_other(part)) != straight.column(part)).sum() <= 2, part


@pytest.mark.parametrize("frames", [1, 2, 3, 4, 5, 8])
def test_very_short_clips_work(frames: int) -> None:
    result = find(rigid_clip(np.zeros((frames, 3))), human(), FLOOR)
    assert result.schedule.frame_count == frames == len(result.unknown) == len(result.unexplained)
    assert result.schedule.column("left_foot").all() and result.schedule.column("right_foot").all()
    assert result.schedule.confidence is not None
    assert np.isfinite(result.schedule.confidence).all()


def test_who_floats_far_over_the_floor_stands_on_something_unknown() -> None:
    result = find(with_float(made("squat"), 100.0).clip, sample_character(), FLOOR)
    assert not result.schedule.touching.any()
    assert result.unknown.mean() > 0.9


def test_who_falls_stands_on_nothing() -> None:
    times = np.arange(100) / 100.0
    falling = np.zeros((100, 3))
    falling[:, 1] = 8.0 - 0.5 * 9.81 * times**2
    result = find(rigid_clip(falling), human(), FLOOR)
    assert not result.schedule.touching.any() and not result.unknown.any()


def test_the_same_clip_gives_the_same_contacts() -> None:
    again = find(made("kneel").clip, sample_character(), FLOOR)
    np.testing.assert_array_equal(again.schedule.touching, found("kneel").schedule.touching)
    np.testing.assert_array_equal(again.unexplained, found("kneel").unexplained)
