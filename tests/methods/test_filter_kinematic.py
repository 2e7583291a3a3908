"""Kinematic rounds of the filter: goals are met, and nothing else is touched.

Where the filter is known to fall short a test says so, and fails as soon as it no longer does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from poise import rotations
from poise.arrays import Array
from poise.constraints import (
    Constraint,
    HoldPoint,
    Interval,
    LookAt,
    Orient,
    Recruit,
    tasks_of,
)
from poise.constraints.recruiting import find_joint
from poise.errors import PoiseError
from poise.methods import Edit, filter
from poise.methods.filter import Settings
from poise.motion import Clip
from tests.constraints.made_scenes import quantity
from tests.methods.edited import clip_named, is_real, limit_of, misses
from tests.shared_data import needs_mocap

LABELS = [
    pytest.param(label, marks=needs_mocap if is_real(label) else ())
    for label in ("walk@30", "golf@60", "02_01@30")
]
WAYS = ("sampled", "analytic")
FRAMES = 24
WHEN = Interval(6, 15)
ARM = Recruit(up_to="left_collar")
AWAY = [(0.05, 0.0, 0.0), (0.0, 0.05, 0.0), (0.0, -0.05, 0.0), (0.0, 0.03, 0.04)]
"""5 cm."""
Vector = tuple[float, float, float]


def edit_of(label: str, constraints: Sequence[Constraint]) -> Edit:
    """Some frames of a clip: few, so that tests are quick."""
    clip, character = clip_named(label)
    return Edit(clip.sliced(0, FRAMES), character, constraints)


def hold(point: str, by: Vector, name: str = "held", **fields: Any) -> HoldPoint:
    return HoldPoint(name, point, by, WHEN, "offset", **fields)


def several() -> list[Constraint]:
    """A hand, a foot, a direction and a rotation, all within reach."""
    return [
        hold("left_wrist", (0.0, 0.05, 0.0), "hand"),
        hold("right_ankle", (0.0, 0.03, 0.04), "foot"),
        LookAt("gaze", "head", (2.0, 1.0, 9.0), WHEN),
        Orient("turn", "right_wrist", (0.98, 0.0, 0.199, 0.0), WHEN, "offset"),
    ]


def worst_m(edit: Edit, clip: Clip) -> float:
    return max(float(missed.max()) for missed in misses(edit, clip).values())


def same_bits(a: Clip, b: Clip) -> bool:
    return np.array_equal(a.rotations_wxyz, b.rotations_wxyz) and np.array_equal(
        a.root_positions_m, b.root_positions_m
    )


def apart_rad(a: Clip, b: Clip) -> float:
    """The largest angle between two joints' rotations, and metres between roots."""
    turned = rotations.angle_between(a.rotations_wxyz, b.rotations_wxyz).max()
    return max(float(turned), float(np.abs(a.root_positions_m - b.root_positions_m).max()))


def assert_finite(clip: Clip) -> None:
    assert np.isfinite(clip.rotations_wxyz).all() and np.isfinite(clip.root_positions_m).all()
    lengths = np.linalg.norm(clip.rotations_wxyz, axis=-1)
    np.testing.assert_allclose(lengths, 1.0, atol=1e-9)


# Goals within reach


def missed_5_cm_away(label: str, points: Sequence[str], settings: Settings) -> float:
    """The worst that is left of goals 5 cm away, one at a time."""
    edits = [edit_of(label, [hold(point, by)]) for point in points for by in AWAY]
    return max(worst_m(edit, filter.run(edit, settings).clip) for edit in edits)


POINTS = ("left_wrist", "right_ankle", "head", "left_heel")


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("by_inertia", [False])
def test_goals_5_cm_away_are_met_to_2_mm_after_one_update(label: str, by_inertia: bool) -> None:
    assert missed_5_cm_away(label, POINTS, Settings(updates=1, by_inertia=by_inertia)) < 2e-3


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("by_inertia", [False, True])
def test_goals_5_cm_away_are_met_to_a_tenth_of_a_millimetre_after_three(
    label: str, way: str, by_inertia: bool
) -> None:
    settings = Settings(updates=3, derivatives=way, by_inertia=by_inertia)
    points = POINTS[:3] if by_inertia else POINTS
    assert missed_5_cm_away(label, points, settings) < 1e-4


