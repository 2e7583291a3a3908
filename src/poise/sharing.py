"""Sharing a loop over many alike rows (frames, points) among the cores of the machine."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

_WORTH_SHARING_NS = 400_000
"""Below this much work, waking another thread (about 0.1 ms) costs as much as it saves."""

_CHUNKS_PER_CORE = 4
"""More than one, so that a core that is interrupted does not hold up the others for long."""

_CHUNK_MULTIPLE = 64
"""Chunks start at multiples of every block size, so that the blocks do not depend on the cores."""


def over_frames(
    kernel: Callable[..., object], frames: int, frame_ns: int, parallel: bool, *arguments: object
) -> None:
    """Call `kernel(first, last, *arguments)` over all frames, in chunks on all cores if it pays.

    `frame_ns` is roughly what one frame costs. Kernels release the interpreter lock, so plain
    threads share the work. A chunk gives the same bits on whichever thread it runs.
    """
    cores = core_count() if parallel and frames * frame_ns > _WORTH_SHARING_NS else 1
    if cores == 1:
        kernel(0, frames, *arguments)
        return
    pieces = cores * _CHUNKS_PER_CORE
    size = -(-frames // (pieces * _CHUNK_MULTIPLE)) * _CHUNK_MULTIPLE
    starts = deque(range(0, frames, size))

    def work() -> None:
        while starts:
            try:
                start = starts.popleft()
            except IndexError:
                return
            kernel(start, min(start + size, frames), *arguments)

    # The caller does its share: threads that are all woken from sleep tend to meet on one core.
    others = [_pool().submit(work) for _ in range(cores - 1)]
    work()
    for other in others:
        other.result()


def core_count() -> int:
    """How many cores this process may use: those it has, or fewer where POISE_CORES says so."""
    asked = os.environ.get("POISE_CORES", "")
    if asked.isdecimal() and int(asked) > 0:
        return int(asked)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


_pools: dict[int, ThreadPoolExecutor] = {}


def _pool() -> ThreadPoolExecutor:
    # Keyed by process: a forked child inherits the record of a pool, but not its threads.
    process = os.getpid()
    if process not in _pools:
        _pools.clear()
        _pools[process] = ThreadPoolExecutor(max(1, core_count() - 1), thread_name_prefix="poise")
    return _pools[process]
