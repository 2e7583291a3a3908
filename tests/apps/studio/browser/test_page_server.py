"""A page and its server: several pages, a server that dies, and pages that are none of ours."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from tests.apps.studio.browser.conftest import NewPage, project_of
from tests.apps.studio.browser.studio_page import StudioPage
from tests.apps.studio.running_server import Process, files_below, started

FRAME = 30
GONE = ("WebSocket connection", "ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET")
"""What Chromium writes to its console when a server is not there."""


def test_two_browsers_work_on_two_documents(new_page: NewPage) -> None:
    one, other = new_page(), new_page()
    one.open_file("capture.bvh")
    other.open_file("short.bvh")
    assert one.state.id != other.state.id
    heard = len(other.heard)
    one.drag_point("right_wrist", 0.0, 0.15, 0.0)
    other.drag_point("left_wrist", 0.0, 0.1, 0.0)
    assert one.wish(kind="follow_curve")[1]["point"] == "right_wrist"
    assert other.wish(kind="follow_curve")[1]["point"] == "left_wrist"
    ids = {each.id for each in other.since(heard).all("document_state")}
    assert ids == {other.state.id}
    one.after(lambda: one.click("undo"))
    assert other.by("undo").is_enabled() and one.by("undo").is_disabled()


def test_two_browsers_on_one_document_see_each_others_edits(new_page: NewPage) -> None:
    one = new_page()
    one.open_file("short.bvh")
    other = new_page(visit=False)
    other.visit(f"#document={one.state.id}")
    other.opened()
    one.go_to(10)
    other.go_to(10)
    place = other.place("right_wrist")
    other.after(lambda: one.drag_point("right_wrist", 0.0, 0.2, 0.0))
    assert other.motion() == one.motion()
    other.until(lambda: other.place("right_wrist")[1] > place[1] + 0.19, "the other's edit")
    one.after(lambda: other.click("undo"))
    assert one.by("undo").is_disabled() and one.motion() == other.motion()


@pytest.fixture
def own_server(material: Path, tmp_path: Path) -> Generator[Process, None, None]:
    """A server that may be killed."""
    made = started(project_of(material, tmp_path))
    try:
        yield made
    finally:
        made.stop()


def test_a_server_that_is_killed_and_started_again_is_found_again(
    new_page: NewPage, own_server: Process
) -> None:
    """The page is not touched: it says that it is offline, comes back by itself with the same
    document, and what was done meanwhile is done."""
    page = new_page(at=own_server.studio)
    page.open_file("capture.bvh")
    page.go_to(FRAME)
    page.drag_point("right_wrist", 0.0, 0.15, 0.1)
    page.drag_point("left_wrist", 0.0, 0.15, 0.1)
    edited, recipe, id = page.motion(), page.state.recipe, page.state.id

    page.forgiven = GONE
    own_server.kill()
    page.by("connection").wait_for()
    assert "reconnecting" in page.by("connection").inner_text()
    assert page.by("saved").inner_text() == "Offline"
    # One can still look at it.
    page.press("ArrowRight")
    page.until(lambda: page.value("poiseViewport.frameShown()") == FRAME + 1, "the next frame")

    mark = len(page.heard)
    again = started(own_server.studio.folder)
    try:
        assert (again.studio.port, again.studio.token) == (page.studio.port, page.studio.token)
        page.told(mark, "physics", which="after")
        page.by("connection").wait_for(state="detached")
        assert page.state.id == id and page.state.recipe == recipe
        assert page.motion() == edited
        assert page.frame == FRAME + 1  # not even the cursor has moved

        # Once more, with an edit while nobody listens.
        again.kill()
        page.by("connection").wait_for()
        page.click("undo")
        mark = len(page.heard)
        third = started(own_server.studio.folder)
        try:
            page.until(lambda: page.since(mark).all("document_state", id=id), "the document")
            page.until(lambda: page.state.redo == "move left wrist", "the undo of before")
            assert len([w for w in page.wishes() if w["kind"] == "follow_curve"]) == 1
            page.after(lambda: page.click("redo"))
            assert page.motion() == edited
        finally:
            third.stop()
    finally:
        again.stop()


def test_no_host_is_asked_but_its_own(capture: StudioPage) -> None:
    """All requests of a whole session, its socket included; the policy forbids others as well."""
    capture.drag_point("right_wrist", 0.0, 0.1, 0.0)
    for key in ("bvh", "recipe"):
        capture.downloaded(key)
    capture.after(lambda: capture.click("tab-measures"), "measures")
    capture.click("help")
    assert any(url.startswith("ws://") for url in capture.asked)
    assert capture.strangers == []
    refused = capture.value(
        "fetch('http://127.0.0.1:9/').then(() => 'let through', () => 'refused')"
    )
    assert refused == "refused"
    assert any("Content Security Policy" in each for each in capture.complaints)
    capture.forgiven = ("Content Security Policy", "violates the document")


HOSTILE = """<!doctype html><title>elsewhere</title><body><script>
const [origin, token, id] = %s;
const said = (name, act) => Promise.race([
  Promise.resolve().then(act).catch((error) => `refused: ${error.name}`),
  new Promise((go) => setTimeout(() => go("silence"), 4000)),
]).then((what) => [name, String(what)]);
const read = async (...given) => {
  const reply = await fetch(...given);
  return reply.type === "opaque" ? "opaque" : `${reply.status} ${await reply.text()}`;
};
const socket = (protocols) => new Promise((go) => {
  const made = new WebSocket(origin.replace("http", "ws") + "/socket", protocols);
  made.onmessage = (event) => go("message " + String(event.data).slice(0, 60));
  made.onopen = () => made.send(JSON.stringify({ kind: "open_document", id }));
  made.onclose = (event) => go(`closed ${event.code}`);
});
const frame = () => new Promise((go) => {
  const made = document.createElement("iframe");
  made.src = `${origin}/#token=${token}&document=${id}`;
  made.onload = () => setTimeout(() => {
    try { go("reached " + made.contentWindow.document.title); }
    catch (error) { go(`refused: ${error.name}`); }
  }, 300);
  document.body.append(made);
});
const script = () => new Promise((go) => {
  const made = document.createElement("script");
  made.src = `${origin}/export?document=${id}&format=yaml`;
  made.onload = () => go("loaded");
  made.onerror = () => go("refused: error");
  document.body.append(made);
});
const key = { "X-Poise-Token": token };
window.outcome = Promise.all([
  said("page", () => read(`${origin}/`)),
  said("export", () => read(`${origin}/export?document=${id}&format=yaml`)),
  said("export with the token", () => read(`${origin}/export?document=${id}&format=yaml`, { headers: key })),
  said("upload", () => read(`${origin}/upload?name=a.bvh`, { method: "POST", body: "HIERARCHY" })),
  said("upload blind", () => read(`${origin}/upload?name=a.bvh`, { method: "POST", body: "HIERARCHY", mode: "no-cors" })),
  said("upload with the token", () => read(`${origin}/upload?name=a.bvh`, { method: "POST", body: "HIERARCHY", headers: key })),
  said("socket", () => socket(["poise", "guess"])),
  said("socket without words", () => socket([])),
  said("socket with the token", () => socket(["poise", token])),
  said("frame", frame),
  said("script", script),
]).then(Object.fromEntries);
</script>"""


def test_a_page_from_another_origin_cannot_drive_it(new_page: NewPage, capture: StudioPage) -> None:
    """Not even one that has learned the token and the document's name."""
    capture.drag_point("right_wrist", 0.0, 0.1, 0.0)
    studio = capture.studio
    there = files_below(studio.folder)
    facts = json.dumps([studio.origin, studio.token, capture.state.id])

    class Elsewhere(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = HOSTILE.replace("%s", facts, 1).encode()
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere) as elsewhere:
        thread = threading.Thread(target=elsewhere.serve_forever, daemon=True)
        thread.start()
        try:
            # The same browser as the page of ours: cookies, caches and all.
            tab = capture.context.new_page()
            tab.goto(f"http://127.0.0.1:{elsewhere.server_address[1]}/")
            outcome: dict[str, str] = tab.evaluate("window.outcome")
            shown = [each.url for each in tab.frames[1:]]
            tab.close()
        finally:
            elsewhere.shutdown()
            thread.join()
    sockets = {name: what for name, what in outcome.items() if name.startswith("socket")}
    assert set(sockets.values()) == {"closed 4401"}
    assert outcome.pop("upload blind") == "opaque"  # sent, and of no use: see below
    others = {name: what for name, what in outcome.items() if name not in sockets}
    assert all(what.startswith("refused") for what in others.values()), others
    assert all(url.startswith("chrome-error:") for url in shown), shown
    # Nothing has come of any of it.
    capture.page.wait_for_timeout(200)
    assert files_below(studio.folder) == there
    assert capture.wish(kind="follow_curve")[1]["point"] == "right_wrist"