@pytest.mark.parametrize("label", LABELS)
def test_a_heel_5_cm_down_is_met_by_inertia_too(label: str) -> None:
    assert missed_5_cm_away(label, ["left_heel"], Settings(updates=3)) < 1e-4


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("way", WAYS)
def test_constraints_of_several_kinds_hold_together(label: str, way: str) -> None:
    edit = edit_of(label, several())
    result = filter.run(edit, Settings(updates=4, derivatives=way))
    for key, missed in misses(edit, result.clip).items():
        assert missed.max() <= limit_of(key), f"{key}: {missed.max():.3g}"
    assert result.status == "converged", result.summary


@pytest.mark.parametrize("label", LABELS)
def test_sampled_and_analytic_derivatives_lead_to_the_same_poses(label: str) -> None:
    edit = edit_of(label, several())
    sampled, analytic = (
        filter.run(edit, Settings(updates=3, derivatives=way)).clip for way in WAYS
    )  # fmt: skip
    assert apart_rad(sampled, edit.clip) > 0.01
    assert apart_rad(sampled, analytic) < 1e-4


@pytest.mark.parametrize("variance", [1e-12, 1e-9])
def test_hard_goals_ask_only_for_the_ratios_of_the_process_noise(variance: float) -> None:
    edit = edit_of("walk@30", several())
    usual = filter.run(edit, Settings(updates=3)).clip
    other = filter.run(edit, Settings(updates=3, process_variance=variance)).clip
    assert apart_rad(usual, other) < 1e-4


def test_the_papers_spread_leads_to_the_same_poses() -> None:
    edit = edit_of("walk@30", several())
    usual = filter.run(edit, Settings(updates=3)).clip
    for kappa in (0.0, 3.0):
        assert apart_rad(usual, filter.run(edit, Settings(updates=3, kappa=kappa)).clip) < 1e-4


def test_two_rounds_of_one_update_are_one_round_of_two() -> None:
    edit = edit_of("walk@30", several())
    rounds = filter.run(edit, Settings(passes="2K", updates=1, smooth_kinematic=False))
    updates = filter.run(edit, Settings(passes="1K", updates=2))
    assert apart_rad(rounds.clip, updates.clip) < 1e-9
    assert len(rounds.report.after_each_round) == 2


@pytest.mark.parametrize("way", WAYS)
def test_far_goals_are_approached_slowly_and_met_all_the_same(way: str) -> None:
    """The noise of far goals softens early updates, and the last one has none."""
    edit = edit_of("walk@30", [hold("left_wrist", (0.0, 0.0, 0.5))])
    far: dict[str, Any] = {"derivatives": way, "by_inertia": False}
    one = filter.run(edit, Settings(updates=1, **far)).clip
    plain = filter.run(edit, Settings(updates=1, far_noise=0.0, **far)).clip
    assert same_bits(one, plain)
    steps = [filter.run(edit, Settings(updates=2, far_noise=n, **far)).clip for n in (0.0, 1e-9)]
    assert not same_bits(*steps)
    assert worst_m(edit, filter.run(edit, Settings(updates=6, **far)).clip) < 1e-4


# What nobody asked for


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("way", WAYS)
def test_frames_outside_every_interval_keep_their_bits(label: str, way: str) -> None:
    edit = edit_of(label, several())
    after = filter.run(edit, Settings(derivatives=way)).clip
    outside = np.r_[0 : WHEN.first, WHEN.last + 1 : FRAMES]
    for was, now in zip(edit.clip.pose[:2], after.pose[:2], strict=True):
        np.testing.assert_array_equal(was[outside], now[outside])
        assert (was[WHEN.frames] != now[WHEN.frames]).any()


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("way", WAYS)
def test_joints_that_nothing_recruits_keep_their_bits(label: str, way: str) -> None:
    arm = hold("left_wrist", (0.0, 0.05, 0.0), recruit=ARM)
    edit = edit_of(label, [arm])
    after = filter.run(edit, Settings(derivatives=way)).clip
    (task,) = tasks_of(arm, edit.scene)
    others = ~task.recruits.joints
    np.testing.assert_array_equal(
        after.rotations_wxyz[:, others], edit.clip.rotations_wxyz[:, others]
    )
    np.testing.assert_array_equal(after.root_positions_m, edit.clip.root_positions_m)
    assert (after.rotations_wxyz != edit.clip.rotations_wxyz).any(axis=(0, 2)).sum() >= 2


