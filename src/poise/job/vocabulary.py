"""The words a recipe may use: the constraints and the methods there are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from inspect import signature
from types import SimpleNamespace
from typing import Any

from poise import methods
from poise.constraints import CONSTRAINTS, STAGE_EDITS
from poise.job.recipe import RETARGET
from poise.methods import Edit, Result
from poise.methods.retarget import Settings as RetargetSettings


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Constraints and methods by the names they have in a recipe."""

    constraints: Mapping[str, type[Any]]
    methods: Mapping[str, Any]
    """Each has `Settings`, a frozen dataclass with a default for every field, and `run`; but for
    `retarget`, which is run by itself (`retarget_step.py`)."""

    def settings(self, method: str) -> type[Any]:
        """The settings of a method."""
        return self.methods[method].Settings

    def kind_of(self, record: object) -> str:
        """The key of a constraint record."""
        return next(key for key, made in self.constraints.items() if isinstance(record, made))

    def presets(self, method: str) -> Mapping[str, Mapping[str, Any]]:
        """Values that the settings of a method take by the name under `preset`."""
        return getattr(self.methods.get(method), "PRESETS", {})

    def preset(self, method: str, name: object = None) -> Mapping[str, Any]:
        """What a method's settings are under a preset where they are not the usual ones."""
        return self.presets(method).get(name, {}) if isinstance(name, str) else {}

    def with_preset(self, method: str, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """The values that are given, and for the rest those of the preset."""
        usual = getattr(self.settings(method), "preset", None)
        return {**self.preset(method, given.get("preset", usual)), **given}

    def takes_constraints(self, method: str) -> bool:
        """Whether a step of the method may have constraints."""
        return getattr(self.methods[method], "TAKES_CONSTRAINTS", True)

    def takes_contacts(self, method: str) -> bool:
        """Whether a step of the method may name a file of what touches when."""
        return getattr(self.methods[method], "TAKES_CONTACTS", True)

    def takes_stage_edits(self, method: str) -> bool:
        """Whether the method knows stages; it then reads other constraints in frames of its own."""
        return getattr(self.methods[method], "TAKES_STAGE_EDITS", False)

    def takes_pattern(self, method: str) -> bool:
        """Whether a step of the method names a pattern."""
        return getattr(self.methods[method], "TAKES_PATTERN", False)

    def run(
        self, method: str, edit: Edit, settings: Any, watch: Callable[[Any], None] | None = None
    ) -> Result[Any]:
        """Let a method work; one that can tell how far it is tells `watch`."""
        chosen = self.methods[method].run
        if watch is not None and "watch" in signature(chosen).parameters:
            return chosen(edit, settings, watch=watch)
        return chosen(edit, settings)


@cache
def vocabulary() -> Vocabulary:
    """All that Poise knows."""
    records = {key: record for key, (record, _) in CONSTRAINTS.items()}
    retarget = SimpleNamespace(
        Settings=RetargetSettings, TAKES_CONSTRAINTS=False, TAKES_CONTACTS=False
    )
    return Vocabulary({**records, **STAGE_EDITS}, {**methods.METHODS, RETARGET: retarget})
