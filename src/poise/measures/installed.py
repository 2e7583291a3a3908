"""Measures of installed packages (entry points `poise.measures`, see `poise.extensions`)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from poise.contact import Series
from poise.errors import PoiseError
from poise.extensions import Extended, attributing
from poise.measures.measure import Measure
from poise.measures.table import GROUPS, KINDS, Figures, MeasureKind, measure_of


@dataclass(frozen=True)
class MeasureFamily:
    """Figures that are taken together, of another package."""

    kinds: tuple[MeasureKind, ...]
    """Each with a key "<name of the entry point>.<figure>"."""
    measure: Callable[[Series], Figures] | None = None
    """The figures of a clip by itself, by key; NaN where there is nothing to measure."""
    compare: Callable[[Series, Series], Figures] | None = None
    """Instead: those of a clip against its original."""
    by_contact: bool = False
    """Whether they depend on contacts: they are also taken with those of the input."""
    why_none: str = "nothing to measure"
    """Why a figure has no value where it is NaN."""


def _problem_with(name: str, family: MeasureFamily) -> str:
    """What keeps a package's measures out of the table."""
    keys = [kind.key for kind in family.kinds]
    if not keys or len(set(keys)) < len(keys):
        return f"it needs figures with different keys, got {', '.join(keys) or 'none'}"
    for kind in family.kinds:
        if kind.key.split(".")[0] != name or kind.key.count(".") != 1:
            return f"keys must be like '{name}.mean', got '{kind.key}'"
        if kind.group not in GROUPS:
            return f"group of '{kind.key}' must be one of {', '.join(GROUPS)}, got '{kind.group}'"
        if not kind.resolution > 0.0:
            return f"resolution of '{kind.key}' must be more than zero, got {kind.resolution}"
    if (family.measure is None) == (family.compare is None):
        return "it must have either measure or compare"
    return "by_contact is for measure alone" if family.by_contact and family.compare else ""


_TAKEN = tuple({kind.key.split(".")[0] for kind in KINDS})

INSTALLED = Extended[MeasureFamily]("poise.measures", {}, MeasureFamily, _problem_with, _TAKEN)
"""The measures of installed packages, by the name of their entry points."""


def measure_kinds() -> tuple[MeasureKind, ...]:
    """All figures in the order of a page; those of packages come last."""
    return (*KINDS, *(kind for family in INSTALLED.values() for kind in family.kinds))


def measures_alone(series: Series, *, by_contact: bool = False) -> list[Measure]:
    """The figures that packages add about a clip by itself; or only those that need contacts."""
    return [
        measure
        for name, family in INSTALLED.items()
        if family.measure is not None and (family.by_contact or not by_contact)
        for measure in _taken(name, family, family.measure, series)
    ]


def measures_against(series: Series, original: Series) -> list[Measure]:
    """The figures that packages add about a clip against its original."""
    return [
        measure
        for name, family in INSTALLED.items()
        if family.compare is not None
        for measure in _taken(name, family, family.compare, series, original)
    ]


def _taken(
    name: str, family: MeasureFamily, measure: Callable[..., Figures], *of: Series
) -> list[Measure]:
    """The figures of a family; where it fails, without values and with the package as reason."""
    try:
        with attributing(INSTALLED, name):
            figures = measure(*of)
            return [measure_of(kind, figures[kind.key], family.why_none) for kind in family.kinds]
    except PoiseError as problem:
        return [measure_of(kind, math.nan, str(problem)) for kind in family.kinds]
