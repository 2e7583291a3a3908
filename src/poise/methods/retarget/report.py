"""What `retarget` has to say beyond the clip: its stages, and what the body cannot do."""

from __future__ import annotations

from dataclasses import dataclass

from poise.arrays import Array
from poise.contact import Series
from poise.methods.retarget.impossible import Impossible
from poise.methods.retarget.residuals import Residuals
from poise.methods.status import Status
from poise.motion import Clip
from poise.physics import Shortfall
from poise.transfer import Correspondence


@dataclass(frozen=True, eq=False)
class Stage:
    """What one stage made of it."""

    name: str
    """`kinematic` or `physics`."""
    clip: Clip
    status: Status
    summary: str
    series: Series
    """The mechanics of the clip, under the same contacts for all stages."""
    residuals: Residuals
    off_m: float
    """How far knees, feet, elbows and hands are from where free joints would be, on average."""
    overlap_m: float
    """How far limbs are inside each other or the trunk at worst; negative where none are."""
    shortfalls: tuple[Shortfall, ...] = ()
    """Where strength, joint speeds, ranges or surfaces are not kept to, the worst first."""


@dataclass(frozen=True, eq=False)
class RetargetReport:
    """A motion on another body, stage by stage."""

    stages: tuple[Stage, ...]
    scale: float
    """How many times as far it goes."""
    impossible: tuple[Impossible, ...]
    """What this body cannot do of it, the longest first."""
    correspondence: Correspondence
    """Which joint follows which."""
    wanted_m: Array
    """(F, J, 3) where a body of these bones, free to turn, would have its joints."""

    @property
    def scale_note(self) -> str:
        """The scale in words."""
        return f"it goes {self.scale:.2f} times as far as in the clip"
