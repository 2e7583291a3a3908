"""The page: words, table, pictures and charts in one HTML file that asks nothing of the network."""

from __future__ import annotations

import base64
import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from poise.apps.report.figure_box import FigureBox
from poise.apps.report.style import STYLE
from poise.apps.report.words import GROUPS, Figure, number, unit_words

MARKS = {"good": "✓", "fair": "~", "poor": "!"}
CHANGES = {"better": "▲ better", "worse": "▼ worse", "same": "= same"}


@dataclass(frozen=True)
class Picture:
    """A picture inside the page."""

    png: bytes
    caption: str
    width: int
    height: int


@dataclass(frozen=True)
class Page:
    """All that the page shows."""

    title: str
    against: str
    """What the original is called; empty when there is none."""
    facts: tuple[tuple[str, str], ...]
    """What is reported on, as pairs of words."""
    summary: tuple[str, ...]
    """Sentences that say it all in short."""
    pictures: tuple[Picture, ...]
    figures: tuple[Figure, ...]
    charts: tuple[FigureBox, ...]
    notes: tuple[str, ...]
    version: str


def page_html(page: Page) -> str:
    """The whole file."""
    body = "".join(
        [
            _header(page),
            *(_picture(p) for p in page.pictures),
            _table(page),
            '<section aria-label="Charts"><h2>Frame by frame</h2><div class="charts">',
            *(box.html() for box in page.charts),
            "</div></section>",
            _notes(page),
        ]
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(page.title)} · Poise report</title>"
        f"<style>{STYLE}</style></head><body><main>{body}</main></body></html>\n"
    )


def _header(page: Page) -> str:
    facts = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in page.facts
    )
    summary = "".join(f"<p>{escape(sentence)}</p>" for sentence in page.summary)
    kicker = "Poise report"
    if page.against:
        kicker += f" · compared with {escape(page.against)}"
    return (
        f'<header><p class="kicker">{kicker}</p><h1>{escape(page.title)}</h1>'
        f'<dl class="facts">{facts}</dl><div class="summary">{summary}</div></header>'
    )


def _picture(picture: Picture) -> str:
    data = base64.b64encode(picture.png).decode("ascii")
    caption = escape(picture.caption)
    return (
        f'<figure class="strip"><div class="scroll" tabindex="0">'
        f'<img src="data:image/png;base64,{data}" width="{picture.width}" '
        f'height="{picture.height}" alt="{caption}"></div><figcaption>{caption}</figcaption>'
        "</figure>"
    )


def _table(page: Page) -> str:
    parts = ['<section aria-label="Figures"><h2>In figures</h2>']
    for group in GROUPS:
        rows = [f for f in page.figures if f.group == group]
        if not rows:
            continue
        parts.append(f'<div class="group"><h3>{escape(group)}</h3><ul class="figures">')
        parts += [_row(row) for row in rows]
        parts.append("</ul></div>")
    parts.append("</section>")
    return "".join(parts)


def _row(row: Figure) -> str:
    unit = f' <span class="unit">{escape(unit_words(row.unit))}</span>' if row.unit else ""
    # What has no unit is a count.
    say = number if row.unit else _count
    value = f'<b class="value">{escape(say(row.value))}{unit}</b>'
    if row.before is not None:
        was = escape(say(row.before))
        value = f'<span class="before">{was}</span><span class="to">→</span>{value}'
    extra = ""
    if row.under_input_contacts is not None:
        under = escape(say(row.under_input_contacts))
        extra = f"<small>{under} with the contacts of the input</small>"
    chips = ""
    if row.verdict:
        chips += f'<span class="chip {row.verdict}">{MARKS[row.verdict]} {row.verdict}</span>'
    if row.change:
        chips += f'<span class="chip {row.change}">{CHANGES[row.change]}</span>'
    return (
        f'<li><div class="what"><span class="name">{escape(row.name)}</span>'
        f'<span class="about">{escape(row.about)}</span></div>'
        f'<div class="how">{value}{extra}</div><div class="chips">{chips}</div></li>'
    )


def _count(value: float) -> str:
    return f"{value:.0f}" if math.isfinite(value) else "–"


def _notes(page: Page) -> str:
    rules = (
        "Good, fair and poor are rules of thumb: good is what clean captures of people reach, poor "
        "is what a viewer notices or a body could not do. A dash means that there was nothing to "
        "measure."
    )
    lines: Sequence[str] = (*page.notes, rules)
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return (
        f'<section class="notes"><h2>How this was measured</h2><ul>{items}</ul>'
        f"<p>Made by Poise {escape(page.version)}.</p></section>"
    )
