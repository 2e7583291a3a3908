"""A studio that runs, as its own process or inside the test's, and a page that talks to it."""

from __future__ import annotations

import contextlib
import http.client
import json
import math
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import numpy as np
import psutil
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from poise.apps.studio.guard import Guard
from poise.apps.studio.library import Documents
from poise.apps.studio.project import Project
from poise.apps.studio.server import WEB
from poise.apps.studio.serving import StudioServer

PATIENCE_S = 240.0
"""For any one thing to happen; with cold caches, two cores compile for a minute or more."""

needs_page = pytest.mark.skipif(
    not (WEB / "index.html").is_file(), reason="the page is not built: npm run build in studio/"
)


@dataclass(frozen=True)
class Answer:
    """Of an HTTP request."""

    code: int
    headers: Mapping[str, str]
    """By names in lower case."""
    body: bytes

    @property
    def problem(self) -> str:
        return json.loads(self.body)["problem"]


@dataclass(frozen=True)
class Heard:
    """A message of the server."""

    head: dict[str, Any]
    arrays: dict[str, Any]

    @property
    def kind(self) -> str:
        return self.head["kind"]

    def __getattr__(self, name: str) -> Any:
        try:
            return self.head[name]
        except KeyError:
            raise AttributeError(name) from None


def unpacked(message: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    """Head and arrays of a message in bytes."""
    (length,) = struct.unpack_from("<I", message)
    head: dict[str, Any] = json.loads(message[4 : 4 + length])
    at = 4 + length
    found: dict[str, Any] = {}
    for each in head["arrays"]:
        at += -at % 8
        values = np.frombuffer(message, each["type"], math.prod(each["shape"]), at)
        found[each["name"]] = values.reshape(each["shape"])
        at += values.nbytes
    return head, found


@dataclass(frozen=True)
class Studio:
    """Where a server is and how to be let in."""

    port: int
    token: str
    folder: Path
    document: str = ""
    """That it was started with."""

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def origin(self) -> str:
        return f"http://{self.host}"

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        headers: Mapping[str, str | None] | None = None,
        *,
        chunked: bool = False,
    ) -> Answer:
        """As our page asks; headers that are None are left out."""
        ours: dict[str, str | None] = {"origin": self.origin, "x-poise-token": self.token}
        given = {k: v for k, v in (ours | dict(headers or {})).items() if v is not None}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        try:
            connection.request(method, path, body, given, encode_chunked=chunked)
            answer = connection.getresponse()
            names = {name.lower(): value for name, value in answer.getheaders()}
            return Answer(answer.status, names, answer.read())
        finally:
            connection.close()

    def upload(
        self, name: str, data: Any, headers: Mapping[str, str | None] | None = None, **how: Any
    ) -> Answer:
        return self.request("POST", f"/upload?name={quote(name, safe='')}", data, headers, **how)

    def export(
        self, document: str, form: str, headers: Mapping[str, str | None] | None = None
    ) -> Answer:
        return self.request("GET", f"/export?document={document}&format={form}", headers=headers)

    def connection(
        self, *, origin: str | None = "", token: str | None = "", host: str = ""
    ) -> ClientConnection:
        """A socket; the words are ours unless something else, or None, is given."""
        offered = self.token if token == "" else token
        return connect(
            f"ws://{host or self.host}/socket",
            sock=socket.create_connection(("127.0.0.1", self.port), PATIENCE_S),
            origin=self.origin if origin == "" else origin,  # type: ignore[arg-type]
            subprotocols=["poise", *([] if offered is None else [offered])],  # type: ignore[list-item]
            max_size=None,
            open_timeout=PATIENCE_S,
            close_timeout=2.0,
        )

    @contextlib.contextmanager
    def page(self) -> Iterator[Page]:
        """A page that has been welcomed."""
        with self.connection() as connection:
            page = Page(connection)
            page.welcome = page.next()
            assert page.welcome.kind == "welcome"
            yield page


@dataclass
class Page:
    """What a browser would be, without the pictures."""

    connection: ClientConnection
    welcome: Heard = field(default_factory=lambda: Heard({}, {}))
    _fences: int = 0

    def send(self, kind: str, **values: Any) -> None:
        self.connection.send(json.dumps({"kind": kind, **values}))

    def next(self, seconds: float = PATIENCE_S) -> Heard:
        data = self.connection.recv(timeout=seconds)
        if isinstance(data, bytes):
            return Heard(*unpacked(data))
        return Heard(json.loads(data), {})

    def until(self, is_it: str | Callable[[Heard], bool], seconds: float = PATIENCE_S) -> Said:
        """All that is heard up to a message, which is the last; by kind or by a test."""
        heard, end = Said(), time.monotonic() + seconds
        while True:
            heard.append(self.next(max(end - time.monotonic(), 0.01)))
            last = heard[-1]
            if last.kind == is_it if isinstance(is_it, str) else is_it(last):
                return heard

    def done(self, seconds: float = PATIENCE_S) -> Said:
        """All that is heard until the document has done everything that it was asked for so far.

        What it is asked for, it does in turn; so this asks for something that cannot be had. Twice,
        since what is not urgent is put behind what waits already.
        """
        return Said([*self._fence(seconds), *self._fence(seconds)])

    def _fence(self, seconds: float) -> Said:
        self._fences += 1
        fence = f"/no/such/place/{self._fences}.bvh"
        self.send("save_file", path=fence)
        heard = self.until(
            lambda each: each.kind == "problem" and fence in each.lines[0]["text"], seconds
        )
        self.until("document_state", seconds)
        del heard[-1]
        return heard

    def open(self, kind: str, **values: Any) -> Said:
        """Open something; all that is said about it."""
        self.send(kind, **values)
        heard = self.until(lambda each: each.kind in ("document_state", "problem"))
        if heard[-1].kind == "document_state":
            heard += self.done()
        return heard

    def edit(self, recipe: Mapping[str, Any], label: str = "edit", merge: str = "") -> Said:
        self.send("edit_recipe", recipe=recipe, label=label, merge=merge)
        return self.done()

    def ask(self, kind: str, **values: Any) -> Said:
        self.send(kind, **values)
        return self.done()


