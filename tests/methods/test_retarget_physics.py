"""The whole pipeline on captures: balance gained, contacts and limits kept, likeness not lost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest

from benchmarks.retarget_table import CLIPS, MOST_FRAMES, RATE_HZ
from poise import rotations
from poise.character import Character, complete_character
from poise.contact.seat import shown_place
from poise.environment import Environment
from poise.formats import load_clip
from poise.measures import evaluate
from poise.mechanics import GRAVITY_M_S2, center_of_mass
from poise.methods.result import Result
from poise.methods.retarget import FIGURES, Residuals, RetargetReport, Settings
from poise.methods.retarget.impossible import impossible
from poise.methods.retarget.kinematic import tracking_m
from poise.motion import Clip, resample
from poise.motion.cleanup import clean
from poise.samples import walking
from tests.methods.other_bodies import (
    FLAT,
    HUMAN,
    beyond_range_rad,
    body,
    bones_off_deg,
    put_on,
    speeds_rad_s,
)
from tests.shared_data import MOCAP

MADE_WALK = "made walk"
CASES = (
    ("02_01", "G1"), pytest.param("13_11", "G1", marks=pytest.mark.slow), ("02_03", "G1"),
    ("02_01", "T1"), ("13_11", "T1"), ("02_03", "T1"),
    ("02_01", "H1"), (MADE_WALK, "short legs"),
)  # fmt: skip
"""A walk, a forward jump and a run of `CLIPS` of the table: the fast ones."""
MEASURES = (
    "foot_slide.mean", "penetration.deepest", "zmp_excursion.mean", "root_wrench.force",
    "torque_excess.worst",
)  # fmt: skip
"""What others measure that `retarget` has residuals of."""


@dataclass(frozen=True, eq=False)
class Done:
    """A motion that went through the whole pipeline."""

    clip: Clip
    source: Character
    target: Character
    made: Result[RetargetReport]

    @property
    def first(self) -> Residuals:
        return self.made.report.stages[0].residuals

    @property
    def last(self) -> Residuals:
        return self.made.report.stages[-1].residuals


@cache
def source(name: str) -> tuple[Clip, Character, Environment]:
    """A capture as the table has it, or a made walk."""
    if name == MADE_WALK:
        return walking(2.0, RATE_HZ).clip, HUMAN, FLAT
    path = MOCAP / "cmu" / f"{name}.bvh"
    if not path.is_file():
        pytest.skip(f"{path} is not here (set POISE_SHARED)")
    assert name in CLIPS
    clip = resample(clean(load_clip(path))[0], RATE_HZ)
    clip = clip.sliced(0, min(clip.frame_count, MOST_FRAMES))
    character = complete_character(clip.skeleton)
    return clip, character, shown_place(clip, character)[0]


def run(name: str, onto: str, settings: Settings | None = None) -> Done:
    target = body(onto)
    clip, character, place = source(name)
    made = put_on(clip, character, target, place, settings)
    return Done(clip, character, target, made)


@cache
def done(name: str, onto: str) -> Done:
    return run(name, onto)


@pytest.mark.parametrize(("name", "onto"), CASES)
def test_at_most_half_of_the_imbalance_is_left(name: str, onto: str) -> None:
    found = done(name, onto)
    assert found.last.zmp_outside_cm <= 0.5 * found.first.zmp_outside_cm


@pytest.mark.parametrize(("name", "onto"), CASES)
def test_at_most_half_of_what_nothing_carries_is_left(name: str, onto: str) -> None:
    found = done(name, onto)
    assert found.last.root_force <= 0.5 * found.first.root_force


@pytest.mark.parametrize(("name", "onto"), CASES)
def test_feet_stay_and_nothing_sinks_in(name: str, onto: str) -> None:
    found = done(name, onto)
    assert found.last.slide_cm_s <= 0.5
    assert found.last.depth_cm <= 0.5


@pytest.mark.parametrize(("name", "onto"), CASES)
def test_robots_stay_within_their_ranges(name: str, onto: str) -> None:
    assert beyond_range_rad(done(name, onto).made.clip) < 1e-9


@pytest.mark.parametrize(("name", "onto"), CASES)
def test_no_joint_is_faster_than_it_can_be(name: str, onto: str) -> None:
    found = done(name, onto)
    fastest = Settings().fastest(found.target)
    if onto == "short legs":
        assert fastest is None
    else:
        assert fastest is not None
        assert (speeds_rad_s(found.made.clip) / fastest).max() < 1.02


@pytest.mark.parametrize(("name", "onto"), CASES)
def test_torques_do_not_grow_much(name: str, onto: str) -> None:
    found = done(name, onto)
    most = 1.3 * max(1.0, found.first.torque_ratio)
    assert found.last.torque_ratio <= most


@pytest.mark.parametrize(("name", "onto"), CASES)
def test_bones_point_as_they_did(name: str, onto: str) -> None:
    found = done(name, onto)
    for stage in found.made.report.stages:
        off = bones_off_deg(stage.clip, found.target, found.clip, found.source)
        assert off <= 15.0, (stage.name, off)


def test_the_measure_of_likeness_sees_a_turned_limb() -> None:
    """Of eight bones, one that is turned by forty degrees makes five."""
    clip = walking(0.5, RATE_HZ).clip
    turns = clip.rotations_wxyz.copy()
    elbow = HUMAN.skeleton.index("LeftForeArm")
    sideways = rotations.exp(np.array([0.0, 0.0, np.radians(40.0)]))
    turns[:, elbow] = rotations.multiply(turns[:, elbow], sideways)
    off = bones_off_deg(replace(clip, rotations_wxyz=turns), HUMAN, clip, HUMAN)
    assert off == pytest.approx(5.0, abs=0.1)
    assert bones_off_deg(clip, HUMAN, clip, HUMAN) < 1e-4


@pytest.mark.parametrize(("name", "onto"), CASES)
def test_stages_say_what_they_are(name: str, onto: str) -> None:
    found = done(name, onto)
    made = found.made
    assert [stage.name for stage in made.report.stages] == ["kinematic", "physics"]
    first, last = made.report.stages
    weak = last.residuals.torque_ratio > 1.05
    assert first.status == "converged"
    assert last.status == made.status == ("out_of_iterations" if weak else "converged")
    assert {each.kind for each in last.shortfalls} == ({"torque"} if weak else set())
    assert (" times its strength in frame" in made.summary) == weak
    assert all(stage.summary.endswith(".") for stage in made.report.stages)
    assert made.clip is made.report.stages[-1].clip
    assert made.character is found.target and made.environment is not None
    assert made.clip.frame_count == found.clip.frame_count
    assert made.clip.rate_hz == found.clip.rate_hz
    assert set(vars(made.report.stages[0].residuals)) == set(FIGURES)


def test_what_a_stage_says_is_what_is_measured() -> None:
    found = done("02_01", "G1")
    made = found.made
    place = made.environment
    seen = evaluate(made.clip, found.target, place, made.contacts)
    assert [seen.value(key) for key in MEASURES] == list(
        vars(made.report.stages[-1].residuals).values()
    )
    off = tracking_m(made.clip, found.target, made.report.wanted_m)
    assert made.report.stages[-1].off_m == off
    fastest = Settings().fastest(found.target)
    said = impossible(seen.series, found.target, made.report.wanted_m, fastest)
    assert said == made.report.impossible


@cache
def short(settings: Settings) -> Done:
    """A second of the made walk on a G1."""
    target = body("G1")
    clip, human, place = source(MADE_WALK)
    clip = clip.sliced(0, 31)
    made = put_on(clip, human, target, place, settings)
    return Done(clip, human, target, made)


def test_without_balance_there_is_one_stage() -> None:
    made = short(Settings(balance=False)).made
    assert [stage.name for stage in made.report.stages] == ["kinematic"]
    assert made.clip is made.report.stages[0].clip


def test_torques_can_be_left_alone() -> None:
    asked, alone = (short(Settings(torque=torque)).made for torque in (True, False))
    assert asked.report.stages[0].residuals == alone.report.stages[0].residuals
    assert alone.report.stages[-1].residuals.zmp_outside_cm < (
        0.5 * alone.report.stages[0].residuals.zmp_outside_cm
    )
    assert not np.array_equal(asked.clip.rotations_wxyz, alone.clip.rotations_wxyz)


def test_a_scale_is_how_far_it_goes() -> None:
    usual, half = short(Settings()).made, short(Settings(scale=0.4)).made
    assert half.report.scale == 0.4 and usual.report.scale > 0.6
    went = np.ptp(source(MADE_WALK)[0].sliced(0, 31).root_positions_m[:, 2])
    for made in (usual, half):
        goes = np.ptp(made.report.stages[0].clip.root_positions_m[:, 2])
        assert goes == pytest.approx(made.report.scale * went, rel=0.1)
    assert half.status == "converged" and half.report.stages[-1].residuals.slide_cm_s <= 0.5


def test_two_runs_are_equal_to_the_last_bit() -> None:
    once, again = short(Settings()), run_short_again(Settings())
    np.testing.assert_array_equal(once.made.clip.rotations_wxyz, again.made.clip.rotations_wxyz)
    np.testing.assert_array_equal(once.made.clip.root_positions_m, again.made.clip.root_positions_m)
    assert once.made.report.impossible == again.made.report.impossible
    left = [[s.residuals for s in each.made.report.stages] for each in (once, again)]
    assert left[0] == left[1]


def run_short_again(settings: Settings) -> Done:
    return short.__wrapped__(settings)


def test_the_source_is_not_changed() -> None:
    clip, human, place = source(MADE_WALK)
    before = clip.rotations_wxyz.copy(), clip.root_positions_m.copy(), clip.history
    limits = body("G1").skeleton.limits_rad.copy()
    settings = Settings()
    target = body("G1")
    made = put_on(clip, human, target, place, settings)
    np.testing.assert_array_equal(clip.rotations_wxyz, before[0])
    np.testing.assert_array_equal(clip.root_positions_m, before[1])
    np.testing.assert_array_equal(target.skeleton.limits_rad, limits)
    assert clip.history == before[2] and settings == Settings()
    assert made.clip.skeleton is target.skeleton and clip.skeleton is human.skeleton
    assert not np.shares_memory(made.clip.rotations_wxyz, clip.rotations_wxyz)


def test_who_watches_is_told_both_stages() -> None:
    told: list[str] = []
    clip, human, place = source(MADE_WALK)
    put_on(
        clip.sliced(0, 31), human, body("G1"), place,
        progress=lambda progress: told.append(progress.stage),
    )  # fmt: skip
    assert told == ["kinematic", "physics"]


def test_what_nothing_carries_is_named_and_the_motion_is_still_given() -> None:
    """A walk a metre above the floor has nothing to balance on."""
    clip, human, place = source(MADE_WALK)
    high = replace(clip, root_positions_m=clip.root_positions_m + np.array([0.0, 1.0, 0.0]))
    made = put_on(high, human, body("G1"), place)
    last = made.report.stages[-1]
    assert last.status == made.status == "out_of_iterations"
    assert f"in frames 0 to {clip.frame_count - 1} (" in last.summary
    assert made.clip is last.clip and last.clip is not made.report.stages[0].clip
    longest = made.report.impossible[0]
    assert (longest.why, longest.first, longest.last) == ("support", 0, clip.frame_count - 1)


def test_a_flight_falls() -> None:
    """A jump scaled down takes as long as it did: only gravity acts, so it rises as high."""
    found = done("13_11", "T1")
    assert found.made.report.scale < 0.7 and found.target.body is not None
    for stage, limit in zip(found.made.report.stages, (None, 0.15), strict=True):
        series = stage.series
        contacts = found.made.contacts
        assert contacts is not None
        air = ~contacts.touching.any(axis=1)
        first, last = np.flatnonzero(air)[[0, -1]]
        path = center_of_mass(series.state, found.target.body)[first : last + 1, 1]
        fall = np.diff(path, 2) * RATE_HZ**2
        off = np.abs(fall / GRAVITY_M_S2[1] - 1.0).max()
        assert off > 0.2 if limit is None else off < limit


def test_limbs_stay_where_they_should_be() -> None:
    """One solve balances a walk, and moves limbs by millimetres where rounds took centimetres."""
    found = done("02_01", "G1")
    first, last = found.made.report.stages
    assert last.residuals.zmp_outside_cm < 0.05
    assert last.off_m < first.off_m + 0.005
