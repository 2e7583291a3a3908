"""What a file is and what is wrong with it: a record for programs, rows of text for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from poise.character import (
    Character,
    Roles,
    Skeleton,
    built_feet,
    find_partial_roles,
    read_role_file,
)
from poise.contact import check_gait, check_gravity, suggest_place
from poise.errors import MissingRoles, UnusualStature
from poise.job import AS_IT_IS, ClipChoice, Recipe, control_rig, subject, with_standing_pose
from poise.motion import Clip
from poise.motion.cleanup import Finding, findings
from poise.wording import counted, frame_list

_LISTED_RUNS = 8


@dataclass(frozen=True)
class RoleReport:
    """Which parts of the body were recognised."""

    convention: str
    joints: dict[str, str]
    missing: tuple[str, ...]
    forward: tuple[float, float, float] | None
    notes: tuple[str, ...]


@dataclass(frozen=True)
class RateReport:
    """Whether bodies fall as they should at the rate the file states."""

    verdict: str
    """"right", "wrong" or "unverified"."""
    gravity_m_s2: float | None
    likely_rate_hz: float | None
    note: str
    doubted: bool = False
    """Whether nobody flies, but somebody walks faster than people do."""


@dataclass(frozen=True)
class BodyReport:
    """What a body weighs and can do, as its file says."""

    name: str
    mass_kg: float | None
    limited: int
    """Freedoms with a finite range."""
    torque_limited: int
    """Freedoms with a known largest torque."""
    largest_torque_nm: float | None
    """Of those."""


@dataclass(frozen=True)
class ClipReport:
    """Everything `poise inspect` says about a clip."""

    file: str
    format: str
    frames: int
    rate_hz: float
    duration_s: float
    joints: int
    freedoms: int
    end_sites: int
    moving_joints: tuple[str, ...]
    unit: str
    unit_m: float
    unit_reason: str
    up: str
    up_reason: str
    height_m: float
    """Vertical extent of the rest pose, or of one that stands."""
    rest_stands: bool
    """Whether that is the rest pose; else the clip's frames give one (see the notes)."""
    mass_kg: float | None
    """Body mass; None where no body is recognised."""
    floor_m: float | None
    """Height of the floor that the feet show, below the origin; None without feet."""
    floor_note: str
    surfaces: tuple[str, ...]
    """What else the clip shows to be there: steps, slopes, seats, in words."""
    rate_check: RateReport
    travel_m: float
    """Straight-line distance of the root from first to last frame, on the ground plan."""
    roles: RoleReport
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]
    body: BodyReport | None = None
    """The robot that the clip keeps."""

    def as_dict(self) -> dict[str, object]:
        """Plain data for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        return text_of(clip_rows(self))


@dataclass(frozen=True)
class CharacterReport:
    """Everything `poise inspect` says about a skeleton or robot file."""

    file: str
    format: str
    name: str
    joints: int
    hinges: int
    balls: int
    fixed: int
    freedoms: int
    mass_kg: float | None
    limited: int
    """Freedoms with a finite range."""
    torque_limited: int
    """Freedoms with a known largest torque."""
    height_m: float
    roles: RoleReport
    notes: tuple[str, ...]

    def as_dict(self) -> dict[str, object]:
        """Plain data for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        return text_of(character_rows(self))


