"""Files dropped on the page: what is kept, what is refused, and what is left of it then."""

from __future__ import annotations

import contextlib
import io
import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest

import poise
from poise.apps.studio.history import FILE
from poise.formats import find_skeleton
from poise.samples import walk
from tests.apps.studio.running_server import PATIENCE_S, Studio, files_below
from tests.shared_data import MOCAP, needs_mocap

LIMIT = 300_000


@pytest.fixture(scope="module")
def bvh(studio: Studio) -> bytes:
    return (studio.folder / "short.bvh").read_bytes()


@pytest.fixture
def low_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("poise.apps.studio.receiving.MOST_UPLOAD_BYTES", LIMIT)


@pytest.fixture
def nothing_left(studio: Studio) -> Iterator[None]:
    before = files_below(studio.folder.parent)
    yield
    assert files_below(studio.folder.parent) == before


def kept(studio: Studio, document: str) -> list[str]:
    folder = studio.folder / ".poise" / "studio" / document
    return sorted(path.name for path in folder.iterdir() if path.name != FILE)


def document_of(body: bytes) -> str:
    return json.loads(body)["document"]


def test_an_upload_becomes_a_document(studio: Studio, bvh: bytes) -> None:
    answer = studio.upload("dance.bvh", bvh)
    assert answer.code == 200
    document = document_of(answer.body)
    assert kept(studio, document) == ["dance.bvh"]
    with studio.page() as page:
        heard = page.open("open_document", id=document)
    assert heard.state.name == "dance.bvh" and heard.state.frames == 31
    assert heard.problem_lines() == [] and heard.all("motion", which="before")


@pytest.mark.parametrize("form", ["npz", "glb"])
def test_other_formats_are_taken_too(studio: Studio, tmp_path: Path, form: str) -> None:
    poise.save(walk(0.5, 30.0), tmp_path / f"a.{form}")
    answer = studio.upload(f"a.{form}", (tmp_path / f"a.{form}").read_bytes())
    assert answer.code == 200, answer.body


@pytest.mark.parametrize(
    ("name", "bare"),
    [
        ("../../evil.bvh", "evil.bvh"), ("/etc/evil.bvh", "evil.bvh"),
        ("..\\..\\evil.bvh", "evil.bvh"), ("C:\\Users\\me\\evil.bvh", "evil.bvh"),
        ("a/b/c.BVH", "c.BVH"), ("~/evil.bvh", "evil.bvh"), ("schön 走.bvh", "schön 走.bvh"),
        ("a b&c=d?.bvh", "a b&c=d?.bvh"), ("%2e%2e%2fevil.bvh", "%2e%2e%2fevil.bvh"),
    ],
)  # fmt: skip
def test_only_the_last_part_of_a_name_counts(
    studio: Studio, bvh: bytes, name: str, bare: str
) -> None:
    outside = files_below(studio.folder.parent / "outside")
    answer = studio.upload(name, bvh)
    assert answer.code == 200, answer.body
    assert kept(studio, document_of(answer.body)) == [bare]
    assert files_below(studio.folder.parent / "outside") == outside
    assert {path.name for path in studio.folder.iterdir()} >= {"short.bvh", ".poise"}


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "/", "a/", ".bvh", "../.bvh", "evil", "evil.txt", "evil.yaml", "evil.html",
     "evil.bvh.exe", "document.json", "evil.bvh ", "evil.xml",
     "evil.obj"],
)  # fmt: skip
def test_what_is_no_clip_by_its_name_is_refused(studio: Studio, bvh: bytes, name: str) -> None:
    answer = studio.upload(name, bvh)
    assert answer.code == 422 and ".bvh" in answer.problem, answer.body


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize("name", ["a\0.bvh", "a" * 300 + ".bvh", "走" * 100 + ".bvh"])
def test_names_that_no_disk_takes_are_refused(studio: Studio, bvh: bytes, name: str) -> None:
    assert studio.upload(name, bvh).code == 422


def test_a_line_break_in_a_name_does_not_reach_the_headers(studio: Studio, bvh: bytes) -> None:
    answer = studio.upload("a\r\nset-cookie: b=c\r\n.bvh", bvh)
    if answer.code == 200:
        document = document_of(answer.body)
        with studio.page() as page:
            page.open("open_document", id=document)
        found = studio.export(document, "bvh")
        assert found.code == 200 and "set-cookie" not in found.headers
    else:
        assert answer.code == 422


@pytest.mark.usefixtures("nothing_left")
def test_an_upload_without_a_name_is_refused(studio: Studio, bvh: bytes) -> None:
    assert studio.request("POST", "/upload", bvh).code == 422


@pytest.mark.usefixtures("low_limit", "nothing_left")
def test_what_says_that_it_is_too_long_is_refused(studio: Studio) -> None:
    answer = studio.upload("a.bvh", b" " * (LIMIT + 1))
    assert answer.code == 413 and "MB" in answer.problem


