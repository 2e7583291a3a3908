"""What must be right in a recipe beyond the type of each value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from poise.recipes.models import has_interval, hints_of, is_moment, record_inside
from poise.recipes.places import Location, Problem, expected
from poise.recipes.recipe import RETARGET
from poise.recipes.timing import IN_SECONDS
from poise.recipes.vocabulary import Vocabulary
from poise.recipes.whereabouts import constraints_of, methods_of, said
from poise.recipes.written import Written


def check(root: Written, words: Vocabulary) -> Iterator[Problem]:
    """Alternatives of which exactly one is wanted, and names that must differ.

    Values of a wrong type are passed over: they have been complained about already.
    """
    steps = root.at(("steps",))
    if steps is not None and steps.content == ():
        yield expected(steps.place, "at least one step", "an empty list")
    yield from _one_key(root, ("steps",), "one method")
    for i, step in enumerate(_list(root, ("steps",))):
        for method in _mapping(step):
            yield from _one_key(root, ("steps", i, method, "constraints"), "one constraint")
    for location in constraints_of(root):
        record = words.constraints.get(str(location[-1]))
        if record is not None:
            yield from check_times(record, root, location)
    yield from _names(root)
    yield from _retargeting(root)


def _one_key(root: Written, location: Location, what: str) -> Iterator[Problem]:
    """Each entry of the list there has one key, whatever it is."""
    for i, entry in enumerate(_list(root, location)):
        if isinstance(entry.content, Mapping) and len(entry.content) != 1:
            found = " and ".join(f"'{key}'" for key in list(entry.content)[:5]) or "no key"
            where = said(root, (*location, i))
            yield expected(entry.place, f"{what} in {where}", found, "Start each with a dash.")


def _one_of(
    here: Written, root: Written, location: Location, keys: tuple[str, ...], *, needed: bool = True
) -> Iterator[Problem]:
    given = [key for key in keys if _given(here, key)]
    if len(given) > 1 or (needed and not given):
        wanted = " or ".join(f"'{key}'" for key in keys)
        found = "both" if given else "none"
        yield expected(here.place, f"either {wanted} in {said(root, location)}", found)


def check_times(record: type, root: Written, location: Location) -> Iterator[Problem]:
    """Times are given once, in frames or in seconds; also in the records inside a record."""
    here = root.at(location)
    if here is None or not isinstance(here.content, Mapping):
        return
    required = {name for name in hints_of(record) if name not in vars(record)}
    for name, hint in hints_of(record).items():
        if has_interval(hint):
            needed = name in required
            yield from _one_of(here, root, location, ("frames", "seconds"), needed=needed)
            yield from _one_of(here, root, location, ("ease", "ease_seconds"), needed=False)
            continue
        if is_moment(name, hint):
            keys, needed = (name, IN_SECONDS[name]), name in required
            yield from _one_of(here, root, location, keys, needed=needed)
            continue
        inner, value = record_inside(hint), here.child(name)
        if inner is None or value is None:
            continue
        yield from check_times(inner, root, (*location, name))
        for i in range(len(value.content) if isinstance(value.content, tuple) else 0):
            yield from check_times(inner, root, (*location, name, i))


def _names(root: Written) -> Iterator[Problem]:
    """Constraints of one step have different names."""
    seen: set[tuple[Location, str]] = set()
    for location in constraints_of(root):
        name = root.at((*location, "name"))
        if name is None or not isinstance(name.content, str):
            continue
        key = (location[:3], name.content)
        if key in seen:
            yield expected(name.place, "different names of constraints", f"{name.kind} again")
        seen.add(key)


def _retargeting(root: Written) -> Iterator[Problem]:
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


def _given(here: Written, key: str) -> bool:
    value = here.child(key)
    return value is not None and value.content is not None


def _list(root: Written, location: Location) -> tuple[Written, ...]:
    value = root.at(location)
    return value.content if value is not None and isinstance(value.content, tuple) else ()


def _mapping(value: Written) -> Mapping[str, Written]:
    return value.content if isinstance(value.content, Mapping) else {}
