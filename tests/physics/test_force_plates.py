"""What the ground does after a correction, against force plates."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from poise.character import contact_points
from poise.contact import clip_dynamics, estimate_ground, observe
from poise.environment import Environment
from poise.mechanics import forward_kinematics
from poise.methods.correct.recovery import fastest_turns_rad_s, recover
from poise.methods.correct.run import smoothed
from poise.motion import Clip
from poise.physics import PhysicsSettings
from tests.contact.force_plates import trial, trial_paths
from tests.contact.plate_forces import FEET, Plates, plates
from tests.shared_data import needs_mocap

SMOOTHING_S = 0.015
"""As `correct` has it."""
SLID = ("opencap_subject2_w", "opencap_subject9_w", "opencap_subject11", "hamner")
"""Trials whose feet slide by more than 10 cm/s: feet that stand still make them swing elsewhere."""


def place_of(path: Path) -> Environment:
    """The floor that the feet of a trial show, with the belt of a treadmill."""
    measured, belt = plates(path), trial(path).environment
    clip = measured.clip
    if belt is None:
        return Environment((estimate_ground(clip, measured.character)[0],))
    (surface,) = belt.surfaces
    velocity = surface.belt_velocity_m_s
    times = np.arange(clip.frame_count)[:, None] / clip.rate_hz
    # Over ground, feet stand still.
    walked = replace(clip, root_positions_m=clip.root_positions_m - times * velocity)
    ground = estimate_ground(walked, measured.character)[0]
    level = replace(ground, normal=np.array([0.0, 1.0, 0.0]), belt_velocity_m_s=velocity)
    return Environment((level,))


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


def shifts_cm(clip: Clip, measured: Plates) -> tuple[float, float, float]:
    """How far root and swinging feet are from the capture on average, and how much higher it is."""
    before, after = (
        forward_kinematics(each.skeleton, *each.pose).positions_m for each in (measured.clip, clip)
    )
    apart = 100.0 * np.linalg.norm(after - before, axis=2)
    swings = [
        apart[~measured.truth.column(foot), contact_points(measured.character)[foot].joints[0]]
        for foot in FEET
    ]
    swing = np.concatenate(swings)
    rise = 100.0 * (after[:, 0, 1].max() - before[:, 0, 1].max())
    return float(apart[:, 0].mean()), float(swing.mean()) if len(swing) else 0.0, float(rise)


@needs_mocap
@pytest.mark.parametrize("path", trial_paths(), ids=lambda path: path.stem)
def test_the_ground_does_what_it_did(path: Path) -> None:
    measured, place = plates(path), place_of(path)
    clip = measured.clip
    found = recover(
        smoothed(clip, SMOOTHING_S), measured.character, place, measured.truth,
        fastest_rad_s=fastest_turns_rad_s(clip), physics=PhysicsSettings(),
    )  # fmt: skip
    force_before, pressure_before = against_plates(clip, measured, place)
    force, pressure = against_plates(found.clip, measured, place)
    assert force < force_before + 0.5
    assert pressure < pressure_before + 0.3
    if "DJ" in path.stem:  # drop jumps improve
        assert pressure < pressure_before
    root, swing, rise = shifts_cm(found.clip, measured)
    assert root < 1.0
    assert abs(rise) < 1.0
    if not path.stem.startswith(SLID) and "DJ" not in path.stem:
        assert swing < 2.0
