"""What one page and the server say to each other."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

from fastapi import WebSocket, WebSocketDisconnect

from poise.apps.studio import from_page as asked
from poise.apps.studio import to_page as say
from poise.apps.studio.document import Document, Page
from poise.apps.studio.library import Documents
from poise.apps.studio.outbox import Outbox
from poise.apps.studio.project import endings
from poise.apps.studio.receiving import MOST_UPLOAD_BYTES
from poise.apps.studio.solving import bug_lines, problem_lines
from poise.apps.studio.wire import Told, told, understood
from poise.errors import BadValue, PoiseError
from poise.job import recipe_schema
from poise.methods import METHODS
from poise.samples import SAMPLES
from poise.version import __version__

LONGEST_MESSAGE_BYTES = 4_000_000
TOO_SLOW = 4408
REASON = "This page was too slow to read what it was sent."
STUCK_S, SLOWEST_BYTES_S = 10.0, 250_000.0
"""A page is given up that has not read a message after so long, and so much for its bytes."""
GOODBYE_S = 20.0
"""How long it may take a page that was given up to hear why."""
_BEHIND_S = 0.02


class Conversation:
    """One page."""

    def __init__(
        self, websocket: WebSocket, documents: Documents, abort: Callable[[], None]
    ) -> None:
        """A socket that was accepted; `abort` cuts it off at once."""
        self._socket, self._documents, self._abort = websocket, documents, abort
        self._outbox = Outbox()
        self._document: Document | None = None
        self._page: Page | None = None
        """How the document speaks to the page, for as long as it has it open."""

    def tell(self, message: say.FromServer) -> None:
        """Queue something for the page."""
        self._outbox.put(None, told(message))

    async def go_on(self) -> None:
        """Until the page is closed."""
        sending = asyncio.create_task(self._send())
        try:
            self.tell(await asyncio.to_thread(self._welcome))
            while True:
                while self._document is not None and self._document.is_behind:
                    await asyncio.sleep(_BEHIND_S)
                heard = await self._socket.receive()
                if heard["type"] == "websocket.disconnect":
                    break
                await self._heard(heard.get("text"))
        except (WebSocketDisconnect, RuntimeError):
            pass
        finally:
            sending.cancel()
            self._leave()

    async def _send(self) -> None:
        before = 0
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            while (taken := await self._outbox.take()) is not None:
                sender, data = taken
                if sender is not None and sender is not self._page:
                    continue  # of a document that the page has left
                text = isinstance(data, str)
                sending = self._socket.send_text(data) if text else self._socket.send_bytes(data)
                try:  # it waits until the message before it has gone
                    await asyncio.wait_for(sending, STUCK_S + before / SLOWEST_BYTES_S)
                except TimeoutError:
                    break
                before = len(data)
            await self._give_up()

    async def _give_up(self) -> None:
        """End a page that does not read: with a reason, if it reads again soon."""
        self._outbox.shut()
        self._leave()
        try:
            await asyncio.wait_for(self._socket.close(TOO_SLOW, REASON), GOODBYE_S)
        except TimeoutError:
            self._abort()
        else:
            asyncio.get_running_loop().call_later(GOODBYE_S, self._abort)

    async def _heard(self, text: str | None) -> None:
        about = "message"
        try:
            if text is None:
                raise BadValue("message", "text", "bytes")
            if len(text) > LONGEST_MESSAGE_BYTES:
                raise BadValue("message", f"at most {LONGEST_MESSAGE_BYTES} bytes", len(text))
            message = understood(text)
            about = message.kind
            match message:
                case asked.OpenSample():
                    self._take(await asyncio.to_thread(self._documents.sample, message.name))
                case asked.OpenFile():
                    self._take(await asyncio.to_thread(self._documents.file, message.path))
                case asked.OpenDocument():
                    self._take(await asyncio.to_thread(self._documents.open, message.id))
                case asked.Command(kind="ask_files"):
                    project = self._documents.project
                    found = await asyncio.to_thread(project.files)
                    kept = await asyncio.to_thread(self._documents.recoverable)
                    self.tell(say.Files(found, kept))
                case _:
                    if self._document is None:
                        raise BadValue("document", "opened first", "none")
                    self._document.ask(message, len(text))
        except PoiseError as problem:
            lines = problem_lines(problem, self._documents.project.folder)
            self.tell(say.Problem(lines, about))
        except Exception as bug:
            self.tell(say.Problem(bug_lines(bug), about))

    def _take(self, document: Document) -> None:
        def page(message: Told) -> None:
            """Queue something for the page; from any thread."""
            self._outbox.put(page, message)

        self._leave()
        self._document, self._page = document, page
        document.join(page)

    def _leave(self) -> None:
        if self._document is not None and self._page is not None:
            self._document.leave(self._page)

    def _welcome(self) -> say.Welcome:
        methods = {
            name: say.MethodEntry(
                method.takes.constraints, {key: dict(each) for key, each in method.presets.items()}
            )
            for name, method in METHODS.items()
        }
        project = self._documents.project
        return say.Welcome(
            __version__, project.folder.name, tuple(SAMPLES), project.files(),
            self._documents.recoverable(), recipe_schema(), methods, endings(),
            MOST_UPLOAD_BYTES,
        )  # fmt: skip
