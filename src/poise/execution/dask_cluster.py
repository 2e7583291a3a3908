"""Jobs on a Dask cluster: one of our own on this machine, or one that runs elsewhere.

```python
from poise.execution.dask_cluster import OnDask

with OnDask("tcp://farm:8786", limits=Limits(seconds=600)) as executor:
    for ended in executor.run(work, jobs):
        ...
```

Jobs are supervised there as they are without Dask (see `dask_worker`), and end in the same ways.
The cluster must have this version of Poise, be able to import the work, and see the files that
jobs name. Encryption is as Dask's own configuration says.

A Dask worker that dies is replaced by another, and its jobs are begun again. A client that dies
takes a cluster on this machine with it; one elsewhere drops its jobs, but those that have begun go
on to their end, or to their time limit.

Whoever can reach a Dask scheduler can run code as the user who started it. One on this machine
listens to this machine only; where that is shared with people who are not trusted, there is
`Supervised`.
"""

from __future__ import annotations

import atexit
import contextlib
import itertools
import pickle
import queue
import uuid
import weakref
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any, Self, TypeVar

from poise import __version__
from poise.errors import BadValue, PoiseError
from poise.execution.dask_address import ClusterProblem as ClusterProblem
from poise.execution.dask_connection import Connection, dask
from poise.execution.dask_local import LOOPBACK, LocalDask
from poise.execution.dask_worker import do, held, let_go, let_idle_go
from poise.execution.job import Ended, JobLost, Limits
from poise.execution.supervised import packed_work
from poise.sharing import core_count

J = TypeVar("J")
R = TypeVar("R")

_LARGE = 100_000
"""Bytes of work beyond which it is sent once, and not with each job."""

_MOST_DEATHS = 3
"""So many Dask workers may die with a job before it is thought to be its fault; as in Dask."""

_TICK_S = 0.25
"""How often we look whether the cluster is still there."""


@dataclass(frozen=True)
class _Task:
    """A job, as it is sent."""

    index: int
    job: Any
    packed: bytes
    worker: str = ""
    """Who has it."""
    deaths: int = 0
    """Of Dask workers that had it before."""


