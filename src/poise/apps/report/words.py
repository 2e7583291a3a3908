"""Figures in plain words: what each is called, where it stands on a page, and if it is good."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.measures import UNDER_INPUT_CONTACTS as UNDER_INPUT_CONTACTS
from poise.measures import Measure

Verdict = Literal["good", "fair", "poor", ""]
Change = Literal["better", "worse", "same", ""]

SAME_SHARE = 0.03
"""Changes below this share of the larger value are none."""
LEAST = 1e-9
"""Smaller values are as good as zero when changes are compared."""
MOST_TIMES = 1000.0
"""How often the limit of poor is said to be passed, at most."""

FEET, BALANCE, AIR, FORCES, STRENGTH, CONTACTS, LIKENESS, OTHER = GROUPS = (
    "Feet and ground", "Balance", "In the air", "The invisible hand", "Strength", "Contacts",
    "Smoothness and likeness", "More",
)  # fmt: skip


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

    @property
    def is_judged(self) -> bool:
        """Whether it is good, fair or poor."""
        return not math.isnan(self.good_limit)

    @property
    def is_count(self) -> bool:
        """Whether it counts things, without decimals."""
        return self.key in KINDS and not self.unit

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
        scale = np.maximum(np.maximum(np.abs(before), np.abs(after)), LEAST)
        gain = self.way * (before / scale - after / scale)
        return np.where(np.abs(gain) < SAME_SHARE, 0.0, np.sign(gain))

    def change(self, before: float | None, after: float) -> Change:
        """Of one value; none where that cannot be said."""
        if before is None or not (math.isfinite(before) and math.isfinite(after)):
            return ""
        found = float(self.changes(np.array([before]), np.array([after]))[0])
        words: dict[float, Change] = {1.0: "better", -1.0: "worse", 0.0: "same"}
        return words.get(found, "")


def _kinds() -> Iterable[Kind]:
    nan, lower, higher, neither = math.nan, "lower", "higher", "neither"
    twist = "body weight x height"
    for name, group, good, poor, key, unit, direction, about in (
        ("Foot slide", FEET, 6, 15, "foot_slide.mean", "cm/s", lower,
         "how fast a foot moves along the ground while it stands, on average"),
        ("Foot slide, worst moments", FEET, 20, 50, "foot_slide.p95", "cm/s", lower,
         "how fast it moves in the worst twentieth of the standing time"),
        ("Deepest point in the ground", FEET, 1, 4, "penetration.deepest", "cm", lower,
         "how deep the deepest point of the body is ever below the surface"),
        ("Depth in the ground", FEET, 0.5, 1.5, "penetration.mean", "cm", lower,
         "how deep the deepest point is on average over all frames"),
        ("Time inside the ground", FEET, 5, 25, "penetration.share", "%", lower,
         "share of frames with a point more than 1 cm below the surface"),
        ("Floating contacts", FEET, 1, 3, "float.mean", "cm", lower,
         "how high above the surface a part is that is said to touch it, on average"),
        ("Floating contacts, worst moments", FEET, 2, 5, "float.p95", "cm", lower,
         "the same in the worst twentieth of the contact time"),
        ("Out of balance", BALANCE, 1, 4, "zmp_excursion.mean", "cm", lower,
         "how far the point that must carry the body lies outside its footprints, on average"),
        ("Out of balance, worst moments", BALANCE, 3, 10, "zmp_excursion.p95", "cm", lower,
         "the same in the worst twentieth"),
        ("Time out of balance", BALANCE, 5, 25, "zmp_excursion.share", "%", lower,
         "share of standing frames in which it lies more than 1 cm outside: nobody could keep "
         "that balance"),
        ("Pushed in mid-air", AIR, 10, 30, "flight_residual.acceleration", "% of g", lower,
         "how much the body is pushed or pulled in the air, where only gravity acts"),
        ("Spin changed in mid-air", AIR, 2, 8, "flight_residual.spin", "% of M h sqrt(g h)", lower,
         "how much the spin changes in the air, where nothing can change it"),
        ("Flights", AIR, nan, nan, "flight_residual.flights", "", neither, "flights found"),
        ("Missing push", FORCES, 0.05, 0.15, "root_wrench.force", "body weights", lower,
         "force of the invisible hand that would have to help, on average"),
        ("Missing push, worst moments", FORCES, 0.15, 0.4, "root_wrench.force_p95", "body weights",
         lower, "the same in the worst twentieth"),
        ("Missing twist", FORCES, 0.02, 0.06, "root_wrench.moment", twist, lower,
         "how hard that hand would have to twist, on average"),
        ("Missing twist, worst moments", FORCES, 0.05, 0.15, "root_wrench.moment_p95", twist, lower,
         "the same in the worst twentieth"),
        ("Hardest-working joint", STRENGTH, 1.0, 1.5, "torque_excess.worst", "of the limit", lower,
         "the hardest any joint works, as a share of its strength"),
        ("Time beyond strength", STRENGTH, 1, 10, "torque_excess.share", "%", lower,
         "share of frames in which some joint works beyond its strength"),
        ("Feet touching, as claimed", CONTACTS, nan, nan, "contact.share_claimed", "%", neither,
         "share of time a foot touches, as claimed"),
        ("Feet touching, in the input", CONTACTS, nan, nan, "contact.share_input", "%", neither,
         "share of time a foot touches, as found in the input or known"),
        ("Agreement, left foot", CONTACTS, 0.95, 0.85, "contact.agreement_left_foot", "F1", higher,
         "how well the claimed contacts of the left foot agree with those"),
        ("Agreement, right foot", CONTACTS, 0.95, 0.85, "contact.agreement_right_foot", "F1",
         higher, "how well the claimed contacts of the right foot agree with those"),
        ("Timing of contacts", CONTACTS, 25, 60, "contact.timing", "ms", lower,
         "how far touch-down and lift-off times are apart, on average"),
        ("Shakiness", LIKENESS, nan, nan, "jitter.jerk", "m/s³", lower,
         "how shaky the joints are (RMS jerk)"),
        ("Shakiness against the original", LIKENESS, 1.25, 2.0, "jitter.ratio", "x", lower,
         "the same against the original"),
        ("Joints turned away", LIKENESS, nan, nan, "likeness.rotation", "deg", lower,
         "how much joints are turned away from the original, on average"),
        ("Joints moved away", LIKENESS, nan, nan, "likeness.position", "cm", lower,
         "how far joints are from the original, seen from the hips, on average"),
    ):  # fmt: skip
        yield Kind(key, name, group, unit, direction, _sentence(about), good, poor)


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:] + ("" if words.endswith(".") else ".")


KINDS = {kind.key: kind for kind in _kinds()}
"""In the order of a page. Good and poor are rules of thumb: what clean captures of people reach is
good; what a viewer notices, or what a body could not do, is poor. Measures say their units only
when they measure, so these stand here once more; a test holds them against a measured sample."""


def kind_of(key: str) -> Kind:
    """A figure by its key; one that nobody knows has no unit, no better way and no verdict."""
    return KINDS.get(key) or Kind(key, key.replace("_", " ").replace(".", ": "), OTHER)


def kinds_in_order(keys: Iterable[str]) -> tuple[Kind, ...]:
    """Figures in the order of a page; those that nobody knows come last."""
    place = {key: n for n, key in enumerate(KINDS)}
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
                kind.change(was, m.value),
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


def unit_words(unit: str) -> str:
    """Units as people write them."""
    return {
        "x": "×", "deg": "°", "F1": "(1 is perfect)", "body weight x height": "weight × height",
        "% of M h sqrt(g h)": "% of M·h·√(g·h)",
    }.get(unit, unit)  # fmt: skip