def test_the_token_is_in_no_address(new_page: NewPage) -> None:
    page = new_page()
    page.open_file("short.bvh")
    token = page.studio.token
    seen = page.value(
        "[location.href, document.referrer, ...performance.getEntries().map(e => e.name)]"
    )
    asked = [url.partition("#")[0] for url in page.asked]
    assert seen and asked and token not in " ".join([*seen[:2], *asked])
    assert token not in " ".join(each.partition("#")[0] for each in seen)


def test_the_printed_address_lets_in_a_page_that_is_open_already(new_page: NewPage) -> None:
    page = new_page(visit=False)
    page.page.goto(page.studio.origin)
    page.by("connection").wait_for()
    page.visit()  # browsers only change what is behind '#', and do not load it again
    assert page.by("connection").count() == 0


def test_an_old_link_says_what_to_open(new_page: NewPage) -> None:
    page = new_page(visit=False)
    page.forgiven = ("400", "404")  # it has no icon, either
    page.page.goto(f"{page.studio.origin}/?token={page.studio.token}")
    assert "open the address that poise studio prints now" in page.page.inner_text("body")


def test_a_page_without_the_token_is_told_how_to_get_in(new_page: NewPage) -> None:
    page = new_page(visit=False)
    page.page.goto(page.studio.origin)
    page.by("connection").wait_for()
    assert "no key" in page.by("connection").inner_text()
    assert page.by("open-sample-walk").count() == 0
