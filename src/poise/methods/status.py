"""How a method may end, in the words of reports and of the command line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

Status = Literal["converged", "stalled", "out_of_iterations", "infeasible"]


@dataclass(frozen=True)
class StatusMeaning:
    """A status for people."""

    words: str
    """On screen, in reports and tables."""
    meaning: str
    met: bool
    """Whether the goals are met: exit code 0; else 3, unless `--accept`."""


STATUSES: Mapping[Status, StatusMeaning] = MappingProxyType(
    {
        "converged": StatusMeaning(
            "converged",
            "All that was asked for holds; the summary says what that covers.",
            True,
        ),
        "out_of_iterations": StatusMeaning(
            "not fully solved",
            "The solve ended with some goal, law of motion or limit not met; the summary names the "
            "worst.",
            False,
        ),
        "stalled": StatusMeaning(
            "stalled",
            "Hard constraints hold, but the motion had not come to rest when the solve could not "
            "go on.",
            False,
        ),
        "infeasible": StatusMeaning(
            "infeasible",
            "The solve came to rest, and some goal cannot be met beside what is more important, or "
            "by this body.",
            False,
        ),
    }
)
"""All statuses; docs/statuses.md has them with the methods that use each."""


def status_words(status: Status) -> str:
    """A status as it is said: `not fully solved`."""
    return STATUSES[status].words
