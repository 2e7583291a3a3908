"""Work that tests hand to Dask, beside `jobs_to_run`."""

from __future__ import annotations

import os
import time
from pathlib import Path

import psutil

from poise.announce import announce


def leave_pid_and_linger(path: str) -> None:
    if not path:
        return
    Path(path).write_text(str(os.getpid()))
    time.sleep(600)


def size_of(big: bytes, job: int) -> int:
    return len(big) + job


def say(words: str) -> str:
    announce(words)
    return words


def kill_the_dask_worker(job: int) -> None:
    psutil.Process(os.getppid()).kill()
    time.sleep(600)


def meet(folder: str) -> int:
    """Wait until two are here, which can only be if they are at work at the same time."""
    (Path(folder) / str(os.getpid())).touch()
    while len(list(Path(folder).iterdir())) < 2:
        time.sleep(0.01)
    return os.getpid()
