"""A server for this machine alone: the page, the figure, and one leap after the other."""

from __future__ import annotations

import json
import math
import sys
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

from poise.apps.leap_demo.sessions import SessionEnded, Sessions
from poise.character import Character
from poise.errors import BadValue, PoiseError
from poise.methods.momentum import Family

HOST = "127.0.0.1"
LONGEST_BODY = 4096
QUIET_S = 60.0
"""After which an idle connection is closed."""

_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "connect-src 'self'; img-src data:"
)


class LeapServer(ThreadingHTTPServer):
    """Answers pages of this machine; `serve_forever` until `shutdown`."""

    daemon_threads = True

    def __init__(self, family: Family, character: Character, port: int = 0) -> None:
        """Listen.

        Args:
            family: of two leaps.
            character: whose it is, with roles and a body.
            port: 0 takes any that is free.

        Raises:
            BadValue: another family; a port that somebody has.
        """
        self.sessions = Sessions(family, character)
        self.page = files("poise.apps.leap_demo").joinpath("page.html").read_bytes()
        try:
            super().__init__((HOST, port), _Handler)
        except (OSError, OverflowError):
            raise BadValue("port", "one that is free (0 takes any)", port) from None

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.server_address[1])

    @property
    def url(self) -> str:
        """Of the page."""
        return f"http://{HOST}:{self.port}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say what went wrong, unless a page has just been closed."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "poise", ""
    timeout = QUIET_S

    @property
    def _leaps(self) -> LeapServer:
        return cast(LeapServer, self.server)

    def do_GET(self) -> None:
        self._answer({"/": self._page, "/figure": self._figure}, {"/step": "POST"})

    def do_POST(self) -> None:
        self._answer({"/step": self._step}, {"/": "GET", "/figure": "GET"})

    def _answer(self, known: dict[str, Any], otherwise: dict[str, str]) -> None:
        if not self._body_read():
            return self._say(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "Send no body.")
        if self.headers.get("Host", "") not in self._names():  # a page of another site
            return self._say(HTTPStatus.FORBIDDEN, f"This is {self._leaps.url}.")
        path = urlsplit(self.path).path
        if path in known:
            try:
                return known[path]()
            except SessionEnded as ended:
                return self._say(HTTPStatus.NOT_FOUND, str(ended))
            except PoiseError as problem:
                return self._say(HTTPStatus.BAD_REQUEST, str(problem))
        if path in otherwise:
            method = otherwise[path]
            return self._say(HTTPStatus.METHOD_NOT_ALLOWED, f"Ask for {path} with {method}.")
        self._say(HTTPStatus.NOT_FOUND, "There are /, /figure and /step.")

    def _names(self) -> tuple[str, str]:
        return f"{HOST}:{self._leaps.port}", f"localhost:{self._leaps.port}"

    def _body_read(self) -> bool:
        """Nobody needs a body, but what follows it on the connection must be found."""
        length = self.headers.get("Content-Length", "0")
        if not length.isdecimal() or int(length) > LONGEST_BODY:
            self.close_connection = True
            return False
        self.rfile.read(int(length))
        return True

    def _page(self) -> None:
        self._send(HTTPStatus.OK, self._leaps.page, "text/html; charset=utf-8")

    def _figure(self) -> None:
        self._send_json(HTTPStatus.OK, self._leaps.sessions.open())

    def _step(self) -> None:
        asked = parse_qs(urlsplit(self.path).query, keep_blank_values=True)
        direction = _number(asked, "x"), _number(asked, "z")
        session = asked.get("session", [""])[0]
        self._send_json(HTTPStatus.OK, self._leaps.sessions.step(session, direction))

    def _say(self, status: HTTPStatus, sentence: str) -> None:
        self._send_json(status, {"problem": sentence})

    def _send_json(self, status: HTTPStatus, answer: dict[str, Any]) -> None:
        text = json.dumps(answer, separators=(",", ":"), allow_nan=False)
        self._send(status, text.encode("utf-8"), "application/json")

    def _send(self, status: HTTPStatus, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Security-Policy", _POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: a line for every leap helps nobody."""


def _number(asked: dict[str, list[str]], name: str) -> float:
    given = asked.get(name, [])
    try:
        value = float(given[0]) if len(given) == 1 else math.nan
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise BadValue(name, "one number, in metres", given[0] if len(given) == 1 else given)
    return value
