"""The benchmark of walks in place: its cases are in place, and their truth is true."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.in_place import SLOPE_DEG, cases, made_cycle, there_and_back_m
from poise.job.root_motion import mean_velocity_m_s


@pytest.mark.parametrize("slope_deg", [0.0, SLOPE_DEG])
def test_a_made_cycle_is_in_place_and_closes(slope_deg: float) -> None:
    clip, true = made_cycle("walk", 1.3, 30.0, 0.0, slope_deg)
    assert np.linalg.norm(true) == pytest.approx(1.3 * 1.24 / 1.08, rel=1e-3)
    assert true[1] == pytest.approx(true[2] * np.tan(np.radians(slope_deg)), abs=1e-9)
    assert np.linalg.norm(mean_velocity_m_s(clip)) < 0.02
    assert there_and_back_m(clip) < 1e-3


def test_cases_have_names_of_their_own() -> None:
    names = [case.name for case in cases()]
    assert len(set(names)) == len(names) >= 38
