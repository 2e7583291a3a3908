"""What nobody should accept gives one clear FileProblem, whatever it is."""

from __future__ import annotations

import gc
import math
import os
import threading
import time
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from poise.errors import FileProblem
from poise.formats import amc_read, asf, bvh
from poise.formats.disk import MAX_FILE_BYTES, atomic_write, read_bytes
from poise.formats.parsed import clip_from
from tests.formats import corpus
from tests.formats.corpus import AMC, ASF, BVH, GOOD_AMC, GOOD_ASF, GOOD_BVH, Hostile

FAST = settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def _refused(read, path: Path, item: Hostile) -> None:
    with pytest.raises(FileProblem) as caught:
        read(path)
    problem = caught.value
    assert problem.path == path
    assert problem.expected
    assert item.says in str(problem), str(problem)
    if item.line is not None:
        assert problem.line == item.line, str(problem)
    assert "\n" not in str(problem)
    assert len(str(problem)) < 600


@pytest.mark.parametrize("item", BVH, ids=lambda item: item.name)
def test_hostile_bvh_is_refused_with_file_line_and_expectation(tmp_path: Path, item: Hostile):
    path = tmp_path / "x.bvh"
    path.write_bytes(item.content)
    _refused(bvh.read, path, item)


@pytest.mark.parametrize("item", ASF, ids=lambda item: item.name)
def test_hostile_asf_is_refused_with_file_line_and_expectation(tmp_path: Path, item: Hostile):
    path = tmp_path / "x.asf"
    path.write_bytes(item.content)
    _refused(asf.read_character, path, item)


@pytest.mark.parametrize("item", AMC, ids=lambda item: item.name)
def test_hostile_amc_is_refused_with_file_line_and_expectation(tmp_path: Path, item: Hostile):
    (tmp_path / "x.asf").write_text(GOOD_ASF, encoding="utf-8")
    path = tmp_path / "x.amc"
    path.write_bytes(item.content)
    _refused(amc_read.read, path, item)


def test_hostile_skeletons_are_refused_as_characters_too(tmp_path: Path):
    path = tmp_path / "x.bvh"
    for item in BVH:
        if item.line is not None and item.line < 24 and item.name != "no channel at all":
            path.write_bytes(item.content)
            _refused(bvh.read_character, path, item)


def test_bvh_cut_after_any_word_is_refused(tmp_path: Path):
    path = tmp_path / "cut.bvh"
    pieces = corpus.cut_after_every_word(GOOD_BVH)
    assert len(pieces) > 80
    for piece in pieces:
        path.write_bytes(piece.encode())
        with pytest.raises(FileProblem) as caught:
            bvh.read(path)
        assert caught.value.line is not None
        assert caught.value.line <= piece.count("\n") + 1


def test_asf_cut_after_any_word_is_refused(tmp_path: Path):
    path = tmp_path / "cut.asf"
    for piece in corpus.cut_after_every_word(GOOD_ASF):
        path.write_bytes(piece.encode())
        with pytest.raises(FileProblem):
            asf.read_character(path)


def test_amc_cut_after_any_word_is_refused_unless_a_frame_is_whole(tmp_path: Path):
    (tmp_path / "cut.asf").write_text(GOOD_ASF, encoding="utf-8")
    path = tmp_path / "cut.amc"
    whole = [GOOD_AMC[: GOOD_AMC.index("\n2\n")]]
    for piece in corpus.cut_after_every_word(GOOD_AMC):
        path.write_bytes(piece.encode())
        if piece in whole:
            assert len(amc_read.read(path).rotations_wxyz) == 1
            continue
        with pytest.raises(FileProblem):
            amc_read.read(path)


@pytest.mark.parametrize("read", [bvh.read, bvh.read_character, asf.read_character, amc_read.read])
def test_what_is_no_file_is_refused(tmp_path: Path, read):
    with pytest.raises(FileProblem, match="directory"):
        read(tmp_path)
    with pytest.raises(FileProblem, match="nothing there"):
        read(tmp_path / "missing.bvh")
    with pytest.raises(FileProblem):
        read(tmp_path / "a\0b.bvh")
    with pytest.raises(FileProblem):
        read(tmp_path / ("long" * 2000))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_or_device_does_not_hang(tmp_path: Path):
    pipe = tmp_path / "pipe.bvh"
    os.mkfifo(pipe)
    said: list[str] = []

    def ask() -> None:
        for act in (bvh.read, lambda path: atomic_write(path, b"x")):
            with pytest.raises(FileProblem, match="a pipe"):
                act(pipe)
        if Path("/dev/zero").exists():
            with pytest.raises(FileProblem, match="a device"):
                bvh.read(Path("/dev/zero"))
        said.append("all")

    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(240.0)
    assert said == ["all"]


@pytest.mark.skipif(
    os.name != "posix" or os.geteuid() == 0, reason="root may read everything (or no POSIX modes)"
)
def test_a_file_without_permission_is_refused(tmp_path: Path):
    path = tmp_path / "secret.bvh"
    path.write_text(GOOD_BVH, encoding="utf-8")
    path.chmod(0)
    with pytest.raises(FileProblem, match="permission"):
        bvh.read(path)


