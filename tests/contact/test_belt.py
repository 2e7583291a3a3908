"""Belts under figures that walk in place: found where they are, and nowhere else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise import rotations, samples
from poise.character import complete_character
from poise.contact import belt_velocity_m_s, estimate_ground
from poise.formats import load_clip
from poise.motion import Clip
from poise.motion.cleanup import clean
from tests.contact.force_plates import BELTS_M_S, trial, trial_paths
from tests.shared_data import MOCAP, clips, needs_mocap

CLOSE = 0.05
"""Of the belt's velocity."""


figure = samples.sample_character


def in_place(clip: Clip) -> tuple[Clip, np.ndarray]:
    """A clip whose root stays where it is, and the velocity of its ground."""
    times = np.arange(clip.frame_count) / clip.rate_hz
    slopes = np.polyfit(times, clip.root_positions_m, 1)[0] * [1.0, 0.0, 1.0]
    roots = clip.root_positions_m - times[:, None] * slopes
    return replace(clip, root_positions_m=roots, source=None), -slopes


@pytest.mark.parametrize("name", ["walk", "run"])
def test_a_made_cycle_in_place(name: str) -> None:
    made, character = samples.SAMPLES[name]().clip, samples.sample_character()
    assert belt_velocity_m_s(made, character) is None
    clip, true = in_place(made)
    found = belt_velocity_m_s(clip, character)
    assert found is not None
    assert np.linalg.norm(found - true) < 0.01 * np.linalg.norm(true)


@pytest.mark.parametrize("slope", [-0.07, 0.0, 0.07, 0.14])
def test_a_belt_on_a_slope(slope: float) -> None:
    """What hangs on a tilted treadmill is a tilted walk."""
    made, _ = in_place(samples.walking(3.0, 60.0).clip)
    tilt = rotations.from_axis_angle(np.array([1.0, 0.0, 0.0]), -np.arctan(slope))
    turns = made.rotations_wxyz.copy()
    turns[:, 0] = rotations.multiply(tilt, turns[:, 0])
    roots = rotations.rotate(tilt, made.root_positions_m)
    clip, character = replace(made, root_positions_m=roots, rotations_wxyz=turns), figure()
    found = belt_velocity_m_s(clip, character)
    assert found is not None
    assert found[1] / found[2] == pytest.approx(slope, abs=0.003) and found[2] < 0.0
    ground, note = estimate_ground(clip, character, found)
    assert -ground.normal[2] / ground.normal[1] == pytest.approx(slope, abs=0.003)
    assert abs(ground.height_m) < 0.02
    assert abs(float(ground.normal @ ground.belt_velocity_m_s)) < 1e-9
    assert ("sink and rise" in note) == (slope != 0.0)


@pytest.mark.parametrize("name", ["jump", "hop", "squat", "sit", "getup", "kneel", "cartwheel"])
def test_who_stands_on_the_ground_has_no_belt(name: str) -> None:
    assert belt_velocity_m_s(samples.SAMPLES[name]().clip, samples.sample_character()) is None


def test_who_glides_has_no_belt() -> None:
    """A skater's feet move as fast as the skater."""
    clip = samples.SAMPLES["stand"]().clip
    times = np.arange(clip.frame_count) / clip.rate_hz
    roots = clip.root_positions_m + times[:, None] * [0.0, 0.0, 2.0]
    assert (
        belt_velocity_m_s(replace(clip, root_positions_m=roots), samples.sample_character()) is None
    )


def test_a_clip_of_one_frame_has_no_belt() -> None:
    clip = samples.SAMPLES["walk"]().clip.sliced(0, 1)
    assert belt_velocity_m_s(clip, samples.sample_character()) is None


@needs_mocap
def test_treadmills_and_nothing_else_in_the_laboratory() -> None:
    for path in trial_paths():
        given = trial(path)
        found = belt_velocity_m_s(given.clip, given.character)
        speed = BELTS_M_S.get(given.name.rsplit("_", 1)[-1])
        assert (found is None) == (speed is None), given.name
        if found is not None and speed is not None:
            assert np.linalg.norm(found - [-speed, 0.0, 0.0]) < CLOSE * speed, given.name


@needs_mocap
def test_captures_made_to_walk_in_place() -> None:
    off = list[float]()
    for path in [MOCAP / "cmu" / f"{name}.bvh" for name in ("02_01", "07_01", "35_03", "16_35")]:
        clip = clean(load_clip(path))[0]
        character = complete_character(clip.skeleton)
        assert belt_velocity_m_s(clip, character) is None, path.stem
        moved, true = in_place(clip)
        found = belt_velocity_m_s(moved, character)
        assert found is not None, path.stem
        off.append(float(np.linalg.norm(found - true) / np.linalg.norm(true)))
    assert max(off) < CLOSE


@pytest.mark.slow
@needs_mocap
def test_no_capture_over_ground_has_a_belt() -> None:
    for path in (*clips("cmu/*.bvh"), *clips("cmu_random/*.bvh")):
        clip = clean(load_clip(path))[0]
        assert belt_velocity_m_s(clip, complete_character(clip.skeleton)) is None, path.stem
