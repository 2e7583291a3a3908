"""The knobs of editing by a pattern."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from annotated_types import Ge, Interval

from poise.constraints import whole
from poise.methods.pattern.motion_space_ik import Damping
from poise.record_ranges import check_record


@dataclass(frozen=True)
class Settings:
    """How a clip is edited by a pattern."""

    components: Annotated[int, Ge(1)] | None = None
    """How many components help; as many as the pattern was told to use, where nothing is said."""
    goals: Literal["together", "apart"] = "together"
    """Goals in several frames: `together`, by priority, with one set of coefficients; or `apart`,
    each frame with its own, and coefficients that go from one to the next in between."""
    damping: Damping = "adaptive"
    """`adaptive`: by the error that is left. `fixed` and `none`: as the paper has it, with no bound
    and in plain coefficients."""
    damping_cm: Annotated[float, Interval(ge=0, le=1e6)] = 10.0
    """ξ of the paper, for `fixed`."""
    iterations: Annotated[int, Interval(ge=1, le=1_000_000)] = 1500
    """Most iterations."""
    met_mm: Annotated[float, Interval(ge=1e-6, le=1e4)] = 1.0
    """A place counts as met within this distance."""
    met_deg: Annotated[float, Interval(ge=1e-6, le=180)] = 0.5
    """An orientation counts as met within this angle."""
    reach: Annotated[float, Interval(gt=0, le=1e6)] | None = 1.0
    """How far from the mean coefficients may go, times the furthest of the motions that the pattern
    was learned from; null: as far as need be."""
    details: Literal["kept", "dropped"] = "kept"
    """What the clip has of its own, beyond the components: `kept`; or `dropped`, as the paper has
    it, so that the result is wholly of the pattern."""
    feet: Literal["kept", "free"] = "kept"
    """Feet that stand in the clip stand in the result: `kept` by inverse kinematics of the legs; or
    left as the pattern has them."""
    finish_cm: Annotated[float, Interval(ge=0, le=1e4)] = 5.0
    """What is left of the way to a goal at the edge of the population is gone by inverse kinematics
    of the trunk and the arm, if it is no more than this; 0: never."""
    finish_s: Annotated[float, Interval(ge=0, le=1e3)] = 0.35
    """Over how long before and after the goal."""
    events: Mapping[str, int] = field(default_factory=dict[str, int])
    """Frames of the pattern's events in this clip, where its rules do not find them."""

    def __post_init__(self) -> None:
        check_record(self)
        for name, frame in self.events.items():
            whole("pattern", f"event {name}", frame)
