"""What all executors share: what they are asked, and how a job ended."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from types import TracebackType
from typing import Generic, Literal, Protocol, Self, TypeVar, cast

from poise.errors import BadValue, PoiseError

J = TypeVar("J")
R = TypeVar("R")

How = Literal["done", "raised", "crashed", "out_of_time", "out_of_memory"]


class JobLost(PoiseError):
    """The process of a job died or was ended; the message says why."""


class JobRaised(PoiseError):
    """A job raised what cannot be carried between processes; the message is what it said."""


@dataclass(frozen=True)
class Limits:
    """What a job may use."""

    seconds: float | None = None
    """Longest time of one job; None is any."""
    memory_bytes: int | None = None
    """Most memory that its process may have resident; None is any."""
    attempts: int = 2
    """How often a job is tried whose process dies: the first time it may not be its own fault."""

    def __post_init__(self) -> None:
        if self.seconds is not None and not self.seconds > 0:
            raise BadValue("the time limit", "a positive number of seconds", self.seconds)
        if self.memory_bytes is not None and not self.memory_bytes > 0:
            raise BadValue("the memory limit", "a positive number of bytes", self.memory_bytes)
        if self.attempts < 1:
            raise BadValue("attempts", "at least 1", self.attempts)


@dataclass(frozen=True, eq=False)
class Ended(Generic[J, R]):
    """How one job ended."""

    index: int
    """Which job, in the order in which they were handed over."""
    job: J
    how: How
    value: R | None = None
    """What the work returned, where it is done."""
    error: Exception | None = None
    """What it raised, or a `JobLost`."""
    seconds: float = 0.0
    """Of its last attempt."""
    peak_bytes: int = 0
    """Most memory its process was seen to have; 0 where nobody looked."""
    attempts: int = 1

    def result(self) -> R:
        """What the work returned.

        Raises:
            Exception: whatever ended it instead.
        """
        if self.how != "done":
            raise self.error or JobLost(f"job {self.index} {self.how}")
        return cast(R, self.value)


class Executor(Protocol):
    """Does jobs that do not need each other, several at a time."""

    @property
    def worker_count(self) -> int:
        """How many at a time."""
        ...

    def run(self, work: Callable[[J], R], jobs: Iterable[J]) -> Generator[Ended[J, R], None, None]:
        """Do the work for each job, and give each back as it ends, in any order.

        Jobs are taken from their iterable only as there is room, so it may be without end. One that
        fails is given back as such and the others go on. Closing what this returns ends it: what
        has not begun is not begun.

        Args:
            work: where executors leave this process, a function of a module that can be imported,
                or a `functools.partial` of one; it is sent once, jobs one by one.
            jobs: what it is called with.
        """
        ...

    def close(self) -> None:
        """Let go of all that runs."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...
