"""What is refused about patterns, by name: no pattern to be had, no event, no such goal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from poise.character import Attachment
from poise.constraints import (
    Constraint,
    FlightHeight,
    FollowCurve,
    Gravity,
    HitAt,
    HoldPoint,
    Interval,
    KeepDistance,
    LookAt,
    MoveStage,
    Orient,
    PlaceCenterOfMass,
    Plant,
    StayOnSide,
)
from poise.errors import BadShape, BadValue, PoiseError, UnknownName
from poise.methods import Edit, Result
from poise.methods.pattern import EventRule, Pattern, Settings, learn, run
from poise.motion import Clip
from poise.samples import human_skeleton, sample_character
from tests.methods.patterned import CLUB, HIT, made, moved, swing_pattern, swings, varied

NAN, INF = float("nan"), float("inf")
SWING = swings()[0]
WHEN = Interval(40, 60)
HAND = HitAt("hand", "left_wrist", (0.05, 0.86, 0.18), 54)


def learned(clips: Any, **more: Any) -> Pattern:
    return learn(clips, sample_character(), **more)


def edited(*constraints: Constraint, clip: Clip = SWING, **settings: Any) -> Result:
    pattern = settings.pop("pattern", swing_pattern())
    character = settings.pop("character", sample_character())
    edit = Edit(clip, character, constraints, pattern=pattern)
    return run(edit, Settings(**settings))


# Clips that have no pattern


def taller(clip: Clip) -> Clip:
    return replace(clip, skeleton=human_skeleton(1.9), name="tall")


def renamed(clip: Clip) -> Clip:
    names = tuple("Torso" if name == "Spine1" else name for name in clip.skeleton.joint_names)
    return replace(clip, skeleton=replace(clip.skeleton, joint_names=names), name="renamed")


def handless(clip: Clip) -> Clip:
    """Without the last joint."""
    skeleton = clip.skeleton
    last = skeleton.joint_count - 1
    kept = [i for i, j in enumerate(skeleton.end_sites.joints) if j != last]
    sites = replace(
        skeleton.end_sites,
        names=tuple(skeleton.end_sites.names[i] for i in kept),
        joints=skeleton.end_sites.joints[kept],
        offsets_m=skeleton.end_sites.offsets_m[kept],
    )
    smaller = replace(
        skeleton, joint_names=skeleton.joint_names[:last], parents=skeleton.parents[:last],
        offsets_m=skeleton.offsets_m[:last], rest_wxyz=skeleton.rest_wxyz[:last],
        kinds=skeleton.kinds[:last], hinge_axes=skeleton.hinge_axes[:last],
        limits_rad=skeleton.limits_rad[:last], end_sites=sites,
    )  # fmt: skip
    turns = clip.rotations_wxyz[:, :last]
    return replace(clip, skeleton=smaller, rotations_wxyz=turns, name="handless")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (taller, "of tall must be as in golf (put all motions on one body first)"),
        (renamed, "of renamed must be 'Spine1' as in golf, got 'Torso'"),
        (handless, "skeleton of handless must have shape (22 joints like golf), got (21,)"),
    ],
)
def test_clips_of_different_skeletons_are_named(change: Callable[[Clip], Clip], said: str) -> None:
    with pytest.raises((BadValue, BadShape)) as problem:
        learned([*swings(), change(SWING)])
    assert said in str(problem.value)


@pytest.mark.parametrize("count", [0, 1])
def test_one_clip_is_no_pattern(count: int) -> None:
    with pytest.raises(BadValue, match="clips must be at least two: a pattern is what several"):
        learned(swings()[:count])


@pytest.mark.parametrize("other", [SWING, replace(SWING, name="another name")])
def test_a_clip_and_itself_are_no_pattern(other: Clip) -> None:
    with pytest.raises(BadValue, match="clips must be different from each other"):
        learned([SWING, other])


@pytest.mark.parametrize(
    "clips",
    [
        [SWING] * 3,
        [SWING, moved(SWING, 1.0, np.array([1.0, 0.0, 2.0]))],
        [SWING, moved(SWING, 0.0, np.array([0.0, 0.5, 0.0]))],
    ],
    ids=["three times", "elsewhere in the room", "on a platform"],
)
def test_the_same_motion_again_is_no_pattern(clips: list[Clip]) -> None:
    with pytest.raises(BadValue, match="clips must be different from each other"):
        learned(clips)


def backwards(clip: Clip) -> Clip:
    roots, turns = clip.root_positions_m[::-1], clip.rotations_wxyz[::-1]
    return replace(clip, root_positions_m=roots, rotations_wxyz=turns, name="backwards")


def test_a_motion_of_another_behaviour_is_named_among_many() -> None:
    with pytest.raises(BadValue) as problem:
        learned([*swings(), backwards(SWING)], rules=[HIT], tools=[CLUB])
    assert str(problem.value).startswith("backwards must be of the same behaviour as the others")
    assert "(give events)" in str(problem.value)


@pytest.mark.parametrize("other", ["walk", "run", "hop", "reach", "squat", "stand"])
@pytest.mark.parametrize("count", [1, 5])
def test_motions_of_different_behaviours_have_no_pattern(other: str, count: int) -> None:
    # Two behaviours are 17 to 22 degrees from their mean, which itself moves by 6 to 18 degrees;
    # five swings are 1 to 3 degrees from theirs, which moves by 21.
    with pytest.raises(BadValue, match="must be of the same behaviour as the others") as problem:
        learned([*swings()[:count], made(other)])
    assert count == 1 or str(problem.value).startswith(other)


# Events


@pytest.mark.parametrize(
    ("rule", "other", "said"),
    [
        (HIT, "stand", "event 'hit' in stand must be inside the clip (club_head is lowest at one"),
        (EventRule("fast", "fastest", "left_wrist"), "walk",
         "event 'fast' in walk must be one moment (cut the clip, or give the frame), got 'frames"),
        (EventRule("up", "highest", "head_top"), "golf", "event 'up' in golf must be inside the"),
    ],
)  # fmt: skip
def test_an_event_that_a_clip_does_not_have_is_named(
    rule: EventRule, other: str, said: str
) -> None:
    with pytest.raises(BadValue) as problem:
        learned([made(other), *swings()[1:]], rules=[rule], tools=[CLUB])
    assert said in str(problem.value)


def test_a_point_that_never_rests_does_not_start() -> None:
    # Cut from the middle of the way down.
    cut = [clip.sliced(46, 60) for clip in swings()]
    with pytest.raises(BadValue) as problem:
        learned(cut, rules=[EventRule("off", "stops", "left_wrist")])
    said = "event 'off' in golf must be a moment in which left_wrist is at rest, got 'none'"
    assert said in str(problem.value)


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ((EventRule("hit", "lowest", "club_hed"),), "Did you mean 'club_head'?"),
        ((EventRule("a", "lowest", "head", after="b"),), "No event is called 'b'. Known: a."),
        ((EventRule("a", "lowest", "head", before="a"),), "without a circle of after and before"),
        ((HIT, HIT), "events must be of different names, got ['hit', 'hit']"),
        ((HIT, EventRule("late", "lowest", "head", after="hit", before="hit")),
         "event 'late' in golf must be possible between the events around it"),
    ],
)  # fmt: skip
def test_rules_that_cannot_be_are_named(rules: tuple[EventRule, ...], said: str) -> None:
    with pytest.raises((BadValue, UnknownName)) as problem:
        learned(swings(), rules=rules, tools=[CLUB])
    assert said in str(problem.value)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"name": ""}, "name of an event must be some text"),
        ({"point": ""}, "point of an event must be some text"),
        ({"kind": "quickest"}, "No kind of event is called 'quickest'. Known: fastest, slowest"),
        ({"near": "starts"}, "No extreme to be near is called 'starts'. Known: fastest"),
        ({"kind": "stops", "near": "lowest"}, "near of event 'hit' must be left out beside starts"),
    ],
)
def test_rules_that_are_none_are_refused_by_name(changed: dict[str, Any], said: str) -> None:
    with pytest.raises((BadValue, UnknownName)) as problem:
        replace(EventRule("hit", "lowest", "head"), **changed)
    assert said in str(problem.value)


@pytest.mark.parametrize(
    ("events", "said"),
    [
        ([{"hit": 50}] * 4 + [{}], "events of golf 12348 must be in the order hit, got 'none'"),
        ([{}] + [{"hit": 50}] * 4, "events of golf 12345 must be in the order none, got 'hit'"),
        ([{"hit": 50}] * 4 + [{"top": 50}], "events of golf 12348 must be in the order hit"),
        ([{"a": 40, "b": 50}] * 4 + [{"a": 50, "b": 40}], "must be in the order a, b, got 'b, a'"),
        ([{"hit": -1}] * 5, "event 'hit' of golf must be from 0 to 96, got -1"),
        ([{"hit": 97}] * 5, "event 'hit' of golf must be from 0 to 96, got 97"),
        ([{"hit": NAN}] * 5, "event 'hit' of golf must be a whole frame, got nan"),
        ([{"a": 5, "b": 5}] * 5, "events of golf must be in different frames"),
        ([{"hit": 50}] * 4 + [{"hit": 0}], "must be inside the clip, as in the other clips"),
    ],
)
def test_given_events_that_do_not_fit_are_named(events: list[dict[str, int]], said: str) -> None:
    with pytest.raises(BadValue) as problem:
        learned(swings(), events=events)
    assert said in str(problem.value)


@pytest.mark.parametrize(
    "events",
    [[{"hit": 50}] * 4, [{"hit": 50}] * 6, [{"hit": "50"}] * 5, [{"hit": 50.5}] * 5],
    ids=["too few", "too many", "text", "half a frame"],
)
def test_given_events_that_are_none_are_named(events: Any) -> None:
    with pytest.raises(BadValue, match="event"):
        learned(swings(), events=events)


def test_an_event_at_the_start_here_and_at_the_end_there_is_named() -> None:
    last = swings()[4].frame_count - 1
    with pytest.raises(BadValue, match="events of golf 12348"):
        learned(swings(), events=[*[{"hit": 0}] * 4, {"hit": last}])


@pytest.mark.parametrize(
    ("span", "said"),
    [
        (("top", None), "No event is called 'top'. Known: hit. Asked for by the span"),
        ((None, "finish"), "No event is called 'finish'"),
        (("hit", "hit"), "span of golf must be from 'hit' to 'hit', with all events"),
    ],
)
def test_a_span_between_events_that_are_not_there_is_named(span: Any, said: str) -> None:
    with pytest.raises((BadValue, UnknownName)) as problem:
        learned(swings(), rules=[HIT], tools=[CLUB], span=span)
    assert said in str(problem.value)


def test_a_span_that_leaves_out_an_event_is_named() -> None:
    rules = [HIT, EventRule("top", "highest", "left_wrist", before="hit")]
    with pytest.raises(BadValue, match="span of golf must be from 'hit' to 'its end', with all"):
        learned(swings(), rules=rules, tools=[CLUB], span=("hit", None))


# Short clips, other rates


@pytest.mark.parametrize("frames", [1, 2])
def test_clips_too_short_for_an_event_are_named(frames: int) -> None:
    short = [clip.sliced(50, 50 + frames) for clip in swings()]
    with pytest.raises(BadValue, match="event 'hit' in golf"):
        learned(short, rules=[HIT], tools=[CLUB])
    with pytest.raises(BadValue, match="golf"):
        learned(short, events=[{"hit": frames // 2}] * 5)


def test_clips_of_one_frame_are_named() -> None:
    with pytest.raises(BadValue, match="golf 12345"):
        learned([SWING, swings()[1].sliced(0, 1)])


@pytest.mark.parametrize("frames", [2, 3, 4, 5])
def test_clips_of_a_few_frames_have_a_pattern(frames: int) -> None:
    hits = (54, 50, 54, 59, 51)
    short = [
        clip.sliced(hit - 1, hit - 1 + frames) for clip, hit in zip(swings(), hits, strict=True)
    ]
    pattern = learned(short)
    assert pattern.frame_count == frames
    result = edited(clip=short[0], pattern=pattern)
    assert result.status == "converged"


def test_clips_at_other_rates_have_the_same_pattern() -> None:
    # The same swings, captured at 30 and 60 Hz.
    fine = [varied(made("golf", 60.0), 12345), varied(made("golf", 60.0), 12346)]
    here = learned([SWING, *fine], rules=[HIT], tools=[CLUB])
    there = learned([SWING, *swings()[1:3]], rules=[HIT], tools=[CLUB])
    assert here.rate_hz == there.rate_hz == 30.0
    assert abs(here.frame_count - there.frame_count) <= 1
    for one, other in zip(here.examples, there.examples, strict=True):
        assert abs(one.away_deg - other.away_deg) < 1.0


@pytest.mark.parametrize("rate_hz", [0.1, 1e4])
def test_a_clip_that_lasts_much_longer_or_shorter_is_named(rate_hz: float) -> None:
    with pytest.raises(BadValue, match="golf 12345"):
        learned([SWING, replace(swings()[1], rate_hz=rate_hz)])


# Components, tools, grounds


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"components": 0}, "components must be from 1 to 4, which is all there are, got 0"),
        ({"components": 5}, "components must be from 1 to 4, which is all there are, got 5"),
        ({"share": 0.0}, "share must be above 0, at most 1, got 0.0"),
        ({"share": 1.01}, "share must be above 0, at most 1, got 1.01"),
        ({"share": NAN}, "share must be above 0, at most 1, got nan"),
        ({"share": 0.5, "components": 2}, "components and share must be one of them, got 'both'"),
        ({"tools": [Attachment("x", "third_hand", 0.0)]}, "is called 'third_hand'"),
        ({"tools": [CLUB, CLUB]}, "attachment name must be one that no site of the character has"),
    ],
)
def test_other_things_that_cannot_be_are_named(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(PoiseError) as problem:
        learned(swings(), **asked)
    assert said in str(problem.value)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"components": 2.5}, "components"),
        ({"grounds_m": [0.0]}, "grounds_m"),
        ({"grounds_m": [NAN] * 5}, "grounds_m"),
    ],
)
def test_things_that_are_no_numbers_are_named(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(PoiseError, match=said):
        learned(swings(), **asked)


def test_rules_beside_given_events_are_not_passed_over() -> None:
    with pytest.raises(BadValue, match="events"):
        learned(swings(), rules=[HIT], tools=[CLUB], events=[{"hit": 50}] * 5)


def test_who_watches_is_told_of_every_clip() -> None:
    told: list[tuple[int, int]] = []
    learned(swings(), progress=lambda now: told.append((now.done, now.total)))
    assert told == [(i + 1, 5) for i in range(5)]


# Goals


def test_an_edit_without_a_pattern_is_told_where_to_get_one() -> None:
    with pytest.raises(BadValue, match=r"pattern must be given \(see 'poise pattern learn'\)"):
        edited(HAND, pattern=None)


@pytest.mark.parametrize("place", [(3.0, 0.0, 0.0), (0.0, -3.0, 0.0), (0.0, 100.0, 0.0)])
def test_a_goal_metres_away_is_honestly_infeasible(place: tuple[float, float, float]) -> None:
    result = edited(HitAt("hit", "club_head", place, 54))
    assert result.status == "infeasible" and "converged" not in result.summary
    assert result.summary.startswith("'hit' misses its goal by up to ")
    assert "It lies outside what the motions of the pattern show" in result.summary
    assert "(see reach)" in result.summary
    (row,) = result.constraints
    assert not row.met and row.worst > 1000.0 and row.unit == "mm"
    assert np.isfinite(result.clip.rotations_wxyz).all()
    assert np.isfinite(result.clip.root_positions_m).all()
    # The nearest is given, and it is in the population.
    furthest = swing_pattern().furthest(4)
    assert result.report.deviations_after <= furthest * (1.0 + 1e-6)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: HitAt("h", "head", (NAN, 0, 0), 5), "place_m of 'h' must be a finite number"),
        (lambda: HitAt("h", "head", (0, 0, INF), 5), "place_m of 'h' must be a finite number"),
        (lambda: HitAt("h", "head", (0, 0), 5), "place_m of 'h' must be 3 numbers"),  # type: ignore[arg-type]
        (lambda: HitAt("h", "head", (0, 0, 0), -1), "frame of 'h' must be 0 or more, got -1"),
        (lambda: HitAt("h", "head", (0, 0, 0), 1.5), "frame of 'h' must be a whole number"),  # type: ignore[arg-type]
        (lambda: HitAt("h", "head", (0, 0, 0), "hit"), "frame of 'h' must be a whole number"),  # type: ignore[arg-type]
        (lambda: HitAt("h", "", (0, 0, 0), 5), "point of 'h' must be a name"),
        (lambda: HitAt("", "head", (0, 0, 0), 5), "name of a constraint must be some text"),
        (lambda: HitAt("h", "head", (0, 0, 0), 5, axes="w"), "axes of 'h' must be one, two or all"),
        (lambda: HitAt("h", "head", (0, 0, 0), 5, turn_wxyz=(0, 0, 0, 0)),
         "turn_wxyz of 'h' must be a quaternion other than zero"),
        (lambda: HitAt("h", "head", (0, 0, 0), 5, turn_wxyz=(1, NAN, 0, 0)),
         "turn_wxyz of 'h' must be a finite number"),
        (lambda: HitAt("h", "head", (0, 0, 0), 5, weight=-1.0), "weight of 'h'"),
        (lambda: HitAt("h", "head", (0, 0, 0), 5, priority=0), "priority of 'h'"),
    ],
)  # fmt: skip
def test_bad_goals_are_refused_by_name(make: Callable[[], HitAt], said: str) -> None:
    with pytest.raises(BadValue) as problem:
        make()
    assert said in str(problem.value)


def test_a_frame_outside_the_clip_is_named() -> None:
    with pytest.raises(BadValue, match=r"of 'hand' must be inside the clip \(0 to 96\)"):
        edited(replace(HAND, frame=97))


def test_a_point_that_nobody_knows_is_named() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'club_head'") as problem:
        edited(HitAt("hit", "club_hed", (0, 0, 0), 54))
    assert "Asked for by 'hit'" in str(problem.value)


@pytest.mark.parametrize(
    ("constraint", "said"),
    [
        (LookAt("c", "head", (1.0, 1.0, 1.0), WHEN), "about a place or an orientation"),
        (KeepDistance("c", "left_wrist", "right_wrist", WHEN, 0.2), "about a place or an orient"),
        (PlaceCenterOfMass("c", WHEN), "about a place or an orientation"),
        (Plant("c", "left_foot", WHEN), "in the world, for a pattern, got 'relative'"),
        (StayOnSide("c", "head_top", 1.2, WHEN), "an equality, for a pattern, got 'one-sided'"),
        (HoldPoint("c", "left_wrist", (0, 0, 0), WHEN, "relative", "chest"), "in the world"),
        (FollowCurve("c", "left_wrist", (), WHEN, "relative", "chest"), "in the world"),
        (Orient("c", "head", (1, 0, 0, 0), WHEN, "relative", "chest"), "in the world"),
        (MoveStage("c", -1), "stages are for the method momentum"),
        (FlightHeight("c", 0, 1.2), "stages are for the method momentum"),
        (Gravity("c", 9.0), "stages are for the method momentum"),
    ],
)
def test_what_a_pattern_has_no_answer_to_is_named(constraint: Any, said: str) -> None:
    with pytest.raises(BadValue) as problem:
        edited(constraint)
    assert str(problem.value).startswith("constraint 'c' must be") and said in str(problem.value)


def test_two_goals_of_one_name_are_refused() -> None:
    with pytest.raises(BadValue, match="names of constraints must be different"):
        edited(HAND, HAND)


# Clips that are not of the pattern


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (taller, "of tall must be as in the pattern (put all motions on one body first)"),
        (renamed, "of renamed must be 'Spine1' as in the pattern, got 'Torso'"),
        (handless, "skeleton of handless must have shape (22 joints like the pattern), got (21,)"),
    ],
)
def test_a_clip_on_another_skeleton_is_named(change: Callable[[Clip], Clip], said: str) -> None:
    with pytest.raises((BadValue, BadShape)) as problem:
        edited(HAND, clip=change(SWING))
    assert said in str(problem.value)


@pytest.mark.parametrize("frames", [1, 2])
def test_a_clip_too_short_for_its_events_is_named(frames: int) -> None:
    short = SWING.sliced(52, 52 + frames)
    with pytest.raises(BadValue, match="event 'hit' in golf"):
        edited(replace(HAND, frame=0), clip=short)
    with pytest.raises(BadValue, match="golf"):
        edited(replace(HAND, frame=0), clip=short, events={"hit": frames // 2})


@pytest.mark.parametrize("frames", [3, 4, 5])
def test_a_clip_of_a_few_frames_is_told_to_be_unlike_the_pattern(frames: int) -> None:
    short = SWING.sliced(53, 53 + frames)
    result = edited(replace(HAND, frame=1), clip=short, events={"hit": 1})
    assert result.notes[0].startswith("The clip is unlike the pattern's motions: ")
    assert np.isfinite(result.clip.rotations_wxyz).all()


def test_a_clip_whose_event_is_not_found_is_named() -> None:
    with pytest.raises(BadValue) as problem:
        edited(replace(HAND, frame=5), clip=made("stand"))
    assert "event 'hit' in stand must be inside the clip" in str(problem.value)
    told = edited(replace(HAND, frame=5), clip=made("stand"), events={"hit": 30})
    assert told.notes[0].startswith("The clip is unlike the pattern's motions: ")


def test_a_pattern_of_given_events_asks_for_those_of_other_clips() -> None:
    pattern = learned(swings(), events=[{"hit": 54}, {"hit": 50}, *[{"hit": 54}] * 3])
    assert edited(HAND, pattern=pattern).status == "converged"  # one of its own
    other = replace(SWING, name="other")
    with pytest.raises(BadValue, match=r"events of other must be given, as in the pattern \(hit"):
        edited(HAND, clip=other, pattern=pattern)
    assert edited(HAND, clip=other, pattern=pattern, events={"hit": 54}).status == "converged"


@pytest.mark.parametrize(
    ("events", "said"),
    [
        ({"hit": 97}, "event 'hit' of golf must be from 0 to 96, got 97"),
        ({"hit": -1}, "event 'hit' of golf must be from 0 to 96, got -1"),
        ({"top": 50}, "events of golf must be as in the pattern: hit, got 'top'"),
        ({"hit": 50, "top": 40}, "events of golf must be as in the pattern: hit, got 'top, hit'"),
        ({"hit": 0}, "events of golf must be inside the clip, as in the pattern, got {'hit': 0}"),
        ({"hit": 96}, "events of golf must be inside the clip, as in the pattern"),
    ],
)
def test_given_events_that_the_pattern_does_not_have_are_named(
    events: dict[str, int], said: str
) -> None:
    with pytest.raises(BadValue) as problem:
        edited(HAND, events=events)
    assert said in str(problem.value)


def test_components_that_there_are_not_are_named() -> None:
    with pytest.raises(BadValue, match="components must be at most 4, which is all there are"):
        edited(HAND, components=5)


@pytest.mark.parametrize("frames", [40, 200])
def test_contacts_of_another_length_are_refused(frames: int) -> None:
    contacts = edited().contacts
    assert contacts is not None
    touching = np.resize(contacts.touching, (frames, len(contacts.parts)))
    other = replace(contacts, touching=touching)
    edit = Edit(SWING, sample_character(), [HAND], contacts=other, pattern=swing_pattern())
    with pytest.raises(PoiseError, match="contacts"):
        run(edit)


def test_who_has_no_hands_that_are_known_cannot_hold_the_club() -> None:
    nobody = replace(sample_character(), roles=None)
    with pytest.raises(UnknownName, match="is called 'left_wrist'"):
        edited(HAND, character=nobody)


@pytest.mark.parametrize(
    ("knob", "value"),
    [
        ("components", 0), ("components", 2.5), ("goals", "apart!"), ("damping", "some"),
        ("damping_cm", NAN), ("damping_cm", -1.0), ("iterations", 0), ("iterations", 1.5),
        ("iterations", 10**9), ("met_mm", 0.0), ("met_mm", NAN), ("met_deg", -1.0), ("reach", 0.0),
        ("reach", NAN), ("reach", -1.0), ("details", "some"), ("feet", "both"),
        ("finish_cm", -1.0), ("finish_cm", INF), ("finish_s", NAN), ("events", {"hit": 1.5}),
        ("events", {"hit": "late"}),
    ],
)  # fmt: skip
def test_bad_settings_are_refused_by_name(knob: str, value: Any) -> None:
    with pytest.raises(BadValue, match="event" if knob == "events" else knob):
        Settings(**{knob: value})
