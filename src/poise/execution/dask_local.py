"""A Dask cluster on this machine, for as long as its owner lives.

It is a process of its own, so that nothing of it reaches ours: no log lines on the terminal, no
variables in the environment, no Ctrl-C, and no second import of the script that asked for it.
Its input is a pipe from us. Should we die, however that goes, the pipe ends, and so do in turn it,
its workers and theirs.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import warnings
from importlib.util import find_spec
from typing import IO, Any, Self, cast

from poise.errors import PoiseError

LOOPBACK = "127.0.0.1"

_STARTING_S = 60.0
"""How long a cluster may take to start; a second or two is usual."""

_ENDING_S = 10.0
"""How long it may take to end before it is killed."""


class LocalDask:
    """The process of a cluster, as its owner sees it."""

    def __init__(self, workers: int, dashboard: str) -> None:
        """Start it and wait until it is up.

        Raises:
            PoiseError: it does not start; with what it last said.
        """
        own: dict[str, Any] = (
            {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}  # type: ignore[attr-defined]
            if sys.platform == "win32"
            else {"start_new_session": True}
        )
        with tempfile.TemporaryFile() as words:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "poise.execution.dask_local"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=words,
                **own,
            )
            self._say(
                {
                    "import_from": [entry for entry in sys.path if entry],
                    "workers": workers,
                    "dashboard": dashboard,
                }
            )
            answer = self._answer()
            if answer is None:
                self.close()
                words.seek(0)
                said = words.read().decode("utf-8", "replace").strip().splitlines()
                last = f": {said[-1]}" if said else ""
                raise PoiseError(f"A Dask cluster on this machine does not start{last}.")
        self.address: str = answer["address"]
        self.dashboard_link: str | None = answer["dashboard_link"]

    def close(self) -> None:
        """End it with all its workers."""
        self._say("close")
        try:
            self._process.wait(_ENDING_S)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(OSError):
                if sys.platform == "win32":
                    self._process.kill()
                else:
                    os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                cast("IO[bytes]", pipe).close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _say(self, message: object) -> None:
        pipe = cast("IO[bytes]", self._process.stdin)
        with contextlib.suppress(OSError, ValueError):
            pipe.write(json.dumps(message).encode() + b"\n")
            pipe.flush()

    def _answer(self) -> dict[str, Any] | None:
        """What it says once it is up; None if it dies first, or takes too long."""
        lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        pipe = cast("IO[bytes]", self._process.stdout)
        threading.Thread(target=lambda: lines.put(pipe.readline()), daemon=True).start()
        try:
            line = lines.get(timeout=_STARTING_S)
        except queue.Empty:
            return None
        return json.loads(line) if line else None


def main() -> None:
    """Be a cluster until the input says close, or ends."""
    asked = json.loads(sys.stdin.readline())
    closing = threading.Event()
    threading.Thread(target=_listen, args=(closing,), daemon=True).start()
    for entry in asked["import_from"]:
        if entry not in sys.path:
            sys.path.append(entry)
    warnings.simplefilter("ignore")

    import dask.config
    from distributed import LocalCluster

    # Dask's own choice would have allocators of workers, and of theirs, give back memory at once.
    dask.config.set({"distributed.nanny.pre-spawn-environ": {}})
    cluster: Any = LocalCluster(
        n_workers=asked["workers"],
        threads_per_worker=1,
        processes=True,
        host=LOOPBACK,
        dashboard_address=asked["dashboard"],
        worker_dashboard_address=None,  # their few pages for machines stay on the loopback too
        memory_limit=0,  # memory is in the supervised processes, and is watched there
        silence_logs=logging.CRITICAL,
    )
    with cluster:
        link = cluster.dashboard_link if find_spec("bokeh") else None
        answer = {"address": cluster.scheduler_address, "dashboard_link": link}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
        closing.wait()


def _listen(closing: threading.Event) -> None:
    if not sys.stdin.readline():
        os._exit(0)  # the owner is gone; workers end when this process does
    closing.set()


if __name__ == "__main__":
    main()
