"""The application of the studio: the page, a socket, uploads and exports, for this machine."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable
from importlib.resources import files
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

from fastapi import FastAPI, Query, Request, WebSocket
from fastapi.responses import JSONResponse, PlainTextResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from poise.apps.studio.conversation import Conversation
from poise.apps.studio.guard import Guard, has_token
from poise.apps.studio.library import Documents
from poise.apps.studio.receiving import TOO_SLOW, RefusedUpload, received
from poise.apps.studio.solving import without_folder
from poise.apps.studio.uploads import split
from poise.errors import PoiseError

REFUSED = 4401
OLD_LINK = (
    "This address has its token in front of '#', where it ends up in logs and in the history of "
    "the browser. It opens nothing: open the address that poise studio prints now.\n"
)
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


class StudioApp:
    """Turns away requests for another host, and tells browsers what the page may do."""

    def __init__(self, app: ASGIApp, guard: Guard) -> None:
        self._app, self._guard = app, guard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, as servers ask for it."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        why = self._guard.why_not(Headers(scope=scope), None, needs_origin=False)
        if why:
            return await _refused(why)(scope, receive, send)
        if has_token(scope["query_string"]):
            return await PlainTextResponse(OLD_LINK, 400)(scope, receive, send)

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


Address = tuple[str, int]


def studio_app(
    documents: Documents, guard: Guard, abort: Callable[[Address], None] = lambda _: None
) -> StudioApp:
    """The application for the documents of a folder.

    Args:
        documents: closed when the application ends.
        guard: who is let in.
        abort: cuts off the connection of an address at once.
    """
    project = documents.project
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
        try:
            data = await received(request, one_upload)
        except RefusedUpload as problem:
            # Nobody waits for the rest of one that was too slow.
            closing = {"connection": "close"} if problem.code == TOO_SLOW else {}
            return JSONResponse({"problem": str(problem)}, problem.code, closing)
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
            found = await asyncio.to_thread(documents.open, document)
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
        if has_token(websocket.scope["query_string"]):
            why = "a token in the address"
        await websocket.accept(subprotocol="poise" if "poise" in offered else None)
        if why:
            await websocket.close(REFUSED, why)
            return
        client = websocket.client
        address = ("", 0) if client is None else (client.host, client.port)
        await Conversation(websocket, documents, lambda: abort(address)).go_on()

    if WEB.is_dir():
        app.mount("/", StaticFiles(directory=WEB, html=True))
    return StudioApp(app, guard)
