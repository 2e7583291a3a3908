"""Whole edits: what is asked for is done, what is not is left, and what is said is so."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from poise.arrays import Array
from poise.constraints import Constraint, HitAt, HoldPoint, Interval
from poise.contact import ContactSchedule
from poise.environment import Environment
from poise.errors import BadValue
from poise.methods import Edit, Result
from poise.methods.pattern import Pattern, Settings, learn, run
from poise.methods.pattern.motion_vectors import vector_of
from poise.methods.pattern.placed import place
from poise.motion import Clip
from tests.methods.swings import (
    CLUB,
    HIT,
    apart_m,
    apart_rad,
    changed,
    character,
    golfer,
    known_ways,
    learned,
    moved,
    pattern,
    placed,
    point_of,
    state_of,
    swings,
    varied,
)
from tests.methods.test_pattern_feet import ANKLES, bent, walk

FLAT = Environment.flat()


@cache
def standing(frames: int) -> ContactSchedule:
    touching = np.ones((frames, 2), dtype=np.bool_)
    return ContactSchedule(("left_foot", "right_foot"), touching, 30.0)


def edit(*constraints: Constraint, clip: Clip | None = None, by: Pattern | None = None) -> Edit:
    clip = swings()[0] if clip is None else clip
    return Edit(
        clip, golfer(), constraints, FLAT, standing(clip.frame_count),
        pattern=pattern() if by is None else by,
    )  # fmt: skip


def hit_at(place_m: Array, frame: int = HIT, **options: object) -> HitAt:
    name, point = str(options.pop("name", "hit")), str(options.pop("point", "club_head"))
    return HitAt(name, point, tuple(place_m.tolist()), frame, **options)  # type: ignore[arg-type]


@cache
def inside(seed: int = 0, share: float = 0.5) -> Array:
    """(3,) where some motion well inside the population hits."""
    return point_of(changed(placed(0), _change(seed, share)))[HIT]


def _change(seed: int, share: float) -> Array:
    random = np.random.default_rng(seed)
    there = random.normal(size=5)
    there *= share * pattern().furthest(5) / np.linalg.norm(there)
    return there * pattern().deviations - placed(0).coefficients


@cache
def hit_there() -> Result:
    return run(edit(hit_at(inside())))


def miss_m(result: Result, constraint: HitAt) -> float:
    there = point_of(result.clip, constraint.point)[constraint.frame]
    return float(np.linalg.norm(there - constraint.place_m))


def test_the_club_hits_where_it_is_told_to() -> None:
    result = hit_there()
    assert result.status == "converged", result.summary
    assert miss_m(result, hit_at(inside())) <= 1e-3
    assert result.clip.frame_count == 97 and result.clip.rate_hz == swings()[0].rate_hz
    assert result.report.endings == ("met",)
    assert result.report.deviations_after <= pattern().furthest(5) * (1.0 + 1e-9)


def test_the_motion_is_that_of_the_new_coefficients() -> None:
    result = run(edit(hit_at(inside())), Settings(feet="free"))
    change = result.report.coefficients_after - result.report.problem.placed.coefficients
    known = changed(placed(0), change)
    by_pattern = result.report.by_pattern
    assert apart_m(by_pattern, known) < 1e-9 and apart_rad(by_pattern, known) < 1e-6
    # Looked at again, it is placed a little otherwise: by its own joints.
    again = place(pattern(), by_pattern, golfer(), 0.0)
    np.testing.assert_allclose(again.coefficients, result.report.coefficients_after, atol=0.02)


def test_coefficients_count_as_weights_of_a_blend_of_the_examples() -> None:
    """With all components in use, the least change in deviations is the least change of weights."""
    p, result = pattern(), hit_there()
    before = result.report.problem.placed.coefficients
    change = (result.report.coefficients_after - before) / p.deviations
    scaled = p.coefficients / p.deviations
    weights = np.linalg.pinv(np.vstack([scaled.T, np.ones(6)])) @ np.append(change, 0.0)
    assert abs(weights.sum()) < 1e-9
    np.testing.assert_allclose(scaled.T @ weights, change, atol=1e-7)
    assert np.linalg.norm(weights) == pytest.approx(np.linalg.norm(change) / np.sqrt(5.0), rel=1e-6)


def test_a_goal_that_is_met_already_gives_the_clip_back_bit_for_bit() -> None:
    clip = swings()[0]
    result = run(edit(hit_at(point_of(clip)[HIT])))
    assert result.status == "converged"
    np.testing.assert_array_equal(result.clip.rotations_wxyz, clip.rotations_wxyz)
    np.testing.assert_array_equal(result.clip.root_positions_m, clip.root_positions_m)


def test_no_constraints_give_the_clip_back_bit_for_bit() -> None:
    result = run(edit())
    np.testing.assert_array_equal(result.clip.rotations_wxyz, swings()[0].rotations_wxyz)
    assert result.status == "converged"


def test_an_edit_is_smooth() -> None:
    """What is added bends from frame to frame no more than the slow ways that it is made of."""
    at, made = placed(0), hit_there().report.by_pattern
    turns = np.array(made.rotations_wxyz)
    turns[:, 0] = at.placing.root_turns(turns[:, 0])
    roots = at.placing.places(made.root_positions_m)
    added = vector_of(at.mean_roots_m, at.mean_wxyz, roots, turns) - at.vector
    assert np.abs(added).max() > 0.05
    assert np.abs(np.diff(added, 2, axis=0)).max() < 0.01 * np.abs(added).max()


def test_the_feet_of_an_edit_stand() -> None:
    result = hit_there()
    made, old = state_of(result.clip).positions_m, state_of(swings()[0]).positions_m
    names = " ".join(result.notes)
    for foot, ankle in ANKLES.items():
        slid = np.linalg.norm(np.diff(made[:, ankle], axis=0), axis=1)
        was = np.linalg.norm(np.diff(old[:, ankle], axis=0), axis=1)
        assert np.quantile(slid - was, 0.8) < 1e-3
        assert slid.max() < was.max() + 1e-3 or foot.replace("_", " ") in names


def test_feet_that_are_free_are_the_pattern_s() -> None:
    result = run(edit(hit_at(inside())), Settings(feet="free"))
    by_pattern = result.report.by_pattern
    legs = [
        result.clip.skeleton.index(n) for n in ("LeftUpLeg", "LeftLeg", "RightLeg", "RightFoot")
    ]
    np.testing.assert_array_equal(
        result.clip.rotations_wxyz[:, legs], by_pattern.rotations_wxyz[:, legs]
    )


def test_a_goal_a_little_outside_is_finished_by_trunk_and_arm() -> None:
    far = _just_outside(0.03)
    result = run(edit(hit_at(far)), Settings(feet="free"))
    assert result.status == "converged" and result.report.endings == ("outside",)
    assert miss_m(result, hit_at(far)) <= 1e-3
    assert 1.0 < result.report.finished_by_ik_mm <= 50.0
    assert any("inverse kinematics" in note for note in result.notes)
    apart = run(edit(hit_at(far)), Settings(finish_cm=0.0, feet="free"))
    assert apart.status == "infeasible" and "outside" in apart.summary
    assert miss_m(apart, hit_at(far)) * 1e3 == pytest.approx(
        result.report.finished_by_ik_mm, abs=0.1
    )


def _just_outside(by_m: float) -> Array:
    """Beyond the nearest place to one far away that the population reaches."""
    far = point_of(swings()[0])[HIT] + np.array([0.0, 3.0, 0.0])
    edge = point_of(run(edit(hit_at(far)), Settings(finish_cm=0.0)).clip)[HIT]
    return edge + by_m * (far - edge) / np.linalg.norm(far - edge)


def test_a_goal_far_outside_says_so() -> None:
    far = point_of(swings()[0])[HIT] + 5.0
    result = run(edit(hit_at(far)))
    assert result.status == "infeasible" and "outside" in result.summary
    assert np.isfinite(result.clip.rotations_wxyz).all()
    assert result.report.deviations_after <= pattern().furthest(5) * (1.0 + 1e-9)


def test_details_dropped_leave_the_pattern_alone() -> None:
    """An example's own vector is its projection; with fewer components it is not."""
    goal = hit_at(inside())
    a, b = (
        run(edit(goal), Settings(details=d, feet="free", components=5)).report.by_pattern
        for d in ("kept", "dropped")
    )
    assert apart_rad(a, b) < 1e-4
    few = run(edit(), Settings(details="dropped", feet="free", components=2)).report.by_pattern
    known = placed(0).with_motion(*placed(0).motion(placed(0).projected(2)))
    assert apart_rad(few, known) < 1e-7 and apart_m(few, known) < 1e-9
    assert apart_rad(few, swings()[0]) > 0.02


