"""The server as it runs: connections that never close are cut off, and Ctrl-C always ends it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
import sys
import threading
import time
from types import FrameType
from weakref import WeakKeyDictionary

import uvicorn

from poise.apps.studio.conversation import LONGEST_MESSAGE_BYTES
from poise.apps.studio.guard import Guard
from poise.apps.studio.library import Documents
from poise.apps.studio.server import Address, studio_app

GOODBYE_S = 0.5
"""How long connections have to close when the studio ends."""
TASKS_S = 2
"""How long what they have asked for has."""
LAST_S = 3.5
"""After so long the process ends, whatever goes on in it."""
HEAD_S = 30.0
"""How long a connection may be open without asking for anything."""


class StudioServer(uvicorn.Server):
    """Of the documents of a folder."""

    def __init__(self, documents: Documents, guard: Guard, *, log_level: str = "warning") -> None:
        """Nothing is served yet; documents are closed when it ends."""
        self._documents = documents
        self._since: WeakKeyDictionary[asyncio.Protocol, float] = WeakKeyDictionary()
        self._is_ending = False
        app = studio_app(documents, guard, self._abort)
        super().__init__(
            uvicorn.Config(
                app, log_level=log_level, access_log=False, ws="websockets-sansio",
                ws_max_size=LONGEST_MESSAGE_BYTES, lifespan="on", timeout_graceful_shutdown=TASKS_S,
            )
        )  # fmt: skip

    async def on_tick(self, counter: int) -> bool:
        """Cut off connections that do not ask for anything."""
        now = time.monotonic()
        for each in tuple(self.server_state.connections):
            silent = getattr(each, "cycle", each) is None  # those of sockets have no such thing
            if silent and now - self._since.setdefault(each, now) > HEAD_S:
                each.transport.abort()
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End everything; connections are told, and cut off soon after."""
        # What is cut off now is no news.
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        self._documents.cancel()
        asyncio.get_running_loop().call_later(GOODBYE_S, self._abort)
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Ctrl-C: in order if that is to be had soon, and at all events."""
        if not self._is_ending:
            self._is_ending = True
            threading.Thread(target=self._end_at_last, args=(sig,), daemon=True).start()
        super().handle_exit(sig, frame)

    def _abort(self, address: Address | None = None) -> None:
        """Cut off one connection, or all."""
        for each in tuple(self.server_state.connections):
            transport = each.transport
            if address is None or transport.get_extra_info("peername", ())[:2] == address:
                transport.abort()

    def _end_at_last(self, sig: int) -> None:
        time.sleep(LAST_S)
        # Edits are on disk, and workers end with us; what is half-written is swept at next start.
        self._documents.cancel()
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write("poise: interrupted\n")
            sys.stderr.flush()
        os._exit(128 + sig)