def test_a_denied_permission_is_told_as_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "secret.bvh"
    path.write_text(GOOD_BVH, encoding="utf-8")

    def denied(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", denied)
    with pytest.raises(FileProblem, match="permission to read"):
        bvh.read(path)


def test_a_file_beyond_the_bound_is_refused_without_reading_it(tmp_path: Path):
    path = tmp_path / "huge.bvh"
    with path.open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)  # sparse where the disk knows how
    tracemalloc.start()
    with pytest.raises(FileProblem, match="256 MiB"):
        bvh.read(path)
    assert tracemalloc.get_traced_memory()[1] < 2**20
    tracemalloc.stop()
    small = tmp_path / "small"
    small.write_bytes(b"12345")
    assert read_bytes(small, max_bytes=5) == b"12345"
    with pytest.raises(FileProblem):
        read_bytes(small, max_bytes=4)


def test_declared_sizes_allocate_nothing(tmp_path: Path):
    path = tmp_path / "x.bvh"
    path.write_text(GOOD_BVH.replace("Frames: 2", f"Frames: {10**12}"), encoding="utf-8")
    tracemalloc.start()
    with pytest.raises(FileProblem):
        bvh.read(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * 2**20


def test_refusals_are_quick(tmp_path: Path):
    path = tmp_path / "x.bvh"
    path.write_text(many_frames(20_000), encoding="utf-8")
    bvh.read(path)
    peer_s = _least_s(lambda: bvh.read(path))
    largest = path.stat().st_size
    for item in BVH:
        path.write_bytes(item.content)
        # As a good file of that size, or of a twentieth of a long one, with a lot to spare.
        most_s = 20.0 * max(0.05, len(item.content) / largest) * peer_s
        assert _least_s(partial(_refused, bvh.read, path, item), most_s) < most_s, item.name


def test_work_is_timed_and_waiting_is_not():
    assert _least_s(lambda: time.sleep(0.05)) < 0.05
    assert _least_s(lambda: sum(range(5 * 10**6))) > 0.0


def _least_s(act: Callable[[], object], enough: float = 0.0, tries: int = 5) -> float:
    """Processor time of one call, the least of a few, or the first that is short enough.

    A few milliseconds of ours may have the interpreter's collection of what all tests before have
    left behind in them, or a processor that others have emptied of our memory, but not every time.
    """
    least = math.inf
    was_on = gc.isenabled()
    gc.disable()
    try:
        for _ in range(tries):
            start = time.thread_time()
            act()
            least = min(least, time.thread_time() - start)
            if least < enough:
                break
    finally:
        if was_on:
            gc.enable()
    return least


def many_frames(count: int) -> str:
    """The good file, longer."""
    head, last = GOOD_BVH.rstrip().rsplit("\n", 1)
    return head.replace("Frames: 2", f"Frames: {count + 1}") + f"\n{last}" * count + "\n"


def _loads_or_is_refused(read, path: Path, format_name: str) -> None:
    try:
        parsed = read(path)
    except FileProblem:
        return
    clip_from(parsed, path, format_name)


@st.composite
def _mutated(draw: st.DrawFn, good: str) -> bytes:
    """A good file with some bytes changed, runs removed, repeated, or words swapped in."""
    data = bytearray(good.encode())
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(data)))
        kind = draw(st.sampled_from(("flip", "cut", "repeat", "insert")))
        if kind == "flip" and at < len(data):
            data[at] = draw(st.integers(0, 255))
        elif kind == "cut":
            del data[at : at + draw(st.integers(1, 40))]
        elif kind == "repeat":
            data[at:at] = data[at : at + draw(st.integers(1, 60))]
        else:
            data[at:at] = draw(st.sampled_from(_WORDS))
    return bytes(data)


_WORDS = (
    b"{", b"}", b" ", b"\n", b"\r", b"#", b"//", b"-", b".", b"e9", b"nan", b" 1e308 ", b"\0",
    b"JOINT x\n", b"CHANNELS 6 ", b"End Site {", b"\xff", b"9" * 30, b":root\n", b"begin\n",
    b"end\n", b" inf ", b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"dof l tx\n", b"3\n",
    b"limits (-inf inf)\n",
)  # fmt: skip


@FAST
@given(data=_mutated(GOOD_BVH))
@example(data=GOOD_BVH.replace("8.0", "1e9").encode())
def test_mutated_bvh_loads_or_is_refused(tmp_path: Path, data: bytes):
    path = tmp_path / "m.bvh"
    path.write_bytes(data)
    _loads_or_is_refused(bvh.read, path, "bvh")


@FAST
@given(data=_mutated(GOOD_ASF))
def test_mutated_asf_loads_or_is_refused(tmp_path: Path, data: bytes):
    path = tmp_path / "m.asf"
    path.write_bytes(data)
    with suppress(FileProblem):
        asf.read_character(path)
    (tmp_path / "m.amc").write_text(GOOD_AMC, encoding="utf-8")
    _loads_or_is_refused(amc_read.read, tmp_path / "m.amc", "amc")


@FAST
@given(data=_mutated(GOOD_AMC))
def test_mutated_amc_loads_or_is_refused(tmp_path: Path, data: bytes):
    (tmp_path / "m.asf").write_text(GOOD_ASF, encoding="utf-8")
    path = tmp_path / "m.amc"
    path.write_bytes(data)
    _loads_or_is_refused(amc_read.read, path, "amc")


@FAST
@given(data=st.binary(max_size=400))
def test_random_bytes_are_refused(tmp_path: Path, data: bytes):
    path = tmp_path / "r.bvh"
    path.write_bytes(data)
    for read in (bvh.read, asf.read_character):
        with pytest.raises(FileProblem):
            read(path)
