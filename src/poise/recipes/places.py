"""Where in a recipe something stands, and what is wrong there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from poise.errors import PoiseError

MOST_SHOWN = 20
"""Problems in one message; a file with more of them is most likely no recipe."""

Location = tuple[str | int, ...]
"""Keys and list indices from the root of a recipe to a value."""


@dataclass(frozen=True)
class Place:
    """A spot in a file, or the option of a command line that changed it."""

    label: str
    line: int | None = None
    """Counted from 1."""
    column: int | None = None
    """Counted from 1."""

    def __str__(self) -> str:
        parts = (self.label, self.line, self.column)
        return ":".join(str(part) for part in parts if part is not None)


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong, and where."""

    place: Place
    sentence: str

    def __str__(self) -> str:
        return f"{self.place}: {self.sentence}"


class RecipeProblem(PoiseError):
    """All that is wrong with a recipe, one line each, in the order of the file."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        found = dict.fromkeys(problems)
        self.problems = tuple(sorted(found, key=_order))
        lines = [str(problem) for problem in self.problems[:MOST_SHOWN]]
        hidden = len(self.problems) - len(lines)
        if hidden > 0:
            lines.append(f"{self.problems[0].place.label}: and {hidden} more.")
        super().__init__("\n".join(lines))


def _order(problem: Problem) -> tuple[int, int]:
    return problem.place.line or 0, problem.place.column or 0


def expected(place: Place, wanted: str, found: str = "", advice: str = "") -> Problem:
    """A problem in the usual words."""
    sentence = f"expected {wanted}{f', found {found}' if found else ''}."
    return Problem(place, f"{sentence} {advice}" if advice else sentence)
