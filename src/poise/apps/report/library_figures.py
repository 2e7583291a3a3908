"""Every figure over all clips: how it lies before and after, and for how many it got better."""

from __future__ import annotations

from html import escape

import numpy as np

from poise.apps.report.figure_box import Entry
from poise.apps.report.library_charts import distribution_svg, percentile, said, tail_percent
from poise.apps.report.library_columns import Figures, Library
from poise.apps.report.library_header import count
from poise.apps.report.library_links import filter_link
from poise.apps.report.words import GROUPS, unit_words

_LEGEND = (
    Entry("before", "orange", "area"),
    Entry("after", "blue", "area"),
    Entry("median", "ink", "line"),
    Entry("95th percentile (5th where more is better)", "ink", "dashed"),
)
_STRIP = (Entry("good", "green"), Entry("fair", "orange"), Entry("poor", "vermilion"))


def figures_html(library: Library) -> str:
    """All figures in the groups of a clip's page."""
    parts = ['<section id="figures" aria-label="Figures"><h2>Before and after, all clips</h2>']
    if not library.figures:
        parts.append("<p>No clip has figures.</p></section>")
        return "".join(parts)
    keys = "".join(
        f'<li><i class="key {e.kind} {e.color}"></i>{escape(e.label)}</li>' for e in _LEGEND
    )
    strip = "".join(f'<li><i class="key {e.color}"></i>{escape(e.label)}</li>' for e in _STRIP)
    parts.append(
        '<p class="about">Bars count clips; those before and those after are each drawn to their '
        "own height. Where values differ by orders of magnitude the axis is logarithmic, and its "
        "first bar holds all that is smaller. “Input’s contacts” are the same two figures after, "
        "measured with the contacts found in the input: claiming fewer contacts does not better "
        'them.<span class="scripted"> Click a bar to see its clips '
        f'in the table.</span></p><ul class="legend">{keys}<li>along the axis:</li>{strip}</ul>'
    )
    for group in GROUPS:
        rows = [f for f in library.figures if f.kind.group == group]
        if rows:
            parts.append(f'<div class="group"><h3>{escape(group)}</h3><ul class="spread">')
            parts += [_row(figures) for figures in rows]
            parts.append("</ul></div>")
    parts.append("</section>")
    return "".join(parts)


def _row(figures: Figures) -> str:
    kind = figures.kind
    link = escape(filter_link({"by": kind.key}))
    unit = f' <span class="unit">{escape(unit_words(kind.unit))}</span>' if kind.unit else ""
    return (
        f'<li><div class="what"><a class="name" href="{link}">{escape(kind.name)}</a>'
        f'<span class="about">{escape(kind.about)}</span>{_changes(figures)}</div>'
        f'<div class="stats">{_stats(figures, unit)}</div>'
        f'<div class="chart"><div class="svgbox">{distribution_svg(figures)}</div></div></li>'
    )


def _stats(figures: Figures, unit: str) -> str:
    """Median and tail before and after, and how many clips these are of."""
    kind = figures.kind
    has_before = bool(np.isfinite(figures.before).any())
    columns = (figures.before, figures.after) if has_before else (figures.after,)
    heads = f'<th scope="col">{"before" if has_before else ""}</th><th scope="col">after</th>'
    # What has no figure before leaves its place empty, so that columns stand below each other.
    gap = "" if has_before else "<td></td>"
    tail = tail_percent(kind)
    lines = [("median", 50.0), (f"{tail:.0f}th percentile", tail)]
    body = "".join(
        f'<tr><th scope="row">{words}</th>{gap}'
        + "".join(f"<td>{said(kind, percentile(values, p))}</td>" for values in columns)
        + "</tr>"
        for words, p in lines
    )
    if kind.is_judged:
        cells = "".join(f"<td>{count(int(kind.is_poor(v).sum()))}</td>" for v in columns)
        body += f'<tr><th scope="row">poor</th>{gap}{cells}</tr>'
    known = "".join(f"<td>{count(int(np.isfinite(v).sum()))}</td>" for v in columns)
    body += f'<tr class="soft"><th scope="row">clips</th>{gap}{known}</tr>'
    under = ""
    if np.isfinite(figures.under).any():
        middle, high = (said(kind, percentile(figures.under, p)) for p in (50.0, tail))
        under = f"<small>input’s contacts: {middle}, {high}</small>"
    return (
        f'<table><thead><tr><th scope="col">{unit}</th>{heads}</tr></thead>'
        f"<tbody>{body}</tbody></table>{under}"
    )


def _changes(figures: Figures) -> str:
    """For how many clips it got better, worse or stayed; a link to those that got worse."""
    changes = figures.changes
    better, worse, same = (int((changes == c).sum()) for c in (1.0, -1.0, 0.0))
    if not better + worse + same:
        return ""
    words = f"▼ {count(worse)} worse"
    if worse:
        link = escape(filter_link({"by": figures.kind.key, "worse": 1}))
        words = f'<a href="{link}">{words}</a>'
    still = int(((changes == -1.0) & figures.kind.is_good(figures.after)).sum())
    good = f" ({count(still)} still good)" if still else ""
    return (
        f'<span class="changes"><span class="better">▲ {count(better)} better</span> '
        f'<span class="{"worse" if worse else "same"}">{words}{good}</span> '
        f'<span class="same">= {count(same)} same</span></span>'
    )