def inspect_clip(
    clip: Clip,
    path: Path,
    asked: Recipe = AS_IT_IS,
    *,
    roles: Path | None = None,
    notes: Sequence[str] = (),
) -> ClipReport:
    """Look at a clip without changing it.

    Args:
        clip: what to look at.
        path: its file.
        asked: whose it is and where; a rate that flights show to be wrong is put right if it says
            so.
        roles: a file that names joints by role.
        notes: what else there is to say about how it was read.
    """
    overrides = roles and read_role_file(roles, clip.skeleton)
    clip, stood = with_standing_pose(clip, overrides or None)
    place = _place(clip, asked)
    if asked.clip.wrong_rate == "fix" and place.rate.verdict == "wrong":
        clip = replace(clip, rate_hz=place.rate.likely_rate_hz or clip.rate_hz)
        notes = (*notes, f"{place.rate.note} Put right.")
        place = _place(clip, asked)
    skeleton, source = clip.skeleton, clip.source
    defects = findings(clip)
    artificial = {f for d in defects if d.step in ("t-pose", "dropped-frames") for f in d.frames}
    real = [f for f in range(clip.frame_count) if f not in artificial]
    rig = control_rig(clip)
    body = clip if rig is None else rig.body()
    path_m = body.root_positions_m[[real[-1]]] - body.root_positions_m[[real[0]]]
    return ClipReport(
        file=str(path),
        format=source.format if source else "",
        frames=clip.frame_count,
        rate_hz=clip.rate_hz,
        duration_s=clip.duration_s,
        joints=skeleton.joint_count,
        freedoms=skeleton.tangent_size,
        end_sites=len(skeleton.end_sites),
        moving_joints=tuple(skeleton.joint_names[j] for j in clip.moving_joints),
        unit=source.unit.name if source else "m",
        unit_m=source.unit.metres if source else 1.0,
        unit_reason=source.unit.reason if source else "made by code",
        up=source.up if source else "y",
        up_reason=source.up_reason if source else "made by code",
        height_m=_height_m(skeleton.standing),
        rest_stands=skeleton.rest_stands,
        mass_kg=place.mass_kg,
        floor_m=place.floor_m,
        floor_note=place.floor_note,
        surfaces=place.surfaces,
        rate_check=place.rate,
        travel_m=float(np.hypot(path_m[0, 0], path_m[0, 2])),
        roles=_role_report(body.skeleton, _roles(body.skeleton, roles)),
        findings=defects,
        notes=(
            *(source.notes if source else ()),
            *notes,
            *stood,
            *(() if rig is None else (rig.note,)),
        ),
        body=None if clip.body is None else _body_report(clip.body),
    )


def inspect_character(
    character: Character, path: Path, roles: Path | None = None
) -> CharacterReport:
    """Look at a character."""
    skeleton, body = character.skeleton, _body_report(character)
    return CharacterReport(
        file=str(path),
        format=path.suffix.lower().removeprefix("."),
        name=character.name,
        joints=skeleton.joint_count,
        hinges=skeleton.kinds.count("hinge"),
        balls=skeleton.kinds.count("ball"),
        fixed=skeleton.kinds.count("fixed"),
        freedoms=skeleton.tangent_size,
        mass_kg=body.mass_kg,
        limited=body.limited,
        torque_limited=body.torque_limited,
        height_m=_height_m(skeleton),
        roles=_role_report(skeleton, _roles(skeleton, roles)),
        notes=character.notes,
    )


def _body_report(character: Character) -> BodyReport:
    skeleton, torques = character.skeleton, character.torque_limits_nm
    in_use = np.arange(3) < skeleton.freedoms[:, None]
    limited = np.isfinite(skeleton.limits_rad).all(axis=-1) & in_use
    strong = np.isfinite(torques) & in_use
    return BodyReport(
        name=character.name,
        mass_kg=character.body.total_mass_kg if character.body else None,
        limited=int(limited.sum()),
        torque_limited=int(strong.sum()),
        largest_torque_nm=float(torques[strong].max()) if strong.any() else None,
    )


def _roles(skeleton: Skeleton, named: Path | None) -> Roles:
    return find_partial_roles(skeleton, named and read_role_file(named, skeleton))


def _role_report(skeleton: Skeleton, roles: Roles) -> RoleReport:
    forward = tuple(round(float(x), 6) + 0.0 for x in roles.forward)
    return RoleReport(
        roles.convention,
        dict(roles.joints),
        roles.missing,
        (forward[0], forward[1], forward[2]),
        (*roles.notes, *built_feet(skeleton, roles)),
    )


def _height_m(skeleton: Skeleton) -> float:
    ends = (skeleton.rest_positions_m, skeleton.rest_end_positions_m)
    return float(np.ptp(np.concatenate(ends)[:, 1]))


@dataclass(frozen=True)
class _Place:
    """What the motion itself says about the floor and about time."""

    floor_m: float | None = None
    floor_note: str = "not known: no feet recognised"
    surfaces: tuple[str, ...] = ()
    rate: RateReport = RateReport("unverified", None, None, "no body recognised, nothing checked")
    mass_kg: float | None = None


