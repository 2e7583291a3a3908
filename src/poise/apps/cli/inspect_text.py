"""Inspection reports as text: rows of a label and a sentence, for a terminal or a pipe."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Literal

from poise.apps.inspection import CharacterReport, ClipReport, RoleReport
from poise.motion.cleanup import Finding
from poise.wording import counted, frame_list

_LISTED_RUNS = 8
_LABEL_WIDTH = 16


@dataclass(frozen=True)
class Row:
    """A label, what is to be said under it, and how loud."""

    label: str
    text: str
    tone: Literal["plain", "quiet", "warn", "good"] = "plain"


def clip_rows(report: ClipReport) -> list[Row]:
    """All there is to say about a clip."""
    rows = [
        Row("file", f"{report.file} ({report.format})"),
        Row(
            "time",
            f"{counted(report.frames, 'frame')} at {report.rate_hz:g} Hz, "
            f"{report.duration_s:.2f} s",
        ),
        Row(
            "skeleton",
            f"{counted(report.joints, 'joint')}, {report.freedoms} degrees of freedom, "
            f"{counted(report.end_sites, 'end site')}",
        ),
    ]
    if report.moving_joints:
        rows.append(Row("stretching", f"position channels on {', '.join(report.moving_joints)}"))
    rows += [
        Row("unit", f"1 unit = {report.unit_m:.6g} m ({report.unit}; {report.unit_reason})"),
        Row("up", f"{report.up.upper()} ({report.up_reason})"),
        Row("height", f"{report.height_m:.3f} m in the rest pose"),
    ]
    rows.append(Row("floor", report.floor_note))
    wrong = report.rate_check.verdict == "wrong"
    rows.append(Row("rate", report.rate_check.note, "warn" if wrong else "plain"))
    rows.append(Row("travel", f"{report.travel_m:.2f} m from start to end"))
    rows += _role_rows(report.roles)
    rows += [Row("note", note) for note in report.notes]
    return rows + _finding_rows(report.findings)


def character_rows(report: CharacterReport) -> list[Row]:
    """All there is to say about a character."""
    mass = "unknown" if report.mass_kg is None else f"{report.mass_kg:.2f} kg"
    return [
        Row("file", f"{report.file} ({report.format})"),
        Row(
            "skeleton",
            f"{counted(report.joints, 'joint')} (hinges {report.hinges}, balls {report.balls}, "
            f"fixed {report.fixed}), {report.freedoms} degrees of freedom",
        ),
        Row("limits", f"{report.limited} freedoms with a range"),
        Row("torque", f"{report.torque_limited} freedoms with a largest torque"),
        Row("mass", mass),
        Row("height", f"{report.height_m:.3f} m in the rest pose"),
        *_role_rows(report.roles),
        *(Row("note", note) for note in report.notes),
    ]


def one_row(report: ClipReport | CharacterReport) -> Row:
    """A file among many."""
    if isinstance(report, CharacterReport):
        what = f"character, {counted(report.joints, 'joint')}, {report.roles.convention}"
        return Row("", f"{report.file}: {what}")
    words = (
        f"{report.file}: {counted(report.frames, 'frame')}, {report.rate_hz:g} Hz, "
        f"{counted(report.joints, 'joint')}, {report.roles.convention}, {report.height_m:.2f} m"
    )
    if report.rate_check.verdict == "wrong":
        words += f"; wrong rate (likely {report.rate_check.likely_rate_hz or 0:g} Hz)"
    return Row("", words + "".join(f"; {f.step}{_where(f)}" for f in report.findings))


def show(rows: list[Row]) -> None:
    """Print rows: laid out and coloured on a terminal, one line each into a pipe."""
    if not sys.stdout.isatty():
        for row in rows:
            print(f"{row.label:<{_LABEL_WIDTH}}{row.text}" if row.label else row.text)
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    styles = {"plain": "", "quiet": "dim", "warn": "yellow", "good": "green"}
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for row in rows:
        table.add_row(row.label, Text(row.text, style=styles[row.tone]))
    Console(highlight=False).print(table)


def _role_rows(roles: RoleReport) -> list[Row]:
    joints = ", ".join(f"{role}={joint}" for role, joint in roles.joints.items())
    rows = [
        Row("roles", f"{len(roles.joints)} found ({roles.convention})"),
        Row("", joints, "quiet"),
    ]
    if roles.missing:
        rows.append(Row("", f"missing: {', '.join(roles.missing)}", "warn"))
    if roles.forward is not None:
        x, y, z = roles.forward
        rows.append(Row("forward", f"({x:+.2f}, {y:+.2f}, {z:+.2f}) at rest"))
    return rows + [Row("", note) for note in roles.notes]


def _finding_rows(findings: tuple[Finding, ...]) -> list[Row]:
    if not findings:
        return [Row("found wrong", "nothing", "good")]
    rows = [Row("found wrong", counted(len(findings), "thing"), "warn")]
    for finding in findings:
        rows.append(Row(finding.step, f"{finding.summary}{_where(finding)}.", "warn"))
        if finding.repair:
            rows.append(Row("", f"--clean {finding.step} will {finding.repair}.", "quiet"))
    return rows


def _where(finding: Finding) -> str:
    return f" ({frame_list(finding.frames, _LISTED_RUNS)})" if finding.frames else ""
