"""The knobs of retargeting."""

from __future__ import annotations

from dataclasses import dataclass

from poise.errors import BadValue


@dataclass(frozen=True)
class Settings:
    """How a motion is put on another body."""

    scale: float | None = None
    """How many times as far it goes; as the legs are longer, where nothing is said."""
    feet: bool = True
    """The kinematic stage holds feet that stand."""
    contacts: bool = True
    """Then `correct`: what touches is held, what must not go through the ground stays out of it."""
    balance: bool = True
    """Then `filter`: the zero-moment point inside the support, flights that fall."""
    torque: bool = False
    """`filter` also keeps joints within their strength."""
    passes: str = "3D+1K"
    """Rounds of `filter`."""

    def __post_init__(self) -> None:
        if self.scale is not None and not 0.01 <= self.scale <= 100.0:
            raise BadValue("scale", "from 0.01 to 100", self.scale)