@dataclass(frozen=True)
class _Run:
    """What is known of a run while it goes on."""

    name: str
    running: dict[Any, _Task] = field(default_factory=dict[Any, _Task])
    """By their futures."""
    again: deque[_Task] = field(default_factory=deque[_Task])
    """Those that are to be sent once more."""
    inbox: queue.SimpleQueue[Any] = field(default_factory=queue.SimpleQueue[Any])
    """Futures with their results, and what is announced."""


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
        local = address == "local"
        for name, given in (("workers", workers), ("dashboard", dashboard)):
            if given is not None and not local:
                raise BadValue(name, "left to the cluster unless it is 'local'", given)
        if workers is not None and workers < 1:
            raise BadValue("workers", "at least 1", workers)
        dask()
        self._limits = limits or Limits()
        self.hear = hear
        self._runs: dict[str, _Run] = {}
        self._closed = False
        with contextlib.ExitStack() as undo:
            self._local: LocalDask | None = None
            if local:
                self._local = undo.enter_context(
                    LocalDask(workers or core_count(), _listening_at(dashboard))
                )
                address = self._local.address
            self._connection = Connection(address, hear)
            undo.callback(self._connection.close)
            self._worker_count = sum(self._connection.threads().values())
            self._undo = undo.pop_all()
        _open.add(self)

    @property
    def worker_count(self) -> int:
        """How many at a time when the connection was made; it may be more or fewer by now."""
        return self._worker_count

    @property
    def address(self) -> str:
        """Of the scheduler."""
        return self._connection.address

    @property
    def dashboard_link(self) -> str | None:
        """Where to see in a browser what the cluster does; None if nowhere."""
        if self._closed:
            return None
        return self._local.dashboard_link if self._local else self._connection.dashboard_link

    def run(self, work: Callable[[J], R], jobs: Iterable[J]) -> Generator[Ended[J, R], None, None]:
        """As `Executor.run`; closing it ends jobs that have begun, with their processes.

        Raises:
            BadValue: work that other processes cannot import.
            ClusterProblem: the cluster is gone, or has had no workers for too long; or one of them
                cannot start processes, or came later with another Poise.
        """
        packed = packed_work(work)
        tasks = (_Task(i, job, pickle.dumps(job)) for i, job in enumerate(jobs))
        run = _Run(uuid.uuid4().hex)
        self._runs[run.name] = run
        try:
            send = self._sender(run, packed)
            more = self._fill(run, tasks, send)
            while more or run.running:
                arrived, lost, trouble = self._arrived(run), list[_Task](), None
                try:
                    lost = self._lost(run)
                    more = self._fill(run, tasks, send)  # nobody is to wait while the caller looks
                except Exception as problem:
                    trouble = problem
                for task, answer in arrived:
                    yield self._understood(task, answer)
                for task in lost:
                    words = f"{task.deaths} Dask workers died one after the other that had it"
                    yield Ended(task.index, task.job, "crashed", error=JobLost(words))
                if trouble is not None:  # after what is done, which is not to be lost with it
                    raise trouble
        finally:
            self._let_go(run)

    def close(self) -> None:
        """End what runs, and the connection; a cluster on this machine too."""
        if self._closed:
            return
        self._closed = True
        for run in tuple(self._runs.values()):
            self._let_go(run)
        with contextlib.suppress(ClusterProblem):
            self._connection.on_workers(let_idle_go)
        self._undo.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _sender(self, run: _Run, packed: bytes) -> Callable[[_Task, str], None]:
        """What hands a task to a worker."""
        self._check_open()
        connection, serial = self._connection, itertools.count()
        topic = f"poise-{run.name}" if self.hear is not None else None
        if topic is not None:
            connection.listen(topic, run.inbox.put)
        work: Any = packed
        if len(packed) > _LARGE:
            work = connection.submit(held, packed, key=f"poise-work-{run.name}")

        def send(task: _Task, worker: str) -> None:
            future = connection.submit(
                *(do, work, task.packed, self._limits, run.name, __version__, topic),
                key=(f"poise-job-{run.name}", next(serial)),
                worker=worker,
            )
            run.running[future] = replace(task, worker=worker)
            connection.fetch(future, run.inbox.put)

        return send

    def _fill(self, run: _Run, tasks: Iterator[_Task], send: Callable[[_Task, str], None]) -> bool:
        """Hand over tasks while there are threads for them; False once there are no more.

        We say who does which, one for each thread. Dask would send some ahead, to wait behind
        others: a long one would then keep back a short one while other threads have nothing to do.
        """
        while (worker := self._free_worker(run)) is not None:
            task = run.again.popleft() if run.again else next(tasks, None)
            if task is None:
                return False
            send(task, worker)
        return True

    def _free_worker(self, run: _Run) -> str | None:
        """The one that has most threads without a task of ours."""
        self._check_open()
        free = Counter(self._connection.threads())
        free.subtract(task.worker for task in run.running.values())
        [(worker, threads)] = free.most_common(1) or [(None, 0)]
        return worker if threads > 0 else None

    def _arrived(self, run: _Run) -> list[tuple[_Task, Any]]:
        """Tasks that are done, after a tick at most; what is announced is passed on."""
        arrived: list[tuple[_Task, Any]] = []
        with contextlib.suppress(queue.Empty):
            message = run.inbox.get(timeout=_TICK_S)
            while True:
                if isinstance(message, str):
                    assert self.hear is not None
                    self.hear(message)
                elif message[0] in run.running:  # else it was given up
                    arrived.append((run.running.pop(message[0]), message[1]))
                message = run.inbox.get_nowait()
        return sorted(arrived, key=lambda one: not isinstance(one[1], bytes))  # troubles last

    def _lost(self, run: _Run) -> list[_Task]:
        """Take back tasks whose workers are gone; those that too many died with are given back."""
        self._check_open()
        threads, lost = self._connection.threads(), list[_Task]()
        for future, task in tuple(run.running.items()):
            if task.worker not in threads:
                del run.running[future]
                self._connection.cancel([future])
                task = replace(task, deaths=task.deaths + 1)
                (lost if task.deaths > _MOST_DEATHS else run.again).append(task)
        return lost

    def _understood(self, task: _Task, answer: Any) -> Ended[Any, Any]:
        if isinstance(answer, bytes):
            ended: Ended[None, bytes] = pickle.loads(answer)
            value: Any = None if ended.value is None else pickle.loads(ended.value)
            return Ended(
                task.index, task.job, ended.how, value, ended.error, ended.seconds,
                ended.peak_bytes, ended.attempts,
            )  # fmt: skip
        self._check_open()
        if self._connection.is_lost(answer):
            raise self._connection.lost(answer) from answer
        if isinstance(answer, PoiseError):
            words = f"The Dask worker at {task.worker} cannot do jobs: {answer}"
            raise ClusterProblem(words) from answer
        words = f"the Dask cluster gave it up: {type(answer).__name__}: {answer}"
        return Ended(task.index, task.job, "crashed", error=JobLost(words))

    def _let_go(self, run: _Run) -> None:
        """End what a run has left, once."""
        if self._runs.pop(run.name, None) is None:
            return
        with contextlib.suppress(Exception):  # of a cluster that may be gone
            if self.hear is not None:
                self._connection.do_not_listen(f"poise-{run.name}")
            if run.running:
                self._connection.cancel(list(run.running))
                self._connection.on_workers(let_go, run.name)

    def _check_open(self) -> None:
        if self._closed:
            raise ClusterProblem("This connection to a Dask cluster has been closed.")


_open: weakref.WeakSet[OnDask] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    """What nobody has closed: later, when Python has stopped the threads of Dask, it could hang."""
    for executor in tuple(_open):
        executor.close()


def _listening_at(dashboard: str | None) -> str:
    """A host and a port: Dask takes a port alone to mean all the world."""
    host, _, port = (dashboard or "0").rpartition(":")
    if not port.isdecimal() or int(port) > 65535:
        raise BadValue("dashboard", "a port, or a host and a port as 0.0.0.0:8787", dashboard)
    return f"{host or LOOPBACK}:{port}"
