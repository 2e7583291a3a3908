"""Changing single values of a recipe, and leaving constraints out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from poise.environment import entries_from
from poise.errors import BadValue, FileProblem, UnknownName
from poise.recipes.places import Location, Place, RecipeProblem
from poise.recipes.whereabouts import constraints_of, methods_of
from poise.recipes.written import Written, written_from

_TOP = ("about", "clip", "character", "environment", "outputs")


@dataclass(frozen=True)
class Change:
    """A change that was asked for in other words than `--set PATH=VALUE`."""

    text: str
    """`PATH=VALUE`"""
    label: str
    """What was written instead: `--preset run`."""


def changed(root: Written, changes: Sequence[str | Change], without: Sequence[str]) -> Written:
    """A recipe with some values changed and some constraints left out.

    A change is written `PATH=VALUE`. The path begins with the name of a constraint, a method, or a
    first-level key of the recipe, and goes on with keys and list indices (from 0), all with dots
    between: `reach.priority=3`, `deform.settings.strategy=weights`, `clip.rate_hz=24`,
    `reach.through.0.place_m=[0, 1, 0]`. The value is YAML. What is changed is checked like the
    file itself. Names that several steps use are changed in all of them.

    Raises:
        UnknownName: nothing of that name.
        BadValue: a change that is not written so.
    """
    for asked in changes:
        told = isinstance(asked, Change)
        change, label = (asked.text, asked.label) if told else (asked, f"--set {asked[:80]}")
        path, equals, text = change.partition("=")
        if not equals or not path.strip():
            raise BadValue("change", "PATH=VALUE, for example reach.priority=3", change)
        value = _value(text, change, label)
        for location in _targets(root, path.strip()):
            root = _spelled_out(root, location).put(location, value)
    for name in without:
        root = _left_out(root, name)
    return root


def _value(text: str, change: str, label: str) -> Written:
    """The value of a change, at the place of the change instead of lines of its own."""
    if not text.strip():
        return Written(None, Place(label), Place(label))
    try:
        entry = entries_from(text.encode("utf-8"), Path(label), "a value")
    except FileProblem as problem:
        found = problem.found or problem.expected
        raise BadValue("change", f"PATH=VALUE with a YAML value ({found})", change) from None
    value, problems = written_from(entry, label)
    if problems:
        raise RecipeProblem(problems)
    return _placed(value, Place(label))


def _placed(value: Written, place: Place) -> Written:
    content = value.content
    if isinstance(content, Mapping):
        content = {key: _placed(each, place) for key, each in content.items()}
    elif isinstance(content, tuple):
        content = tuple(_placed(each, place) for each in content)
    return Written(content, place, place)


def _targets(root: Written, path: str) -> list[Location]:
    """Where a path leads: once for every step that has what it begins with."""
    names = _names(root)
    starts: dict[str, list[Location]] = {key: [(key,)] for key in _TOP}
    for location in methods_of(root):
        starts.setdefault(str(location[-1]), []).append(location)
    starts |= names  # a constraint may be called what it likes
    fitting = [start for start in starts if path == start or path.startswith(f"{start}.")]
    if not fitting:
        kind = "constraint, method or key of the recipe"
        known = (*names, *(start for start in starts if start not in names))
        raise UnknownName(kind, path.split(".")[0], known)
    start = max(fitting, key=len)
    rest = path[len(start) + 1 :]
    if start in names and not rest:
        raise BadValue("change", f"a field of '{start}', for example {start}.priority=2", path)
    parts = tuple(int(part) if part.isdigit() else part for part in rest.split(".") if part)
    targets = [(*at, *parts) for at in starts[start]]
    for at in targets:
        _check_indices(root, at, path)
    return targets


def _names(root: Written) -> dict[str, list[Location]]:
    """Constraints by name."""
    found: dict[str, list[Location]] = {}
    for location in constraints_of(root):
        name = root.at((*location, "name"))
        if name is not None and isinstance(name.content, str):
            found.setdefault(name.content, []).append(location)
    return found


def _check_indices(root: Written, location: Location, path: str) -> None:
    """Entries of lists must be there to be changed."""
    here: Written | None = root
    for part in location:
        listed = here.content if here is not None else None
        if isinstance(listed, tuple) and not (isinstance(part, int) and part < len(listed)):
            allowed = f"an entry from 0 to {len(listed) - 1}" if listed else "no entry (none there)"
            raise BadValue(f"'{part}' in {path}", allowed, part)
        here = None if here is None else here.child(part)


def _spelled_out(root: Written, location: Location) -> Written:
    """A clip that is only a path becomes `file: path` before something is put beside it."""
    clip = root.at(("clip",))
    if location[0] != "clip" or len(location) == 1 or clip is None:
        return root
    if not isinstance(clip.content, str):
        return root
    return root.put(("clip",), replace(clip, content={"file": Written(clip.content, clip.place)}))


def _left_out(root: Written, name: str) -> Written:
    found = _names(root)
    if name not in found:
        raise UnknownName("constraint", name, found)
    # From the last to the first, so that what is still to go keeps its place.
    for location in reversed(found[name]):
        index, listed = int(location[4]), root.at(location[:4])
        assert listed is not None and isinstance(listed.content, tuple)
        kept = listed.content[:index] + listed.content[index + 1 :]
        root = root.put(location[:4], replace(listed, content=kept))
    return root
