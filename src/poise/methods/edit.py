"""What a method is asked to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from poise.character import Character
from poise.constraints import FLAT, Constraint, Scene, StageEdit
from poise.contact import ContactSchedule
from poise.environment import Environment
from poise.errors import BadValue
from poise.methods.motion_pattern import Pattern
from poise.motion import Clip
from poise.one_line import framed
from poise.wording import counted


@dataclass(frozen=True, eq=False)
class Edit:
    """A clip, whose it is, where, and the wishes."""

    clip: Clip
    character: Character
    constraints: Sequence[Constraint | StageEdit] = ()
    environment: Environment = FLAT
    contacts: ContactSchedule | None = None
    """What touches when in the clip, where it is known."""
    original: Clip | None = None
    """What constraints are read against, where it is not the clip: the motion of another body
    that the clip was made from, in the joints of this one."""
    pattern: Pattern | None = None
    """What motions like the clip have in common, for the method `pattern`."""
    target: Character | None = None
    """Another body that the motion is to be put on, for the method `retarget`."""
    mapping: Mapping[str, str] | None = None
    """Joints of that body and what they follow, instead of what is found; an empty text leaves one
    at rest."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "constraints", tuple(self.constraints))
        names = [constraint.name for constraint in self.constraints]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise BadValue("names of constraints", "different", twice)

    def __repr__(self) -> str:
        return framed("Edit", f"{counted(len(self.constraints), 'constraint')} on {self.clip!r}")

    @cached_property
    def scene(self) -> Scene:
        """What the constraints are read against."""
        return Scene(self.clip, self.character, self.environment, self.original)
