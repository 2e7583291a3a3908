"""The floor as the feet show it."""

from __future__ import annotations

import numpy as np
import pytest

from poise.character import complete_character
from poise.contact import estimate_ground
from poise.formats import load_clip
from poise.motion.cleanup import clean
from tests.contact.force_plates import spoiled, trial, trial_paths
from tests.contact.rigid_clips import hop_heights_m, human, rigid_clip, upward
from tests.shared_data import MOCAP, needs_mocap


def strides(height_of, count: int = 8, length_m: float = 0.7) -> np.ndarray:
    """Stand for 0.5 s, hop 0.3 s to the next place, and so on; feet follow `height_of(x)`."""
    places: list[np.ndarray] = []
    for step in range(count):
        x = step * length_m
        places += [np.array([x, height_of(x), 0.0])] * 50
        for s in np.linspace(0.0, 1.0, 32)[1:-1]:
            between = x + s * length_m
            y = (1 - s) * height_of(x) + s * height_of(x + length_m) + 4 * 0.12 * s * (1 - s)
            places.append(np.array([between, y, 0.0]))
    return np.array(places)


@pytest.mark.parametrize("height_m", [-0.4, 0.0, 0.05, 1.3])
def test_a_standing_figure_shows_the_height(height_m) -> None:
    ground, note = estimate_ground(rigid_clip(upward(np.full(60, height_m))), human())
    assert ground.height_m == pytest.approx(height_m, abs=1e-4)
    assert ground.tilt_rad == pytest.approx(0.0, abs=1e-6)
    assert f"{100 * height_m:+.1f} cm" in note


@pytest.mark.parametrize("slope", [-0.02, 0.01, 0.02, 0.03])
def test_a_path_shows_the_tilt(slope) -> None:
    ground, note = estimate_ground(rigid_clip(strides(lambda x: 0.1 + slope * x)), human())
    rise = -ground.normal[0] / ground.normal[1]
    # The prior holds it back a little; the figure's soles stay level, which a real foot's do not.
    assert rise == pytest.approx(slope, rel=0.1)
    assert ground.normal[2] == pytest.approx(0.0, abs=1e-3)
    # Level soles do not follow the slope, so the height is known to a shoe's length times it.
    assert ground.height_m == pytest.approx(0.1, abs=0.01)
    assert f"tilted {100 * abs(rise):.1f} cm a metre" in note


def test_stairs_have_no_single_floor() -> None:
    ground, note = estimate_ground(rigid_clip(strides(lambda x: 0.25 * x)), human())
    assert "No single floor" in note and "environment" in note
    assert ground.tilt_rad == 0.0


def test_a_jump_does_not_raise_the_floor() -> None:
    """Half of the clip is flight, and feet are slow at its top."""
    heights = hop_heights_m(100.0, 0.7, still_s=0.35)
    ground, note = estimate_ground(rigid_clip(upward(heights)), human())
    assert ground.height_m == pytest.approx(0.0, abs=0.01)
    assert "Floor estimated" in note


def test_feet_that_never_stand_still_hint_at_a_treadmill() -> None:
    places = np.linspace(0.0, -4.0, 201)[:, None] * [1.0, 0.0, 0.0]
    _, note = estimate_ground(rigid_clip(places), human())
    assert "belt" in note


@needs_mocap
@pytest.mark.parametrize("slope", [0.0, 0.02, -0.02])
def test_the_tilt_of_a_laboratory_is_known(slope) -> None:
    """Force plates are level; what tilt is found in two or three steps is error."""
    paths = [p for p in trial_paths() if "walk" in p.stem]
    assert len(paths) >= 6
    for path in paths:
        given = spoiled(trial(path), slope=slope)
        ground, _ = estimate_ground(given.clip, given.character)
        assert -ground.normal[0] / ground.normal[1] == pytest.approx(slope, abs=0.011)


@needs_mocap
@pytest.mark.parametrize(
    ("name", "single"),
    [("02_01", True), ("05_02", True), ("64_06", True), ("49_02", True), ("90_28", True),
     ("13_35", False), ("03_01", False), ("83_28", False), ("14_28", False)],
)  # fmt: skip
def test_captured_places(name, single) -> None:
    clip, _ = clean(load_clip(MOCAP / "cmu" / f"{name}.bvh"))
    ground, note = estimate_ground(clip, complete_character(clip.skeleton))
    assert note.startswith("Floor estimated" if single else "No single floor")
    if single:
        assert abs(ground.height_m) < 0.1 and ground.tilt_rad < 0.03
