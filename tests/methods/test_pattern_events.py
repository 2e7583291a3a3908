"""Events, found in paths whose every moment is known."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from poise.arrays import Array
from poise.character import Character, Skeleton
from poise.errors import BadValue, UnknownName
from poise.mechanics import BodyState, forward_kinematics
from poise.methods.motion_pattern import EventKind, EventRule
from poise.methods.pattern.events import find_events, given_events
from poise.methods.pattern.usual_events import SWING_SPAN, peak_event, swing_events
from tests.methods.swings import (
    HIT,
    RATE_HZ,
    character,
    golfer,
    moved,
    state_of,
    swing,
    swings,
    varied,
)

RATE = 100.0
TIMES = np.arange(301) / RATE
"""Three seconds."""


@cache
def dot() -> Character:
    """A single joint, which goes where its root goes."""
    return Character(Skeleton(("dot",), np.array([-1]), np.zeros((1, 3))))


def state(path: Callable[[Array], Array] | Array) -> BodyState:
    """The dot's path: heights, or places."""
    places = path(TIMES) if callable(path) else path
    if places.ndim == 1:
        places = np.stack([np.zeros(len(places)), places, np.zeros(len(places))], axis=1)
    turns = np.zeros((len(places), 1, 4))
    turns[..., 0] = 1.0
    return forward_kinematics(dot().skeleton, places, turns)


def found(path: Callable[[Array], Array] | Array, *rules: EventRule) -> dict[str, int]:
    return find_events(rules, state(path), dot(), RATE, "the clip")


def rule(kind: EventKind, **options: object) -> EventRule:
    return EventRule(str(options.pop("name", "it")), kind, "dot", **options)  # type: ignore[arg-type]


def hill(at: float, wide: float, size: float = 1.0) -> Callable[[Array], Array]:
    return lambda t: size * np.exp(-(((t - at) / wide) ** 2))


def step(at: float, wide: float = 0.1) -> Callable[[Array], Array]:
    """A rise by one, fastest at a time."""
    return lambda t: 0.5 * (1.0 + np.tanh((t - at) / wide))


def stay_go_stay(t: Array) -> Array:
    """At rest until 1 s, a cosine's way until 2 s, at rest again."""
    x = np.clip(t - 1.0, 0.0, 1.0)
    return 0.5 * (1.0 - np.cos(np.pi * x))


# Every kind


def test_the_highest_point_is_found() -> None:
    assert found(hill(1.3, 0.4), rule("highest")) == {"it": 130}


def test_the_lowest_point_is_found() -> None:
    assert found(hill(0.7, 0.4, -1.0), rule("lowest")) == {"it": 70}


def test_the_fastest_moment_is_found() -> None:
    assert found(step(1.8), rule("fastest")) == {"it": 180}


def test_the_fastest_moment_is_of_any_direction() -> None:
    path = np.stack([step(1.0, 0.1)(TIMES), step(2.0, 0.2)(TIMES), np.zeros(301)], axis=1)
    assert found(path, rule("fastest")) == {"it": 100}


def test_the_slowest_moment_is_found() -> None:
    """It runs, dwells at 1.5 s, and runs on."""
    assert found(lambda t: (t - 1.5) ** 3, rule("slowest")) == {"it": 150}


def test_it_stops_where_it_comes_to_rest() -> None:
    at = found(
        stay_go_stay, rule("highest", name="top", near="fastest"), rule("stops", after="top")
    )
    # The cosine's speed falls below 15 percent of its greatest at asin(0.15) / π from its end.
    assert at["it"] == pytest.approx(200 - 100 * np.arcsin(0.15) / np.pi, abs=2)


def test_it_starts_where_it_leaves_rest() -> None:
    at = found(stay_go_stay, rule("fastest", name="peak"), rule("starts", before="peak"))
    assert at["it"] == pytest.approx(100 + 100 * np.arcsin(0.15) / np.pi, abs=2)


def test_it_starts_where_it_leaves_rest_with_no_event_to_come_before() -> None:
    assert found(stay_go_stay, rule("starts"))["it"] == pytest.approx(105, abs=3)


def test_it_stops_where_it_comes_to_rest_with_no_event_to_come_after() -> None:
    assert found(stay_go_stay, rule("stops"))["it"] == pytest.approx(195, abs=3)


