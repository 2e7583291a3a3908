"""The fault drill: clips that crash, hang, eat memory or are broken; workers and runs killed.

Whatever happens, every good clip is done once, every bad one is listed with its cause, and nothing
half-done is left. Clips cannot really crash a reader that is sound, so a folder on PYTHONPATH puts
one into the workers that does what the name of a clip says.
"""

from __future__ import annotations

import hashlib
import importlib.util
import io
import os
import shutil
import signal
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from tests.apps.batch_runs import (
    BOOKS,
    Row,
    files_below,
    none_left,
    outputs_of,
    poise_batch,
    put_clip,
    put_recipe,
    row_of,
    rows_of,
    stamps_below,
    wait_for,
    walk_text,
)
from tests.formats.corpus import GOOD_AMC, GOOD_ASF

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals as on POSIX systems")

READER = """
import collections, itertools, os, signal, time
from pathlib import Path

import poise.formats.bvh as bvh

real_read, real_write = bvh.read, bvh.write
HERE = Path(os.environ["POISE_DRILL"])


def read(path, *more):
    name = Path(path).stem
    with open(HERE / "begun", "a") as log:
        log.write(f"{name}\\n")
    if name == "crash":
        os.abort()
    if name == "leave":
        os._exit(0)
    if name == "hang":
        while True:
            time.sleep(0.05)
    if name == "hang_in_c":  # as a compiled loop does, with the lock of the interpreter held
        collections.deque(itertools.repeat(0), maxlen=0)
    if name == "eat":
        held = []
        while True:
            held.append(b"x" * 10_000_000)
            time.sleep(0.005)
    if name == "flood":
        for _ in range(300):
            os.write(2, b"x" * 1_000_000)
    if name == "victim" and not (HERE / "victim_died").exists():
        (HERE / "victim_pid").write_text(str(os.getpid()))
        time.sleep(1000)
    if name.startswith("slow"):
        time.sleep(0.3)
    return real_read(path, *more)


def write(path, *more):
    if Path(path).stem == "half":
        Path(path).write_text("HIERARCHY")
        Path(path).with_name(".half.tmp").write_text("HIER")
        os.abort()
    return real_write(path, *more)


bvh.read, bvh.write = read, write
"""

GOOD = (
    "slow_1.bvh", "slow_2.bvh", "walks/slow_3.bvh", "walks/a b.bvh", "walks/é.bvh", "victim.bvh",
    "x.bvh/inner.bvh", "native.npz", "UPPER.BVH", "walks/half_way.bvh",
)  # fmt: skip

POISON = {
    "crash.bvh": ("crashed", "SIGABRT"),
    "leave.bvh": ("crashed", "code 0"),
    "half.bvh": ("crashed", "SIGABRT"),
    "hang.bvh": ("out_of_time", "not done after"),
    "eat.bvh": ("out_of_memory", "MB of memory"),
}


def _packed_text() -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("readme.txt", "no arrays here")
    return content.getvalue()


