"""Whole-clip inverse kinematics for clips of any length: windows that overlap and agree.

Displacements forget what is further away than a second or so, so two windows that overlap by more
agree in the middle of the overlap, where one is left for the next. Memory is that of one window.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.constraints import Recruits, Scene, Task
from poise.ik.limits import widened
from poise.ik.problem import IkSolution, build
from poise.ik.whole_clip import WholeSettings, solve_whole
from poise.mechanics import forward_kinematics

WINDOW_S = 20.0
OVERLAP_S = 4.0


def solve_long(
    scene: Scene,
    tasks: Sequence[Task],
    settings: WholeSettings | None = None,
    start: tuple[Array, Array] | None = None,
    *,
    also: Recruits | None = None,
    fastest_rad_s: Array | None = None,
    slack_rad: Array | None = None,
    window_s: float = WINDOW_S,
    overlap_s: float = OVERLAP_S,
) -> tuple[Array, Array, dict[str, float]]:
    """Roots (F, 3), local rotations (F, J, 4), and how far each hard task is missed at worst.

    Joints keep to their ranges, or to how far the clip itself goes beyond them.

    Args:
        scene: the motion to stay close to.
        tasks: what should hold.
        settings: of every window.
        start: roots and rotations to begin with; the scene's by default.
        also: joints that may turn though no task recruits them.
        fastest_rad_s: (J,) how fast each joint may turn; as fast as it likes by default.
        slack_rad: (J,) how far joints may go beyond these ranges.
        window_s: how long a window is; shorter clips are solved as a whole.
        overlap_s: how long neighbours overlap.
    """
    clip = scene.clip
    frames, rate = clip.frame_count, clip.rate_hz
    length, overlap = max(3, round(window_s * rate)), max(1, round(overlap_s * rate))
    roots, turns = clip.root_positions_m.copy(), clip.rotations_wxyz.copy()
    worst: dict[str, float] = {}
    first = 0
    while True:
        stop = frames if frames - first <= length + overlap else first + length
        part = replace(scene, clip=clip.sliced(first, stop))
        inside = [cut for task in tasks for cut in _cut(task, first, stop)]
        if first > 0:
            inside += seams(scene, tasks, first + overlap // 2 - 1, first, roots, turns)
        problem = build(part, inside, also=also)
        limits = widened(problem.limits, problem.blocks, clip.rotations_wxyz, slack_rad)
        begin = None if start is None else begun(start, first, stop, len(problem.tasks))
        found = solve_whole(
            replace(problem, limits=limits), settings, start=begin, fastest_rad_s=fastest_rad_s
        )
        # Up to the middle of the overlap the window before knows better.
        kept = first if first == 0 else first + overlap // 2
        roots[kept:stop] = found.root_positions_m[kept - first :]
        turns[kept:stop] = found.rotations_wxyz[kept - first :]
        for n, task in enumerate(problem.tasks):
            if task.side == 0 and task.priority == 1:
                miss = float(np.nanmax(found.misses[:, n], initial=0.0))
                worst[f"{task.kind}: {task.name}"] = max(
                    miss, worst.get(f"{task.kind}: {task.name}", 0.0)
                )
        if stop == frames:
            return roots, rotations.continuous(turns), worst
        first = stop - overlap


def _cut(task: Task, first: int, stop: int) -> list[Task]:
    """A task as a window sees it."""
    a, b = max(task.first, first), min(task.last + 1, stop)
    if a >= b:
        return []
    goals = task.goals[a - task.first : b - task.first]
    return [replace(task, first=a - first, goals=goals)]


def seams(
    scene: Scene, tasks: Sequence[Task], frame: int, first: int, roots: Array, turns: Array
) -> list[Task]:
    """Tied points go on from where the window before has them in the last frame that it keeps."""
    tied = [task for task in tasks if task.tied and task.first <= frame < task.last]
    if not tied:
        return []
    state = forward_kinematics(
        scene.clip.skeleton, roots[frame : frame + 1], turns[frame : frame + 1]
    )
    return [
        replace(
            task, name=f"{task.name} (goes on)", tied=False, first=frame - first,
            goals=state.positions_m[:, task.joint]
            + rotations.rotate(state.rotations_wxyz[:, task.joint], task.offset_m),
        )
        for task in tied
    ]  # fmt: skip


def begun(start: tuple[Array, Array], first: int, stop: int, tasks: int) -> IkSolution:
    """Roots and rotations as the beginning of a solve of so many tasks."""
    roots, turns = start[0][first:stop], start[1][first:stop]
    frames = stop - first
    return IkSolution(
        roots.copy(), turns.copy(), np.full((frames, tasks), np.nan),
        np.zeros(frames, dtype=np.int64), np.zeros(frames, dtype=np.int64),
    )  # fmt: skip
