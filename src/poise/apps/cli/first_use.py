"""The first use of a command: what it needs is compiled on all cores, not one after the other."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager

from poise.announce import announce


class FirstUse:
    """Compiles all that a command needs when the first of its kernels is found to be missing.

    Kernels that the list lacks, and those of a process that may use one core only, are compiled
    when they are met.
    """

    def __init__(self, command: str) -> None:
        self._command = command
        self._done: set[str] = set()

    def __call__(self, kernel: str, signature: Callable[[], str]) -> bool:
        """Whether a kernel was compiled, among others."""
        from poise.sharing import core_count

        if core_count() < 2:
            return False
        from poise.compilation.listed import listed_kernels

        try:
            key = kernel, signature()
        except TypeError:
            return False
        places = (p for p, k in enumerate(listed_kernels()) if (k.name, k.signature) == key)
        command = self._needing(next(places, None))
        if command is None or command in self._done:
            return False
        self._done.add(command)
        compile_ahead(command, core_count())
        return True

    def _needing(self, place: int | None) -> str | None:
        """The command if it needs a kernel, else the smallest that does: `report` of --report."""
        from poise.compilation.listed import kernels_of, listed_commands

        needing = [name for name in listed_commands() if place in kernels_of([name])]
        if self._command in needing:
            return self._command
        return min(needing, key=lambda name: len(kernels_of([name])), default=None)


def compile_ahead(command: str, cores: int) -> None:
    """Compile what a command needs; progress goes to standard error."""
    from poise.apps.warm_up import warm_up

    if not sys.stderr.isatty():
        announce("compiling for this machine, only the first time")
        warm_up(lambda done, of: None, [command], cores)
        return
    with progress_bar("compiling, only the first time") as progress:
        warm_up(progress, [command], cores)
    print("note: 'poise warm-up' compiles what the other commands need, too.", file=sys.stderr)


@contextmanager
def progress_bar(what: str) -> Generator[Callable[[int, int], None], None, None]:
    """A bar on standard error; what it gives takes how much is done, of how much."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, of: bar.update(task, completed=done, total=of)
