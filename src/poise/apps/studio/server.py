"""The server of the studio: the page, a socket, uploads and exports, for this machine."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from importlib.resources import files
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

from fastapi import FastAPI, Query, Request, WebSocket, WebSocketDisconnect
from fastapi.responses import JSONResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from poise.apps.studio import from_page as asked
from poise.apps.studio import to_page as say
from poise.apps.studio.document import Document, Page
from poise.apps.studio.guard import Guard
from poise.apps.studio.library import Documents
from poise.apps.studio.project import Project, endings
from poise.apps.studio.solving import bug_lines, problem_lines, without_folder
from poise.apps.studio.uploads import split
from poise.apps.studio.wire import Told, told, understood
from poise.errors import BadValue, PoiseError
from poise.job import recipe_schema
from poise.methods import METHODS
from poise.samples import SAMPLES
from poise.version import __version__

UPLOAD_LIMIT_BYTES = 256_000_000
LONGEST_MESSAGE_BYTES = 4_000_000
REFUSED = 4401
WEB = Path(str(files("poise.apps.studio"))) / "web"
TYPES = {
    "bvh": "text/plain", "glb": "model/gltf-binary", "npz": "application/octet-stream",
    "yaml": "text/yaml", "html": "text/html", "amc": "text/plain",
}  # fmt: skip
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; "
    "img-src 'self' data: blob:; font-src 'self'; worker-src 'self' blob:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)


def _refused(why: str) -> JSONResponse:
    return JSONResponse({"problem": f"refused: {why}"}, status_code=403)


class _Guarded:
    """Turns away requests for another host, and tells browsers what the page may do."""

    def __init__(self, app: ASGIApp, guard: Guard, documents: Documents) -> None:
        self._app, self._guard = app, guard
        self.documents = documents

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        why = self._guard.why_not(Headers(scope=scope), None, needs_origin=False)
        if why:
            return await _refused(why)(scope, receive, send)

        async def with_policy(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] += [
                    (b"content-security-policy", POLICY.encode()),
                    (b"x-content-type-options", b"nosniff"),
                    (b"referrer-policy", b"no-referrer"),
                    (b"cross-origin-opener-policy", b"same-origin"),
                    (b"cross-origin-resource-policy", b"same-origin"),
                    (b"cache-control", b"no-cache"),
                ]
            await send(message)

        await self._app(scope, receive, with_policy)
        return None


def studio_app(project: Project, guard: Guard) -> _Guarded:
    """The application for a folder."""
    documents = Documents(project)
    one_upload = asyncio.Semaphore(1)

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncGenerator[None, None]:
        yield
        documents.close()

    app = FastAPI(lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None)

    def refusal(request: Request, *, needs_origin: bool) -> Response | None:
        token = request.headers.get("x-poise-token", "")
        why = guard.why_not(request.headers, token, needs_origin=needs_origin)
        return _refused(why) if why else None

    @app.post("/upload")
    async def upload(
        request: Request,
        name: Annotated[list[str], Query()],
        bytes: Annotated[list[int] | None, Query()] = None,
        into: str = "",
    ) -> Response:
        refused = refusal(request, needs_origin=True)
        if refused is not None:
            return refused
        too_long = JSONResponse(
            {"problem": f"At most {UPLOAD_LIMIT_BYTES // 1_000_000} MB can be opened here."}, 413
        )
        said = request.headers.get("content-length", "0")
        if said.isdecimal() and int(said) > UPLOAD_LIMIT_BYTES:
            return too_long
        data = bytearray()
        try:
            async with one_upload:  # each is held in memory
                async for part in request.stream():
                    data += part
                    if len(data) > UPLOAD_LIMIT_BYTES:
                        return too_long
        except ClientDisconnect:
            return Response(status_code=499)
        try:
            files = split(name, bytes or [], data)
            if into:
                paths = await asyncio.to_thread(documents.attached, into, files)
                return JSONResponse({"paths": paths})
            made = await asyncio.to_thread(documents.uploaded, files)
        except PoiseError as problem:
            return JSONResponse({"problem": str(problem)}, 422)
        return JSONResponse({"document": made.id})

    @app.get("/export")
    async def export(request: Request, document: str, format: str) -> Response:
        refused = refusal(request, needs_origin=False)
        if refused is not None:
            return refused
        if format not in TYPES:
            return JSONResponse({"problem": f"No format is called '{format}'."}, 422)
        try:
            found = documents.open(document)
            data, name = await asyncio.to_thread(found.exported, format)
        except PoiseError as problem:
            return JSONResponse({"problem": without_folder(str(problem), project.folder)}, 422)
        plain = "".join(c if " " <= c <= "~" and c not in '"\\' else "_" for c in name)
        headers = {"content-disposition": f'attachment; filename="{plain}"'}
        if plain != name:
            headers["content-disposition"] += f"; filename*=UTF-8''{quote(name, errors='replace')}"
        return Response(data, media_type=TYPES[format], headers=headers)

    @app.websocket("/socket")
    async def socket(websocket: WebSocket) -> None:
        said = websocket.headers.get("sec-websocket-protocol", "")
        offered = [each.strip() for each in said.split(",")]
        token = offered[1] if len(offered) > 1 else ""
        why = guard.why_not(websocket.headers, token, needs_origin=True)
        await websocket.accept(subprotocol="poise" if "poise" in offered else None)
        if why:
            await websocket.close(REFUSED, why)
            return
        await _Conversation(websocket, documents).go_on()

    if WEB.is_dir():
        app.mount("/", StaticFiles(directory=WEB, html=True))
    return _Guarded(app, guard, documents)


class _Conversation:
    """One page."""

    def __init__(self, websocket: WebSocket, documents: Documents) -> None:
        self._socket, self._documents = websocket, documents
        self._loop = asyncio.get_running_loop()
        self._out: asyncio.Queue[tuple[Page | None, Told]] = asyncio.Queue()
        self._document: Document | None = None
        self._page: Page | None = None
        """How the document speaks to the page, for as long as it has it open."""

    def tell(self, message: say.FromServer) -> None:
        """Queue something for the page; from the server's own thread."""
        self._out.put_nowait((None, told(message)))

    async def go_on(self) -> None:
        """Until the page is closed."""
        sending = asyncio.create_task(self._send())
        try:
            self.tell(await asyncio.to_thread(self._welcome))
            while True:
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
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            while True:
                page, data = await self._out.get()
                if page is not None and page is not self._page:
                    continue  # of a document that the page has left
                if isinstance(data, str):
                    await self._socket.send_text(data)
                else:
                    await self._socket.send_bytes(data)

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
                    self._document.ask(message)
        except PoiseError as problem:
            lines = problem_lines(problem, self._documents.project.folder)
            self.tell(say.Problem(lines, about))
        except Exception as bug:
            self.tell(say.Problem(bug_lines(bug), about))

    def _take(self, document: Document) -> None:
        def page(message: Told) -> None:
            """Queue something for the page; from any thread."""
            with contextlib.suppress(RuntimeError):  # the server is closing
                self._loop.call_soon_threadsafe(self._out.put_nowait, (page, message))

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
            UPLOAD_LIMIT_BYTES,
        )  # fmt: skip
