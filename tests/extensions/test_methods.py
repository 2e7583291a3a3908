"""A constraint of a package holds in every method that takes it, frame by frame, too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from poise.constraints import CONSTRAINTS, FLAT, Interval, Scene, find_joint, key_of, tasks_of
from poise.mechanics import forward_kinematics
from poise.methods import METHODS, Edit
from poise.methods.filter.settings import Settings
from poise.methods.filter.stream import FilterStream, clip_of, frames_of
from poise.methods.filter.stream_goals import ALWAYS
from poise.methods.filter.stream_window import run_stream
from poise.motion import Clip
from tests.extensions.installed_packages import EXAMPLE, install
from tests.methods.edited import sampled

FRAMES = 20


@pytest.fixture
def carried(site: Path) -> Any:
    install(EXAMPLE, site)
    return CONSTRAINTS["carry_level"].record


def hands(clip: Clip, character: Any) -> tuple[np.ndarray, np.ndarray]:
    """Differences of height and distances of the wrists, in metres."""
    joints = [find_joint(character, f"{side}_wrist") for side in ("left", "right")]
    places = forward_kinematics(clip.skeleton, *clip.pose).positions_m[:, joints]
    apart = places[:, 0] - places[:, 1]
    return np.abs(apart[:, 1]), np.linalg.norm(apart, axis=1)


ROUNDS = {"deform": None, "filter": Settings(passes="8K")}


@pytest.mark.parametrize(("method", "within_m"), [("deform", 2e-4), ("filter", 2e-3)])
def test_methods_meet_it_and_report_by_how_much(carried: Any, method: str, within_m: float) -> None:
    clip, character = sampled("walk", 30.0, 1.0)
    clip = clip.sliced(0, FRAMES)
    tray = carried("tray", Interval(0, FRAMES - 1), width_m=0.45)
    tilted, _ = hands(clip, character)
    assert tilted.max() > 0.02
    result = METHODS[method].run(Edit(clip, character, [tray]), ROUNDS[method])
    rows = [row for row in result.constraints if row.name == "tray"]
    assert [row.kind for row in rows] == ["distance", "point", "point"]
    assert result.status == "converged" and all(row.met for row in rows)
    height, distance = hands(result.clip, character)
    assert height.max() < within_m and np.abs(distance - 0.45).max() < within_m


def test_it_eases_in_and_out_and_leaves_other_frames_alone(carried: Any) -> None:
    clip, character = sampled("walk", 30.0, 1.0)
    tray = carried("tray", Interval(5, 25, 5, 5))
    scene = Scene(clip, character, FLAT)
    assert key_of(tray) == "carry_level"
    for task in tasks_of(tray, scene)[1:]:
        place = scene.state.positions_m[5:26, task.joint]
        np.testing.assert_array_equal(task.goals[[0, -1]], place[[0, -1]])
        assert np.abs(task.goals[10] - place[10]).max() > 0.0


def test_a_stream_gives_what_the_whole_clip_gives(carried: Any) -> None:
    clip, character = sampled("walk", 30.0, 1.0)
    clip = clip.sliced(0, FRAMES)
    tray = carried("tray", Interval(0, FRAMES - 1), width_m=0.45)
    expected = METHODS["filter"].run(Edit(clip, character, [tray]), Settings()).clip
    always = carried("tray", ALWAYS, width_m=0.45)
    stream = FilterStream(character, clip.rate_hz, [always])
    found = clip_of(run_stream(frames_of(clip), stream), clip)
    np.testing.assert_allclose(found.rotations_wxyz, expected.rotations_wxyz, atol=1e-12)