@pytest.mark.parametrize("way", WAYS)
def test_a_task_moves_only_what_it_recruits_beside_one_that_recruits_more(way: str) -> None:
    """The head is already where it should be, and the foot may use its leg alone."""
    leg = Recruit(joints=("right_hip", "right_knee"))
    foot = hold("right_ankle", (0.0, 0.03, 0.02), "foot", recruit=leg)
    head = hold("head", (0.0, 0.0, 0.0), "head")
    edit = edit_of("walk@30", [foot, head])
    after = filter.run(edit, Settings(updates=3, derivatives=way)).clip
    (task,) = tasks_of(foot, edit.scene)
    others = ~task.recruits.joints
    apart = rotations.angle_between(after.rotations_wxyz, edit.clip.rotations_wxyz)
    assert apart[:, others].max() < 1e-7 < 0.01 < apart.max()


def test_joints_without_mobility_keep_their_bits() -> None:
    edit = edit_of("walk@30", [hold("left_wrist", (0.0, 0.05, 0.0))])
    still = {"left_elbow": 0.0, "translation": 0.0}
    after = filter.run(edit, Settings(updates=4, mobility=still)).clip
    elbow = find_joint(edit.character, "left_elbow")
    np.testing.assert_array_equal(
        after.rotations_wxyz[:, elbow], edit.clip.rotations_wxyz[:, elbow]
    )
    np.testing.assert_array_equal(after.root_positions_m, edit.clip.root_positions_m)
    assert worst_m(edit, after) < 1e-4


def test_the_input_is_not_changed_and_the_same_bits_come_twice() -> None:
    edit = edit_of("walk@30", several())
    kept = edit.clip.root_positions_m.copy(), edit.clip.rotations_wxyz.copy()
    first, second = (filter.run(edit, Settings(passes="2K")) for _ in range(2))
    np.testing.assert_array_equal(edit.clip.root_positions_m, kept[0])
    np.testing.assert_array_equal(edit.clip.rotations_wxyz, kept[1])
    assert same_bits(first.clip, second.clip) and not same_bits(first.clip, edit.clip)
    anew = filter.run(Edit(edit.clip, edit.character, several()), Settings(passes="2K"))
    assert same_bits(first.clip, anew.clip) and first.summary == anew.summary


def test_nothing_asked_is_nothing_done() -> None:
    edit = edit_of("walk@30", [])
    result = filter.run(edit)
    assert same_bits(result.clip, edit.clip) and result.status == "converged"


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("way", WAYS)
def test_every_frame_is_filtered_by_itself(label: str, way: str) -> None:
    """Filtering a slice gives the slice of the filtered clip, up to the sign of quaternions."""
    settings = Settings(derivatives=way)
    clip, character = clip_named(label)
    near = edit_of(label, []).scene.state.positions_m[10, find_joint(character, "left_wrist")]
    place = tuple((near + np.array([0.0, 0.05, 0.02])).tolist())

    def wishes(first: int, last: int) -> list[Constraint]:
        when = Interval(first, last)
        return [
            HoldPoint("hand", "left_wrist", place, when),
            LookAt("gaze", "head", (2, 1, 9), when),
        ]

    long = filter.run(Edit(clip.sliced(0, FRAMES), character, wishes(4, 18)), settings).clip
    for start, stop in ((4, 12), (11, 12), (9, 19)):
        part = Edit(clip.sliced(start, stop), character, wishes(0, stop - start - 1))
        short = filter.run(part, settings).clip
        np.testing.assert_array_equal(short.root_positions_m, long.root_positions_m[start:stop])
        one, other = short.rotations_wxyz, long.rotations_wxyz[start:stop]
        assert ((one == other).all(axis=-1) | (one == -other).all(axis=-1)).all()


# Goals that depend on each other, or contradict


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("way", WAYS)
def test_heel_toe_and_ankle_of_one_foot_are_held_together(label: str, way: str) -> None:
    """Nine rows on what has six freedoms or seven: some are left out, and hold all the same."""
    foot = [hold(f"left_{n}", (0.0, 0.02, 0.04), n) for n in ("heel", "toe_tip", "ankle")]
    edit = edit_of(label, foot)
    result = filter.run(edit, Settings(updates=4, derivatives=way))
    assert worst_m(edit, result.clip) < 1e-4, result.summary
    assert result.status == "converged"


