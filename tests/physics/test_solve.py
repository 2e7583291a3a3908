"""The physics solve on clips made by code, whose truth is known, and on what cannot be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise.character import Character
from poise.constraints import EVERYTHING, Recruits, Scene, Task, recruits_of_point
from poise.contact import ContactSchedule, clip_dynamics, observe
from poise.environment import Environment
from poise.measures import evaluate
from poise.mechanics import forward_kinematics
from poise.methods.correct.recovery import Recovered, recover
from poise.motion import Clip
from poise.physics import PhysicsSettings, solve_clip
from poise.samples import (
    Sample,
    hopping,
    jumping,
    sample_character,
    walking,
    with_foot_slide,
)

FLAT = Environment.flat(0.0)
BODY = sample_character()


def solved(
    sample: Sample, contacts: ContactSchedule | None = None, settings: PhysicsSettings | None = None
) -> Recovered:
    return recover(
        sample.clip, BODY, FLAT, contacts or sample.contacts,
        physics=settings or PhysicsSettings(),
    )  # fmt: skip


def figures(found: Recovered, sample: Sample) -> dict[str, float]:
    measured = evaluate(
        found.clip, BODY, FLAT, sample.contacts, against=sample.clip,
        input_contacts=sample.contacts,
    )  # fmt: skip
    return {m.key: m.value for m in measured.measures}


def physics_left(found: Recovered) -> float:
    assert found.physics is not None
    return float(np.abs(found.physics.wrench_left).max())


@pytest.mark.parametrize(
    ("make", "outside"),
    # The made hop itself reads 6 %: its forces jump at take-off, and measures smooth over that.
    [(walking, 3.0), (jumping, 3.0), (hopping, 9.0)],
)
def test_a_sliding_clip_stands_is_carried_and_flies(make: object, outside: float) -> None:
    sample = with_foot_slide(make(), 8.0)  # type: ignore[operator]
    found = solved(sample)
    after = figures(found, sample)
    # Feet that still travel touch, and are said to slide; those that stand do.
    said = evaluate(found.clip, BODY, FLAT, found.contacts)
    assert said.value("foot_slide.mean") < 0.5
    assert after["penetration.deepest"] < 0.1
    assert after["zmp_excursion.share"] < outside
    assert after["root_wrench.force"] < 0.005
    assert after["root_wrench.moment"] < 0.005
    assert after["likeness.rotation"] < 4.0
    if np.isfinite(after["flight_residual.acceleration"]):
        assert after["flight_residual.acceleration"] < 1.0
    assert physics_left(found) < 0.02


def test_a_good_clip_comes_back_nearly_as_it_was() -> None:
    sample = walking()
    found = solved(sample)
    after = figures(found, sample)
    assert after["likeness.rotation"] < 0.8
    moved = np.linalg.norm(found.clip.root_positions_m - sample.clip.root_positions_m, axis=1)
    assert moved.mean() < 0.005


def test_the_ground_does_what_the_capture_asked_of_it() -> None:
    """Without the likeness of wrenches, forces are possible but not those that acted."""
    sample = with_foot_slide(walking(), 8.0)
    weight = clip_dynamics(sample.clip, BODY).weight_n

    def error(settings: PhysicsSettings) -> float:
        before = clip_dynamics(sample.clip, BODY, 12.0).outer_force_n[:, 1]
        made = solved(sample, settings=settings).clip
        after = clip_dynamics(made, BODY, 12.0).outer_force_n[:, 1]
        return float(np.abs(after - before)[5:-5].mean()) / weight

    assert error(PhysicsSettings()) < 0.5 * error(PhysicsSettings(wrench_likeness=0.0))


def test_a_given_wrench_is_what_it_stays_close_to() -> None:
    """Asked to press on the ground by its weight and no more, a walk goes less up and down."""
    sample = walking()
    scene = Scene(sample.clip, BODY, FLAT)
    everything = Recruits(BODY.skeleton.freedoms > 0, True)
    calm = np.zeros((sample.clip.frame_count, 6))
    calm[:, 1] = 1.0
    weight = clip_dynamics(sample.clip, BODY).weight_n
    varies = [
        float(
            solve_clip(scene, [], sample.contacts, also=everything, usual=usual)
            .forces_n[5:-5, 1]
            .std()
        )
        / weight
        for usual in (None, calm)
    ]
    assert varies[1] < 0.7 * varies[0]


def test_it_goes_on_from_where_it_was() -> None:
    sample = with_foot_slide(walking(), 8.0)
    found = solved(sample)
    scene = Scene(sample.clip, BODY, FLAT)
    also = Recruits(BODY.skeleton.freedoms > 0, True)
    first = solve_clip(scene, found.tasks, sample.contacts, also=also)
    again = solve_clip(
        scene, found.tasks, sample.contacts, also=also,
        start=first,
    )  # fmt: skip
    assert np.abs(again.root_positions_m - first.root_positions_m).max() < 0.01
    assert again.steps < 0.2 * first.steps


def test_a_second_look_that_is_undone_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither in the motion nor in the multipliers that say what is left and begin a re-solve."""
    sample = with_foot_slide(walking(), 8.0)
    monkeypatch.setattr("poise.physics.solve._WORSE", -np.inf)
    eager = replace(PhysicsSettings(), most_peak=0.5)
    undone, none = (solved(sample, settings=replace(eager, looks=n)).physics for n in (4, 0))
    assert undone is not None and none is not None
    assert undone.steps > none.steps  # it did look
    np.testing.assert_array_equal(undone.root_positions_m, none.root_positions_m)
    np.testing.assert_allclose(undone.wrench_left, none.wrench_left, atol=1e-9)
    assert undone.held is not None and none.held is not None
    np.testing.assert_array_equal(undone.held.wrench, none.held.wrench)
    np.testing.assert_array_equal(undone.held.shifts, none.held.shifts)
    np.testing.assert_array_equal(undone.held.calm, none.held.calm)
    for mine, theirs in zip(undone.held.bounds, none.held.bounds, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_what_changes_in_one_place_changes_nothing_seconds_away() -> None:
    """And costs little: a point that is moved is solved for around its frames."""
    sample = walking()
    found = solved(sample)
    scene = Scene(sample.clip, BODY, FLAT)
    also = Recruits(BODY.skeleton.freedoms > 0, True)
    state = forward_kinematics(BODY.skeleton, *found.clip.pose)
    wrist = BODY.skeleton.index("LeftHand")
    recruits = recruits_of_point(BODY, wrist, np.zeros(3), EVERYTHING)

    def moved(by_m: float) -> Task:
        goals = state.positions_m[360:372, wrist] + np.array([0.0, by_m, 0.0])
        return Task("hand", "point", 360, goals, recruits, joint=wrist)

    before = solve_clip(scene, [*found.tasks, moved(0.0)], sample.contacts, also=also)
    after = solve_clip(scene, [*found.tasks, moved(0.05)], sample.contacts, also=also, start=before)
    apart = np.abs(after.root_positions_m - before.root_positions_m).max(axis=1)
    assert max(after.missed_m.values()) < 1e-3
    assert after.steps < 0.7 * before.steps
    assert apart[:120].max() < 1e-3  # two seconds before


def test_torques_stay_within_strength() -> None:
    sample = jumping()
    before = observe(sample.clip, BODY, FLAT, sample.contacts).torque_ratio.max()
    character = weaker(BODY, 0.8 * before)
    scene = recover(sample.clip, character, FLAT, sample.contacts, physics=PhysicsSettings())
    free = recover(
        sample.clip, character, FLAT, sample.contacts, physics=PhysicsSettings(torque=0.0)
    )

    def worst(clip: Clip) -> float:
        return float(observe(clip, character, FLAT, sample.contacts).torque_ratio.max())

    assert worst(scene.clip) < 1.1 < worst(free.clip)


def weaker(character: Character, share: float) -> Character:
    """The same body with so many times its strength."""
    assert character.strength is not None
    limits = np.array(character.strength.limits_nm)
    limits[np.isfinite(limits)] *= share
    strength = replace(character.strength, limits_nm=limits)
    return replace(character, strength=strength)


def test_windows_agree_with_the_whole() -> None:
    sample = with_foot_slide(walking(), 8.0)
    scene = Scene(sample.clip, BODY, FLAT, None)
    also = Recruits(np.ones(BODY.skeleton.joint_count, dtype=np.bool_), True)
    whole = solve_clip(scene, [], sample.contacts, also=also)
    parts = solve_clip(scene, [], sample.contacts, also=also, window_s=1.5, overlap_s=0.8)
    apart = np.linalg.norm(whole.root_positions_m - parts.root_positions_m, axis=1)
    assert apart.max() < 0.01
