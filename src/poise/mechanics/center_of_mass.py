"""Where the weight of a body is."""

from __future__ import annotations

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import Body, Skeleton
from poise.compiled import compiled
from poise.errors import BadShape, BadValue
from poise.mechanics.kinematics import BodyState, forward_kinematics
from poise.mechanics.quaternion_kernels import turn_row
from poise.sharing import over_frames


def carried_inertias_kg_m2(skeleton: Skeleton, body: Body) -> Array:
    """(J,) inertia of all that a joint carries, about it as the body stands, mean of all axes."""
    rest = forward_kinematics(skeleton, np.zeros((1, 3)), skeleton.standing.rest_wxyz[None])
    places, turns = rest.positions_m[0], rest.rotations_wxyz[0]
    centers = places + rotations.rotate(turns, body.centers_m)
    own = np.trace(body.inertias_kg_m2, axis1=1, axis2=2) / 3.0
    carried = np.zeros(skeleton.joint_count)
    for segment in range(skeleton.joint_count):
        for joint in skeleton.ancestors(segment):
            away = centers[segment] - places[joint]
            carried[joint] += own[segment] + body.masses_kg[segment] * (2.0 / 3.0) * (away @ away)
    return carried


def center_of_mass(state: BodyState, body: Body, *, parallel: bool = True) -> Array:
    """(F, 3) the centre of mass in the world.

    Its velocity and acceleration are `momentum(...).linear_kg_m_s` and
    `momentum_rate(...).force_n` over the total mass.
    """
    check_body(state.skeleton.joint_count, body)
    centers = np.empty((state.frame_count, 3))
    over_frames(
        _center, state.frame_count, 5 * state.skeleton.joint_count, parallel,
        body.masses_kg, body.centers_m, state.positions_m, state.rotations_wxyz, centers,
    )  # fmt: skip
    return centers


def check_body(joint_count: int, body: Body) -> None:
    """Raise unless the body has one segment per joint and weighs something."""
    if len(body.masses_kg) != joint_count:
        raise BadShape("body.masses_kg", f"({joint_count},)", body.masses_kg.shape)
    if not body.total_mass_kg > 0:
        raise BadValue("total mass of the body", "more than zero", body.total_mass_kg)


@compiled
def _center(
    first: int, last: int,
    masses: Array, offsets: Array, positions: Array, rotations: Array, centers: Array,
) -> None:  # fmt: skip
    share = 1.0 / masses.sum()
    for f in range(first, last):
        cx, cy, cz = 0.0, 0.0, 0.0
        for j in range(len(masses)):
            m = masses[j]
            ox, oy, oz = turn_row(rotations, f, j, offsets[j, 0], offsets[j, 1], offsets[j, 2])
            cx += m * (positions[f, j, 0] + ox)
            cy += m * (positions[f, j, 1] + oy)
            cz += m * (positions[f, j, 2] + oz)
        centers[f, 0], centers[f, 1], centers[f, 2] = cx * share, cy * share, cz * share
