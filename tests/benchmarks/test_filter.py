"""The race of the filter: its bodies have the coordinates they claim, and peers the same task."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

from benchmarks.filter_body import (
    CMU_COORDINATES,
    FEET,
    LEGS_AND_TRUNK,
    captured_walk,
    dance,
    named,
    wide_walk,
    with_coordinates,
)
from benchmarks.filter_dynamic import LOOP
from benchmarks.filter_kinematic import PEERS
from benchmarks.filter_peers import FromInput, at_ends
from benchmarks.filter_rates import loop_beside, run_anew
from benchmarks.ik_body import Poses
from poise.methods.filter import Settings
from poise.methods.filter.problem import build
from tests.shared_data import needs_mocap

FRAMES = 5


def test_the_dance_moves_54_coordinates() -> None:
    assert build(dance(FRAMES, FEET).edit, Settings()).ik.width == 54


@pytest.mark.parametrize("derivatives", ["sampled", "analytic"])
def test_feet_of_the_dance_come_from_centimetres_away_within_the_tolerance(
    derivatives: str,
) -> None:
    task = dance(FRAMES, FEET)
    assert at_ends(task, task.inputs).worst[0] > 10.0
    found = run_anew(task.edit, Settings(updates=2, derivatives=derivatives)).clip
    assert at_ends(task, Poses(found.root_positions_m, found.rotations_wxyz)).met


def test_the_wide_walk_moves_27_coordinates_in_dynamic_rounds() -> None:
    settings = Settings(passes="1D", fit="separate", left_out=LEGS_AND_TRUNK)
    assert build(wide_walk(30), settings).reduced.width == 27


@needs_mocap
@pytest.mark.parametrize("count", CMU_COORDINATES)
def test_a_cmu_body_moves_as_many_coordinates_as_the_table_says(count: int) -> None:
    edit = captured_walk()
    assert edit is not None
    moved, left_out = CMU_COORDINATES[count]
    assert build(with_coordinates(edit, moved), Settings()).ik.width == count
    fewer = Settings(passes="1D", fit="separate", left_out=named(edit.clip.skeleton, left_out))
    assert build(edit, fewer).reduced.width == count


@pytest.mark.parametrize("name", PEERS)
def test_a_peer_starts_from_the_input_and_gets_there(name: str) -> None:
    if not importlib.util.find_spec(name):
        pytest.skip(f"{name} is not installed")
    task = dance(FRAMES, FEET)
    peer = FromInput(PEERS[name](), task)
    still = peer.solve(np.zeros(FRAMES, dtype=np.int64)).poses
    np.testing.assert_allclose(still.root_m, task.inputs.root_m, atol=1e-12)
    np.testing.assert_allclose(
        np.abs(np.sum(still.local_wxyz * task.inputs.local_wxyz, axis=-1)), 1.0, atol=1e-12
    )
    assert at_ends(task, peer.solve(peer.plan()).poses).met


def test_a_loop_that_is_not_called_is_not_timed() -> None:
    with pytest.raises(AssertionError, match="does not call"):
        loop_beside(wide_walk(30), Settings(passes="1K"), LOOP, lambda: None)
