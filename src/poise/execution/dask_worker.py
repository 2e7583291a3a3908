"""The far end of a Dask cluster: a task hands its job to a supervised process and waits for it.

What crashes, hangs or eats memory is that process, never the Dask worker, so jobs end in the same
ways, and give the same bits, as without Dask.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache, partial

from poise.errors import PoiseError
from poise.execution.job import Ended, Limits
from poise.execution.supervised import Supervised
from poise.version import __version__

_idle: list[Supervised] = []


class ClusterProblem(PoiseError):
    """A Dask cluster that cannot be reached or used, or is gone."""


def do(work: bytes, job: bytes, limits: Limits, run: str, version: str) -> Ended[bytes, bytes]:
    """How a pickled job of a run ended, which a Poise of some version asked for.

    It is ended when Dask lets go of its task: the run was closed, or who asked is gone.

    Raises:
        ClusterProblem: this is another Poise, or processes do not start here.
    """
    from distributed import get_worker

    worker = get_worker()
    key = worker.get_current_task()
    process = _idle_process() or Supervised(1)
    process.limits, process.hear = limits, partial(worker.log_event, run)
    process.is_over = lambda: worker.state.tasks[key].state == "cancelled"
    try:
        if version != __version__:
            raise PoiseError(f"it has Poise {__version__}; they come from {version}.")
        [ended] = process.run(partial(_called, work), [job])
        return replace(ended, job=b"")
    except PoiseError as problem:
        words = f"The Dask worker at {worker.address} cannot do jobs: {problem}"
        raise ClusterProblem(words) from problem
    finally:
        _idle.append(process)


def end_idle() -> None:
    """End the processes that wait for jobs; should some come, there will be new ones."""
    while process := _idle_process():
        process.close()


def _idle_process() -> Supervised | None:
    try:
        return _idle.pop()
    except IndexError:
        return None


@lru_cache(maxsize=1)
def _function(work: bytes) -> Callable[[object], object]:
    return pickle.loads(work)


def _called(work: bytes, job: bytes) -> bytes:
    """What the supervised process does: all is unpacked there, and nowhere else."""
    return pickle.dumps(_function(work)(pickle.loads(job)))
