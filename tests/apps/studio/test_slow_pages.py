"""Pages that read slowly or not at all: bounded memory, a reason, and a way back."""

from __future__ import annotations

import contextlib
import json
import socket
import time
from collections.abc import Iterator
from typing import Any

import psutil
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from poise.apps.studio.conversation import STUCK_S, TOO_SLOW
from tests.apps.studio.conftest import filled
from tests.apps.studio.running_server import (
    PATIENCE_S,
    Page,
    Process,
    Studio,
    needs_page,
    started,
)
from tests.apps.studio.short_walk import recipe, wrist

pytestmark = needs_page

PROMISED_BYTES = 50_000_000
WAIT_S = STUCK_S + 8.0


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    made = started(filled(tmp_path_factory.mktemp("slow")))
    try:
        yield made
    finally:
        made.kill()


@contextlib.contextmanager
def slow_page(studio: Studio) -> Iterator[ClientConnection]:
    """One that stops reading after two messages, with small buffers on its way."""
    raw = socket.socket()
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16_384)
    raw.settimeout(PATIENCE_S)
    raw.connect(("127.0.0.1", studio.port))
    with connect(
        f"ws://{studio.host}/socket", sock=raw, origin=studio.origin,  # type: ignore[arg-type]
        subprotocols=["poise", studio.token], max_size=None, max_queue=2, ping_interval=None,  # type: ignore[list-item]
        open_timeout=PATIENCE_S, close_timeout=1.0, compression=None,
    ) as connection:  # fmt: skip
        yield connection


def large(number: int, bytes: int) -> dict[str, Any]:
    """A recipe that is solved at once and heavy to tell."""
    return recipe(wrist(0.001 * number), about=f"{number} " + "x" * bytes)


def edited(page: Page, first: int, stop: int, bytes: int) -> str:
    """Edits, each heard back; the last label."""
    label = ""
    for number in range(first, stop):
        page.send("edit_recipe", recipe=large(number, bytes), label=f"edit {number}")
        label = page.until("document_state").state.undo
        assert label == f"edit {number}"
    return label


def stuck_page_costs(process: Process, edits: int, bytes: int) -> int:
    """How much more memory it takes that a page beside another one stops reading."""
    studio, server = process.studio, psutil.Process(process.child.pid)
    with studio.page() as page:
        id = page.open("open_file", path="short.yaml").state.id
        edited(page, 0, edits, bytes)  # caches of the document fill up
        page.done()
        before = server.memory_info().rss
        with slow_page(studio) as stuck:
            stuck.send(json.dumps({"kind": "open_document", "id": id}))
            label = edited(page, edits, 2 * edits, bytes)
            cost = server.memory_info().rss - before
            time.sleep(WAIT_S)
            with pytest.raises(ConnectionClosed) as closed:
                while True:
                    stuck.recv(timeout=PATIENCE_S)
            assert closed.value.rcvd is not None and closed.value.rcvd.code == TOO_SLOW
            assert "too slow" in closed.value.rcvd.reason
        with studio.page() as again:  # and has everything again
            assert again.open("open_document", id=id).state.undo == label
    print(f"a page that stops reading costs {cost / 1e6:.0f} MB")
    return cost


def test_a_page_that_only_asks_costs_under_fifty_megabytes(process: Process) -> None:
    """It sends edits of a megabyte, faster than they are solved, and reads nothing."""
    studio, server = process.studio, psutil.Process(process.child.pid)
    with studio.page() as page:
        id = page.open("open_file", path="short.yaml").state.id
        edited(page, 0, 40, 1_000_000)
        before = server.memory_info().rss
        peaks: list[int] = []
        with slow_page(studio) as stuck:
            stuck.send(json.dumps({"kind": "open_document", "id": id}))
            for number in range(40):
                edit = {"kind": "edit_recipe", "recipe": large(50 + number, 1_000_000)}
                stuck.send(json.dumps({**edit, "label": f"asked {number}"}))
                peaks.append(server.memory_info().rss - before)
            page.until(
                lambda heard: heard.kind == "document_state" and heard.undo == "asked 39"
            )  # all of it is taken in the end
        print(f"a page that only asks costs {max(peaks) / 1e6:.0f} MB")
        assert max(peaks) < PROMISED_BYTES


def test_a_stuck_page_costs_under_fifty_megabytes(process: Process) -> None:
    assert stuck_page_costs(process, 40, 1_000_000) < PROMISED_BYTES
