"""Who is let in: our own page with its token, and nobody else."""

from __future__ import annotations

import http.client
import json
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest

from poise.apps.studio.guard import Guard, Remembered, remember, remembered
from poise.apps.studio.server import REFUSED
from tests.apps.command_line import Command
from tests.apps.studio.conftest import filled
from tests.apps.studio.running_server import (
    PATIENCE_S,
    Process,
    Studio,
    closed_with,
    files_below,
    needs_page,
    started,
)

pytestmark = needs_page

STRANGERS = [
    "http://evil.example", "https://evil.example", "null", "http://127.0.0.1", "http://127.0.0.1:1",
    "http://localhost:{port}.evil.example", "http://evil.example:{port}", "file://",
    "http://127.0.0.1:{port}@evil.example", "chrome-extension://abc",
]  # fmt: skip
"""Origins of other pages."""

HOSTS = ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.:{port}",
         "127.0.0.1:{port}.evil.example", "localhost.evil.example:{port}", ""]  # fmt: skip
"""What a name that was made to point here calls us."""


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    made = started(filled(tmp_path_factory.mktemp("guard")), "short.bvh")
    try:
        yield made
    finally:
        said = made.stop()
        assert "Traceback" not in said, said


@pytest.fixture(scope="module")
def studio(process: Process) -> Studio:
    return process.studio


def test_our_own_page_is_let_in(studio: Studio) -> None:
    with studio.page() as page:
        assert page.welcome.project == "project"
        heard = page.open("open_document", id=studio.document)
        assert heard.state.name == "short.bvh" and heard.state.solved == "yes"
    assert studio.upload("a.bvh", (studio.folder / "short.bvh").read_bytes()).code == 200
    assert studio.export(studio.document, "bvh").code == 200


@pytest.mark.parametrize("origin", STRANGERS)
def test_a_socket_of_another_page_is_closed(studio: Studio, origin: str) -> None:
    with studio.connection(origin=origin.format(port=studio.port)) as connection:
        assert closed_with(connection) == REFUSED


@pytest.mark.parametrize("origin", STRANGERS)
def test_uploads_and_exports_of_another_page_are_refused(studio: Studio, origin: str) -> None:
    before = files_below(studio.folder)
    theirs = {"origin": origin.format(port=studio.port)}
    assert studio.upload("a.bvh", b"x", theirs).code == 403
    assert studio.export(studio.document, "bvh", theirs).code == 403
    assert files_below(studio.folder) == before


def test_who_does_not_say_where_it_comes_from_is_refused(studio: Studio) -> None:
    with studio.connection(origin=None) as connection:
        assert closed_with(connection) == REFUSED
    assert studio.upload("a.bvh", b"x", {"origin": None}).code == 403


@pytest.mark.parametrize("token", [None, "wrong", "0" * 32])
def test_who_has_no_token_is_refused(studio: Studio, token: str | None) -> None:
    with studio.connection(token=token) as connection:
        assert closed_with(connection) == REFUSED
    theirs = {"x-poise-token": token}
    assert studio.upload("a.bvh", b"x", theirs).code == 403
    assert studio.export(studio.document, "bvh", theirs).code == 403
    url = f"/export?document={studio.document}&format=bvh&token={studio.token}"
    assert studio.request("GET", url, headers=theirs).code == 400  # nor in addresses, which leak


# Where the token is, and where it is not.


def test_the_printed_address_has_the_token_behind_its_hash(process: Process) -> None:
    studio = process.studio
    url = urlsplit(Guard("127.0.0.1", studio.port, studio.token).address(studio.document))
    assert (url.path, url.query) == ("/", "")  # which is all that browsers send
    assert url.fragment == f"token={studio.token}&document={studio.document}"
    assert urlsplit(Guard("::1", 1).address()).netloc == "[::1]:1"


@pytest.mark.parametrize("path", ["/", "/index.html", "/assets/", "/nothing", "/export", "/upload"])
@pytest.mark.parametrize("name", ["token", "TOKEN", "t%6Fken"])
def test_an_old_link_with_the_token_in_its_query_is_refused(
    studio: Studio, path: str, name: str
) -> None:
    answer = studio.request("GET", f"{path}?{name}={studio.token}", headers={"origin": None})
    assert answer.code == 400 and answer.headers["content-type"].startswith("text/plain")
    assert b"open the address that poise studio prints now" in answer.body
    assert studio.token.encode() not in answer.body + str(answer.headers).encode()


def test_the_page_has_no_token_and_loads_without_one(studio: Studio) -> None:
    page = studio.request("GET", "/", headers={"origin": None, "x-poise-token": None})
    scripts = re.findall(rb'src="([^"]+)"', page.body)
    assert scripts
    for each in scripts:
        path = "/" + each.decode().removeprefix("./")
        bare = studio.request("GET", path, headers={"origin": None, "x-poise-token": None})
        assert bare.code == 200