def test_a_turning_point_before_the_event_is_not_where_it_starts() -> None:
    """Up slowly, at rest for an instant at the top, down fast: the take-away is before the rise."""

    def path(t: Array) -> Array:
        up = 0.5 * (1.0 - np.cos(np.pi * np.clip((t - 0.5) / 0.8, 0.0, 1.0)))
        down = 0.5 * (1.0 - np.cos(np.pi * np.clip((t - 1.3) / 0.4, 0.0, 1.0)))
        return up - 1.4 * down

    at = found(path, rule("highest", name="top"), rule("starts", before="top"))
    assert at["top"] == pytest.approx(130, abs=2) and at["it"] == pytest.approx(58, abs=6)
    later = found(path, rule("fastest", name="down"), rule("starts", before="down"))
    assert later["it"] == pytest.approx(130, abs=6)  # there it does rest


def test_what_never_rests_neither_starts_nor_stops() -> None:
    with pytest.raises(BadValue, match="at rest"):
        found(lambda t: t + 0.1 * np.sin(t), rule("stops"))


# Near, after, before


def test_near_looks_only_around_the_other_extreme() -> None:
    """Lowest of all at 2.5 s, but where it is fastest it is lowest at 1.2 s."""

    def path(t: Array) -> Array:
        dip = -np.exp(-(((t - 1.2) / 0.08) ** 2))
        return dip - 1.5 * 0.5 * (1.0 + np.tanh((t - 2.3) / 0.35))

    assert found(path, rule("lowest", near="fastest")) == {"it": 120}


def three_hills(t: Array) -> Array:
    return hill(0.6, 0.2, 2.0)(t) + hill(1.5, 0.2, 3.0)(t) + hill(2.4, 0.2, 1.0)(t)


def test_after_and_before_look_only_there() -> None:
    rules = (
        rule("highest", name="middle"),
        rule("fastest", name="rise", before="middle"),
        rule("fastest", name="fall", after="middle"),
    )
    at = found(three_hills, *rules)
    assert list(at) == ["rise", "middle", "fall"] and at["middle"] == 150
    assert at["rise"] == pytest.approx(150 - 100 * 0.2 / np.sqrt(2), abs=2)
    assert at["fall"] == pytest.approx(150 + 100 * 0.2 / np.sqrt(2), abs=2)


def test_events_come_in_the_order_of_time() -> None:
    def path(t: Array) -> Array:
        return hill(1.0, 0.3)(t) - hill(2.0, 0.3)(t)

    low, high = rule("lowest", name="low"), rule("highest", name="high")
    assert list(found(path, low, high)) == list(found(path, high, low)) == ["high", "low"]


def test_between_two_events_only_what_lies_between_counts() -> None:
    def path(t: Array) -> Array:
        return hill(0.5, 0.15, 3.0)(t) + hill(1.5, 0.15)(t) - hill(2.5, 0.15, 3.0)(t)

    rules = (
        rule("highest", name="top"), rule("lowest", name="bottom"),
        rule("highest", name="between", after="dip", before="bottom"),
        rule("lowest", name="dip", after="top", before="bottom", near="slowest"),
    )  # fmt: skip
    at = found(path, *rules)
    assert at["top"] == 50 and at["bottom"] == 250 and at["top"] < at["dip"] < at["between"] < 250


def test_events_too_close_together_leave_no_room_between() -> None:
    rules = (
        rule("highest", name="top"), rule("highest", name="next", before="top"),
        rule("lowest", name="none", after="next", before="top"),
    )  # fmt: skip
    with pytest.raises(BadValue, match="between the events around it"):
        found(hill(1.5, 0.4), *rules)


# What is refused


def test_events_that_wait_for_each_other_are_refused() -> None:
    with pytest.raises(BadValue, match="circle"):
        found(
            hill(1.0, 0.3),
            rule("highest", name="a", after="b"),
            rule("lowest", name="b", before="a"),
        )
    with pytest.raises(BadValue, match="circle"):
        found(hill(1.0, 0.3), rule("highest", name="a", after="a"))


def test_names_that_are_not_there_are_refused() -> None:
    with pytest.raises(UnknownName, match="hitt"):
        found(
            hill(1.0, 0.3), rule("highest", name="hit"), rule("lowest", name="top", before="hitt")
        )
    with pytest.raises(UnknownName, match="elbow"):
        found(hill(1.0, 0.3), EventRule("hit", "highest", "elbow"))
    with pytest.raises(BadValue, match="different names"):
        found(hill(1.0, 0.3), rule("highest"), rule("lowest"))


@pytest.mark.parametrize(
    "kind, options, error",
    [
        ("quickest", {}, UnknownName),
        ("lowest", {"near": "starts"}, UnknownName),
        ("starts", {"near": "fastest"}, BadValue),
        ("lowest", {"name": ""}, BadValue),
    ],
)
def test_silly_rules_are_refused(kind: EventKind, options: dict[str, str], error: type) -> None:
    with pytest.raises(error):
        rule(kind, **options)


