"""A connection to a Dask scheduler: found, checked, asked, and closed without a sound."""

from __future__ import annotations

import contextlib
import logging
import pkgutil
import queue
import threading
import time
import warnings
from collections.abc import Awaitable, Callable, Generator, Sequence
from typing import Any

from poise import __version__
from poise.errors import MissingExtra
from poise.execution.dask_address import ClusterProblem, address_of, first_line, knock
from poise.wording import counted

CONNECTING_S = 10.0
"""How long a scheduler may take to answer; it may just be starting."""

WORKERS_S = 30.0
"""How long a cluster may be without any worker, at first or later."""

_ANSWER_S = 30.0
"""How long a question may take that is usually answered in milliseconds."""

_FRESH_S = 0.5
"""How long an answer about the workers that there are is believed."""

_MOST_NAMED = 3
"""Workers in a message."""


class Connection:
    """To the scheduler of a cluster that has workers with this version of Poise."""

    def __init__(self, address: str, hear: Callable[[str], None] | None = None) -> None:
        """Connect and look around.

        Args:
            address: such as `tcp://host:8786`, or the path of a scheduler file (*.json).
            hear: told if Dask there is another version than here.

        Raises:
            MissingExtra: Dask is not installed.
            ClusterProblem: nobody answers, there are no workers, or not with this Poise.
        """
        dask()
        deadline = time.monotonic() + CONNECTING_S
        self.address = address_of(address, deadline)
        knock(self.address, deadline)
        with contextlib.ExitStack() as undo:
            undo.enter_context(_quiet())
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                self._client: Any = _client(self.address)
            undo.callback(self._close_client)
            if hear is not None:
                for each in said:
                    hear(f"Dask: {each.message}")
            self._threads: dict[str, int] = {}
            self._counted_at: float | None = None
            self._empty_since: float | None = None
            while not self.threads():
                time.sleep(0.1)
                self._counted_at = None
            self._check_versions()
            self._undo = undo.pop_all()

    @property
    def dashboard_link(self) -> str | None:
        """Where the scheduler shows what goes on; None if nowhere."""
        try:
            return self._client.dashboard_link
        except (KeyError, OSError):
            return None

    def threads(self) -> dict[str, int]:
        """How many jobs each worker can do at a time, by their addresses; now or a moment ago.

        Raises:
            ClusterProblem: it is gone, or has had no workers for too long.
        """
        now = time.monotonic()
        if self._counted_at is not None and now - self._counted_at < _FRESH_S:
            return self._threads
        self._threads = dict(self.asked(self._client.nthreads))
        self._counted_at = now
        if self._threads:
            self._empty_since = None
        elif self._empty_since is None:
            self._empty_since = now
        elif now - self._empty_since > WORKERS_S:
            raise ClusterProblem(
                f"The Dask scheduler at {self.address} has had no workers for {WORKERS_S:g} s. "
                f"Start some: dask worker {self.address}"
            )
        return self._threads

    def submit(
        self, function: Callable[..., Any], *arguments: Any, key: Any, worker: str | None = None
    ) -> Any:
        """A future of what a function returns there, on one worker or on any.

        Raises:
            ClusterProblem: the scheduler is gone.
        """
        try:
            return self._client.submit(
                function, *arguments, key=key, workers=[worker] if worker else None, pure=False
            )
        except Exception as problem:
            raise self.lost(problem) from problem

    def fetch(self, future: Any, give: Callable[[tuple[Any, Any]], None]) -> None:
        """Give a future with its result, or with the exception it ended with, once it is here."""

        async def fetching() -> None:
            try:
                result = await self._client.gather(future)
            except Exception as problem:
                result = problem
            give((future, result))

        self._client.loop.add_callback(fetching)

    def cancel(self, futures: Sequence[Any]) -> None:
        """Have futures that have not begun not begin, and forget the others."""
        self._client.cancel(list(futures))

    def on_workers(self, function: Callable[..., Any], *arguments: Any) -> dict[str, Any]:
        """What each worker returns or raises, beside its tasks.

        Raises:
            ClusterProblem: the scheduler is gone, or a worker does not answer.
        """
        return self.asked(lambda: self._client.run(function, *arguments, on_error="return"))

    def asked(self, question: Callable[[], Awaitable[Any]]) -> Any:
        """What the scheduler answers.

        Raises:
            ClusterProblem: it does not.
        """

        async def asking() -> Any:
            return await question()

        try:
            if self._client.status != "running":  # it would try to connect again, for a while
                raise ConnectionError(f"the connection is {self._client.status}")
            return self._client.sync(asking, callback_timeout=_ANSWER_S)
        except Exception as problem:
            raise self.lost(problem) from problem

    def listen(self, topic: str, hear: Callable[[str], None]) -> None:
        """Be told, in another thread, what workers log under a topic."""

        def heard(event: tuple[float, str]) -> None:
            hear(event[1])

        self._client.subscribe_topic(topic, heard)

    def do_not_listen(self, topic: str) -> None:
        """Not any more."""
        self._client.unsubscribe_topic(topic)

    def is_lost(self, problem: Exception) -> bool:
        """Whether a future ended so because there is no connection any more."""
        return getattr(problem, "reason", "") == "scheduler-connection-lost" or (
            self._client.status != "running"
        )

    def lost(self, problem: Exception) -> ClusterProblem:
        """The error for a connection that is no more."""
        return ClusterProblem(
            f"The Dask scheduler at {self.address} does not answer any more "
            f"({first_line(problem)}). Check that it still runs."
        )

    def close(self) -> None:
        """Let go of it; twice is as good as once."""
        self._undo.close()

    def _close_client(self) -> None:
        with contextlib.suppress(Exception):  # of a cluster that may be gone
            self._client.close(timeout=CONNECTING_S)

    def _check_versions(self) -> None:
        # A function of Python itself, so that workers without Poise can answer too.
        found = self.on_workers(pkgutil.resolve_name, "poise:__version__")
        without = {worker: got for worker, got in found.items() if isinstance(got, Exception)}
        if without:
            why = first_line(next(iter(without.values())))
            raise ClusterProblem(
                f"{_named(without)} of the Dask cluster at {self.address} cannot import Poise "
                f"({why}). Install version {__version__} there: pip install 'poise[cluster]'."
            )
        other = {worker: got for worker, got in found.items() if got != __version__}
        if other:
            versions = ", ".join(sorted({str(got) for got in other.values()}))
            raise ClusterProblem(
                f"{_named(other)} of the Dask cluster at {self.address} has Poise {versions}; "
                f"here it is {__version__}. Install the same version on all machines."
            )


