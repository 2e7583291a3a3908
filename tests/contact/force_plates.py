"""The force-plate trials: clips with contacts that were measured, not guessed."""

from __future__ import annotations

import csv
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from poise import rotations
from poise.arrays import Array
from poise.character import Character, complete_character
from poise.contact import ContactSchedule
from poise.environment import Environment
from poise.formats import load_clip
from poise.motion import Clip, resample
from tests.shared_data import clips

FEET = ("left_foot", "right_foot")
BELTS_M_S = {"run200": 2.0, "run300": 3.0, "run400": 4.0, "run500": 5.0}
"""Belt speeds of the treadmill trials, by the end of their names."""


@dataclass(frozen=True, eq=False)
class Trial:
    name: str
    clip: Clip
    character: Character
    truth: ContactSchedule
    valid: NDArray[np.bool_]
    """(F,) frames in which no foot stands beside the plates."""
    vertical_n: Array
    """(F, 2) measured force under each foot."""

    @property
    def environment(self) -> Environment | None:
        """A treadmill's belt; None (find the floor yourself) for trials over ground."""
        speed = BELTS_M_S.get(self.name.rsplit("_", 1)[-1])
        return None if speed is None else Environment.flat(0.0, (-speed, 0.0, 0.0))


def trial_paths() -> list[Path]:
    return clips("addbio_grf/*/*.bvh")


@cache
def trial(path: Path) -> Trial:
    clip = load_clip(path)
    with path.with_name(f"{path.stem}_contacts.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    flags = np.array([[row[f"{s}_contact"] == "1" for s in ("left", "right")] for row in rows])
    return Trial(
        path.stem,
        clip,
        complete_character(clip.skeleton),
        ContactSchedule(FEET, flags, clip.rate_hz),
        np.array([row["valid"] == "1" for row in rows]),
        np.array([[float(row[f"{s}_Fy_N"]) for s in ("left", "right")] for row in rows]),
    )


def spoiled(
    given: Trial,
    *,
    offset_m: float = 0.0,
    slope: float = 0.0,
    noise_m: float = 0.0,
    rate_hz: float | None = None,
) -> Trial:
    """A trial with its floor moved and tilted along x, its markers noisy, or at another rate."""
    clip = given.clip
    rng = np.random.default_rng(12345)
    tilt = rotations.from_axis_angle(np.array([0.0, 0.0, 1.0]), np.arctan(slope))
    roots = rotations.rotate(tilt, clip.root_positions_m) + np.array([0.0, offset_m, 0.0])
    roots = roots + rng.normal(0.0, 1.0, roots.shape) * noise_m
    q = clip.rotations_wxyz.copy()
    q[:, 0] = rotations.multiply(tilt, q[:, 0])
    # A marker off by the noise turns a bone of 0.4 m by as much at its far end.
    turns = rng.normal(0.0, 1.0, (*q.shape[:2], 3)) * (noise_m / 0.4)
    clip = replace(
        clip,
        root_positions_m=roots,
        rotations_wxyz=rotations.multiply(q, rotations.exp(turns)),
        source=None,
    )
    if rate_hz is None:
        return replace(given, clip=clip)
    clip = resample(clip, rate_hz)
    times = np.arange(clip.frame_count) * given.clip.rate_hz / clip.rate_hz
    frames = np.clip(np.round(times).astype(int), 0, given.clip.frame_count - 1)
    truth = ContactSchedule(FEET, given.truth.touching[frames], clip.rate_hz)
    return replace(given, clip=clip, truth=truth, valid=given.valid[frames])
