"""Changing single values of a recipe, and leaving constraints out."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from poise.errors import BadValue, FileProblem, UnknownName
from poise.job.error_context import Location, RecipeProblem, constraints_of, methods_of
from poise.job.named_files import seen_from
from poise.wording import MAX_MAGNITUDE, shown
from poise.yaml_nodes import Node, expected, node_from, parse_yaml

_TOP = ("about", "clip", "character", "environment", "outputs")


@dataclass(frozen=True)
class Change:
    """A value to put into a recipe."""

    path: Location | str
    """The name of a constraint, a method or a first-level key of the recipe; then keys and list
    indices: `("correct", "settings", "preset")`. Or as people type it, with dots."""
    value: object = field(hash=False)
    """Plain values: dicts, lists, tuples, words, numbers."""
    label: str = "a change"
    """The change as the user wrote it, for messages: `--preset run`."""
    folder: Path | None = None
    """Where relative names of files in the value start; None: in the recipe's own folder."""


def changed(root: Node, changes: Sequence[str | Change], without: Sequence[str]) -> Node:
    """A recipe with some values changed and some constraints left out.

    A change as people type it is `PATH=VALUE`. The path begins with the name of a constraint, a
    method, or a first-level key of the recipe, and goes on with keys and list indices (from 0), all
    with dots between: `reach.priority=3`, `deform.settings.strategy=weights`, `clip.rate_hz=24`,
    `reach.through.0.place_m=[0, 1, 0]`. The value is YAML. What is changed is checked like the
    file itself. Names that several steps use are changed in all of them. Names of files start
    where the user stands, in the current folder.

    Raises:
        UnknownName: nothing of that name.
        BadValue: a change that is not written so.
    """
    for change in changes:
        each = typed_change(change) if isinstance(change, str) else change
        _check_sizes(node_from(each.value, each.label))
        root = put_at(root, each.path, partial(_value_at, each))
    for name in without:
        root = _left_out(root, name)
    return root


def put_at(root: Node, path: Location | str, value: Callable[[Location], Node]) -> Node:
    """A recipe with a value at every place that a path leads to.

    Raises:
        UnknownName: nothing of that name.
        BadValue: a path that ends too early, or an entry that a list does not have.
    """
    start, parts = _split(root, path) if isinstance(path, str) else (str(path[0]), path[1:])
    for location in _targets(root, start, parts):
        root = _spelled_out(root, location).put(location, value(location))
    return root


def changed_values(values: Mapping[str, object], changes: Sequence[str | Change]) -> Any:
    """Plain values of a recipe, changed."""
    return changed(node_from(values), changes, ()).plain()


def _value_at(change: Change, location: Location) -> Node:
    value = change.value
    if change.folder is not None:
        value = seen_from(change.folder, value, location)
    return node_from(value, change.label)


def typed_change(change: str, folder: Path | None = None) -> Change:
    """A change as people type it, `PATH=VALUE`; its files start in a folder, or in the current one.

    Raises:
        BadValue: one that is not written so.
    """
    path, equals, text = change.partition("=")
    label = f"--set {change[:80]}"
    if not equals or not path.strip():
        raise BadValue("change", "PATH=VALUE, for example reach.priority=3", change)
    folder = Path.cwd() if folder is None else folder
    if not text.strip():
        return Change(path.strip(), None, label, folder)
    try:
        value, problems = parse_yaml(text.encode("utf-8"), label, "a value")
    except FileProblem as problem:
        found = problem.found or problem.expected
        raise BadValue("change", f"PATH=VALUE with a YAML value ({found})", change) from None
    if problems:
        raise RecipeProblem(problems)
    return Change(path.strip(), value.plain(), label, folder)


def _check_sizes(value: Node) -> None:
    """Numbers that are beyond what any length, angle or count can be."""
    content = value.content
    if isinstance(content, int | float) and MAX_MAGNITUDE < abs(content) < math.inf:
        wanted = f"a number of at most {MAX_MAGNITUDE:g} (or quotes around it)"
        raise RecipeProblem([expected(value.place, wanted, shown(value.word))])
    for each in (*value.items().values(), *value.entries()):
        _check_sizes(each)


def _split(root: Node, path: str) -> tuple[str, Location]:
    """What a path begins with, which may have dots in its name, and the rest."""
    starts = _starts(root)
    fitting = [start for start in starts if path == start or path.startswith(f"{start}.")]
    start = max(fitting, key=len) if fitting else path.split(".")[0]
    rest = path[len(start) + 1 :] if fitting else ""
    return start, tuple(int(part) if part.isdigit() else part for part in rest.split(".") if part)


def _targets(root: Node, start: str, parts: Location) -> list[Location]:
    """The places a path leads to: one in every step that has what it begins with."""
    starts, names = _starts(root), _names(root)
    if start not in starts:
        kind = "constraint, method or key of the recipe"
        raise UnknownName(kind, start, (*names, *(each for each in starts if each not in names)))
    if start in names and not parts:
        raise BadValue("change", f"a field of '{start}', for example {start}.priority=2", start)
    targets = [(*at, *parts) for at in starts[start]]
    for at in targets:
        _check_indices(root, at, ".".join(map(str, (start, *parts))))
    return targets


def _starts(root: Node) -> dict[str, list[Location]]:
    """What a path may begin with, and where that stands."""
    starts: dict[str, list[Location]] = {key: [(key,)] for key in _TOP}
    for location in methods_of(root):
        starts.setdefault(str(location[-1]), []).append(location)
    return starts | _names(root)  # a constraint may be called what it likes


def _names(root: Node) -> dict[str, list[Location]]:
    """Constraints by name."""
    found: dict[str, list[Location]] = {}
    for location in constraints_of(root):
        name = root.at((*location, "name"))
        if name is not None and isinstance(name.content, str):
            found.setdefault(name.content, []).append(location)
    return found


def _check_indices(root: Node, location: Location, path: str) -> None:
    """Entries of lists must be there to be changed."""
    here: Node | None = root
    for part in location:
        listed = here.content if here is not None else None
        if isinstance(listed, tuple) and not (isinstance(part, int) and part < len(listed)):
            allowed = f"an entry from 0 to {len(listed) - 1}" if listed else "no entry (none there)"
            raise BadValue(f"'{part}' in {path}", allowed, part)
        here = None if here is None else here.child(part)


def _spelled_out(root: Node, location: Location) -> Node:
    """A clip that is only a path becomes `file: path` before something is put beside it."""
    clip = root.child("clip")
    if location[0] == "clip" and len(location) > 1 and clip and isinstance(clip.content, str):
        root = root.put(("clip",), replace(clip, content={"file": replace(clip, key_place=None)}))
    return root


def _left_out(root: Node, name: str) -> Node:
    found = _names(root)
    if name not in found:
        raise UnknownName("constraint", name, found)
    # From the last to the first, so that what is still to go keeps its place.
    for location in reversed(found[name]):
        index, listed = int(location[4]), root.nearest(location[:4])
        kept = listed.entries()[:index] + listed.entries()[index + 1 :]
        root = root.put(location[:4], replace(listed, content=kept))
    return root
