"""What annotations allow, and in which words the rest is refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

import numpy as np
import pytest
from annotated_types import Ge, Gt, Interval, Lt

from poise.errors import BadValue
from poise.record_ranges import NotNegative, Positive, check_record


@dataclass(frozen=True)
class Knobs:
    positive: Positive = 1.0
    from_zero: NotNegative = 0.0
    count: Annotated[int, Interval(ge=1, le=100_000)] = 1
    at_least: Annotated[int, Ge(1)] | None = None
    share: Annotated[float, Interval(gt=0, le=1)] = 1.0
    tiny: Annotated[float, Interval(ge=1e-6, le=1000)] = 1.0
    below: Annotated[float, Lt(5)] = 1.0
    above: Annotated[float, Gt(2)] | None = 3.0
    way: Literal["here", "there"] = "here"
    each: Mapping[str, NotNegative] = field(default_factory=dict[str, float])
    text: str = "whatever"

    def __post_init__(self) -> None:
        check_record(self)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("positive", 0.0, "more than zero, got 0.0"),
        ("positive", np.nan, "more than zero"),
        ("positive", "1", "more than zero, got '1'"),
        ("positive", None, "more than zero, got None"),
        ("from_zero", -1e-9, "zero or more"),
        ("from_zero", np.inf, "zero or more"),
        ("count", 0, "a whole number from 1 to 100,000, got 0"),
        ("count", 1.5, "a whole number from 1 to 100,000, got 1.5"),
        ("count", True, "a whole number"),
        ("at_least", 0, "a whole number at least 1"),
        ("share", 0.0, "more than 0, at most 1, got 0.0"),
        ("share", 1.1, "more than 0, at most 1"),
        ("tiny", 0.0, "from 1e-6 to 1000"),
        ("below", 5.0, "less than 5"),
        ("above", 2.0, "more than 2"),
        ("way", "nowhere", "one of here, there, got 'nowhere'"),
        ("way", None, "one of here, there, got None"),
    ],
)
def test_what_is_not_allowed_is_refused_in_words(name: str, value: object, said: str) -> None:
    with pytest.raises(BadValue, match=f"^{name} must be {said}"):
        Knobs(**{name: value})  # type: ignore[arg-type]


def test_what_is_allowed_passes() -> None:
    Knobs(positive=1, from_zero=np.float32(0.5), count=np.int64(7), share=1, way="there")
    Knobs(at_least=None, above=None, each={"a": 0.0}, text="")


def test_values_of_a_mapping_are_told_by_their_keys() -> None:
    with pytest.raises(BadValue, match=r"^each of b must be zero or more, got -1"):
        Knobs(each={"a": 1.0, "b": -1})
