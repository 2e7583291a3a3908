"""How a recipe went: lines for a terminal, notes and a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from poise.contact import intervals
from poise.job import Outcome, Recipe, Step
from poise.measures import Evaluation
from poise.methods import ConstraintReport, Result, status_words
from poise.methods.correct import Settings as CorrectSettings
from poise.methods.momentum import Captured, MomentumReport, StageReport, captured_rise_m
from poise.methods.retarget import RetargetReport, Stage
from poise.wording import counted

_TITLES = ("constraint", "kind", "layer", "frames", "worst", "")

_NOTHING = 0.005
"""Millimetres or degrees below which a distance is shown as 0.00."""


@dataclass(frozen=True)
class _Line:
    """How one constraint fared; it may have both a distance and an angle to keep."""

    name: str
    kind: str
    layer: str
    frames: str
    worst: str
    met: bool


def outcome_lines(recipe: Recipe, outcome: Outcome) -> list[str]:
    """What each step did, a table of its constraints, and how it ended."""
    clip = outcome.prepared.clip
    lines: list[str] = []
    for step, result in zip(recipe.steps, outcome.results, strict=True):
        frames = f"{counted(clip.frame_count, 'frame')} at {clip.rate_hz:g} Hz"
        if isinstance(step.settings, CorrectSettings):
            lines.append(f"correct ({step.settings.preset}): {frames}")
            lines += [f"  {line}" for line in _contacts(result)]
        elif isinstance(result.report, RetargetReport):
            lines.append(f"retarget: {frames}")
            lines += [f"  {each.name}: {_ending(each)}" for each in result.report.stages]
        else:
            wishes = counted(len(step.constraints), "constraint")
            lines.append(f"{step.method}: {wishes} on {frames}")
            lines += [f"  {line}" for line in _table(_lines(step, result))]
        if isinstance(result.report, MomentumReport):
            lines += [f"  {line}" for line in result_lines(result.report.stages)]
        lines.append(_ending(result))
        clip = result.clip
    return lines


def constraint_notes(recipe: Recipe, outcome: Outcome) -> list[str]:
    """The same for the notes of a report."""
    notes: list[str] = []
    for step, result in zip(recipe.steps, outcome.results, strict=True):
        notes.append(_ending(result))
        notes += [
            f"{line.name} ({line.kind}, layer {line.layer}, frames {line.frames}): at worst "
            f"{line.worst} off{'' if line.met else '; not met'}"
            for line in _lines(step, result)
        ]
    return notes


def outcome_page(recipe: Recipe, outcome: Outcome, found: Evaluation, name: str) -> str:
    """A report about an edited clip beside what it was made from."""
    from poise.apps.report.build import report_html
    from poise.apps.report.contact_doubts import unknown_carriers

    said = (*constraint_notes(recipe, outcome), *outcome.notes, *found.notes)
    before = outcome.start
    original = Path(before.source.path).name if before.source else before.name
    unknown = unknown_carriers(outcome.results)
    return report_html(found, name, against=original or "the original", notes=said, unknown=unknown)


def _contacts(result: Result[object]) -> list[str]:
    """What touches how often, for what share of the time, and how much of it sliding.

    Slides are said because a method may let a part slide that it was told stands.
    """
    found = result.contacts
    if found is None:
        return []
    touching = [part for part in found.parts if found.column(part).any()]
    width = max(map(len, touching), default=0)
    lines: list[str] = []
    for part in touching:
        times, share = len(intervals(found.column(part))), 100 * found.column(part).mean()
        line = f"{part:<{width}}  touches {counted(times, 'time')}, {share:.0f} % of frames"
        slides = int((found.column(part) & ~found.standing(part)).sum())
        lines.append(f"{line}, sliding in {slides} of them" if slides else line)
    return lines or ["nothing touches"]


def _ending(result: Result[object] | Stage) -> str:
    return f"{status_words(result.status)}: {result.summary}"


def _table(lines: list[_Line]) -> list[str]:
    rows = [
        (each.name, each.kind, each.layer, each.frames, each.worst, "" if each.met else "not met")
        for each in lines
    ]
    return _laid_out([_TITLES, *rows]) if rows else []


def _laid_out(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _lines(step: Step, result: Result[object]) -> list[_Line]:
    """One line a constraint, in the order of the recipe; some methods say nothing about them."""
    told: dict[str, list[ConstraintReport]] = {}
    for row in result.constraints:
        told.setdefault(row.name, []).append(row)
    return [_line(wish.name, wish.kind, told[wish.name]) for wish in step.constraints
            if wish.name in told]  # fmt: skip


def _line(name: str, kind: str, rows: list[ConstraintReport]) -> _Line:
    worst: dict[str, ConstraintReport] = {}
    for row in rows:
        if row.unit not in worst or row.worst > worst[row.unit].worst:
            worst[row.unit] = row
    first, last = min(row.first for row in rows), max(row.last for row in rows)
    return _Line(
        name=name,
        kind=kind,
        layer=str(rows[0].priority),
        frames=f"{first}-{last}",
        worst=", ".join(_amount(row) for row in worst.values()),
        met=all(row.met for row in rows),
    )


def _amount(row: ConstraintReport) -> str:
    if row.worst < _NOTHING:
        return f"0.00 {row.unit}"
    shown = f"{row.worst:.0f}" if row.worst >= 100 else f"{row.worst:.3g}"
    return f"{shown} {row.unit} (frame {row.worst_frame})"


def stage_lines(found: Captured) -> list[str]:
    """The stages of a clip as recipes count them."""
    rate, lines = found.clip.rate_hz, list[str]()
    for i, stage in enumerate(found.stages):
        lasts = f"frames {stage.first}-{stage.stop - 1}, {stage.frame_count / rate:.2f} s"
        if stage.kind == "ground":
            parts = ", ".join(part.replace("_", " ") for part in stage.parts)
            told = f"  ({parts})" if parts else ""
            lines.append(f"stage {found.ground.index(i)}   on the ground: {lasts}{told}")
        else:
            fell = found.seen_gravity_m_s2[i]
            lines.append(
                f"flight {found.flights.index(i)}  in the air: {lasts}, rises "
                f"{100 * captured_rise_m(found, i):.0f} cm, falls at {fell:.2f} m/s²"
            )
    return lines


def result_lines(stages: Sequence[StageReport]) -> list[str]:
    """What became of the stages."""
    lines: list[str] = []
    ground = flight = 0
    for each in stages:
        if each.kind == "ground":
            if each.moved_m > 0.0 or each.turned_deg != 0.0:
                lines.append(
                    f"stage {ground}: moved {100 * each.moved_m:.0f} cm, "
                    f"turned {each.turned_deg:.0f} degrees"
                )
            ground += 1
        else:
            lines.append(
                f"flight {flight}: {each.length_m:.2f} m far (was {each.captured_length_m:.2f}), "
                f"{100 * each.rise_m:.0f} cm high (was {100 * each.captured_rise_m:.0f}), "
                f"falls at {each.gravity_m_s2:.2f} m/s²"
            )
            flight += 1
    return lines
