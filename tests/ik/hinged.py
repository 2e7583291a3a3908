"""Made robots of hinges, and what following frames costs, worked out by other code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy.optimize import least_squares

from poise import rotations
from poise.arrays import Array
from poise.character import Character, Skeleton
from poise.character.skeleton import JointKind
from poise.constraints import Recruits, Scene, Task
from poise.ik.followed_frames import FollowSettings
from poise.ik.packed import BALL, TRANSLATION
from poise.ik.packing import ANGLE_LENGTH_M
from poise.ik.problem import IkProblem, IkSolution
from poise.mechanics import forward_kinematics
from poise.motion import Clip
from tests.constraints.made_scenes import quantity

RATE_HZ = 30.0
X, Y, Z = np.eye(3)
TIP_M = np.array([0.0, 0.25, 0.05])
"""Of the last joint of an arm: the point that tasks are about."""


@cache
def arm(range_rad: float = 1.9) -> Character:
    """Six hinges on a base that stays: a shoulder of three, an elbow and a wrist of two."""
    axes = np.stack([np.zeros(3), Z, X, Y, X, Z, X])
    offsets = np.zeros((7, 3))
    offsets[[3, 4, 5]] = [[0.02, 0.1, 0.0], [0.0, 0.3, 0.03], [0.0, 0.28, 0.0]]
    hinge: JointKind = "hinge"
    kinds: list[JointKind] = ["ball", hinge, hinge, hinge, hinge, hinge, hinge]
    limits = np.tile([-np.inf, np.inf], (7, 3, 1))
    limits[1:, 0] = [-range_rad, range_rad]
    limits[4, 0] = [0.0, 2.4]
    rest = rotations.normalize(np.random.default_rng(1).normal(size=(7, 4)) * 0.2 + [1, 0, 0, 0])
    return Character(
        Skeleton(
            ("base", "yaw", "pitch", "roll", "elbow", "hand", "tip"), np.arange(-1, 6), offsets,
            rest, tuple(kinds), axes, limits,
        )
    )  # fmt: skip


def hinges(character: Character) -> Recruits:
    """All hinges, and nothing else."""
    return Recruits(np.array([k == "hinge" for k in character.skeleton.kinds]), False)


def turned(character: Character, angles_rad: Array) -> Array:
    """(F, J, 4) local rotations of hinges at angles (F, hinges)."""
    skeleton = character.skeleton
    turns = np.tile(skeleton.rest_wxyz, (len(angles_rad), 1, 1))
    for column, joint in enumerate(np.flatnonzero(hinges(character).joints).tolist()):
        bend = rotations.from_axis_angle(skeleton.hinge_axes[joint], angles_rad[:, column])
        turns[:, joint] = rotations.multiply(turns[:, joint], bend)
    return turns


def angles(character: Character, turns_wxyz: Array) -> Array:
    """(F, hinges) their angles, between -π and π."""
    skeleton = character.skeleton
    joints = np.flatnonzero(hinges(character).joints)
    bend = rotations.multiply(rotations.conjugate(skeleton.rest_wxyz), turns_wxyz)
    found = [rotations.twist_angle(bend[:, j], skeleton.hinge_axes[j]) for j in joints]
    return np.stack(found, axis=1)


def scene_of(character: Character, turns_wxyz: Array) -> Scene:
    roots = np.zeros((len(turns_wxyz), 3))
    return Scene(Clip(character.skeleton, RATE_HZ, roots, turns_wxyz), character)


def tip_task(character: Character, goals: Array, first: int = 0) -> Task:
    """The tip of an arm is at its goals."""
    return Task(
        "tip", "point", first, goals, hinges(character), joint=6, offset_m=TIP_M
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Lacking:
    """What `follow` makes the squares of small, of displacements of one frame."""

    problem: IkProblem
    frame: int
    before: Array
    """(W,) the displacement of the frame before."""
    settings: FollowSettings

    def cost(self, x: Array) -> float:
        return float((self.at(x[None]) ** 2).sum())

    def least(self) -> float:
        """As SciPy finds it, going on from the frame before."""
        slopes: Any = self._slopes  # SciPy's stub knows names of methods only
        found = least_squares(self._alone, self.before, slopes, xtol=1e-10, ftol=1e-10)
        return 2.0 * float(found.cost)

    def _alone(self, x: Array) -> Array:
        return self.at(x[None])[0]

    def _slopes(self, x: Array) -> Array:
        ways = 1e-6 * np.eye(len(x))
        return (self.at(x + ways) - self.at(x - ways)).T / 2e-6

    def at(self, x: Array) -> Array:
        """(B, R) of displacements (B, W)."""
        problem, settings, f = self.problem, self.settings, self.frame
        character = problem.scene.character
        calm = settings.calm_s * problem.scene.clip.rate_hz if f > 0 else 0.0
        heaviest = max((task.weight for task in problem.tasks), default=1.0)
        roots, turns = displaced(problem, f, x)
        state = forward_kinematics(character.skeleton, roots, turns)
        parts = [np.sqrt(settings.place) * x, np.sqrt(calm) * (x - self.before)]
        for task in problem.tasks:
            if task.first <= f <= task.last:
                now, goal = quantity(task, state, character), task.goals[f - task.first]
                if task.kind == "turn":
                    over = rotations.log(rotations.multiply(goal, rotations.conjugate(now)))
                    error = ANGLE_LENGTH_M * over
                else:
                    error = (goal - now)[:, list(task.axes)]
                parts.append(np.sqrt(task.weight / heaviest) * error)
        low, high = character.skeleton.limits_rad[hinges(character).joints, 0].T
        angle = angles(character, turns)
        parts.append(np.sqrt(settings.range) * (angle - np.clip(angle, low, high)))
        return np.concatenate(parts, axis=1)


def displaced(problem: IkProblem, f: int, x: Array) -> tuple[Array, Array]:
    """The original of a frame, displacements (B, W) on."""
    clip, blocks = problem.scene.clip, problem.blocks
    roots = np.tile(clip.root_positions_m[f], (len(x), 1))
    turns = np.tile(clip.rotations_wxyz[f], (len(x), 1, 1))
    for kind, j, c, axis in zip(blocks.kind, blocks.joint, blocks.column, blocks.axis, strict=True):
        if kind == TRANSLATION:
            roots += x[:, c : c + 3]
        elif kind == BALL:
            turns[:, j] = rotations.multiply(rotations.exp(x[:, c : c + 3]), turns[:, j])
        else:
            turns[:, j] = rotations.multiply(turns[:, j], rotations.exp(x[:, c, None] * axis))
    return roots, turns


def displacement(problem: IkProblem, f: int, at: IkSolution) -> Array:
    """(W,) of a solution's frame from the original."""
    clip, blocks, x = problem.scene.clip, problem.blocks, np.zeros(problem.width)
    for kind, j, c, axis in zip(blocks.kind, blocks.joint, blocks.column, blocks.axis, strict=True):
        old, new = clip.rotations_wxyz[f, j], at.rotations_wxyz[f, j]
        if kind == TRANSLATION:
            x[c : c + 3] = at.root_positions_m[f] - clip.root_positions_m[f]
        elif kind == BALL:
            x[c : c + 3] = rotations.log(rotations.multiply(new, rotations.conjugate(old)))
        else:
            x[c] = rotations.log(rotations.multiply(rotations.conjugate(old), new)) @ axis
    return x


def largest_step(rows: Array | Sequence[Array]) -> float:
    """From row to row."""
    return float(np.abs(np.diff(np.asarray(rows), axis=0)).max())
