"""The head of a library's page: how many clips are done, at what cost, and what stands out."""

from __future__ import annotations

from html import escape

import numpy as np

from poise.apps.report.library_charts import percentile, said
from poise.apps.report.library_columns import Figures, Library, as_text
from poise.apps.report.library_kinds import Kind
from poise.apps.report.library_links import filter_link
from poise.apps.report.words import number, unit_words
from poise.arrays import Array

STATUS_WORDS = {
    "met": "all goals met",
    "not_met": "a goal missed",
    "refused": "refused",
    "out_of_time": "out of time",
    "out_of_memory": "out of memory",
    "crashed": "crashed",
    "bug": "bug in Poise",
}
_MOST_NAMED = 4
"""Figures that a sentence names."""
_NARROW = " "


def header_html(library: Library, title: str, recipe: str) -> str:
    """Title, facts, the bar of all clips by status, and the summary."""
    facts = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(as_text(value))}</dd></div>"
        for name, value in _facts(library, recipe)
    )
    sentences = "".join(f"<p>{escape(sentence)}</p>" for sentence in _summary(library))
    return (
        f'<header><p class="kicker">Poise library report</p><h1>{escape(as_text(title))}</h1>'
        f'<dl class="facts">{facts}</dl>{_status_bar(library)}'
        f'<div class="summary">{sentences}</div></header>'
    )


def status_words(status: str) -> str:
    """How a clip ended, in words."""
    return STATUS_WORDS.get(status, status.replace("_", " "))


def status_class(status: str) -> str:
    """The colour of a status."""
    return {"met": "good", "not_met": "fair"}.get(status, "poor")


def count(many: int) -> str:
    """A number of clips."""
    return f"{many:,}".replace(",", _NARROW)


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


def _facts(library: Library, recipe: str) -> list[tuple[str, str]]:
    motion_s, compute_s = _total(library.motion_s[: library.done]), _total(library.compute_s)
    facts = [("clips", count(len(library.clips))), ("motion processed", time_words(motion_s))]
    words = time_words(compute_s)
    if motion_s > 0.0 and compute_s > 0.0:
        words += f", {number(compute_s / motion_s)} s per second of motion"
    facts.append(("computing, all clips together", words))
    if np.isfinite(library.peak_mb).any():
        facts.append(("most memory", f"{number(float(np.nanmax(library.peak_mb)))} MB"))
    if recipe:
        facts.append(("recipe", recipe))
    if library.last:
        facts.append(("last clip finished", library.last))
    return facts


def _total(values: Array) -> float:
    return float(np.nansum(values))


def _status_bar(library: Library) -> str:
    """A bar in the colours of the statuses; below it, each with its number, a filter."""
    total = len(library.clips)
    if not total:
        return ""
    parts: list[str] = []
    items: list[str] = []
    for status, many in library.counts.items():
        color, words = status_class(status), status_words(status)
        link = escape(filter_link({"status": status}))
        parts.append(f'<i class="part {color}" style="flex-grow:{many}"></i>')
        items.append(
            f'<li><a href="{link}"><i class="key area {color}"></i>'
            f"<b>{count(many)}</b> {escape(words)} <small>{share(many, total)}</small></a></li>"
        )
    return (
        f'<div class="statusbar" aria-hidden="true">{"".join(parts)}</div>'
        f'<ul class="statuses" aria-label="Clips by status">{"".join(items)}</ul>'
    )


def _summary(library: Library) -> list[str]:
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
    sentences = [f"{sentence}."]
    judged = [f for f in library.figures if f.kind.is_judged]
    if judged:
        sentences += _poor_sentences(library)
    return sentences


def _poor_sentences(library: Library) -> list[str]:
    """How many clips have poor figures, before and now, and which ones."""
    judged = [f for f in library.figures if f.kind.is_judged]
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
    gains = _gains(both)
    if gains:
        sentences.append(f"Medians, before → after: {gains}.")
    poor = _most([(f.kind, int(f.kind.is_poor(f.after).sum())) for f in judged])
    if poor:
        sentences.append(f"Most often poor now: {poor}.")
    else:
        sentences.append("No clip has a poor figure.")
    worse = _most(
        [(f.kind, int(((f.changes == -1.0) & ~f.kind.is_good(f.after)).sum())) for f in judged]
    )
    if worse:
        sentences.append(f"Most often worse than before and not good: {worse}.")
    elif both:
        sentences.append("Nothing got worse, or what did is still good.")
    return sentences


def _gains(both: list[Figures]) -> str:
    """The figures that are poor in fewer clips than before, and how their medians changed."""
    fewer = [
        (f.kind, int(f.kind.is_poor(f.before).sum()) - int(f.kind.is_poor(f.after).sum()))
        for f in both
    ]
    found = {f.kind.key: f for f in both}
    words: list[str] = []
    for kind, _ in _ranked(fewer):
        before, after = (
            said(kind, percentile(values, 50.0))
            for values in (found[kind.key].before, found[kind.key].after)
        )
        words.append(f"{_spoken(kind)} {before} → {after} {unit_words(kind.unit)}".rstrip())
    return "; ".join(words)


def _most(found: list[tuple[Kind, int]]) -> str:
    return "; ".join(f"{_spoken(kind)} in {clips(n)}" for kind, n in _ranked(found))


def _ranked(found: list[tuple[Kind, int]]) -> list[tuple[Kind, int]]:
    """Those with the largest numbers; a figure and its worst moments are one."""
    ranked: dict[str, tuple[Kind, int]] = {}
    for kind, many in sorted(found, key=lambda pair: -pair[1]):
        if many > 0:
            ranked.setdefault(kind.name.split(",")[0], (kind, many))
    return list(ranked.values())[:_MOST_NAMED]


def _spoken(kind: Kind) -> str:
    return f"{kind.name[:1].lower()}{kind.name[1:]}"