def test_no_log_has_the_token(tmp_path: Path) -> None:
    process = started(filled(tmp_path))
    studio = process.studio
    try:
        studio.request("GET", f"/?token={studio.token}")
        studio.request("GET", "/nothing")
        with studio.page() as page:
            assert page.open("open_document", id="nothing")[-1].kind == "problem"
    finally:
        said = process.stop()
    assert studio.token not in said


@pytest.mark.parametrize("token", ["é" * 16, "", "x" * 10_000])
def test_odd_tokens_are_refused_and_nothing_breaks(studio: Studio, token: str) -> None:
    answer = studio.export(studio.document, "bvh", {"x-poise-token": token})
    assert answer.code in (400, 403)


def test_a_refusal_does_not_say_the_token(studio: Studio) -> None:
    answer = studio.export(studio.document, "bvh", {"x-poise-token": "wrong"})
    assert studio.token.encode() not in answer.body + str(answer.headers).encode()
    page = studio.request("GET", "/", headers={"x-poise-token": None})
    assert studio.token.encode() not in page.body + str(page.headers).encode()


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("path", ["/", "/index.html", "/assets/", "/export", "/nothing"])
def test_another_name_for_this_machine_is_refused(studio: Studio, host: str, path: str) -> None:
    theirs = host.format(port=studio.port)
    answer = studio.request("GET", path, headers={"host": theirs, "origin": f"http://{theirs}"})
    assert answer.code in (400, 403)
    assert answer.body.startswith(b'{"problem":"refused') or answer.code == 400


@pytest.mark.parametrize("host", HOSTS[:2])
def test_a_socket_under_another_name_is_closed(studio: Studio, host: str) -> None:
    theirs = host.format(port=studio.port)
    with studio.connection(host=theirs, origin=f"http://{theirs}") as connection:
        assert closed_with(connection) == REFUSED


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "[::1]"])
def test_names_of_this_machine_are_let_in(studio: Studio, name: str) -> None:
    ours = f"{name}:{studio.port}"
    assert studio.request("GET", "/", headers={"host": ours, "origin": None}).code == 200


def test_the_page_may_do_little(studio: Studio) -> None:
    page = studio.request("GET", "/", headers={"origin": None, "x-poise-token": None})
    assert page.code == 200 and b"<html" in page.body
    policy = dict(
        rule.strip().partition(" ")[::2]
        for rule in page.headers["content-security-policy"].split(";")
    )
    assert policy["default-src"] == "'none'" and policy["script-src"] == "'self'"
    assert policy["connect-src"] == "'self'" and policy["frame-ancestors"] == "'none'"
    assert policy["base-uri"] == "'none'" and policy["form-action"] == "'none'"
    assert "unsafe-eval" not in str(policy)
    assert page.headers["x-content-type-options"] == "nosniff"
    assert page.headers["referrer-policy"] == "no-referrer"  # the address has the token
    assert page.headers["cross-origin-resource-policy"] == "same-origin"
    assert page.headers["cross-origin-opener-policy"] == "same-origin"


def test_the_page_asks_no_other_host(studio: Studio) -> None:
    page = studio.request("GET", "/").body.decode()
    assert "http://" not in page and "https://" not in page
    assert "<script>" not in page and "onload=" not in page


def test_every_kind_of_answer_has_the_policy(studio: Studio) -> None:
    for method, path in [("GET", "/nothing"), ("GET", "/export"), ("POST", "/upload?name=a.bvh")]:
        headers = studio.request(method, path, headers={"x-poise-token": None}).headers
        assert "content-security-policy" in headers, (method, path)


@pytest.mark.parametrize("path", ["/", "/upload?name=a.bvh", "/export?document=a&format=bvh"])
@pytest.mark.parametrize("method", ["GET", "OPTIONS", "HEAD", "PUT", "DELETE"])
def test_other_origins_get_no_permission(studio: Studio, method: str, path: str) -> None:
    theirs = {
        "origin": "http://evil.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "x-poise-token",
        "access-control-request-private-network": "true",
    }
    answer = studio.request(method, path, headers=theirs)
    assert not [name for name in answer.headers if name.startswith("access-control-")]
    assert answer.code == 403


def test_no_answer_permits_other_origins(studio: Studio) -> None:
    for path in ("/", f"/export?document={studio.document}&format=yaml"):
        headers = studio.request("GET", path).headers
        assert not [name for name in headers if name.startswith("access-control-")]


@pytest.mark.parametrize(
    "path",
    ["/../guard.py", "/..%2fguard.py", "/%2e%2e/guard.py", "/assets/..%2f..%2f..%2fguard.py",
     "//etc/passwd", "/%2fetc%2fpasswd", "/..%5cguard.py", "/a%00b"],
)  # fmt: skip
def test_only_the_page_itself_is_served(studio: Studio, path: str) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", studio.port, timeout=PATIENCE_S)
    connection.request("GET", path)
    answer = connection.getresponse()
    assert answer.status in (400, 404, 307, 308) and b"secrets" not in answer.read()
    connection.close()


def test_there_is_no_description_of_the_interface(studio: Studio) -> None:
    for path in ("/docs", "/redoc", "/openapi.json"):
        assert studio.request("GET", path).code == 404


