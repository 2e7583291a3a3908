"""A crowded first layer is solved without its rows: the answer is that of the rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from poise.arrays import Array
from poise.character import Sites
from poise.constraints import EVERYTHING, HoldPoint, Interval, Scene, Task
from poise.ik.crowded_layer import solve_crowded
from poise.ik.packed import CENTER, Work
from poise.methods import Edit, deform
from poise.samples import sample_character, walking
from tests.constraints.made_scenes import free_scene
from tests.ik.posed import FAR, Posed, everything, posed, random_goals, write_task

DAMPING = 0.01


def crowd(scene: Scene, *, with_center: bool = True, hand_only: bool = False) -> list[Task]:
    """A point and a turn for every joint, with weights; far more rows than unknowns."""
    random = np.random.default_rng(8)
    frames, recruits = scene.clip.frame_count, everything(scene.character)
    names = scene.character.skeleton.joint_names
    tasks: list[Task] = []
    for joint in range(len(names)):
        on = names.index("left_wrist") if hand_only else joint
        for kind in ("point", "turn"):
            goals = random_goals(kind, frames, random)
            tasks.append(
                Task(
                    f"{kind} {joint}", kind, 0, goals, recruits, joint=on,
                    offset_m=random.normal(size=3), weight=random.uniform(0.1, 3.0),
                )
            )  # fmt: skip
    if with_center:
        goals = random_goals("center", frames, random)
        tasks.insert(7, Task("center", "center", 0, goals, recruits, axes=(True, False, True)))
    return tasks


def written_without_rows(pose: Posed) -> Work:
    """Scratch as the loop leaves it: errors of all tasks, rows of the centre's alone."""
    p, work = pose.problem, pose.work()
    work.full[:] = np.nan  # who reads a row that was left out would show it
    row = 0
    for t in range(len(p.tasks)):
        work.active[t], work.row_of[t] = t, row
        bare = p.packed.kind[t] != CENTER
        write_task(
            p.tree, p.blocks, p.packed, t, pose.frame, row, FAR, FAR, p.width, bare, work
        )  # fmt: skip
        row += int(p.packed.rows[t])
    work.row_of[len(p.tasks)] = row
    return work


def explicit_step(pose: Posed) -> Array:
    """(W,) by all rows."""
    rows, errors = [], []
    for t in range(len(pose.problem.tasks)):
        _, e, j = pose.written(t)
        rows.append(j)
        errors.append(e)
    jacobian, error = np.concatenate(rows), np.concatenate(errors)
    assert len(jacobian) > pose.problem.width
    # The same as the normal equations, with half the digits lost.
    tall = np.vstack([jacobian, np.sqrt(DAMPING) * np.eye(pose.problem.width)])
    return np.linalg.lstsq(tall, np.append(error, np.zeros(pose.problem.width)), rcond=None)[0]


def crowded_step(pose: Posed) -> Array | None:
    """(W,) by the sums up the tree; None where they say the rows do not span everything."""
    p, work = pose.problem, written_without_rows(pose)
    full = solve_crowded(p.tree, p.blocks, p.packed, len(p.tasks), p.width, DAMPING, work)
    return work.step[: p.width].copy() if full else None


MOBILITIES: Mapping[int, float] = {-1: 0.4, 0: 2.0, 3: 0.3, 7: 1.7}


@pytest.mark.parametrize("mobility", [{}, MOBILITIES], ids=["plain", "mobilities"])
@pytest.mark.parametrize("with_center", [False, True], ids=["points and turns", "with a centre"])
@pytest.mark.parametrize("frame", [0, 1])
def test_sums_up_the_tree_give_the_step_of_the_rows(
    mobility: Mapping[int, float], with_center: bool, frame: int
) -> None:
    scene = free_scene(3, 2)
    assert "hinge" in scene.character.skeleton.kinds
    pose = posed(scene, crowd(scene, with_center=with_center), frame, mobility)
    step = crowded_step(pose)
    assert step is not None
    np.testing.assert_allclose(step, explicit_step(pose), atol=1e-9)


def test_far_from_the_origin_no_digits_are_lost() -> None:
    """A walk ten kilometres away is the walk at the origin."""
    scene = free_scene(3, 2)
    here = posed(scene, crowd(scene), 0)
    away = np.array([8e3, 10.0, -6e3])
    moved = [
        replace(task, goals=task.goals + away) if task.kind in ("point", "center") else task
        for task in crowd(scene)
    ]
    there = posed(scene, moved, 0)
    there = replace(there, root_m=there.root_m + away)
    near, far = crowded_step(here), crowded_step(there)
    assert near is not None and far is not None
    np.testing.assert_allclose(far, near, atol=1e-9)


def test_rows_that_do_not_span_everything_are_refused() -> None:
    """Any number of goals on one hand leaves the other free."""
    scene = free_scene(3, 2)
    assert crowded_step(posed(scene, crowd(scene, with_center=False, hand_only=True), 0)) is None


@pytest.mark.parametrize("apart_m", [0.0, 0.01], ids=["all can hold", "they contradict"])
def test_a_crowd_on_one_hand_leaves_the_rest_to_lesser_constraints(apart_m: float) -> None:
    """The damped matrix of such a crowd looks regular; what it leaves free must still be found."""
    points, random = 14, np.random.default_rng(0)
    clip, character = walking(seconds=0.5, rate_hz=30.0).clip, sample_character()
    hand = character.skeleton.index("LeftHand")
    sites = character.sites
    names = tuple(f"on_hand_{i}" for i in range(points))
    more = Sites(
        (*sites.names, *names),
        np.concatenate([sites.joints, np.full(points, hand)]),
        np.vstack([sites.offsets_m, 0.1 * random.normal(size=(points, 3))]),
    )
    character = replace(character, sites=more)
    always = Interval(0, clip.frame_count - 1)
    crowded = [
        HoldPoint(name, name, (0.0, 0.1, 0.1 + apart_m * i), always, "offset", recruit=EVERYTHING)
        for i, name in enumerate(names)
    ]
    low = HoldPoint("low", "chest", (0.0, 0.02, 0.0), always, "offset", priority=2)
    result = deform.run(Edit(clip, character, [*crowded, low]))
    worst = {row.name: row.worst for row in result.constraints}
    assert worst["low"] < 0.1
    assert apart_m > 0 or max(worst.values()) < 0.1
