"""The words a recipe may use: the constraints and the methods there are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from poise.methods.edit import Edit
from poise.methods.result import Result


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Constraints and methods by the names they have in a recipe."""

    constraints: Mapping[str, type[Any]]
    methods: Mapping[str, Any]
    """Each has `Settings`, a frozen dataclass with a default for every field, and `run`."""

    def settings(self, method: str) -> type[Any]:
        """The settings of a method."""
        return self.methods[method].Settings

    def kind_of(self, record: object) -> str:
        """The key of a constraint record."""
        return next(key for key, made in self.constraints.items() if isinstance(record, made))

    def run(self, method: str, edit: Edit, settings: Any) -> Result:
        """Let a method work."""
        return self.methods[method].run(edit, settings)


@cache
def vocabulary() -> Vocabulary:
    """All that Poise knows."""
    from poise.constraints.table import CONSTRAINTS
    from poise.methods import METHODS

    return Vocabulary({key: record for key, (record, _) in CONSTRAINTS.items()}, METHODS)
