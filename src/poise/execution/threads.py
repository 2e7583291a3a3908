"""Jobs in threads of this process: nothing is copied, and nothing is protected from anything.

For work whose time goes into compiled kernels, which let go of the interpreter's lock.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Self, TypeVar

from poise.errors import BadValue
from poise.execution.job import Ended, endings
from poise.sharing import core_count

J = TypeVar("J")
R = TypeVar("R")


class Threads:
    """So many jobs at a time, by default one for each core.

    With one worker, one after the other in the thread of the caller.
    """

    def __init__(self, workers: int | None = None) -> None:
        if workers is not None and workers < 1:
            raise BadValue("workers", "at least 1", workers)
        self._workers = workers or core_count()

    @property
    def worker_count(self) -> int:
        """How many at a time."""
        return self._workers

    def run(self, work: Callable[[J], R], jobs: Iterable[J]) -> Generator[Ended[J, R], None, None]:
        """As `Executor.run`; closing it waits for jobs that have begun."""
        if self._workers == 1:
            for index, job in enumerate(jobs):
                yield _tried(work, index, job)
            return
        running: set[Future[Ended[J, R]]] = set()
        with ThreadPoolExecutor(self._workers, thread_name_prefix="poise-job") as pool:

            def finished() -> Iterable[Ended[J, R]]:
                done = wait(running, return_when=FIRST_COMPLETED).done
                running.difference_update(done)
                return [future.result() for future in done]

            try:
                yield from endings(
                    jobs,
                    has_room=lambda: len(running) < self._workers,
                    begin=lambda i, job: running.add(pool.submit(_tried, work, i, job)),
                    is_busy=lambda: bool(running),
                    wait=finished,
                )
            finally:
                for future in running:
                    future.cancel()

    def close(self) -> None:
        """Nothing runs between runs."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _tried(work: Callable[[J], R], index: int, job: J) -> Ended[J, R]:
    began = time.perf_counter()
    try:
        value = work(job)
    except Exception as problem:
        how = "out_of_memory" if isinstance(problem, MemoryError) else "raised"
        return Ended(index, job, how, error=problem, seconds=time.perf_counter() - began)
    return Ended(index, job, "done", value, seconds=time.perf_counter() - began)
