"""Inspection reports as text for a terminal."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from poise.apps.inspection import CharacterReport, ClipReport, RoleReport
from poise.motion.cleanup import Finding

_LISTED_FRAMES = 8


def clip_text(report: ClipReport) -> RenderableType:
    """All there is to say about a clip."""
    facts = _facts()
    facts.add_row("file", f"{report.file} ({report.format})")
    facts.add_row(
        "time", f"{report.frames} frames at {report.rate_hz:g} Hz, {report.duration_s:.2f} s"
    )
    facts.add_row(
        "skeleton",
        f"{report.joints} joints, {report.freedoms} degrees of freedom, "
        f"{report.end_sites} end sites",
    )
    if report.moving_joints:
        facts.add_row("stretching", f"position channels on {', '.join(report.moving_joints)}")
    facts.add_row(
        "unit", f"1 unit = {report.unit_m:.6g} m ({report.unit}; {escape(report.unit_reason)})"
    )
    facts.add_row("up", f"{report.up.upper()} ({escape(report.up_reason)})")
    facts.add_row("height", f"{report.height_m:.3f} m in the rest pose")
    if report.floor_m is not None:
        facts.add_row("floor", f"feet stand at about {100 * report.floor_m:+.1f} cm")
    facts.add_row("travel", f"{report.travel_m:.2f} m from start to end")
    _add_roles(facts, report.roles)
    for note in report.notes:
        facts.add_row("note", escape(note))
    return Group(facts, _findings(report.findings))


def character_text(report: CharacterReport) -> RenderableType:
    """All there is to say about a character."""
    facts = _facts()
    facts.add_row("file", report.file)
    facts.add_row(
        "skeleton",
        f"{report.joints} joints (hinges {report.hinges}, balls {report.balls}, fixed "
        f"{report.fixed}), {report.freedoms} degrees of freedom",
    )
    facts.add_row("limits", f"{report.limited} freedoms with a range")
    facts.add_row("torque", f"{report.torque_limited} freedoms with a largest torque")
    mass = "unknown" if report.mass_kg is None else f"{report.mass_kg:.2f} kg"
    facts.add_row("mass", mass)
    facts.add_row("height", f"{report.height_m:.3f} m in the rest pose")
    _add_roles(facts, report.roles)
    for note in report.notes:
        facts.add_row("note", escape(note))
    return facts


def one_line(report: ClipReport | CharacterReport) -> Text:
    """A file among many."""
    if isinstance(report, CharacterReport):
        return Text(f"{report.file}: character, {report.joints} joints")
    line = Text(
        f"{report.file}: {report.frames} frames, {report.rate_hz:g} Hz, {report.joints} joints, "
        f"{report.roles.convention}, {report.height_m:.2f} m"
    )
    for finding in report.findings:
        line.append(f"; {finding.step}{_frame_list(finding)}", style="yellow")
    return line


def _facts() -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    return table


def _add_roles(facts: Table, roles: RoleReport) -> None:
    count = len(roles.joints)
    facts.add_row("roles", f"{count} found ({escape(roles.convention)})")
    joints = ", ".join(f"{role}={joint}" for role, joint in roles.joints.items())
    facts.add_row("", f"[dim]{escape(joints)}[/dim]")
    if roles.missing:
        facts.add_row("", f"[yellow]missing: {', '.join(roles.missing)}[/yellow]")
    if roles.forward is not None:
        facts.add_row("forward", "({:+.2f}, {:+.2f}, {:+.2f}) at rest".format(*roles.forward))
    for note in roles.notes:
        facts.add_row("", escape(note))


def _findings(findings: tuple[Finding, ...]) -> RenderableType:
    if not findings:
        return Text("\nNothing found wrong.", style="green")
    table = Table.grid(padding=(0, 2))
    table.add_column(style="yellow", no_wrap=True)
    table.add_column(overflow="fold")
    for finding in findings:
        cure = f"--clean {finding.step} will {finding.repair}" if finding.repair else "left alone"
        what = f"{finding.summary}{_frame_list(finding)}."
        table.add_row(finding.step, Text.assemble(what, (f"\n{cure}.", "dim")))
    return Group(Text("\nFound wrong:", style="bold yellow"), table)


def _frame_list(finding: Finding) -> str:
    if not finding.frames:
        return ""
    shown = ", ".join(str(f) for f in finding.frames[:_LISTED_FRAMES])
    more = len(finding.frames) - _LISTED_FRAMES
    tail = f" and {more} more" if more > 0 else ""
    return f" (frame{'s' if len(finding.frames) > 1 else ''} {shown}{tail})"
