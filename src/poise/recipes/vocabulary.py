"""The words a recipe may use: the constraints and the methods there are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from inspect import signature
from typing import Any

from poise.methods import Edit, Result
from poise.recipes.recipe import RETARGET


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

    def preset(self, method: str, name: str | None = None) -> Mapping[str, Any]:
        """What a method's settings are under a preset where they are not the usual ones."""
        presets = getattr(self.methods.get(method), "PRESETS", {})
        return presets.get(name, {})

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
    ) -> Result:
        """Let a method work; one that can tell how far it is tells `watch`."""
        chosen = self.methods[method].run
        for name in ("watch", "progress"):
            if watch is not None and name in signature(chosen).parameters:
                return chosen(edit, settings, **{name: watch})
        return chosen(edit, settings)


@cache
def vocabulary() -> Vocabulary:
    """All that Poise knows."""
    from poise.constraints import CONSTRAINTS, STAGE_EDITS
    from poise.methods import METHODS, retarget

    records = {key: record for key, (record, _) in CONSTRAINTS.items()}
    return Vocabulary({**records, **STAGE_EDITS}, {**METHODS, RETARGET: retarget})
