"""What the segments weigh: one rigid body per joint."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array, frozen_array
from poise.errors import BadValue


@dataclass(frozen=True, eq=False)
class Body:
    """Mass, centre and inertia of the segment that each joint carries."""

    masses_kg: Array
    """(J,)"""
    centers_m: Array
    """(J, 3) centre of mass in the joint's frame."""
    inertias_kg_m2: Array
    """(J, 3, 3) about the centre of mass, in the axes of the joint's frame."""

    def __post_init__(self) -> None:
        masses = frozen_array("masses_kg", self.masses_kg, ("J",))
        count = len(masses)
        inertias = frozen_array("inertias_kg_m2", self.inertias_kg_m2, (count, 3, 3))
        if (masses < 0).any():
            raise BadValue("masses_kg", "zero or more", masses)
        if count and np.abs(inertias - np.swapaxes(inertias, 1, 2)).max() > 1e-9:
            raise BadValue("inertias_kg_m2", "symmetric", inertias)
        object.__setattr__(self, "masses_kg", masses)
        centers = frozen_array("centers_m", self.centers_m, (count, 3))
        object.__setattr__(self, "centers_m", centers)
        object.__setattr__(self, "inertias_kg_m2", inertias)

    @property
    def total_mass_kg(self) -> float:
        """The weight of everything."""
        return float(self.masses_kg.sum())
