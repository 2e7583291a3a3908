"""Figures in plain words: what each is called, where it stands on a page, and if it is good."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.measures import GROUPS as GROUPS
from poise.measures import OTHER, Measure, measure_kinds
from poise.measures import UNDER_INPUT_CONTACTS as UNDER_INPUT_CONTACTS

Verdict = Literal["good", "fair", "poor", ""]
Change = Literal["better", "worse", "same", ""]

SAME_SHARE = 0.03
"""Changes below this share of the larger value, or below the measure's resolution, are none."""
LEAST = 1e-9
"""Smaller values are as good as zero when changes are compared."""
MOST_TIMES = 1000.0
"""How often the limit of poor is said to be passed, at most."""


@dataclass(frozen=True)
class Kind:
    """A figure that clips may have, and how it is spoken of."""

    key: str
    name: str
    group: str
    unit: str = ""
    direction: str = "neither"
    about: str = ""
    good_limit: float = math.nan
    """Up to here (down to here, where more is better) it is good; NaN without a verdict."""
    poor_limit: float = math.nan
    """Beyond here it is poor."""
    resolution: float = 0.0
    """Two values nearer than this are equal."""
    harmless: float = 0.0
    """Where less is better, values up to here are equal."""

    @property
    def is_judged(self) -> bool:
        """Whether it is good, fair or poor."""
        return not math.isnan(self.good_limit)

    @property
    def is_count(self) -> bool:
        """Whether it counts things, without decimals."""
        return self.key in kinds() and not self.unit

    @property
    def way(self) -> int:
        """1 where less is better, -1 where more is, 0 where neither is."""
        return {"lower": 1, "higher": -1}.get(self.direction, 0)

    def is_poor(self, values: Array) -> NDArray[np.bool_]:
        """Which values are poor; missing ones are not."""
        return self.way * values > self.way * self.poor_limit

    def is_good(self, values: Array) -> NDArray[np.bool_]:
        """Which values are good; missing ones are not."""
        return self.way * values <= self.way * self.good_limit

    def verdict(self, value: float) -> Verdict:
        """Of one value; none where there is nothing to judge."""
        if not self.is_judged or not math.isfinite(value):
            return ""
        found = np.array(value)
        return "good" if self.is_good(found) else "poor" if self.is_poor(found) else "fair"

    def times_poor(self, values: Array) -> Array:
        """How many times the limit of poor: beyond 1 it is poor; NaN where nothing is known."""
        if self.direction == "higher":
            return self.poor_limit / np.maximum(values, self.poor_limit / MOST_TIMES)
        return np.minimum(values, MOST_TIMES * self.poor_limit) / self.poor_limit

    def changes(self, before: Array, after: Array) -> Array:
        """1 where it got better, -1 worse, 0 neither; NaN where that cannot be said."""
        if not self.way:
            return np.full(len(after), np.nan)
        if self.way > 0:
            before, after = np.maximum(before, self.harmless), np.maximum(after, self.harmless)
        scale = np.maximum(np.maximum(np.abs(before), np.abs(after)), LEAST)
        gain = self.way * (before / scale - after / scale)
        same = (np.abs(gain) < SAME_SHARE) | (np.abs(before - after) < self.resolution)
        return np.where(same, 0.0, np.sign(gain))

    def change(self, before: float | None, after: float) -> Change:
        """Of one value; none where that cannot be said."""
        if before is None or not (math.isfinite(before) and math.isfinite(after)):
            return ""
        found = float(self.changes(np.array([before]), np.array([after]))[0])
        words: dict[float, Change] = {1.0: "better", -1.0: "worse", 0.0: "same"}
        return words.get(found, "")


RULES = (
    "Good, fair and poor are rules of thumb: good is what clean captures of people reach, poor "
    "is what a viewer notices or a body could not do. "
)


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:] + ("" if words.endswith(".") else ".")


@cache
def kinds() -> dict[str, Kind]:
    """All figures in the order of a page."""
    found = (replace(kind, about=_sentence(kind.about)) for kind in measure_kinds())
    return {kind.key: Kind(**vars(kind)) for kind in found}


def kind_of(key: str) -> Kind:
    """A figure by its key; one that nobody knows has no unit, no better way and no verdict."""
    return kinds().get(key) or Kind(key, key.replace("_", " ").replace(".", ": "), OTHER)


def kinds_in_order(keys: Iterable[str]) -> tuple[Kind, ...]:
    """Figures in the order of a page; those that nobody knows come last."""
    place = {key: n for n, key in enumerate(kinds())}
    return tuple(kind_of(key) for key in sorted(keys, key=lambda k: (place.get(k, len(place)), k)))


@dataclass(frozen=True)
class Figure:
    """One row of the page's table."""

    key: str
    name: str
    group: str
    about: str
    value: float
    unit: str
    direction: str
    before: float | None
    under_input_contacts: float | None
    verdict: Verdict
    change: Change
    reason: str = ""
    """Why there is no value, where there is none."""

    @property
    def shown(self) -> str:
        """The value as tables have it; the reason in its place where there is none."""
        return (
            number(self.value) if math.isfinite(self.value) else self.reason or number(self.value)
        )


def figures_of(
    measures: tuple[Measure, ...], before: tuple[Measure, ...] | None = None
) -> tuple[Figure, ...]:
    """All figures in the order of the page, with those of the original beside them."""
    old = {m.key: m.value for m in before or ()}
    now = {m.key: m.value for m in measures}
    rows: list[Figure] = []
    for m in measures:
        if m.key.endswith(UNDER_INPUT_CONTACTS):
            continue
        kind = replace(kind_of(m.key), unit=m.unit, direction=m.direction)
        was = old.get(m.key)
        rows.append(
            Figure(
                m.key, kind.name, kind.group, _sentence(m.about), m.value, m.unit, m.direction,
                was, now.get(m.key + UNDER_INPUT_CONTACTS), kind.verdict(m.value),
                kind.change(was, m.value), m.reason,
            )
        )  # fmt: skip
    return tuple(sorted(rows, key=lambda row: GROUPS.index(row.group)))


def number(value: float) -> str:
    """A figure with as many digits as anyone can use."""
    if not math.isfinite(value):
        return "–"
    size = abs(value)
    if size >= 1000:
        # Thin spaces between thousands.
        return f"{value:,.0f}".replace(",", " ")
    if size < 5e-4:
        return "0"
    decimals = 0 if size >= 100 else 1 if size >= 10 else 2 if size >= 0.095 else 3
    return f"{value:.{decimals}f}".replace("-", "−")


def listed(words: Sequence[str], most: int = 6) -> str:
    """`a, b and c`, or how many more there are."""
    if len(words) > most:
        return f"{', '.join(words[:most])} and {len(words) - most} more"
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def unit_words(unit: str) -> str:
    """Units as people write them."""
    return {
        "x": "×", "deg": "°", "F1": "(1 is perfect)", "body weight x height": "weight × height",
        "% of M h sqrt(g h)": "% of M·h·√(g·h)",
    }.get(unit, unit)  # fmt: skip
