"""The table of clips, the worst first: its controls, its first rows, and the data of all.

The first rows are written here, so that they are there without a script. `library_table.js` writes
the same rows in the same words, for any choice of figure and filter.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from html import escape

import numpy as np

from poise.apps.report.library_charts import said
from poise.apps.report.library_columns import DONE, Figures, Library
from poise.apps.report.library_header import count, status_class, status_words
from poise.apps.report.library_kinds import LEAST, SAME_SHARE
from poise.apps.report.library_links import link_to
from poise.apps.report.page import CHANGES, MARKS
from poise.apps.report.words import GROUPS, number, unit_words
from poise.arrays import Array

FIRST_ROWS = 50
HEADS = (
    "#", "clip", "report", "status", "poor", "worse", "figure", "before", "after",
    "with input’s contacts", "change", "length",
)  # fmt: skip
_FIGURE_CELLS = 5
"""From the figure's name to its change; a failure's reason takes their place."""
_RULE = (
    "Ranked by the number of poor figures, then by how many times the limit of poor the worst "
    "figure is; that figure is shown (2 × poor: twice that limit). “Worse” counts figures that got "
    "worse and are not good. Clips that failed have no figures and come last."
)


def table_html(library: Library) -> str:
    """The section of the page."""
    heads = "".join(f'<th scope="col">{escape(head)}</th>' for head in HEADS)
    shown = min(FIRST_ROWS, len(library.clips))
    rows = "".join(_row(library, n) for n in range(shown))
    if not rows:
        rows = f'<tr><td class="none" colspan="{len(HEADS)}">No clips.</td></tr>'
    return (
        '<section id="clips" aria-label="Clips"><h2>Clips, the worst first</h2>'
        f'{_controls(library)}<p id="rule" class="about">{_RULE}</p>'
        '<p id="cause" hidden></p>'
        f'<p id="shown" role="status">{count(shown)} of {count(len(library.clips))} shown</p>'
        '<div class="group table" tabindex="0" role="region" aria-label="Table of clips">'
        f'<table id="rows"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>'
        '<p><button type="button" id="more" hidden>Show more</button></p></section>'
    )


def data_html(library: Library) -> str:
    """All that the script needs, as data; nothing in it can end the element that holds it."""
    return f'<script type="application/json" id="data">{script_safe(_data_json(library))}</script>'


def script_safe(text: str) -> str:
    """JSON that stays JSON and is never taken for markup."""
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


def _controls(library: Library) -> str:
    counts = library.counts
    total, done = len(library.clips), library.done
    statuses = [
        ("", f"all ({count(total)})"),
        ("done", f"written ({count(done)})"),
        ("failed", f"failed ({count(total - done)})"),
        *((status, f"{status_words(status)} ({count(n)})") for status, n in counts.items()),
    ]
    status = "".join(f'<option value="{escape(v)}">{escape(w)}</option>' for v, w in statuses)
    figures = ['<option value="">overall</option>']
    for group in GROUPS:
        kinds = [f.kind for f in library.figures if f.kind.group == group]
        options = "".join(
            f'<option value="{escape(kind.key)}">{escape(kind.name)}{_unit(kind.unit)}</option>'
            for kind in kinds
        )
        if options:
            figures.append(f'<optgroup label="{escape(group)}">{options}</optgroup>')
    return (
        '<form id="filters" role="search" aria-label="Filter clips" hidden>'
        '<label>Name has <input type="search" id="q" autocomplete="off"></label>'
        f'<label>Status <select id="status">{status}</select></label>'
        f'<label>Rank by <select id="by">{"".join(figures)}</select></label>'
        '<label>its value <select id="of"><option value="">after</option>'
        '<option value="before">before</option><option value="change">change</option></select>'
        '</label><label><span id="what">poor figures</span> at least '
        '<input type="number" step="any" id="from"></label>'
        '<label>below <input type="number" step="any" id="below"></label>'
        '<label class="tick"><input type="checkbox" id="worse"> only got worse</label>'
        '<button type="button" id="clear">Clear filters</button></form>'
    )


def _unit(unit: str) -> str:
    return f" ({escape(unit_words(unit))})" if unit else ""


def _row(library: Library, n: int) -> str:
    """A row of the table; the script's `row` writes the same."""
    status, reason = library.statuses[n], escape(library.reasons[n])
    name = _link(library.clip_links[n], library.clips[n])
    report = _link(library.report_links[n], "report") if library.report_links[n] else ""
    chip = f'<span class="chip {status_class(status)}">{escape(status_words(status))}</span>'
    if status in DONE:
        name += f"<small>{reason}</small>" if reason else ""
        worst, figure = int(library.worst[n]), [""] * _FIGURE_CELLS
        if worst >= 0:
            figure = _figure_cells(library.figures[worst], n, float(library.times[n]))
        cells = [str(library.poor_counts[n]), str(library.worse_counts[n]), *figure]
        middle = "".join(f"<td>{cell}</td>" for cell in cells)
    else:
        middle = f'<td></td><td></td><td class="why" colspan="{_FIGURE_CELLS}">{reason}</td>'
    length = float(library.motion_s[n])
    return (
        f'<tr><td>{count(n + 1)}</td><th scope="row">{name}</th><td>{report}</td><td>{chip}</td>'
        f"{middle}<td>{'' if math.isnan(length) else f'{number(length)} s'}</td></tr>"
    )


