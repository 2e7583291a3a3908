"""Figures in plain words: what each is called, where it stands on the page, and if it is good."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from poise.measures import UNDER_INPUT_CONTACTS as UNDER_INPUT_CONTACTS
from poise.measures import Measure

Verdict = Literal["good", "fair", "poor", ""]
Change = Literal["better", "worse", "same", ""]


@dataclass(frozen=True)
class Wording:
    """How a figure is spoken of."""

    name: str
    group: str
    good: float = math.nan
    """Up to here (down to here, where more is better) it is good; NaN when there is no verdict."""
    poor: float = math.nan
    """Beyond here it is poor."""


FEET, BALANCE, AIR, FORCES, STRENGTH = (
    "Feet and ground",
    "Balance",
    "In the air",
    "The invisible hand",
    "Strength",
)
CONTACTS, LIKENESS, OTHER = "Contacts", "Smoothness and likeness", "More"
GROUPS = (FEET, BALANCE, AIR, FORCES, STRENGTH, CONTACTS, LIKENESS, OTHER)

WORDINGS: dict[str, Wording] = {
    "foot_slide.mean": Wording("Foot slide", FEET, 6, 15),
    "foot_slide.p95": Wording("Foot slide, worst moments", FEET, 20, 50),
    "penetration.deepest": Wording("Deepest point in the ground", FEET, 1, 4),
    "penetration.mean": Wording("Depth in the ground", FEET, 0.5, 1.5),
    "penetration.share": Wording("Time inside the ground", FEET, 5, 25),
    "float.mean": Wording("Floating contacts", FEET, 1, 3),
    "float.p95": Wording("Floating contacts, worst moments", FEET, 2, 5),
    "zmp_excursion.mean": Wording("Out of balance", BALANCE, 1, 4),
    "zmp_excursion.p95": Wording("Out of balance, worst moments", BALANCE, 3, 10),
    "zmp_excursion.share": Wording("Time out of balance", BALANCE, 5, 25),
    "flight_residual.acceleration": Wording("Pushed in mid-air", AIR, 10, 30),
    "flight_residual.spin": Wording("Spin changed in mid-air", AIR, 2, 8),
    "flight_residual.flights": Wording("Flights", AIR),
    "root_wrench.force": Wording("Missing push", FORCES, 0.05, 0.15),
    "root_wrench.force_p95": Wording("Missing push, worst moments", FORCES, 0.15, 0.4),
    "root_wrench.moment": Wording("Missing twist", FORCES, 0.02, 0.06),
    "root_wrench.moment_p95": Wording("Missing twist, worst moments", FORCES, 0.05, 0.15),
    "torque_excess.worst": Wording("Hardest-working joint", STRENGTH, 1.0, 1.5),
    "torque_excess.share": Wording("Time beyond strength", STRENGTH, 1, 10),
    "contact.share_claimed": Wording("Feet touching, as claimed", CONTACTS),
    "contact.share_input": Wording("Feet touching, in the input", CONTACTS),
    "contact.agreement_left_foot": Wording("Agreement, left foot", CONTACTS, 0.95, 0.85),
    "contact.agreement_right_foot": Wording("Agreement, right foot", CONTACTS, 0.95, 0.85),
    "contact.timing": Wording("Timing of contacts", CONTACTS, 25, 60),
    "jitter.jerk": Wording("Shakiness", LIKENESS),
    "jitter.ratio": Wording("Shakiness against the original", LIKENESS, 1.25, 2.0),
    "likeness.rotation": Wording("Joints turned away", LIKENESS),
    "likeness.position": Wording("Joints moved away", LIKENESS),
}
"""Good and poor are rules of thumb: what clean captures of people reach is good; what a viewer
notices, or what a body could not do, is poor."""


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
    under = {
        m.key.removesuffix(UNDER_INPUT_CONTACTS): m.value
        for m in measures
        if m.key.endswith(UNDER_INPUT_CONTACTS)
    }
    rows: list[Figure] = []
    for m in measures:
        if m.key.endswith(UNDER_INPUT_CONTACTS):
            continue
        wording = WORDINGS.get(m.key, Wording(m.key.replace("_", " ").replace(".", ": "), OTHER))
        rows.append(
            Figure(
                m.key, wording.name, wording.group, _sentence(m.about), m.value, m.unit,
                m.direction, old.get(m.key), under.get(m.key), _verdict(m, wording),
                _change(m, old.get(m.key)),
            )
        )  # fmt: skip
    order = {group: i for i, group in enumerate(GROUPS)}
    return tuple(sorted(rows, key=lambda row: order[row.group]))


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


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:] + ("" if words.endswith(".") else ".")


def _verdict(measure: Measure, wording: Wording) -> Verdict:
    if math.isnan(wording.good) or not math.isfinite(measure.value):
        return ""
    sign = -1.0 if measure.direction == "higher" else 1.0
    if sign * measure.value <= sign * wording.good:
        return "good"
    return "poor" if sign * measure.value > sign * wording.poor else "fair"


def _change(measure: Measure, before: float | None) -> Change:
    if before is None or measure.direction == "neither":
        return ""
    if not (math.isfinite(before) and math.isfinite(measure.value)):
        return ""
    scale = max(abs(before), abs(measure.value), 1e-9)
    gain = (before - measure.value) / scale
    if measure.direction == "higher":
        gain = -gain
    return "same" if abs(gain) < 0.03 else "better" if gain > 0 else "worse"
