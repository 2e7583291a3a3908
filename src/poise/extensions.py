"""Tables that installed packages extend: Poise's own entries, then those of entry points.

A package names what it adds in its metadata (`[project.entry-points."poise.formats"]`). It is
imported when a table is listed or one of its names is asked for, never before. One that cannot be
used costs itself: the log says which package and why, and the table goes on without it. Only what
Python finds installed on its path is looked at, not the current folder.
"""

from __future__ import annotations

import logging
import multiprocessing
import threading
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import TypeVar

from poise.errors import ExtensionProblem, PoiseError

T = TypeVar("T")

GROUPS = ("poise.formats", "poise.constraints", "poise.measures", "poise.methods")

_log = logging.getLogger("poise")


@dataclass(frozen=True)
class Package:
    """An installed package that extends Poise."""

    name: str
    version: str

    def __str__(self) -> str:
        return f"{self.name} {self.version}".strip()


@cache
def installed(group: str) -> tuple[tuple[EntryPoint, Package], ...]:
    """The entry points of a group with their packages, by name; nothing is imported."""
    try:
        found = [(each, _package(each)) for each in entry_points(group=group)]
    except Exception as problem:  # metadata that no installer wrote
        _log.warning("poise: entry points '%s' cannot be read: %s.", group, problem)
        return ()
    return tuple(sorted(set(found), key=lambda pair: (pair[0].name, str(pair[1]))))


def extending_packages() -> tuple[str, ...]:
    """All packages that extend Poise, with their versions; none is imported."""
    return tuple(sorted({str(package) for group in GROUPS for _, package in installed(group)}))


def _package(point: EntryPoint) -> Package:
    if point.dist is None:
        return Package(point.module.split(".")[0], "")
    return Package(point.dist.name, point.dist.version)


class Extended(Mapping[str, T]):
    """Entries by name: Poise's own first, then those of installed packages by name.

    A name of Poise's own imports no package, another one imports its package alone, and listing
    imports all. An entry point has the name of its entry.
    """

    def __init__(
        self,
        group: str,
        own: Mapping[str, T],
        kind: type[T],
        problem_with: Callable[[str, T], str],
        taken: tuple[str, ...] = (),
    ) -> None:
        """A table.

        Args:
            group: of entry points.
            own: Poise's entries.
            kind: the type of an entry.
            problem_with: says what is wrong with an entry of a package; nothing if it may be used.
            taken: further names that packages may not use.
        """
        self.group = group
        self.own = dict(own)
        self._kind, self._problem_with, self._taken = kind, problem_with, taken
        self._loaded: dict[str, T | None] = {}
        self._lock = threading.RLock()

    def __getitem__(self, name: str) -> T:
        if name in self.own:
            return self.own[name]
        found = self._outside(name)
        if found is None:
            raise KeyError(name)
        return found

    def __iter__(self) -> Iterator[str]:
        yield from self.own
        for name in dict.fromkeys(point.name for point, _ in installed(self.group)):
            if self._outside(name) is not None:
                yield name

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def package(self, name: str) -> Package | None:
        """The package that an entry comes from; None of Poise's own."""
        if name in self.own:
            return None
        return next((p for point, p in installed(self.group) if point.name == name), None)

    def outside(self) -> dict[str, T]:
        """The entries of installed packages alone."""
        return {name: self[name] for name in self if name not in self.own}

    def _outside(self, name: str) -> T | None:
        points = [pair for pair in installed(self.group) if pair[0].name == name]
        if not points:
            return None
        with self._lock:
            if name not in self._loaded:
                self._loaded[name] = None  # also for a package that asks while it is imported
                self._loaded[name] = self._load(*points[0])
                for _, package in points[1:]:
                    self._leave_out(name, package, f"{points[0][1]} has one of that name")
            return self._loaded[name]

    def _load(self, point: EntryPoint, package: Package) -> T | None:
        if point.name in self.own or point.name in self._taken:
            return self._leave_out(point.name, package, "Poise has one of that name")
        try:
            value = point.load()
        except (Exception, SystemExit) as problem:  # whatever a module of others does
            why = f"{type(problem).__name__}: {problem}"
            return self._leave_out(point.name, package, f"importing {point.value} failed: {why}")
        if not isinstance(value, self._kind):
            found = f"{point.value} is of type {type(value).__name__}"
            return self._leave_out(point.name, package, f"{found}, not {self._kind.__name__}")
        try:
            wrong = self._problem_with(point.name, value)
        except Exception as problem:
            wrong = f"{type(problem).__name__}: {problem}"
        return self._leave_out(point.name, package, wrong) if wrong else value

    def _leave_out(self, name: str, package: Package, why: str) -> None:
        what = self.group.removeprefix("poise.").removesuffix("s")
        # Worker processes would only repeat it.
        level = logging.INFO if multiprocessing.parent_process() else logging.WARNING
        _log.log(level, "poise: %s '%s' of package %s is left out: %s.", what, name, package, why)


@contextmanager
def attributing(table: Mapping[str, T], name: str) -> Generator[None, None, None]:
    """Raise what goes wrong in the code of a package as its fault; Poise's own is left alone.

    Raises:
        ExtensionProblem: the entry `name` raised something else than a `PoiseError`.
    """
    try:
        yield
    except (PoiseError, MemoryError):
        raise
    except Exception as bug:
        if not isinstance(table, Extended):
            raise
        package = table.package(name)
        if package is None:
            raise
        what = table.group.removeprefix("poise.").removesuffix("s")
        raise ExtensionProblem(what, name, str(package), bug) from bug
