"""Jobs in processes that are watched: one that crashes, hangs or eats memory costs itself only.

The processes are started fresh, not forked: nothing is shared that could be broken half-way, and it
is the same on every system.
"""

from __future__ import annotations

import contextlib
import pickle
import queue
import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self, TypeVar, cast

from poise.errors import BadValue, PoiseError
from poise.execution.child import ONE_CORE, Child, News
from poise.execution.job import (
    Ended,
    How,
    JobLost,
    JobRaised,
    Limits,
    endings,
    packed_job,
    packed_work,
    with_value,
)
from poise.limited_process import resident_bytes
from poise.sharing import core_count

J = TypeVar("J")
R = TypeVar("R")

TICK_S = 0.1
"""How often limits are looked at."""

_START_S = 300.0
"""A worker that is not ready by then never will be."""

_MOST_STILLBORN = 3
"""So many workers in a row that die before they are ready, and there is no point in going on."""


class WorkersDoNotStart(PoiseError):
    """Processes die before they can take a job."""


@dataclass
class _Try:
    """A job that is, or is to be, tried."""

    index: int
    job: object
    packed: bytes
    """As it is sent."""
    attempt: int = 1
    needs_fresh: bool = False
    """Whether it is to have a process that has done nothing before."""
    has_begun: bool = False
    began: float = 0.0
    peak_bytes: int = 0
    verdict: tuple[How, str] | None = None
    """Why we ended it."""


@dataclass
class _Seat:
    """A place for one worker."""

    child: Child
    started: float
    ready: bool = False
    work: bytes | None = None
    """What it was told to do with jobs."""
    served: int = 0
    """Jobs that this process has done before."""
    trying: _Try | None = None