class Said(list[Heard]):
    """Messages in a row."""

    def all(self, kind: str, **values: Any) -> list[Heard]:
        return [
            each
            for each in self
            if each.kind == kind and all(each.head[key] == value for key, value in values.items())
        ]

    def last(self, kind: str, **values: Any) -> Heard:
        found = self.all(kind, **values)
        assert found, f"no {kind} with {values} among {[each.kind for each in self]}"
        return found[-1]

    @property
    def state(self) -> Heard:
        return self.last("document_state")

    def motion(self, which: str) -> tuple[bytes, bytes]:
        """The bytes of the last whole motion of a kind."""
        found = self.last("motion", which=which)
        assert found.first == 0 and len(found.arrays["roots_m"]) == found.frames
        return found.arrays["roots_m"].tobytes(), found.arrays["rotations_wxyz"].tobytes()

    def problem_lines(self) -> list[tuple[str, str]]:
        """Where and what, of all problems."""
        return [(line["path"], line["text"]) for each in self.all("problem") for line in each.lines]


@dataclass
class Process:
    """`poise studio` as a process of its own."""

    child: subprocess.Popen[str]
    studio: Studio

    def kill(self) -> None:
        """As a power cut would; what it has started goes with it."""
        family = list[psutil.Process]()
        with contextlib.suppress(psutil.Error):
            family.append(psutil.Process(self.child.pid))
            family += family[0].children(recursive=True)
        for each in family:
            with contextlib.suppress(psutil.Error):
                each.kill()
        self.child.communicate(timeout=PATIENCE_S)

    def stop(self) -> str:
        """As Ctrl-C does; what was written to the error stream."""
        if self.child.poll() is None:
            self.child.send_signal(signal.SIGINT)
        try:
            return self.child.communicate(timeout=PATIENCE_S)[1]
        except subprocess.TimeoutExpired:
            self.kill()
            return ""


def environment() -> dict[str, str]:
    return {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}


def started(folder: Path, *arguments: object) -> Process:
    """A server for a folder, ready."""
    words = [sys.executable, "-m", "poise", "studio", "--no-browser", "--project", str(folder)]
    child = subprocess.Popen(
        [*words, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, encoding="utf-8", env=environment(), cwd=folder,
    )  # fmt: skip
    assert child.stdout is not None
    line, found = "", None
    with _a_time_limit(child):
        while found is None and (line := child.stdout.readline()):
            found = re.search(r"http://\S+", line)
    if found is None:
        raise AssertionError(f"poise studio did not start: {child.communicate()[1]}")
    url = urlsplit(found[0])
    token = re.search(r"token=([\w-]+)", url.fragment)
    document = re.search(r"document=(\w+)", url.fragment)
    assert url.port is not None and token is not None
    studio = Studio(url.port, token[1], folder.resolve(), document[1] if document else "")
    return Process(child, studio)


@contextlib.contextmanager
def _a_time_limit(child: subprocess.Popen[str]) -> Iterator[None]:
    timer = threading.Timer(PATIENCE_S, child.kill)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@contextlib.contextmanager
def in_this_process(folder: Path) -> Iterator[Studio]:
    """The same application on a thread of the test, whose limits can be changed."""
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    guard = Guard("127.0.0.1", listening.getsockname()[1])
    server = StudioServer(Documents(Project(folder)), guard, log_level="critical")
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    end = time.monotonic() + PATIENCE_S
    while not server.started and time.monotonic() < end:
        time.sleep(0.01)
    try:
        yield Studio(guard.port, guard.token, folder.resolve())
    finally:
        server.should_exit = True
        thread.join(PATIENCE_S)
        listening.close()


def closed_with(connection: ClientConnection) -> int:
    """The code with which the server ends a conversation before it has said anything."""
    try:
        said = connection.recv(timeout=PATIENCE_S)
    except ConnectionClosed as closed:
        return 1006 if closed.rcvd is None else closed.rcvd.code
    raise AssertionError(f"it talks: {said[:80]!r}")


def files_below(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}
