"""Jobs on a Dask cluster: one of our own on this machine, or one that runs elsewhere.

Jobs are supervised there as they are without Dask (see `dask_worker`), and end in the same ways.
The cluster must have this version of Poise, be able to import the work, and see the files that
jobs name. Dask begins the jobs of a worker that dies again elsewhere, and drops those of a client
that dies.

A cluster on this machine talks to the process that has started it alone (see `dask_secret`).
Elsewhere security is as Dask's own configuration says: by default whoever can reach a scheduler can
run code as the user who started it.
"""

from __future__ import annotations

import atexit
import contextlib
import pkgutil
import queue
import time
import uuid
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Self, TypeVar, cast

from poise.errors import BadValue, MissingExtra
from poise.execution.dask_connection import connected, first_line, local_cluster, scheduler_address
from poise.execution.dask_worker import ClusterProblem, do, end_idle
from poise.execution.job import Ended, JobLost, Limits, endings, packed_job, packed_work, with_value
from poise.sharing import core_count
from poise.version import __version__
from poise.wording import counted

if TYPE_CHECKING:
    from distributed import Future

J = TypeVar("J")
R = TypeVar("R")

WORKERS_S = 30.0
"""How long a cluster may be without any worker, at first or later."""

_LOOK_S = 0.5
"""How often we look who is there."""


