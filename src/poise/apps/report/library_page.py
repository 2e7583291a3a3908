"""One page about a batch of clips: what came through, what failed, what got better, what to see."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from poise.apps.report.library_causes import Cause
from poise.apps.report.library_columns import DONE, Figures, Library, link_to, read_library
from poise.apps.report.library_words import (
    facts_of,
    notes_of,
    share,
    stats_of,
    status_class,
    status_words,
    summary_of,
)
from poise.apps.report.page import Page, page_html
from poise.apps.report.words import LEAST, SAME_SHARE, unit_words

MOST_NAMES = 100
"""Clips that a line about many names; the table has them all."""
MOST_NOTES = 12
_BOUNDED = ("%", "F1")
"""Units of figures that end at all or nothing: no log axis."""


def library_html(
    rows: Iterable[Mapping[str, object]],
    title: str,
    *,
    recipe: str = "",
    notes: Sequence[str] = (),
) -> str:
    """One self-contained page about all clips of a batch.

    Args:
        rows: the lines of its results, read once; links in them start in the page's folder.
        title: what the batch is called.
        recipe: what was done to every clip.
        notes: what to know about the batch as a whole.
    """
    library = read_library(rows)
    facts, summary, said = facts_of(library, recipe), summary_of(library), notes_of(library, notes)
    kicker = "Poise library report"
    return page_html(Page("library", title, kicker, facts, summary, said, _content(library)))


def _content(library: Library) -> dict[str, object]:
    """Columns, not rows; those of figures end with the last done clip."""
    total, counts, clips = len(library.clips), library.counts, library.clips
    reasons = {
        reason: n for n, reason in enumerate(dict.fromkeys(["", *(c.reason for c in clips)]))
    }
    statuses = {status: n for n, status in enumerate(counts)}
    return {
        "clips": [c.name for c in clips],
        "statuses": [
            {"key": s, "words": status_words(s), "color": status_class(s), "many": many,
             "share": share(many, total), "done": s in DONE}
            for s, many in counts.items()
        ],
        "status": [statuses[c.status] for c in clips],
        "reasons": list(reasons),
        "reason": [reasons[c.reason] for c in clips],
        "causes": [
            {**_cause(cause, total), "status": statuses[cause.status]} for cause in library.causes
        ],
        "said": [_cause(cause, MOST_NAMES) for cause in library.notes[:MOST_NOTES]],
        "said_more": max(0, len(library.notes) - MOST_NOTES),
        "clip_links": [_short(c.link, c.name) for c in clips],
        "report_links": [
            _short(c.report_link, re.sub(r"\.[^.]*$", "", c.name) + ".html") for c in clips
        ],
        "lengths": [c.motion_s for c in clips],
        "done": library.done,
        "poor": library.poor_counts,
        "worse": library.worse_counts,
        "worst": library.worst,
        "times": library.times,
        "figures": [_figures(figures) for figures in library.figures],
        "same": SAME_SHARE,
        "least": LEAST,
    }  # fmt: skip


def _cause(cause: Cause, most: int) -> dict[str, object]:
    shown = cause.clips[:most]
    return {"words": cause.words, "many": len(cause.clips), "clips": shown, "is_one": cause.is_one}


def _short(link: str, name: str) -> str | int:
    """A link; 1 for one that leads to the file of this name."""
    return 1 if link == link_to(name) else link


def _figures(figures: Figures) -> dict[str, object]:
    kind = figures.kind
    columns = {"before": figures.before, "after": figures.after, "under": figures.under}
    return {
        "key": kind.key, "name": kind.name, "group": kind.group, "about": kind.about,
        "unit": unit_words(kind.unit), "way": kind.way, "resolution": kind.resolution,
        "harmless": kind.harmless,
        "whole": kind.is_count,
        "limits": [kind.good_limit, kind.poor_limit] if kind.is_judged else None,
        "bounded": kind.unit in _BOUNDED, **stats_of(figures),
        **{name: v if (v == v).any() else None for name, v in columns.items()},
    }  # fmt: skip
