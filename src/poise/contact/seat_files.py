"""A fitted seat on disk: an environment file, and the mesh it names."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from poise.contact.seat import Seat
from poise.environment import ConvexPart, Ground


def write_seat(path: Path, seat: Seat, about: str = "") -> None:
    """Write an environment file that `load_environment` reads, and an OBJ file beside it.

    Args:
        path: of the environment file (.yaml).
        seat: what `fit_seat` found.
        about: comment lines for the first file.
    """
    mesh = path.with_suffix(".obj")
    text = "".join(f"# {line}\n" for line in about.splitlines())
    text += f"{_ground_text(seat.ground)}parts:\n  - {{file: {mesh.name}, unit: m, up: y}}\n"
    path.write_text(text, encoding="utf-8", newline="\n")
    mesh.write_text(_mesh_text(seat.parts), encoding="utf-8", newline="\n")


def _ground_text(ground: Ground) -> str:
    text = f"ground:\n  height_m: {ground.height_m:.5f}\n"
    downhill = ground.normal * [1.0, 0.0, 1.0]
    if np.linalg.norm(downhill) > 0.0:
        text += f"  tilt_deg: {np.degrees(ground.tilt_rad):.4f}\n"
        uphill = -downhill / np.linalg.norm(downhill)
        text += f"  uphill: [{uphill[0]:.5f}, 0, {uphill[2]:.5f}]\n"
    return text


def _mesh_text(parts: tuple[ConvexPart, ...]) -> str:
    """Corners in metres, numbered from 1 through all parts."""
    text, before = "", 1
    for part in parts:
        text += f"o {part.name}\n"
        text += "".join(f"v {x:.4f} {y:.4f} {z:.4f}\n" for x, y, z in part.vertices_m.tolist())
        for a, b, c in (part.triangles + before).tolist():
            text += f"f {a} {b} {c}\n"
        before += len(part.vertices_m)
    return text
