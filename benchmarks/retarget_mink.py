"""mink by itself, as its examples use it, on the targets that Poise's mapping gives.

A task per part and a weak one for the rest pose, joint limits, the last frame as a start, a few
steps per frame. Nothing here knows of contacts or of the frames around.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mink
import mujoco
import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import Character
from poise.mechanics import forward_kinematics
from poise.methods.retarget import Kinematic
from poise.motion import Clip
from poise.transfer import Correspondence, wanted_turns
from poise.units import world_from_file_wxyz

SOLVER = "daqp"
STEPS = 5
"""Per frame. With 25 the bones are less than 0.5° better, but for T1's kick (3°)."""
_SETTLING = 100
_DAMPING = 1e-3
_PLACED = {"pelvis": 5.0, "ankle": 10.0, "wrist": 10.0, "knee": 3.0, "elbow": 5.0}
_TURNED = {"pelvis": 5.0, "chest": 5.0, "ankle": 3.0}
"""Costs, in the proportions of Poise's own weights (ten times: mink's damping is then small)."""
_FOREARM = 3.0
"""Cost of turning a forearm that ends in no wrist."""
_RESTING = 0.1


@dataclass(frozen=True, eq=False)
class Prepared:
    """A robot with its tasks, and where they are to be."""

    model: Any
    tasks: tuple[Any, ...]
    goals: tuple[tuple[Any, ...], ...]
    """Per frame, per task."""
    start: Array
    """(n,) joints at rest, root where the first frame wants it."""


def prepared(
    robot: Path, clip: Clip, source: Character, target: Character, matches: Correspondence,
    kinematic: Kinematic,
) -> Prepared:  # fmt: skip
    """Tasks for pelvis, torso, knees, feet, elbows and hands, as far as the robot has them."""
    assert target.roles is not None
    model = mujoco.MjModel.from_xml_path(str(robot))
    state = forward_kinematics(clip.skeleton, *clip.pose)
    turns = wanted_turns(state, source, target, matches)
    to_file = rotations.conjugate(world_from_file_wxyz("z"))
    places, turns = (
        rotations.rotate(to_file, kinematic.wanted_m),
        rotations.multiply(to_file, turns),
    )
    tasks: list[Any] = []
    goals: list[list[Any]] = []
    for role, name in target.roles.joints.items():
        part = role.split("_")[-1]
        if part not in _PLACED and part not in _TURNED:
            continue
        joint = target.skeleton.index(name)
        handless = part == "elbow" and role.replace("elbow", "wrist") not in target.roles.joints
        turned = _FOREARM if handless else _TURNED.get(part, 0.0)
        placed = _PLACED.get(part, 0.0)
        tasks.append(mink.FrameTask(_body_of(model, name), "body", placed, turned, lm_damping=1.0))
        goals.append(_goals(places[:, joint], turns[:, joint]))
    rest = mink.PostureTask(model, cost=_RESTING)
    tasks.append(rest)
    goals.append([model.qpos0.copy()] * clip.frame_count)
    start = np.concatenate([places[0, 0], turns[0, 0], model.qpos0[7:]])
    return Prepared(model, tuple(tasks), tuple(zip(*goals, strict=True)), start)


def started(ready: Prepared) -> Array:
    """(n,) the robot in the first frame, so that no frame pays for the way there."""
    configuration = mink.Configuration(ready.model, ready.start)
    _solve(ready, configuration, 0, _SETTLING)
    return configuration.q.copy()


def solved(ready: Prepared, start: Array) -> Array:
    """(F, n) generalised coordinates of the robot."""
    configuration = mink.Configuration(ready.model, start)
    made = np.empty((len(ready.goals), ready.model.nq))
    for frame in range(len(ready.goals)):
        _solve(ready, configuration, frame, STEPS)
        made[frame] = configuration.q
    return made


def _solve(ready: Prepared, configuration: Any, frame: int, steps: int) -> None:
    limits = [mink.ConfigurationLimit(ready.model)]
    step_s = ready.model.opt.timestep
    for task, goal in zip(ready.tasks, ready.goals[frame], strict=True):
        task.set_target(goal)
    for _ in range(steps):
        speed = mink.solve_ik(
            configuration, ready.tasks, step_s, SOLVER, damping=_DAMPING, limits=limits
        )
        configuration.integrate_inplace(speed, step_s)


def _body_of(model: Any, name: str) -> str:
    """The body that a joint of Poise's robot is: that of the hinge, or a link by its own name."""
    joint = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, name)
    hinge = joint >= 0 and model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_HINGE
    return str(model.body(model.jnt_bodyid[joint]).name) if hinge else name


def _goals(places_m: Array, turns_wxyz: Array) -> list[Any]:
    return [
        mink.SE3.from_rotation_and_translation(mink.SO3(turn), place)
        for place, turn in zip(places_m, turns_wxyz, strict=True)
    ]
