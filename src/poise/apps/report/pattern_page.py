"""One page about a learned pattern: its motions, how they differ, and when things happen."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import pairwise
from pathlib import Path

import numpy as np

from poise import __version__
from poise.apps.report.chart_frame import (
    BOTTOM,
    TOP,
    WIDTH,
    Frame,
    frame_svg,
    svg,
    text_svg,
)
from poise.apps.report.figure_box import Entry, FigureBox
from poise.apps.report.scatter_chart import (
    COLORS,
    Dot,
    mark,
    scatter_chart,
    shortened,
    shown_width,
)
from poise.apps.report.scatter_chart import STYLE as SCATTER_STYLE
from poise.apps.report.style import STYLE
from poise.apps.report.ticks import Ticks
from poise.arrays import Array, Indices
from poise.formats import atomic_write
from poise.methods.pattern import EventRule, Pattern, styles_of
from poise.wording import counted

MANY = 12
"""From so many motions on, their plot takes the page's width."""
MOST_BARS = 40
NEARLY_ALL = 0.999
"""Components after those that explain this share have no bars of their own."""
ROW = 20.0
_WORTH_LEAVING_OUT = 5
"""Letters that names have in common."""
_MOST_LISTED = 5
_TURNS_RAD = 1e-9
"""A joint that differs by less does not differ."""

TABLE_STYLE = """
.table{overflow-x:auto;padding-bottom:12px}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{padding:5px 0 5px 20px;border-top:1px solid var(--line);text-align:right;white-space:nowrap}
thead th{border:0;color:var(--soft);font-weight:400;font-size:.84rem;vertical-align:bottom}
tbody th{font-weight:400}tr.mean>*{font-weight:600}
th:first-child{padding-left:0;text-align:left;white-space:normal;overflow-wrap:anywhere;
min-width:7em}
.fill.green{fill:var(--green)}.fill.purple{fill:var(--purple)}.fill.idle{fill:var(--soft)}
.fill.pale{fill-opacity:.35}.key.idle{--k:var(--soft)}
"""


def write_pattern_page(pattern: Pattern, path: Path, name: str) -> None:
    """Write the page of a pattern.

    Raises:
        FileProblem: what the system refuses.
    """
    # A file's name need not be text; what is not is shown as a question mark.
    atomic_write(path, pattern_html(pattern, name).encode("utf-8", "replace"))


def pattern_html(pattern: Pattern, name: str) -> str:
    """One self-contained page about a pattern.

    Args:
        pattern: what was learned.
        name: what it is called.
    """
    styles = styles_of(pattern.coefficients)
    many = len(pattern.examples) > MANY
    charts = (
        coefficient_chart(pattern, styles, wide=many),
        share_chart(pattern),
        timing_chart(pattern, wide=not many),
    )
    body = "".join(
        [
            _header(pattern, styles, name),
            '<section aria-label="Charts"><h2>How the motions differ</h2><div class="charts">',
            *(box.html() for box in charts),
            "</div></section>",
            '<section aria-label="Motions"><h2>Motion by motion</h2>',
            _table(pattern, styles),
            "</section>",
            _notes(pattern),
        ]
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(name)} · Poise pattern</title>"
        f"<style>{STYLE}{SCATTER_STYLE}{TABLE_STYLE}</style></head>"
        f"<body><main>{body}</main></body></html>\n"
    )


def coefficient_chart(pattern: Pattern, styles: Indices, *, wide: bool = False) -> FigureBox:
    """The first two coefficients of every motion (Fig. 6), or the only one."""
    scale, unit = _readable(pattern)
    shown = pattern.coefficients[:, :2]
    if shown.shape[1] < 2:
        shown = np.column_stack([shown[:, 0], np.zeros(len(shown))])
        labels = (f"the only coefficient ({unit})", "")
        about = "Every motion's coefficient"
    else:
        labels = (f"first coefficient ({unit})", f"second coefficient ({unit})")
        about = "Every motion's first two coefficients"
    begins = _common_beginning(pattern) if wide else ""
    dots = [
        Dot(each.name.removeprefix(begins), x, y, int(style), _in_deviations(pattern, i))
        for i, (each, (x, y), style) in enumerate(
            zip(pattern.examples, (scale * shown).tolist(), styles, strict=True)
        )
    ]
    about += "; the mean motion is at zero. Scaled so that distances are differences between "
    about += (
        "motions: of joints, as in the table (a metre of the root counts as a radian)."
        if unit == "degrees"
        else "motions: of the root's place, root mean square."
    )
    if begins:
        about += f" Names are without their common beginning, {begins!r}."
    groups = [f"style {n + 1}" for n in range(int(styles.max()) + 1)] if styles.any() else []
    return scatter_chart("Where the motions lie", about, dots, labels, groups=groups, wide=wide)


