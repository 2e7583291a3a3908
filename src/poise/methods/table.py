"""All methods by the name that recipes use."""

from __future__ import annotations

from types import ModuleType

from poise.methods import deform, filter

METHODS: dict[str, ModuleType] = {"deform": deform, "filter": filter}
"""Each has `Settings` and `run(edit, settings) -> Result`."""
