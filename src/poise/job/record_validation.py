"""Rules of a recipe beyond the type of each value: one of several keys, names that differ."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from poise.environment import Entry, place_from
from poise.errors import FileProblem
from poise.job.constraint_spec import wrong_times
from poise.job.error_context import Location, constraints_of, methods_of, said
from poise.job.recipe import RETARGET
from poise.job.vocabulary import Vocabulary
from poise.yaml_nodes import Node, Place, Problem, expected


def check(root: Node, path: Path, words: Vocabulary) -> Iterator[Problem]:
    """All that is wrong by these rules; values of a wrong type are passed over."""
    steps = root.child("steps")
    if steps is not None and steps.content == ():
        yield expected(steps.place, "at least one step", "an empty list")
    yield from _one_key(root, ("steps",), "one method")
    for method in methods_of(root):
        yield from _one_key(root, (*method, "constraints"), "one constraint")
    seen: set[tuple[Location, str]] = set()
    for location in constraints_of(root):
        yield from _times(root, location, words)
        yield from _another_name(root, location, seen)
    yield from _retargeting(root)
    yield from _place(root, path)


def _one_key(root: Node, location: Location, what: str) -> Iterator[Problem]:
    """Each entry of the list there has one key, whatever it is."""
    listed = root.at(location)
    for i, entry in enumerate(() if listed is None else listed.entries()):
        if isinstance(entry.content, dict) and len(entry.content) != 1:
            found = " and ".join(f"'{key}'" for key in list(entry.content)[:5]) or "no key"
            where = said(root, (*location, i))
            yield expected(entry.place, f"{what} in {where}", found, "Start each with a dash.")


def _times(root: Node, location: Location, words: Vocabulary) -> Iterator[Problem]:
    """Times are given once, in frames or in seconds; also in the records inside a record."""
    record = words.constraints.get(str(location[-1]))
    here = root.nearest(location)
    for below, keys, found in wrong_times(record, here.plain()) if record is not None else ():
        wanted = " or ".join(f"'{key}'" for key in keys)
        where = said(root, (*location, *below))
        yield expected(here.nearest(below).place, f"either {wanted} in {where}", found)


def _another_name(
    root: Node, location: Location, seen: set[tuple[Location, str]]
) -> Iterator[Problem]:
    """Constraints of one step have different names."""
    name = root.at((*location, "name"))
    if name is None or not isinstance(name.content, str):
        return
    key = (location[:3], name.content)
    if key in seen:
        yield expected(name.place, "different names of constraints", f"{name.kind} again")
    seen.add(key)


def _retargeting(root: Node) -> Iterator[Problem]:
    """One step puts the motion on another body, the first; only it asks what joints follow."""
    found = [location for location in methods_of(root) if location[-1] == RETARGET]
    character = root.nearest(("character",))  # the recipe itself has neither `to` nor `mapping`
    for location in found:
        here = root.nearest(location)
        place, step = here.key_place or here.place, int(location[1])
        if step > 0:
            advice = "Later steps work on the other body."
            yield expected(place, f"{RETARGET} as the first step", f"it as step {step + 1}", advice)
        elif not _given(character, "to"):
            advice = "It is a file: 'character: {to: robot.xml}'."
            yield expected(place, f"'to' in character for {RETARGET}", "none", advice)
    if _given(character, "mapping") and ("steps", 0, RETARGET) not in found:
        here = root.nearest(("character", "mapping"))
        wanted = f"no mapping where the first step is not {RETARGET}"
        yield expected(here.key_place or here.place, wanted, here.kind)


def _given(here: Node, key: str) -> bool:
    value = here.child(key)
    return value is not None and value.content is not None


def _place(root: Node, path: Path) -> Iterator[Problem]:
    """A place that is written out here and names no files can be made."""
    here = root.child("environment")
    if here is None or not isinstance(here.content, dict) or _names_a_file(here):
        return
    try:
        place_from(Entry(path, here, "environment"))
    except FileProblem as problem:
        place = Place(here.place.label, problem.line)
        yield expected(place, problem.expected, problem.found, problem.advice)


def _names_a_file(here: Node) -> bool:
    below = (*here.items().values(), *here.entries())
    return "file" in here.items() or any(map(_names_a_file, below))
