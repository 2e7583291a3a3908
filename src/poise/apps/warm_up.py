"""Compile what commands need before they need it, on all cores.

Kernels are compiled when they are first used and kept on disk. A list says what will be used
(`poise.compilation.listed`), so that several processes can compile side by side:

    poise warm-up

A wheel that is to bring its kernels along has them compiled for the plainest processor that it is
meant for, into a folder of the package:

    python -m poise.apps.warm_up src/poise/compilation/_kernels
"""

from __future__ import annotations

import os
import platform
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import NamedTuple

from poise.compilation.listed import in_order, kernels_of, listed_kernels


class Compiled(NamedTuple):
    """A kernel that a process has compiled, or could not."""

    place: int
    """In the list."""
    problem: str
    """Empty if it is there now."""


def warm_up(
    progress: Callable[[int, int], None],
    commands: Iterable[str] = (),
    cores: int | None = None,
    environment: Mapping[str, str] | None = None,
) -> tuple[Compiled, ...]:
    """Compile what commands need, all of them if none is named; what could not be compiled.

    Args:
        progress: how many kernels are there, of how many.
        commands: as they are typed: `correct`.
        cores: how many processes; as many as the machine has, if not given.
        environment: variables beside ours.
    """
    kernels = listed_kernels()
    waiting = {place: set(kernels[place].calls) for place in in_order(kernels_of(commands))}
    count, done = len(waiting), list[Compiled]()
    results: queue.SimpleQueue[Compiled] = queue.SimpleQueue()
    with ExitStack() as stack:
        idle = [
            stack.enter_context(_Worker(results, environment or {}))
            for _ in range(min(count, cores or os.cpu_count() or 1))
        ]
        busy: dict[int, _Worker] = {}
        while waiting or busy:
            ready = [place for place, calls in waiting.items() if not calls]
            for place in ready[: len(idle)]:
                del waiting[place]
                busy[place] = idle.pop()
                busy[place].compile(place)
            done.append(results.get())
            idle.append(busy.pop(done[-1].place))
            for calls in waiting.values():
                calls.discard(done[-1].place)
            progress(len(done), count)
    return tuple(one for one in done if one.problem)


_ENDED = "the process that compiles has ended"


class _Worker:
    """A process that compiles one kernel at a time; a context manager, after which it is gone."""

    def __init__(
        self, results: queue.SimpleQueue[Compiled], environment: Mapping[str, str]
    ) -> None:
        self._results = results
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "poise.compilation.worker"], text=True, encoding="utf-8",
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1", **environment},
        )  # fmt: skip
        self._asked = -1
        self._lock = threading.Lock()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def compile(self, place: int) -> None:
        """Ask for a kernel; what becomes of it is put among the results."""
        with self._lock:  # the process may be ending just now
            self._asked = place
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{place}\n")
            self._process.stdin.flush()
        except OSError:
            self._answer(_ENDED)

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._answer(line.rstrip("\n").partition(" ")[2])
        self._answer(_ENDED)

    def _answer(self, problem: str) -> None:
        """What became of the kernel that was asked for, once."""
        with self._lock:
            asked, self._asked = self._asked, -1
        if asked >= 0:
            self._results.put(Compiled(asked, problem))

    def __enter__(self) -> _Worker:
        return self

    def __exit__(self, *problem: object) -> None:
        self._process.kill()
        self._process.wait()
        self._listener.join()
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):  # what was not sent any more
                if pipe is not None:
                    pipe.close()


_V3 = "avx avx2 bmi bmi2 cx16 f16c fma lzcnt movbe popcnt sse sse2 sse3 sse4.1 sse4.2 ssse3"
PLAINEST = {
    "x86_64": ("x86-64-v3", ",".join(f"+{name}" for name in _V3.split())),
    "aarch64": ("generic", "+neon"),
    "arm64": ("apple-m1", "+neon"),
}  # fmt: skip
"""Processors that kernels of a wheel are compiled for, by kind of machine: Intel's and AMD's since
2013 or so. Others compile for themselves."""


def ship(folder: Path) -> None:
    """Compile into a folder of the package what a wheel brings along."""
    kind = platform.machine().lower().replace("amd64", "x86_64")
    cpu, features = PLAINEST[kind]
    folder.mkdir(parents=True, exist_ok=True)
    for left in folder.iterdir():
        left.unlink()
    environment = {
        "NUMBA_CACHE_DIR": str(folder.resolve()), "NUMBA_CPU_NAME": cpu,
        "NUMBA_CPU_FEATURES": features,
    }  # fmt: skip
    for failed in warm_up(lambda done, of: None, environment=environment):
        raise SystemExit(f"{listed_kernels()[failed.place].name}: {failed.problem}")
    code = (
        "import sys; from pathlib import Path; from poise.compilation.files import write_target; "
        "write_target(Path(sys.argv[1]))"
    )
    subprocess.run(
        [sys.executable, "-P", "-c", code, str(folder)], check=True,
        env={**os.environ, **environment},
    )  # fmt: skip


if __name__ == "__main__":
    ship(Path(sys.argv[1]))