class OnDask:
    """As many jobs at a time as the cluster has threads."""

    def __init__(
        self,
        address: str,
        *,
        workers: int | None = None,
        limits: Limits | None = None,
        dashboard: str | None = None,
        hear: Callable[[str], None] | None = None,
    ) -> None:
        """Start a cluster or connect to one.

        Args:
            address: `local` for one on this machine, the address of a scheduler such as
                `tcp://host:8786`, or the path of its scheduler file (*.json).
            workers: how many on this machine; by default one for each core.
            limits: what a job may use; by default anything.
            dashboard: where the dashboard of a cluster on this machine is to listen, as `8787` or
                `0.0.0.0:8787`; by default, and without a host, to this machine only.
            hear: told what workers announce, such as that they compile.

        Raises:
            MissingExtra: Dask is not installed.
            ClusterProblem: nobody answers, there are no workers, or not with this Poise.
        """
        for name, given in (("workers", workers), ("dashboard", dashboard)):
            if given is not None and address != "local":
                raise BadValue(name, "left to the cluster unless it is 'local'", given)
        if workers is not None and workers < 1:
            raise BadValue("workers", "at least 1", workers)
        try:
            import distributed as distributed
        except ImportError as missing:
            raise MissingExtra("A Dask cluster", "cluster") from missing
        self._limits, self.hear, self._closed = limits or Limits(), hear, False
        with contextlib.ExitStack() as undo:
            if address == "local":
                cluster = local_cluster(workers or core_count(), dashboard)
                address = undo.enter_context(cluster)
            self.address = scheduler_address(address)
            self._client = undo.enter_context(connected(self.address, hear))
            self.worker_count = 0
            """How many at a time, when we last looked."""
            self._looked, self._seen = float("-inf"), time.monotonic()
            while not self.worker_count:
                self._look()
                time.sleep(0.02)
            self._check_versions()
            self._undo = undo.pop_all()
        atexit.register(self.close)  # later Python has stopped Dask's threads, and it could hang

    @property
    def dashboard_link(self) -> str | None:
        """Where to see in a browser what the cluster does; None if nowhere."""
        with contextlib.suppress(KeyError, OSError):
            return None if self._closed else self._client.dashboard_link
        return None

    def run(self, work: Callable[[J], R], jobs: Iterable[J]) -> Generator[Ended[J, R], None, None]:
        """As `Executor.run`; closing it ends jobs that have begun, with their processes.

        Raises:
            BadValue: work that other processes cannot import.
            ClusterProblem: the cluster is gone, or has had no workers for too long; or one of them
                cannot start processes, or came later with another Poise.
        """
        packed, client, name = packed_work(work), self._client, f"poise-{uuid.uuid4().hex}"
        loop = client.loop
        assert loop is not None, "it is connected"
        inbox: queue.SimpleQueue[tuple[int | None, object]] = queue.SimpleQueue()
        running: dict[int, tuple[J, Future[Ended[bytes, bytes]]]] = {}

        def has_room() -> bool:  # without a scheduler, what is done already is to come first
            return client.status == "running" and len(running) < self.worker_count

        def begin(index: int, job: J) -> None:
            asked = (do, packed, packed_job(job), self._limits, name, __version__)
            with self._asking():
                future = client.submit(*asked, key=(name, index), pure=False)
            running[index] = job, future
            loop.add_callback(fetch, index, future)

        async def fetch(index: int, future: Future[Ended[bytes, bytes]]) -> None:
            try:
                inbox.put((index, await future))
            except Exception as problem:
                inbox.put((index, problem))

        def hear(event: tuple[float, str]) -> None:
            inbox.put((None, event[1]))

        def arrived() -> Sequence[Ended[J, R]]:
            if inbox.empty():
                self._look()
            with contextlib.suppress(queue.Empty):
                index, answer = inbox.get(timeout=_LOOK_S)
                if index is not None:
                    job, _ = running.pop(index)
                    return [self._ended(Ended(index, job, "crashed"), answer)]
                if self.hear is not None:
                    self.hear(str(answer))
            return ()

        try:
            with self._asking():
                client.subscribe_topic(name, hear)
            yield from endings(
                jobs, has_room=has_room, begin=begin, is_busy=lambda: bool(running), wait=arrived
            )
        finally:
            with contextlib.suppress(Exception):  # of a cluster that may be gone
                client.unsubscribe_topic(name)
                client.cancel([future for _, future in running.values()])

    def close(self) -> None:
        """End what runs, and the connection; a cluster on this machine too."""
        if not self._closed:
            with contextlib.suppress(Exception):  # of a cluster that may be gone
                self._client.run(end_idle)
            self._closed = True
            atexit.unregister(self.close)
            self._undo.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ended(self, lost: Ended[J, R], answer: object) -> Ended[J, R]:
        """How a job ended, by what Dask gives for it."""
        from distributed import KilledWorker

        if isinstance(answer, Ended):
            told = replace(answer, index=lost.index, job=lost.job, value=None)
            return with_value(cast("Ended[J, R]", told), answer.value)
        if isinstance(answer, ClusterProblem):
            raise answer
        with self._asking():  # is it still there?
            if getattr(answer, "reason", "") == "scheduler-connection-lost":
                raise ConnectionError(answer)
        words = f"the Dask cluster gave it up: {type(answer).__name__}: {answer}"
        if isinstance(answer, KilledWorker):
            deaths = answer.allowed_failures + 1
            words = f"{deaths} Dask workers died one after the other that had it"
        return replace(lost, error=JobLost(words))

    def _look(self) -> None:
        """Now and then, who is there.

        Raises:
            ClusterProblem: nobody, for too long; or the scheduler is gone.
        """
        now = time.monotonic()
        if now - self._looked < _LOOK_S:
            return
        with self._asking():
            self.worker_count = sum(cast("dict[str, int]", self._client.nthreads()).values())
        self._looked = now
        if self.worker_count:
            self._seen = now
        elif now - self._seen > WORKERS_S:
            raise ClusterProblem(
                f"The Dask scheduler at {self.address} has had no workers for {WORKERS_S:g} s. "
                f"Start some: dask worker {self.address}"
            )

    def _check_versions(self) -> None:
        with self._asking():
            # A function of Python itself, so that workers without Poise can answer too.
            asked = pkgutil.resolve_name, "poise:__version__"
            found = cast("dict[str, object]", self._client.run(*asked, on_error="return"))
        other = {worker: got for worker, got in found.items() if got != __version__}
        for worker, got in sorted(other.items())[:1]:
            has = f"has Poise {got}"
            if isinstance(got, Exception):
                has = f"cannot import Poise ({first_line(got)})"
            raise ClusterProblem(
                f"{counted(len(other), 'worker')} of the Dask cluster at {self.address} cannot do "
                f"jobs: {worker} {has}; here it is {__version__}. Install the same version on all "
                "machines: pip install 'poise[cluster]'."
            )

    @contextlib.contextmanager
    def _asking(self) -> Generator[None, None, None]:
        """Say in our words when nobody answers; Dask would try to connect again, for a while."""
        if self._closed:
            raise ClusterProblem("This connection to a Dask cluster has been closed.")
        try:
            if self._client.status != "running":
                raise ConnectionError(f"the connection is {self._client.status}")
            yield
        except Exception as problem:
            raise ClusterProblem(
                f"The Dask scheduler at {self.address} does not answer any more "
                f"({first_line(problem)}). Check that it still runs."
            ) from problem
