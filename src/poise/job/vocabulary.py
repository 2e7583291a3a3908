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

    def presets(self, method: str) -> Mapping[str, Mapping[str, Any]]:
        """Values that the settings of a method take by the name under `preset`."""
        chosen = self.methods.get(method)
        return {} if chosen is None else chosen.presets

    def with_preset(self, method: str, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """The values that are given, and for the rest those of the preset."""
        usual = getattr(self.settings(method), "preset", None)
        return {**self.preset(method, given.get("preset", usual)), **given}

    def preset(self, method: str, name: object = None) -> Mapping[str, Any]:
        """What a method's settings are under a preset where they are not the usual ones."""
        return self.presets(method).get(name, {}) if isinstance(name, str) else {}


@cache
def vocabulary() -> Vocabulary:
    """All that Poise knows."""
    from poise.constraints import CONSTRAINTS, STAGE_EDITS
    from poise.methods import METHODS

    records = {key: record for key, (record, _) in CONSTRAINTS.items()}
    return Vocabulary({**records, **STAGE_EDITS}, METHODS)
