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
    if kind in FURTHER:
        return FURTHER[kind](*rest)
    raise AssertionError(kind)


def wait_for(path: str) -> int:
    """Say that it has begun (in a file with its pid as ending), and wait until there is a file."""
    Path(f"{path}.{os.getpid()}").write_text("begun", encoding="utf-8")
    while not Path(path).exists():
        time.sleep(0.01)
    return os.getpid()


def hold_lock(path: str, seconds: int) -> None:
    """Sleep in C without letting go of the interpreter's lock."""
    import ctypes

    Path(f"{path}.{os.getpid()}").write_text("begun", encoding="utf-8")
    ctypes.PyDLL(None).sleep(seconds)


def spin(path: str) -> None:
    """Be in a compiled loop for ever, as Poise compiles them."""
    import numba

    @numba.njit(nogil=True)
    def turn(rounds: int) -> int:
        total = 0
        while rounds != 0:
            total += rounds * total + 1
            rounds += 2
        return total

    turn(0)
    Path(f"{path}.{os.getpid()}").write_text("begun", encoding="utf-8")
    turn(1)


def refuse(name: str) -> None:
    """Raise one of our errors, whose constructors take facts."""
    from poise import errors

    raise {
        "file": lambda: errors.FileProblem("walk.bvh", "a number", line=7, advice="Mend it."),
        "name": lambda: errors.UnknownName("joint", "LeftFot", ["LeftFoot"]),
        "value": lambda: errors.BadValue("rate_hz", "positive", -1.0),
        "plain": lambda: errors.PoiseError("no such thing"),
    }[name]()


class Odd(Exception):
    """One that cannot be made from what it says."""

    def __init__(self, one: str, other: str) -> None:
        super().__init__(f"{one} and {other}")


def raise_odd() -> None:
    """Raise it."""
    raise Odd("this", "that")


def raise_unportable() -> None:
    """Raise what holds something that cannot be pickled."""
    raise ValueError("holds", lambda: None)


def no_memory() -> None:
    """What Python raises where there is none left."""
    raise MemoryError("too large")


def unpicklable() -> Any:
    """A value that cannot leave."""
    return lambda: None


def unreadable() -> Any:
    """A value that leaves but does not arrive."""
    return Odd("this", "that")


def hoard(size: int) -> int:
    """Keep memory for good, and give time to see it."""
    _HOARD.append(b"x" * size)
    time.sleep(0.5)
    return sum(len(each) for each in _HOARD)


_HOARD: list[bytes] = []


def with_child(path: str, code: int | None) -> None:
    """Start another process; then hang, or end."""
    import subprocess
    import sys

    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    Path(f"{path}.{child.pid}").write_text("begun", encoding="utf-8")
    if code is not None:
        os._exit(code)
    time.sleep(60.0)


def exit_soon(seconds: float) -> int:
    """Answer, and end a little later."""
    import threading

    threading.Timer(seconds, os._exit, [5]).start()
    return os.getpid()


def say_aloud(text: str) -> None:
    """Announce something."""
    from poise.announce import announce

    announce(text)


def cores() -> tuple[int, str]:
    """How many cores there are for a job, and for its linear algebra."""
    from poise.sharing import core_count

    return core_count(), os.environ.get("OPENBLAS_NUM_THREADS", "")


def leave(code: int) -> None:
    """As scripts end."""
    import sys

    sys.exit(code)


FURTHER: dict[str, Any] = {
    each.__name__: each
    for each in (
        wait_for, hold_lock, spin, refuse, raise_odd, raise_unportable, no_memory, unpicklable,
        unreadable, hoard, with_child, exit_soon, say_aloud, cores, leave, len,
        bytes,
    )
}  # fmt: skip
