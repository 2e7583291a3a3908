"""All methods by the name that recipes use: what each takes is said here, once.

Installed packages add methods (entry points `poise.methods`, see `poise.extensions`).
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import get_args

from poise.constraints import TaskKind
from poise.errors import ExtensionProblem
from poise.extensions import Extended, attributing
from poise.methods import correct, deform, filter, momentum, pattern, retarget
from poise.methods.edit import Edit
from poise.methods.method import Method, Takes
from poise.methods.progress import ProgressCallback, silent
from poise.methods.result import Result

_ALL: tuple[TaskKind, ...] = get_args(TaskKind)
_IN_THE_WORLD: tuple[TaskKind, ...] = ("point", "turn")
"""Places and orientations of single joints."""

_OWN = (
    Method(
        "deform",
        deform.Settings,
        Takes(_ALL, others="one that deform knows (one-sided ones: filter)"),
        deform.run,
        is_quick=True,
    ),
    Method("filter", filter.Settings, Takes(_ALL, one_sided=True), filter.run),
    Method(
        "correct",
        correct.Settings,
        Takes(belts=True),
        correct.run,
        presets={**correct.PRESETS},
    ),
    Method(
        "momentum",
        momentum.Settings,
        Takes(_ALL, one_sided=True, stages=True),
        momentum.run,
        keeps_frames=False,
    ),
    Method(
        "pattern",
        pattern.Settings,
        Takes(
            _IN_THE_WORLD,
            pattern=True,
            others="about a place or an orientation: a pattern knows no other",
        ),
        pattern.run,
    ),
    Method("retarget", retarget.Settings, Takes(contacts=False, target=True), retarget.run),
)


def _problem_with(name: str, method: Method) -> str:
    """What keeps a package's method out of the table."""
    if method.name != name:
        return f"its Method is called '{method.name}'"
    record = method.settings
    if not is_dataclass(record) or not vars(record)["__dataclass_params__"].frozen:
        return "its settings are not a frozen dataclass"
    record()  # every setting has a default
    for preset, values in method.presets.items():
        unknown = set(values) - {each.name for each in fields(record)}
        if unknown:
            return f"preset '{preset}' sets {', '.join(sorted(unknown))}, which it does not have"
    return "" if callable(method.run) else "its run is not a function"


METHODS = Extended("poise.methods", {each.name: each for each in _OWN}, Method, _problem_with)
"""The methods, one folder each; they share the core and do not import each other."""


def run_method(
    method: Method, edit: Edit, settings: object, progress: ProgressCallback | None
) -> Result[object]:
    """What a method makes of an edit.

    Raises:
        ExtensionProblem: one of a package fails, or gives back what is no result of this edit.
    """
    with attributing(METHODS, method.name):
        made = method.run(edit, settings, progress=progress or silent)
    package = METHODS.package(method.name)
    if package is not None:
        wrong = _problem_with_result(method, edit, made)
        if wrong:
            raise ExtensionProblem("method", method.name, str(package), wrong)
    return made


def _problem_with_result(method: Method, edit: Edit, made: object) -> str:
    if not isinstance(made, Result):
        return f"it gave back {type(made).__name__} instead of a Result"
    if method.keeps_frames and made.clip.frame_count != edit.clip.frame_count:
        return (
            f"it gave back {made.clip.frame_count} frames for {edit.clip.frame_count} "
            "without keeps_frames=False"
        )
    return ""
