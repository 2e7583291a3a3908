"""Reaction forces: what the ground must have done for a motion to happen.

Per frame, the forces inside friction cones at the touching points that best explain how the
momentum changes (Lee & Lee 2018, Eq. 11 to 13). Where more than one foot stands, the moment tells
how they share the weight; how hard they push against each other no momentum tells, and there the
forces take the cheapest way, half way between the normal and the line to the centre of mass.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.contact.clip_dynamics import ClipDynamics
from poise.contact.touching_points import TouchingPoints
from poise.errors import BadShape, BadValue, UnknownName
from poise.solvers import ConeSettings, cone_least_squares


@dataclass(frozen=True)
class ReactionSettings:
    """What the surroundings may do."""

    friction: float = 0.8
    """Largest tangential over normal force: rubber soles on a dry floor."""
    cone: Literal["round", "four_sided"] = "round"
    """The friction cone itself, or the pyramid inside it that Eq. 13 uses."""
    largest_force: float = 1.5
    """f_max, the most a point can press, in body weights: the 1000 N of the paper's livelier
    examples."""
    largest_torque_nm: float = 10.0
    """The bound on the small torque of each touching part."""
    aim: float = 0.5
    """Where a foot's force prefers to point, from 0 (along the surface's normal) to 1 (at the
    centre of mass). People's forces meet at a point above it. Against plates (six walks), half way
    takes the error of each foot's forward force in double support from 6.7 % of body weight (at 0,
    Eq. 13 as printed) to 2.0 %, and that of the hip's torque from 64 to 28 N m; 1 gives 5.4 % and
    36 N m."""
    exact: bool = False
    """Leave as little unexplained as any forces could, instead of a little more for a smoother
    share among the points."""

    def __post_init__(self) -> None:
        if not (np.isfinite(self.largest_torque_nm) and self.largest_torque_nm >= 0):
            raise BadValue("largest_torque_nm", "zero or more", self.largest_torque_nm)
        self.in_body_weights(1.0)  # the solver's own settings check the rest

    def in_body_weights(self, unit_nm: float) -> ConeSettings:
        """The same for the solver, with moments in units of `unit_nm`."""
        return ConeSettings(
            friction=self.friction,
            cone=self.cone,
            ceiling=self.largest_force,
            torque_bound=self.largest_torque_nm / unit_nm,
            exact=self.exact,
            aim=self.aim,
        )


UNLIMITED = ReactionSettings(largest_force=np.inf, largest_torque_nm=0.0, aim=0.0, exact=True)
"""Cones only: no ceiling, no free torques. What these leave unexplained is the root wrench."""


@dataclass(frozen=True, eq=False)
class ReactionForces:
    """What the surroundings do to a body, and what nobody does."""

    points: TouchingPoints
    forces_n: Array
    """(F, C, 3) world, at the points' places on the surface."""
    torques_nm: Array
    """(F, P, 3) world, the small torque on each touching part."""
    missing_force_n: Array
    """(F, 3) what of the wanted force the best forces leave unexplained."""
    missing_moment_nm: Array
    """(F, 3) the same for the moment about the centre of mass."""
    converged: NDArray[np.bool_]
    """(F,)"""

    @property
    def total_n(self) -> Array:
        """(F, 3) all forces together."""
        return self.forces_n.sum(axis=1)

    def part_force_n(self, part: str) -> Array:
        """(F, 3) the force on one body part."""
        if part not in self.points.parts:
            raise UnknownName("touching part", part, self.points.parts)
        mine = self.points.owners == self.points.parts.index(part)
        return self.forces_n[:, mine].sum(axis=1)


def reaction_forces(
    dynamics: ClipDynamics, points: TouchingPoints, settings: ReactionSettings | None = None
) -> ReactionForces:
    """The forces of all frames of a clip.

    Args:
        dynamics: what the motion asks for.
        points: where it can be given.
        settings: what the surroundings may do; `UNLIMITED` for the root wrench.
    """
    settings = settings or ReactionSettings()
    if len(points.grip) != len(dynamics.com_m):
        wanted = f"({len(dynamics.com_m)}, {len(points.names)})"
        raise BadShape("points.grip", wanted, points.grip.shape)
    weight, length = dynamics.weight_n, dynamics.length_m
    found = cone_least_squares(
        points.places_m, points.normals, points.grip, dynamics.com_m,
        dynamics.outer_force_n, dynamics.outer_moment_nm,
        settings.in_body_weights(weight * length),
        force_scale_n=weight, length_scale_m=length, bodies=points.owners,
    )  # fmt: skip
    return ReactionForces(
        points,
        found.forces_n,
        found.torques_nm,
        found.missing_force_n,
        found.missing_moment_nm,
        found.converged,
    )
