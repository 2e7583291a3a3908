"""Rigid parts put together on joints: masses add, centres average, inertias by parallel axes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.character.body import Body


@dataclass(frozen=True, eq=False)
class RigidPart:
    """Something with mass that rides on a joint."""

    joint: int
    mass_kg: float
    center_m: Array
    """(3,) in the joint's frame."""
    inertia_kg_m2: Array
    """(3, 3) about its own centre, in the axes of the joint's frame."""


def parts_of(body: Body) -> list[RigidPart]:
    """A body's segments that weigh something."""
    return [
        RigidPart(j, float(m), body.centers_m[j], body.inertias_kg_m2[j])
        for j, m in enumerate(body.masses_kg.tolist())
        if m > 0
    ]


def assembled(parts: Iterable[RigidPart], joint_count: int) -> Body:
    """The body made of these parts; a joint without any weighs nothing."""
    listed = [part for part in parts if part.mass_kg > 0]
    masses = np.zeros(joint_count)
    moments = np.zeros((joint_count, 3))
    for part in listed:
        masses[part.joint] += part.mass_kg
        moments[part.joint] += part.mass_kg * part.center_m
    centers = moments / np.where(masses > 0, masses, 1.0)[:, None]
    inertias = np.zeros((joint_count, 3, 3))
    for part in listed:
        arm = part.center_m - centers[part.joint]
        inertias[part.joint] += part.inertia_kg_m2 + part.mass_kg * about(arm)
    return Body(masses, centers, 0.5 * (inertias + np.swapaxes(inertias, 1, 2)))


def about(arm_m: Array) -> Array:
    """(3, 3) inertia per mass of a point this far from the axis's origin (parallel axes)."""
    return float(arm_m @ arm_m) * np.eye(3) - np.outer(arm_m, arm_m)
