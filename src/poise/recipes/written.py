"""A recipe as it was written: plain values that know where they stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import yaml
from yaml.resolver import Resolver

from poise.environment import MAX_DEPTH, Entry
from poise.errors import FileProblem
from poise.formats import shown
from poise.recipes.places import Location, Place, Problem, RecipeProblem, expected
from poise.recipes.scalars import NoNumberHere, Scalar, scalar_from

MAX_VALUES = 100_000
"""Most values a recipe may have once its aliases are written out."""

_MAP, _LIST, _TEXT = (f"tag:yaml.org,2002:{kind}" for kind in ("map", "seq", "str"))


@dataclass(frozen=True, eq=False)
class Written:
    """A value and where it stands. Changes make new trees."""

    content: Scalar | tuple[Written, ...] | Mapping[str, Written]
    place: Place
    key_place: Place | None = None
    """Where its key stands, if it has one."""

    def plain(self) -> Any:
        """The same as dicts, tuples, words and numbers."""
        if isinstance(self.content, Mapping):
            return {key: value.plain() for key, value in self.content.items()}
        if isinstance(self.content, tuple):
            return tuple(value.plain() for value in self.content)
        return self.content

    def child(self, part: str | int) -> Written | None:
        """The value under a key or index; None when there is none."""
        if isinstance(self.content, Mapping) and isinstance(part, str):
            return self.content.get(part)
        if isinstance(self.content, tuple) and isinstance(part, int):
            return self.content[part] if 0 <= part < len(self.content) else None
        return None

    def at(self, location: Location) -> Written | None:
        """The value at a location; None when there is none."""
        here: Written | None = self
        for part in location:
            here = None if here is None else here.child(part)
        return here

    def nearest(self, location: Location) -> Written:
        """The value at a location, or the last one on the way there."""
        here = self
        for part in location:
            below = here.child(part)
            if below is None:
                return here
            here = below
        return here

    def put(self, location: Location, value: Written) -> Written:
        """A tree with another value there; keys on the way are made, list entries must exist."""
        if not location:
            return replace(value, key_place=self.key_place or value.key_place)
        part, rest = location[0], location[1:]
        if isinstance(self.content, tuple) and isinstance(part, int):
            changed = list(self.content)
            changed[part] = changed[part].put(rest, value)
            return replace(self, content=tuple(changed))
        old = dict(self.content) if isinstance(self.content, Mapping) else {}
        empty = Written({}, value.place, value.place)
        return replace(
            self, content={**old, cast("str", part): old.get(str(part), empty).put(rest, value)}
        )

    @property
    def kind(self) -> str:
        """What stands there, in few words."""
        if isinstance(self.content, Mapping):
            return "keys and values"
        if isinstance(self.content, tuple):
            return f"a list of {len(self.content)}"
        if isinstance(self.content, str):
            return shown(self.content) if self.content else "no text"
        if self.content is None:
            return "nothing"
        return str(self.content).lower()


def written_from(root: Entry, label: str) -> tuple[Written, list[Problem]]:
    """The values of a parsed file; and every key that comes twice, every tag, every NaN.

    Raises:
        RecipeProblem: a file that aliases make too deep or too large.
    """
    reading = _Reading(label)
    return reading.value(root.node, 0, None), reading.problems


@dataclass
class _Reading:
    """Turns nodes into values and collects what is wrong with them."""

    label: str
    problems: list[Problem] = field(default_factory=list[Problem])
    seen: int = 0

    def value(self, node: yaml.Node, depth: int, key_place: Place | None) -> Written:
        place = self.place(node)
        self.seen += 1
        if depth > MAX_DEPTH or self.seen > MAX_VALUES:  # aliases may nest and multiply
            found = "very deep nesting" if depth > MAX_DEPTH else f"more than {MAX_VALUES} values"
            raise RecipeProblem([expected(place, "a recipe of a sane size", found)])
        if self._has_tag(node):
            advice = "Leave the tag out; put quotes around what should be text."
            self.problems.append(expected(place, "a plain value", shown(node.tag), advice))
        if isinstance(node, yaml.MappingNode):
            return Written(self._mapping(node, depth), place, key_place)
        if isinstance(node, yaml.SequenceNode):
            nodes = cast("list[yaml.Node]", node.value)
            listed = tuple(self.value(each, depth + 1, None) for each in nodes)
            return Written(listed, place, key_place)
        return Written(self._scalar(node, place), place, key_place)

    def place(self, node: yaml.Node) -> Place:
        mark = node.start_mark
        if mark is None:
            return Place(self.label)
        return Place(self.label, mark.line + 1, mark.column + 1)

    def _mapping(self, node: yaml.MappingNode, depth: int) -> dict[str, Written]:
        found: dict[str, Written] = {}
        for key, value in cast("list[tuple[yaml.Node, yaml.Node]]", node.value):
            place = self.place(key)
            name = str(cast("object", key.value)) if isinstance(key, yaml.ScalarNode) else ""
            if not name:
                self.problems.append(expected(place, "a word as the key", self._kind(key)))
                continue
            if name in found:
                again = f"{shown(name)} again (first in line {_line(found[name])})"
                self.problems.append(expected(place, "each key once", again))
                continue
            found[name] = self.value(value, depth + 1, place)
        return found

    def _scalar(self, node: yaml.Node, place: Place) -> Scalar:
        word = str(cast("object", node.value))
        if cast("yaml.ScalarNode", node).style is not None:  # quoted, or a block of text
            return word
        try:
            return scalar_from(word)
        except NoNumberHere as wanted:
            self.problems.append(expected(place, str(wanted), shown(word)))
            return None

    def _kind(self, node: yaml.Node) -> str:
        return "nothing" if isinstance(node, yaml.ScalarNode) else "a list or keys and values"

    @staticmethod
    def _has_tag(node: yaml.Node) -> bool:
        """Whether the file says of what type the value is."""
        if isinstance(node, yaml.MappingNode):
            return node.tag != _MAP
        if isinstance(node, yaml.SequenceNode):
            return node.tag != _LIST
        plain = cast("yaml.ScalarNode", node).style is None
        usual = Resolver().resolve(yaml.ScalarNode, node.value, (plain, not plain))
        return node.tag != usual


def _line(value: Written) -> int | None:
    return None if value.key_place is None else value.key_place.line


def file_problem(problem: FileProblem, label: str) -> Problem:
    """What a reader of files found, as a problem of the recipe."""
    place = Place(label, problem.line)
    return expected(place, problem.expected, problem.found, problem.advice)


def entry_from(value: Written, path: Path, where: str) -> Entry:
    """A value as the nodes that readers of places take, at the same lines."""
    return Entry(path, _node(value), where)


def _node(value: Written) -> yaml.Node:
    place = value.place
    mark = None
    if place.line is not None:
        mark = yaml.Mark(place.label, 0, place.line - 1, (place.column or 1) - 1, None, 0)
    if isinstance(value.content, Mapping):
        pairs = [(_node(_key_of(key, each)), _node(each)) for key, each in value.content.items()]
        return yaml.MappingNode(_MAP, pairs, mark, mark)
    if isinstance(value.content, tuple):
        return yaml.SequenceNode(_LIST, [_node(each) for each in value.content], mark, mark)
    word = "null" if value.content is None else str(value.content)
    return yaml.ScalarNode(_TEXT, word, mark, mark)


def _key_of(key: str, value: Written) -> Written:
    return Written(key, value.key_place or value.place)


def written_plain(value: Any, label: str = "recipe") -> Written:
    """Plain values that were never written down."""
    content = value
    if isinstance(value, Mapping):
        content = {str(key): written_plain(each, label) for key, each in value.items()}
    elif isinstance(value, tuple | list):
        content = tuple(written_plain(each, label) for each in value)
    return Written(content, Place(label))


def written_located(value: Any, location: Location = ()) -> Written:
    """Plain values that were never written down, each labelled by its keys, with dots."""
    place = Place(".".join(map(str, location)))
    content = value
    if isinstance(value, Mapping):
        pairs = cast("Mapping[Any, Any]", value).items()
        content = {str(key): written_located(each, (*location, str(key))) for key, each in pairs}
    elif isinstance(value, tuple | list):
        content = tuple(written_located(each, (*location, i)) for i, each in enumerate(value))
    return Written(content, place, place)
