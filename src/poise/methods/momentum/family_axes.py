"""How the members of a motion family differ (section 4.3.1).

Along an axis a ground stage goes along a line, or around a circle with which it turns; two axes of
one stage make a grid of places.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

from poise.constraints import Vector, items, number, put, vector, whole, words
from poise.errors import BadValue


@dataclass(frozen=True)
class FamilyAxis:
    """One dimension of a family: what happens to a ground stage along it."""

    name: str
    stage: int
    """Which ground stage, counted from 0; −1 is the last."""
    values: tuple[float, ...]
    """Coordinates of its members, rising. One of 1 moves the stage by `by_m` and `turn_deg`."""
    by_m: Vector = (0.0, 0.0, 0.0)
    turn_deg: float = 0.0
    around_stage: int | None = None
    """Turn about the middle of this ground stage instead of the stage's own: it goes around a
    circle, and is turned as it goes."""

    def __post_init__(self) -> None:
        name = words("an axis", "name", self.name)
        listed = items(name, "values", self.values, "numbers, rising")
        values = tuple(number(name, "values", each) for each in listed)
        if not values or any(b <= a for a, b in pairwise(values)):
            raise BadValue(f"values of '{name}'", "at least one, rising", self.values)
        put(
            self,
            stage=whole(name, "stage", self.stage),
            values=values,
            by_m=vector(name, "by_m", self.by_m),
            turn_deg=number(name, "turn_deg", self.turn_deg),
        )
        if self.around_stage is not None:
            put(self, around_stage=whole(name, "around_stage", self.around_stage))


def grid(
    name: str, stage: int, xs: Sequence[float], zs: Sequence[float]
) -> tuple[FamilyAxis, FamilyAxis]:
    """A stage over a grid of places (Fig. 3)."""
    return (
        FamilyAxis(f"{name} x", stage, tuple(xs), by_m=(1.0, 0.0, 0.0)),
        FamilyAxis(f"{name} z", stage, tuple(zs), by_m=(0.0, 0.0, 1.0)),
    )


def coordinates(axes: Sequence[FamilyAxis]) -> Iterator[tuple[float, ...]]:
    """Those of all members, the last axis running fastest."""
    return product(*(axis.values for axis in axes))
