"""A few bodies that fit in the head."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.character import Body, Skeleton


def branching_skeleton() -> Skeleton:
    """A trunk with two arms, one of two joints: wrong-ancestor bugs show here, not on a chain."""
    return Skeleton(
        ("trunk", "left", "right", "right tip"),
        np.array([-1, 0, 0, 2]),
        np.array([[0, 0, 0], [0.3, 0.5, 0], [-0.3, 0.5, 0], [-0.4, 0, 0.0]]),
        kinds=("ball", "hinge", "ball", "fixed"),
        hinge_axes=np.array([[0, 0, 0], [0, 0, 1.0], [0, 0, 0], [0, 0, 0]]),
    )


def point_masses(masses_kg: Array, centers_m: Array) -> Body:
    count = len(masses_kg)
    return Body(np.asarray(masses_kg), np.asarray(centers_m), np.zeros((count, 3, 3)))


def pendulum(length_m: float, mass_kg: float) -> tuple[Skeleton, Body]:
    """A still root with a bob on a hinge about z that hangs along -y when the angle is zero."""
    skeleton = Skeleton(
        ("pivot", "rod"),
        np.array([-1, 0]),
        np.zeros((2, 3)),
        kinds=("ball", "hinge"),
        hinge_axes=np.array([[0, 0, 0], [0, 0, 1.0]]),
    )
    bob = np.array([[0, 0, 0], [0, -length_m, 0]])
    return skeleton, point_masses(np.array([1e-9, mass_kg]), bob)
