"""The place a body is in: one or more solids."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array
from poise.environment.convex_part import ConvexPart
from poise.environment.ground import UP, Ground
from poise.environment.height_field import HeightField
from poise.environment.packing import PackedParts, packed
from poise.errors import BadValue

Surface = Ground | HeightField | ConvexPart


@dataclass(frozen=True, eq=False)
class Environment:
    """Solids that may overlap; the place is their union."""

    surfaces: tuple[Surface, ...]
    notes: tuple[str, ...] = ()
    """What was assumed when it was read from a file."""

    def __post_init__(self) -> None:
        surfaces = tuple[object, ...](self.surfaces)
        if not surfaces:
            raise BadValue("surfaces", "at least one ground, height field or part", "none")
        for surface in surfaces:
            if not isinstance(surface, Ground | HeightField | ConvexPart):
                kind = type(surface).__name__
                raise BadValue("surfaces", "grounds, height fields and convex parts", kind)
        object.__setattr__(self, "surfaces", surfaces)
        object.__setattr__(self, "notes", tuple(self.notes))

    @staticmethod
    def flat(height_m: float = 0.0, belt_velocity_m_s: ArrayLike = (0.0, 0.0, 0.0)) -> Environment:
        """Level ground; with a belt velocity, a treadmill."""
        velocity = np.asarray(belt_velocity_m_s, dtype=np.float64)
        return Environment((Ground(height_m, belt_velocity_m_s=velocity),))

    @property
    def up(self) -> Array:
        """(3,) against gravity."""
        return UP

    @property
    def grounds(self) -> tuple[Ground, ...]:
        """The endless planes among the surfaces."""
        return tuple(s for s in self.surfaces if isinstance(s, Ground))

    def with_surfaces(self, more: Iterable[Surface]) -> Environment:
        """The same place with more in it."""
        return Environment((*self.surfaces, *more), self.notes)

    @cached_property
    def packed_parts(self) -> PackedParts | None:
        """The convex parts as compiled loops read them; None when there are none."""
        found = [(i, s) for i, s in enumerate(self.surfaces) if isinstance(s, ConvexPart)]
        return packed([s for _, s in found], [i for i, _ in found]) if found else None
