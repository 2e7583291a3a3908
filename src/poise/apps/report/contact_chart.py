"""The chart of contacts: bars of the parts that touch, the paler the less sure they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from poise.apps.report.charts import Bar, Chart, Key, Lane, Row
from poise.apps.report.contact_doubts import (
    SURE,
    Doubt,
    Stretch,
    doubts_in_words,
    doubts_of,
    frames_in_words,
    part_name,
    unknown_in_words,
)
from poise.arrays import Array
from poise.contact import ContactSchedule, Series, intervals

LEVELS = (0.5, 0.65, SURE, 0.95)
"""Probabilities at which a bar gets paler,"""
STRENGTHS = (0.1, 0.25, 0.45, 0.7, 1.0)
"""and how much of its colour is left, from below the first of them to above the last."""
UNKNOWN = "something unknown"
MOST_PIECES = 1000
"""Of a row, about: a long clip has several frames in each."""


def contact_chart(
    series: Series, reference: ContactSchedule | None, unknown: Sequence[Stretch] = ()
) -> Chart:
    """Which parts touch when, as measured and as found in the original.

    Args:
        series: the clip.
        reference: the contacts of the original, where they are others.
        unknown: where something that is not known carries the body.
    """
    contacts, sure = series.contacts, series.contacts.confidence
    doubts = doubts_of(contacts)
    parts = _parts(contacts, reference, {doubt.part for doubt in doubts})
    times, step = series.times_s, 1.0 / series.clip.rate_hz

    def ends(stretch: Stretch) -> tuple[float, float]:
        return float(times[stretch[0]]), float(times[stretch[1] - 1]) + step

    def doubtful(part: str) -> tuple[Bar, ...]:
        return tuple(
            Bar(
                *ends((doubt.first, doubt.stop)), "vermilion",
                f"{part_name(part)} in doubt in {frames_in_words((doubt.first, doubt.stop))}: "
                f"{100.0 * doubt.least:.0f} % sure at least",
                "under",
            )
            for doubt in _joined([each for each in doubts if each.part == part], _grain(contacts))
        )  # fmt: skip

    rows: list[Row] = []
    for part in parts or ["left_foot", "right_foot"]:
        mine: Lane = "whole" if reference is None else "upper"
        bars = _bars(part, contacts, mine, times, step)
        if reference is not None:
            bars += _bars(part, reference, "lower", times, step)
        rows.append(Row(part_name(part), bars + doubtful(part)))
    legend = [Key("touching, as measured here", "blue")]
    if sure is not None:
        legend.append(Key("touching, less sure", "blue", "faint"))
    if doubts:
        legend.append(Key(f"in doubt (under {100 * SURE:.0f} % sure)", "vermilion", "line"))
    if reference is not None:
        legend.append(Key("found in the original", "orange"))
    about = "A bar is drawn while a part of the body touches the ground or another surface."
    if doubts and sure is not None:
        count = int((sure < SURE).any(axis=1).sum())
        about += f" Contacts in doubt, in {count} of {len(sure)} frames: {doubts_in_words(doubts)}."
    elif sure is not None:
        about += f" No contact is in doubt: each is at least {100 * SURE:.0f} % sure."
    if unknown:
        said = "something that is not known carries the body, "
        carried = [
            Bar(*ends(each), "purple", said + frames_in_words(each), look="hatched")
            for each in unknown
        ]
        rows.append(Row(UNKNOWN, tuple(carried)))
        legend.append(Key("carried by something that is not known", "purple", "hatched"))
        about += f" {unknown_in_words(unknown)}"
    whole, labels = (float(times[0]), float(times[-1]) + step), ("time (s)", "body part")
    return Chart("rows", "What touches when", about, *labels, whole, rows=rows, legend=legend)


def _parts(
    contacts: ContactSchedule, reference: ContactSchedule | None, doubtful: set[str]
) -> list[str]:
    """The parts that touch at some time, or may."""
    schedules = [contacts] + ([reference] if reference is not None else [])
    found = [
        p for p in contacts.parts if p in doubtful or any(s.column(p).any() for s in schedules)
    ]
    if reference is not None:
        found += [p for p in reference.parts if p not in found and reference.column(p).any()]
    return found


def _grain(schedule: ContactSchedule) -> int:
    """Frames that one piece has at least."""
    return max(1, schedule.frame_count // MOST_PIECES)


def _joined(doubts: Sequence[Doubt], gap: int) -> list[Doubt]:
    """Doubts of a part; those that are nearer to each other than `gap` frames are one."""
    found: list[Doubt] = []
    for doubt in doubts:
        if found and doubt.first - found[-1].stop < gap:
            last = found.pop()
            least, weight = min(last.least, doubt.least), last.weight + doubt.weight
            doubt = replace(last, stop=doubt.stop, least=least, weight=weight)
        found.append(doubt)
    return found


def _bars(
    part: str, schedule: ContactSchedule, lane: Lane, times: Array, step: float
) -> tuple[Bar, ...]:
    """The contacts of a part; one that is less sure in places has a rim and a fill in pieces."""
    color, words = ("orange", ", found in the input") if lane == "lower" else ("blue", "")
    column = schedule.column(part)[: len(times)]
    sure = None
    if schedule.confidence is not None and part in schedule.parts:
        sure = schedule.confidence[:, schedule.parts.index(part)]
    found: list[Bar] = []
    for first, stop in intervals(column):
        start, end = float(times[first]), float(times[stop - 1]) + step
        said = f"{part_name(part)}{words}: {start:.2f} to {end:.2f} s"
        if sure is None:
            found.append(Bar(start, end, color, said, lane))
            continue
        grains = np.arange(0, stop - first, _grain(schedule))
        lengths = np.diff(np.append(grains, stop - first))
        level = np.digitize(np.add.reduceat(sure[first:stop], grains) / lengths, LEVELS)
        changes = np.flatnonzero(np.diff(level, prepend=-1))
        edges = (first + grains[changes]).tolist()
        for a, b, one in zip(edges, [*edges[1:], stop], level[changes].tolist(), strict=True):
            here = f"{said}; {100.0 * sure[a:b].mean():.0f} % sure in {frames_in_words((a, b))}"
            strength = STRENGTHS[one]
            piece = float(times[a]), float(times[b - 1]) + step
            found.append(Bar(*piece, color, here, lane, strength=strength))
        if level.min() < len(LEVELS):
            found.append(Bar(start, end, color, said, lane, "rim"))
    return tuple(found)