class Supervised:
    """So many worker processes, by default one for each core; kept between runs."""

    def __init__(
        self,
        workers: int | None = None,
        limits: Limits | None = None,
        *,
        environment: Mapping[str, str] | None = None,
        hear: Callable[[str], None] | None = None,
        preload: str = "",
    ) -> None:
        """Nothing is started yet.

        Args:
            workers: how many.
            limits: what a job may use; by default anything.
            environment: variables of the workers; each keeps to one core if nothing is said.
            hear: told what workers announce, such as that they compile.
            preload: a module that workers import before their first job.
        """
        if workers is not None and workers < 1:
            raise BadValue("workers", "at least 1", workers)
        self._workers = workers or core_count()
        self.limits = limits or Limits()
        self._environment = ONE_CORE if environment is None else dict(environment)
        self.hear = hear
        self.is_over: Callable[[], bool] = lambda: False
        """Asked now and then whether nobody waits for the run any more: its jobs are ended."""
        self._preload = preload
        self._inbox: queue.SimpleQueue[News] = queue.SimpleQueue()
        self._seats: list[_Seat] = []
        self._stillborn = 0
        self._work: bytes | None = None
        """Of the run that goes on."""
        self._checked = 0.0

    @property
    def worker_count(self) -> int:
        """How many at a time."""
        return self._workers

    @property
    def pids(self) -> tuple[int, ...]:
        """Of the workers that there are now."""
        return tuple(seat.child.pid for seat in self._seats)

    def run(self, work: Callable[[J], R], jobs: Iterable[J]) -> Generator[Ended[J, R], None, None]:
        """As `Executor.run`; closing it ends jobs that have begun, with their processes.

        Raises:
            BadValue: work that other processes cannot import.
            WorkersDoNotStart: with what they last said.
        """
        if self._work is not None:
            raise BadValue("run", "ended before the next begins (or use another executor)", "two")
        self._work = packed_work(work)
        self._checked = time.perf_counter()
        try:
            yield from endings(
                jobs,
                has_room=lambda: len(self._busy()) < max(self._workers, len(self._seats)),
                begin=lambda index, job: self._seat(_Try(index, job, packed_job(job))),
                is_busy=lambda: bool(self._busy()),
                wait=lambda: cast("Sequence[Ended[J, R]]", self._heard()),
            )
        finally:
            self._work = None
            for seat in self._busy():
                self._dismiss(seat)

    def start(self) -> None:
        """Start all workers now, so that they are ready when there are jobs."""
        while len(self._seats) < self._workers:
            self._started()

    def end_jobs(self) -> None:
        """End the processes of jobs that have begun; may be called by another thread."""
        for seat in self._busy():
            if seat.trying is not None:
                seat.trying.verdict = "crashed", "it was ended"
                seat.child.kill()

    def close(self) -> None:
        """End all workers."""
        for seat in tuple(self._seats):
            self._dismiss(seat)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _busy(self) -> list[_Seat]:
        return [seat for seat in tuple(self._seats) if seat.trying is not None]

    def _seat(self, trying: _Try) -> None:
        """Give a job to a worker that waits, or to a new one."""
        idle = [each for each in self._seats if each.trying is None]
        for seat in idle:
            if not seat.child.is_alive or (trying.needs_fresh and seat.served):
                self._dismiss(seat)
        seat = next((each for each in self._seats if each.trying is None), None)
        if seat is None:
            seat = self._started()
        seat.trying = trying
        if seat.ready:
            self._begin(seat)

    def _started(self) -> _Seat:
        child = Child(self._inbox, self._environment, self._preload)
        seat = _Seat(child, time.perf_counter())
        self._seats.append(seat)
        return seat

    def _begin(self, seat: _Seat) -> None:
        trying, work = seat.trying, self._work
        assert trying is not None and work is not None
        trying.began = time.perf_counter()
        seat.child.give(None if seat.work is work else work, trying.packed)
        seat.work = work

    def _dismiss(self, seat: _Seat) -> None:
        self._seats.remove(seat)
        seat.child.end()

    def _heard(self) -> Sequence[Ended[object, object]]:
        """Wait for news, a tick at most; a job that has ended, if it was about one.

        One at a time: what was taken from the inbox must not be forgotten if the run is closed.
        """
        ended = None
        with contextlib.suppress(queue.Empty):
            ended = self._understood(self._inbox.get(timeout=TICK_S))
        if time.perf_counter() - self._checked >= TICK_S:
            self._checked = time.perf_counter()
            self._enforce()
        return () if ended is None else (ended,)

    def _understood(self, news: News) -> Ended[object, object] | None:
        seat = next((each for each in self._seats if each.child is news.child), None)
        if seat is None:
            return None  # the last words of one that was dismissed
        if news.message is None:
            return self._died(seat)
        match news.message:
            case ("ready",):
                seat.ready, self._stillborn = True, 0
                if seat.trying is not None:
                    self._begin(seat)
            case ("began",):
                if seat.trying is not None:
                    seat.trying.has_begun = True
            case ("news", str(words)):
                if self.hear is not None:
                    self.hear(words)
            case answer:
                trying, seat.trying = seat.trying, None
                assert trying is not None
                seat.served += 1
                if trying.verdict is not None:  # it was done in the moment in which we ended it
                    self._dismiss(seat)
                return _answered(trying, answer)
        return None

    def _died(self, seat: _Seat) -> Ended[object, object] | None:
        trying, why = seat.trying, seat.child.why_it_died()
        self._dismiss(seat)
        if not (seat.ready or (trying and trying.verdict)):
            self._stillborn += 1
            if self._stillborn >= _MOST_STILLBORN:
                raise WorkersDoNotStart(f"Worker processes do not start: {why}.")
        if trying is None:
            return None
        if not (trying.has_begun or trying.verdict):  # it was dead before it had the job
            self._seat(trying)
            return None
        how, words = trying.verdict or ("crashed", f"the process was {why}")
        # Memory that earlier jobs left behind is not this one's fault.
        full = how == "out_of_memory" and seat.served > 0
        died = how == "crashed" and trying.verdict is None
        if (died or full) and trying.attempt < self.limits.attempts:
            following = trying.attempt + 1
            self._seat(_Try(trying.index, trying.job, trying.packed, following, full))
            return None
        return _ended(trying, how, JobLost(words), time.perf_counter() - trying.began)

    def _enforce(self) -> None:
        """End what takes too long or too much."""
        limits = self.limits
        for seat in self._seats:
            trying = seat.trying
            if not seat.ready and time.perf_counter() - seat.started > _START_S:
                seat.child.kill()
            if trying is None or not seat.ready or trying.verdict is not None:
                continue
            resident = resident_bytes(seat.child.pid)
            trying.peak_bytes = max(trying.peak_bytes, resident)
            since = time.perf_counter() - trying.began
            if limits.seconds is not None and since > limits.seconds:
                trying.verdict = "out_of_time", f"not done after {limits.seconds:g} s"
            elif limits.memory_bytes is not None and resident > limits.memory_bytes:
                most = limits.memory_bytes / 1e6
                trying.verdict = "out_of_memory", f"more than {most:.0f} MB of memory"
            elif self.is_over():
                trying.verdict = "crashed", "it was ended"
            if trying.verdict is not None:
                seat.child.kill()


def _answered(trying: _Try, answer: tuple[object, ...]) -> Ended[object, object]:
    match answer:
        case ("done", packed, float(seconds)):
            return with_value(_ended(trying, "done", None, seconds), packed)
        case ("raised", (packed, words), float(seconds)):
            known = isinstance(packed, bytes)
            error = pickle.loads(packed) if known else JobRaised(str(words))
            return _ended(trying, "raised", error, seconds)
        case (_, words, float(seconds)):
            error = JobLost(f"no memory was left: {words}" if words else "no memory was left")
            return _ended(trying, "out_of_memory", error, seconds)
        case _:
            raise AssertionError(answer)


def _ended(
    trying: _Try, how: How, error: Exception | None, seconds: float
) -> Ended[object, object]:
    used = {"peak_bytes": trying.peak_bytes, "attempts": trying.attempt}
    return Ended(trying.index, trying.job, how, None, error, seconds, **used)
