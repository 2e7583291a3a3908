"""Seconds against frames."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poise.constraints import Interval
from poise.errors import BadValue
from poise.job import Clock, ConstraintSpec, constraint_from
from poise.job.constraint_spec import clock_for_trial, record_from
from tests.job.fakes import WORDS

CLOCK = Clock(24.0, 145)


@pytest.mark.parametrize(
    ("values", "interval"),
    [
        ({"frames": (10, 40)}, Interval(10, 40)),
        ({"frames": "all"}, Interval(0, 144)),
        ({"frames": (10, 40), "ease": 3}, Interval(10, 40, 3, 3)),
        ({"frames": (10, 40), "ease": (3, 5)}, Interval(10, 40, 3, 5)),
        ({"seconds": (1.0, 3.0)}, Interval(24, 72)),
        ({"seconds": (1.02, 2.98)}, Interval(24, 72)),
        ({"seconds": (1.0, 3.0), "ease_seconds": 0.25}, Interval(24, 72, 6, 6)),
        ({"seconds": (1.0, 3.0), "ease_seconds": (0.0, 0.5)}, Interval(24, 72, 0, 12)),
        ({"seconds": (1.0, 3.0), "ease": 2}, Interval(24, 72, 2, 2)),
        ({"frames": (10, 40), "ease_seconds": 0.125}, Interval(10, 40, 3, 3)),
        ({"frames": None, "seconds": (0.0, 6.0)}, Interval(0, 144)),
    ],
)  # fmt: skip
def test_times_become_an_interval(values: dict[str, object], interval: Interval) -> None:
    assert CLOCK.interval(values) == interval


@given(
    st.floats(0.0, 5.0), st.floats(0.0, 5.0), st.floats(0.0, 1.0), st.floats(0.0, 1.0),
    st.floats(1.0, 500.0),
)  # fmt: skip
def test_rounding_to_frames_never_makes_easing_too_long(
    start: float, length: float, share: float, split: float, rate: float
) -> None:
    ease = (share * split * length, share * (1 - split) * length)
    values = {"seconds": (start, start + length), "ease_seconds": ease}
    interval = Clock(rate, 10_000).interval(values)  # an Interval refuses what is too long
    assert abs(interval.ease_in / rate - ease[0]) < 2.6 / rate


def test_easing_that_really_is_too_long_is_refused() -> None:
    with pytest.raises(BadValue, match="easing"):
        CLOCK.interval({"seconds": (1.0, 2.0), "ease_seconds": 0.6})


def follow(**values: object) -> ConstraintSpec:
    return ConstraintSpec("follow_curve", {"name": "reach", "point": "left_wrist", **values})


def test_seconds_and_frames_of_a_curve_mean_the_same() -> None:
    place = (0.3, 1.4, 0.5)
    in_frames = follow(frames=(24, 72), through=({"frame": 48, "until": 54, "place_m": place},))
    in_seconds = follow(
        seconds=(1.0, 3.0), through=({"second": 2.0, "until_second": 2.25, "place_m": place},)
    )
    mixed = follow(frames=(24, 72), through=({"second": 2.0, "until": 54, "place_m": place},))
    made = [constraint_from(wish, WORDS, CLOCK) for wish in (in_frames, in_seconds, mixed)]
    assert made[0] == made[1] == made[2]
    assert made[0].through[0].frame == 48 and made[0].through[0].until == 54


def test_frames_mixed_with_seconds_wait_for_a_clip() -> None:
    record = WORDS.constraints["follow_curve"]
    point = {"second": 2.0, "place_m": (0.0, 0.0, 0.0)}
    assert clock_for_trial(record, follow(frames=(2, 9), through=(point,)).values) is None
    assert clock_for_trial(record, follow(seconds=(2.0, 9.0), through=(point,)).values)
    assert clock_for_trial(record, follow(frames="all", through=(point,)).values)


def test_a_second_point_is_no_second() -> None:
    wish = {"name": "a", "first": "left_wrist", "second": "right_wrist", "frames": (2, 9)}
    made = record_from(WORDS.constraints["keep_distance"], wish, CLOCK)
    assert made.second == "right_wrist" and made.interval == Interval(2, 9)
    assert clock_for_trial(WORDS.constraints["keep_distance"], wish)


def test_records_inside_records_are_made() -> None:
    wish = follow(frames=(0, 9), through=(), recruit={"joints": ("left_elbow", "translation")})
    made = constraint_from(wish, WORDS, CLOCK)
    assert made.recruit.joints == ("left_elbow", "translation")