def test_a_second_run_with_the_first_one_s_result_is_the_same() -> None:
    asked = edit(hit_at(inside()))
    again = run(replace(asked, constraints=(hit_at(inside(1)),)), previous=run(asked))
    alone = run(replace(asked, constraints=(hit_at(inside(1)),)))
    np.testing.assert_array_equal(again.clip.rotations_wxyz, alone.clip.rotations_wxyz)


def test_an_edit_elsewhere_in_the_room_is_the_same_edit() -> None:
    turn, by = 1.1, np.array([2.0, 0.0, -3.0])
    there = moved(swings()[0], turn, by)
    spot = point_of(moved(changed(placed(0), _change(0, 0.5)), turn, by))[HIT]
    a = moved(run(edit(hit_at(inside()))).clip, turn, by)
    b = run(edit(hit_at(spot), clip=there)).clip
    assert apart_m(a, b) < 1e-6 and apart_rad(a, b) < 1e-3


# Several goals


def two_hits(gap: int, off_m: float = 0.02) -> tuple[HitAt, HitAt]:
    now = point_of(changed(placed(0), _change(0, 0.5)))
    return (
        hit_at(now[HIT] + [off_m, 0, 0], name="a"),
        hit_at(now[HIT + gap] + [0, off_m, 0], HIT + gap, name="b"),
    )


