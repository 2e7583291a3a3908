"""What can be asked of the stages of a leap: where it lands, how high it goes, how things fall.

These are no tasks in frames: the method `momentum` reads them, others do not know stages.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from poise.constraints.record_checks import Vector, check_fields, words
from poise.errors import BadValue

HeightBy = Literal["time", "gravity"]

FARTHEST_M, MOST_TURN_DEG, MOST_GRAVITY_M_S2 = 1e4, 36_000.0, 1e5
"""More is a slip of the pen."""


@dataclass(frozen=True)
class MoveStage:
    """A ground stage is somewhere else: the leap before it or after it goes there."""

    name: str
    stage: int
    """Which stage on the ground, counted from 0; −1 is the last."""
    by_m: Vector = (0.0, 0.0, 0.0)
    """From where it was, in the world."""
    turn_deg: float = 0.0
    """About the vertical through its middle, to the left; 360 is a full spin in the air."""

    def __post_init__(self) -> None:
        _check(self, self.name)
        if max(map(abs, self.by_m)) > FARTHEST_M:
            raise BadValue(f"by_m of '{self.name}'", f"up to {FARTHEST_M:g} m", self.by_m)
        if abs(self.turn_deg) > MOST_TURN_DEG:
            allowed = f"up to {MOST_TURN_DEG:g} degrees"
            raise BadValue(f"turn_deg of '{self.name}'", allowed, self.turn_deg)


@dataclass(frozen=True)
class FlightHeight:
    """A flight goes higher or lower."""

    name: str
    flight: int = 0
    """Which flight, counted from 0; −1 is the last."""
    scale: float | None = None
    """How high the centre of mass gets over where it took off in the capture, times the captured
    rise."""
    rise_m: float | None = None
    """The same in metres."""
    by: HeightBy = "time"
    """`time`: the flight lasts as long as that takes under its gravity. `gravity`: it lasts as long
    as it did, and things fall as that takes."""

    def __post_init__(self) -> None:
        _check(self, self.name)
        if (self.scale is None) == (self.rise_m is None):
            raise BadValue(f"scale of '{self.name}'", "given, or rise_m instead", self.scale)
        for field in ("scale", "rise_m"):
            value = getattr(self, field)
            if value is not None and not 0.0 < value <= FARTHEST_M:
                allowed = f"more than zero, and up to {FARTHEST_M:g}"
                raise BadValue(f"{field} of '{self.name}'", allowed, value)


@dataclass(frozen=True)
class Gravity:
    """Things fall faster or slower in a flight."""

    name: str
    gravity_m_s2: float
    """Downwards; on Earth 9.81. Zero: a flight goes straight on."""
    flight: int | None = None
    """Which flight, counted from 0; −1 is the last. None: all of them."""

    def __post_init__(self) -> None:
        _check(self, self.name)
        if self.gravity_m_s2 < 0.0:
            allowed = "zero or more: whoever falls upwards does not land"
            raise BadValue(f"gravity_m_s2 of '{self.name}'", allowed, self.gravity_m_s2)
        if self.gravity_m_s2 > MOST_GRAVITY_M_S2:
            allowed = f"up to {MOST_GRAVITY_M_S2:g}"
            raise BadValue(f"gravity_m_s2 of '{self.name}'", allowed, self.gravity_m_s2)


StageEdit = MoveStage | FlightHeight | Gravity
"""Any of them."""


def _check(record: StageEdit, name: str) -> None:
    words("a constraint", "name", name)
    check_fields(record, name)
