"""To a Dask scheduler: a cluster of our own on this machine, or the address of another."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import tempfile
import time
import warnings
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from poise.errors import BadValue, FileProblem, PoiseError
from poise.execution.dask_worker import ClusterProblem
from poise.execution.job import Limits
from poise.execution.supervised import Supervised

if TYPE_CHECKING:
    from distributed import Client, LocalCluster, Security

    from poise.execution.dask_secret import Secret

CONNECTING_S = 10.0
"""How long a scheduler may take to answer; it may just be starting."""

_LOOPBACK = "127.0.0.1"

_clusters: list[LocalCluster] = []
"""Of the process that is one."""

_secrets: dict[str, Secret] = {}
"""Of the clusters that this process has started, by their addresses."""


def scheduler_address(address: str) -> str:
    """Of a scheduler, with its protocol; where a file has it, as soon as it does.

    Raises:
        BadValue: neither an address nor a scheduler file.
        FileProblem: no scheduler has written that file in time.
    """
    if address.endswith(".json"):
        return _address_in(Path(address))
    whole = address if "://" in address else f"tcp://{address}"
    with contextlib.suppress(ValueError):  # of a port that is none
        host, port = urlsplit(whole).hostname, urlsplit(whole).port
        if host and port is not None:
            return whole
        if host and "://" in address:
            return f"{whole.rstrip('/')}:8786"  # where Dask's schedulers usually are
    allowed = "'local', a scheduler such as tcp://host:8786, or its scheduler file (*.json)"
    raise BadValue("address", allowed, address)


def _address_in(path: Path) -> str:
    deadline = time.monotonic() + CONNECTING_S
    while True:
        try:
            return str(json.loads(path.read_text(encoding="utf-8"))["address"])
        except OSError as problem:
            found = problem.strerror or str(problem)
        except (ValueError, KeyError, TypeError):
            found = "something else"
        if time.monotonic() > deadline:
            advice = f"Start it with: dask scheduler --scheduler-file {path}"
            found = found[:1].lower() + found[1:]
            raise FileProblem(path, "what a Dask scheduler writes", found, advice=advice)
        time.sleep(0.1)


@contextlib.contextmanager
def connected(address: str, hear: Callable[[str], None] | None) -> Generator[Client, None, None]:
    """A client of Dask, whose log, which goes to the terminal, it keeps to itself.

    `hear` is told if Dask there is another version than here.

    Raises:
        ClusterProblem: no scheduler answers there.
    """
    from distributed import Client, Security

    if address.startswith("poise:"):
        from poise.execution import dask_secret as dask_secret  # Dask is to know such addresses

    def nothing(_: logging.LogRecord) -> bool:
        return False

    security = _secrets.get(address) or Security()
    with contextlib.ExitStack() as undo:
        for handler in logging.getLogger("distributed").handlers:
            handler.addFilter(nothing)  # what goes wrong is said by our errors
            undo.callback(handler.removeFilter, nothing)
        try:
            with warnings.catch_warnings(record=True) as said, ThreadPoolExecutor(1) as thread:
                warnings.simplefilter("always")
                thread.submit(
                    asyncio.run, _knock(address, security)
                ).result()  # here may be a loop already
                client = Client(
                    address, timeout=CONNECTING_S, set_as_default=False, security=security
                )
        except Exception as problem:
            raise ClusterProblem(
                f"No Dask scheduler answers at {address} ({first_line(problem)}). Check that it "
                "runs there (dask scheduler), that this is its address, and that no firewall "
                "stands between."
            ) from problem
        if hear is not None:
            for each in said:
                hear(f"Dask: {each.message}")
        try:
            yield client
        finally:
            with contextlib.suppress(Exception):  # of a cluster that may be gone
                client.close(timeout=CONNECTING_S)


async def _knock(address: str, security: Security) -> None:
    """Shake hands: Dask's client would wait for ever for somebody who says nothing."""
    from distributed.comm.core import connect

    safely = cast("dict[str, bool]", security.get_connection_args("client"))
    connecting = connect(address, timeout=CONNECTING_S, **safely)
    (await asyncio.wait_for(connecting, 2 * CONNECTING_S)).abort()


@contextlib.contextmanager
def local_cluster(workers: int, dashboard: str | None) -> Generator[str, None, None]:
    """The address of a cluster on this machine, which talks to this process only.

    It is a process of its own, so that nothing of it reaches ours: no log lines on the terminal, no
    variables in the environment, no Ctrl-C, and no second import of the script that asked for it.
    Should we die, however that goes, it ends, and so do in turn its workers and theirs.

    Raises:
        PoiseError: it does not start; with what it last said.
    """
    # Dask takes a port alone to mean all the world.
    host, _, port = (dashboard or "0").rpartition(":")
    if not port.isdecimal() or int(port) > 65535:
        raise BadValue("dashboard", "a port, or a host and a port as 0.0.0.0:8787", dashboard)
    from poise.execution.dask_secret import Secret

    secret = Secret()
    limits = Limits(60.0, attempts=1)  # a second or two is usual, to start and to end
    with (
        tempfile.TemporaryDirectory(prefix="poise-dask-", ignore_cleanup_errors=True) as folder,
        Supervised(1, limits, environment={}) as process,
    ):
        asked = workers, f"{host or _LOOPBACK}:{port}", secret, folder
        [started] = process.run(_start, [asked])
        if started.value is None:
            why = first_line(started.error or started.how)
            raise PoiseError(f"A Dask cluster on this machine does not start: {why}.")
        _secrets[started.value] = secret
        try:
            yield started.value
        finally:
            del _secrets[started.value]
            list(process.run(_stop, [None]))


def _start(asked: tuple[int, str, Secret, str]) -> str:
    """Have a cluster in this process; its address."""
    import dask.config
    from distributed import LocalCluster

    from poise.execution.dask_secret import SCHEME

    workers, dashboard, secret, folder = asked
    # Workers import from their folder first. Dask's own choice is one for all users of the machine.
    dask.config.set({"temporary-directory": folder})
    warnings.simplefilter("ignore")
    # Dask's own choice would have allocators of workers, and of theirs, give back memory at once.
    dask.config.set({"distributed.nanny.pre-spawn-environ": {}})
    cluster = LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=True,
        host=_LOOPBACK,
        protocol=SCHEME,
        security=secret,
        dashboard_address=dashboard,
        worker_dashboard_address=None,  # their few pages for machines stay on the loopback too
        memory_limit=0,  # memory is in the supervised processes, and is watched there
        silence_logs=logging.CRITICAL,
    )
    _clusters.append(cluster)
    return cluster.scheduler_address


def _stop(_: None) -> None:
    _clusters.pop().close()


def first_line(problem: object) -> str:
    """What an error of others says, as a part of a sentence."""
    return (str(problem).strip().splitlines() or [type(problem).__name__])[0].rstrip(".")
