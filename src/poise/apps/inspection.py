"""What a file is and what is wrong with it, as one record for people and programs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.character import (
    Character,
    RoleOverrides,
    Roles,
    complete_character,
    find_partial_roles,
)
from poise.contact import check_gravity, estimate_ground
from poise.environment import Environment
from poise.errors import MissingRoles
from poise.mechanics import forward_kinematics
from poise.motion import Clip
from poise.motion.cleanup import Finding, clean, findings

_LYING_SHARE = 0.7
"""A rest pose this much lower than the tallest captured one does not stand."""

MUST_BE_CLEANED = ("missing-thorax", "t-pose", "dropped-frames")
"""Frames that were never captured, and a lost bone, say nothing about floor, time or forces."""


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
    """Vertical extent of the rest pose."""
    floor_m: float | None
    """Height of the floor that the feet show, below the origin; None without feet."""
    floor_note: str
    rate_check: RateReport
    travel_m: float
    """Straight-line distance of the root from first to last frame, on the ground plan."""
    roles: RoleReport
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return asdict(self)


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

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return asdict(self)


def inspect_clip(clip: Clip, path: Path, role_overrides: RoleOverrides | None = None) -> ClipReport:
    """Look at a clip without changing it."""
    skeleton, source = clip.skeleton, clip.source
    roles = find_partial_roles(skeleton, role_overrides)
    defects = findings(clip)
    artificial = {f for d in defects if d.step in ("t-pose", "dropped-frames") for f in d.frames}
    real = [f for f in range(clip.frame_count) if f not in artificial]
    place = _place(clip, role_overrides, defects)
    path_m = clip.root_positions_m[[real[-1]]] - clip.root_positions_m[[real[0]]]
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
        height_m=_height_m(clip.skeleton.rest_positions_m, clip.skeleton.rest_end_positions_m),
        floor_m=place.floor_m,
        floor_note=place.floor_note,
        rate_check=place.rate,
        travel_m=float(np.hypot(path_m[0, 0], path_m[0, 2])),
        roles=_role_report(roles),
        findings=defects,
        notes=source.notes if source else (),
    )


def inspect_character(
    character: Character, path: Path, role_overrides: RoleOverrides | None = None
) -> CharacterReport:
    """Look at a character."""
    skeleton = character.skeleton
    in_use = np.arange(3) < skeleton.freedoms[:, None]
    limited = np.isfinite(skeleton.limits_rad).all(axis=-1) & in_use
    strong = np.isfinite(character.torque_limits_nm) & in_use
    return CharacterReport(
        file=str(path),
        format=path.suffix.lower().removeprefix("."),
        name=character.name,
        joints=skeleton.joint_count,
        hinges=skeleton.kinds.count("hinge"),
        balls=skeleton.kinds.count("ball"),
        fixed=skeleton.kinds.count("fixed"),
        freedoms=skeleton.tangent_size,
        mass_kg=character.body.total_mass_kg if character.body else None,
        limited=int(limited.sum()),
        torque_limited=int(strong.sum()),
        height_m=_height_m(skeleton.rest_positions_m, skeleton.rest_end_positions_m),
        roles=_role_report(find_partial_roles(skeleton, role_overrides)),
        notes=character.notes,
    )


def _role_report(roles: Roles) -> RoleReport:
    forward = tuple(round(float(x), 6) + 0.0 for x in roles.forward)
    return RoleReport(
        roles.convention,
        dict(roles.joints),
        roles.missing,
        (forward[0], forward[1], forward[2]),
        roles.notes,
    )


def _height_m(joints: Any, ends: Any) -> float:
    return float(np.ptp(np.concatenate([joints, ends])[:, 1]))


@dataclass(frozen=True)
class _Place:
    """What the motion itself says about the floor and about time."""

    floor_m: float | None = None
    floor_note: str = "not known: no feet recognised"
    rate: RateReport = RateReport("unverified", None, None, "no body recognised, nothing checked")


def _place(clip: Clip, overrides: RoleOverrides | None, defects: tuple[Finding, ...]) -> _Place:
    cleaned, _ = clean(clip, [d.step for d in defects if d.step in MUST_BE_CLEANED])
    standing = _standing_pose(cleaned)
    try:
        character = complete_character(
            cleaned.skeleton, overrides=overrides, standing_wxyz=standing
        )
    except MissingRoles:
        return _Place()
    ground, note = estimate_ground(cleaned, character)
    check = check_gravity(cleaned, character, Environment((ground,)))
    rate = RateReport(check.verdict, check.gravity_m_s2, check.likely_rate_hz, check.note)
    return _Place(ground.height_m, note, rate)


def _standing_pose(clip: Clip) -> Array | None:
    """The tallest pose of a clip whose rest pose does not stand (LAFAN1); else None."""
    rest = np.concatenate([clip.skeleton.rest_positions_m, clip.skeleton.rest_end_positions_m])
    heights = np.ptp(forward_kinematics(clip.skeleton, *clip.pose).positions_m[..., 1], axis=1)
    if np.ptp(rest[:, 1]) > _LYING_SHARE * heights.max():
        return None
    return clip.rotations_wxyz[int(heights.argmax())]
