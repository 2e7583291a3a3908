"""Root motion of what is written: in place, travelling, as it is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import poise
from poise import rotations, samples
from poise.character import Skeleton
from poise.environment import Environment, Ground
from poise.errors import FileProblem
from poise.formats import load_clip
from poise.job import recipe_from_text, root_motion_of
from poise.job.root_motion import mean_velocity_m_s, with_root_motion
from poise.motion import Clip

SPEED_M_S = 1.24 / 1.08


def walk(rate_hz: float = 50.0) -> Clip:
    return replace(samples.walking(2.16, rate_hz).clip, source=None)


def test_out_of_place_and_back_again() -> None:
    cycle = root_motion_of(walk(), "in-place").clip
    assert np.linalg.norm(mean_velocity_m_s(cycle)) < 1e-12
    gone = root_motion_of(cycle, "travel")
    assert np.linalg.norm(mean_velocity_m_s(gone.clip)) == pytest.approx(SPEED_M_S, rel=0.02)
    back = root_motion_of(gone.clip, "in-place")
    assert np.abs(back.clip.root_positions_m - cycle.root_positions_m).max() < 1e-3
    assert "1.1" in gone.notes[0] and "1.1" in back.notes[0]


def test_the_sway_stays() -> None:
    clip = walk()
    cycle = root_motion_of(clip, "in-place").clip
    np.testing.assert_array_equal(cycle.root_positions_m[:, 1], clip.root_positions_m[:, 1])
    np.testing.assert_allclose(cycle.root_positions_m[:, 0], clip.root_positions_m[:, 0])
    assert np.ptp(cycle.root_positions_m[:, 2]) > 0.01  # faster and slower within a step
    np.testing.assert_array_equal(cycle.rotations_wxyz, clip.rotations_wxyz)


def test_the_place_goes_along() -> None:
    floor = Environment.flat(0.1)
    rooted = with_root_motion(walk(), floor, "in-place")
    assert np.linalg.norm(rooted.environment.surfaces[0].belt_velocity_m_s) == pytest.approx(
        SPEED_M_S, rel=0.02
    )
    again = with_root_motion(rooted.clip, rooted.environment, "travel")
    assert not again.environment.surfaces[0].belt_velocity_m_s.any()
    np.testing.assert_allclose(again.clip.root_positions_m, walk().root_positions_m, atol=1e-9)


def test_uphill_it_keeps_to_the_slope() -> None:
    slope = 0.07
    tilt = rotations.from_axis_angle(np.array([1.0, 0.0, 0.0]), -np.arctan(slope))
    roots, turns = rotations.rotate(tilt, walk().root_positions_m), walk().rotations_wxyz.copy()
    turns[:, 0] = rotations.multiply(tilt, turns[:, 0])
    uphill = replace(walk(), root_positions_m=roots, rotations_wxyz=turns)
    hill = Environment((Ground(0.0, np.array([0.0, 1.0, -slope])),))
    rooted = with_root_motion(uphill, hill, "in-place")
    assert np.ptp(rooted.clip.root_positions_m[:, 1]) < 0.08  # it does not climb
    made = root_motion_of(rooted.clip, "travel").clip
    climbed = made.root_positions_m[-1, 1] - made.root_positions_m[0, 1]
    went = made.root_positions_m[-1, 2] - made.root_positions_m[0, 2]
    assert climbed / went == pytest.approx(slope, abs=0.005)


@pytest.mark.parametrize(
    ("clip", "wanted", "said"),
    [
        (walk(), "travel", "travels already"),
        (samples.squatting().clip, "travel", "does not move"),
        (samples.squatting().clip, "in-place", "stays where it is"),
    ],
)
def test_nothing_to_do_is_said(clip: Clip, wanted: str, said: str) -> None:
    rooted = root_motion_of(clip, wanted)  # type: ignore[arg-type]
    assert rooted.clip is clip and said in rooted.notes[0]


def test_a_cycle_that_is_in_place_stays_as_it_is() -> None:
    cycle = root_motion_of(walk(), "in-place").clip
    again = root_motion_of(cycle, "in-place")
    assert again.clip is cycle and "in place already" in again.notes[0]


def test_a_path_that_turns_is_said() -> None:
    clip = walk()
    bend = np.linspace(0.0, np.pi, clip.frame_count)
    roots = clip.root_positions_m + 1.5 * np.sin(bend)[:, None] * [1.0, 0.0, 0.0]
    notes = root_motion_of(replace(clip, root_positions_m=roots), "in-place").notes
    assert any("not straight" in note for note in notes)


def test_of_unknown_feet_travel_is_refused_and_in_place_is_not() -> None:
    bones = Skeleton(("root", "tip"), [-1, 0], [[0.0, 1.0, 0.0], [0.0, 0.5, 0.0]])
    roots = np.linspace([0.0, 1.0, 0.0], [0.0, 1.0, 2.0], 30)
    turns = np.tile([1.0, 0.0, 0.0, 0.0], (30, 2, 1))
    snake = Clip(bones, 30.0, roots, turns, name="snake")
    assert np.ptp(root_motion_of(snake, "in-place").clip.root_positions_m[:, 2]) < 1e-9
    with pytest.raises(FileProblem, match="how fast"):
        root_motion_of(snake, "travel")


def test_a_recipe_asks_for_it(tmp_path: Path) -> None:
    recipe = recipe_from_text("poise: 1\nsteps: [{deform: {}}]\noutputs: {root_motion: in-place}\n")
    made = poise.run(recipe, walk())
    notes = made.save(tmp_path / "cycle.npz")
    assert any("in place" in note for note in notes)
    cycle = load_clip(tmp_path / "cycle.npz")
    assert np.linalg.norm(mean_velocity_m_s(cycle)) < 1e-6
    made.save(tmp_path / "walk.npz", root_motion="as-is")
    went = mean_velocity_m_s(load_clip(tmp_path / "walk.npz"))
    assert np.linalg.norm(went) == pytest.approx(SPEED_M_S, rel=0.02)
