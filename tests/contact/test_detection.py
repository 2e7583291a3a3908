"""Contact detection: against force plates, spoiled on purpose, and where the truth is made."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise.contact import contact_agreement, detect_contacts
from poise.contact.agreement import PartAgreement
from poise.contact.schedule import ContactSchedule
from poise.environment import Environment
from poise.errors import BadValue, UnknownName
from poise.formats import load_clip
from poise.mechanics import forward_kinematics, site_positions
from poise.motion.cleanup import clean
from tests.contact.force_plates import FEET, Trial, spoiled, trial, trial_paths
from tests.contact.rigid_clips import hop_heights_m, human, rigid_clip, upward
from tests.shared_data import MOCAP, needs_mocap

GOAL_MEAN, GOAL_LOWEST, GOAL_EVENT_MS = 0.975, 0.94, 25.0


def found_in(given: Trial) -> ContactSchedule:
    return detect_contacts(given.clip, given.character, given.environment, FEET)


def compared(trials: list[Trial]) -> list[PartAgreement]:
    results: list[PartAgreement] = []
    for given in trials:
        results += contact_agreement(found_in(given), given.truth, valid=given.valid).values()
    return results


def by_thresholds(given: Trial) -> ContactSchedule:
    """What detection has to beat: below 3 cm over its lowest, and slower than 0.7 m/s."""
    state = forward_kinematics(given.clip.skeleton, *given.clip.pose)
    sites = given.character.sites
    places = site_positions(state, sites)
    velocities = np.gradient(places, axis=0) * given.clip.rate_hz
    if given.environment is not None:
        velocities = velocities - given.environment.grounds[0].belt_velocity_m_s
    heights = places[..., 1] - np.percentile(places[..., 1], 5, axis=0)
    touches = (heights < 0.03) & (np.linalg.norm(velocities, axis=-1) < 0.7)
    points = ("heel", "ball", "toe_tip")
    columns = [[sites.index(f"{side}_{p}") for p in points] for side in ("left", "right")]
    flags = np.stack([touches[:, c].any(axis=1) for c in columns], axis=1)
    return ContactSchedule(FEET, flags, given.clip.rate_hz)


@needs_mocap
def test_feet_agree_with_the_force_plates() -> None:
    results = compared([trial(path) for path in trial_paths()])
    f1 = np.array([r.f1 for r in results])
    assert f1.mean() >= GOAL_MEAN
    assert f1.min() >= GOAL_LOWEST
    onsets = np.concatenate([r.onsets.errors_ms for r in results])
    offsets = np.concatenate([r.offsets.errors_ms for r in results])
    assert len(onsets) >= 20 and len(offsets) >= 20
    assert np.abs(onsets).mean() <= GOAL_EVENT_MS
    assert np.abs(offsets).mean() <= GOAL_EVENT_MS
    # Early and late must balance: a bias would be a wrong rule, not a hard case.
    assert abs(onsets.mean()) < 10 and abs(offsets.mean()) < 10


@needs_mocap
def test_it_beats_plain_thresholds() -> None:
    trials = [trial(path) for path in trial_paths()]
    plain = [
        r.f1
        for given in trials
        for r in contact_agreement(by_thresholds(given), given.truth, valid=given.valid).values()
    ]
    ours = [r.f1 for r in compared(trials)]
    assert np.mean(ours) > np.mean(plain) + 0.01
    assert np.min(ours) > np.min(plain) + 0.05


@needs_mocap
@pytest.mark.parametrize(
    ("spoil", "mean", "lowest"),
    [
        ({"offset_m": 0.05}, 0.975, 0.94),
        ({"offset_m": -0.05}, 0.975, 0.94),
        ({"slope": 0.02}, 0.975, 0.94),
        ({"slope": -0.02}, 0.975, 0.94),
        ({"noise_m": 0.0003}, 0.975, 0.94),
        ({"noise_m": 0.001}, 0.97, 0.93),
        # A frame of 33 ms is a tenth of a running stance.
        ({"rate_hz": 30.0}, 0.97, 0.89),
        ({"rate_hz": 60.0}, 0.975, 0.94),
        ({"rate_hz": 240.0}, 0.975, 0.94),
        ({"offset_m": 0.05, "slope": 0.02, "noise_m": 0.0005, "rate_hz": 120.0}, 0.97, 0.93),
    ],
    ids=str,
)
def test_floor_noise_and_rate_change_little(spoil, mean, lowest) -> None:
    f1 = [r.f1 for r in compared([spoiled(trial(path), **spoil) for path in trial_paths()])]
    assert np.mean(f1) >= mean
    assert np.min(f1) >= lowest


@needs_mocap
def test_a_known_floor_that_is_off_changes_little() -> None:
    """Told that the floor is at 0, feet that stand 5 cm higher are found all the same."""
    paths = [p for p in trial_paths() if "walk" in p.stem]
    for given in (spoiled(trial(path), offset_m=0.05) for path in paths):
        told = detect_contacts(given.clip, given.character, Environment.flat(), FEET)
        agreement = contact_agreement(told, given.truth, valid=given.valid)
        assert min(r.f1 for r in agreement.values()) >= 0.94


@needs_mocap
def test_hands_carry_a_cartwheel_and_nothing_but_feet_a_walk() -> None:
    walk = detected(MOCAP / "cmu" / "02_01.bvh")
    assert {part for part in walk.parts if walk.column(part).any()} == set(FEET)
    assert walk.touching.any(axis=1).all()
    wheel = detected(MOCAP / "cmu" / "90_02.bvh")
    touched = {part for part in wheel.parts if wheel.column(part).any()}
    assert touched == {*FEET, "left_hand", "right_hand"}
    assert wheel.touching.any(axis=1).mean() > 0.97
    upside_down = slice(425, 440)
    assert not wheel.column("left_foot")[upside_down].any()
    assert wheel.column("left_hand")[400:425].all() and wheel.column("right_hand")[440:465].all()


@needs_mocap
def test_feet_stand_on_stairs_that_nobody_described() -> None:
    climb = detected(MOCAP / "cmu" / "13_35.bvh")
    assert climb.touching.any(axis=1).mean() > 0.97
    for part in FEET:
        assert 0.6 < climb.column(part).mean() < 0.95


def detected(path) -> ContactSchedule:
    from poise.character import complete_character

    clip, _ = clean(load_clip(path))
    return detect_contacts(clip, complete_character(clip.skeleton))


@pytest.mark.parametrize("rate_hz", [30.0, 60.0, 120.0, 240.0])
@pytest.mark.parametrize("floor_m", [0.0, -0.05, 0.7])
def test_a_hop_of_known_length(rate_hz, floor_m) -> None:
    heights = hop_heights_m(rate_hz, 0.4) + floor_m
    contacts = detect_contacts(rigid_clip(upward(heights), rate_hz), human())
    flying = ~contacts.touching.any(axis=1)
    times = np.arange(len(heights)) / rate_hz
    edge_s = 0.035 + 1 / rate_hz
    assert flying[(times > 0.6 + edge_s) & (times < 1.0 - edge_s)].all()
    assert not flying[(times < 0.6) | (times > 1.0)].any()
    for part in contacts.parts:
        assert contacts.column(part).any() == (part in FEET)


def test_a_treadmill_needs_its_belt() -> None:
    """A figure carried along at 2 m/s stands on a belt and on nothing else."""
    places = np.linspace(0.0, -4.0, 201)[:, None] * [1.0, 0.0, 0.0]
    clip = rigid_clip(places, 100.0)
    belt = Environment.flat(0.0, (-2.0, 0.0, 0.0))
    assert detect_contacts(clip, human(), belt, FEET).touching.all()
    still = detect_contacts(rigid_clip(np.zeros((201, 3)), 100.0), human(), Environment.flat(0.0))
    assert still.column("left_foot").all() and still.column("right_foot").all()


def test_feet_far_over_a_known_floor_do_not_touch() -> None:
    clip = rigid_clip(upward(np.full(100, 0.5)))
    assert detect_contacts(clip, human()).column("left_foot").all()
    assert not detect_contacts(clip, human(), Environment.flat(0.0)).touching.any()


def test_turning_and_moving_the_world_changes_nothing() -> None:
    heights = hop_heights_m(100.0, 0.4)
    still = detect_contacts(rigid_clip(upward(heights)), human())
    moved = rigid_clip(upward(heights) + np.array([30.0, 2.0, -40.0]))
    assert (detect_contacts(moved, human()).touching == still.touching).all()


def test_only_the_parts_asked_for() -> None:
    clip = rigid_clip(np.zeros((30, 3)))
    assert detect_contacts(clip, human(), parts=("right_foot",)).parts == ("right_foot",)
    with pytest.raises(UnknownName, match="right_foot"):
        detect_contacts(clip, human(), parts=("right_fot",))


@pytest.mark.parametrize("frames", [1, 2, 3, 4, 5])
def test_very_short_clips_work(frames) -> None:
    contacts = detect_contacts(rigid_clip(np.zeros((frames, 3))), human())
    assert contacts.frame_count == frames
    assert contacts.column("left_foot").all()


def test_a_character_without_weight_is_refused() -> None:
    with pytest.raises(BadValue, match="complete_character"):
        detect_contacts(rigid_clip(np.zeros((9, 3))), replace(human(), body=None))