def test_goals_far_from_each_other_are_met_apart() -> None:
    first, second = two_hits(-40, 0.0)
    result = run(edit(first, second), Settings(goals="apart"))
    assert result.status == "converged", result.summary
    assert max(miss_m(result, first), miss_m(result, second)) <= 1e-3
    assert result.report.coefficients_after.shape == (97, 5)


def test_goals_of_one_motion_are_met_together() -> None:
    first, second = two_hits(-40, 0.0)
    result = run(edit(first, second))
    assert result.report.errors_m[0][-1] < 5e-3


def test_finishing_one_goal_leaves_another_met() -> None:
    now = point_of(swings()[0])
    first = hit_at(now[HIT], name="a")
    second = hit_at(now[HIT + 4] + [0.0, 0.02, 0.0], HIT + 4, name="b")
    result = run(edit(first, second), Settings(goals="apart", components=1, reach=1e-3))
    assert miss_m(result, first) <= 2e-3 and miss_m(result, second) <= 2e-3


def test_a_point_a_little_off_is_held_over_some_frames() -> None:
    hold = HoldPoint("hold", "left_wrist", (0.02, 0.0, 0.0), Interval(HIT - 4, HIT + 4), "offset")
    result = run(edit(hold))
    path, was = (point_of(c, "left_wrist") for c in (result.clip, swings()[0]))
    off = np.linalg.norm((path - was)[HIT - 4 : HIT + 5] - [0.02, 0.0, 0.0], axis=1)
    assert off.max() <= 1.5e-3, result.summary


@pytest.mark.parametrize("names", ["ab", "ba"])
def test_of_two_goals_for_one_point_in_one_frame_the_greater_is_finished(names: str) -> None:
    edge, off = _just_outside(0.01), np.array([0.012, 0.0, 0.0])
    asked = {
        "a": hit_at(edge + off, name="a", priority=1),
        "b": hit_at(edge - off, name="b", priority=2),
    }
    result = run(edit(*(asked[name] for name in names)))
    assert miss_m(result, asked["a"]) <= 1e-3


@cache
def spanned() -> Pattern:
    """Only from frame 20 to 80 of every swing."""
    events = {"begins": 20, "hit": HIT, "ends": 80}
    return learned(swings(), events=[events] * 6, span=("begins", "ends"), tools=[CLUB])


def test_outside_its_span_a_clip_is_edited_too() -> None:
    now = point_of(swings()[0])
    result = run(edit(hit_at(now[HIT] + [0.02, 0.0, 0.0]), by=spanned()))
    assert result.clip.frame_count == 97 and result.status == "converged"


def test_two_goals_before_the_span_make_no_nonsense() -> None:
    now = point_of(swings()[0])
    asked = [hit_at(now[f] + [0.02, 0.0, 0.0], f, name=str(f)) for f in (5, 9)]
    result = run(edit(*asked, by=spanned()), Settings(goals="apart"))
    assert np.isfinite(result.clip.rotations_wxyz).all()


# Goals without weight


def test_a_goal_without_weight_changes_nothing() -> None:
    now = point_of(swings()[0])[HIT]
    for off in (0.02, 0.5):
        result = run(edit(hit_at(now + np.array([off, 0.0, 0.0]), weight=0.0)))
        assert apart_rad(result.clip, swings()[0]) < 1e-6