@pytest.mark.parametrize(
    "kind, path",
    [
        ("highest", lambda t: t),
        ("highest", lambda t: -t),
        ("lowest", lambda t: t),
        ("fastest", lambda t: t**3),
        ("slowest", lambda t: t**3 + 0.01 * t),
    ],
)
def test_an_extreme_at_an_end_of_the_clip_is_no_event(
    kind: EventKind, path: Callable[[Array], Array]
) -> None:
    with pytest.raises(BadValue, match="inside the clip"):
        found(path, rule(kind))


def test_two_moments_about_equally_fast_are_unclear() -> None:
    with pytest.raises(BadValue, match="about equally fast") as refusal:
        found(lambda t: step(0.7)(t) + 0.97 * step(2.2)(t), rule("fastest"))
    assert "70" in str(refusal.value) and "220" in str(refusal.value)


def test_a_slower_moment_or_one_close_by_leaves_it_clear() -> None:
    assert found(lambda t: step(0.7)(t) + 0.7 * step(2.2)(t), rule("fastest")) == {"it": 70}
    assert found(lambda t: step(1.0, 0.05)(t) + 0.97 * step(1.3, 0.05)(t), rule("fastest"))[
        "it"
    ] == (pytest.approx(100, abs=2))


def test_an_unclear_moment_is_clear_after_the_other() -> None:
    def path(t: Array) -> Array:
        return step(0.7)(t) - step(2.2)(t)

    at = found(path, rule("highest", name="top"), rule("fastest", name="down", after="top"))
    assert at["down"] == 220


def test_a_tremble_is_smoothed_away() -> None:
    """Of a millimetre, faster than anything else the point does."""
    random = np.random.default_rng(0)
    noisy = hill(1.3, 0.4)(TIMES) + 0.001 * random.normal(size=301)
    assert found(noisy, rule("highest"))["it"] == pytest.approx(130, abs=4)


def test_a_point_at_rest_has_no_moment_of_its_own() -> None:
    for kind in ("fastest", "highest", "lowest", "slowest"):
        with pytest.raises(BadValue):
            found(lambda t: 0.0 * t, rule(kind))


@pytest.mark.parametrize("rate", [25.0, 50.0, 240.0])
def test_the_rate_does_not_matter(rate: float) -> None:
    times = np.arange(round(3.0 * rate) + 1) / rate
    made = state(hill(1.6, 0.4)(times))
    at = find_events([rule("highest")], made, dot(), rate, "the clip")["it"]
    assert at / rate == pytest.approx(1.6, abs=0.5 / rate + 1e-9)


# Given


def test_given_events_are_sorted_by_time() -> None:
    assert list(given_events({"b": 9, "a": 3, "c": 5}, 10, "x")) == ["a", "c", "b"]


@pytest.mark.parametrize("events", [{"a": -1}, {"a": 10}, {"a": 3, "b": 3}])
def test_given_events_outside_or_twice_are_refused(events: dict[str, int]) -> None:
    with pytest.raises(BadValue, match="x"):
        given_events(events, 10, "x")


# A swing's


def test_the_events_of_the_sample_swing_are_those_it_was_made_of() -> None:
    at = find_events(
        swing_events("club_head", "left_wrist"), state_of(swing()), golfer(), RATE_HZ, "x"
    )
    assert list(at) == ["takeaway", "top", "hit", "finish"]
    assert SWING_SPAN == ("takeaway", "finish")
    assert at["top"] == pytest.approx(1.45 * RATE_HZ, abs=3)
    assert at["takeaway"] == pytest.approx(0.4 * RATE_HZ, abs=8)
    assert at["finish"] == pytest.approx(2.4 * RATE_HZ, abs=8)
    assert abs(at["hit"] - HIT) < 8


def test_events_do_not_depend_on_place_and_heading() -> None:
    rules = swing_events("club_head", "left_wrist")
    there = moved(swing(), 2.0, (3.0, 1.0, -2.0))
    made = [find_events(rules, state_of(c), golfer(), RATE_HZ, "x") for c in (swing(), there)]
    assert made[0] == made[1]


def test_the_usual_event_is_where_the_club_is_fastest() -> None:
    clips = [swing(), varied([0.05])]
    assert peak_event(clips, golfer()) == EventRule("peak", "fastest", "club_head")


def test_without_a_tool_it_is_a_hand_or_a_foot_that_is_fastest() -> None:
    assert peak_event(swings()[:2], character()).point in ("left_wrist", "right_wrist")
    with pytest.raises(BadValue, match="hands or feet"):
        peak_event([swing()], dot())