def test_it_listens_on_this_machine_alone(process: Process) -> None:
    listening = [
        each.laddr
        for each in psutil.Process(process.child.pid).net_connections("inet")
        if each.status == psutil.CONN_LISTEN
    ]
    assert [(each.ip, each.port) for each in listening] == [("127.0.0.1", process.studio.port)]


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.0.1", "example.org", "", "127.0.0.2"])
def test_other_places_to_listen_need_to_be_allowed(command: Command, host: str) -> None:
    done = command("studio", "--no-browser", "--host", host)
    assert done.code == 2 and done.out == ""
    assert len(done.err.splitlines()) == 1 and "--allow-remote" in done.err


def test_a_port_that_is_taken_is_said(command: Command, studio: Studio) -> None:
    done = command("studio", "--no-browser", "--port", studio.port)
    assert done.code == 2 and len(done.err.splitlines()) == 1 and str(studio.port) in done.err
    done = command("studio", "--no-browser", "--port", 99999)
    assert done.code == 2 and len(done.err.splitlines()) == 1


def test_a_folder_that_is_not_there_is_said(command: Command) -> None:
    done = command("studio", "--no-browser", "--project", "nowhere")
    assert done.code == 2 and len(done.err.splitlines()) == 1 and "nowhere" in done.err


@pytest.fixture
def without_serving(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A studio that ends where it would begin to wait for pages; its sockets end with it."""
    made: list[socket.socket] = []

    def remembering(*arguments: int) -> socket.socket:
        made.append(real(*arguments))
        return made[-1]

    real = socket.socket
    monkeypatch.setattr("poise.apps.cli.studio.socket.socket", remembering)
    monkeypatch.setattr("uvicorn.Server.run", lambda *_, **__: None)
    yield
    for each in made:
        each.close()


@pytest.mark.usefixtures("without_serving")
def test_a_clip_that_is_not_there_is_said(command: Command) -> None:
    done = command("studio", "--no-browser", "nothing.bvh")
    assert done.code == 2 and "nothing.bvh" in done.err


@pytest.mark.usefixtures("without_serving")
def test_a_clip_outside_of_the_project_is_said(command: Command, studio: Studio) -> None:
    clip = studio.folder.parent / "outside" / "secret.bvh"
    done = command("studio", "--no-browser", "--project", studio.folder, clip)
    assert done.code == 2 and len(done.err.splitlines()) == 1


def test_every_start_has_a_token_of_its_own() -> None:
    tokens = {Guard("127.0.0.1", 1).token for _ in range(20)}
    assert len(tokens) == 20 and min(map(len, tokens)) >= 32


def test_remote_hosts_need_origin_and_token_too() -> None:
    guard = Guard("0.0.0.0", 8000)
    theirs = {"host": "studio.lan:8000", "origin": "http://studio.lan:8000"}
    assert guard.why_not(theirs, guard.token, needs_origin=True) == ""
    assert guard.why_not(theirs, "wrong", needs_origin=True)
    assert guard.why_not({**theirs, "origin": "http://evil"}, guard.token, needs_origin=True)
    assert guard.why_not({"host": "studio.lan:8000"}, guard.token, needs_origin=True)


# What is remembered from one start to the next lies in the project folder, which may come from
# anyone: an archive, a repository, a share.


def test_port_and_token_are_remembered_for_this_user_alone(tmp_path: Path) -> None:
    guard = Guard("127.0.0.1", 1234)
    remember(tmp_path / "last.json", guard)
    assert remembered(tmp_path / "last.json") == Remembered(1234, guard.token)
    assert (tmp_path / "last.json").stat().st_mode & 0o077 == 0


def kept(file: Path, text: str) -> None:
    """As ours are: nobody else can read it."""
    file.write_text(text, encoding="utf-8")
    file.chmod(0o600)


def test_what_others_could_read_they_cannot_read_any_more(tmp_path: Path) -> None:
    file = tmp_path / "last.json"
    file.write_text("{}")
    file.chmod(0o644)
    remember(file, Guard("127.0.0.1", 1234))
    assert file.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("text", ["", "[]", "{}", "null", '{"port": "x", "token": 1}', "\0"])
def test_a_memory_that_is_none_is_left_alone(tmp_path: Path, text: str) -> None:
    kept(tmp_path / "last.json", text)
    assert remembered(tmp_path / "last.json") == Remembered()


@pytest.mark.parametrize("text", ['{"port": 1e400, "token": "x"}', "[" * 100_000])
def test_a_memory_that_is_odd_is_left_alone(tmp_path: Path, text: str) -> None:
    kept(tmp_path / "last.json", text)
    assert remembered(tmp_path / "last.json") == Remembered()


@pytest.mark.parametrize("token", ["x", "a b", "a#b", "\n", "1234567", "ä" * 32])
def test_a_token_that_we_would_not_make_is_not_taken(tmp_path: Path, token: str) -> None:
    kept(tmp_path / "last.json", json.dumps({"port": 1234, "token": token}))
    assert remembered(tmp_path / "last.json").token == ""
