"""Whole-clip inverse kinematics in windows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.constraints import Scene, Task, tasks_of
from poise.ik.long_clip import solve_long
from poise.mechanics import forward_kinematics
from poise.methods import Edit
from tests.methods.edited import feet, sampled


def _moved_feet() -> tuple[Scene, list[Task]]:
    clip, character = sampled("walk", 30.0, 8.0)
    edit = Edit(clip, character, feet(clip))
    tasks = [task for c in edit.constraints for task in tasks_of(c, edit.scene)]
    aside = np.array([0.02, 0.0, 0.0])
    return edit.scene, [
        replace(task, goals=task.goals + aside) if task.kind == "point" else task for task in tasks
    ]


def test_windows_agree_with_the_whole() -> None:
    scene, tasks = _moved_feet()
    whole = solve_long(scene, tasks)
    cut = solve_long(scene, tasks, window_s=3.0, overlap_s=1.5)
    skeleton = scene.clip.skeleton
    places = [forward_kinematics(skeleton, *found[:2]).positions_m for found in (whole, cut)]
    assert np.abs(places[0] - places[1]).max() < 1e-3
    assert np.abs(places[0] - scene.state.positions_m).max() > 5e-3  # something was done


def test_hard_tasks_hold_in_every_window() -> None:
    scene, tasks = _moved_feet()
    *_, worst = solve_long(scene, tasks, window_s=3.0, overlap_s=1.5)
    assert worst and max(worst.values()) < 1e-4
