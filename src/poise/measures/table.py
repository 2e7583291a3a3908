"""All measures: what measures, what the figures are called, and which of them are good."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from poise.contact import Series
from poise.measures import (
    flight_residual,
    foot_slide,
    penetration,
    root_wrench,
    torque_excess,
    zmp_excursion,
)
from poise.measures.measure import Measure

Figures = Mapping[str, float | tuple[float, str]]
"""Values by key, some with words that are added to what is said about them."""

ALL: dict[str, Callable[[Series], Figures]] = {
    "foot_slide": foot_slide.measure,
    "penetration": penetration.measure,
    "zmp_excursion": zmp_excursion.measure,
    "flight_residual": flight_residual.measure,
    "root_wrench": root_wrench.measure,
    "torque_excess": torque_excess.measure,
}
"""Measures of one clip by itself. Those of two (`jitter`, `likeness`) and of two schedules
(`contact_share`) are called in `evaluate`."""

BY_CONTACT = ("foot_slide", "float", "zmp_excursion", "flight_residual", "root_wrench",
              "torque_excess")  # fmt: skip
"""Figures that depend on contacts: they are also taken with those of the input."""

FEET, BALANCE, AIR, FORCES, STRENGTH, CONTACTS, LIKENESS, OTHER = GROUPS = (
    "Feet and ground", "Balance", "In the air", "The invisible hand", "Strength", "Contacts",
    "Smoothness and likeness", "More",
)  # fmt: skip
"""The parts of a page."""


@dataclass(frozen=True)
class MeasureKind:
    """A figure as pages speak of it, also where only its value was kept."""

    key: str
    name: str
    group: str
    unit: str
    direction: Literal["lower", "higher", "neither"]
    about: str
    good_limit: float = math.nan
    """Up to here (down to here, where more is better) it is good; NaN without a verdict."""
    poor_limit: float = math.nan
    """Beyond here it is poor."""


_WEIGHT_HEIGHT = "body weight x height"

KINDS: tuple[MeasureKind, ...] = (
    MeasureKind("foot_slide.mean", "Foot slide", FEET, "cm/s", "lower",
                "how fast a foot moves along the ground while it stands, on average", 6, 15),
    MeasureKind("foot_slide.p95", "Foot slide, worst moments", FEET, "cm/s", "lower",
                "how fast it moves in the worst twentieth of the standing time", 20, 50),
    MeasureKind("penetration.deepest", "Deepest point in the ground", FEET, "cm", "lower",
                "how deep the deepest point of the body is ever below the surface", 1, 4),
    MeasureKind("penetration.mean", "Depth in the ground", FEET, "cm", "lower",
                "how deep the deepest point is on average over all frames", 0.5, 1.5),
    MeasureKind("penetration.share", "Time inside the ground", FEET, "%", "lower",
                "share of frames with a point more than 1 cm below the surface", 5, 25),
    MeasureKind("float.mean", "Floating contacts", FEET, "cm", "lower",
                "how high above the surface a part is that is said to touch it, on average", 1, 3),
    MeasureKind("float.p95", "Floating contacts, worst moments", FEET, "cm", "lower",
                "the same in the worst twentieth of the contact time", 2, 5),
    MeasureKind("zmp_excursion.mean", "Out of balance", BALANCE, "cm", "lower",
                "how far the point that must carry the body lies outside its footprints, on "
                "average", 1, 4),
    MeasureKind("zmp_excursion.p95", "Out of balance, worst moments", BALANCE, "cm", "lower",
                "the same in the worst twentieth", 3, 10),
    MeasureKind("zmp_excursion.share", "Time out of balance", BALANCE, "%", "lower",
                "share of standing frames in which it lies more than 1 cm outside: nobody "
                "could keep that balance", 5, 25),
    MeasureKind("flight_residual.acceleration", "Pushed in mid-air", AIR, "% of g", "lower",
                "how much the body is pushed or pulled in the air, where only gravity "
                "acts", 10, 30),
    MeasureKind("flight_residual.spin", "Spin changed in mid-air", AIR, "% of M h sqrt(g h)",
                "lower",
                "how much the spin changes in the air, where nothing can change it", 2, 8),
    MeasureKind("flight_residual.flights", "Flights", AIR, "", "neither",
                "flights found"),
    MeasureKind("root_wrench.force", "Missing push", FORCES, "body weights", "lower",
                "force of the invisible hand that would have to help, on average", 0.05, 0.15),
    MeasureKind("root_wrench.force_p95", "Missing push, worst moments", FORCES, "body weights",
                "lower",
                "the same in the worst twentieth", 0.15, 0.4),
    MeasureKind("root_wrench.moment", "Missing twist", FORCES, _WEIGHT_HEIGHT, "lower",
                "how hard that hand would have to twist, on average", 0.02, 0.06),
    MeasureKind("root_wrench.moment_p95", "Missing twist, worst moments", FORCES, _WEIGHT_HEIGHT,
                "lower",
                "the same in the worst twentieth", 0.05, 0.15),
    MeasureKind("torque_excess.worst", "Hardest-working joint", STRENGTH, "of the limit", "lower",
                "the hardest any joint works, as a share of its strength", 1.0, 1.5),
    MeasureKind("torque_excess.share", "Time beyond strength", STRENGTH, "%", "lower",
                "share of frames in which some joint works beyond its strength", 1, 10),
    MeasureKind("contact.share_claimed", "Feet touching, as claimed", CONTACTS, "%", "neither",
                "share of time a foot touches, as claimed"),
    MeasureKind("contact.share_input", "Feet touching, in the input", CONTACTS, "%", "neither",
                "share of time a foot touches, as found in the input or known"),
    MeasureKind("contact.agreement_left_foot", "Agreement, left foot", CONTACTS, "F1", "higher",
                "how well the claimed contacts of the left foot agree with those", 0.95, 0.85),
    MeasureKind("contact.agreement_right_foot", "Agreement, right foot", CONTACTS, "F1", "higher",
                "how well the claimed contacts of the right foot agree with those", 0.95, 0.85),
    MeasureKind("contact.timing", "Timing of contacts", CONTACTS, "ms", "lower",
                "how far touch-down and lift-off times are apart, on average", 25, 60),
    MeasureKind("jitter.jerk", "Shakiness", LIKENESS, "m/s³", "lower",
                "how shaky the joints are (RMS jerk)"),
    MeasureKind("jitter.ratio", "Shakiness against the original", LIKENESS, "x", "lower",
                "the same against the original", 1.25, 2.0),
    MeasureKind("likeness.rotation", "Joints turned away", LIKENESS, "deg", "lower",
                "how much joints are turned away from the original, on average"),
    MeasureKind("likeness.position", "Joints moved away", LIKENESS, "cm", "lower",
                "how far joints are from the original, seen from the hips, on average"),
)  # fmt: skip
"""In the order of a page. Good and poor are rules of thumb: what clean captures of people reach is
good; what a viewer notices, or what a body could not do, is poor."""

_BY_KEY = {kind.key: kind for kind in KINDS}


def measures_from(figures: Figures) -> list[Measure]:
    """Figures with what is known about them."""
    made: list[Measure] = []
    for key, figure in figures.items():
        value, more = figure if isinstance(figure, tuple) else (figure, "")
        kind = _BY_KEY[key]
        made.append(Measure(key, value, kind.unit, kind.direction, f"{kind.about}{more}"))
    return made