def dask() -> Any:
    """The package of Dask that has clusters.

    Raises:
        MissingExtra: it is not installed.
    """
    try:
        import distributed
    except ImportError as missing:
        raise MissingExtra("A Dask cluster", "cluster") from missing
    return distributed


def _client(address: str) -> Any:
    """One of Dask that is connected.

    Raises:
        ClusterProblem: it cannot be, or not in time; Dask itself would wait for ever where somebody
            takes the connection but says nothing.
    """
    made: queue.SimpleQueue[Exception | None] = queue.SimpleQueue()
    client = object.__new__(dask().Client)

    def make() -> None:
        try:
            client.__init__(address, timeout=CONNECTING_S, set_as_default=False)
            made.put(None)
        except Exception as problem:
            made.put(problem)

    threading.Thread(target=make, daemon=True).start()
    try:
        problem = made.get(timeout=2 * CONNECTING_S)
    except queue.Empty:
        problem = TimeoutError(f"no answer in {2 * CONNECTING_S:g} s")
    if problem is None:
        return client
    client.status = "closed"  # lest it tries to close what never was, when it is collected
    raise ClusterProblem(
        f"What answers at {address} is not a Dask scheduler that can be used from here "
        f"({first_line(problem)}). Check the address."
    ) from problem


_quiet_now = 0
_levels: dict[str, int] = {}


@contextlib.contextmanager
def _quiet() -> Generator[None, None, None]:
    """While connected, keep Dask's log, which goes to the terminal, to itself.

    What goes wrong is said by our errors; workers elsewhere have logs of their own.
    """
    global _quiet_now  # noqa: PLW0603
    if _quiet_now == 0:
        for name, logger in tuple(logging.root.manager.loggerDict.items()):
            ours = name.split(".")[0] in ("distributed", "tornado")
            if ours and isinstance(logger, logging.Logger) and logger.level != logging.NOTSET:
                _levels[name] = logger.level
                logger.setLevel(logging.CRITICAL + 1)
    _quiet_now += 1
    try:
        yield
    finally:
        _quiet_now -= 1
        if _quiet_now == 0:
            for name, level in _levels.items():
                logging.getLogger(name).setLevel(level)
            _levels.clear()


def _named(workers: dict[str, Any]) -> str:
    named = ", ".join(sorted(workers)[:_MOST_NAMED])
    more = len(workers) - _MOST_NAMED
    return f"{counted(len(workers), 'worker')} ({named}{f' and {more} more' if more > 0 else ''})"
