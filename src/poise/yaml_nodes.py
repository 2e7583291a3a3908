"""YAML 1.2 (and JSON) as a tree of plain values, each with its place in the file.

Nothing is constructed from tags. `1e-3` is a number and `no` a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import takewhile
from pathlib import Path
from typing import Any, Protocol, cast

from ruamel.yaml import YAML
from ruamel.yaml import events as of
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import Event

from poise.errors import FileProblem
from poise.wording import MAX_MAGNITUDE, NUMBER, number_from, shown

MAX_BYTES = 2**18
"""What people write takes a few lines; a megabyte of hostile YAML would take seconds to scan."""

MAX_DEPTH = 60

Scalar = str | int | float | bool | None

_WORDS: dict[str, Scalar] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}", re.ASCII)
_NOT_FINITE = re.compile(r"[+-]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_TAGS = {str: "str", bool: "bool", int: "int", float: "float", type(None): "null"}


class _Mark(Protocol):
    """Where the scanner is, counted from 0."""

    line: int
    column: int


@dataclass(frozen=True)
class Place:
    """A spot in a file, or the option of a command line that changed it."""

    label: str
    line: int | None = None
    """Counted from 1."""
    column: int | None = None
    """Counted from 1."""

    @property
    def is_option(self) -> bool:
        """Whether it is an option of a command line."""
        return self.line is None and self.label.startswith("--")

    def __str__(self) -> str:
        parts = (self.label, self.line, self.column)
        return ":".join(str(part) for part in parts if part is not None)


@dataclass(frozen=True)
class Problem:
    """One mistake and its place."""

    place: Place
    sentence: str
    wanted: str = ""
    found: str = ""
    advice: str = ""

    def __str__(self) -> str:
        return f"{self.place}: {self.sentence}"

    def of_file(self, path: Path, what: str) -> FileProblem:
        """As a complaint about a file that is to be `what`."""
        found = f"{self.found} in column {self.place.column}"
        wanted, line = f"{what}: {self.wanted}", self.place.line
        return FileProblem(path, wanted, found, line=line, advice=self.advice)


def expected(place: Place, wanted: str, found: str = "", advice: str = "") -> Problem:
    """A problem in the usual words."""
    sentence = f"expected {wanted}{f', found {found}' if found else ''}."
    sentence = f"{sentence} {advice}" if advice else sentence
    return Problem(place, sentence, wanted, found, advice)


@dataclass(frozen=True, eq=False)
class Node:
    """A value and its place. Changes make new trees."""

    content: Scalar | tuple[Node, ...] | Mapping[str, Node]
    place: Place
    key_place: Place | None = None
    """The place of its key, if it has one."""
    word: str = ""
    """The text of a scalar as it stands in the file, without quotes."""
    odd_keys: tuple[Node, ...] = ()
    """Keys of a mapping that were not taken: those that come again, and those that are no word."""

    def plain(self) -> Any:
        """The same as dicts, tuples, words and numbers."""
        content = self.content
        if isinstance(content, dict):
            return {key: value.plain() for key, value in content.items()}
        if isinstance(content, tuple):
            return tuple([value.plain() for value in content])
        return content

    def child(self, part: str | int) -> Node | None:
        """The value under a key or index; None when there is none."""
        if isinstance(self.content, dict) and isinstance(part, str):
            return self.content.get(part)
        if isinstance(self.content, tuple) and isinstance(part, int):
            return self.content[part] if 0 <= part < len(self.content) else None
        return None

    def at(self, path: tuple[str | int, ...]) -> Node | None:
        """The value under several keys and indices; None when there is none."""
        here: Node | None = self
        for part in path:
            here = None if here is None else here.child(part)
        return here

    def nearest(self, path: tuple[str | int, ...]) -> Node:
        """The value there, or the last one on the way."""
        here = self
        for part in path:
            below = here.child(part)
            if below is None:
                return here
            here = below
        return here

    def put(self, path: tuple[str | int, ...], value: Node) -> Node:
        """A tree with another value there; keys on the way are made, list entries must exist."""
        if not path:
            return replace(value, key_place=self.key_place or value.key_place)
        part, rest = path[0], path[1:]
        if isinstance(self.content, tuple) and isinstance(part, int):
            entries = list(self.content)
            entries[part] = entries[part].put(rest, value)
            return replace(self, content=tuple(entries))
        old, key = dict(self.items()), str(part)
        empty = Node({}, value.place, value.place)
        return replace(self, content={**old, key: old.get(key, empty).put(rest, value)})

    def items(self) -> Mapping[str, Node]:
        """Keys and values; none where this is no mapping."""
        return cast("Mapping[str, Node]", self.content) if isinstance(self.content, dict) else {}

    def entries(self) -> tuple[Node, ...]:
        """The entries of a list; none where this is none."""
        return self.content if isinstance(self.content, tuple) else ()

    @property
    def kind(self) -> str:
        """The value in few words, for messages."""
        if isinstance(self.content, dict):
            return "keys and values"
        if isinstance(self.content, tuple):
            return f"a list of {len(self.content)}"
        if isinstance(self.content, str):
            return shown(self.content) if self.content else "no text"
        return "nothing" if self.content is None else str(self.content).lower()


def parse_yaml(
    data: bytes, label: str, what: str, *, max_bytes: int = MAX_BYTES, max_values: int | None = None
) -> tuple[Node, list[Problem]]:
    """The tree of a YAML or JSON text, and every key that comes twice, every tag, every NaN.

    Args:
        data: the text in UTF-8.
        label: the name of the file in messages; one that ends in .json may have tabs.
        what: the kind of file, for messages.
        max_bytes: most bytes.
        max_values: most values once aliases are written out; any number by default.

    Raises:
        FileProblem: not text, not one document of YAML, empty, too large or nested too deep.
    """
    if len(data) > max_bytes:
        raise FileProblem(label, f"at most {max_bytes // 1024} KiB", f"{len(data) // 1024} KiB")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = data[: problem.start].count(b"\n") + 1
        found = f"byte 0x{data[problem.start]:02x}"
        raise FileProblem(label, "UTF-8 text", found, line=line) from None
    if _bracket_depth(data) > MAX_DEPTH:  # the scanner needs seconds to give up on these
        raise FileProblem(label, f"YAML ({what})", "very deep nesting")
    if Path(label).suffix.lower() == ".json":
        text = text.replace("\t", " ")  # YAML has no tabs between words, JSON has
    reading = _Reading(label, what)
    try:
        root = reading.document(cast("Any", YAML(typ="safe", pure=True)).parse(text))
    except MarkedYAMLError as problem:
        mark: _Mark | None = problem.problem_mark
        found = str(problem.problem or "something else")[:200]
        line = None if mark is None else mark.line + 1
        raise FileProblem(label, f"YAML ({what})", found, line=line) from None
    except (YAMLError, ValueError) as problem:
        reason = str(problem).splitlines()[0][:200]
        raise FileProblem(label, f"YAML ({what})", reason) from None
    if root is None:
        raise FileProblem(label, what, "an empty file", line=1)
    if max_values is not None:
        reading.check_size(root, max_values)
    return root, reading.problems


@dataclass
class _Reading:
    """Turns events into nodes and collects mistakes."""

    label: str
    what: str
    problems: list[Problem] = field(default_factory=list[Problem])
    anchors: dict[str, Node] = field(default_factory=dict[str, Node])

    def document(self, events: Iterator[Event]) -> Node | None:
        """The root of the only document."""
        root: Node | None = None
        for event in events:
            if isinstance(event, of.DocumentStartEvent) and root is not None:
                raise self._no_yaml(event, "but found another document")
            if isinstance(event, of.NodeEvent):
                root = self._value(event, events, 0, None)
        return root

    def check_size(self, root: Node, most: int) -> None:
        """Aliases share their nodes, and may nest and multiply where they are written out."""
        seen, left = 0, [(root, 0)]
        while left:
            node, depth = left.pop()
            seen += 1
            if depth > MAX_DEPTH or seen > most:
                found = "very deep nesting" if depth > MAX_DEPTH else f"more than {most} values"
                wanted = f"{self.what} of a sane size"
                raise FileProblem(self.label, wanted, found, line=node.place.line)
            left += [(each, depth + 1) for each in (*node.items().values(), *node.entries())]

    def _value(
        self, event: Event, events: Iterator[Event], depth: int, key_place: Place | None
    ) -> Node:
        place, anchor = self._place(event), cast("str | None", cast("Any", event).anchor)
        if isinstance(event, of.AliasEvent):
            if anchor not in self.anchors:
                raise self._no_yaml(event, f"found undefined alias '{anchor}'")
            return replace(self.anchors[anchor], key_place=key_place)
        if depth > MAX_DEPTH:
            raise self._no_yaml(event, "very deep nesting")
        if isinstance(event, of.MappingStartEvent):
            node = self._mapping(events, depth, place, key_place)
        elif isinstance(event, of.SequenceStartEvent):
            inside = takewhile(lambda each: not isinstance(each, of.SequenceEndEvent), events)
            listed = [self._value(each, events, depth + 1, None) for each in inside]
            node = Node(tuple(listed), place, key_place)
        else:
            node = self._scalar(cast("of.ScalarEvent", event), place, key_place)
        self._check_tag(event, node)
        if anchor:
            if anchor in self.anchors:
                raise self._no_yaml(event, f"found duplicate anchor '{anchor}'")
            self.anchors[anchor] = node
        return node

    def _mapping(
        self, events: Iterator[Event], depth: int, place: Place, key_place: Place | None
    ) -> Node:
        found: dict[str, Node] = {}
        odd: list[Node] = []
        for event in events:
            if isinstance(event, of.MappingEndEvent):
                break
            key = self._key(event, events, depth + 1)
            value = self._value(next(events), events, depth + 1, key.place)
            if not value.word and value.content is None:  # nothing stands behind the colon
                mark: _Mark = event.end_mark
                behind = Place(self.label, mark.line + 1, mark.column + 2)
                value = replace(value, place=behind)
            if key.word and key.word not in found:
                found[key.word] = value
                continue
            odd.append(key)
            if key.word:
                first = cast("Place", found[key.word].key_place).line
                again = f"{shown(key.word)} again (first in line {first})"
                self.problems.append(expected(key.place, "each key once", again))
            else:
                nested = isinstance(key.content, dict | tuple)
                kind = "a list or keys and values" if nested else "nothing"
                self.problems.append(expected(key.place, "a word as the key", kind))
        return Node(found, place, key_place, odd_keys=tuple(odd))

    def _key(self, event: Event, events: Iterator[Event], depth: int) -> Node:
        """Keys are words, whatever they would be as values."""
        if isinstance(event, of.ScalarEvent):
            word = str(cast("Any", event).value)
            node = Node(word, self._place(event), word=word)
            self._check_tag(event, node)
            return node
        return replace(self._value(event, events, depth, None), place=self._place(event))

    def _scalar(self, event: of.ScalarEvent, place: Place, key_place: Place | None) -> Node:
        word = str(cast("Any", event).value)
        if cast("Any", event).style is not None:  # quoted, or a block of text
            return Node(word, place, key_place, word)
        try:
            return Node(scalar_from(word), place, key_place, word)
        except NoNumberHere as wanted:
            self.problems.append(expected(place, str(wanted), shown(word)))
            return Node(None, place, key_place, word)

    def _check_tag(self, event: Event, node: Node) -> None:
        tag = cast("str | None", cast("Any", event).tag)
        if tag is None:
            return
        content = node.content
        kind = "map" if isinstance(content, dict) else "seq"
        if content is None or isinstance(content, str | int | float):
            kind = _TAGS[type(content)]
        if tag != f"tag:yaml.org,2002:{kind}":
            advice = "Leave the tag out; put quotes around what should be text."
            self.problems.append(expected(node.place, "a plain value", shown(tag), advice))

    def _no_yaml(self, event: Event, found: str) -> FileProblem:
        return FileProblem(self.label, f"YAML ({self.what})", found, line=self._place(event).line)

    def _place(self, event: Event) -> Place:
        mark: _Mark = event.start_mark
        return Place(self.label, mark.line + 1, mark.column + 1)


def _bracket_depth(data: bytes) -> int:
    """How deep brackets nest, those in comments and quotes included."""
    deepest = depth = 0
    for bracket in re.findall(rb"[\[{\]}]", data):
        depth += 1 if bracket in b"[{" else -1
        deepest = max(deepest, depth)
    return deepest


class NoNumberHere(Exception):
    """A number that is infinite, undefined or too large; the message says what was wanted."""


def scalar_from(word: str) -> Scalar:
    """The value of an unquoted word by the rules of YAML 1.2.

    Raises:
        NoNumberHere: infinity, NaN, or a number beyond what any length, angle or count can be.
    """
    if word in _WORDS:
        return _WORDS[word]
    if _NOT_FINITE.fullmatch(word):
        raise NoNumberHere("a finite number")
    if not NUMBER.fullmatch(word):
        return word
    value = number_from(word)
    if value is None:
        raise NoNumberHere(f"a number of at most {MAX_MAGNITUDE:g} (or quotes around it)")
    return int(word) if _WHOLE.fullmatch(word) else value


def node_from(value: object, label: str | None = None, path: tuple[str | int, ...] = ()) -> Node:
    """A tree of plain values that stand in no file.

    Args:
        value: dicts, lists, tuples, words and numbers.
        label: the place of all of them; by default each has its keys, with dots between.
        path: the keys and indices of this value.
    """
    place = Place(".".join(map(str, path)) if label is None else label)
    if isinstance(value, Mapping):
        pairs = cast("Mapping[object, object]", value).items()
        return Node(
            {str(key): node_from(each, label, (*path, str(key))) for key, each in pairs},
            place,
            place,
        )
    if isinstance(value, tuple | list):
        listed = enumerate(cast("tuple[object, ...]", value))
        entries = [node_from(each, label, (*path, i)) for i, each in listed]
        return Node(tuple(entries), place, place)
    scalar = cast("Scalar", value)
    return Node(scalar, place, place, "null" if scalar is None else str(scalar))
