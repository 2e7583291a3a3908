"""One worker process as its supervisor sees it: started, given jobs, listened to, ended.

Messages between the two are pickles, each after its length. They go only between processes that one
user has started, over pipes of theirs: never over a network.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import signal
import struct
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO

ONE_CORE = {
    name: "1"
    for name in (
        "POISE_CORES", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS", "NUMBA_NUM_THREADS",
    )
}  # fmt: skip
"""A worker is one core: several that each take all of them would be in each other's way. Sums are
then also taken in the same order, whatever the machine."""

_LENGTH = struct.Struct(">Q")

_LAST_BYTES = 8192
"""How much of what a worker prints is kept, to say why it died."""


@dataclass(frozen=True)
class News:
    """What a child says, as it arrives; `message` is None once it has ended."""

    child: Child
    message: tuple[object, ...] | None


class Child:
    """A worker process."""

    def __init__(
        self, inbox: queue.SimpleQueue[News], environment: Mapping[str, str], preload: str = ""
    ) -> None:
        """Start it.

        Args:
            inbox: where its news go.
            environment: variables beside ours.
            preload: a module that it is to import before it is ready.
        """
        # A group of its own: Ctrl-C is for the supervisor, which ends its workers itself.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "poise.execution.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **environment, "PYTHONSAFEPATH": "1"},  # what it starts, too
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            start_new_session=sys.platform != "win32",
        )
        self.pid = self._process.pid
        self._stdin, self._stdout = _pipe(self._process.stdin), _pipe(self._process.stdout)
        self._words = b""
        self._errors = threading.Thread(target=self._keep_words, daemon=True)
        self._errors.start()
        threading.Thread(target=self._listen, args=(inbox,), daemon=True).start()
        # Not from the current folder, which is where files of others may lie.
        self._say(([entry for entry in sys.path if entry], preload))

    @property
    def is_alive(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    def give(self, work: bytes | None, job: bytes) -> None:
        """Send a job, and what to do with it, if that is not as before.

        If it has died, its news will say so.
        """
        self._say((work, job))

    def kill(self) -> None:
        """End it, and what it has started, at once."""
        with contextlib.suppress(OSError):
            if sys.platform == "win32":
                self._process.kill()
            else:
                os.killpg(self.pid, signal.SIGKILL)

    def end(self) -> None:
        """Kill it and wait until it is gone."""
        self.kill()
        self._process.wait()
        for pipe in (self._stdin, self._stdout):
            with contextlib.suppress(OSError):
                pipe.close()

    def why_it_died(self) -> str:
        """How a process that has ended by itself did so, in words, with its last ones."""
        code = self._process.wait()
        self._errors.join(timeout=1.0)
        said = [line.strip() for line in self._words.decode("utf-8", "replace").splitlines()]
        told = _fatal(said)
        if code < 0:
            with contextlib.suppress(ValueError):
                return f"ended by {signal.Signals(-code).name}{told}"
        return f"ended with code {code}{told}"

    def _say(self, message: object) -> None:
        with contextlib.suppress(OSError):
            write_message(self._stdin, message)

    def _listen(self, inbox: queue.SimpleQueue[News]) -> None:
        message: tuple[object, ...] | None = ()
        while message is not None:
            try:
                message = read_message(self._stdout)
            except (OSError, ValueError):  # it was closed on our side
                message = None
            inbox.put(News(self, message))

    def _keep_words(self) -> None:
        source = _pipe(self._process.stderr)
        with contextlib.suppress(OSError, ValueError):
            while piece := os.read(source.fileno(), _LAST_BYTES):
                self._words = (self._words + piece)[-_LAST_BYTES:]
        with contextlib.suppress(OSError):
            source.close()


def _pipe(opened: IO[bytes] | None) -> IO[bytes]:
    assert opened is not None
    return opened


def _fatal(said: list[str]) -> str:
    """The line that tells most: what Python's fault handler said and where, or the last one."""
    for i, line in enumerate(said):
        if line.startswith("Fatal Python error"):
            current = next((k for k, each in enumerate(said) if "Current thread" in each), i)
            where = next((each for each in said[current:] if each.startswith("File ")), "")
            return f" ({line}{', ' if where else ''}{where})"
    last = next((line for line in reversed(said) if line), "")
    return f" ({last})" if last else ""


def write_message(to: IO[bytes], message: object) -> None:
    """Send one.

    Raises:
        OSError: nobody reads any more.
    """
    content = pickle.dumps(message)
    to.write(_LENGTH.pack(len(content)))
    to.write(content)
    to.flush()


def read_message(source: IO[bytes]) -> tuple[object, ...] | None:
    """The next one; None when there are no more, or only half of one."""
    length = _exactly(source, _LENGTH.size)
    content = None if length is None else _exactly(source, _LENGTH.unpack(length)[0])
    return None if content is None else pickle.loads(content)


def _exactly(source: IO[bytes], size: int) -> bytes | None:
    parts: list[bytes] = []
    while size > 0:
        part = source.read(size)
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
