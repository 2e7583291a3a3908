"""From an evaluation to the page."""

from __future__ import annotations

import base64
import math
from collections.abc import Sequence

from poise.apps.render import as_png, draw_strip, overlays_of, stage_for, with_few_colors
from poise.apps.report.clip_charts import all_charts
from poise.apps.report.contact_doubts import Stretch
from poise.apps.report.page import Page, page_html
from poise.apps.report.words import GROUPS, RULES, Figure, figures_of, listed, number, unit_words
from poise.contact import Series
from poise.measures import Evaluation
from poise.wording import counted

STRIP_PX = 1280
"""Near the width of the page, so that the words in the picture keep their size."""
_RULES = f"{RULES}A dash means that there was nothing to measure."


def report_html(
    evaluation: Evaluation,
    title: str,
    *,
    against: str = "",
    notes: Sequence[str] = (),
    unknown: Sequence[Stretch] = (),
) -> str:
    """One self-contained page about a measured clip.

    Args:
        evaluation: what was measured.
        title: what the clip is called.
        against: what the original is called.
        notes: what was assumed on the way; by default what the evaluation says.
        unknown: where something that is not known carries the body (see `unknown_carriers`).
    """
    series, original = evaluation.series, evaluation.original
    figures = figures_of(evaluation.measures, evaluation.before)
    reference = evaluation.input_contacts
    same = reference is series.contacts
    groups = [(group, [f for f in figures if f.group == group]) for group in GROUPS]
    content = {
        "picture": _picture(series, original),
        "groups": [(group, [_said(f) for f in rows]) for group, rows in groups if rows],
        "charts": all_charts(series, None if same else reference, original, unknown),
    }
    return page_html(
        Page(
            "report",
            title,
            f"Poise report · compared with {against}" if against else "Poise report",
            _facts(series),
            _summary(figures, original is not None),
            (*(tuple(notes) or evaluation.notes), _RULES),
            content,
        )
    )


def _facts(series: Series) -> tuple[tuple[str, str], ...]:
    clip = series.clip
    return (
        ("length", f"{clip.duration_s:.2f} s"),
        ("frames", f"{clip.frame_count} at {clip.rate_hz:g} Hz"),
        ("body", f"{series.mass_kg:.1f} kg, {series.height_m:.2f} m"),
        ("joints", str(clip.skeleton.joint_count)),
        ("place", _place(series)),
    )


def _place(series: Series) -> str:
    environment = series.environment
    words: list[str] = []
    for ground in environment.grounds:
        words.append(f"ground at {100 * ground.height_m:+.1f} cm")
        if ground.tilt_rad > 1e-3:
            words[-1] += f", tilted {ground.tilt_rad * 57.29578:.1f}°"
    parts = len(environment.surfaces) - len(environment.grounds)
    if parts:
        words.append(counted(parts, "part"))
    return " and ".join(words)


def _summary(figures: tuple[Figure, ...], has_original: bool) -> tuple[str, ...]:
    judged = [f for f in figures if f.verdict]
    counts = {v: sum(f.verdict == v for f in judged) for v in ("good", "fair", "poor")}
    first = (
        f"Of {counted(len(judged), 'figure')} with a verdict, {counts['good']} are good, "
        f"{counts['fair']} fair and {counts['poor']} poor."
    )
    poor = _names([f for f in judged if f.verdict == "poor"])
    sentences = [first]
    if poor:
        sentences.append(f"What to look at: {listed(poor)}.")
    elif judged:
        sentences.append("Nothing stands out as wrong.")
    if has_original:
        better, worse = ([f for f in figures if f.change == c] for c in ("better", "worse"))
        if not better and not worse:
            return (*sentences, "Against the original, nothing got better or worse.")
        words = f"Against the original, {len(better)} got better and "
        if worse:
            words += f"{len(worse)} worse: {listed(_names(worse))}."
        else:
            words += "none worse: every figure is better than the original's or equal."
        sentences.append(words)
    return tuple(sentences)


def _names(figures: list[Figure]) -> list[str]:
    """What figures are called; a figure and its worst moments are one."""
    return list(dict.fromkeys(f.name.split(",")[0].lower() for f in figures))


def _said(figure: Figure) -> dict[str, str]:
    """A row of the table."""

    def say(value: float | None) -> str:
        if value is None:
            return ""
        # What has no unit is a count.
        return number(value) if figure.unit or not math.isfinite(value) else f"{value:.0f}"

    return {
        "name": figure.name,
        "about": figure.about,
        "value": say(figure.value),
        "unit": unit_words(figure.unit),
        "before": say(figure.before),
        "under": say(figure.under_input_contacts),
        "verdict": figure.verdict,
        "change": figure.change,
    }


def _picture(series: Series, original: Series | None) -> dict[str, object]:
    """Key frames side by side."""
    stage = stage_for(
        series.clip,
        original=None if original is None else original.clip,
        environment=series.environment,
        overlays=overlays_of(series),
    )
    words = "Key frames from left to right, seen from the side."
    if original is not None:
        words = "Key frames from left to right; the original in orange behind the edited figure."
    image = with_few_colors(draw_strip(stage, width=STRIP_PX))
    data = base64.b64encode(as_png(image)).decode("ascii")
    return {
        "source": f"data:image/png;base64,{data}",
        "caption": words,
        "width": image.width,
        "height": image.height,
    }
