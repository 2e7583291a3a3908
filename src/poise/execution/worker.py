"""The other end of a supervised process: takes jobs from its input, answers on its output.

Its first message is where to import from, and what to import at once. It ends when its input does,
in the middle of a job if need be, so nothing goes on after the supervisor is gone,
however that went.
"""

from __future__ import annotations

import contextlib
import faulthandler
import importlib
import os
import pickle
import queue
import sys
import threading
import time
import traceback
from collections.abc import Callable, Generator
from functools import lru_cache
from typing import BinaryIO, cast

from poise.execution.child import read_message, write_message

_Order = tuple[bytes | None, bytes]
"""What to do, if that is not as before, and a job."""

_INPUT = 100
"""Where the input is moved to, out of the way of whatever a job opens."""


def main() -> None:
    """Serve until the input ends."""
    hear, tell = _channels()
    faulthandler.enable()
    _be_the_first_to_go()
    inbox: queue.SimpleQueue[_Order] = queue.SimpleQueue()
    entries, preload = cast("tuple[list[str], str]", read_message(hear) or ([], ""))
    sys.path += [entry for entry in entries if entry not in sys.path]
    threading.Thread(target=_listen, args=(hear, inbox), daemon=True).start()
    lock = threading.Lock()

    def say(*message: object) -> None:
        with lock:
            write_message(tell, message)

    from poise.announce import listening

    if preload:
        importlib.import_module(preload)
    say("ready")
    work = b""
    with listening(lambda news: say("news", news)):
        while True:
            new_work, job = inbox.get()
            work = work if new_work is None else new_work
            say("began")
            with _ending_with_its_supervisor():
                answer = _done(work, job)
            say(*answer)


def _channels() -> tuple[BinaryIO, BinaryIO]:
    """Input and output, for us alone: what a job reads is empty, what it prints goes to errors."""
    os.dup2(0, _INPUT)
    hear, tell = os.fdopen(_INPUT, "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return hear, tell


def _be_the_first_to_go() -> None:
    """Where the machine runs out of memory, Linux is to end a worker and not its supervisor."""
    try:
        with open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
            file.write("500")
    except OSError:
        return


def _listen(hear: BinaryIO, inbox: queue.SimpleQueue[_Order]) -> None:
    while True:
        message = read_message(hear)
        if message is None:
            os._exit(0)  # from a thread, in the middle of whatever the other one does
        inbox.put(cast(_Order, message))


@contextlib.contextmanager
def _ending_with_its_supervisor() -> Generator[None, None, None]:
    """While a job runs, have Linux end this process when its input ends.

    The thread that listens would, too, but cannot while compiled code holds the interpreter's lock.
    Nothing is sent to us while we work, so whatever stirs the pipe is its end.
    """
    if sys.platform != "linux":
        yield
        return
    import fcntl

    flags = fcntl.fcntl(_INPUT, fcntl.F_GETFL)
    fcntl.fcntl(_INPUT, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(_INPUT, fcntl.F_SETFL, flags | os.O_ASYNC)
    try:
        yield
    finally:
        fcntl.fcntl(_INPUT, fcntl.F_SETFL, flags)


@lru_cache(maxsize=1)
def _function(work: bytes) -> Callable[[object], object]:
    """The work of many jobs, made once."""
    return pickle.loads(work)


def _done(work: bytes, job: bytes) -> tuple[object, ...]:
    """The answer: done with a value, or raised, or out of memory; and the seconds it took."""
    began = time.perf_counter()
    try:
        value = pickle.dumps(_function(work)(pickle.loads(job)))
    except MemoryError as full:
        return "out_of_memory", str(full), time.perf_counter() - began
    except Exception as problem:
        return "raised", _portable(problem), time.perf_counter() - began
    return "done", value, time.perf_counter() - began


def _portable(problem: Exception) -> tuple[bytes | None, str]:
    """An exception as bytes if it survives the way, and in words."""
    try:
        as_bytes = pickle.dumps(problem)
        back = pickle.loads(as_bytes)
        same = type(back) is type(problem) and str(back) == str(problem)
    except Exception:
        same, as_bytes = False, None
    return as_bytes if same else None, "".join(traceback.format_exception(problem)).strip()


if __name__ == "__main__":
    main()
