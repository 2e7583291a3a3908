"""What the force plates measured: forces and centres of pressure, beside the clips."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.character import Character, complete_character
from poise.contact import ContactSchedule
from poise.formats import load_clip
from poise.motion import Clip
from tests.shared_data import clips

FEET = ("left_foot", "right_foot")
MASSES_KG = {
    "opencap_subject2": 79.7,
    "opencap_subject9": 76.7,
    "opencap_subject11": 95.4,
    "arnold_subject01": 72.9,
    "arnold_subject04": 80.4,
    "hamner_subject01": 72.9,
}
WALKS = clips("addbio_grf/*/*walk*.bvh")
RUNS = clips("addbio_grf/*/*run*.bvh")


@dataclass(frozen=True, eq=False)
class Plates:
    clip: Clip
    character: Character
    truth: ContactSchedule
    valid: NDArray[np.bool_]
    forces_n: Array
    """(F, 2, 3) under the left and the right foot."""
    pressure_m: Array
    """(F, 3) centre of pressure of both feet together."""


@cache
def plates(path: Path) -> Plates:
    clip = load_clip(path)
    with path.with_name(f"{path.stem}_contacts.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))

    def columns(*names: str) -> Array:
        return np.array([[float(row[name]) for name in names] for row in rows])

    forces = np.stack([columns(*(f"{s}_F{k}_N" for k in "xyz")) for s in ("left", "right")], 1)
    spots = np.stack([columns(f"{s}_cop_x_cm", f"{s}_cop_z_cm") for s in ("left", "right")], 1)
    push = forces[:, :, 1:2]
    center = np.sum(push * spots, axis=1) / np.maximum(push.sum(axis=1), 1.0) / 100
    truth = columns("left_contact", "right_contact") > 0
    return Plates(
        clip,
        complete_character(clip.skeleton, mass_kg=MASSES_KG[path.parent.name]),
        ContactSchedule(FEET, truth, clip.rate_hz),
        columns("valid")[:, 0] > 0,
        forces,
        np.stack([center[:, 0], 0 * center[:, 0], center[:, 1]], axis=1),
    )
