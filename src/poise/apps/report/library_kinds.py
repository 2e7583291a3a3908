"""What rows of a batch leave out: the unit, the better way and the meaning of each figure.

A row holds numbers by key. Measures say their units only when they measure, so the table stands
here once more; a test holds it against a measured sample.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poise.apps.report.words import GROUPS, OTHER, WORDINGS, Wording
from poise.arrays import Array

SAME_SHARE = 0.03
"""Changes below this share of the larger value are none; as in a clip's own report."""
LEAST = 1e-9
"""Smaller values are as good as zero when changes are compared; as there."""
MOST_TIMES = 1000.0
"""How often the limit of poor is said to be passed, at most."""

TABLE: dict[str, tuple[str, str, str]] = {
    "foot_slide.mean": (
        "cm/s", "lower", "how fast a foot moves along the ground while it stands, on average",
    ),
    "foot_slide.p95": (
        "cm/s", "lower", "how fast it moves in the worst twentieth of the standing time",
    ),
    "penetration.deepest": (
        "cm", "lower", "how deep the deepest point of the body is ever below the surface",
    ),
    "penetration.mean": (
        "cm", "lower", "how deep the deepest point is on average over all frames",
    ),
    "penetration.share": (
        "%", "lower", "share of frames with a point more than 1 cm below the surface",
    ),
    "float.mean": (
        "cm", "lower", "how high above the surface a part is that is said to touch it, on average",
    ),
    "float.p95": ("cm", "lower", "the same in the worst twentieth of the contact time"),
    "zmp_excursion.mean": (
        "cm", "lower",
        "how far the point that must carry the body lies outside its footprints, on average",
    ),
    "zmp_excursion.p95": ("cm", "lower", "the same in the worst twentieth"),
    "zmp_excursion.share": (
        "%", "lower",
        "share of standing frames in which it lies more than 1 cm outside: nobody could keep "
        "that balance",
    ),
    "flight_residual.acceleration": (
        "% of g", "lower",
        "how much the body is pushed or pulled in the air, where only gravity acts",
    ),
    "flight_residual.spin": (
        "% of M h sqrt(g h)", "lower",
        "how much the spin changes in the air, where nothing can change it",
    ),
    "flight_residual.flights": ("", "neither", "flights found"),
    "root_wrench.force": (
        "body weights", "lower", "force of the invisible hand that would have to help, on average",
    ),
    "root_wrench.force_p95": ("body weights", "lower", "the same in the worst twentieth"),
    "root_wrench.moment": (
        "body weight x height", "lower", "how hard that hand would have to twist, on average",
    ),
    "root_wrench.moment_p95": ("body weight x height", "lower", "the same in the worst twentieth"),
    "torque_excess.worst": (
        "of the limit", "lower", "the hardest any joint works, as a share of its strength",
    ),
    "torque_excess.share": (
        "%", "lower", "share of frames in which some joint works beyond its strength",
    ),
    "contact.share_claimed": ("%", "neither", "share of time a foot touches, as claimed"),
    "contact.share_input": (
        "%", "neither", "share of time a foot touches, as found in the input or known",
    ),
    "contact.agreement_left_foot": (
        "F1", "higher", "how well the claimed contacts of the left foot agree with those",
    ),
    "contact.agreement_right_foot": (
        "F1", "higher", "how well the claimed contacts of the right foot agree with those",
    ),
    "contact.timing": (
        "ms", "lower", "how far touch-down and lift-off times are apart, on average",
    ),
    "jitter.jerk": ("m/s³", "lower", "how shaky the joints are (RMS jerk)"),
    "jitter.ratio": ("x", "lower", "the same against the original"),
    "likeness.rotation": (
        "deg", "lower", "how much joints are turned away from the original, on average",
    ),
    "likeness.position": (
        "cm", "lower", "how far joints are from the original, seen from the hips, on average",
    ),
}  # fmt: skip
"""Unit, which way is better, and what it says, in the measures' own words."""


@dataclass(frozen=True)
class Kind:
    """A figure that clips may have."""

    key: str
    name: str
    group: str
    unit: str
    direction: str
    about: str
    good_limit: float
    poor_limit: float
    """NaN, both, when there is no verdict."""

    @property
    def is_judged(self) -> bool:
        """Whether it is good, fair or poor."""
        return not math.isnan(self.good_limit)

    @property
    def is_count(self) -> bool:
        """Whether it counts things, without decimals."""
        return self.key in TABLE and not self.unit

    def is_poor(self, values: Array) -> NDArray[np.bool_]:
        """Which values are poor; missing ones are not."""
        higher = self.direction == "higher"
        return values < self.poor_limit if higher else values > self.poor_limit

    def is_good(self, values: Array) -> NDArray[np.bool_]:
        """Which values are good; missing ones are not."""
        higher = self.direction == "higher"
        return values >= self.good_limit if higher else values <= self.good_limit

    def times_poor(self, values: Array) -> Array:
        """How many times the limit of poor: beyond 1 it is poor; NaN where nothing is known."""
        if self.direction == "higher":
            return self.poor_limit / np.maximum(values, self.poor_limit / MOST_TIMES)
        return np.minimum(values, MOST_TIMES * self.poor_limit) / self.poor_limit

    def changes(self, before: Array, after: Array) -> Array:
        """1 where it got better, -1 worse, 0 neither; NaN where that cannot be said."""
        if self.direction == "neither":
            return np.full(len(after), np.nan)
        scale = np.maximum(np.maximum(np.abs(before), np.abs(after)), LEAST)
        gain = before / scale - after / scale
        if self.direction == "higher":
            gain = -gain
        return np.where(np.abs(gain) < SAME_SHARE, 0.0, np.sign(gain))


def kind_of(key: str) -> Kind:
    """A figure by its key; one that nobody knows has no unit, no better way and no verdict."""
    unit, direction, about = TABLE.get(key, ("", "neither", ""))
    words = WORDINGS.get(key) or Wording(key.replace("_", " ").replace(".", ": "), OTHER)
    if about:
        about = f"{about[0].upper()}{about[1:]}."
    limits = (words.good, words.poor) if direction != "neither" else (math.nan, math.nan)
    return Kind(key, words.name, words.group, unit, direction, about, *limits)


def kinds_in_order(keys: Iterable[str]) -> tuple[Kind, ...]:
    """Figures in the order of a clip's page: by group, and there as they are worded."""
    place = {key: n for n, key in enumerate(WORDINGS)}
    kinds = [kind_of(key) for key in keys]
    return tuple(
        sorted(kinds, key=lambda k: (GROUPS.index(k.group), place.get(k.key, len(place)), k.key))
    )
