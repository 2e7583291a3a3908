"""Round numbers for axes."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from poise.arrays import Array


@dataclass(frozen=True)
class Ticks:
    """Where an axis is marked, and how the marks read."""

    values: tuple[float, ...]
    labels: tuple[str, ...]


def nice_ticks(low: float, high: float, wanted: int = 5) -> Ticks:
    """Multiples of 1, 2 or 5 times a power of ten between two ends, about `wanted` of them."""
    span = high - low
    if not (math.isfinite(span) and span > 0):
        return Ticks((low,), (f"{low:g}",))
    rough = span / max(wanted, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = min((m * power for m in (1.0, 2.0, 5.0, 10.0)), key=lambda s: abs(s - rough))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    values = tuple(k * step for k in range(first, last + 1))
    # A minus sign, not a hyphen; and zero has none.
    labels = tuple(f"{v + 0.0:.{decimals}f}".replace("-", "−") for v in values)
    zero = f"{0.0:.{decimals}f}"
    return Ticks(values, tuple(zero if x == f"−{zero}" else x for x in labels))


def range_of(*series: Array, include: tuple[float, ...] = (), room: float = 0.06) -> tuple[
    float, float
]:  # fmt: skip
    """Ends of an axis that shows all finite values with some room; never empty."""
    flat = [s[np.isfinite(s)].ravel() for s in series]
    values = np.concatenate([*flat, np.array(include, dtype=np.float64)])
    if not len(values):
        return 0.0, 1.0
    low, high = float(values.min()), float(values.max())
    span = high - low
    if span <= 1e-12 * max(abs(low), abs(high), 1.0):
        pad = max(abs(low) * 0.1, 0.5)
        return low - pad, high + pad
    # An end that was asked for (a zero line) stays where it is.
    return (
        low if low in include else low - room * span,
        high if high in include else high + room * span,
    )
