"""The words a recipe may use: the constraints and the methods there are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from poise.methods import Method, Takes


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Constraints and methods by the names they have in a recipe."""

    constraints: Mapping[str, type[Any]]
    methods: Mapping[str, Method[Any, Any]]

    def settings(self, method: str) -> type[Any]:
        """The settings of a method."""
        return self.methods[method].settings

    def takes(self, method: str) -> Takes:
        """What a step of a method may be given."""
        return self.methods[method].takes

    def kind_of(self, record: object) -> str:
        """The key of a constraint record."""
        return next(key for key, made in self.constraints.items() if isinstance(record, made))

    def preset(self, method: str, name: str | None = None) -> Mapping[str, Any]:
        """What a method's settings are under a preset where they are not the usual ones."""
        chosen = self.methods.get(method)
        return {} if chosen is None or name is None else chosen.presets.get(name, {})


@cache
def vocabulary() -> Vocabulary:
    """All that Poise knows."""
    from poise.constraints import CONSTRAINTS, STAGE_EDITS
    from poise.methods import METHODS

    records = {key: record for key, (record, _) in CONSTRAINTS.items()}
    return Vocabulary({**records, **STAGE_EDITS}, METHODS)
