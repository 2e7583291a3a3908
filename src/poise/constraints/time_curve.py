"""The timing of a trajectory: an increasing, piecewise linear function of time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, frozen_array
from poise.errors import BadValue


@dataclass(frozen=True, eq=False)
class TimeCurve:
    """u = T(t): which parameter of the trajectory belongs to a time.

    Between corners it is linear; where it is level, what follows it stands still. Its slope jumps
    at a corner, and so does the speed there, unless the trajectory's tangent vanishes at it.
    """

    times: Array
    """(k,) of the corners, strictly increasing."""
    parameters: Array
    """(k,) u at the corners, never decreasing."""

    def __post_init__(self) -> None:
        times = frozen_array("times", self.times, ("k",))
        parameters = frozen_array("parameters", self.parameters, (len(times),))
        if len(times) == 0 or not (times[1:] > times[:-1]).all():
            raise BadValue("times", "one or more, strictly increasing", times.tolist())
        if not (parameters[1:] >= parameters[:-1]).all():
            raise BadValue("parameters", "never decreasing", parameters.tolist())
        object.__setattr__(self, "times", times)
        object.__setattr__(self, "parameters", parameters)

    def at(self, t: ArrayLike) -> Array:
        """(n,) the parameters at times (n,); before the first and after the last, theirs."""
        return np.interp(np.asarray(t, dtype=np.float64), self.times, self.parameters)
