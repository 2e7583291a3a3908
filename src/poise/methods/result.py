"""What a method gives back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from poise.character import Character
from poise.contact import ContactSchedule
from poise.environment import Environment
from poise.methods.constraint_report import ConstraintReport
from poise.methods.status import Status, status_words
from poise.motion import Clip
from poise.one_line import framed

R_co = TypeVar("R_co", covariant=True)


@dataclass(frozen=True, eq=False)
class Result(Generic[R_co]):
    """The edited clip, and how well the constraints were met."""

    clip: Clip
    status: Status
    summary: str
    """One sentence with the worst constraint by name, frame and amount."""
    report: R_co
    """What else the method has to say: a record of its own."""
    contacts: ContactSchedule | None = None
    notes: tuple[str, ...] = ()
    """What the user should know: warnings, assumptions."""
    constraints: tuple[ConstraintReport, ...] = ()
    """How well each constraint is met, of methods that take any."""
    start: Clip | None = None
    """The motion that was edited, where that is not the edit's clip as it is: raised onto the
    terrain, moved with its stages. Likeness is measured against it."""
    character: Character | None = None
    """Whose motion it is now, where that is not the edit's character."""
    environment: Environment | None = None
    """Where, if that is not the edit's: a place at the size of another body."""

    def __repr__(self) -> str:
        return framed("Result", f"{status_words(self.status)}. {self.summary}")
