"""The measures of a solution, and curves over time, for the panel beside the viewport."""

from __future__ import annotations

import math

import numpy as np

from poise.apps.report.words import figures_of
from poise.apps.studio import to_page as say
from poise.apps.studio import views
from poise.apps.studio.solving import Solution
from poise.apps.studio.views import Told
from poise.arrays import Array
from poise.character import Character
from poise.contact import ContactSchedule, Series, detect_contacts, observe
from poise.environment import Environment
from poise.measures import evaluate
from poise.motion import Clip


def observed(
    clip: Clip, character: Character, place: Environment, contacts: ContactSchedule | None = None
) -> Series:
    """What a motion does frame by frame; contacts that nobody has given are found."""
    touching = contacts or detect_contacts(clip, character, place)
    return observe(clip, character, place, touching)


def measured(solution: Solution) -> Told:
    """Figures before and after, and the curves that they sum up."""
    found = evaluate(
        solution.clip, solution.character, solution.environment, solution.contacts,
        against=solution.start, against_character=solution.start_character,
    )  # fmt: skip
    figures = figures_of(found.measures, found.before)
    rows = tuple(
        say.FigureRow(
            f.key, f.name, f.group, f.about, f.unit,
            _number(f.before), _number(f.value), f.verdict, f.change,
        )
        for f in figures
    )  # fmt: skip
    after, before = found.series, found.original
    curves = _curves(after)
    frames = after.clip.frame_count
    lines_after = np.stack([values for _, _, _, values in curves])
    lines_before = np.full_like(lines_after, np.nan)
    if before is not None:
        for row, (_, _, _, values) in enumerate(_curves(before)):
            count = min(frames, len(values))
            lines_before[row, :count] = values[:count]
    plots = tuple(
        say.Plot(name, unit, row, limit) for row, (name, unit, limit, _) in enumerate(curves)
    )
    message = say.Measures(rows, plots, found.notes)
    return views.told(message, before=lines_before, after=lines_after)


def _curves(series: Series) -> list[tuple[str, str, float | None, Array]]:
    touching = series.pressing
    slide = np.where(touching, series.point_slide_m_s, np.nan)
    with np.errstate(all="ignore"):
        fastest = np.where(touching.any(axis=1), np.nanmax(np.nan_to_num(slide), axis=1), np.nan)
    weight = series.mass_kg * 9.81
    return [
        ("Slide of what touches", "cm/s", None, 100.0 * fastest),
        ("Lowest point", "cm", 0.0, 100.0 * series.point_distances_m.min(axis=1)),
        ("ZMP outside the support", "cm", 0.0, 100.0 * series.support_distance_m),
        ("Missing force", "body weights", None,
         np.linalg.norm(series.missing_force_n, axis=1) / weight),
        ("Hardest-working joint", "× its limit", 1.0, series.torque_ratio.max(axis=1)),
        ("Height of the centre of mass", "m", None, series.com_m[:, 1]),
    ]  # fmt: skip


def _number(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)
