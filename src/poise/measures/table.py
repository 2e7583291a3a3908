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
    joint_peaks,
    jump_height,
    likeness,
    penetration,
    range_excess,
    root_shift,
    root_wrench,
    swing_shift,
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
"""Measures of one clip by itself. `jitter` (of one or two) and `contact_share` (of two schedules)
are called in `evaluate`."""

COMPARED: dict[str, Callable[[Series, Series], Figures]] = {
    "jump_height": jump_height.measure,
    "range_excess": range_excess.measure,
    "joint_peaks": joint_peaks.measure,
    "likeness": likeness.measure,
    "root_shift": root_shift.measure,
    "swing_shift": swing_shift.measure,
}
"""Measures of a clip against its original."""

BY_CONTACT = ("foot_slide", "float", "zmp_excursion", "flight_residual", "root_wrench",
              "torque_excess")  # fmt: skip
"""Figures that depend on contacts: they are also taken with those of the input."""

FEET, BALANCE, AIR, FORCES, STRENGTH, CONTACTS, LIKENESS, OTHER = GROUPS = (
    "Feet and ground", "Balance", "In the air", "Residual root forces", "Strength and range",
    "Contacts", "Smoothness and likeness", "More",
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
    resolution: float = 0.0
    """Smallest change that means anything: two values nearer than this are equal."""
    harmless: float = 0.0
    """Where less is better, values up to here are equal: a torque within strength is no fault."""


_WEIGHT_HEIGHT = "body weight x height"

KINDS: tuple[MeasureKind, ...] = (
    MeasureKind("foot_slide.mean", "Foot slide", FEET, "cm/s", "lower",
                "speed of a standing foot along the ground, on average", 6, 15, 0.2),
    MeasureKind("foot_slide.p95", "Foot slide, worst moments", FEET, "cm/s", "lower",
                "the same in the worst twentieth of the standing time", 20, 50, 0.5),
    MeasureKind("penetration.deepest", "Deepest penetration", FEET, "cm", "lower",
                "depth of the deepest point of the body below the surface", 1, 4, 0.05),
    MeasureKind("penetration.mean", "Mean penetration", FEET, "cm", "lower",
                "depth of the deepest point, on average over all frames", 0.5, 1.5, 0.05),
    MeasureKind("penetration.share", "Time in the ground", FEET, "%", "lower",
                "share of frames with a point more than 1 cm below the surface", 5, 25, 0.5),
    MeasureKind("float.mean", "Floating contacts", FEET, "cm", "lower",
                "height above the surface of a part that is said to touch it, on average",
                1, 3, 0.05),
    MeasureKind("float.p95", "Floating contacts, worst moments", FEET, "cm", "lower",
                "the same in the worst twentieth of the contact time", 2, 5, 0.05),
    MeasureKind("zmp_excursion.mean", "Out of balance", BALANCE, "cm", "lower",
                "distance of the zero-moment point outside the support area, on average",
                1, 4, 0.1),
    MeasureKind("zmp_excursion.p95", "Out of balance, worst moments", BALANCE, "cm", "lower",
                "the same in the worst twentieth", 3, 10, 0.2),
    MeasureKind("zmp_excursion.share", "Time out of balance", BALANCE, "%", "lower",
                "share of standing frames with the zero-moment point more than 1 cm outside: "
                "nobody could keep that balance", 5, 25, 0.5),
    MeasureKind("flight_residual.acceleration", "Acceleration in flight", AIR, "% of g", "lower",
                "acceleration in flight beside gravity, which alone acts there", 10, 30, 0.2),
    MeasureKind("flight_residual.spin", "Change of spin in flight", AIR, "% of M h sqrt(g h)",
                "lower",
                "change of the angular momentum in flight, where nothing can change it", 2, 8, 0.1),
    MeasureKind("flight_residual.flights", "Flights", AIR, "", "neither",
                "number of flights"),
    MeasureKind("jump_height.change", "Change of jump height", AIR, "cm", "lower",
                "largest change of the height that the centre of mass reaches in a flight, against "
                "the original", resolution=0.1),
    MeasureKind("root_wrench.force", "Residual root force", FORCES, "body weights", "lower",
                "force that no contact explains, on average", 0.05, 0.15, 0.001),
    MeasureKind("root_wrench.force_p95", "Residual root force, worst moments", FORCES,
                "body weights", "lower",
                "the same in the worst twentieth", 0.15, 0.4, 0.002),
    MeasureKind("root_wrench.moment", "Residual root moment", FORCES, _WEIGHT_HEIGHT, "lower",
                "moment that no contact explains, on average", 0.02, 0.06, 0.001),
    MeasureKind("root_wrench.moment_p95", "Residual root moment, worst moments", FORCES,
                _WEIGHT_HEIGHT, "lower",
                "the same in the worst twentieth", 0.05, 0.15, 0.002),
    MeasureKind("torque_excess.worst", "Worst torque", STRENGTH, "of the limit", "lower",
                "largest torque of any joint over its strength", 1.0, 1.5, 0.05, harmless=1.0),
    MeasureKind("torque_excess.share", "Time beyond strength", STRENGTH, "%", "lower",
                "share of frames with a joint torque beyond its strength", 1, 10, 0.5),
    MeasureKind("range_excess.worst", "Beyond joint ranges", STRENGTH, "deg", "lower",
                "largest joint angle beyond both the range of the body and what the original "
                "reaches", 1, 10, 0.1),
    MeasureKind("contact.share_claimed", "Feet touching, as claimed", CONTACTS, "%", "neither",
                "share of time a foot touches, as claimed"),
    MeasureKind("contact.share_input", "Feet touching, in the input", CONTACTS, "%", "neither",
                "share of time a foot touches, as found in the input or known"),
    MeasureKind("contact.agreement_left_foot", "Agreement, left foot", CONTACTS, "F1", "higher",
                "agreement of the claimed contacts of the left foot with those of the input",
                0.95, 0.85, 0.005),
    MeasureKind("contact.agreement_right_foot", "Agreement, right foot", CONTACTS, "F1", "higher",
                "agreement of the claimed contacts of the right foot with those of the input",
                0.95, 0.85, 0.005),
    MeasureKind("contact.timing", "Timing of contacts", CONTACTS, "ms", "lower",
                "difference of touch-down and lift-off times, on average", 25, 60, 1.0),
    MeasureKind("jitter.jerk", "Jerk", LIKENESS, "m/s³", "lower",
                "root mean square jerk of the joints within 12 Hz", resolution=1.0),
    MeasureKind("jitter.ratio", "Jerk against the original", LIKENESS, "x", "lower",
                "the same over the original's", 1.25, 2.0, 0.01),
    MeasureKind("joint_peaks.speed", "Peak joint speed", LIKENESS, "x", "lower",
                "worst ratio of a joint's peak angular speed to its peak in the original",
                1.2, 2.0, 0.01),
    MeasureKind("joint_peaks.acceleration", "Peak joint acceleration", LIKENESS, "x", "lower",
                "worst ratio of a joint's peak angular acceleration within 12 Hz to its peak in "
                "the original", 1.2, 2.0, 0.01),
    MeasureKind("likeness.rotation", "Rotation difference", LIKENESS, "deg", "lower",
                "difference of joint rotations from the original, on average", resolution=0.05),
    MeasureKind("likeness.legs", "Rotation difference, legs", LIKENESS, "deg", "lower",
                "the same for hips, knees, ankles and toes", resolution=0.05),
    MeasureKind("likeness.position", "Position difference", LIKENESS, "cm", "lower",
                "distance of joints from the original, seen from the hips, on average",
                resolution=0.05),
    MeasureKind("likeness.world", "Position difference in the world", LIKENESS, "cm", "lower",
                "distance of joints from the original in the world, on average", resolution=0.05),
    MeasureKind("likeness.largest", "Position difference, largest", LIKENESS, "cm", "lower",
                "how far any joint is from the original in the world at most", resolution=0.1),
    MeasureKind("root_shift.mean", "Root shift", LIKENESS, "cm", "lower",
                "distance of the root from the original, on average", resolution=0.05),
    MeasureKind("root_shift.max", "Root shift, largest", LIKENESS, "cm", "lower",
                "the same at most", resolution=0.05),
    MeasureKind("swing_shift.mean", "Swing-foot shift", LIKENESS, "cm", "lower",
                "distance of feet in the air from the original, on average", resolution=0.05),
    MeasureKind("swing_shift.max", "Swing-foot shift, largest", LIKENESS, "cm", "lower",
                "the same at most", resolution=0.05),
)  # fmt: skip
"""In the order of a page. Good and poor are rules of thumb: what clean captures of people reach is
good; what a viewer notices, or what a body could not do, is poor. Differences from the original
have no verdict: an edit may want them."""

_ANOTHER_BODY = "the original has another body"

WHY_NONE: dict[str, str] = {
    "foot_slide": "no foot stands still on a surface",
    "penetration": "no part of the body may touch anything",
    "float": "nothing touches",
    "zmp_excursion": "nothing that touches carries the body",
    "flight_residual": "no flight",
    "root_wrench": "forces are too large to say",
    "jump_height": f"no flight, or {_ANOTHER_BODY}",
    "torque_excess": "no joint's strength is known",
    "range_excess": "no joint's range is known",
    "contact": "no touch-down or lift-off in both",
    "jitter.jerk": "under four frames",
    "jitter.ratio": "the original is too short or too smooth to compare with",
    "joint_peaks": "no joint in common with the original",
    "likeness": "no joint in common with the original",
    "likeness.world": _ANOTHER_BODY,
    "likeness.largest": _ANOTHER_BODY,
    "root_shift": _ANOTHER_BODY,
    "swing_shift": f"no foot swings, or {_ANOTHER_BODY}",
}
"""Why a figure has no value where it has none: by its key, or by that of its measure."""


def measures_from(figures: Figures) -> list[Measure]:
    """Figures with what is known about them."""
    kinds = {kind.key: kind for kind in KINDS}
    return [
        measure_of(kinds[key], figure, WHY_NONE.get(key) or WHY_NONE.get(key.split(".")[0], ""))
        for key, figure in figures.items()
    ]


def measure_of(kind: MeasureKind, figure: float | tuple[float, str], why_none: str) -> Measure:
    """A figure with what is known about it.

    Args:
        kind: what it is.
        figure: its value, maybe with words that are added to what is said about it.
        why_none: why it has no value, where it is not finite.
    """
    value, more = figure if isinstance(figure, tuple) else (figure, "")
    reason = ""
    if not math.isfinite(value):
        value, reason = math.nan, why_none
        more = f" (not known: {reason})"
    return Measure(kind.key, value, kind.unit, kind.direction, f"{kind.about}{more}", reason)
