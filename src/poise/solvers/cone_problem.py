"""What the compiled loops of `cone_newton` are given, and what they fill: groups of arrays."""

from __future__ import annotations

from typing import NamedTuple

from poise.arrays import Array


class ConePlan(NamedTuple):
    """What the forces may be, and when they are found."""

    friction: float
    ceiling: float
    force_weight: float
    torque_weight: float
    torque_bound: float
    is_round: bool
    """Round cones, or pyramids of four sides."""
    exact: bool
    """Take the regularisation away at the end."""
    tolerance: float
    aim: float


class Contacts(NamedTuple):
    """Where forces may act, and what they should add up to: lengths and forces in units of one."""

    points: Array
    """(F, P, 3)"""
    normals: Array
    """(F, P, 3)"""
    grip: Array
    """(F, P)"""
    groups: Array
    """(F,) how many bodies may exert a free torque."""
    centers: Array
    """(F, 3)"""
    force: Array
    """(F, 3)"""
    moment: Array
    """(F, 3)"""


class Supplied(NamedTuple):
    """What is found."""

    forces: Array
    """(F, P, 3)"""
    torque: Array
    """(F, 3)"""
    missing: Array
    """(F, 6) what forces and torques leave of the wanted force and moment."""
