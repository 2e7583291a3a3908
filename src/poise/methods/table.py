"""All methods by the name that recipes use."""

from __future__ import annotations

from types import ModuleType

from poise.methods import deform

METHODS: dict[str, ModuleType] = {"deform": deform}
"""Each has `Settings` and `run(edit, settings) -> Result`."""
