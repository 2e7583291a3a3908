"""The physics solve without the laws of motion: tasks, ranges, speeds and likeness."""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.contact import ContactSchedule
from poise.ik import IkProblem, IkSolution
from poise.physics import PhysicsSettings, WholeSettings, kinematic, nowhere
from poise.physics.solve import solve


def settings(hard: tuple[float, ...] = (1e5, 3e6), **likeness: float) -> PhysicsSettings:
    """Of tasks alone; nothing is asked of points that no task is about."""
    return kinematic(WholeSettings(**likeness), hard, clearance=0.0)


def nothing(frames: int, rate_hz: float) -> ContactSchedule:
    return ContactSchedule((), np.zeros((frames, 0), dtype=np.bool_), rate_hz)


def solve_whole(
    problem: IkProblem, chosen: PhysicsSettings | None = None, **more: Any
) -> IkSolution:
    clip = problem.scene.clip
    found = solve(
        problem, nothing(clip.frame_count, clip.rate_hz), chosen or settings(),
        asked=nowhere(clip.frame_count), **more,
    )  # fmt: skip
    return found.at
