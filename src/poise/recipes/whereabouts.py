"""A location in a recipe, as a person would say it."""

from __future__ import annotations

from collections.abc import Mapping

from poise.recipes.places import Location
from poise.recipes.written import Written


def said(root: Written, location: Location) -> str:
    """`priority of 'reach'`, `strategy of settings of deform`, `entry 2 of through of 'reach'`."""
    words: list[str] = []
    for end in range(len(location), 0, -1):
        here, part = location[:end], location[end - 1]
        name = constraint_name(root, here)
        if name:
            words.append(name)
            break
        if _is_method(here):
            words.append(str(part))
            break
        words.append(f"entry {part + 1}" if isinstance(part, int) else part)
    return " of ".join(words) if words else "the recipe"


def is_constraint(location: Location) -> bool:
    """Whether a location is that of what stands under a constraint's key."""
    return len(location) == 6 and location[0] == "steps" and location[3] == "constraints"


def _is_method(location: Location) -> bool:
    return len(location) == 3 and location[0] == "steps"


def constraint_name(root: Written, location: Location) -> str:
    """What to call a constraint: its name in quotes, or its kind and number; "" for others."""
    if not is_constraint(location):
        return ""
    named = root.at((*location, "name"))
    if named is not None and isinstance(named.content, str) and named.content:
        return f"'{named.content[:60]}'"
    return f"{location[5]} (constraint {int(location[4]) + 1})"


def constraints_of(root: Written) -> list[Location]:
    """Where constraints stand, as far as the tree has the right form."""
    found: list[Location] = []
    for i, step in enumerate(_entries(root.at(("steps",)))):
        for method in step.content if isinstance(step.content, Mapping) else ():
            at: Location = ("steps", i, method, "constraints")
            for j, entry in enumerate(_entries(root.at(at))):
                if isinstance(entry.content, Mapping):
                    found += [(*at, j, kind) for kind in entry.content]
    return found


def methods_of(root: Written) -> list[Location]:
    """Where methods stand, likewise."""
    return [
        ("steps", i, method)
        for i, step in enumerate(_entries(root.at(("steps",))))
        if isinstance(step.content, Mapping)
        for method in step.content
    ]


def _entries(value: Written | None) -> tuple[Written, ...]:
    return value.content if value is not None and isinstance(value.content, tuple) else ()
