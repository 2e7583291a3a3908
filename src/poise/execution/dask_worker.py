"""The far end of a Dask cluster: a task hands its job to a supervised process and waits for it.

What crashes, hangs or eats memory is that process, never the Dask worker, so jobs end in the same
ways, and give the same bits, as without Dask. This module runs inside Dask workers and their
supervised processes; it needs Dask itself only to pass on what those announce.
"""

from __future__ import annotations

import atexit
import contextlib
import pickle
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextvars import ContextVar
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

from poise import __version__
from poise.errors import PoiseError
from poise.execution.job import Ended, JobLost, Limits
from poise.execution.supervised import Supervised

_LETTING_GO_S = 5.0
"""How long ending the processes of a run may take."""

_lock = threading.Lock()
_idle: dict[Limits, list[Supervised]] = {}
_busy: dict[str, list[Supervised]] = {}
"""By run."""
_over: deque[str] = deque(maxlen=1000)
"""Runs whose tasks are to do nothing any more, should some still arrive."""
_topic: ContextVar[str | None] = ContextVar("topic", default=None)
"""Where the task of this thread passes on what is announced."""


class WrongVersion(PoiseError):
    """A worker of the cluster has another Poise than the one that sends it jobs."""


def do(work: bytes, job: bytes, limits: Limits, run: str, version: str, topic: str | None) -> bytes:
    """Have a job done under supervision.

    Args:
        work: a pickled function.
        job: what it is called with, pickled.
        limits: what the job may use.
        run: which run it belongs to, to be ended with it.
        version: of the Poise that asks.
        topic: where to pass on what is announced; None is nowhere.

    Returns:
        An `Ended`, pickled, without its job; its value is pickled once more by itself, so that
        nothing is unpacked on the way.

    Raises:
        WrongVersion: this is another Poise.
    """
    if version != __version__:
        raise WrongVersion(f"A Dask worker has Poise {__version__}; the jobs come from {version}.")
    ended: Ended[bytes, bytes] | None = None
    with _telling(topic), _supervisor(limits, run) as supervisor:
        if run not in _over:  # asked after it is seen as busy: either this stops it, or `let_go`
            try:
                with contextlib.closing(supervisor.run(partial(_called, work), [job])) as ends:
                    ended = next(ends, None)
            except Exception:
                if run not in _over:  # else it was let go in the middle of something
                    raise
    if ended is None:
        return pickle.dumps(Ended(0, None, "crashed", error=JobLost("its run was ended")))
    return pickle.dumps(replace(ended, job=None))


def held(work: bytes) -> bytes:
    """The work of many jobs, as a task: kept by workers, and made again should it be lost."""
    return work


async def let_go(run: str) -> None:
    """End what a run still does here; tasks of it that come later do nothing."""
    import asyncio  # not for processes that do jobs, which need nothing but `_called`

    _over.append(run)
    deadline = time.monotonic() + _LETTING_GO_S
    while (supervisors := _supervisors_of(run)) and time.monotonic() < deadline:
        # From another thread than the one that uses them, which then finds nothing left to wait
        # for. Should it have been starting a process just now, there is a next time round.
        _end(supervisors)
        await asyncio.sleep(0.02)


def let_idle_go() -> None:
    """End the processes that wait for jobs; should some come, there will be new ones."""
    with _lock:
        supervisors = [each for some in _idle.values() for each in some]
        _idle.clear()
    _end(supervisors)


atexit.register(let_idle_go)


@contextlib.contextmanager
def _supervisor(limits: Limits, run: str) -> Generator[Supervised, None, None]:
    """One of one process, for this thread alone; one that has done jobs before if there is."""
    with _lock:
        idle = _idle.get(limits)
        supervisor = idle.pop() if idle else Supervised(1, limits, hear=_pass_on)
        _busy.setdefault(run, []).append(supervisor)
    try:
        yield supervisor
    finally:
        with _lock:
            _busy[run].remove(supervisor)
            if not _busy[run]:
                del _busy[run]
            over = run in _over
            if not over:
                _idle.setdefault(limits, []).append(supervisor)
        if over:
            _end([supervisor])


def _supervisors_of(run: str) -> Sequence[Supervised]:
    with _lock:
        return tuple(_busy.get(run, ()))


def _end(supervisors: Sequence[Supervised]) -> None:
    for supervisor in supervisors:
        with contextlib.suppress(ValueError):  # another thread ended the same process first
            supervisor.close()


@contextlib.contextmanager
def _telling(topic: str | None) -> Generator[None, None, None]:
    token = _topic.set(topic)
    try:
        yield
    finally:
        _topic.reset(token)


def _pass_on(news: str) -> None:
    """Tell the client, through the scheduler, what a process announced."""
    topic = _topic.get()
    if topic is not None:
        from distributed import get_worker

        get_worker().log_event(topic, news)


@lru_cache(maxsize=1)
def _function(work: bytes) -> Callable[[Any], Any]:
    return pickle.loads(work)


def _called(work: bytes, job: bytes) -> bytes:
    """What the supervised process does: all is unpacked there, and nowhere else."""
    return pickle.dumps(_function(work)(pickle.loads(job)))
