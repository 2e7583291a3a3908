"""What the user sees while waiting: nothing for a moment, then what is being done.

All of it goes to standard error, and only to a terminal, so that piped output stays clean.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager

import typer

from poise.announce import listening

PATIENCE_S = 0.7


Say = Callable[[str], None]


@contextmanager
def waiting(what: str) -> Generator[Say, None, None]:
    """Show `what` with a spinner once it has taken longer than a moment.

    What it gives takes news of how far the work is, which are shown in brackets.
    """
    if not sys.stderr.isatty():
        yield _to_nobody
        return
    from rich.console import Console

    status = Console(stderr=True).status(what)
    timer = threading.Timer(PATIENCE_S, status.start)
    timer.daemon = True
    timer.start()
    try:
        with listening(lambda news: status.update(f"{what} ({news})")):
            yield lambda news: status.update(f"{what} ({news})")
    finally:
        timer.cancel()
        status.stop()


def say_notes(notes: Iterable[str]) -> None:
    """What was assumed and done on the way, beside what was asked for."""
    for note in notes:
        typer.echo(f"note: {note}", err=True)


def _to_nobody(news: str) -> None:
    """There is no terminal."""
