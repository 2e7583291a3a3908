"""The knobs of editing leaps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from poise.constraints import items, whole
from poise.errors import BadValue
from poise.methods.momentum.family_axes import FamilyAxis

GravityChoice = Literal["nature", "captured"]

_LARGEST = 1e6


@dataclass(frozen=True)
class Settings:
    """How a leap is edited."""

    stage_changes: tuple[int, ...] | None = None
    """Frames at which a flight or a ground stage begins, where the detector is wrong; stages
    alternate, the first is on the ground."""
    gravity: GravityChoice = "nature"
    """`nature`: flights fall at 9.81 m/s². `captured`: as the parabola of the capture has it, where
    its unit or rate is not to be trusted."""
    place: float = 1.0
    """What being away from the guess costs (section 4.2.1)."""
    velocity_s: float = 0.1
    """A displacement's velocity costs as much as the displacement if it changes by its own size in
    this time."""
    acceleration_s: float = 0.1
    """The same for its acceleration."""
    balance: float = 1.0
    """What the centre of mass being a metre off costs, as often as the pseudo-balance objective
    asks (section 4.2.2)."""
    knots_per_s: float = 12.0
    """Interior knots of momentum curves: two pushes a tenth of a second apart are told apart."""
    iterations: int = 120
    """Most steps of the optimizer."""
    clearance_rounds: int = 4
    """Most rounds in which points that went through the floor are kept out of it."""
    family: tuple[FamilyAxis, ...] = ()
    """How members differ, where a family of leaps is built (`poise family build`); a single leap
    does not look at it."""
    two_leaps_m: float | None = None
    """For a family that a controller plays: how far each of the clip's two leaps may go along
    either axis."""

    def __post_init__(self) -> None:
        if self.stage_changes is not None:
            listed = items("momentum", "stage_changes", self.stage_changes, "frames")
            changes = tuple(whole("momentum", "stage_changes", each) for each in listed)
            object.__setattr__(self, "stage_changes", changes)
        for name in ("iterations", "clearance_rounds"):
            whole("momentum", name, getattr(self, name))
        if self.gravity not in ("nature", "captured"):
            raise BadValue("gravity", "one of nature, captured", self.gravity)
        for name in ("place", "velocity_s", "acceleration_s", "balance"):
            value = getattr(self, name)
            if not 0.0 <= value <= _LARGEST:
                raise BadValue(name, f"from 0 to {_LARGEST:g}", value)
        if not self.place > 0.0:
            raise BadValue("place", "more than zero", self.place)
        object.__setattr__(self, "family", tuple(self.family))
        names = [axis.name for axis in self.family]
        if len(set(names)) < len(names):
            raise BadValue("family", "axes with different names", names)
        if self.two_leaps_m is not None and not 0.0 < self.two_leaps_m <= 100.0:
            raise BadValue("two_leaps_m", "from 0 to 100", self.two_leaps_m)
        if not 1.0 <= self.knots_per_s <= 200.0:
            raise BadValue("knots_per_s", "from 1 to 200", self.knots_per_s)
        if not 1 <= self.iterations <= 10000:
            raise BadValue("iterations", "from 1 to 10000", self.iterations)
        if not 0 <= self.clearance_rounds <= 100:
            raise BadValue("clearance_rounds", "from 0 to 100", self.clearance_rounds)
