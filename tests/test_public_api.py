"""The public names, as a committed list: adding or losing one is a decision."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path

from poise.constraints import CONSTRAINTS

PACKAGES = (
    "poise",
    "poise.character",
    "poise.constraints",
    "poise.contact",
    "poise.environment",
    "poise.execution",
    "poise.extend",
    "poise.formats",
    "poise.ik",
    "poise.job",
    "poise.measures",
    "poise.methods",
    "poise.methods.deform",
    "poise.mechanics",
    "poise.motion",
    "poise.motion.cleanup",
    "poise.physics",
    "poise.samples",
    "poise.transfer",
)
RECORDS = {f"poise.constraints.{kind.record.__name__}" for kind in CONSTRAINTS.own.values()}
"""Public by standing in the table of constraints; docs/recipes.md lists them."""
COMMITTED = Path(__file__).with_name("public_names.txt")


def exported(package: str) -> list[str]:
    """Names a package's `__init__` defines or re-exports as itself (`X as X`)."""
    module = importlib.import_module(package)
    names = []
    for name in {*vars(module), *dir(module)}:
        value = getattr(module, name)
        if (
            name.startswith("_")
            or inspect.ismodule(value)
            or name in ("annotations", "TYPE_CHECKING")
        ):
            continue
        home = getattr(value, "__module__", package)
        if isinstance(home, str) and home.startswith("poise"):
            names.append(f"{package}.{name}")
    return names


def public_names() -> list[str]:
    return sorted(
        name
        for package in PACKAGES
        for name in exported(package)
        # A package uses others' records without exporting them.
        if not (package == "poise.samples" and name.endswith(".Clip"))
    )


def test_the_public_names_are_the_committed_ones() -> None:
    assert RECORDS <= set(public_names())
    others = [name for name in public_names() if name not in RECORDS]
    assert others == COMMITTED.read_text(encoding="utf-8").split()


def test_every_public_name_has_a_docstring() -> None:
    for name in public_names():
        package, _, attribute = name.rpartition(".")
        value = getattr(importlib.import_module(package), attribute)
        if callable(value):
            assert inspect.getdoc(value), name
