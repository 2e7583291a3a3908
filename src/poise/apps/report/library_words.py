"""What a library's page says in words: its head, its summary, and every figure over all clips."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from poise.apps.report.library_columns import Figures, Library
from poise.apps.report.words import RULES, Kind, number, unit_words
from poise.arrays import Array

STATUS_WORDS = {"met": "all goals met", "not_met": "a goal missed", "bug": "bug in Poise"}
"""Of those that do not speak for themselves."""
_MOST_NAMED = 4
"""Figures that a sentence names."""
_VERY_LARGE = 1e7
"""From here on, digits and a power of ten."""
_RULES = (
    f"{RULES}A dash or a gap means that there was nothing to measure.",
    "Better and worse are changes by more than 3 %, as in a clip's own report.",
    "Figures of clips that were written count; a clip that failed has none.",
)


def status_words(status: str) -> str:
    """How a clip ended, in words."""
    return STATUS_WORDS.get(status, status.replace("_", " "))


def status_class(status: str) -> str:
    """The colour of a status."""
    return {"met": "good", "not_met": "fair"}.get(status, "poor")


def count(many: int) -> str:
    """A number of clips."""
    return f"{many:,}".replace(",", " ")


def clips(many: int) -> str:
    """`1 clip`, `9 412 clips`."""
    return f"{count(many)} clip{'' if many == 1 else 's'}"


def share(part: int, whole: int) -> str:
    """Per cents of a whole; all and none only if it is so."""
    if part in (0, whole):
        return "0 %" if not part else "100 %"
    percent = 100.0 * part / whole
    if percent < 0.1 or percent > 99.9:
        return "< 0.1 %" if percent < 1.0 else "> 99.9 %"
    return f"{percent:.1f} %" if percent < 10.0 or percent > 90.0 else f"{percent:.0f} %"


def time_words(seconds: float) -> str:
    """`5.2 s`, `3 min 20 s`, `7 h 05 min`."""
    if seconds < 60.0:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    hours, minutes = divmod(minutes, 60)
    return f"{count(hours)} h {minutes:02d} min"


def facts_of(library: Library, recipe: str) -> list[tuple[str, str]]:
    """How much was done, at what cost."""
    motion_s = float(np.nansum([clip.motion_s for clip in library.clips[: library.done]]))
    compute_s = float(np.nansum([clip.compute_s for clip in library.clips]))
    peaks_mb = [clip.peak_mb for clip in library.clips if not math.isnan(clip.peak_mb)]
    facts = [("clips", count(len(library.clips))), ("motion processed", time_words(motion_s))]
    words = time_words(compute_s)
    if motion_s > 0.0 and compute_s > 0.0:
        words += f", {number(compute_s / motion_s)} s per second of motion"
    facts.append(("computing, all clips together", words))
    if peaks_mb:
        facts.append(("most memory", f"{number(max(peaks_mb))} MB"))
    if recipe:
        facts.append(("recipe", recipe))
    if library.last:
        facts.append(("last clip finished", library.last))
    return facts


def summary_of(library: Library) -> list[str]:
    """What came through, what got better, what is poor."""
    total = len(library.clips)
    if not total:
        return ["The batch has no clips."]
    met = library.counts.get("met", 0)
    missed, failed = library.done - met, total - library.done
    sentence = f"{count(met)} of {clips(total)} ({share(met, total)}) met every goal"
    if missed:
        sentence += (
            f"; {count(missed)} {'was' if missed == 1 else 'were'} written but missed a goal"
        )
    if failed:
        sentence += f"; {count(failed)} failed and left nothing"
    judged = [f for f in library.figures if f.kind.is_judged]
    return [f"{sentence}.", *(_poor_sentences(judged) if judged else ())]


def _poor_sentences(judged: list[Figures]) -> list[str]:
    """How many clips have poor figures, before and now, and which ones."""
    both = [f for f in judged if np.isfinite(f.before).any() and np.isfinite(f.after).any()]
    sentences: list[str] = []
    if both:
        before, after = (
            int(np.any([f.kind.is_poor(v) for f, v in pairs], axis=0).sum())
            for pairs in ([(f, f.before) for f in both], [(f, f.after) for f in both])
        )
        sentences.append(
            f"Clips with a poor figure: {count(before)} before, {count(after)} after "
            "(of figures that are measured both times)."
        )
    # The figures that are poor in fewer clips than before, and how their medians changed.
    fewer = [
        (f, int(f.kind.is_poor(f.before).sum()) - int(f.kind.is_poor(f.after).sum())) for f in both
    ]
    gains = "; ".join(
        f"{_spoken(f)} {said(f.kind, percentile(f.before, 50.0))} → "
        f"{said(f.kind, percentile(f.after, 50.0))} {unit_words(f.kind.unit)}".rstrip()
        for f, _ in _ranked(fewer)
    )
    if gains:
        sentences.append(f"Medians, before → after: {gains}.")
    poor = _most([(f, int(f.kind.is_poor(f.after).sum())) for f in judged])
    sentences.append(f"Most often poor now: {poor}." if poor else "No clip has a poor figure.")
    worse = _most(
        [(f, int(((f.changes == -1.0) & ~f.kind.is_good(f.after)).sum())) for f in judged]
    )
    if worse:
        sentences.append(f"Most often worse than before and not good: {worse}.")
    elif both:
        sentences.append("Nothing got worse, or what did is still good.")
    return sentences


def _most(found: list[tuple[Figures, int]]) -> str:
    return "; ".join(f"{_spoken(figures)} in {clips(n)}" for figures, n in _ranked(found))


def _ranked(found: list[tuple[Figures, int]]) -> list[tuple[Figures, int]]:
    """Those with the largest numbers; a figure and its worst moments are one."""
    ranked: dict[str, tuple[Figures, int]] = {}
    for figures, many in sorted(found, key=lambda pair: -pair[1]):
        if many > 0:
            ranked.setdefault(figures.kind.name.split(",")[0], (figures, many))
    return list(ranked.values())[:_MOST_NAMED]


def _spoken(figures: Figures) -> str:
    return f"{figures.kind.name[:1].lower()}{figures.kind.name[1:]}"


def percentile(values: Array, percent: float) -> float:
    """Of the known values; NaN if there are none."""
    known = values[np.isfinite(values)]
    return float(np.percentile(known, percent)) if len(known) else math.nan


def said(kind: Kind, value: float) -> str:
    """A figure as it is written; what counts things has no decimals."""
    if abs(value) >= _VERY_LARGE:
        return f"{value:.2e}".replace("e+0", "e").replace("e+", "e")
    return f"{value:.0f}" if kind.is_count and math.isfinite(value) else number(value)


def stats_of(figures: Figures) -> dict[str, object]:
    """Median and tail before and after, of how many clips, and for how many it got better."""
    kind, changes = figures.kind, figures.changes
    columns = [v if np.isfinite(v).any() else None for v in (figures.before, figures.after)]
    tail = 5.0 if kind.direction == "higher" else 95.0

    def row(words: str, cell: str | float) -> list[str]:
        cells = [words]
        for values in columns:
            if values is None:
                cells.append("")
            elif isinstance(cell, float):
                cells.append(said(kind, percentile(values, cell)))
            else:
                flags = kind.is_poor(values) if cell == "poor" else np.isfinite(values)
                cells.append(count(int(flags.sum())))
        return cells

    table = [row("median", 50.0), row(f"{tail:.0f}th percentile", tail)]
    table += [row("poor", "poor")] if kind.is_judged else []
    middle, high = (percentile(figures.under, p) for p in (50.0, tail))
    better, worse, same = (int((changes == c).sum()) for c in (1.0, -1.0, 0.0))
    still = int(((changes == -1.0) & kind.is_good(figures.after)).sum())
    return {
        "table": [*table, row("clips", "known")],
        "marks": [
            [percentile(v, p) for p in (50.0, tail)] for v in (figures.before, figures.after)
        ],
        "under_words": "" if math.isnan(middle) else f"{said(kind, middle)}, {said(kind, high)}",
        "changes": [better, worse, still, same] if better + worse + same else None,
    }


def notes_of(library: Library, notes: Sequence[str]) -> list[str]:
    """What to know about the batch as a whole."""
    lines = list(notes)
    again = sum(clip.attempts > 1 for clip in library.clips)
    if again:
        lines.append(f"{clips(again)} took more than one attempt.")
    for what, found in (("versions of Poise", library.versions), ("recipes", library.recipes)):
        if len(found) > 1:
            short = ", ".join(text[:12] for text in found[:6])
            lines.append(f"These clips come from {len(found)} {what}: {short}.")
    known = np.zeros(library.done, dtype=np.bool_)
    for figures in library.figures:
        known |= np.isfinite(figures.before) | np.isfinite(figures.after)
    without = library.done - int(known.sum())
    if without:
        lines.append(f"{clips(without)} of those written have no figures.")
    return [*lines, *_RULES]
