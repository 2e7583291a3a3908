"""Whether the constants hold for subjects that did not choose them.

Part of `python -m benchmarks.contacts_plates --leave-one-out`. Each subject is left out once: every
constant takes the value of a coarse grid around its default at which the other subjects' trials
agree best, the rest at their defaults, and all those values together judge the one left out.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from types import ModuleType

import numpy as np

from benchmarks.contacts_ablations import constants, together
from benchmarks.contacts_agreement import Row, summary
from benchmarks.contacts_plates import CASES, Case, by_detector, by_evidence, rows

_finding = importlib.import_module("poise.contact.finding")
_geometry = importlib.import_module("poise.contact.geometry_evidence")
_loads = importlib.import_module("poise.contact.load_evidence")

SHARES = (0.6, 0.8, 1.0, 1.25, 1.6)
MORE = (-1.0, -0.5, 0.0, 0.5, 1.0)
CHOOSING = ("as captured", "10 mm", "30 Hz")
"""Cases whose mean F1 chooses."""
WORTH = 2e-4
"""A default that is worse by less than this is kept: a frame more or less chooses nothing."""


@dataclass(frozen=True)
class Constant:
    module: ModuleType
    name: str
    added: bool = False
    """Whether its grid is added to the default; else it multiplies it."""

    @property
    def default(self) -> float:
        return float(getattr(self.module, self.name))

    @property
    def values(self) -> tuple[float, ...]:
        if self.added:
            return tuple(self.default + more for more in MORE)
        return tuple(self.default * share for share in SHARES)


CONSTANTS = (
    Constant(_finding, "FOOT_ODDS"),
    Constant(_finding, "FOOT_BIAS", added=True),
    Constant(_geometry, "SOLE_HEIGHT_M"),
    Constant(_geometry, "SOLE_SPEED_M_S"),
    Constant(_geometry, "LANDING_S"),
    Constant(_geometry, "LEAVING_S"),
    Constant(_loads, "WRENCH_DOUBT"),
    Constant(_loads, "FALLING"),
)


def subject(clip: str) -> str:
    return clip.rsplit("_", 1)[0]


def lines() -> list[str]:
    cases = [case for case in CASES if case.name in CHOOSING]
    usual = _all(cases)
    varied = {
        (constant, value): _at({constant: value}, cases)
        for constant in CONSTANTS
        for value in constant.values
        if value != constant.default
    }
    subjects = sorted({subject(row.clip) for row in usual[0]})
    made = [
        "| left out | chosen by the others | detector | defaults | chosen |",
        "|---|---|---|---|---|",
    ]
    detector = [rows(by_detector, case) for case in cases]
    judged: list[list[Row]] = [[] for _ in cases]
    for left in subjects:
        chosen: dict[Constant, float] = {}
        for constant in CONSTANTS:
            before = _mean(usual, left, inside=False)
            scores = {
                value: _mean(varied[constant, value], left, inside=False)
                for value in constant.values
                if value != constant.default
            }
            best = max(scores, key=lambda value: scores[value], default=constant.default)
            if scores.get(best, before) > before + WORTH:
                chosen[constant] = best
        found = _at(chosen, cases) if chosen else usual
        for kept, each in zip(judged, found, strict=True):
            kept += [row for row in each if subject(row.clip) == left]
        told = ", ".join(f"{c.name} {v:.3g}" for c, v in chosen.items()) or "the defaults"
        cells = [f"{_mean(each, left, inside=True):.4f}" for each in (detector, usual, found)]
        made.append(f"| {left} | {told} | {' | '.join(cells)} |")
    for case, a, b, c in zip(cases, detector, usual, judged, strict=True):
        each = [summary(some) for some in (a, b, c)]
        cells = [f"{s.mean:.4f}, lowest {s.lowest:.3f}" for s in each]
        made.append(f"| **all**, {case.name} | | {' | '.join(cells)} |")
    return made


def _all(cases: list[Case]) -> list[list[Row]]:
    return [rows(by_evidence, case) for case in cases]


def _at(values: dict[Constant, float], cases: list[Case]) -> list[list[Row]]:
    with together(*(constants(c.module, **{c.name: v}) for c, v in values.items()))():
        return _all(cases)


def _mean(found: list[list[Row]], left: str, *, inside: bool) -> float:
    """Mean F1 over cases, of one subject or of all others."""
    means = [
        np.mean([row.f1 for row in each if (subject(row.clip) == left) == inside]) for each in found
    ]
    return float(np.mean(means))
