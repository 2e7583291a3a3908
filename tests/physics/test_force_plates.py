"""What the ground does after a correction, against force plates."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from poise.contact import clip_dynamics, estimate_ground, observe
from poise.environment import Environment
from poise.methods.correct.recovery import fastest_turns_rad_s, recover
from poise.methods.correct.run import smoothed
from poise.motion import Clip
from poise.physics import PhysicsSettings
from tests.contact.plate_forces import WALKS, Plates, plates
from tests.shared_data import needs_mocap

SMOOTHING_S = 0.015
"""As `correct` has it."""


def against_plates(clip: Clip, measured: Plates, place: Environment) -> tuple[float, float]:
    """Mean error of the vertical force in % of the weight, and distance to the pressure in cm."""
    asked = clip_dynamics(clip, measured.character, 12.0)
    total = measured.forces_n[:, :, 1].sum(axis=1)
    known = measured.valid.copy()
    known[:3] = known[-3:] = False
    force = 100.0 * np.abs(asked.outer_force_n[:, 1] - total)[known].mean() / asked.weight_n
    standing = known & (total > 0.3 * asked.weight_n)
    series = observe(clip, measured.character, place, measured.truth, 12.0)
    away = np.linalg.norm((series.zmp_m - measured.pressure_m)[:, [0, 2]], axis=1)
    return float(force), 100.0 * float(np.nanmean(away[standing]))


@needs_mocap
@pytest.mark.parametrize("path", WALKS, ids=lambda path: path.stem)
def test_walks_press_on_the_ground_as_they_did(path: Path) -> None:
    measured = plates(path)
    clip, character = measured.clip, measured.character
    place = Environment((estimate_ground(clip, character)[0],))
    found = recover(
        smoothed(clip, SMOOTHING_S), character, place, measured.truth,
        fastest_rad_s=fastest_turns_rad_s(clip), physics=PhysicsSettings(),
    )  # fmt: skip
    force_before, pressure_before = against_plates(clip, measured, place)
    force, pressure = against_plates(found.clip, measured, place)
    assert force < force_before + 0.5
    assert pressure < pressure_before + 1.5
    moved = np.linalg.norm(found.clip.root_positions_m - clip.root_positions_m, axis=1)
    assert moved.mean() < 0.025
