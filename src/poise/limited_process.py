"""A script in a process of its own, with limits on its time and memory, that talks in JSON.

For libraries in C that read files of strangers: what crashes, hangs or fills the memory there does
not here. The script sees none of Poise, so that it starts fast; and nothing that it says is run, as
a pickle would be. The workers of `poise.execution` are for long jobs of our own code.

A message is its length in eight bytes, most significant first, and that many bytes: JSON, or, to
the script only, whatever it asks for.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Literal, Self

from poise.errors import PoiseError

How = Literal["crashed", "out_of_time", "out_of_memory"]

_LENGTH_BYTES = 8
_LONGEST_ANSWER = 1 << 26
_LOOK_S = 0.05
"""How often we look at the memory of a process that takes its time."""
_SEND_S = 20.0
"""A process that does not take in a message by then never will."""


class ProcessLost(PoiseError):
    """The process has ended, or was ended, before it answered."""

    def __init__(self, how: How, words: str) -> None:
        self.how: How = how
        super().__init__(words)


class LimitedProcess:
    """A process that runs a script; a context manager, after which it is gone."""

    def __init__(
        self,
        script: Path,
        arguments: Sequence[str],
        *,
        memory_bytes: int,
        environment: Mapping[str, str],
    ) -> None:
        """Start it.

        Args:
            script: a file that needs nothing but its arguments.
            arguments: what it is given.
            memory_bytes: most memory that it may have.
            environment: variables beside ours.

        Raises:
            ProcessLost: it cannot be started.
        """
        self._memory_bytes = memory_bytes
        try:
            # Isolated: neither the folder we are in nor the user's variables say what it imports.
            self._process = subprocess.Popen(
                [sys.executable, "-I", str(script), *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, **environment},
                cwd=Path(sys.executable).anchor or None,
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        except OSError as problem:
            raise ProcessLost("crashed", problem.strerror or str(problem)) from problem
        self._stdin, self._stdout = _pipe(self._process.stdin), _pipe(self._process.stdout)
        self._inbox: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        threading.Thread(target=self._listen, daemon=True).start()

    def send(self, message: bytes | Mapping[str, object]) -> None:
        """Send a message; if the process has died, `receive` says so."""
        data = message if isinstance(message, bytes) else json.dumps(message).encode("utf-8")
        timer = threading.Timer(_SEND_S, self._process.kill)
        timer.start()
        with contextlib.suppress(OSError):
            self._stdin.write(len(data).to_bytes(_LENGTH_BYTES, "big"))
            self._stdin.write(data)
            self._stdin.flush()
        timer.cancel()

    def receive(self, seconds: float, *, is_trusted: bool = False) -> dict[str, Any]:
        """The next message.

        Args:
            seconds: how long to wait.
            is_trusted: it has not been given anything yet, so its memory is not looked at.

        Raises:
            ProcessLost: none has come after so many seconds, or none will.
        """
        end = time.monotonic() + seconds
        while True:
            try:
                data = self._inbox.get(timeout=_LOOK_S)
                break
            except queue.Empty:
                if time.monotonic() > end:
                    raise ProcessLost("out_of_time", f"no answer after {seconds:g} s") from None
                if not is_trusted and resident_bytes(self._process.pid) > self._memory_bytes:
                    words = f"more than {self._memory_bytes >> 20} MiB of memory"
                    raise ProcessLost("out_of_memory", words) from None
        if data is None:
            raise self._how_it_ended()
        try:
            message = json.loads(data)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            raise ProcessLost("crashed", "it answers with noise")
        return message

    def close(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait()
        with contextlib.suppress(OSError):
            self._stdin.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _listen(self) -> None:
        with contextlib.suppress(OSError, ValueError), self._stdout as source:
            while head := source.read(_LENGTH_BYTES):
                length = int.from_bytes(head, "big")
                if length > _LONGEST_ANSWER or len(data := source.read(length)) < length:
                    break
                self._inbox.put(data)
        self._inbox.put(None)

    def _how_it_ended(self) -> ProcessLost:
        try:
            code = self._process.wait(timeout=1.0)
        except subprocess.TimeoutExpired:
            return ProcessLost("crashed", "it answers with noise")
        if code >= 0:
            return ProcessLost("crashed", f"it ended with code {code}")
        with contextlib.suppress(ValueError):
            name = signal.Signals(-code).name
            if name == "SIGXCPU":
                return ProcessLost("out_of_time", "its processor time is used up")
            return ProcessLost("crashed", f"it was ended by {name}")
        return ProcessLost("crashed", f"it was ended by signal {-code}")


def resident_bytes(pid: int) -> int:
    """How much memory a process holds; 0 when it is gone."""
    import psutil

    try:
        return psutil.Process(pid).memory_info().rss
    except psutil.Error:
        return 0


def _pipe(opened: IO[bytes] | None) -> IO[bytes]:
    assert opened is not None
    return opened
