"""An endless plane: a floor, a slope, a treadmill."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from poise import rotations
from poise.arrays import Array, frozen_array
from poise.errors import BadValue

UP: Array = np.array([0.0, 1.0, 0.0])
UP.flags.writeable = False
"""Against gravity, everywhere in Poise."""

_STEEPEST_COSINE = 1e-3
"""A ground closer to a wall than this has no height to speak of."""


@dataclass(frozen=True, eq=False)
class Ground:
    """The half-space below a plane, which may be tilted and may move like a treadmill's belt."""

    height_m: float = 0.0
    """Where the plane meets the vertical line through the origin."""
    normal: Array = field(default_factory=lambda: UP)
    """(3,) unit, up and out of the ground; made unit when given longer or shorter."""
    belt_velocity_m_s: Array = field(default_factory=lambda: np.zeros(3))
    """(3,) of the surface itself; what points along the normal is left out when asked for."""
    name: str = "ground"

    def __post_init__(self) -> None:
        if not np.isfinite(self.height_m):
            raise BadValue("height_m", "a finite number", self.height_m)
        normal = frozen_array("normal", self.normal, (3,))
        length = float(np.linalg.norm(normal))
        if not length > 0:
            raise BadValue("normal", "longer than zero", normal.tolist())
        unit = normal / length
        if not float(unit @ UP) > _STEEPEST_COSINE:
            raise BadValue("normal", "a direction with an upward part", normal.tolist())
        object.__setattr__(self, "height_m", float(self.height_m))
        object.__setattr__(self, "normal", frozen_array("normal", unit, (3,)))
        velocity = frozen_array("belt_velocity_m_s", self.belt_velocity_m_s, (3,))
        object.__setattr__(self, "belt_velocity_m_s", velocity)

    @staticmethod
    def tilted(
        tilt_rad: float,
        uphill: ArrayLike = (0.0, 0.0, 1.0),
        *,
        height_m: float = 0.0,
        belt_velocity_m_s: ArrayLike = (0.0, 0.0, 0.0),
    ) -> Ground:
        """A slope.

        Args:
            tilt_rad: angle to the horizontal.
            uphill: the horizontal direction in which it rises.
            height_m: where it meets the vertical line through the origin.
            belt_velocity_m_s: of the surface itself.
        """
        direction = frozen_array("uphill", uphill, (3,))
        level = direction - (direction @ UP) * UP
        length = float(np.linalg.norm(level))
        if not length > 1e-9 * float(np.linalg.norm(direction)):
            raise BadValue("uphill", "a direction that is not vertical", direction.tolist())
        if not abs(tilt_rad) < 0.5 * np.pi:
            raise BadValue("tilt_rad", "less than a right angle", tilt_rad)
        axis = np.cross(level / length, UP)
        normal = rotations.rotate(rotations.from_axis_angle(axis, tilt_rad), UP)
        velocity = np.asarray(belt_velocity_m_s, dtype=np.float64)
        return Ground(height_m, normal, velocity)

    @property
    def offset_m(self) -> float:
        """Distance of the plane from the origin along its normal: normal · x = offset on it."""
        return self.height_m * float(self.normal @ UP)

    @property
    def tilt_rad(self) -> float:
        """The angle between the plane and the horizontal."""
        sine = float(np.linalg.norm(np.cross(UP, self.normal)))
        return float(np.arctan2(sine, float(self.normal @ UP)))

    def heights_m(self, points_m: ArrayLike) -> Array:
        """(...) the height of the plane straight above or below points (..., 3)."""
        points = np.asarray(points_m, dtype=np.float64)
        above = points @ UP
        return above - (points @ self.normal - self.offset_m) / float(self.normal @ UP)
