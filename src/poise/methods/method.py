"""A method as one entry of a table: what it is called, what it takes, how it runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from poise.constraints import CONSTRAINTS, STAGE_EDITS, Constraint, StageEdit, TaskKind
from poise.errors import BadValue
from poise.methods.result import Result

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


@dataclass(frozen=True)
class Takes:
    """What a step of a method may be given. Recipes, commands, studio and schema go by it."""

    tasks: tuple[TaskKind, ...] = ()
    """Kinds of tasks it solves for. Constraints that make others are refused by name, before the
    method starts."""
    one_sided: bool = False
    """Tasks with a side: bounds."""
    stages: bool = False
    """Edits of a leap's stages. Other constraints then speak of the edited leap's own frames."""
    contacts: bool = True
    """A schedule of contacts that is known already."""
    pattern: bool = False
    """A learned pattern, which it then needs."""
    target: bool = False
    """Another body, which it then needs; later steps work on that body."""
    belts: bool = False
    """Ground that moves; other methods are given the clip as it would travel."""
    others: str = ""
    """What is said of constraints of another kind: that they must be so."""

    @property
    def constraints(self) -> tuple[str, ...]:
        """Kinds of constraints and stage edits that it takes, by their keys in recipes."""
        if not self.tasks and not self.stages:
            return ()
        able = set(self.tasks)
        found = [
            key
            for key, kind in CONSTRAINTS.items()
            if able.issuperset(kind.makes) and (self.one_sided or not kind.one_sided)
        ]
        return (*found, *(STAGE_EDITS if self.stages else ()))

    def refusal(self, kind: str, constraint: Constraint | StageEdit) -> BadValue | None:
        """Why a constraint is not taken; None if it is."""
        if kind in self.constraints:
            return None
        allowed = self.others or f"one of {', '.join(self.constraints)}"
        if not self.constraints:
            allowed = "left out: this method takes no constraints"
        return BadValue(f"constraint '{constraint.name}'", allowed, type(constraint).__name__)


@dataclass(frozen=True)
class Method:
    """One of the methods."""

    name: str
    settings: type[DataclassInstance]
    """Frozen, with a default for every field."""
    takes: Takes
    run: Callable[..., Result[object]]
    """`run(edit, settings=None, *, progress=None, previous=None)`, with settings of its own type.

    It calls `progress` while it runs, and raises a `PoiseError` for what cannot be asked of it.
    What has not changed since `previous`, a result on the same clip, need not be solved again."""
    presets: Mapping[str, Mapping[str, object]] = field(
        default_factory=dict[str, Mapping[str, object]]
    )
    """Values that settings take by the name under `preset`."""
    keeps_frames: bool = True
    """Whether frame n of the result is frame n of the clip, so that what follows can be checked
    before this has run."""
    is_quick: bool = False
    """Whether it is solved while the user drags."""
