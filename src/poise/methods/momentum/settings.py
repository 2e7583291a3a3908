"""The knobs of editing leaps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Interval

from poise.constraints import items, whole
from poise.errors import BadValue
from poise.methods.momentum.family_axes import FamilyAxis
from poise.record_ranges import check_record


@dataclass(frozen=True)
class Settings:
    """How a leap is edited."""

    stage_changes: tuple[int, ...] | None = None
    """Frames at which a flight or a ground stage begins, where the detector is wrong; stages
    alternate, the first is on the ground."""
    gravity: Literal["nature", "captured"] = "nature"
    """`nature`: flights fall at 9.81 m/s². `captured`: as the parabola of the capture has it, where
    its unit or rate is not to be trusted."""
    place: Annotated[float, Interval(gt=0, le=1e6)] = 1.0
    """What being away from the guess costs (section 4.2.1)."""
    velocity_s: Annotated[float, Interval(ge=0, le=1e6)] = 0.1
    """A displacement's velocity costs as much as the displacement if it changes by its own size in
    this time."""
    acceleration_s: Annotated[float, Interval(ge=0, le=1e6)] = 0.1
    """The same for its acceleration."""
    balance: Annotated[float, Interval(ge=0, le=1e6)] = 1.0
    """What the centre of mass being a metre off costs, as often as the pseudo-balance objective
    asks (section 4.2.2)."""
    knots_per_s: Annotated[float, Interval(ge=1, le=200)] = 12.0
    """Interior knots of momentum curves: two pushes a tenth of a second apart are told apart."""
    iterations: Annotated[int, Interval(ge=1, le=10_000)] = 120
    """Most steps of the optimizer."""
    clearance_rounds: Annotated[int, Interval(ge=0, le=100)] = 4
    """Most rounds in which points that went through the floor are kept out of it."""
    family: tuple[FamilyAxis, ...] = ()
    """How members differ, where a family of leaps is built (`poise family build`); a single leap
    does not look at it."""
    two_leaps_m: Annotated[float, Interval(gt=0, le=100)] | None = None
    """For a family that a controller plays: how far each of the clip's two leaps may go along
    either axis."""

    def __post_init__(self) -> None:
        check_record(self)
        if self.stage_changes is not None:
            listed = items("momentum", "stage_changes", self.stage_changes, "frames")
            changes = tuple(whole("momentum", "stage_changes", each) for each in listed)
            object.__setattr__(self, "stage_changes", changes)
        object.__setattr__(self, "family", tuple(self.family))
        names = [axis.name for axis in self.family]
        if len(set(names)) < len(names):
            raise BadValue("family", "axes with different names", names)