@pytest.mark.usefixtures("low_limit", "nothing_left")
def test_what_is_too_long_without_saying_so_is_refused(studio: Studio) -> None:
    parts = (b" " * 50_000 for _ in range(8))
    answer = studio.upload("a.bvh", parts, {"transfer-encoding": "chunked"}, chunked=True)
    assert answer.code == 413


def test_what_is_just_short_enough_is_taken(
    studio: Studio, bvh: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("poise.apps.studio.receiving.MOST_UPLOAD_BYTES", len(bvh))
    assert studio.upload("a.bvh", bvh).code == 200
    parts = (bvh[at : at + 5_000] for at in range(0, len(bvh), 5_000))
    headers = {"transfer-encoding": "chunked"}
    assert studio.upload("a.bvh", parts, headers, chunked=True).code == 200


def test_blank_lines_at_the_end_do_not_matter(studio: Studio, bvh: bytes) -> None:
    assert studio.upload("a.bvh", bvh + b"\n" * 100_000).code == 200


def noise(count: int) -> bytes:
    return np.random.default_rng(12345).bytes(count)


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize("form", ["bvh", "npz", "glb", "gltf"])
@pytest.mark.parametrize("data", [b"", b"\0" * 100, noise(10_000), b"HIERARCHY\nROOT"])
def test_what_is_no_clip_is_refused_in_words(studio: Studio, form: str, data: bytes) -> None:
    answer = studio.upload(f"mine.{form}", data)
    assert answer.code == 422, answer.body
    assert f"mine.{form}" in answer.problem
    assert str(studio.folder) not in answer.problem and ".poise" not in answer.problem


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize("share", [0.05, 0.3, 0.9])
def test_a_clip_that_was_cut_off_is_refused(studio: Studio, bvh: bytes, share: float) -> None:
    answer = studio.upload("mine.bvh", bvh[: int(share * len(bvh))])
    assert answer.code == 422 and "mine.bvh" in answer.problem
    assert str(studio.folder) not in answer.problem and "\n" not in answer.problem


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize("share", [0.3, 0.9])
@pytest.mark.parametrize("form", ["npz", "glb"])
def test_bytes_that_were_cut_off_are_refused(
    studio: Studio, tmp_path: Path, form: str, share: float
) -> None:
    poise.save(walk(0.5, 30.0), tmp_path / f"a.{form}")
    data = (tmp_path / f"a.{form}").read_bytes()
    answer = studio.upload(f"mine.{form}", data[: int(share * len(data))])
    assert answer.code == 422 and str(studio.folder) not in answer.problem, answer.body


@pytest.mark.usefixtures("nothing_left")
def test_an_amc_without_its_skeleton_is_refused_without_our_folders(studio: Studio) -> None:
    answer = studio.upload("walk.amc", b":FULLY-SPECIFIED\n:DEGREES\n1\nroot 0 0 0 0 0 0\n")
    assert answer.code == 422
    assert str(studio.folder) not in answer.problem and ".poise" not in answer.problem


@pytest.mark.usefixtures("nothing_left")
def test_a_gltf_that_names_other_files_gets_none(studio: Studio) -> None:
    secret = "../../../../outside/secret.bvh"
    named = {"asset": {"version": "2.0"}, "buffers": [{"uri": secret, "byteLength": 10}]}
    answer = studio.upload("a.gltf", json.dumps(named).encode())
    assert answer.code == 422 and str(studio.folder) not in answer.problem


@pytest.mark.usefixtures("nothing_left")
def test_an_npz_with_objects_in_it_is_refused(studio: Studio) -> None:
    data = io.BytesIO()
    np.savez(data, joint_names=np.array([{"a": 1}], dtype=object))
    answer = studio.upload("a.npz", data.getvalue())
    assert answer.code == 422


@pytest.mark.usefixtures("nothing_left")
def test_a_very_deep_skeleton_is_refused(studio: Studio) -> None:
    text = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n" + "JOINT a\n{\nOFFSET 0 0 0\n" * 20_000
    answer = studio.upload("a.bvh", text.encode())
    assert answer.code == 422, answer.body


def test_a_clip_whose_body_is_not_recognised_can_still_be_opened(studio: Studio) -> None:
    text = (
        "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\n"
        "JOINT b\n{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
        "End Site\n{\nOFFSET 0 1 0\n}\n}\n}\nMOTION\nFrames: 2\nFrame Time: 0.03\n"
        "0 0 0 0 0 0\n0 0 0 1 1 1\n"
    )
    answer = studio.upload("stick.bvh", text.encode())
    assert answer.code == 200, answer.body
    with studio.page() as page:
        page.send("open_document", id=document_of(answer.body))
        heard = page.until("document_state")
    assert heard.problem_lines() and "bug" not in str(heard.problem_lines()).lower()
    assert str(studio.folder) not in str(heard.problem_lines())
    assert heard.state.frames == 0


def sent(studio: Studio, files: dict[str, bytes], **others: str) -> Any:
    asked = [("name", name) for name in files] + [("bytes", len(each)) for each in files.values()]
    words = urlencode([*asked, *others.items()])
    return studio.request("POST", f"/upload?{words}", b"".join(files.values()))


@needs_mocap
def test_an_amc_comes_with_its_skeleton(studio: Studio) -> None:
    motion = min((MOCAP / "cmu_asfamc").rglob("*.amc"), key=lambda path: path.stat().st_size)
    skeleton = find_skeleton(motion)
    files = {motion.name: motion.read_bytes(), skeleton.name: skeleton.read_bytes()}
    answer = sent(studio, files)
    assert answer.code == 200, answer.body
    with studio.page() as page:
        heard = page.open("open_document", id=document_of(answer.body))
        assert heard.state.frames > 10 and heard.problem_lines() == []


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize("sizes", [[], [1], [1, 2, 3], [-1, 5], [10**30, 0], ["x", "y"]])
def test_sizes_that_do_not_add_up_are_refused(studio: Studio, sizes: list[Any]) -> None:
    words = urlencode([("name", "a.amc"), ("name", "a.asf"), *(("bytes", s) for s in sizes)])
    assert studio.request("POST", f"/upload?{words}", b"abcd").code == 422


@pytest.mark.usefixtures("nothing_left")
def test_what_does_not_belong_to_a_clip_is_refused(studio: Studio, bvh: bytes) -> None:
    answer = sent(studio, {"a.bvh": bvh, "b.exe": b"x"})
    assert answer.code == 422 and ".asf" in answer.problem


def test_a_place_is_put_beside_its_document(studio: Studio, bvh: bytes) -> None:
    document = document_of(studio.upload("a.bvh", bvh).body)
    mesh = b"v 0 0 0\nv 1 0 0\nv 0 0 1\nv 0 1 0\nf 1 2 3\nf 1 2 4\n"
    first, second = (sent(studio, {"../stage.obj": mesh}, into=document) for _ in range(2))
    (path,), (other,) = json.loads(first.body)["paths"], json.loads(second.body)["paths"]
    assert path != other and (studio.folder / path).read_bytes() == mesh
    with studio.page() as page:
        heard = page.open("open_document", id=document)
        heard = page.edit({**heard.state.recipe, "environment": path}, "stage")
        assert heard.problem_lines() == [] and heard.state.recipe["environment"] == path


@pytest.mark.parametrize("into", ["nothing", "../..", "%2e%2e"])
def test_files_for_a_document_that_there_is_not_are_refused(studio: Studio, into: str) -> None:
    assert sent(studio, {"a.obj": b""}, into=into).code == 422


@pytest.mark.parametrize("name", ["a.exe", "document.json", ".obj", "a.html"])
def test_files_that_nothing_reads_are_not_kept(studio: Studio, bvh: bytes, name: str) -> None:
    document = document_of(studio.upload("a.bvh", bvh).body)
    before = kept(studio, document)
    assert sent(studio, {name: b"x"}, into=document).code == 422
    assert kept(studio, document) == before


def test_two_uploads_of_one_name_are_two_documents(studio: Studio, bvh: bytes) -> None:
    ids = {document_of(studio.upload("same.bvh", bvh).body) for _ in range(2)}
    assert len(ids) == 2


# Slow ones.


def trickle(studio: Studio, said_bytes: int) -> socket.socket:
    """An upload that has begun, and has sent five bytes."""
    made = socket.create_connection(("127.0.0.1", studio.port), PATIENCE_S)
    made.sendall(
        f"POST /upload?name=a.bvh HTTP/1.1\r\nhost: {studio.host}\r\norigin: {studio.origin}\r\n"
        f"x-poise-token: {studio.token}\r\ncontent-length: {said_bytes}\r\n\r\nHIERA".encode()
    )
    return made


@pytest.mark.usefixtures("nothing_left")
def test_an_upload_that_stops_is_ended_and_the_next_one_is_taken(
    studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("poise.apps.studio.receiving.SILENCE_S", 0.3)
    with trickle(studio, 1000) as slow:
        said = slow.makefile("rb").read()  # until the server closes it
        assert b" 408 " in said.splitlines()[0] and b"too slow: 5 bytes" in said
    assert studio.upload("a.txt", b"x").code == 422  # the turn of others has come


@pytest.mark.usefixtures("nothing_left")
def test_an_upload_that_trickles_is_ended(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("poise.apps.studio.receiving.START_S", 0.5)
    with trickle(studio, 10_000_000) as slow:
        slow.settimeout(0.05)
        said = b""
        while not said:  # something comes all the time
            slow.sendall(b"x")
            with contextlib.suppress(TimeoutError):
                said = slow.recv(10_000)
        assert b" 408 " in said.splitlines()[0]


@pytest.mark.usefixtures("nothing_left")
def test_who_waits_too_long_for_another_upload_is_told(
    studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("poise.apps.studio.receiving.TURN_S", 0.3)
    with trickle(studio, 1000):
        answer = studio.upload("a.txt", b"x")
        while answer.code == 422:  # the other one has not begun yet
            answer = studio.upload("a.txt", b"x")
        assert answer.code == 503 and "Another upload" in answer.problem
