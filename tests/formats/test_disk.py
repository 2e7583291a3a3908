"""Files that are not what they were when we looked."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from poise.errors import FileProblem
from poise.formats import content_hash, read_bytes

posix = pytest.mark.skipif(os.name == "nt", reason="pipes as on POSIX systems")


def test_a_hash_is_that_of_the_content(tmp_path: Path) -> None:
    content = bytes(range(256)) * 9000
    (tmp_path / "a").write_bytes(content)
    assert content_hash(tmp_path / "a") == hashlib.sha256(content).hexdigest()
    assert read_bytes(tmp_path / "a") == content


@pytest.mark.parametrize("read", [read_bytes, content_hash])
def test_a_file_that_grows_while_it_is_read_is_read_no_further_than_its_bound(
    read: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "log.bvh"
    path.write_bytes(b"x" * 100)
    before = os.stat(path)
    with path.open("ab") as file:
        file.truncate(1 << 24)
    monkeypatch.setattr(os, "fstat", lambda _: before)
    with pytest.raises(FileProblem, match="expected at most 1 MiB, found 2 MiB"):
        read(path, max_bytes=2**20)  # type: ignore[operator]


@posix
@pytest.mark.parametrize("read", [read_bytes, content_hash])
def test_a_pipe_that_takes_the_place_of_a_file_is_not_waited_for(
    read: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.bvh"
    path.write_bytes(b"x")
    before = path.stat()
    path.unlink()
    os.mkfifo(path)
    monkeypatch.setattr(Path, "stat", lambda *_, **__: before)
    with pytest.raises(FileProblem, match="found a pipe"):
        read(path)  # type: ignore[operator]
