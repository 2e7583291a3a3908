"""Entries of a small YAML or JSON file, asked for the types that a place has."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from poise.errors import FileProblem, did_you_mean
from poise.formats import number_from, read_bytes, shown
from poise.wording import MAX_MAGNITUDE
from poise.yaml_nodes import Node, parse_yaml

MAX_LIST = 100_000

Range = tuple[float, float]
"""Lowest and highest value, both allowed."""

ANY: Range = (-MAX_MAGNITUDE, MAX_MAGNITUDE)


@dataclass(frozen=True, eq=False)
class Entry:
    """One value of the file."""

    path: Path
    node: Node
    where: str
    """What it is, for messages: "height_m of ground"."""

    def problem(self, expected: str, found: str = "", advice: str = "") -> FileProblem:
        """What is wrong with this entry."""
        line = self.node.place.line
        return FileProblem(self.path, expected, found or self.kind, line=line, advice=advice)

    @property
    def kind(self) -> str:
        """What stands there, in few words."""
        if isinstance(self.node.content, tuple):
            return "a list"
        if isinstance(self.node.content, dict):
            return "keys and values"
        return shown(self.node.word) if self.node.word else "nothing"

    @property
    def is_scalar(self) -> bool:
        """Whether it is a word or a number."""
        return not isinstance(self.node.content, tuple | dict)

    def mapping(self, known: Iterable[str]) -> dict[str, Entry]:
        """Keys and their values; a key that is not known, or comes twice, is a problem."""
        if not isinstance(self.node.content, dict):
            raise self.problem(f"keys and values for {self.where} ({', '.join(known)})")
        names = tuple(known)
        keys = [
            Node(key, value.key_place or value.place, word=key)
            for key, value in self.node.items().items()
        ]
        for key in (*keys, *self.node.odd_keys):
            here = Entry(self.path, key, self.where)
            if key.word not in names:
                advice = f"{did_you_mean(key.word, names)}Known: {', '.join(names)}."
                raise here.problem(f"a key of {self.where}", advice=advice)
            if key in self.node.odd_keys:
                raise here.problem(f"each key of {self.where} once", f"'{key.word}' again")
        return {
            key: Entry(self.path, value, f"{key} of {self.where}")
            for key, value in self.node.items().items()
        }

    def count(self) -> int:
        """How many entries a list has."""
        return len(self._nodes())

    def items(self) -> list[Entry]:
        """The entries of a list."""
        return [
            Entry(self.path, node, f"entry {i} of {self.where}")
            for i, node in enumerate(self._nodes(), start=1)
        ]

    def _nodes(self) -> tuple[Node, ...]:
        nodes = self.node.content
        if not isinstance(nodes, tuple):
            raise self.problem(f"a list for {self.where}")
        if len(nodes) > MAX_LIST:
            raise self.problem(f"at most {MAX_LIST} entries in {self.where}", f"{len(nodes)}")
        return nodes

    def text(self) -> str:
        """A word or a line."""
        if not self.is_scalar or not self.node.word:
            raise self.problem(f"text for {self.where}")
        return self.node.word

    def number(self, allowed: Range = ANY) -> float:
        """A plain finite number within a range."""
        value = number_from(self.node.word) if self.is_scalar else None
        low, high = allowed
        if value is None or not low <= value <= high:
            limits = "" if allowed == ANY else f" from {low:g} to {high:g}"
            raise self.problem(f"a number{limits} for {self.where}")
        return value

    def numbers(self, count: int | None = None, allowed: Range = ANY) -> list[float]:
        """A list of numbers within a range, of a given length if one is given."""
        wanted = f"{count} numbers" if count is not None else "numbers"
        if not isinstance(self.node.content, tuple):
            raise self.problem(f"a list of {wanted} for {self.where}")
        values = [entry.number(allowed) for entry in self.items()]
        if count is not None and len(values) != count:
            raise self.problem(f"{wanted} for {self.where}", f"{len(values)}")
        return values

    def is_nothing(self) -> bool:
        """Whether it says `none`, `null`, or has no value at all."""
        return self.is_scalar and self.node.word.lower() in ("", "none", "null", "~")


def read_entries(path: Path, what: str) -> Entry:
    """The root of a YAML or JSON file.

    Raises:
        FileProblem: not text, not YAML, empty, too large or nested too deep.
    """
    root, _ = parse_yaml(read_bytes(path), str(path), what)
    return Entry(path, root, what)
