"""Work that tests hand to executors: it must be importable by other processes."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any


def behave(job: Any) -> Any:
    """What a job says: ("return", x), ("raise", text), ("exit", code), ("kill",), ("hang",), ..."""
    kind, *rest = job
    if kind == "return":
        return rest[0]
    if kind == "raise":
        raise ValueError(rest[0])
    if kind == "exit":
        os._exit(rest[0])
    if kind == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if kind == "segfault":
        import ctypes

        ctypes.string_at(0)
    if kind == "hang":
        while True:
            time.sleep(0.05)
    if kind == "eat":
        held = []
        while True:
            held.append(bytearray(os.urandom(1) * 20_000_000))
            time.sleep(0.01)
    if kind == "sleep":
        time.sleep(rest[0])
        return rest[0]
    if kind == "pid":
        return os.getpid()
    if kind == "print":
        print(rest[0], flush=True)
        return input() if rest[0] == "read" else None
    if kind == "crash_once":  # a file remembers that it has
        seen = Path(rest[0])
        if not seen.exists():
            seen.write_text("once")
            os._exit(9)
        return "second time"
    raise AssertionError(kind)
