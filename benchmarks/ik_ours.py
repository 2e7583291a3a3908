"""Poise in the race of inverse kinematics: the loop of `poise.ik` with one layer and no posture."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from benchmarks.ik_body import IkWork, Poses
from benchmarks.ik_contract import Solved
from poise.arrays import Indices
from poise.character import Character
from poise.constraints import Recruits, Scene, Task
from poise.ik import IkProblem, IkSettings, build, solve, unsolved
from poise.ik.packing import ANGLE_LENGTH_M
from poise.motion import Clip

UNLIMITED = np.zeros(0)
SETTINGS = IkSettings(
    tolerance_mm=0.02,
    tolerance_deg=0.002,
    posture_tolerance_deg=0.5,  # no posture is asked for: once the targets are met, done
    settled_deg=0.5,  # the next step would be its square: far below what is asked
    lever_m=0.0,
    attraction=0.0,
    root_attraction=0.0,
    reach_mm=1000.0,
    turn_deg=180.0,
    carry="pose",
)


class Ours:
    """All 21 frames and the centre of mass in one layer, as the peers have them."""

    name = "ours"
    has_center = True
    _problem: IkProblem

    def prepare(self, work: IkWork) -> None:
        # The peers run without joint limits.
        skeleton = replace(work.skeleton, limits_rad=UNLIMITED)
        frames = work.frames
        still = Clip(
            skeleton=skeleton,
            rate_hz=24.0,
            root_positions_m=np.repeat(work.start.root_m, frames, axis=0),
            rotations_wxyz=np.repeat(work.start.local_wxyz, frames, axis=0),
        )
        scene = Scene(still, Character(skeleton, body=work.body))
        everything = Recruits(skeleton.freedoms > 0, True)
        tasks: list[Task] = []
        for joint, name in enumerate(skeleton.joint_names):
            places, turns = (
                work.targets.positions_m[:, joint],
                work.targets.rotations_wxyz[:, joint],
            )
            tasks.append(Task(name, "point", 0, places, everything, joint=joint))
            # All weigh 1 here, metres and radians alike.
            weight = ANGLE_LENGTH_M**-2
            tasks.append(Task(name, "turn", 0, turns, everything, weight=weight, joint=joint))
        if work.center:
            tasks.append(Task("centre", "center", 0, work.targets.com_m, everything))
        self._problem = build(scene, tasks)

    def solve(self, plan: Indices) -> Solved:
        found = unsolved(self._problem)
        solve(self._problem, SETTINGS, found, 0, len(plan) - 1)
        poses = Poses(found.root_positions_m, found.rotations_wxyz)
        return Solved(poses, found.iterations)
