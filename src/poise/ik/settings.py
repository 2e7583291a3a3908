"""The knobs of per-frame inverse kinematics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from annotated_types import Interval

from poise.ik.packed import Knobs
from poise.record_ranges import NotNegative, Positive, check_record


@dataclass(frozen=True)
class IkSettings:
    """How a frame is solved."""

    tolerance_mm: NotNegative = 0.01
    """A position counts as met within this distance."""
    tolerance_deg: NotNegative = 0.003
    """A direction or orientation counts as met within this angle."""
    posture_tolerance_deg: NotNegative = 0.2
    """Once all constraints are met, a frame is done when no joint turns further in an iteration."""
    settled_deg: NotNegative = 0.0005
    """A frame whose joints turn less than this has come to rest, whatever is met."""
    iterations: Annotated[int, Interval(ge=1, le=10_000)] = 60
    """Most iterations for one frame."""
    reach_mm: Positive = 50.0
    """Longest error that one iteration tries to undo."""
    turn_deg: Positive = 20.0
    """Largest angle that one iteration tries to undo."""
    lever_m: NotNegative = 0.3
    """Damping per metre of error: about the length of a limb. More is calmer and slower."""
    slack_mm: NotNegative = 0.5
    """A constraint may get this much worse for a step, since the next one mends it; a step that
    does more harm is taken back and tried again with more damping."""
    attraction: Annotated[float, Interval(ge=0, le=1)] = 1.0
    """Share of the way back to the original pose that an iteration takes where nothing forbids."""
    root_attraction: Annotated[float, Interval(ge=0, le=1)] = 1.0
    """The same for the translation of the root; the paper leaves it out (0)."""
    carry: Literal["displacement", "pose"] = "displacement"
    """What a frame takes over from the one before: its "displacement", or as the paper, its
    "pose"."""

    def __post_init__(self) -> None:
        check_record(self)

    def knobs(self) -> Knobs:
        """The same for the compiled loop."""
        return Knobs(
            tolerance_m=1e-3 * self.tolerance_mm,
            tolerance_rad=float(np.radians(self.tolerance_deg)),
            posture_tolerance_rad=float(np.radians(self.posture_tolerance_deg)),
            settled_rad=float(np.radians(self.settled_deg)),
            iterations=int(self.iterations),
            reach_m=1e-3 * self.reach_mm,
            turn_rad=float(np.radians(self.turn_deg)),
            lever_m=float(self.lever_m),
            slack_m=1e-3 * self.slack_mm,
            attraction=float(self.attraction),
            root_attraction=float(self.root_attraction),
            carry_pose=self.carry == "pose",
        )
