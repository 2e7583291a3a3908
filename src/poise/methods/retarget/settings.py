"""The knobs of retargeting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from annotated_types import Interval

from poise.arrays import Array
from poise.character import Character
from poise.record_ranges import Positive, check_record


@dataclass(frozen=True)
class Settings:
    """How a motion is put on another body."""

    scale: Annotated[float, Interval(ge=0.01, le=100)] | None = None
    """How many times as far it goes; as the legs are longer, where nothing is said."""
    feet: bool = True
    """What touches is held where it stands, and the rest stays out of the ground."""
    fastest_rad_s: Positive | None = None
    """No joint turns faster. By default as fast as the model says, or 20 for hinges of which it
    says nothing; ball joints, as people have them, as fast as they like."""
    balance: bool = True
    """Then one physics solve: reaction forces of what touches explain the motion, so the
    zero-moment point is inside the support and flights fall."""
    torque: bool = True
    """It also keeps joints within their strength."""

    def __post_init__(self) -> None:
        check_record(self)

    def fastest(self, target: Character) -> Array | None:
        """(J,) how fast joints may turn; None where all may as they like."""
        if self.fastest_rad_s is not None:
            return np.full(target.skeleton.joint_count, self.fastest_rad_s)
        hinges = np.array([kind == "hinge" for kind in target.skeleton.kinds])
        known = target.speed_limits_rad_s
        found = np.where(hinges & ~np.isfinite(known), _USUAL_RAD_S, known)
        return found if np.isfinite(found).any() else None


_USUAL_RAD_S = 20.0
"""What motors of humanoid robots reach: Unitree states 20 to 37 for the G1."""
