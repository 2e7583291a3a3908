"""Entries of a small YAML or JSON file that know the line they stand on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np
import yaml

from poise.errors import FileProblem, nearest_name
from poise.formats import number_from, read_bytes, shown

MAX_BYTES = 2**18
"""A place takes a few lines; a megabyte of hostile YAML would take many seconds to scan."""

MAX_LIST = 100_000
MAX_DEPTH = 60


@dataclass(frozen=True, eq=False)
class Entry:
    """One value of the file. Nothing is ever constructed from YAML tags."""

    path: Path
    node: yaml.Node
    where: str
    """What it is, for messages: "height_m of ground"."""

    @property
    def line(self) -> int | None:
        """Counted from 1."""
        mark = self.node.start_mark
        return None if mark is None else mark.line + 1

    def problem(self, expected: str, found: str = "", advice: str = "") -> FileProblem:
        """What is wrong with this entry."""
        return FileProblem(self.path, expected, found or self.kind, line=self.line, advice=advice)

    @property
    def kind(self) -> str:
        """What stands there, in few words."""
        if isinstance(self.node, yaml.SequenceNode):
            return "a list"
        if isinstance(self.node, yaml.MappingNode):
            return "keys and values"
        text = str(cast("object", self.node.value))
        return shown(text) if text else "nothing"

    def mapping(self, known: Iterable[str]) -> dict[str, Entry]:
        """Keys and their values; a key that is not known, or comes twice, is a problem."""
        if not isinstance(self.node, yaml.MappingNode):
            raise self.problem(f"keys and values for {self.where} ({', '.join(known)})")
        names = tuple(known)
        found: dict[str, Entry] = {}
        for key, value in cast("list[tuple[yaml.Node, yaml.Node]]", self.node.value):
            name = str(cast("object", key.value)) if isinstance(key, yaml.ScalarNode) else ""
            here = Entry(self.path, key, self.where)
            if name not in names:
                near = nearest_name(name, names) if name else None
                advice = f"Did you mean '{near}'? " if near else ""
                advice += f"Known: {', '.join(names)}."
                raise here.problem(f"a key of {self.where}", advice=advice)
            if name in found:
                raise here.problem(f"each key of {self.where} once", f"'{name}' again")
            found[name] = Entry(self.path, value, f"{name} of {self.where}")
        return found

    def count(self) -> int:
        """How many entries a list has."""
        return len(self._nodes())

    def items(self) -> list[Entry]:
        """The entries of a list."""
        nodes = self._nodes()
        return [
            Entry(self.path, node, f"entry {i + 1} of {self.where}") for i, node in enumerate(nodes)
        ]

    def _nodes(self) -> list[yaml.Node]:
        if not isinstance(self.node, yaml.SequenceNode):
            raise self.problem(f"a list for {self.where}")
        nodes = cast("list[yaml.Node]", self.node.value)
        if len(nodes) > MAX_LIST:
            raise self.problem(f"at most {MAX_LIST} entries in {self.where}", f"{len(nodes)}")
        return nodes

    def text(self) -> str:
        """A word or a line."""
        if not isinstance(self.node, yaml.ScalarNode) or not self.node.value:
            raise self.problem(f"text for {self.where}")
        return str(cast("object", self.node.value))

    def number(self) -> float:
        """A plain finite number."""
        word = self.node.value if isinstance(self.node, yaml.ScalarNode) else ""
        value = number_from(str(word))
        if value is None:
            raise self.problem(f"a number for {self.where}")
        return value

    def numbers(self, count: int | None = None) -> list[float]:
        """A list of numbers, of a given length if one is given."""
        wanted = f"{count} numbers" if count is not None else "numbers"
        if not isinstance(self.node, yaml.SequenceNode):
            raise self.problem(f"a list of {wanted} for {self.where}")
        values = [entry.number() for entry in self.items()]
        if count is not None and len(values) != count:
            raise self.problem(f"{wanted} for {self.where}", f"{len(values)}")
        return values

    def is_nothing(self) -> bool:
        """Whether it says `none`, `null`, or has no value at all."""
        scalar = isinstance(self.node, yaml.ScalarNode)
        return scalar and str(cast("object", self.node.value)).lower() in ("", "none", "null", "~")


def read_entries(path: Path, what: str) -> Entry:
    """The root of a YAML or JSON file.

    Raises:
        FileProblem: not text, not YAML, empty, too large or nested too deep.
    """
    return entries_from(read_bytes(path), path, what)


def entries_from(data: bytes, path: Path, what: str) -> Entry:
    """The same for text that is at hand; `path` is what messages call it."""
    if len(data) > MAX_BYTES:
        raise FileProblem(path, f"at most {MAX_BYTES // 1024} KiB", f"{len(data) // 1024} KiB")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = data[: problem.start].count(b"\n") + 1
        found = f"byte 0x{data[problem.start]:02x}"
        raise FileProblem(path, "UTF-8 text", found, line=line) from None
    if _bracket_depth(data) > MAX_DEPTH:  # PyYAML needs seconds to give up on these
        raise FileProblem(path, f"YAML ({what})", "very deep nesting")
    if path.suffix.lower() == ".json":
        text = text.replace("\t", " ")  # YAML has no tabs between words, JSON has
    try:
        root = cast("yaml.Node | None", yaml.compose(text, Loader=yaml.SafeLoader))
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark
        line = None if mark is None else mark.line + 1
        found = (problem.problem or "something else")[:200]
        raise FileProblem(path, f"YAML ({what})", found, line=line) from None
    except (yaml.YAMLError, ValueError) as problem:
        reason = str(problem).splitlines()[0][:200]
        raise FileProblem(path, f"YAML ({what})", reason) from None
    except RecursionError:
        raise FileProblem(path, f"YAML ({what})", "very deep nesting") from None
    if root is None:
        raise FileProblem(path, what, "an empty file", line=1)
    return Entry(path, root, what)


def _bracket_depth(data: bytes) -> int:
    """How deep brackets nest, those in comments and quotes included."""
    letters = np.frombuffer(data, dtype=np.uint8)
    steps = np.isin(letters, list(b"[{")).astype(np.int64) - np.isin(letters, list(b"]}"))
    return int(np.cumsum(steps).max(initial=0))
