"""Moved stages: exact on the ground, fading into each other in the air."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from poise import rotations
from poise.arrays import Array
from poise.errors import BadValue
from poise.mechanics import forward_kinematics
from poise.methods.momentum.initial_guess import Move, moved_clip, turning_rad
from poise.methods.momentum.stages import Stage, stages_of
from poise.motion import Clip
from poise.samples import SAMPLES, sample_character


@cache
def jump() -> tuple[Clip, tuple[Stage, ...]]:
    sample = SAMPLES["jump"]()
    found = stages_of(sample.clip, sample_character(), sample.contacts)
    assert [stage.kind for stage in found] == ["ground", "flight", "ground"]
    return sample.clip, found


def places(clip: Clip) -> Array:
    return forward_kinematics(clip.skeleton, *clip.pose).positions_m


def test_without_moves_the_clip_comes_back() -> None:
    clip, stages = jump()
    same = moved_clip(clip, stages, {})
    np.testing.assert_allclose(same.root_positions_m, clip.root_positions_m, atol=1e-12)
    np.testing.assert_allclose(same.rotations_wxyz, clip.rotations_wxyz, atol=1e-12)


def test_a_moved_landing_is_moved_and_the_flight_leads_there() -> None:
    clip, stages = jump()
    by = np.array([0.3, 0.0, 0.8])
    gaps = places(moved_clip(clip, stages, {2: Move(by)})) - places(clip)
    np.testing.assert_allclose(gaps[: stages[0].stop], 0.0, atol=1e-12)
    np.testing.assert_allclose(gaps[stages[2].first :] - by, 0.0, atol=1e-12)
    flight = gaps[stages[1].first : stages[1].stop]
    # Whole in its first and its last frame: there feet are still where they stood or will land.
    share = np.linspace(0.0, 1.0, stages[1].frame_count)[:, None, None]
    np.testing.assert_allclose(flight - share * by, 0.0, atol=1e-12)


@pytest.mark.parametrize("turns", [-1, 1, 2])
def test_a_full_turn_ends_as_it_was_and_spins_in_the_air(turns: int) -> None:
    clip, stages = jump()
    spun = moved_clip(clip, stages, {2: Move(turn_rad=2.0 * np.pi * turns)})
    for stage in (stages[0], stages[2]):
        frames = slice(stage.first, stage.stop)
        np.testing.assert_allclose(places(spun)[frames], places(clip)[frames], atol=1e-9)
    root = rotations.multiply(
        spun.rotations_wxyz[:, 0], rotations.conjugate(clip.rotations_wxyz[:, 0])
    )
    heading = np.unwrap(2.0 * np.arctan2(root[:, 2], root[:, 0]))
    assert heading[-1] - heading[0] == pytest.approx(2.0 * np.pi * turns, abs=1e-9)
    told = turning_rad(stages, {2: Move(turn_rad=2.0 * np.pi * turns)})
    np.testing.assert_allclose(heading - heading[0], told, atol=1e-9)


def test_a_turned_stage_turns_as_a_whole_about_its_middle() -> None:
    clip, stages = jump()
    angle = 0.7
    turned = moved_clip(clip, stages, {2: Move(turn_rad=angle)})
    frames = slice(stages[2].first, clip.frame_count)
    pivot = clip.root_positions_m[frames].mean(axis=0)
    turn = rotations.from_axis_angle(np.array([0.0, 1.0, 0.0]), angle)
    wanted = pivot + rotations.rotate(turn, places(clip)[frames] - pivot)
    np.testing.assert_allclose(places(turned)[frames], wanted, atol=1e-9)


def test_a_flight_at_an_end_goes_with_the_only_stage_it_has() -> None:
    clip, stages = jump()
    by = np.array([0.2, 0.1, -0.4])
    for part, first, move in ((stages[:2], 0, 0), (stages[1:], stages[1].first, 1)):
        cut = clip.sliced(first, part[-1].stop)
        moved_on = [replace(s, first=s.first - first, stop=s.stop - first) for s in part]
        gaps = places(moved_clip(cut, moved_on, {move: Move(by)})) - places(cut)
        np.testing.assert_allclose(gaps - by, 0.0, atol=1e-12)


def test_moves_that_cannot_be_are_refused() -> None:
    with pytest.raises(BadValue, match="finite"):
        Move(np.array([np.nan, 0.0, 0.0]))
