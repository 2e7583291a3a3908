"""All methods by the name that recipes use."""

from __future__ import annotations

from types import ModuleType

from poise.methods import correct, deform, filter, momentum, pattern

METHODS: dict[str, ModuleType] = {
    "deform": deform,
    "filter": filter,
    "correct": correct,
    "momentum": momentum,
    "pattern": pattern,
}
"""Each has `Settings` and `run(edit, settings) -> Result`.

Some have `PRESETS`: values that settings take by the name under `preset`. One that takes no
constraints says `TAKES_CONSTRAINTS = False`; one that knows stages, `TAKES_STAGE_EDITS = True`; one
that reads the edit's pattern, `TAKES_PATTERN = True`. One that tells how far it is has `watch` in
`run`."""
