"""Messages on their way to one page: bounded, so that a page that does not read costs little."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from dataclasses import dataclass

from poise.apps.studio.wire import Told, slot_of

MOST_BYTES = 24_000_000
"""Of what waits beside one state of the document."""


@dataclass(frozen=True)
class _Waiting:
    sender: object
    slot: str
    data: Told


class Outbox:
    """What a page has not been sent yet.

    Of messages that say a thing anew, such as the recipe or the edited motion, only the last waits;
    so what waits is one state of the document at most, and what belongs to a drag or a run.
    """

    def __init__(self) -> None:
        """For pages of the loop that runs."""
        self._loop = asyncio.get_running_loop()
        self._news = asyncio.Event()
        self._lock = threading.Lock()
        self._waiting: list[_Waiting] = []
        self._bytes = 0
        """Of messages without a slot."""
        self.is_shut = False
        """Whether the page is given up: nothing waits, and nothing more is taken."""

    def put(self, sender: object, data: Told) -> None:
        """One more message; from any thread. Too much shuts it."""
        slot = slot_of(data)
        with self._lock:
            if self.is_shut:
                return
            self._place(_Waiting(sender, slot, data))
            if self._bytes > MOST_BYTES:
                self._shut()
        with contextlib.suppress(RuntimeError):  # the server is closing
            self._loop.call_soon_threadsafe(self._news.set)

    def _place(self, new: _Waiting) -> None:
        if not new.slot:
            self._bytes += len(new.data)
            self._waiting.append(new)
            return
        for index, old in enumerate(self._waiting):
            if (old.slot, old.sender) == (new.slot, new.sender):
                if new.slot.startswith("figure"):  # motions that wait behind it are of it
                    self._waiting[index] = new
                    return
                del self._waiting[index]
                break
        self._waiting.append(new)

    async def take(self) -> tuple[object, Told] | None:
        """The next message and who says it; None when the page is given up."""
        while True:
            self._news.clear()
            with self._lock:
                if self.is_shut:
                    return None
                if self._waiting:
                    first = self._waiting.pop(0)
                    if not first.slot:
                        self._bytes -= len(first.data)
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
        self._bytes = 0
