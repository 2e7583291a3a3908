"""Small libraries, and batches over them: in this process where that is enough, else as a user."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import psutil

import poise
from poise.apps.batch.library import find_clips
from poise.apps.batch.order import order_from
from poise.apps.batch.plan import Plan
from poise.apps.batch.run import Batch, Summary
from poise.execution import Limits, Threads
from poise.samples import walking

RECIPE = """\
poise: 1
steps:
  - deform:
      constraints:
        - hold_point:
            name: hand
            point: left_wrist
            frames: [5, 12]
            ease: 3
            place_m: [0.02, 0.03, 0.0]
            mode: offset
"""
"""Milliseconds a clip once it is compiled."""

Row = dict[str, Any]

BOOKS = {"results.jsonl", "results.csv", "library.html", ".poise/batch/lock", ".poise/batch/marker"}
"""What a batch keeps beside the files of clips."""


@lru_cache
def walk_text(frames: int) -> bytes:
    """A walk as BVH."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "walk.bvh"
        poise.save(walking((frames - 1) / 30.0, 30.0).clip, path)
        return path.read_bytes()


def put_clip(path: Path, frames: int = 20) -> Path:
    """A short walk, in the format of the extension."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix.lower() == ".bvh":
        path.write_bytes(walk_text(frames))
    else:
        poise.save(walking((frames - 1) / 30.0, 30.0).clip, path)
    return path


def put_clips(folder: Path, *names: str) -> Path:
    """Several, of different lengths; what they are in is given back."""
    for number, name in enumerate(names):
        put_clip(folder / name, 20 + number % 8)
    return folder


def put_recipe(path: Path, more: str = "") -> Path:
    path.write_text(RECIPE + more, encoding="utf-8")
    return path


@dataclass(frozen=True)
class Ran:
    """One run of a batch."""

    rows: list[Row]
    """Of the clips that were done in it."""
    plan: Plan
    summary: Summary

    @property
    def names(self) -> list[str]:
        """Of the clips that were done in it."""
        return sorted(row["clip"] for row in self.rows)


def run_here(
    source: Path,
    out: Path,
    recipe: Path,
    *,
    only: Sequence[str] = (),
    limits: Limits | None = None,
    retry: bool = False,
    animation: str | None = None,
    **order: Any,
) -> Ran:
    """A batch in this process: nothing is protected from anything, but it is quick."""
    found = find_clips(source, only=only, leave_out=(out,), reader=Threads(1), animation=animation)
    told = order_from(recipe, **order)
    with Batch(found, told, out, limits or Limits(), Threads(1), retry=retry) as batch:
        rows = list(batch.run(Threads(1))) if batch.plan.tasks else []
        return Ran(rows, batch.plan, batch.summary())


def rows_of(out: Path) -> list[Row]:
    """All whole lines of the results."""
    path = out / "results.jsonl"
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]


def row_of(out: Path, clip: str) -> Row:
    """The one row of a clip."""
    (row,) = [row for row in rows_of(out) if row["clip"] == clip]
    return row


def outputs_of(row: Row) -> dict[str, str]:
    return {key: each["file"] for key, each in (row.get("outputs") or {}).items()}


def files_below(folder: Path) -> set[str]:
    """All that is there but folders, hidden or not."""
    return {
        (Path(here) / name).relative_to(folder).as_posix()
        for here, _, names in os.walk(folder)
        for name in names
    }


def content_below(folder: Path) -> dict[str, bytes]:
    """Of the files of clips."""
    return {name: (folder / name).read_bytes() for name in sorted(files_below(folder) - BOOKS)}


def stamps_below(folder: Path) -> dict[str, tuple[int, int]]:
    """When files were written, and which they are."""
    found = {name: (folder / name).lstat() for name in sorted(files_below(folder))}
    return {name: (status.st_mtime_ns, status.st_ino) for name, status in found.items()}


def poise_batch(
    *arguments: object, environment: dict[str, str] | None = None, **more: Any
) -> subprocess.Popen[str]:
    """`poise batch` as a process."""
    code = "from poise.apps.cli.main import main; main()"
    return subprocess.Popen(
        [sys.executable, "-c", code, "batch", *map(str, arguments)],
        env={**os.environ, **(environment or {})},
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **more},
    )


def wait_for(what: Callable[[], Any], why: str, seconds: float = 120.0) -> Any:
    """Until it is true; a machine may be slow, but not for ever."""
    deadline = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < deadline, f"waited in vain: {why}"
        time.sleep(0.02)
    return found


def processes_in(folder: Path) -> Iterator[psutil.Process]:
    """Those that live and were started in a folder, which workers are where their batch was."""
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            alive = process.status() != psutil.STATUS_ZOMBIE
            if alive and process.pid != os.getpid() and Path(process.cwd()) == folder:
                yield process


def none_left(folder: Path) -> None:
    """Check that all of them end by themselves; otherwise say which, and end them."""
    deadline = time.monotonic() + 120.0
    while (left := list(processes_in(folder))) and time.monotonic() < deadline:
        time.sleep(0.05)
    said = [" ".join(process.cmdline()[-3:]) for process in left]
    for process in left:
        with contextlib.suppress(psutil.Error):
            process.kill()
    assert not left, f"still there: {said}"
