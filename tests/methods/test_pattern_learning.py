"""What is learned from motions gives them back, and knows what was put in."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from poise import rotations
from poise.errors import BadValue, PoiseError, UnknownName
from poise.mechanics import forward_kinematics
from poise.methods.pattern import EventRule, Pattern, learn
from poise.methods.pattern.learning import with_components
from poise.methods.pattern.placed import place
from poise.motion import Clip
from tests.methods.swings import (
    CLUB,
    HIT,
    TOES,
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
    placed_aside,
    rebuilt,
    retimed,
    state_of,
    swing,
    swings,
    varied,
)

TRUTH = np.array(
    [[4.0, 0.0, 0.0], [-4.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, -2.0, 0.0], [0.0, 0.0, 1.0],
     [0.0, 0.0, -1.0]]
)  # fmt: skip
"""Coefficients of six motions along three ways, not correlated, without a mean."""


@cache
def known() -> Pattern:
    """The pattern of motions whose components are known, all over the room."""
    random = np.random.default_rng(0)
    return learned(
        [moved(varied(each, known_ways(), f"clip {i}"), random.uniform(-3, 3), (float(i), 0.0, 2.0))
         for i, each in enumerate(TRUTH)]
    )  # fmt: skip


def test_components_variances_and_coefficients_are_those_that_were_put_in() -> None:
    signs = np.sign(np.sum(known().components * known_ways(), axis=(1, 2, 3)))
    found = known().components * signs[:, None, None, None]
    # The first clip may have been turned: the root's height and joints below it do not see that.
    np.testing.assert_allclose(found, known_ways(), atol=1e-8)
    np.testing.assert_allclose(known().coefficients * signs, TRUTH, atol=1e-7)
    np.testing.assert_allclose(known().variances, TRUTH.var(axis=0, ddof=1), rtol=1e-8)
    np.testing.assert_allclose(known().shares, np.cumsum([16.0, 4.0, 1.0]) / 21.0, rtol=1e-8)


def test_the_mean_of_motions_about_a_known_one_is_that_one() -> None:
    first = moved(swing(), float(np.random.default_rng(0).uniform(-3, 3)), (0.0, 0.0, 2.0))
    at = place(known(), first, character(), 0.0)
    assert np.abs(at.vector).max() < 1e-9 and np.abs(at.coefficients).max() < 1e-8


@pytest.mark.parametrize("example", range(6))
def test_every_example_is_given_back_by_its_coefficients(example: int) -> None:
    made, clip = rebuilt(pattern(), example), swings()[example]
    assert apart_m(made, clip) < 1e-9 and apart_rad(made, clip) < 1e-7


@pytest.mark.parametrize("example", range(6))
def test_the_projection_of_an_example_is_its_coefficients(example: int) -> None:
    at = placed(example)
    scale = float(pattern().deviations[0])
    np.testing.assert_allclose(at.coefficients, pattern().coefficients[example], atol=1e-8 * scale)
    assert at.left_over_deg < 1e-6
    assert at.placing.turn_rad == pytest.approx(
        pattern().examples[example].placing.turn_rad, abs=1e-8
    )


def test_fewer_components_leave_more_out() -> None:
    whole = [
        sum(
            float((rotations.angle_between(rebuilt(pattern(), i, count).rotations_wxyz,
                                           swings()[i].rotations_wxyz) ** 2).sum())
            for i in range(6)
        )
        for count in range(1, 6)
    ]  # fmt: skip
    assert (np.diff(whole) < 0).all() and whole[-1] < 1e-8


def test_what_is_left_out_is_the_variance_that_is_not_explained() -> None:
    p = pattern()
    left = p.coefficients.copy()
    for count in range(1, 6):
        left[:, :count] = 0.0
        share = 1.0 - (left**2).sum() / (p.coefficients**2).sum()
        assert share == pytest.approx(p.shares[count - 1], abs=1e-10)


def test_an_edit_to_another_example_s_coefficients_is_that_example() -> None:
    change = pattern().coefficients[3] - pattern().coefficients[1]
    made = changed(placed(1), change)
    there = place(pattern(), made, golfer(), 0.0)
    np.testing.assert_allclose(there.coefficients, pattern().coefficients[3], atol=1e-6)
    a, b = state_of(made).positions_m, state_of(swings()[3]).positions_m
    np.testing.assert_allclose(
        np.linalg.norm(a - a[:, :1], axis=-1), np.linalg.norm(b - b[:, :1], axis=-1), atol=1e-8
    )


@pytest.mark.parametrize("example", [0, 4])
def test_no_change_gives_the_clip_back(example: int) -> None:
    for at in (placed(example), placed_aside()):
        made = changed(at, np.zeros(5))
        assert apart_m(made, at.clip) < 1e-13 and apart_rad(made, at.clip) < 1e-7


def test_coefficients_have_no_mean_and_the_variances_of_their_components() -> None:
    p = pattern()
    np.testing.assert_allclose(p.coefficients.mean(axis=0), 0.0, atol=1e-9)
    covariance = np.cov(p.coefficients.T)
    np.testing.assert_allclose(covariance, np.diag(p.variances), atol=1e-8 * p.variances[0])
    flat = p.components.reshape(len(p.variances), -1)
    np.testing.assert_allclose(flat @ flat.T, np.eye(len(flat)), atol=1e-9)


def test_the_furthest_example_is_the_furthest() -> None:
    p = pattern()
    for count in (1, 2, 4):
        scaled = p.coefficients[:, :count] / np.sqrt(p.variances[:count])
        assert p.furthest(count) == pytest.approx(np.sqrt((scaled**2).sum(axis=1)).max())


def test_seen_with_all_components_every_example_is_as_far_from_the_mean() -> None:
    """A matter of counting: M points span M - 1 dimensions, and whitened they are a simplex."""
    p = pattern()
    far = np.linalg.norm(p.coefficients / p.deviations, axis=1)
    np.testing.assert_allclose(far, 5.0 / np.sqrt(6.0), rtol=1e-7)


# How many components


@pytest.mark.parametrize(
    "share, count", [(0.1, 1), (16 / 21 - 1e-6, 1), (16 / 21 + 1e-6, 2), (0.95, 2), (1.0, 3)]
)
def test_a_share_takes_as_many_components_as_explain_it(share: float, count: int) -> None:
    assert with_components(known(), None, share).used == count


def test_unless_told_otherwise_all_components_are_used() -> None:
    assert known().used == 3 and pattern().used == 5


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_number_of_components_is_taken_as_it_is(count: int) -> None:
    assert with_components(known(), count, None).used == count


@pytest.mark.parametrize(
    "count, share", [(0, None), (4, None), (2, 0.5), (None, 0.0), (None, 1.1), (None, float("nan"))]
)
def test_silly_numbers_of_components_are_refused(count: int | None, share: float | None) -> None:
    with pytest.raises(BadValue):
        with_components(known(), count, share)


# What carries nothing


def test_joints_that_carry_nothing_are_no_part_of_it() -> None:
    clips = [_with_toes_bent(clip, 0.1 * i) for i, clip in enumerate(swings()[:3])]
    p, toes = learned(clips), list(TOES)
    assert not p.components[:, :, 1:][:, :, toes].any() and not p.varying[1:][toes].any()
    at = place(p, clips[1], character(), 0.0)
    for made in (changed(at, p.deviations), at.with_motion(*at.motion(at.projected(1)))):
        apart = rotations.angle_between(
            made.rotations_wxyz[:, toes], clips[1].rotations_wxyz[:, toes]
        )
        assert apart.max() < 1e-7


def _with_toes_bent(clip: Clip, angle_rad: float) -> Clip:
    turns = np.array(clip.rotations_wxyz)
    bend = rotations.from_axis_angle(np.array([1.0, 0.0, 0.0]), np.float64(angle_rad))
    turns[:, list(TOES)] = rotations.multiply(turns[:, list(TOES)], bend)
    return replace(clip, rotations_wxyz=turns)


# What is refused


def test_one_motion_is_not_a_pattern() -> None:
    with pytest.raises(BadValue, match="at least two"):
        learned([swing()])


def test_the_same_motion_twice_is_not_a_pattern() -> None:
    with pytest.raises(BadValue, match="same motion"):
        learned([swing(), swing()])


def test_the_same_motion_three_times_is_not_a_pattern() -> None:
    with pytest.raises(BadValue, match="same motion"):
        learned([swing(), swing(), swing()])


def test_the_same_motion_elsewhere_in_the_room_is_not_a_pattern() -> None:
    with pytest.raises(BadValue, match="same motion"):
        learned([swing(), moved(swing(), 1.0, (1.0, 0.0, 2.0))])


def test_motions_of_another_behaviour_are_refused_by_name() -> None:
    backwards = replace(retimed(swing(), np.arange(96.0, -1.0, -1.0)), name="backwards")
    upside = varied([2.0, 2.0, -2.0, 2.0], name="upside down")
    with pytest.raises(BadValue, match=r"backwards|upside down|swing"):
        learned([*swings()[:2], upside, backwards])


def test_another_skeleton_is_refused() -> None:
    skeleton = swing().skeleton
    longer = replace(skeleton, offsets_m=1.05 * skeleton.offsets_m)
    with pytest.raises(BadValue, match="put all motions on one body first"):
        learned([swing(), replace(varied([0.1]), skeleton=longer)])
    nearly = replace(skeleton, offsets_m=1.01 * skeleton.offsets_m)
    learned([swing(), replace(varied([0.1]), skeleton=nearly)])


def test_events_that_come_in_another_order_are_refused() -> None:
    with pytest.raises(BadValue, match="in the order"):
        learned(swings()[:2], events=[{"a": 20, "b": 30}, {"a": 30, "b": 20}])


@pytest.mark.parametrize("frame", [-1, 97, 1000])
def test_an_event_outside_its_clip_is_refused(frame: int) -> None:
    with pytest.raises(BadValue, match="from 0 to 96"):
        learned(swings()[:2], events=[{"hit": HIT}, {"hit": frame}])


def test_an_event_at_the_edge_of_one_clip_but_not_of_the_other_is_refused() -> None:
    with pytest.raises(BadValue, match="inside the clip"):
        learned(swings()[:2], events=[{"hit": HIT}, {"hit": 96}])


def test_a_span_between_events_that_are_not_there_is_refused() -> None:
    with pytest.raises(UnknownName, match="take-away"):
        learned(swings()[:2], events=[{"hit": HIT}] * 2, span=("take-away", None))


def test_grounds_for_fewer_clips_than_there_are_are_refused() -> None:
    with pytest.raises(PoiseError):
        learn(swings()[:3], character(), grounds_m=[0.0, 0.0])


def test_two_events_in_one_frame_are_refused() -> None:
    with pytest.raises(BadValue, match="in different frames"):
        learned(swings()[:2], events=[{"a": 20, "b": 20}] * 2)


def test_two_events_that_rules_find_in_one_frame_are_refused_by_name() -> None:
    rules = [EventRule("low", "lowest", "left_wrist", near="fastest")]
    rules.append(replace(rules[0], name="too"))
    with pytest.raises(BadValue, match="low"):
        learned(swings()[:2], rules=rules)


def test_events_close_together_stay_apart_in_the_pattern() -> None:
    """Rounding must not push one onto another, or onto an end."""
    for frames in ([1, 2, 3], [93, 94, 95], [1, 50, 95], [47, 48, 49]):
        events = dict(zip("abc", frames, strict=True))
        p = learned(swings()[:2], events=[events] * 2)
        assert [frame for _, frame in p.events] == frames
    short = [clip.sliced(0, 6) for clip in swings()[:2]]
    p = learned(short, events=[{"a": 1, "b": 2, "c": 3}, {"a": 2, "b": 3, "c": 4}])
    found = [frame for _, frame in p.events]
    assert found == sorted(set(found)) and found[0] > 0 and found[-1] < p.frame_count - 1
    for i in range(2):
        assert np.isfinite(rebuilt(p, i).rotations_wxyz).all()


def test_a_clip_too_short_for_its_events_is_refused() -> None:
    with pytest.raises(BadValue, match="span"):
        learned([c.sliced(0, 2) for c in swings()[:2]], events=[{"a": 0, "b": 1}] * 2)


def test_clips_of_two_frames_are_enough_without_events() -> None:
    clips = [varied(0.01 * way).sliced(HIT, HIT + 2) for way in np.eye(3)]
    p = learned(clips)
    assert p.frame_count == 2 and p.events == ()
    assert apart_rad(rebuilt(p, 2), clips[2]) < 1e-7


def test_names_that_are_there_twice_get_numbers() -> None:
    clips = [replace(c, name=n) for c, n in zip(swings(), ("a", "a", "b", ""), strict=False)]
    names = [example.name for example in learned(clips).examples]
    assert len(set(names)) == 4 and names[2] == "b"


def test_the_grounds_are_found_where_they_are_not_given() -> None:
    clips = [
        moved(c, 0.0, (0.0, h, 0.0)) for c, h in zip(_standing(), (0.0, 0.7, -1.2), strict=True)
    ]
    p = learn(clips, character())
    heights = [example.placing.from_m[1] for example in p.examples]
    np.testing.assert_allclose(heights, [0.0, 0.7, -1.2], atol=0.02)


def _standing() -> list[Clip]:
    """Swings whose feet do not leave the ground."""
    return [varied(each, known_ways()) for each in ([0.0], [0.3], [-0.5])]


def test_tools_come_with_the_pattern() -> None:
    assert pattern().tools == (CLUB,)
    assert "club_head" in pattern().with_tools(character()).sites.names
    held = golfer()
    assert pattern().with_tools(held).sites.names == held.sites.names


def test_the_watcher_sees_every_clip() -> None:
    seen: list[tuple[int, int]] = []
    learned(swings()[:3], progress=lambda now: seen.append((now.done, now.total)))
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_the_mean_joints_are_the_mean_of_where_joints_are() -> None:
    p = pattern()
    known_joints = np.mean(
        [
            e.placing.places(state_of(c).positions_m)
            for e, c in zip(p.examples, swings(), strict=True)
        ],
        axis=0,
    )
    np.testing.assert_allclose(p.mean_joints_m, known_joints, atol=1e-9)
    mean = forward_kinematics(p.skeleton, p.mean_roots_m, p.mean_wxyz).positions_m
    assert np.linalg.norm(mean - p.mean_joints_m, axis=-1).max() < 0.1
