"""One error family, split by what the reader can do about it.

Constructors take facts and build the sentence; the facts stay readable as attributes.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path


class PoiseError(Exception):
    """Whatever went wrong because of what was asked or given; the message is for the user."""

    def __reduce__(self) -> tuple[object, ...]:
        # Constructors take facts, not the sentence: between processes the facts travel as they are.
        return _as_it_was, (type(self), self.args, self.__dict__)


def _as_it_was(
    kind: type[PoiseError], args: tuple[object, ...], facts: dict[str, object]
) -> PoiseError:
    made = kind.__new__(kind)
    made.args = args
    made.__dict__.update(facts)
    return made


class FileProblem(PoiseError):
    """A file that cannot be read or written as asked: where, what was expected, what was found."""

    def __init__(
        self,
        path: str | Path,
        expected: str,
        found: str = "",
        *,
        line: int | None = None,
        advice: str = "",
    ) -> None:
        self.path = Path(path)
        self.expected = expected
        self.found = found
        self.line = line
        self.advice = advice
        where = f"{path}:{line}" if line is not None else f"{path}"
        sentence = f"{where}: expected {expected}"
        if found:
            sentence += f", found {found}"
        sentence += "."
        if advice:
            sentence += f" {advice}"
        # Names from files may hold what moves a terminal's cursor.
        super().__init__("".join(c if c.isprintable() else "\ufffd" for c in sentence))


class UnknownName(PoiseError):
    """A name nobody knows, with the nearest one that exists."""

    def __init__(self, kind: str, name: str, known: Iterable[str], *, advice: str = "") -> None:
        self.kind = kind
        self.name = name
        self.known = tuple(known)
        self.nearest = nearest_name(name, self.known)
        sentence = f"No {kind} is called '{name}'."
        if self.nearest:
            sentence += f" Did you mean '{self.nearest}'?"
        sentence += f" Known: {', '.join(self.known) if self.known else 'none'}."
        if advice:
            sentence += f" {advice}"
        super().__init__(sentence)


class BadShape(PoiseError):
    """An array of the wrong shape."""

    def __init__(self, argument: str, wanted: str, got: tuple[int, ...]) -> None:
        self.argument = argument
        self.wanted = wanted
        self.got = got
        super().__init__(f"{argument} must have shape {wanted}, got {got}.")


class BadValue(PoiseError):
    """A value outside what is allowed."""

    def __init__(self, argument: str, allowed: str, got: object) -> None:
        self.argument = argument
        self.allowed = allowed
        self.got = got
        super().__init__(f"{argument} must be {allowed}, got {got!r}.")


class UnusualStature(BadValue):
    """A body far smaller or larger than any: its file is read in a wrong unit."""

    def __init__(self, range_m: tuple[float, float], height_m: float) -> None:
        low, high = range_m
        allowed = f"from {low:g} to {high:g} m (is the file's unit right? --unit)"
        super().__init__("the body's stature", allowed, float(f"{height_m:.4g}"))


class Contradiction(PoiseError):
    """Two constraints that cannot both hold as asked: which, when, why, and what to change."""

    def __init__(
        self, greater: str, lesser: str, frames: tuple[int, int], problem: str, advice: str
    ) -> None:
        self.greater = greater
        """The more important of the two."""
        self.lesser = lesser
        self.frames = frames
        """The first and the last frame in which they meet."""
        self.problem = problem
        self.advice = advice
        when = (
            f"frames {frames[0]} to {frames[1]}" if frames[0] < frames[1] else f"frame {frames[0]}"
        )
        super().__init__(
            f"'{greater}' and '{lesser}' contradict each other in {when}: {problem}. {advice}"
        )


class MissingRoles(PoiseError):
    """A skeleton whose parts could not all be recognised: what was found, what is missing."""

    def __init__(
        self,
        found: dict[str, str],
        missing: Iterable[str],
        unused: Iterable[str],
        reason: str = "",
    ) -> None:
        self.found = dict(found)
        self.missing = tuple(missing)
        self.unused = tuple(unused)
        self.reason = reason
        listed = ", ".join(f"{role}={joint}" for role, joint in self.found.items()) or "nothing"
        super().__init__(
            f"Skeleton not recognised{f' ({reason})' if reason else ''}. "
            f"Missing: {', '.join(self.missing)}. Found: {listed}. "
            f"Joints without a role: {_listed(self.unused)}. "
            "Name the missing ones in a roles file (one 'role: joint' per line) "
            "and pass it with --roles."
        )


_LONGEST_LIST = 40


def _listed(names: tuple[str, ...]) -> str:
    shown = ", ".join(names[:_LONGEST_LIST]) or "none"
    hidden = len(names) - _LONGEST_LIST
    return f"{shown} and {hidden} more" if hidden > 0 else shown


class MissingExtra(PoiseError):
    """An optional dependency that is not installed; raised on use, never on import."""

    def __init__(self, what: str, extra: str) -> None:
        self.what = what
        self.extra = extra
        super().__init__(
            f"{what} needs an optional package: pip install 'poise[{extra}]' "
            f"(in a checkout: pip install '.[{extra}]')."
        )


class ExtensionProblem(PoiseError):
    """A mistake in the code of a package that extends Poise."""

    def __init__(self, what: str, name: str, package: str, bug: Exception | str) -> None:
        self.what = what
        self.name = name
        self.package = package
        said = f"it raised {type(bug).__name__}: {bug}" if isinstance(bug, Exception) else bug
        super().__init__(
            f"The {what} '{name}' of package {package} failed: {said}. "
            "Please tell the authors of that package."
        )


def nearest_name(name: str, known: Iterable[str]) -> str | None:
    """The known name that looks most like `name`, or None when nothing comes close."""
    by_lower = {k.lower(): k for k in known}
    matches = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=0.6)
    return by_lower[matches[0]] if matches else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A question after the nearest known name, with a blank to go on after it; or nothing."""
    near = nearest_name(name, known)
    return f"Did you mean '{near}'? " if near else ""
