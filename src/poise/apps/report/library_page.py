"""One page about a batch of clips: what came through, what failed, what got better, what to see."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import Any

import numpy as np

from poise import __version__
from poise.apps.report.library_cause_list import failures_html, notes_html
from poise.apps.report.library_columns import Library, as_text, read_library
from poise.apps.report.library_figures import figures_html
from poise.apps.report.library_header import clips, header_html
from poise.apps.report.library_table import data_html, table_html
from poise.apps.report.style import STYLE

_RULES = (
    "Good, fair and poor are rules of thumb: good is what clean captures of people reach, poor "
    "is what a viewer notices or a body could not do. A dash or a gap means that there was nothing "
    "to measure.",
    "Better and worse are changes by more than 3 %, as in a clip's own report.",
    "Figures of clips that were written count; a clip that failed has none.",
)


def library_html(
    rows: Iterable[Mapping[str, Any]],
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
    script, style = _text("library_table.js"), STYLE + _text("library_page.css")
    body = "".join(
        [
            header_html(library, title, recipe),
            '<nav class="jump" aria-label="On this page"><a href="#failures">Failures</a>'
            '<a href="#figures">Before and after</a><a href="#clips">Clips, the worst first</a>'
            "</nav>",
            failures_html(library),
            figures_html(library),
            table_html(library),
            _notes(library, notes),
        ]
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(script)}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(as_text(title))} · Poise library report</title>"
        f"<style>{style}</style></head><body><main>{body}</main>"
        f"{data_html(library)}<script>{script}</script></body></html>\n"
    )


def _text(name: str) -> str:
    return files("poise.apps.report").joinpath(name).read_text(encoding="utf-8")


def _policy(script: str) -> str:
    """Nothing is loaded from anywhere, and no script runs but the page's own."""
    own = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    return (
        f"default-src 'none'; script-src 'sha256-{own}'; style-src 'unsafe-inline'; "
        "base-uri 'none'; form-action 'none'"
    )


def _notes(library: Library, notes: Sequence[str]) -> str:
    lines = [*(as_text(note) for note in notes)]
    again = int((library.attempts > 1).sum())
    if again:
        lines.append(f"{clips(again)} took more than one attempt.")
    for what, found in (("versions of Poise", library.versions), ("recipes", library.recipes)):
        if len(found) > 1:
            short = ", ".join(text[:12] for text in found[:6])
            lines.append(f"These clips come from {len(found)} {what}: {short}.")
    without = library.done - _measured(library)
    if without:
        lines.append(f"{clips(without)} of those written have no figures.")
    items = "".join(f"<li>{escape(line)}</li>" for line in (*lines, *_RULES))
    return (
        f'<section class="notes"><h2>Notes</h2><ul>{items}</ul>{notes_html(library)}'
        f"<p>Made by Poise {escape(__version__)}.</p></section>"
    )


def _measured(library: Library) -> int:
    """How many done clips have any figure."""
    known = np.zeros(library.done, dtype=np.bool_)
    for figures in library.figures:
        known |= np.isfinite(figures.before) | np.isfinite(figures.after)
    return int(known.sum())