def share_chart(pattern: Pattern) -> FigureBox:
    """How much of the variance the first components explain (Fig. 5, Eq. 4)."""
    shares = pattern.shares[: min(pattern.components_for(NEARLY_ALL), MOST_BARS)]
    height = TOP + ROW * len(shares) + BOTTOM
    labels = ("explained share of the variance (%)", "components")
    frame = Frame((0.0, 116.0), (0.0, float(len(shares))), *labels, WIDTH, height)
    parts = [frame_svg(frame, y_ticks=Ticks((), ()))]
    left, before = frame.inner[0], 0.0
    for n, share in enumerate(shares.tolist()):
        color = "blue" if n < pattern.used else "idle"
        top, said = TOP + ROW * n, _percent(share)
        parts.append(text_svg(left - 6, top + 0.5 * ROW + 4, str(n + 1), "end", "tick"))
        words = f"{counted(n + 1, 'component')}: {said}"
        start, middle, end = (float(frame.x(np.array(100 * s))) for s in (0.0, before, share))
        parts.append(_bar_svg(start, middle, top + 3, f"{color} pale", words))
        parts.append(_bar_svg(middle, end, top + 3, color, words))
        parts.append(text_svg(end + 5, top + 0.5 * ROW + 4, said, "start", "note"))
        before = share
    about = (
        "The more components, the more of the differences (Eq. 4). The solid end is what one adds."
    )
    more = len(pattern.shares) - len(shares)
    if more:
        about += f" {counted(more, 'component')} after these: {_percent(1.0 - before)} together."
    legend = [Entry("used by edits", "blue", "area")]
    if pattern.used < len(shares):
        legend.append(Entry("left out by edits", "idle", "area"))
    svg_text = svg(frame, parts, f"What components explain. {about}")
    return FigureBox("What components explain", about, svg_text, tuple(legend))


def timing_chart(pattern: Pattern, *, wide: bool = False) -> FigureBox:
    """How long every motion takes from one event to the next, and the pattern."""
    rows = [("the pattern", pattern.knots / pattern.rate_hz)]
    for example in pattern.examples[:MOST_BARS]:
        own = example.warp.to_own(pattern.knots)
        rows.append((example.name, (own - own[0]) / example.rate_hz))
    width = 2.0 * WIDTH if wide else WIDTH
    height = TOP + ROW * len(rows) + BOTTOM
    names = [shortened(name) for name, _ in rows]
    room = max(shown_width(name) for name in names) + 10.0
    longest = 1.16 * max(float(times[-1]) for _, times in rows)
    ends = (0.0, longest)
    frame = Frame(ends, (0.0, float(len(rows))), "time (s)", "motion", width, height, room)
    parts = [frame_svg(frame, y_ticks=Ticks((), ()))]
    spans = _spans(pattern)
    for place, (name, times) in enumerate(rows):
        top = TOP + ROW * place
        parts.append(text_svg(room - 6, top + 0.5 * ROW + 4, names[place], "end", "tick"))
        edges = frame.x(times).tolist()
        for n, span in enumerate(spans):
            said = f"{name}, {span}: {times[n + 1] - times[n]:.2f} s"
            color = COLORS[n % len(COLORS)]
            parts.append(_bar_svg(edges[n], edges[n + 1] - 1.0, top + 3, color, said))
        words = f"{times[-1]:.2f} s"
        parts.append(text_svg(edges[-1] + 5, top + 0.5 * ROW + 4, words, "start", "note"))
    about = "Every motion is stretched to the pattern, part by part; the table has the frames."
    if len(pattern.examples) > MOST_BARS:
        about += f" The first {MOST_BARS} are shown."
    legend = tuple(Entry(s, COLORS[n % len(COLORS)], "area") for n, s in enumerate(spans))
    title = "How long the parts take"
    return FigureBox(title, about, svg(frame, parts, f"{title}. {about}"), legend, wide)


