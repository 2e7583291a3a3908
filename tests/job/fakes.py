"""A small method to test recipes with: it lifts the whole figure and says what it was told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

import numpy as np

from poise.constraints import CONSTRAINTS, STAGE_EDITS, TaskKind
from poise.errors import BadValue
from poise.job import Vocabulary
from poise.methods import ConstraintReport, Edit, Method, Result, Takes


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


def run(
    edit: Edit, settings: Settings | None = None, *, progress: Any = None, previous: Any = None
) -> Result[None]:
    settings = settings or Settings()
    for constraint in edit.constraints:
        if constraint.name == "impossible":
            raise BadValue("recruits of 'impossible'", "nested in those of 'other'", "not")
    lifted = edit.clip.root_positions_m + np.array([0.0, settings.lift_m, 0.0])
    told = tuple(
        ConstraintReport(
            each.name, kind, each.priority, each.interval.first, each.interval.last, worst, unit,
            each.interval.first, settings.lift_m == 0,
        )
        for each in edit.constraints
        for kind, worst, unit in (("point", 12.5, "mm"), ("turn", 1e-9, "deg"), ("point", 2, "mm"))
    )  # fmt: skip
    met = settings.lift_m == 0
    return Result(
        replace(edit.clip, root_positions_m=lifted).noted(f"lifted by {settings.lift_m} m"),
        "converged" if met else "infeasible",
        "everything met" if met else "lifted, so nothing holds",
        None,
        notes=("a note of the method",),
        constraints=told,
    )


RECORDS = {**{key: kind.record for key, kind in CONSTRAINTS.items()}, **STAGE_EDITS}
METHODS: dict[str, Method] = {
    name: Method(name, Settings, Takes(get_args(TaskKind), one_sided=True), run)
    for name in ("lift", "raise")
}
WORDS = Vocabulary(RECORDS, METHODS)