@pytest.mark.parametrize("way", WAYS)
def test_the_same_wish_twice_is_as_good_as_once(way: str) -> None:
    one, two = (hold("left_wrist", (0.0, 0.05, 0.0), name) for name in ("one", "two"))
    settings = Settings(updates=3, derivatives=way)
    once = filter.run(edit_of("walk@30", [one]), settings).clip
    twice = filter.run(edit_of("walk@30", [one, two]), settings)
    assert apart_rad(once, twice.clip) < 1e-6 and twice.status == "converged"


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("soft_first", [False, True])
def test_a_soft_constraint_yields_to_a_hard_one_that_contradicts_it(
    way: str, soft_first: bool
) -> None:
    up = hold("left_wrist", (0.0, 0.05, 0.0), "hard")
    down = hold("left_wrist", (0.0, -0.05, 0.0), "soft")
    edit = edit_of("walk@30", [down, up] if soft_first else [up, down])
    result = filter.run(edit, Settings(updates=3, derivatives=way, noise={"soft": 1e-8}))
    missed = {name: float(m.max()) for (name, _, _), m in misses(edit, result.clip).items()}
    assert missed["hard"] < 1e-4 and missed["soft"] == pytest.approx(0.1, abs=1e-3)


def test_the_noisier_a_constraint_the_less_of_it_holds() -> None:
    missed: list[float] = []
    for noise in (0.0, 1e-11, 1e-9, 1e-6):
        edit = edit_of("walk@30", [hold("left_wrist", (0.0, 0.05, 0.0), "soft")])
        missed.append(worst_m(edit, filter.run(edit, Settings(noise={"soft": noise})).clip))
    assert missed == sorted(missed) and missed[0] < 1e-3 and missed[-1] > 0.049


@pytest.mark.parametrize("way", WAYS)
def test_of_two_hard_constraints_that_contradict_the_earlier_one_holds(way: str) -> None:
    up = hold("left_wrist", (0.0, 0.05, 0.0), "up")
    down = hold("left_wrist", (0.0, -0.05, 0.0), "down")
    edit = edit_of("walk@30", [up, down])
    result = filter.run(edit, Settings(updates=4, derivatives=way))
    missed = {name: float(m.max()) for (name, _, _), m in misses(edit, result.clip).items()}
    assert missed["up"] < 1e-4 and missed["down"] == pytest.approx(0.1, abs=1e-3)
    assert result.status != "converged" and "'down'" in result.summary


def test_the_summary_does_not_call_a_constraint_met_that_yielded() -> None:
    wishes = [hold("left_wrist", (0.0, by, 0.0), name) for by, name in ((0.05, "a"), (-0.05, "b"))]
    result = filter.run(edit_of("walk@30", wishes), Settings(updates=3, noise={"b": 1e-8}))
    assert "All constraints are met" not in result.summary


def test_the_summary_names_the_hard_constraint_that_is_missed() -> None:
    far = hold("left_wrist", (0.0, 2.0, 0.0), "hard", recruit=ARM)
    soft = hold("right_ankle", (0.0, 9.0, 0.0), "soft")
    result = filter.run(edit_of("walk@30", [far, soft]), Settings(noise={"soft": 1.0}))
    assert result.status == "out_of_iterations" and "'hard'" in result.summary


# Goals out of reach


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("updates", [1, 3, 20])
@pytest.mark.parametrize("place", [(5.0, 9.0, 0.0), (0.0, 1e6, 0.0)])
def test_a_goal_out_of_reach_gives_a_finite_clip_and_is_reported(
    way: str, updates: int, place: Vector
) -> None:
    edit = edit_of("walk@30", [HoldPoint("far", "left_wrist", place, WHEN, recruit=ARM)])
    result = filter.run(edit, Settings(updates=updates, derivatives=way))
    assert_finite(result.clip)
    assert result.status == "out_of_iterations" and "'far' misses" in result.summary
    (report,) = result.constraints
    assert not report.met and 1e-3 * report.worst == pytest.approx(worst_m(edit, result.clip))


