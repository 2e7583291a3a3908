"""Constraints on a captured walk."""

from __future__ import annotations

import numpy as np
import pytest

from poise.character import complete_character
from poise.constraints import Constraint, Scene, check_nesting, tasks_of
from poise.formats import load_clip
from tests.constraints.cases import CASES
from tests.constraints.made_scenes import gap
from tests.shared_data import MOCAP, needs_mocap


@pytest.fixture(scope="module")
def scene() -> Scene:
    clip = load_clip(MOCAP / "cmu" / "02_01.bvh")
    return Scene(clip, complete_character(clip.skeleton))


@needs_mocap
def test_all_kinds_hold_together_on_a_captured_walk(scene: Scene) -> None:
    tasks = [t for records in CASES.values() for r in records for t in tasks_of(r, scene)]
    for task in tasks:
        assert np.isfinite(task.goals).all()
        if len(task.goals) > 1:  # a hit does not ease
            assert gap(task, scene)[[0, -1]].max() < 1e-6, task.name
    wishes: list[Constraint] = [records[0] for records in CASES.values()]
    check_nesting([t for wish in wishes for t in tasks_of(wish, scene)], scene.character)
