"""The physics solve in windows, without the laws of motion."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.constraints import Scene, Task, tasks_of
from poise.constraints.recruiting import EVERYTHING, recruits_of_point
from poise.mechanics import forward_kinematics
from poise.methods import Edit
from poise.physics import PhysicsSolution, nowhere, solve_clip
from tests.methods.edited import feet, sampled
from tests.physics.kinematic import nothing, settings


def _moved_feet() -> tuple[Scene, list[Task]]:
    clip, character = sampled("walk", 30.0, 8.0)
    edit = Edit(clip, character, feet(clip))
    tasks = [task for c in edit.constraints for task in tasks_of(c, edit.scene)]
    aside = np.array([0.02, 0.0, 0.0])
    return edit.scene, [
        replace(task, goals=task.goals + aside) if task.kind == "point" else task for task in tasks
    ]


def solved(scene: Scene, tasks: list[Task], **more: Any) -> PhysicsSolution:
    clip = scene.clip
    return solve_clip(
        scene, tasks, nothing(clip.frame_count, clip.rate_hz), settings(),
        asked=nowhere(clip.frame_count), **more,
    )  # fmt: skip


def test_windows_agree_with_the_whole() -> None:
    scene, tasks = _moved_feet()
    whole = solved(scene, tasks)
    cut = solved(scene, tasks, window_s=3.0, overlap_s=1.5)
    skeleton = scene.clip.skeleton
    places = [forward_kinematics(skeleton, *found.pose).positions_m for found in (whole, cut)]
    assert np.abs(places[0] - places[1]).max() < 1e-3
    assert np.abs(places[0] - scene.state.positions_m).max() > 5e-3  # something was done


def test_hard_tasks_hold_in_every_window() -> None:
    scene, tasks = _moved_feet()
    worst = solved(scene, tasks, window_s=3.0, overlap_s=1.5).missed_m
    assert worst and max(worst.values()) < 1e-4


def _swift_reaches() -> tuple[Scene, list[Task]]:
    """A hand that is pulled aside in a fifth of a second, three times."""
    clip, character = sampled("walk", 30.0, 8.0)
    scene, hand = Scene(clip, character), character.skeleton.index("LeftHand")
    by = recruits_of_point(character, hand, np.zeros(3), EVERYTHING)
    path, tasks = scene.state.positions_m[:, hand], list[Task]()
    for middle in (30, 120, 195):
        for name, a, aside in (("here", middle - 15, 0.0), ("there", middle + 3, 0.15)):
            goals = path[a : a + 12] + np.array([aside, 0.0, 0.0])
            tasks.append(Task(f"{name} from {a}", "point", a, goals, by, joint=hand))
    return scene, tasks


def _speeds_rad_s(turns: Array) -> Array:
    return rotations.angle_between(turns[:-1], turns[1:]) * 30.0


def test_joints_turn_hardly_faster_than_they_may_in_every_window() -> None:
    scene, tasks = _swift_reaches()
    own = _speeds_rad_s(scene.clip.rotations_wxyz).max(axis=0)
    most = np.maximum(1.05 * own, 0.5)
    free = solved(scene, tasks, window_s=3.0, overlap_s=1.5)
    calm = solved(scene, tasks, fastest_rad_s=most, window_s=3.0, overlap_s=1.5)
    before, after = (
        (_speeds_rad_s(found.rotations_wxyz) / most).max(axis=1) for found in (free, calm)
    )
    worst = calm.missed_m
    for middle in (30, 120, 195):
        assert before[middle - 15 : middle + 15].max() > 1.1
    assert after.max() < 1.03
    assert len(worst) == len(tasks) and max(worst.values()) < 1e-4