def test_nothing_is_said_of_inverse_kinematics_for_a_goal_without_weight() -> None:
    now = point_of(swings()[0])[HIT]
    result = run(edit(hit_at(now + np.array([0.02, 0.0, 0.0]), weight=0.0)))
    assert not any("inverse kinematics" in note for note in result.notes)


# A foot's goal


@cache
def steps() -> tuple[Pattern, Clip]:
    clips = [replace(bent(0.03, seed), name=f"walk {seed}") for seed in range(5)]
    return learn(clips, character(), grounds_m=[0.0] * 5), clips[0]


def kicked(
    frame: int, feet: str, away_m: tuple[float, float, float] = (0.0, 0.0, 0.0)
) -> tuple[Result, HitAt]:
    """The left ankle where some walk of the pattern has it, in the air."""
    p, clip = steps()
    at = place(p, clip, character(), 0.0)
    there = changed(at, 0.5 * (p.coefficients[2] - p.coefficients[0]))
    kick = hit_at(point_of(there, "left_ankle")[frame] + away_m, frame, point="left_ankle")
    asked = Edit(clip, character(), [kick], FLAT, walk().contacts, pattern=p)
    return run(asked, Settings(feet=feet)), kick  # type: ignore[arg-type]


AIR = 30
assert not walk().contacts.column("left_foot")[AIR]


def test_a_foot_in_the_air_goes_where_it_is_told_to_if_feet_are_free() -> None:
    result, kick = kicked(AIR, "free")
    assert result.status == "converged" and miss_m(result, kick) <= 1e-3


def test_a_foot_in_the_air_goes_where_it_is_told_to_if_feet_are_kept() -> None:
    result, kick = kicked(AIR, "kept")
    assert miss_m(result, kick) <= 1e-3, result.summary


# The other hand's goal


def test_the_other_hand_on_a_club_goes_where_it_is_told_to() -> None:
    there = changed(placed(0), _change(0, 0.5))
    asked = hit_at(point_of(there, "right_wrist")[HIT], point="right_wrist")
    assert miss_m(run(edit(asked)), asked) <= 1e-3


def test_nothing_is_said_of_inverse_kinematics_for_what_no_joint_can_move() -> None:
    asked = hit_at(
        point_of(swings()[0], "pelvis")[HIT] + np.array([0.02, 0.0, 0.0]), point="pelvis"
    )
    result = run(edit(asked), Settings(components=1))
    assert not any("inverse kinematics" in note for note in result.notes)


# What is refused


@pytest.mark.parametrize("count", [6, 99])
def test_more_components_than_there_are_are_refused(count: int) -> None:
    with pytest.raises(BadValue, match="at most 5"):
        run(edit(hit_at(inside())), Settings(components=count))


def test_an_edit_without_a_pattern_is_refused() -> None:
    with pytest.raises(BadValue, match="pattern learn"):
        run(Edit(swings()[0], golfer(), [hit_at(inside())]))


@pytest.mark.parametrize(
    "silly",
    [
        {"components": 0}, {"components": 1.5}, {"goals": "both"}, {"damping": "much"},
        {"damping_cm": -1.0}, {"damping_cm": float("nan")}, {"iterations": 0}, {"met_mm": 0.0},
        {"met_deg": 200.0}, {"reach": 0.0}, {"reach": -1.0}, {"reach": float("nan")},
        {"details": "some"}, {"feet": "off"}, {"finish_cm": -1.0}, {"finish_s": float("inf")},
        {"events": {"hit": 1.5}},
    ],
)  # fmt: skip
def test_silly_settings_are_refused(silly: dict[str, object]) -> None:
    with pytest.raises(BadValue):
        Settings(**silly)  # type: ignore[arg-type]


@pytest.mark.parametrize("count", [1, 2, 3])
def test_few_components_come_as_near_as_they_can(count: int) -> None:
    result = run(edit(hit_at(inside())), Settings(components=count, finish_cm=0.0))
    first = float(np.linalg.norm(point_of(swings()[0])[HIT] - inside()))
    assert miss_m(result, hit_at(inside())) < first
    assert result.report.coefficients_after.shape == (count,)


def test_motions_whose_root_stays_are_edited_too() -> None:
    """Nothing varies but a head: whatever is asked of the club ends at once, in good order."""
    clips = [varied(w, known_ways(), str(w)) for w in ([0.0], [0.4], [-0.3])]
    p = learned(clips, tools=[CLUB])
    result = run(edit(hit_at(point_of(clips[0])[HIT] + 0.3), clip=clips[0], by=p))
    assert result.status == "infeasible" and np.isfinite(result.clip.rotations_wxyz).all()
