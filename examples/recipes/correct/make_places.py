"""Write the places of these recipes: `chair.yaml` and `stool.yaml` (with .obj files), `hill.yaml`.

A chair is not captured; its sitter is. The seats are fitted to two clips by where their hips rest
and where their legs pass. The hill is made up: a smooth rise and fall along the way of a walk.

    python examples/recipes/correct/make_places.py
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from poise.contact.seat import Seat, fit_seat
from poise.environment import ConvexPart, Ground
from poise.job import Subject, measurable

HERE = Path(__file__).resolve().parent
SHARED = Path(os.environ.get("POISE_SHARED", HERE.parents[3] / "shared"))


@dataclass(frozen=True)
class Sitter:
    """A clip in which someone sits."""

    clip: str
    rate_hz: float
    """At which it was captured; the header of one of them is wrong by half."""
    about: str


SITTERS = {
    "chair": Sitter("cmu/143_18.bvh", 60.0, "Sits down on a chair and gets up, twice."),
    "stool": Sitter("cmu/14_28.bvh", 120.0, "Sits on a high stool in several ways."),
}
WALK = "cmu/35_03.bvh"
STEEPEST_DEG = 10.0
SPACING_M = 0.05
WIDTH_M = 20.0
MARGIN_M = 0.2
"""How far inside the way of the walk's root the hill begins and ends."""


def main() -> None:
    for name, sitter in SITTERS.items():
        given = read(sitter.clip)
        seat = fit_seat(
            replace(given.clip, rate_hz=sitter.rate_hz),
            given.character,
            given.environment.grounds[0],
        )
        about = f"{sitter.about}\nFitted to {sitter.clip} by make_places.py."
        write_seat(HERE / f"{name}.yaml", seat, about)
        print(f"{name}: {100 * seat.height_m:.1f} cm high, {seat.seated.sum()} seated frames")
    text, height = hill_text(read(WALK))
    (HERE / "hill.yaml").write_text(text, encoding="utf-8", newline="\n")
    print(f"hill: {100 * height:.1f} cm high")


def read(name: str) -> Subject:
    """A clip with its body and its floor."""
    return measurable(SHARED / "mocap" / name)


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


def hill_text(walk: Subject) -> tuple[str, float]:
    """The hill as an environment file, and how high it is.

    A walk along z goes up and down again on half a wave of a cosine, whose steepest place is half
    way up: h/2 (1 - cos(2π s/L)) rises by πh/L there.
    """
    way = walk.clip.root_positions_m
    ground = walk.environment.grounds[0]
    base = float(ground.heights_m(way).mean())
    first, last = (float(end(way[:, 2])) for end in (np.min, np.max))
    start = round(first + MARGIN_M, 1)
    count = round((last - MARGIN_M - start) / SPACING_M)
    height = np.tan(np.radians(STEEPEST_DEG)) * count * SPACING_M / np.pi
    wave = 0.5 * height * (1.0 - np.cos(2.0 * np.pi * np.arange(count + 1) / count))
    numbers = [f"{base + each:.4f}" for each in wave]
    rows = [", ".join(numbers[i : i + 12]) for i in range(0, len(numbers), 12)]
    listed = ",\n       ".join(rows)
    middle = float(way[:, 0].mean())
    text = (
        "# A hill across the way of a level walk (cmu/35_03.bvh), made by make_places.py: up and\n"
        f"# down again along z, {STEEPEST_DEG:g} degrees at the steepest, "
        f"{100 * height:.0f} cm high. Beyond it the ground is level.\n"
        "# The walk is put on it place by place: each is raised by the hill under itself.\n"
        "height_field:\n"
        f"  origin_m: [{middle - 0.5 * WIDTH_M:.2f}, {start:.2f}]\n"
        f"  spacing_m: [{WIDTH_M:g}, {SPACING_M:g}]\n"
        f"  heights_m:\n    - &across\n      [{listed}]\n    - *across\n"
    )
    return text, float(height)


if __name__ == "__main__":
    main()
