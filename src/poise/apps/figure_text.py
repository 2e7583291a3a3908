"""Figures before and after an edit, as a table for a terminal."""

from __future__ import annotations

import math

from poise.apps.report.words import Change, kind_of, unit_words
from poise.job import Recipe
from poise.measures import KINDS, UNDER_INPUT_CONTACTS, Evaluation, Measure, measure_kinds

_FIGURES = {
    "foot_slide.mean": "foot slide",
    "penetration.deepest": "deepest penetration",
    "float.mean": "floating contacts",
    "zmp_excursion.share": "out of balance (ZMP)",
    "root_wrench.force": "residual force",
    "root_wrench.moment": "residual moment",
    "flight_residual.acceleration": "acceleration in flight",
    "flight_residual.spin": "change of spin in flight",
    "torque_excess.worst": "worst torque",
    "range_excess.worst": "beyond joint ranges",
    "jitter.jerk": "jerk within 12 Hz",
    "joint_peaks.speed": "peak joint speed",
    "joint_peaks.acceleration": "peak joint acceleration",
    "jump_height.change": "jump height changed by",
    "root_shift.mean": "root shift",
    "swing_shift.mean": "swing-foot shift",
    "likeness.rotation": "rotation difference",
    "likeness.largest": "largest position difference",
}
_UNITS = {
    "zmp_excursion.share": "% of frames",
    "flight_residual.spin": "% of M·h·√(g·h)",
    "torque_excess.worst": "of strength",
    "joint_peaks.speed": "× the input's",
    "joint_peaks.acceleration": "× the input's",
}
_SAID_TWICE = ("foot_slide.mean", "float.mean", "zmp_excursion.share", "root_wrench.force",
               "root_wrench.moment")  # fmt: skip
"""Also with the contacts that are found in the input."""
_TITLES = ("", "before", "after", "", "", "with the input's contacts")
_RIGHT = (1, 2, 5)
"""Columns of numbers."""
_MEASURED = ("correct", "filter", "retarget")


def is_measured(recipe: Recipe) -> bool:
    """Whether a recipe is about physics, so that figures say more than constraints."""
    return any(step.method in _MEASURED for step in recipe.steps)


def figure_lines(found: Evaluation) -> list[str]:
    """What an edit promises, before and after; better or worse by the measure's resolution."""
    after = {m.key: m for m in found.measures}
    before = {m.key: m for m in found.before}
    rows: list[tuple[str, ...]] = [_TITLES]
    changes: list[Change] = []
    others = {kind.key: kind.name.lower() for kind in measure_kinds()[len(KINDS) :]}
    for key, words in (_FIGURES | others).items():
        now, then = after.get(key), before.get(key)
        was = math.nan if then is None else then.value
        if now is None or (math.isnan(now.value) and math.isnan(was)):
            continue
        second = after.get(f"{key}{UNDER_INPUT_CONTACTS}") if key in _SAID_TWICE else None
        kind = kind_of(key)
        shown = [_shown(each, kind.resolution) for each in (then, now, second)]
        changes.append(kind.change(was, now.value))
        unit = _UNITS.get(key, unit_words(now.unit))
        reason = now.reason or ("" if then is None else then.reason)
        rows.append((words, *shown[:2], unit, changes[-1] or reason, shown[2]))
    if not any(row[-1] for row in rows[1:]):
        rows = [row[:-1] for row in rows]
    return [*_laid_out(rows), *_verdict(changes)]


def _verdict(changes: list[Change]) -> list[str]:
    """The count of what got better and worse, in one line."""
    better, worse = changes.count("better"), changes.count("worse")
    if not better and not worse:
        return []
    if not worse:
        return [f"{better} better, none worse than the input"]
    return [f"{better} better, {worse} worse than the input"]


def _laid_out(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            f"{cell:>{width}}" if n in _RIGHT else f"{cell:<{width}}"
            for n, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _shown(measure: Measure | None, resolution: float) -> str:
    """A value with the digits that its measure resolves; nothing where nobody has measured."""
    if measure is None:
        return ""
    if math.isnan(measure.value):
        return "–"
    return f"{measure.value:.{max(0, -math.floor(math.log10(resolution)))}f}"
