"""The words a recipe may use: the constraints and the methods there are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, cast

from poise.constraints import CONSTRAINTS, STAGE_EDITS, Constraint, StageEdit
from poise.job.recipe import Values
from poise.methods import METHODS, Method, Takes

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Constraints and methods by the names they have in a recipe."""

    constraints: Mapping[str, type[Constraint | StageEdit]]
    methods: Mapping[str, Method]

    def settings(self, method: str) -> type[DataclassInstance]:
        """The settings of a method."""
        return self.methods[method].settings

    def settings_from(self, method: str, given: Values) -> DataclassInstance:
        """The settings that are given, the rest as its preset or the method has them."""
        make = cast("Callable[..., DataclassInstance]", self.settings(method))
        return make(**self.with_preset(method, given))

    def takes(self, method: str) -> Takes:
        """What a step of a method may be given."""
        return self.methods[method].takes

    def kind_of(self, record: object) -> str:
        """The key of a constraint record."""
        return next(key for key, made in self.constraints.items() if type(record) is made)

    def with_preset(self, method: str, given: Values) -> Values:
        """The values that are given, and for the rest those of the preset."""
        usual = getattr(self.settings(method), "preset", None)
        return {**self.preset(method, given.get("preset", usual)), **given}

    def preset(self, method: str, name: object = None) -> Values:
        """What a method's settings are under a preset where they are not the usual ones."""
        chosen = self.methods.get(method)
        return chosen.presets.get(name, {}) if chosen and isinstance(name, str) else {}


@cache
def vocabulary() -> Vocabulary:
    """All that Poise knows."""
    records = {key: kind.record for key, kind in CONSTRAINTS.items()}
    return Vocabulary({**records, **STAGE_EDITS}, METHODS)
