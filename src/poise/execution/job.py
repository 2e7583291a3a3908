"""What all executors share: what they are asked, how a job ended, and the loop over jobs."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, replace
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

    def __exit__(self, *_: object) -> None: ...


def endings(
    jobs: Iterable[J],
    *,
    has_room: Callable[[], bool],
    begin: Callable[[int, J], None],
    is_busy: Callable[[], bool],
    wait: Callable[[], Iterable[Ended[J, R]]],
) -> Generator[Ended[J, R], None, None]:
    """Begin jobs while there is room, and give them back as they end.

    Args:
        jobs: taken one by one.
        has_room: whether one more may begin.
        begin: begins a job, known by its number; one that cannot be sent (`JobRaised`) has ended.
        is_busy: whether some have begun and not ended.
        wait: those that have ended, after a moment perhaps none.
    """
    left, more = enumerate(jobs), True
    while True:
        while more and has_room():
            following = next(left, None)
            if following is None:
                more = False
                continue
            try:
                begin(*following)
            except JobRaised as problem:
                yield Ended(*following, "raised", error=problem)
        if not more and not is_busy():
            return
        yield from wait()


def packed_work(work: Callable[[J], R]) -> bytes:
    """A function as other processes can have it.

    Raises:
        BadValue: one that they cannot import.
    """
    inner: object = work
    while hasattr(inner, "func"):  # partial
        inner = inner.func  # type: ignore[attr-defined]
    try:
        if getattr(inner, "__module__", None) == "__main__":
            raise pickle.PicklingError
        return pickle.dumps(work)
    except (pickle.PicklingError, AttributeError, TypeError) as problem:
        allowed = "a function of a module that other processes can import"
        raise BadValue("work", allowed, getattr(inner, "__qualname__", inner)) from problem


def packed_job(job: object) -> bytes:
    """A job as it is sent.

    Raises:
        JobRaised: one that cannot be sent.
    """
    try:
        return pickle.dumps(job)
    except Exception as problem:
        raise JobRaised(f"the job cannot be sent: {problem}") from problem


def with_value(ended: Ended[J, R], packed: object) -> Ended[J, R]:
    """With what the work returned, if that can be had here."""
    if not isinstance(packed, bytes):
        return ended
    try:
        return replace(ended, value=pickle.loads(packed))
    except Exception as problem:
        error = JobRaised(f"what it returned does not arrive: {problem}")
        return replace(ended, how="raised", value=None, error=error)
