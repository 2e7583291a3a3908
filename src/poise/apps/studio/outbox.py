"""Messages on their way to one page: bounded, so that a page that does not read costs little."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from dataclasses import dataclass

from poise.apps.studio.wire import Told, slot_of

FEW_BYTES = 4_000_000
"""While no more waits, nothing is left out."""
MOST_BYTES = 24_000_000
"""Of what waits beside one state of the document."""


@dataclass(frozen=True)
class _Waiting:
    sender: object
    slot: str
    data: Told


class Outbox:
    """What a page has not been sent yet.

    Where much waits, only the last of messages that say a thing anew does, such as the recipe or
    the edited motion; so it is one state of the document at most, and what belongs to a drag.
    """

    def __init__(self) -> None:
        """For pages of the loop that runs."""
        self._loop = asyncio.get_running_loop()
        self._news = asyncio.Event()
        self._lock = threading.Lock()
        self._waiting: list[_Waiting] = []
        self._bytes = self._left = 0
        """Of all that waits; of messages without a slot."""
        self.is_shut = False
        """Whether the page is given up: nothing waits, and nothing more is taken."""

    def put(self, sender: object, data: Told) -> None:
        """One more message; from any thread. Too much shuts it."""
        slot = slot_of(data)
        with self._lock:
            if self.is_shut:
                return
            at = len(self._waiting)
            if slot and self._bytes > FEW_BYTES:
                at = self._without(sender, slot)
            self._waiting.insert(at, _Waiting(sender, slot, data))
            self._count(len(data), slot)
            if self._left > MOST_BYTES:
                self._shut()
        with contextlib.suppress(RuntimeError):  # the server is closing
            self._loop.call_soon_threadsafe(self._news.set)

    def _without(self, sender: object, slot: str) -> int:
        """Leave out what a new message makes needless; where that one is to be."""
        kept: list[_Waiting] = []
        at: int | None = None
        for each in self._waiting:
            if (each.sender, each.slot) == (sender, slot):
                self._count(-len(each.data), slot)
                at = len(kept) if at is None else at
            else:
                kept.append(each)
        self._waiting = kept
        # Motions that wait behind a figure are of it.
        return at if at is not None and slot.startswith("figure") else len(kept)

    def _count(self, bytes: int, slot: str) -> None:
        self._bytes += bytes
        self._left += 0 if slot else bytes

    async def take(self) -> tuple[object, Told] | None:
        """The next message and who says it; None when the page is given up."""
        while True:
            self._news.clear()
            with self._lock:
                if self.is_shut:
                    return None
                if self._waiting:
                    first = self._waiting.pop(0)
                    self._count(-len(first.data), first.slot)
                    return first.sender, first.data
            await self._news.wait()

    def shut(self) -> None:
        """Give the page up."""
        with self._lock:
            self._shut()
        self._news.set()

    def _shut(self) -> None:
        self.is_shut = True
        self._waiting.clear()
        self._bytes = self._left = 0
