"""One page about a learned pattern: its motions, how they differ, and when things happen."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np

from poise.apps.report.charts import Bar, Chart, Dot, Key, Row
from poise.apps.report.page import Page, page_html
from poise.apps.report.words import listed
from poise.arrays import Array, Indices
from poise.formats import atomic_write
from poise.methods.pattern import EventRule, Pattern, styles_of
from poise.wording import counted

MANY = 12
"""From so many motions on, their plot takes the page's width."""
MOST_BARS = 40
NEARLY_ALL = 0.999
"""Components after those that explain this share have no bars of their own."""
COLORS = ("blue", "orange", "green", "vermilion", "purple")
"""Of the parts of a motion, in turn."""
_WORTH_LEAVING_OUT = 5
"""Letters that names have in common."""
_MOST_LISTED = 5
_TURNS_RAD = 1e-9
"""A joint that differs by less does not differ."""


def write_pattern_page(pattern: Pattern, path: Path, name: str) -> None:
    """Write the page of a pattern.

    Raises:
        FileProblem: what the system refuses.
    """
    # A file's name need not be text; what is not is shown as a question mark.
    atomic_write(path, pattern_html(pattern, name).encode("utf-8", "replace"))


def pattern_html(pattern: Pattern, name: str) -> str:
    """One self-contained page about a pattern."""
    styles = styles_of(pattern.coefficients)
    many = len(pattern.examples) > MANY
    charts = (
        coefficient_chart(pattern, styles, wide=many),
        share_chart(pattern),
        timing_chart(pattern, wide=not many),
    )
    facts, summary = _facts(pattern), _summary(pattern, styles)
    content = {"charts": charts, **_table(pattern, styles)}
    return page_html(
        Page("pattern", name, "Poise pattern", facts, summary, _notes(pattern), content)
    )


def coefficient_chart(pattern: Pattern, styles: Indices, *, wide: bool = False) -> Chart:
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
    groups = range(int(styles.max()) + 1) if styles.any() else ()
    legend = [Key(f"style {n + 1}", str(n), "dot") for n in groups]
    return Chart(
        "dots", "Where the motions lie", about, *labels, dots=dots, legend=legend, wide=wide
    )


def share_chart(pattern: Pattern) -> Chart:
    """How much of the variance the first components explain (Fig. 5, Eq. 4)."""
    shares = pattern.shares[: min(pattern.components_for(NEARLY_ALL), MOST_BARS)]
    rows: list[Row] = []
    before = 0.0
    for n, share in enumerate(shares.tolist()):
        color, said = "blue" if n < pattern.used else "idle", _percent(share)
        words = f"{counted(n + 1, 'component')}: {said}"
        old, new = (
            Bar(100 * a, 100 * b, c, words)
            for a, b, c in ((0.0, before, f"{color} pale"), (before, share, color))
        )
        rows.append(Row(str(n + 1), (old, new), end=said))
        before = share
    about = (
        "The more components, the more of the differences (Eq. 4). The solid end is what one adds."
    )
    more = len(pattern.shares) - len(shares)
    if more:
        about += f" {counted(more, 'component')} after these: {_percent(1.0 - before)} together."
    legend = [Key("used by edits", "blue")]
    if pattern.used < len(shares):
        legend.append(Key("left out by edits", "idle"))
    return Chart(
        "rows",
        "What components explain",
        about,
        "explained share of the variance (%)",
        "components",
        (0.0, 116.0),
        rows=rows,
        legend=legend,
    )


def timing_chart(pattern: Pattern, *, wide: bool = False) -> Chart:
    """How long every motion takes from one event to the next, and the pattern."""
    rows = [("the pattern", pattern.knots / pattern.rate_hz)]
    for example in pattern.examples[:MOST_BARS]:
        own = example.warp.to_own(pattern.knots)
        rows.append((example.name, (own - own[0]) / example.rate_hz))
    spans = [f"{a} to {b}" for a, b in pairwise(_knot_names(pattern))]
    colors = [COLORS[n % len(COLORS)] for n in range(len(spans))]
    shown = [
        Row(
            name,
            tuple(
                Bar(a, b, color, f"{name}, {span}: {b - a:.2f} s")
                for (a, b), color, span in zip(pairwise(times.tolist()), colors, spans, strict=True)
            ),
            end=f"{times[-1]:.2f} s",
        )
        for name, times in rows
    ]
    longest = 1.16 * max(float(times[-1]) for _, times in rows)
    about = "Every motion is stretched to the pattern, part by part; the table has the frames."
    if len(pattern.examples) > MOST_BARS:
        about += f" The first {MOST_BARS} are shown."
    legend = [Key(span, color) for span, color in zip(spans, colors, strict=True)]
    return Chart(
        "rows",
        "How long the parts take",
        about,
        "time (s)",
        "motion",
        (0.0, longest),
        rows=shown,
        legend=legend,
        wide=wide,
    )


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


def _knot_names(pattern: Pattern) -> list[str]:
    """What happens at the knots: an event, or a clip's start or end."""
    named = {frame: name for name, frame in pattern.events}
    ends = {0: "start", pattern.frame_count - 1: "end"}
    return [{**ends, **named}[round(knot)] for knot in pattern.knots.tolist()]


def _facts(pattern: Pattern) -> list[tuple[str, str]]:
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
    return facts


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
        several = listed([str(size) for size in sizes])
        if len(sizes) > _MOST_LISTED:
            several = f"{min(sizes)} to {max(sizes)}"
        sentences.append(f"{len(sizes)} styles stand out, of {several} motions.")
    elif len(styles) >= 4:
        sentences.append("No styles stand out: the motions do not fall into clear groups.")
    return sentences


def _table(pattern: Pattern, styles: Indices) -> dict[str, object]:
    """Every motion, and its frames at the moments that all motions share."""
    heads = ["motion", "frames", "rate (Hz)"]
    heads += [f"{name} (frame)" for name in _knot_names(pattern)]
    mean = ["the pattern", str(pattern.frame_count), f"{pattern.rate_hz:g}"]
    rows = [[*mean, *_frames(pattern.knots), "–"]]
    for example in pattern.examples:
        cells = [example.name, str(example.frame_count), f"{example.rate_hz:g}"]
        rows.append(
            [*cells, *_frames(example.warp.to_own(pattern.knots)), f"{example.away_deg:.1f}"]
        )
    return {
        "heads": [*heads, "from the mean (degrees)"],
        "rows": rows,
        "styles": styles if styles.any() else None,
    }


def _frames(knots: Array) -> list[str]:
    return [f"{knot:.1f}".removesuffix(".0") for knot in knots.tolist()]


def _notes(pattern: Pattern) -> list[str]:
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
    return [*lines, "After Carvalho, Boulic and Thalmann 2007."]


def _rule_words(rule: EventRule) -> str:
    """How an event is found, as a sentence."""
    does = {"starts": "leaves rest", "stops": "comes to rest"}.get(rule.kind, f"is {rule.kind}")
    words = f"Event {rule.name}: where {rule.point} {does}"
    if rule.near is not None:
        words += f", near where it is {rule.near}"
    for word, event in (("after", rule.after), ("before", rule.before)):
        words += f", {word} {event}" if event is not None else ""
    return f"{words}."
