"""One figure with its unit and tolerance, and the gate that compares figures with a baseline.

The baseline holds ratios only: what one machine's microseconds are says nothing on another.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

BASELINE = Path(__file__).with_name("baseline.json")


@dataclass(frozen=True)
class Measure:
    """A figure; whoever reads it knows when it got worse."""

    key: str
    value: float
    unit: str
    direction: Literal["higher", "lower"]
    """Which way is better."""
    rel_tol: float
    """How much worse, as a share of the baseline, is still noise."""
    abs_tol: float = 0.0
    promise: float | None = None
    """The bound that must hold whatever the baseline says."""

    @property
    def gated(self) -> bool:
        """Only ratios go through the gate."""
        return self.unit == "x"

    def is_worse_than(self, bound: float) -> bool:
        # Asked so that "not a number" is worse than anything.
        return not (self.value >= bound if self.direction == "higher" else self.value <= bound)


def gate(measures: Sequence[Measure], baseline: dict[str, float]) -> list[str]:
    """What got worse than promised or than the baseline allows, one sentence each."""
    complaints: list[str] = []
    for m in measures:
        if not m.gated:
            continue
        if m.promise is not None and m.is_worse_than(m.promise):
            complaints.append(f"{m.key}: {m.value:.1f}{m.unit}, promised {m.promise:g}{m.unit}")
        if m.key not in baseline:
            complaints.append(f"{m.key}: not in the baseline; write it with --write-baseline")
            continue
        slack = m.rel_tol * abs(baseline[m.key]) + m.abs_tol
        bound = baseline[m.key] + (-slack if m.direction == "higher" else slack)
        if m.is_worse_than(bound):
            complaints.append(
                f"{m.key}: {m.value:.1f}{m.unit}, the baseline {baseline[m.key]:.1f}{m.unit} "
                f"allows {bound:.1f}{m.unit}"
            )
    return complaints


def read_baseline() -> dict[str, float]:
    return json.loads(BASELINE.read_text(encoding="utf-8")) if BASELINE.is_file() else {}


def write_baseline(measures: Sequence[Measure]) -> None:
    ratios = {m.key: round(m.value, 2) for m in sorted(measures, key=lambda m: m.key) if m.gated}
    BASELINE.write_text(json.dumps(ratios, indent=2) + "\n", encoding="utf-8", newline="\n")