@pytest.mark.parametrize("way", WAYS)
def test_a_gaze_straight_away_from_its_goal_turns_round(way: str) -> None:
    asked = LookAt("gaze", "head", (2.0, 1.0, 9.0), Interval(0, 0))
    edit = edit_of("walk@30", [asked])
    (task,) = tasks_of(asked, edit.scene)
    state = edit.scene.state
    eye = state.positions_m[0, task.joint] + rotations.rotate(
        state.rotations_wxyz[0, task.joint], task.offset_m
    )
    ray: Array = quantity(task, state, edit.character)[0]
    behind = tuple((eye - 2.0 * ray).tolist())
    edit = edit_of("walk@30", [LookAt("gaze", "head", behind, Interval(0, 0))])
    result = filter.run(edit, Settings(updates=10, derivatives=way))
    assert_finite(result.clip)
    assert apart_rad(result.clip, edit.clip) > 0.1


# Settings that make no sense


NAN, INF = float("nan"), float("inf")


SILLY: list[Any] = [
    *[("process_variance", v) for v in (0.0, -1e-10, NAN, INF, 1e300, 1e-300)],
    *[("alpha", v) for v in (0.0, -0.01, NAN, INF, 1e3)],
    *[("kappa", v) for v in (-1000.0, NAN, INF, -INF)],
    *[("passes", v) for v in ("", "3X", "0K", "101K", "-1K", "1K+", "KK", "K1")],
    *[("updates", v) for v in (0, -1, 101, NAN)],
    *[("derivatives", v) for v in ("", "exact")],
    *[("noise", {"nobody": 1.0}), ("noise", {"held": NAN}), ("noise", {"held": -1.0})],
    *[("mobility", {"head": NAN}), ("mobility", {"head": -1.0}), ("mobility", {"head": 1e9})],
    *[
        (name, v)
        for name in ("far_noise", "far_m", "far_deg", "met_mm", "met_deg")
        for v in (-1.0, NAN, INF)
    ],
    *[("kappa", 1e300), ("knot_s", NAN), ("knot_s", 0.0), ("beta", NAN), ("beta", -1.0)],
]


@pytest.mark.parametrize(("name", "value"), SILLY)
def test_settings_that_make_no_sense_are_refused_by_name(name: str, value: object) -> None:
    edit = edit_of("walk@30", [hold("left_wrist", (0.0, 0.05, 0.0))])
    with pytest.raises(PoiseError, match=name):
        filter.run(edit, Settings(**{name: value}))  # type: ignore[arg-type]


def test_a_part_of_an_update_is_refused() -> None:
    with pytest.raises(PoiseError, match="updates"):
        Settings(updates=2.5)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["noise", "mobility"])
def test_names_that_are_not_there_are_repeated(name: str) -> None:
    edit = edit_of("walk@30", [hold("left_wrist", (0.0, 0.05, 0.0))])
    with pytest.raises(PoiseError, match="nobody"):
        filter.run(edit, Settings(**{name: {"nobody": 1.0}}))  # type: ignore[arg-type]


@pytest.mark.parametrize("way", WAYS)
def test_settings_at_their_limits_give_numbers_or_a_reason(way: str) -> None:
    """Wide and narrow spreads, large and small noise: nothing is NaN, nothing else is raised."""
    edit = edit_of("walk@30", several())
    extreme: list[dict[str, Any]] = [
        {"process_variance": variance} | spread
        for variance in (1e-20, 1e-2, 1.0)
        for spread in ({"alpha": 1e-6}, {"alpha": 1.0}, {"kappa": -40.0}, {"kappa": 1e6})
    ]
    extreme += [{"noise": {"hand": n, "gaze": n}} for n in (1e-300, 1e300)]
    extreme += [{"far_m": 0.0, "far_deg": 0.0, "far_noise": 1e300}, {"met_mm": 0.0}]
    extreme += [{"mobility": {"head": 1000.0, "left_elbow": 0.0}}, {"updates": 100}]
    given = 0
    for fields in extreme:
        try:
            result = filter.run(edit, Settings(derivatives=way, **fields))
        except PoiseError as problem:
            assert "kappa" in str(problem), fields
        else:
            given += 1
            assert_finite(result.clip)
    assert given > len(extreme) // 2
