"""The knobs of deform."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal

from annotated_types import Interval

from poise.ik import IkSettings
from poise.record_ranges import NotNegative, Window, check_record

Mobility = Annotated[float, Interval(ge=0.001, le=1000)]


@dataclass(frozen=True)
class Settings:
    """How a motion is deformed."""

    strategy: Literal["priorities", "weights"] = "priorities"
    """"priorities" solves layer by layer; "weights" puts all constraints into one layer, where only
    their weights count (the comparison of the paper's Figs. 4 and 5)."""
    smoothing_s: Window = 0.1
    """Half-width of the low-pass filter on what was added to root and joints; 0 leaves it out."""
    passes: Annotated[int, Interval(ge=1, le=100)] = 2
    """Most rounds of solving; between two, the displacement of the root is smoothed."""
    disturbed_mm: NotNegative = 0.05
    """Another round follows when smoothing moved a constraint by more than this."""
    calm: NotNegative = 1.5
    """Where a goal is out of reach, what was added is smoothed more and more until no joint is
    thrown harder than so many times the hardest of the original, nor all of them together."""
    met_mm: NotNegative = 0.1
    """A position counts as met within this distance."""
    met_deg: NotNegative = 0.01
    """An orientation counts as met within this angle."""
    mobility: Mapping[str, Mobility] = field(default_factory=dict[str, float])
    """How readily joints move, by joint or role (1 by default); "translation" is the root's (0.3 by
    default: metres against radians)."""
    physics: bool = False
    """In the end, one physics solve: the ground carries the motion and the body can do it."""
    ik: IkSettings = field(default_factory=IkSettings)
    """How one frame is solved."""

    @property
    def ik_within_reach(self) -> IkSettings:
        """How a frame is solved as long as all goals can be met: to half of what counts as met.

        Goals that others give way to are met as closely as `ik` says.
        """
        if self.passes == 1 or self.smoothing_s == 0.0:
            return self.ik
        return replace(
            self.ik,
            tolerance_mm=max(self.ik.tolerance_mm, 0.5 * self.met_mm),
            tolerance_deg=max(self.ik.tolerance_deg, 0.5 * self.met_deg),
            posture_tolerance_deg=max(self.ik.posture_tolerance_deg, 1.0),
        )

    def __post_init__(self) -> None:
        check_record(self)