def _readable(pattern: Pattern) -> tuple[float, str]:
    """What a coefficient is multiplied by to be a difference in degrees, and that unit.

    A motion's vector has a row for every frame and joint: its length over the root of their number
    is how far joints are turned, root mean square. Where no joint turns, it is the root's way.
    """
    furthest = np.abs(pattern.components).max(axis=(1, 3)) * pattern.deviations[:, None]
    joints = int((furthest[:, 1:].max(axis=0) > _TURNS_RAD).sum())
    if not joints:
        return 100.0 / float(np.sqrt(pattern.frame_count)), "cm"
    return float(np.degrees(1.0 / np.sqrt(pattern.frame_count * joints))), "degrees"


def _common_beginning(pattern: Pattern) -> str:
    """What all names begin with, up to a mark between words; short ones do not count."""
    names = [example.name for example in pattern.examples]
    shared = min(names, key=len)
    while shared and (shared[-1].isalnum() or not all(n.startswith(shared) for n in names)):
        shared = shared[:-1]
    return "" if shared in names or len(shared) < _WORTH_LEAVING_OUT else shared


def _in_deviations(pattern: Pattern, motion: int) -> str:
    scaled = pattern.coefficients[motion, :2] / pattern.deviations[:2]
    words = " and ".join(f"{value:+.2f}" for value in scaled.tolist())
    return f"{pattern.examples[motion].name}: {words} deviations"


def _percent(share: float) -> str:
    """Whole per cents; near all, one digit more, and all only if it is."""
    percent = 100.0 * share
    if percent < 0.1:
        return "under 0.1 %"
    if 99.0 <= percent < 100.0 - 1e-9:
        return f"{min(percent, 99.9):.1f} %"
    return f"{percent:.1f} %" if percent < 1.0 else f"{percent:.0f} %"


def _bar_svg(left: float, right: float, top: float, color: str, said: str) -> str:
    return (
        f'<rect class="fill {color}" x="{left:.1f}" y="{top:.1f}" '
        f'width="{max(right - left, 0.0):.1f}" height="{ROW - 6:g}">'
        f"<title>{escape(said)}</title></rect>"
    )


def _knot_names(pattern: Pattern) -> list[str]:
    """What happens at the knots: an event, or a clip's start or end."""
    named = {frame: name for name, frame in pattern.events}
    ends = {0: "start", pattern.frame_count - 1: "end"}
    return [{**ends, **named}[round(knot)] for knot in pattern.knots.tolist()]


def _spans(pattern: Pattern) -> list[str]:
    names = _knot_names(pattern)
    return [f"{a} to {b}" for a, b in pairwise(names)]


def _header(pattern: Pattern, styles: Indices, name: str) -> str:
    seconds = (pattern.frame_count - 1) / pattern.rate_hz
    facts = [
        ("motions", str(len(pattern.examples))),
        ("length", f"{pattern.frame_count} frames, {seconds:.2f} s at {pattern.rate_hz:g} Hz"),
        ("joints", str(pattern.skeleton.joint_count)),
        ("components", f"{len(pattern.variances)}, of which edits use {pattern.used}"),
        ("events", ", ".join(event for event, _ in pattern.events) or "none"),
    ]
    if pattern.tools:
        facts.append(("held", ", ".join(tool.name for tool in pattern.tools)))
    shown = "".join(f"<div><dt>{a}</dt><dd>{escape(b)}</dd></div>" for a, b in facts)
    summary = "".join(f"<p>{escape(sentence)}</p>" for sentence in _summary(pattern, styles))
    return (
        f'<header><p class="kicker">Poise pattern</p><h1>{escape(name)}</h1>'
        f'<dl class="facts">{shown}</dl><div class="summary">{summary}</div></header>'
    )


