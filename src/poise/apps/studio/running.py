"""The process beside a document, in which slow methods run: one recipe at a time, to be ended."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from poise.apps.studio.solving import Solution, SolveJob, solve_in_child
from poise.errors import PoiseError
from poise.execution import JobLost, Limits, Supervised

Found = Solution | PoiseError | None
"""What a run has come to; None where it was ended."""

_AGAIN_S = 0.05
_END_S = 1.0


@dataclass
class _Run:
    """One of them."""

    over: threading.Event = field(default_factory=threading.Event)
    cancelled: bool = False


class Runner:
    """Runs recipes; the process is kept for the next one."""

    def __init__(self, hear: Callable[[str], None]) -> None:
        """Nothing is started yet; `hear` is told what the process says on its way."""
        self._pool = Supervised(
            1, Limits(attempts=1), environment={}, preload="poise.apps.studio.solving", hear=hear
        )
        self._lock = threading.Lock()
        self._now: _Run | None = None

    def warm(self) -> None:
        """Have the process ready, so that a run begins at once."""
        with self._lock:
            if self._now is None:
                self._pool.start()

    def begin(self, job: SolveJob, ended: Callable[[Found, float], None]) -> None:
        """Run a recipe in a thread; `ended` is called there with the result and the seconds."""
        with self._lock:
            run = self._now = _Run()
        threading.Thread(target=self._work, args=(run, job, ended), daemon=True).start()

    def cancel(self) -> None:
        """End what runs, if anything does; from any thread."""
        with self._lock:
            run = self._now
            if run is None or run.cancelled:
                return
            run.cancelled = True
        threading.Thread(target=self._end, args=(run,), daemon=True).start()

    def rest(self) -> None:
        """End the process, if it does nothing."""
        with self._lock:
            if self._now is None:
                self._pool.close()

    def close(self) -> None:
        """End everything, in a second or so."""
        run = self._now
        self.cancel()
        if run is not None and not run.over.wait(_END_S):
            self._pool.end_jobs()  # its process ends, whether or not the thread has heard of it
        self.rest()

    def _end(self, run: _Run) -> None:
        # Again and again: in the first moments there is no process yet that could be ended.
        while not run.over.is_set():
            with self._lock:
                if self._now is not run:
                    return
                self._pool.end_jobs()
            run.over.wait(_AGAIN_S)

    def _work(self, run: _Run, job: SolveJob, ended: Callable[[Found, float], None]) -> None:
        began = time.perf_counter()
        found: Found
        try:
            (only,) = list(self._pool.run(solve_in_child, [job]))
            found = only.result().content
        except PoiseError as problem:
            found = problem
        except Exception as bug:
            found = JobLost(f"A bug in Poise: {type(bug).__name__}: {bug}")
        with self._lock:
            self._now = None
            cancelled = run.cancelled
        run.over.set()
        ended(None if cancelled else found, time.perf_counter() - began)
