"""The knobs of editing by a pattern."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from poise.constraints import whole
from poise.errors import BadValue
from poise.methods.pattern.motion_space_ik import Damping

Goals = Literal["together", "apart"]


@dataclass(frozen=True)
class Settings:
    """How a clip is edited by a pattern."""

    components: int | None = None
    """How many components help; as many as the pattern was told to use, where nothing is said."""
    goals: Goals = "together"
    """Goals in several frames: `together`, by priority, with one set of coefficients; or `apart`,
    each frame with its own, and coefficients that go from one to the next in between."""
    damping: Damping = "adaptive"
    """`adaptive`: by the error that is left. `fixed` and `none`: as the paper has it, with no bound
    and in plain coefficients."""
    damping_cm: float = 10.0
    """ξ of the paper, for `fixed`."""
    iterations: int = 1500
    """Most iterations."""
    met_mm: float = 1.0
    """A place counts as met within this distance."""
    met_deg: float = 0.5
    """An orientation counts as met within this angle."""
    reach: float | None = 1.0
    """How far from the mean coefficients may go, times the furthest of the motions that the pattern
    was learned from; null: as far as need be."""
    details: Literal["kept", "dropped"] = "kept"
    """What the clip has of its own, beyond the components: `kept`; or `dropped`, as the paper has
    it, so that the result is wholly of the pattern."""
    feet: Literal["kept", "free"] = "kept"
    """Feet that stand in the clip stand in the result: `kept` by inverse kinematics of the legs; or
    left as the pattern has them."""
    finish_cm: float = 5.0
    """What is left of the way to a goal at the edge of the population is gone by inverse kinematics
    of the trunk and the arm, if it is no more than this; 0: never."""
    finish_s: float = 0.35
    """Over how long before and after the goal."""
    events: Mapping[str, int] = field(default_factory=dict[str, int])
    """Frames of the pattern's events in this clip, where its rules do not find them."""

    def __post_init__(self) -> None:
        if self.components is not None and whole("pattern", "components", self.components) < 1:
            raise BadValue("components", "1 or more", self.components)
        for name, allowed in (
            ("goals", get_args(Goals)),
            ("damping", get_args(Damping)),
            ("details", ("kept", "dropped")),
            ("feet", ("kept", "free")),
        ):
            if getattr(self, name) not in allowed:
                raise BadValue(name, f"one of {', '.join(allowed)}", getattr(self, name))
        if not 1 <= whole("pattern", "iterations", self.iterations) <= 1_000_000:
            raise BadValue("iterations", "from 1 to 1,000,000", self.iterations)
        for name, low, high in (
            ("damping_cm", 0.0, 1e6),
            ("met_mm", 1e-6, 1e4),
            ("met_deg", 1e-6, 180.0),
            ("finish_cm", 0.0, 1e4),
            ("finish_s", 0.0, 1e3),
        ):
            if not low <= getattr(self, name) <= high:
                raise BadValue(name, f"from {low:g} to {high:g}", getattr(self, name))
        if self.reach is not None and not 0.0 < self.reach <= 1e6:
            raise BadValue("reach", "above 0, or null", self.reach)
        for name, frame in self.events.items():
            whole("pattern", f"event {name}", frame)