def _malformed() -> dict[str, tuple[bytes, str]]:
    """Files by name, and a word of what must be said about each."""
    walk = walk_text(20)
    lines = walk.splitlines(keepends=True)
    circle = GOOD_ASF.replace(
        "root thigh spine\n    thigh shin", "root spine\n    thigh shin\n foot thigh"
    )
    return {
        "bad/truncated.bvh": (b"".join(lines[:-4]), "frames"),
        "bad/cut.bvh": (walk[: len(walk) // 4], "expected"),
        "bad/empty.bvh": (b"", "empty"),
        "bad/noise.bvh": (hashlib.shake_256(b"noise").digest(5000), "UTF-8"),
        "bad/header.bvh": (walk.replace(b"HIERARCHY", b"HIERARCHIE", 1), "HIERARCHY"),
        "bad/nan.bvh": (
            b"".join(lines[:-1]) + b" ".join([b"nan", *lines[-1].split()[1:]]) + b"\n",
            "'nan'",
        ),
        "bad/channels.bvh": (b"".join(lines[:-1]) + lines[-1].strip() + b" 1.0\n", "numbers"),
        "bad/lonely/motion.amc": (GOOD_AMC.encode(), ".asf"),
        "bad/circle/motion.amc": (GOOD_AMC.encode(), "hierarchy"),
        "bad/circle/motion.asf": (circle.encode(), ""),
        "bad/packed.npz": (_packed_text(), "npz"),
        "bad/picture.glb": (b"\x89PNG\r\n\x1a\n" + b"\0" * 500, "glTF"),
        "bad/note.gltf": (b'{"asset": {"version": "2.0"}', "JSON"),
    }


@dataclass(frozen=True)
class Drill:
    folder: Path
    library: Path
    recipe: Path
    expected: dict[str, str]
    """Hashes of what a run without any trouble writes for the good clips."""
    bad: dict[str, tuple[str, str]]
    """Ends, and words of the reason, of all others."""
    options: tuple[object, ...]
    """Limits well above what a good clip takes here and now."""

    @property
    def environment(self) -> dict[str, str]:
        reader = os.pathsep.join([str(self.folder / "reader"), os.environ.get("PYTHONPATH", "")])
        return {"PYTHONPATH": reader.rstrip(os.pathsep), "POISE_DRILL": str(self.folder)}


@pytest.fixture(scope="module")
def drill(tmp_path_factory: pytest.TempPathFactory) -> Drill:
    """A library with all that can be wrong, beside what its good clips are to become."""
    folder = tmp_path_factory.mktemp("drill")
    recipe = put_recipe(folder / "recipe.yaml")
    (folder / "reader").mkdir()
    (folder / "reader" / "sitecustomize.py").write_text(READER, encoding="utf-8")
    library = folder / "library"
    for number, name in enumerate(GOOD):
        put_clip(library / name, 20 + number)
    # Also compiles, where nobody has yet, so that the limits need not allow for it.
    calm = poise_batch(library, "--recipe", recipe, "--out", folder / "calm", "-j", 2)
    out, err = calm.communicate()
    assert calm.returncode == 0, out + err
    rows = rows_of(folder / "calm")
    expected = {row["clip"]: row["outputs"]["clip"]["sha256"] for row in rows}
    assert sorted(expected) == sorted(GOOD)
    compiled = [row["seconds"] for row in rows if row["stages_s"]["running"] < 5]
    seconds = max(20.0, 5.0 * max(compiled, default=5.0))
    memory = max(row["peak_mb"] for row in rows) + 250.0
    bad = {name: ("refused", says) for name, (_, says) in _malformed().items() if says} | POISON
    for name, (content, _) in _malformed().items():
        (library / name).parent.mkdir(parents=True, exist_ok=True)
        (library / name).write_bytes(content)
    for name in POISON:
        put_clip(library / name, 30)
    with (library / "hang.bvh").open("ab") as file:
        file.write(b"\n" * 1_000_000)  # the largest comes first: it hangs while others are done
    (library / "gone.bvh").symlink_to("nowhere.bvh")
    os.mkfifo(library / "pipe.bvh")
    bad |= {"gone.bvh": ("refused", "nothing there"), "pipe.bvh": ("refused", "a pipe")}
    options = ("--time-limit", round(seconds), "--memory-limit", round(memory), "-j", 2)
    return Drill(folder, library, recipe, expected, bad, options)


class Witness:
    """Sees what a batch has written down, and that it is not done again."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.rows: dict[str, Row] = {}
        self.stamps: dict[str, tuple[int, int]] = {}

    def look(self) -> None:
        rows = [row for row in rows_of(self.out) if row["clip"] in GOOD]
        assert len({row["clip"] for row in rows}) == len(rows), "a good clip was done twice"
        stamps = stamps_below(self.out)
        for row in rows:
            assert row["status"] == "met", row
            name, output = row["clip"], outputs_of(row)["clip"]
            assert self.rows.setdefault(name, row) == row, f"{name} was done again"
            stamp = stamps[output]
            assert self.stamps.setdefault(output, stamp) == stamp, f"{output} was written again"


def _begun(drill: Drill) -> list[str]:
    path = drill.folder / "begun"
    return path.read_text(encoding="utf-8").split("\n")[:-1] if path.is_file() else []


def _kill_the_victim(drill: Drill) -> None:
    told = drill.folder / "victim_pid"
    pid = int(wait_for(lambda: told.is_file() and told.read_text(), "a worker has the victim"))
    (drill.folder / "victim_died").touch()
    os.kill(pid, signal.SIGKILL)


def _run(drill: Drill, out: Path, *more: object) -> psutil.Popen:
    for left in ("begun", "victim_pid"):
        (drill.folder / left).unlink(missing_ok=True)
    return poise_batch(
        drill.library, "--recipe", drill.recipe, "--out", out, *drill.options, *more,
        environment=drill.environment, cwd=drill.folder,
    )  # fmt: skip


def _killed_when(
    moment: Callable[[], object], why: str, drill: Drill, out: Path, *more: object
) -> None:
    process = _run(drill, out, *more)
    try:
        wait_for(lambda: process.poll() is not None or moment(), why)
        assert process.poll() is None, process.communicate()
    finally:
        process.kill()
        process.communicate()
    none_left(drill.folder)


def _check_the_end(drill: Drill, out: Path, code: int, said: tuple[str, str]) -> None:
    assert code == 3 and "Traceback" not in said[1], said
    rows = rows_of(out)
    names = [row["clip"] for row in rows]
    assert sorted(names) == sorted([*drill.expected, *drill.bad]), "one row for each clip"
    for row in rows:
        name = row["clip"]
        if name in drill.expected:
            assert row["status"] == "met", row
            output = row["outputs"]["clip"]
            written = hashlib.sha256((out / output["file"]).read_bytes()).hexdigest()
            assert written == output["sha256"] == drill.expected[name], name
        else:
            status, says = drill.bad[name]
            assert row["status"] == status and says in row["reason"], (name, row)
            assert "bug" not in row["reason"] and not row.get("outputs"), row
            # What earlier clips left in memory is not this one's fault: it may be tried again.
            attempts = {"crashed": {2}, "out_of_memory": {1, 2}}.get(status, {1})
            assert row["attempts"] in attempts, row
    clips = {file for row in rows for file in outputs_of(row).values()}
    assert len(clips) == len(drill.expected) and files_below(out) == clips | BOOKS
    assert f"{len(names)} clips: " in said[0]


def test_every_good_clip_is_done_once_and_every_bad_one_is_listed(drill: Drill) -> None:
    out = drill.folder / "out"
    (drill.folder / "victim_died").unlink(missing_ok=True)
    witness = Witness(out)

    _killed_when(lambda: _begun(drill), "a clip is begun", drill, out)
    witness.look()
    _killed_when(lambda: len(rows_of(out)) >= 4, "some clips are done", drill, out)
    witness.look()
    assert rows_of(out)
    _killed_when((drill.folder / "victim_pid").is_file, "a worker has the victim", drill, out)
    witness.look()
    before = dict(witness.rows)

    process = _run(drill, out)
    try:
        _kill_the_victim(drill)
        said = process.communicate()
    finally:
        process.kill()
    witness.look()
    none_left(drill.folder)
    _check_the_end(drill, out, process.returncode, said)
    assert row_of(out, "victim.bvh")["attempts"] == 2
    assert before and all(Path(name).stem not in _begun(drill) for name in before)

    again = _run(drill, out)
    said = again.communicate()
    witness.look()
    _check_the_end(drill, out, again.returncode, said)
    assert "0 clips to do" in said[1] and not _begun(drill)


@pytest.mark.slow
def test_clips_that_failed_are_done_once_they_are_mended(drill: Drill, tmp_path: Path) -> None:
    library = tmp_path / "library"
    library.mkdir()
    for name in ("crash.bvh", "bad/empty.bvh", "slow_1.bvh"):
        shutil.copy(drill.library / name, library / Path(name).name)
    other = Drill(drill.folder, library, drill.recipe, {}, {}, drill.options)
    process = _run(other, tmp_path / "out")
    assert (process.communicate(), process.returncode)[1] == 3
    statuses = {row["clip"]: row["status"] for row in rows_of(tmp_path / "out")}
    assert statuses == {"crash.bvh": "crashed", "empty.bvh": "refused", "slow_1.bvh": "met"}
    put_clip(library / "empty.bvh")
    calm = poise_batch(library, "--recipe", drill.recipe, "--out", tmp_path / "out", "--retry")
    said = calm.communicate()
    assert calm.returncode == 0 and "2 clips to do" in said[1] and "1 done already" in said[1], said
    last = {row["clip"]: row["status"] for row in rows_of(tmp_path / "out")}
    assert set(last.values()) == {"met"} and len(last) == 3


def test_a_worker_that_hangs_in_compiled_code_ends_with_its_batch(
    drill: Drill, tmp_path: Path
) -> None:
    put_clip(tmp_path / "library" / "hang_in_c.bvh")
    other = Drill(drill.folder, tmp_path / "library", drill.recipe, {}, {}, drill.options)
    _killed_when(lambda: _begun(drill), "a clip is begun", other, tmp_path / "out")


def test_a_worker_that_hangs_in_compiled_code_is_out_of_time(drill: Drill, tmp_path: Path) -> None:
    put_clip(tmp_path / "library" / "hang_in_c.bvh")
    other = Drill(drill.folder, tmp_path / "library", drill.recipe, {}, {}, drill.options)
    process = _run(other, tmp_path / "out", "--time-limit", 2)
    assert (process.communicate(), process.returncode)[1] == 3
    row = row_of(tmp_path / "out", "hang_in_c.bvh")
    assert row["status"] == "out_of_time" and row["limit"] == 2.0
    none_left(drill.folder)


@pytest.mark.slow
def test_a_worker_that_says_a_lot_does_not_fill_the_memory_of_the_batch(
    drill: Drill, tmp_path: Path
) -> None:
    put_clip(tmp_path / "library" / "flood.bvh")
    other = Drill(drill.folder, tmp_path / "library", drill.recipe, {}, {}, drill.options)
    process = _run(other, tmp_path / "out")
    most, seen = 0, psutil.Process(process.pid)
    while process.poll() is None:
        try:
            most = max(most, seen.memory_info().rss)
        except psutil.Error:
            break
        time.sleep(0.01)
    process.communicate()
    assert row_of(tmp_path / "out", "flood.bvh")["status"] == "met"
    assert most < 400_000_000, f"{most / 1e6:.0f} MB"


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("distributed") is None, reason="Dask is not installed")
def test_it_is_the_same_on_a_dask_cluster(drill: Drill) -> None:
    out = drill.folder / "on_dask"
    (drill.folder / "victim_died").unlink(missing_ok=True)
    witness = Witness(out)
    _killed_when(
        lambda: len(rows_of(out)) >= 3, "some clips are done", drill, out, "--cluster", "local"
    )
    witness.look()
    process = _run(drill, out, "--cluster", "local")
    try:
        _kill_the_victim(drill)
        said = process.communicate()
    finally:
        process.kill()
    witness.look()
    none_left(drill.folder)
    _check_the_end(drill, out, process.returncode, said)
