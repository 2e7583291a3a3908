"""One figure with its unit, its meaning and which way is better."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan
from typing import Literal

from poise.one_line import framed


@dataclass(frozen=True)
class Measure:
    """A figure; whoever reads it knows what it says and when it got worse."""

    key: str
    """Dotted: the measure's file, then what of it: `foot_slide.mean`."""
    value: float
    """NaN when there was nothing to measure (no flight, no contact); `reason` says what."""
    unit: str
    direction: Literal["lower", "higher", "neither"]
    """Which way is better."""
    about: str
    """What it says, in plain words."""
    reason: str = ""
    """Why there is no value, where there is none."""

    def __repr__(self) -> str:
        known = f"{self.value:.4g} {self.unit}".rstrip()
        return framed("Measure", f"{self.key} {self.reason if isnan(self.value) else known}")
