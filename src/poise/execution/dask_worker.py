"""The far end of a Dask cluster: a task hands its job to a supervised process and waits for it.

What crashes, hangs or eats memory is that process, never the Dask worker, so jobs end in the same
ways, and give the same bits, as without Dask.
"""

from __future__ import annotations

import pickle
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

from poise.errors import PoiseError
from poise.execution.job import Ended, JobLost, Limits
from poise.execution.supervised import Supervised
from poise.version import __version__

_lock = threading.Lock()
_idle: list[Supervised] = []
_busy: set[tuple[str, Supervised]] = set()
"""With the runs that they work for."""
_over: deque[str] = deque(maxlen=1000)
"""Runs whose tasks are to do nothing any more, should some still arrive."""


class ClusterProblem(PoiseError):
    """A Dask cluster that cannot be reached or used, or is gone."""


def do(work: bytes, job: bytes, limits: Limits, run: str, version: str) -> Ended[Any, bytes]:
    """Have a job done under supervision.

    Args:
        work: a pickled function.
        job: what it is called with, pickled.
        limits: what the job may use.
        run: to be ended with it; what the job announces is passed on under this name.
        version: of the Poise that asks.

    Returns:
        How it ended, without the job; its value is pickled, to be unpacked by who asked.

    Raises:
        ClusterProblem: this is another Poise, or processes do not start here.
    """
    from distributed import get_worker

    worker: Any = get_worker()
    with _lock:
        supervisor = _idle.pop() if _idle else Supervised(1)
        _busy.add((run, supervisor))
    supervisor.limits = limits
    supervisor.hear = partial(worker.log_event, run)
    try:
        if version != __version__:
            raise PoiseError(f"it has Poise {__version__}; they come from {version}.")
        if run in _over:  # asked after it is seen as busy: either this stops it, or `end_run`
            return Ended(0, None, "crashed", error=JobLost("its run was ended"))
        [ended] = supervisor.run(partial(_called, work), [job])
        return replace(ended, job=None)
    except PoiseError as problem:
        words = f"The Dask worker at {worker.address} cannot do jobs: {problem}"
        raise ClusterProblem(words) from problem
    finally:
        with _lock:
            _busy.discard((run, supervisor))
            _idle.append(supervisor)


async def end_run(run: str) -> None:
    """End what a run still does here; tasks of it that come later do nothing."""
    import asyncio  # not for processes that do jobs, which need nothing but `_called`

    _over.append(run)
    for _ in range(250):  # 5 s: a task may just be starting its process
        with _lock:
            busy = [supervisor for of, supervisor in _busy if of == run]
            for supervisor in busy:
                supervisor.end_jobs()
        if not busy:
            return
        await asyncio.sleep(0.02)


def end_idle() -> None:
    """End the processes that wait for jobs; should some come, there will be new ones."""
    with _lock:
        for supervisor in _idle:
            supervisor.close()
        _idle.clear()


@lru_cache(maxsize=1)
def _function(work: bytes) -> Callable[[Any], Any]:
    return pickle.loads(work)


def _called(work: bytes, job: bytes) -> bytes:
    """What the supervised process does: all is unpacked there, and nowhere else."""
    return pickle.dumps(_function(work)(pickle.loads(job)))