def _figure_cells(figures: Figures, n: int, times: float) -> list[str]:
    kind = figures.kind
    before, after, under = (float(v[n]) for v in (figures.before, figures.after, figures.under))
    unit = f"{unit_words(kind.unit)}; " if kind.unit else ""
    shown = f"{kind.name}<small>{unit}{number(times)} × poor</small>"
    values = figures.after[n : n + 1]
    verdict = "good" if kind.is_good(values)[0] else "poor" if kind.is_poor(values)[0] else "fair"
    change = {1.0: "better", -1.0: "worse", 0.0: "same"}.get(float(figures.changes[n]), "")
    return [
        shown,
        "" if math.isnan(before) else said(kind, before),
        f'<b class="{verdict}">{MARKS[verdict]} {said(kind, after)}</b>',
        "" if math.isnan(under) else said(kind, under),
        f'<span class="{change}">{CHANGES[change]}</span>' if change else "",
    ]


def _link(link: str, words: str) -> str:
    return f'<a href="{escape(link)}">{escape(words)}</a>' if link else escape(words)


def _data_json(library: Library) -> str:
    """Columns, not rows; those of figures end with the last done clip."""
    reasons = list(dict.fromkeys(["", *library.reasons]))
    place_of = {reason: place for place, reason in enumerate(reasons)}
    statuses = list(library.counts)
    causes = np.full(len(library.clips), -1, dtype=np.int64)
    for place, cause in enumerate(library.causes):
        causes[list(cause.clips)] = place
    parts = {
        "clips": _json(library.clips),
        "statuses": _json([[s, status_words(s), status_class(s)] for s in statuses]),
        "status": _json([statuses.index(s) for s in library.statuses]),
        "reasons": _json(reasons),
        "reason": _json([place_of[reason] for reason in library.reasons]),
        "causes": _json([cause.words for cause in library.causes]),
        "cause": _json(causes.tolist()),
        "clipLinks": _json(_links(library.clip_links, library.clips)),
        "reportLinks": _json(_links(library.report_links, _page_names(library))),
        "length": _numbers(library.motion_s),
        "done": _json(library.done),
        "poor": _json(library.poor_counts.tolist()),
        "worse": _json(library.worse_counts.tolist()),
        "worst": _json(library.worst.tolist()),
        "times": _numbers(library.times),
        "figures": f"[{','.join(_figures_json(f) for f in library.figures)}]",
        "same": _json(SAME_SHARE),
        "least": _json(LEAST),
        "firstRows": _json(FIRST_ROWS),
        "rule": _json(_RULE),
        "marks": _json(MARKS),
        "changes": _json(CHANGES),
    }
    return f"{{{','.join(f'{_json(name)}:{text}' for name, text in parts.items())}}}"


def _links(links: Sequence[str], names: Sequence[str]) -> list[str | int]:
    """Links, in short: 1 for one that leads to the file of this name."""
    return [1 if link == link_to(name) else link for link, name in zip(links, names, strict=True)]


def _page_names(library: Library) -> list[str]:
    """What the pages of clips are usually called."""
    return [re.sub(r"\.[^.]*$", "", name) + ".html" for name in library.clips]


def _figures_json(figures: Figures) -> str:
    kind = figures.kind
    facts = {
        "key": kind.key, "name": kind.name, "unit": unit_words(kind.unit),
        "way": {"lower": 1, "higher": -1}.get(kind.direction, 0),
        "limits": [kind.good_limit, kind.poor_limit] if kind.is_judged else None,
        "whole": kind.is_count,
    }  # fmt: skip
    columns = ",".join(
        f'"{name}":{_numbers(values) if np.isfinite(values).any() else "null"}'
        for name, values in (
            ("before", figures.before), ("after", figures.after), ("under", figures.under)
        )
    )  # fmt: skip
    return f"{_json(facts)[:-1]},{columns}}}"


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def _numbers(values: Array) -> str:
    """A list of numbers in as few letters as four digits take; nothing where there is none."""
    return f"[{','.join(_digits(v) for v in values.tolist())}]"


def _digits(value: float) -> str:
    return f"{value:.4g}" if math.isfinite(value) else "null"
