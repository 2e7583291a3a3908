"""A small method to test recipes with: it lifts the whole figure and says what it was told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Literal

import numpy as np

from poise.constraints.table import CONSTRAINTS, STAGE_EDITS
from poise.errors import BadValue
from poise.job import Vocabulary
from poise.methods.edit import Edit
from poise.methods.result import Result


@dataclass(frozen=True)
class Inner:
    """More of it."""

    turns: int = 3
    """How often."""

    def __post_init__(self) -> None:
        if self.turns < 0:
            raise BadValue("turns", "zero or more", self.turns)


@dataclass(frozen=True)
class Settings:
    lift_m: float = 0.0
    """How far everything goes up."""
    strategy: Literal["priorities", "weights"] = "priorities"
    """What decides between constraints."""
    passes: int = 1
    mobility: Mapping[str, float] = field(default_factory=dict[str, float])
    inner: Inner = field(default_factory=Inner)

    def __post_init__(self) -> None:
        if self.passes < 1:
            raise BadValue("passes", "at least 1", self.passes)


def run(edit: Edit, settings: Settings) -> Result:
    for constraint in edit.constraints:
        if constraint.name == "impossible":
            raise BadValue("recruits of 'impossible'", "nested in those of 'other'", "not")
    lifted = edit.clip.root_positions_m + np.array([0.0, settings.lift_m, 0.0])
    told = tuple(
        {
            "name": each.name, "kind": kind, "priority": each.priority,
            "first": each.interval.first, "last": each.interval.last, "worst": worst,
            "unit": unit, "worst_frame": each.interval.first, "met": settings.lift_m == 0,
        }
        for each in edit.constraints
        for kind, worst, unit in (("point", 12.5, "mm"), ("turn", 1e-9, "deg"), ("point", 2, "mm"))
    )  # fmt: skip
    met = settings.lift_m == 0
    return Result(
        replace(edit.clip, root_positions_m=lifted).noted(f"lifted by {settings.lift_m} m"),
        "converged" if met else "infeasible",
        "everything met" if met else "lifted, so nothing holds",
        notes=("a note of the method",),
        trace={"constraints": told},
    )


METHODS = {
    "lift": SimpleNamespace(Settings=Settings, run=run),
    "raise": SimpleNamespace(Settings=Settings, run=run),
}
RECORDS = {**{key: kind.record for key, kind in CONSTRAINTS.items()}, **STAGE_EDITS}
WORDS = Vocabulary(RECORDS, METHODS)
