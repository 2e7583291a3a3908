"""The process beside a document, in which slow methods run: one recipe at a time, to be ended."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from poise.apps.studio.solving import Solution, SolveJob, solve_in_child
from poise.errors import PoiseError
from poise.execution import JobLost, Limits, Supervised

Found = Solution | PoiseError | None
"""What a run has come to; None where it was ended."""

_AGAIN_S = 0.05


class Runner:
    """Runs recipes; the process is kept for the next one."""

    def __init__(self, hear: Callable[[str], None]) -> None:
        """Nothing is started yet; `hear` is told what the process says on its way."""
        self._pool = Supervised(
            1, Limits(attempts=1), environment={}, preload="poise.apps.studio.solving", hear=hear
        )
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._over.set()
        self._cancelled = False

    def warm(self) -> None:
        """Have the process ready, so that a run begins at once."""
        with self._lock:
            if self._over.is_set():
                self._pool.start()

    def begin(self, job: SolveJob, ended: Callable[[Found, float], None]) -> None:
        """Run a recipe in a thread; `ended` is called there with the result and the seconds."""
        with self._lock:
            self._over.clear()
            self._cancelled = False
        threading.Thread(target=self._run, args=(job, ended), daemon=True).start()

    def cancel(self) -> None:
        """End what runs, if anything does; from any thread."""
        with self._lock:
            if self._over.is_set() or self._cancelled:
                return
            self._cancelled = True
        threading.Thread(target=self._end, daemon=True).start()

    def rest(self) -> None:
        """End the process, if it does nothing."""
        with self._lock:
            if self._over.is_set():
                self._pool.close()

    def close(self) -> None:
        """End everything."""
        self.cancel()
        self._over.wait(5.0)
        self.rest()

    def _end(self) -> None:
        # Again and again: in the first moments there is no process yet that could be ended.
        while not self._over.is_set():
            self._pool.end_jobs()
            self._over.wait(_AGAIN_S)

    def _run(self, job: SolveJob, ended: Callable[[Found, float], None]) -> None:
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
            self._over.set()
            cancelled = self._cancelled
        ended(None if cancelled else found, time.perf_counter() - began)
