"""Edited leaps: they land where they should, fall as they must, and say what became of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise.arrays import Array
from poise.constraints import (
    Constraint,
    FlightHeight,
    Gravity,
    HoldPoint,
    Interval,
    MoveStage,
    StageEdit,
)
from poise.environment import ConvexPart
from poise.errors import BadValue, PoiseError
from poise.measures import evaluate
from poise.mechanics import forward_kinematics
from poise.methods import Edit, Progress, Result
from poise.methods.momentum import run
from poise.samples import sample_character
from tests.methods.leaping import (
    FLAT,
    FLIGHT,
    RATE_HZ,
    SETTINGS,
    assert_finite,
    center_m,
    edited,
    hops,
    jump,
    off_prints_m,
)

G = 9.81
AIRBORNE = 22
"""A frame in which the jump is in the air."""
FURTHER = MoveStage("further", -1, (0.0, 0.0, 0.3))
ASIDE = MoveStage("aside", 1, (0.25, 0.0, -0.1))
TURNED = MoveStage("turned", -1, turn_deg=90.0)
SPUN = MoveStage("spun", -1, (0.1, 0.0, 0.0), turn_deg=360.0)
STEP_UP = MoveStage("step up", -1, (0.0, 0.2, 0.0))
HIGHER = FlightHeight("higher", 0, scale=1.3)
LOWER = FlightHeight("lower", -1, rise_m=0.12)
FALLS_FASTER = FlightHeight("falls faster", 0, scale=1.3, by="gravity")
HAND = HoldPoint("hand", "left_wrist", (0.1, 0.1, 0.0), Interval(AIRBORNE, AIRBORNE), "offset")

LEVEL: list[tuple[Constraint | StageEdit, ...]] = [
    (), (FURTHER,), (ASIDE,), (TURNED,), (SPUN,), (HIGHER,), (LOWER,), (HAND,),
    (FURTHER, HIGHER, HAND),
]  # fmt: skip
"""Edits after which the floor is where it was, and things fall as they do on Earth."""


def named(asked: tuple[Constraint | StageEdit, ...]) -> str:
    return ", ".join(each.name for each in asked) or "nothing"


# What edits come to


@pytest.mark.parametrize("asked", LEVEL, ids=named)
def test_an_edited_jump_is_sound(asked: tuple[Constraint | StageEdit, ...]) -> None:
    result = edited(*asked)
    assert result.status == "converged", result.summary
    assert_finite(result)
    found = evaluate(result.clip, sample_character(), FLAT, result.contacts)
    assert found.value("flight_residual.flights") == 1.0
    assert found.value("flight_residual.acceleration") < 1.0
    assert found.value("flight_residual.spin") < 1.0
    assert found.value("penetration.deepest") < 0.05
    # The first frame on the ground sees some of the spin before it.
    assert found.value("foot_slide.mean") < (2.0 if SPUN in asked else 1.0)
    assert found.value("float.mean") < 0.05
    moves = [each for each in asked if isinstance(each, MoveStage)]
    by = np.sum([each.by_m for each in moves], axis=0) if moves else np.zeros(3)
    turn = sum(each.turn_deg for each in moves)
    assert off_prints_m(result.clip, result.report.frame_times, by, turn) < 1e-3


def test_a_moved_landing_is_gone_to_in_the_air() -> None:
    result = edited(FURTHER)
    gaps = center_m(result.clip) - center_m(jump().clip)
    # Standing before it and after it, the body has been moved with its feet.
    assert np.linalg.norm(gaps[0]) < 0.02
    assert np.linalg.norm(gaps[-1] - FURTHER.by_m) < 0.02
    take_off, flight, landing = result.report.stages
    assert (take_off.moved_m, flight.moved_m, landing.moved_m) == (0.0, 0.0, 0.3)
    assert flight.captured_length_m + 0.2 < flight.length_m < flight.captured_length_m + 0.4


@pytest.mark.parametrize(("asked", "degrees"), [(TURNED, 90.0), (SPUN, 360.0)])
def test_a_turned_landing_is_turned_to_in_the_air(asked: MoveStage, degrees: float) -> None:
    result = edited(asked)
    assert result.report.stages[-1].turned_deg == degrees
    assert heading_deg(result.clip.rotations_wxyz[: FLIGHT[0]]).max() < 60.0
    whole = turned_deg(result) - turned_deg(edited())
    assert whole == pytest.approx(degrees, abs=5.0)


def heading_deg(turns: Array) -> Array:
    """(F,) which way the root looks, without jumps."""
    w, x, y, z = np.moveaxis(turns[:, 0], -1, 0)
    return np.degrees(np.unwrap(np.arctan2(2.0 * (x * z + w * y), 1.0 - 2.0 * (x * x + y * y))))


def turned_deg(result: Result) -> float:
    heading = heading_deg(result.clip.rotations_wxyz)
    return float(heading[-1] - heading[0])


@pytest.mark.parametrize("bottom_m", [-0.3, 0.0])
def test_a_landing_on_a_box_is_as_high_as_it(bottom_m: float) -> None:
    corners = np.array(list(product((-0.6, 0.6), (bottom_m, 0.2), (0.7, 2.5))))
    place = FLAT.with_surfaces([ConvexPart(corners, "box")])
    result = run(replace(jump(STEP_UP), environment=place), replace(SETTINGS, iterations=40))
    assert result.status == "converged"
    assert not result.notes
    assert off_prints_m(result.clip, result.report.frame_times, STEP_UP.by_m, 0.0) < 1e-3
    found = evaluate(result.clip, sample_character(), place, result.contacts)
    assert found.value("penetration.deepest") < 0.05
    assert found.value("flight_residual.acceleration") < 1.0


def test_a_landing_where_there_is_nothing_is_not_passed_over_in_silence() -> None:
    result = edited(STEP_UP)
    (note,) = result.notes
    assert "Ground stage 1 was moved to 20 cm above the ground" in note
    assert off_prints_m(result.clip, result.report.frame_times, np.zeros(3), 0.0) < 1e-3


def test_a_higher_flight_takes_more_time_and_keeps_gravity() -> None:
    result = edited(HIGHER)
    _, flight, _ = result.report.stages
    frames = FLIGHT[1] - FLIGHT[0]
    assert flight.stop - flight.first > frames
    assert result.clip.frame_count == jump().clip.frame_count + flight.stop - flight.first - frames
    assert result.contacts is not None
    assert result.contacts.frame_count == result.clip.frame_count
    assert flight.gravity_m_s2 == pytest.approx(G)
    assert f"{result.clip.frame_count} frames instead of 48." in result.notes[0]
    lower = edited(LOWER)
    assert lower.clip.frame_count < 48
    for asked, found, rise in (
        (HIGHER, result, 1.3 * captured_rise_m()), (LOWER, lower, LOWER.rise_m),
    ):  # fmt: skip
        # The top is so far over where the body took off before.
        top = center_m(found.clip)[:, 1].max() - center_m(jump().clip)[FLIGHT[0] - 1, 1]
        assert top == pytest.approx(rise, rel=0.01), asked.name


@pytest.mark.parametrize("scale", [0.8, 1.3, 2.0])
def test_the_take_off_gives_way_by_less_than_a_frame_is_worth(scale: float) -> None:
    # Frames are whole, and the top is held: half a frame more or less of push is left.
    flight = edited(FlightHeight("higher", 0, scale=scale)).report.stages[1]
    half_a_frame_m = 0.5 / RATE_HZ * np.sqrt(2.0 * G * flight.rise_m)
    assert abs(flight.rise_m - scale * captured_rise_m()) < 0.5 * half_a_frame_m


def captured_rise_m() -> float:
    heights = center_m(jump().clip)[:, 1]
    return float(heights[FLIGHT[0] - 1 : FLIGHT[1] + 1].max() - heights[FLIGHT[0] - 1])


def test_a_flight_that_is_higher_by_gravity_takes_no_more_time() -> None:
    result = edited(FALLS_FASTER)
    assert result.status == "converged" and result.clip.frame_count == 48 and not result.notes
    _, flight, _ = result.report.stages
    assert flight.captured_rise_m == pytest.approx(captured_rise_m())
    assert flight.rise_m == pytest.approx(1.3 * captured_rise_m(), rel=0.01)
    assert flight.gravity_m_s2 > 1.1 * G
    fall = np.diff(center_m(result.clip)[FLIGHT[0] - 1 : FLIGHT[1] + 1], n=2, axis=0) * RATE_HZ**2
    np.testing.assert_allclose(fall[:, 1], -flight.gravity_m_s2, rtol=1e-3)
    np.testing.assert_allclose(fall[:, [0, 2]], 0.0, atol=0.01)


@pytest.mark.parametrize("gravity", [3.7, 0.0])
def test_things_may_fall_slower_or_not_at_all(gravity: float) -> None:
    asked = Gravity("elsewhere", gravity)
    result = run(jump(asked), replace(SETTINGS, iterations=60))
    assert_finite(result)
    assert result.report.stages[1].gravity_m_s2 == gravity
    fall = np.diff(center_m(result.clip)[FLIGHT[0] - 1 : FLIGHT[1] + 1], n=2, axis=0) * RATE_HZ**2
    # Whether or not its last digit is found in so many steps.
    np.testing.assert_allclose(fall, np.tile([0.0, -gravity, 0.0], (len(fall), 1)), atol=0.2)
    assert off_prints_m(result.clip, result.report.frame_times, np.zeros(3), 0.0) < 1e-3


def test_a_hand_is_where_it_is_asked_to_be() -> None:
    joint = jump().clip.skeleton.index("LeftHand")
    for asked in ((HAND,), (FURTHER, HAND)):
        result = edited(*asked)
        # Constraints are read against the leap as moved.
        guess = result.report.guess
        before, after = (
            forward_kinematics(clip.skeleton, *clip.pose).positions_m[AIRBORNE, joint]
            for clip in (guess, result.clip)
        )
        assert np.linalg.norm(after - before - HAND.place_m) < 1e-3
        (row,) = result.constraints
        assert row.name == "hand" and row.met and row.unit == "mm" and row.worst < 1.0
        assert (row.first, row.last) == (AIRBORNE, AIRBORNE)


def test_constraints_speak_of_the_longer_leap() -> None:
    frames = edited(HIGHER).clip.frame_count
    assert frames > 48
    late = HoldPoint("late", "left_wrist", (0.0, 0.05, 0.0), Interval(48, frames - 1), "offset")
    result = run(jump(HIGHER, late), SETTINGS)
    assert {row.name for row in result.constraints} == {"higher", "late"}
    with pytest.raises(BadValue, match="interval of 'late'"):
        run(jump(late), SETTINGS)


def test_a_wish_of_lower_priority_gives_way() -> None:
    other = replace(HAND, name="other", place_m=(-0.1, 0.1, 0.0), priority=2)
    result = run(jump(HAND, other), SETTINGS)
    assert result.status == "converged"
    hand, wish = result.constraints
    assert hand.met and not wish.met and wish.worst > 50.0


def test_stages_may_be_told() -> None:
    told = run(jump(FURTHER), replace(SETTINGS, stage_changes=FLIGHT))
    seen = edited(FURTHER)
    np.testing.assert_array_equal(told.clip.rotations_wxyz, seen.clip.rotations_wxyz)
    assert told.report.stages == seen.report.stages


@pytest.mark.parametrize("span", [(0, 25), (20, 48)], ids=["ends", "begins"])
def test_a_clip_may_end_or_begin_in_the_air(span: tuple[int, int]) -> None:
    edit = jump()
    assert edit.contacts is not None
    cut = Edit(
        edit.clip.sliced(*span), edit.character, [MoveStage("moved", 0, (0.1, 0.0, 0.0))], FLAT,
        edit.contacts.sliced(*span),
    )  # fmt: skip
    result = run(cut, SETTINGS)
    assert result.status == "converged"
    assert_finite(result)
    # All of it goes with its only ground stage.
    moved = center_m(result.clip) - center_m(cut.clip)
    np.testing.assert_allclose(moved, np.tile([0.1, 0.0, 0.0], (len(moved), 1)), atol=0.02)


def test_stages_of_two_leaps_are_edited_each_by_itself() -> None:
    asked = (
        MoveStage("first", 0, (0.0, 0.0, -0.1)),
        MoveStage("middle", 1, (0.2, 0.0, 0.0), 30.0),
        FlightHeight("higher", 0, 1.5),
        FlightHeight("falls faster", -1, 1.3, by="gravity"),
    )
    result = run(replace(hops(), constraints=asked), SETTINGS)
    assert result.status == "converged"
    stages = result.report.stages
    assert [stage.kind for stage in stages] == ["ground", "flight", "ground", "flight", "ground"]
    assert [stage.moved_m for stage in stages] == pytest.approx([0.1, 0.0, 0.2, 0.0, 0.0])
    assert [stage.turned_deg for stage in stages] == pytest.approx([0.0, 0.0, 30.0, 0.0, 0.0])
    longer = result.clip.frame_count - hops().clip.frame_count
    assert longer == stages[1].stop - stages[1].first - 7 > 0
    assert stages[3].stop - stages[3].first == 7
    assert stages[1].gravity_m_s2 == pytest.approx(G) and stages[3].gravity_m_s2 > 1.1 * G
    fall = np.diff(center_m(result.clip), n=2, axis=0) * RATE_HZ**2
    for flight in (stages[1], stages[3]):
        inside = fall[flight.first - 1 : flight.stop - 1]
        wanted = np.tile([0.0, -flight.gravity_m_s2, 0.0], (len(inside), 1))
        np.testing.assert_allclose(inside, wanted, atol=0.1)
    # The foot it hops on stands still, moved and turned with its stage.
    ankle = hops().clip.skeleton.index("LeftFoot")
    places, before = (
        forward_kinematics(clip.skeleton, *clip.pose).positions_m[:, ankle]
        for clip in (result.clip, hops().clip)
    )
    np.testing.assert_allclose(places[4] - before[4], (0.0, 0.0, -0.1), atol=2e-3)
    last = stages[4].first + 4
    np.testing.assert_allclose(places[last], before[last - longer], atol=2e-3)


def test_gravity_of_all_flights_is_about_each() -> None:
    result = run(replace(hops(), constraints=[Gravity("low", 7.0)]), SETTINGS)
    flights = [stage for stage in result.report.stages if stage.kind == "flight"]
    assert [flight.gravity_m_s2 for flight in flights] == [7.0, 7.0]
    both = (Gravity("low", 7.0), FlightHeight("second", 1, 1.3, by="gravity"))
    with pytest.raises(BadValue, match=r"'second' must be .* gravity of flight 1, which 'low'"):
        run(replace(hops(), constraints=both), SETTINGS)


# What is told


def test_the_report_says_what_was_done() -> None:
    result = edited(FURTHER, HIGHER, HAND)
    report, frames = result.report, result.clip.frame_count
    assert [row.name for row in result.constraints] == ["higher", "hand"]
    assert [stage.kind for stage in report.stages] == ["ground", "flight", "ground"]
    edges = [(stage.first, stage.stop) for stage in report.stages]
    assert edges[0] == (0, 17) and edges[1][0] == 17 and edges[2][1] == frames
    assert result.start is not None
    assert result.start.frame_count == report.guess.frame_count == frames
    assert report.frame_times.shape == (frames,)
    assert 1 <= report.iterations <= SETTINGS.iterations and report.rounds >= 1
    assert report.left_place_mm < 0.1 and report.left_velocity_m_s < 1e-4
    assert report.off_guess_deg > 0.0 and report.off_guess_cm > 0.0
    assert result.clip.history == (*jump().clip.history, "leapt: 3 edits")


def test_momentum_in_the_report_is_the_way_of_the_centre_of_mass() -> None:
    result = edited(FURTHER)
    made = result.report.momentum
    ways = np.diff(center_m(result.clip), axis=0) * RATE_HZ
    assert made.shape == (47, 6)
    np.testing.assert_allclose(made[:, :3], ways, atol=2e-5)


def test_who_watches_is_told() -> None:
    told: list[Progress] = []
    result = run(jump(FURTHER), SETTINGS, progress=told.append)
    assert told and {each.stage for each in told} == {"leap"}
    done = [each.done for each in told]
    # Told whenever constraints have been looked at; last at the end.
    assert done == sorted(set(done)) and done[-1] == result.report.iterations
    assert all(each.total == SETTINGS.iterations and each.preview is None for each in told)


def test_a_wrong_rate_is_noted_and_made_good_unless_it_is_to_be_kept() -> None:
    edit = jump()
    assert edit.contacts is not None
    slow = replace(
        edit,
        clip=replace(edit.clip, rate_hz=15.0),
        contacts=replace(edit.contacts, rate_hz=15.0),
    )
    # The detector does not take so slow a fall for a flight.
    told = replace(SETTINGS, stage_changes=(FLIGHT[0], FLIGHT[1]))
    result = run(slow, told)
    (note,) = result.notes
    assert "frame 17 falls at 2.5 m/s²" in note and "at 30 frames a second" in note
    assert result.report.stages[1].gravity_m_s2 == pytest.approx(G)
    kept = run(slow, replace(told, gravity="captured"))
    assert not kept.notes
    assert kept.report.stages[1].gravity_m_s2 == pytest.approx(G / 4.0, rel=0.05)


def test_too_few_steps_are_said_to_be_so() -> None:
    result = run(jump(TURNED), replace(SETTINGS, iterations=1))
    assert_finite(result)
    assert result.status == "out_of_iterations" and "More iterations" in result.summary
    assert "Worst is" in result.summary


def test_demands_that_contradict_each_other_are_infeasible_and_named() -> None:
    other = replace(HAND, name="other hand", place_m=(-0.1, 0.1, 0.0))
    result = run(jump(HAND, other), SETTINGS)
    assert_finite(result)
    assert result.status == "infeasible" and "contradicts itself" in result.summary
    assert "'hand'" in result.summary or "'other hand'" in result.summary
    assert f"frame {AIRBORNE}" in result.summary
    assert not any(row.met for row in result.constraints)


@pytest.mark.parametrize(
    "asked",
    [
        MoveStage("a kilometre", -1, (1e3, 0.0, 0.0)),
        MoveStage("ten turns", -1, turn_deg=3600.0),
        MoveStage("into the ground", -1, (0.0, -10.0, 0.0)),
        FlightHeight("nearly nothing", 0, rise_m=1e-9),
        FlightHeight("a hundred metres", 0, rise_m=100.0, by="gravity"),
        Gravity("a star", 1e4),
        HoldPoint("far away", "left_wrist", (50.0, 0.0, 0.0), Interval(22, 22), "offset"),
        HoldPoint("farther away", "left_wrist", (1e9, 0.0, 0.0), Interval(22, 22), "offset"),
    ],
    ids=lambda each: each.name,
)
def test_what_is_asked_too_much_ends_with_numbers(asked: Constraint | StageEdit) -> None:
    assert_finite(run(jump(asked), replace(SETTINGS, iterations=8, clearance_rounds=1)))


@pytest.mark.parametrize(
    "asked",
    [
        lambda: MoveStage("far", -1, (1e200, 0.0, 0.0)),
        lambda: MoveStage("spun", -1, turn_deg=1e300),
        lambda: FlightHeight("high", 0, rise_m=1e300, by="gravity"),
        lambda: Gravity("heavy", 1e300),
    ],
    ids=["far", "spun", "high", "heavy"],
)
def test_numbers_that_are_too_large_are_refused_or_end_with_numbers(
    asked: Callable[[], Constraint | StageEdit],
) -> None:
    try:
        result = run(jump(asked()), replace(SETTINGS, iterations=40, clearance_rounds=1))
    except PoiseError:
        return
    assert_finite(result)


ways = st.floats(-0.8, 0.8)


@given(
    by=st.tuples(ways, st.floats(-0.2, 0.3), ways),
    turn=st.floats(-400.0, 400.0),
    stage=st.integers(-2, 1),
    scale=st.floats(0.5, 3.0),
    how=st.sampled_from(["time", "gravity"]),
)
@settings(max_examples=12, deadline=None, derandomize=True)
def test_any_edit_gives_numbers_or_says_why_not(
    by: tuple[float, float, float], turn: float, stage: int, scale: float, how: Any
) -> None:
    asked = (MoveStage("moved", stage, by, turn), FlightHeight("higher", 0, scale, by=how))
    try:
        result = run(jump(*asked), replace(SETTINGS, iterations=10, clearance_rounds=1))
    except BadValue as problem:
        assert "'higher'" in str(problem)
    else:
        assert_finite(result)
