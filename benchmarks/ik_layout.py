"""From our body to a peer's, and from a peer's coordinates to our poses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.ik_body import Poses
from poise import rotations
from poise.arrays import Array, Indices
from poise.character import Body, Skeleton

LEAST_MASS_KG = 1e-9
"""For toes, neck and collar bones, which have none: shifts the CoM by less than 1e-10 m."""


def with_mass(body: Body) -> Body:
    """The same masses, none of them zero (MuJoCo wants some); inertias do not matter here."""
    masses = np.maximum(body.masses_kg, LEAST_MASS_KG)
    return Body(masses, body.centers_m, 0.01 * masses[:, None, None] * np.eye(3))


@dataclass(frozen=True, eq=False)
class Layout:
    """Where a peer keeps the numbers of each of our joints in its own coordinates."""

    skeleton: Skeleton
    balls: Indices
    quaternions: Indices
    """(balls, 4) the columns of w, x, y and z."""
    hinges: Indices
    angles: Indices
    """(hinges,) columns."""

    @staticmethod
    def of(skeleton: Skeleton, starts: list[int], wxyz: tuple[int, int, int, int]) -> Layout:
        """From where each joint's coordinates start (the root's position) and their order."""
        columns = np.array(starts)
        columns[0] += 3
        balls = np.array([j for j, kind in enumerate(skeleton.kinds) if kind == "ball"])
        hinges = np.array([j for j, kind in enumerate(skeleton.kinds) if kind == "hinge"])
        quaternions = columns[balls, None] + np.array(wxyz)
        return Layout(skeleton, balls, quaternions, hinges, columns[hinges])

    def poses(self, q: Array) -> Poses:
        """From rows of coordinates."""
        local = np.empty((len(q), self.skeleton.joint_count, 4))
        local[:, self.balls] = q[:, self.quaternions]
        axes = self.skeleton.hinge_axes[self.hinges]
        local[:, self.hinges] = rotations.from_axis_angle(axes, q[:, self.angles])
        return Poses(q[:, :3], rotations.multiply(self.skeleton.rest_wxyz, local))
