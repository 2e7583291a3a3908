"""Saying aloud that something slow and rare has begun, without knowing who listens."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator
from contextlib import contextmanager

_log = logging.getLogger("poise")
_listeners: list[Callable[[str], None]] = []


def announce(what: str) -> None:
    """Tell whoever listens; always the log."""
    _log.info(what)
    for listener in tuple(_listeners):
        listener(what)


@contextmanager
def listening(listener: Callable[[str], None]) -> Generator[None, None, None]:
    """Let `listener` hear announcements for a while."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)