def _place(clip: Clip, asked: Recipe) -> _Place:
    usual = ClipChoice()  # what else there was to choose has been done
    try:
        found = subject(replace(asked, clip=usual), clip)
    except (MissingRoles, UnusualStature):
        return _Place()
    check = check_gravity(found.clip, found.character, found.environment)
    gait = check_gait(found.clip, found.character) if not check.flights else None
    doubted = gait is not None and gait.hurried
    said = gait.note if gait is not None and doubted else check.note
    if check.verdict == "wrong" and asked.clip.wrong_rate == "keep":
        said += " It is kept, as asked."
    rate = RateReport(check.verdict, check.gravity_m_s2, check.likely_rate_hz, said, doubted)
    note = " ".join(found.place_said)
    true = replace(found.clip, rate_hz=check.likely_rate_hz or found.clip.rate_hz)
    surfaces = suggest_place(true, found.character).surfaces
    words = tuple(shown.words(found.kept.left_out) for shown in surfaces)
    ground = found.environment.grounds[0].height_m if found.environment.grounds else None
    body = found.character.body
    return _Place(ground, note, words, rate, None if body is None else body.total_mass_kg)


@dataclass(frozen=True)
class Row:
    """A label, what is to be said under it, and how loud."""

    label: str
    text: str
    tone: Literal["plain", "quiet", "warn", "good"] = "plain"


def clip_rows(report: ClipReport) -> list[Row]:
    """All there is to say about a clip."""
    pose = "in the rest pose" if report.rest_stands else "standing"
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
    rows += _body_rows(report.body)
    rows += [
        Row("unit", f"1 unit = {report.unit_m:.6g} m ({report.unit}; {report.unit_reason})"),
        Row("up", f"{report.up.upper()} ({report.up_reason})"),
        Row("height", f"{report.height_m:.3f} m {pose}"),
    ]
    if report.mass_kg is not None:
        rows.append(Row("mass", f"{report.mass_kg:.1f} kg"))
    rows.append(Row("floor", report.floor_note))
    for number, words in enumerate(report.surfaces):
        rows.append(Row("" if number else "surfaces", words, "warn"))
    if report.surfaces:
        rows.append(Row("", "--suggest-surfaces puts them there.", "quiet"))
    wrong, doubted = report.rate_check.verdict == "wrong", report.rate_check.doubted
    rows.append(Row("rate", report.rate_check.note, "warn" if wrong or doubted else "plain"))
    if wrong:
        rows.append(Row("", "--fix-rate takes the true one.", "quiet"))
    rows.append(Row("travel", f"{report.travel_m:.2f} m from start to end"))
    rows += _role_rows(report.roles, "at rest" if report.rest_stands else "standing")
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
        *_role_rows(report.roles, "at rest"),
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
    if report.surfaces:
        words += f"; {counted(len(report.surfaces), 'surface')} besides the floor"
    return Row("", words + "".join(f"; {f.step}{_where(f)}" for f in report.findings))


def _body_rows(body: BodyReport | None) -> list[Row]:
    if body is None:
        return []
    mass = "of unknown mass" if body.mass_kg is None else f"{body.mass_kg:.2f} kg"
    torque = f"{body.torque_limited} freedoms with a largest torque"
    if body.largest_torque_nm is not None:
        torque += f" (up to {body.largest_torque_nm:g} N m)"
    return [
        Row("body", f"{body.name or 'a robot'}, {mass}; kept with the clip"),
        Row("limits", f"{body.limited} freedoms with a range"),
        Row("torque", torque),
    ]


def _role_rows(roles: RoleReport, pose: str) -> list[Row]:
    joints = ", ".join(f"{role}={joint}" for role, joint in roles.joints.items())
    rows = [
        Row("roles", f"{len(roles.joints)} found ({roles.convention})"),
        Row("", joints, "quiet"),
    ]
    if roles.missing:
        rows.append(Row("", f"missing: {', '.join(roles.missing)}", "warn"))
    if roles.forward is not None:
        x, y, z = roles.forward
        rows.append(Row("forward", f"({x:+.2f}, {y:+.2f}, {z:+.2f}) {pose}"))
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


LABEL_WIDTH = 16


def text_of(rows: list[Row]) -> str:
    """Rows as plain text, one line each."""
    return "\n".join(
        f"{row.label:<{LABEL_WIDTH}}{row.text}" if row.label else row.text for row in rows
    )