def _summary(pattern: Pattern, styles: Indices) -> list[str]:
    shares = pattern.shares
    sentences = ["All that differs between the motions lies along one component."]
    if len(shares) > 1:
        sentences = [
            f"The first component explains {_percent(float(shares[0]))} of what differs between "
            f"the motions, the first two {_percent(float(shares[1]))}; 95 % takes "
            f"{pattern.components_for(0.95)} of {len(shares)} components."
        ]
    furthest = max(pattern.examples, key=lambda example: example.away_deg)
    if len(pattern.examples) > 2:
        sentences.append(
            f"Furthest from the mean motion is {furthest.name}: joints are turned by "
            f"{furthest.away_deg:.1f} degrees against it, root mean square."
        )
    sizes = np.bincount(styles).tolist()
    if len(sizes) > 1:
        several = _listed([str(size) for size in sizes])
        if len(sizes) > _MOST_LISTED:
            several = f"{min(sizes)} to {max(sizes)}"
        sentences.append(f"{len(sizes)} styles stand out, of {several} motions.")
    elif len(styles) >= 4:
        sentences.append("No styles stand out: the motions do not fall into clear groups.")
    return sentences


def _listed(words: Sequence[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}"


def _table(pattern: Pattern, styles: Indices) -> str:
    """Every motion, and its frames at the moments that all motions share."""
    heads = ["motion", "frames", "rate (Hz)"]
    heads += [f"{name} (frame)" for name in _knot_names(pattern)]
    heads.append("from the mean (degrees)")
    if styles.any():
        heads.append("style")
    mean = ["the pattern", str(pattern.frame_count), f"{pattern.rate_hz:g}"]
    mean += [*_frames(pattern.knots), "–"] + ["–"] * bool(styles.any())
    rows = [f'<tr class="mean">{_cells(mean)}</tr>']
    for example, style in zip(pattern.examples, styles.tolist(), strict=True):
        cells = [example.name, str(example.frame_count), f"{example.rate_hz:g}"]
        cells += [*_frames(example.warp.to_own(pattern.knots)), f"{example.away_deg:.1f}"]
        key = f'<td><i class="key dot {mark(style)}"></i>{style + 1}</td>' if styles.any() else ""
        rows.append(f"<tr>{_cells(cells)}{key}</tr>")
    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in heads)
    return (
        '<div class="group table" tabindex="0">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _cells(texts: Sequence[str]) -> str:
    rest = "".join(f"<td>{escape(text)}</td>" for text in texts[1:])
    return f'<th scope="row">{escape(texts[0])}</th>{rest}'


def _frames(knots: Array) -> list[str]:
    return [f"{knot:.1f}".removesuffix(".0") for knot in knots.tolist()]


def _notes(pattern: Pattern) -> str:
    first, last = pattern.span
    lines = [_rule_words(rule) for rule in pattern.rules]
    if not pattern.events:
        lines.append("No events: motions are stretched to one length, and that is all.")
    elif not pattern.rules:
        lines.append("Events were given as frames; in a clip to edit they must be given too.")
    if first is not None or last is not None:
        lines.append(
            f"Clips count from {first or 'their start'} to {last or 'their end'}; what lies "
            "before and after is not part of the pattern."
        )
    for tool in pattern.tools:
        place = ", ".join(f"{v:.3f}".replace("-", "−") for v in np.asarray(tool.place_m).tolist())
        weight = f", {tool.mass_kg:g} kg" if tool.mass_kg else ", without weight"
        lines.append(f"Held: {tool.name}, at ({place}) m in the axes of {tool.on}{weight}.")
    lines += pattern.notes
    lines.append(
        "Degrees from the mean are root mean squares over all frames and all joints that differ."
    )
    if len(pattern.examples) >= 4:
        lines.append(
            "Styles are clusters of the first two coefficients, as many as are told apart best; "
            "where none are told apart well there are none."
        )
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return (
        f'<section class="notes"><h2>How this was learned</h2><ul>{items}</ul>'
        "<p>After Carvalho, Boulic and Thalmann 2007. "
        f"Made by Poise {escape(__version__)}.</p></section>"
    )


def _rule_words(rule: EventRule) -> str:
    """How an event is found, as a sentence."""
    does = {"starts": "leaves rest", "stops": "comes to rest"}.get(rule.kind, f"is {rule.kind}")
    words = f"Event {rule.name}: where {rule.point} {does}"
    if rule.near is not None:
        words += f", near where it is {rule.near}"
    for word, event in (("after", rule.after), ("before", rule.before)):
        words += f", {word} {event}" if event is not None else ""
    return f"{words}."
