"""Why clips failed or missed a goal: a line for every cause, which opens to its clips."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from poise.apps.report.library_causes import Cause
from poise.apps.report.library_columns import DONE, Library
from poise.apps.report.library_header import clips, count, status_class, status_words

MOST_CAUSES = 40
MOST_NAMES = 100
"""Clips that a line names; the table has them all."""
MOST_NOTES = 12


def failures_html(library: Library) -> str:
    """What failed, then what missed a goal."""
    numbered = list(enumerate(library.causes))
    failed = [(n, cause) for n, cause in numbered if cause.status not in DONE]
    missed = [(n, cause) for n, cause in numbered if cause.status in DONE]
    parts = ['<section id="failures" aria-label="Failures"><h2>What failed, and why</h2>']
    if not failed:
        words = "Nothing: every clip came through." if library.clips else "Nothing."
        parts.append(f"<p>{words}</p>")
    parts += _list(library, failed)
    if missed:
        parts.append("<h2>Written, but a goal missed</h2>")
        parts += _list(library, missed)
    parts.append("</section>")
    return "".join(parts)


def notes_html(library: Library) -> str:
    """What was said of clips, the most frequent first."""
    shown = library.notes[:MOST_NOTES]
    if not shown:
        return ""
    parts = ["<h3>Said of clips</h3>", *(_cause_html(library, cause, None) for cause in shown)]
    left = len(library.notes) - len(shown)
    if left:
        parts.append(f"<p>And {count(left)} more that are rarer.</p>")
    return "".join(parts)


def _list(library: Library, causes: Sequence[tuple[int, Cause]]) -> list[str]:
    parts = [_cause_html(library, cause, n) for n, cause in causes[:MOST_CAUSES]]
    rest = causes[MOST_CAUSES:]
    if rest:
        many = clips(sum(len(cause.clips) for _, cause in rest))
        parts.append(f"<p>And {count(len(rest))} more causes, of {many}; see the table.</p>")
    return parts


def _cause_html(library: Library, cause: Cause, place: int | None) -> str:
    shown = cause.clips[:MOST_NAMES]
    items = "".join(
        f"<li>{escape(library.clips[n])}{_own_words(library, cause, n, place)}</li>" for n in shown
    )
    left = len(cause.clips) - len(shown)
    more = f"<li>and {clips(left)} more</li>" if left else ""
    chip = link = ""
    if place is not None:
        color, words = status_class(cause.status), status_words(cause.status)
        chip = f'<span class="chip {color}">{escape(words)}</span> '
        link = f'<p class="scripted"><a href="#cause={place}">Show them in the table</a></p>'
    return (
        f'<details class="cause"><summary><b class="many">{count(len(cause.clips))}</b> {chip}'
        f'<span class="why">{escape(cause.words)}</span></summary>'
        f"{link}<ul>{items}{more}</ul></details>"
    )


def _own_words(library: Library, cause: Cause, clip: int, place: int | None) -> str:
    if cause.is_one or place is None or not library.reasons[clip]:
        return ""
    return f" <small>{escape(library.reasons[clip])}</small>"
