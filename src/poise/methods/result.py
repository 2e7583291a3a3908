"""What a method gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from poise.contact import ContactSchedule
from poise.motion import Clip

Status = Literal["converged", "stalled", "out_of_iterations", "infeasible"]


@dataclass(frozen=True, eq=False)
class Result:
    """The edited clip, and how well the wishes were met."""

    clip: Clip
    status: Status
    """`converged`: every constraint is met to its tolerance. `infeasible`: the method came to rest,
    but some constraint cannot be met beside those above it. `stalled`, `out_of_iterations`: it did
    not come to rest."""
    summary: str
    """One sentence with the worst constraint by name, frame and amount."""
    contacts: ContactSchedule | None = None
    notes: tuple[str, ...] = ()
    """What the user should know: warnings, assumptions."""
    trace: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Figures of the method's own, by name."""
