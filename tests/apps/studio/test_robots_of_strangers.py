"""Every hostile robot through the command line and a running studio, within 10 s and 1 GB each."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from tests.apps.studio.conftest import filled
from tests.apps.studio.running_server import PATIENCE_S, started
from tests.formats import hostile_robots
from tests.formats.hostile_robots import Hostile

pytest.importorskip("mujoco")

MOST_S = 10.0
"""Of processor time, all processes together: other work on the machine does not count."""
MOST_BYTES = 1e9


@dataclass
class Used:
    peak_bytes: int = 0
    cpu_s: float = 0.0


def _now(pid: int) -> tuple[int, float]:
    """Memory of a process and all that it has started, and their processor time so far."""
    resident, seconds = 0, 0.0
    with contextlib.suppress(psutil.Error):
        family = [psutil.Process(pid)]
        family += family[0].children(recursive=True)
        for number, each in enumerate(family):
            with contextlib.suppress(psutil.Error):
                times = each.cpu_times()
                resident += each.memory_info().rss
                seconds += times.user + times.system
                # Of children that are gone, where the system counts them.
                seconds += times.children_user + times.children_system if number == 0 else 0.0
    return resident, seconds


@contextlib.contextmanager
def watched(pid: int) -> Iterator[Used]:
    """What a process and its children use meanwhile."""
    used, over = Used(), threading.Event()
    began = _now(pid)[1]

    def watch() -> None:
        while not over.wait(0.02):
            resident, seconds = _now(pid)
            used.peak_bytes = max(used.peak_bytes, resident)
            used.cpu_s = max(used.cpu_s, seconds - began)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield used
    finally:
        over.set()
        thread.join()


def possible() -> list[Hostile]:
    return [
        item
        for item in hostile_robots.ALL
        if not (item.needs_pipes and not hasattr(os, "mkfifo"))
        and not (item.only_confined and sys.platform == "win32")
    ]


def check(item: Hostile, used: Used, where: str) -> None:
    print(f"{item.name}: {where} {used.cpu_s:.1f} s, {used.peak_bytes / 1e6:.0f} MB")
    assert used.cpu_s < MOST_S, f"{item.name}: {used.cpu_s:.1f} s in the {where}"
    assert used.peak_bytes < MOST_BYTES, f"{item.name}: {used.peak_bytes / 1e6:.0f} MB"


@pytest.mark.slow
def test_the_command_line_refuses_or_reads_every_hostile_robot(tmp_path: Path) -> None:
    for number, item in enumerate(possible()):
        path = item.written(tmp_path / str(number))
        child = subprocess.Popen(
            [sys.executable, "-m", "poise", "inspect", str(path)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8",
        )  # fmt: skip
        with watched(child.pid) as used:
            out, err = child.communicate(timeout=PATIENCE_S)
        check(item, used, "command line")
        if item.loads or item.only_confined:
            assert child.returncode == 0, f"{item.name}: {err}"
            assert item.only_confined or hostile_robots.SECRET not in out, item.name
        else:
            assert child.returncode == 2, f"{item.name}: {child.returncode} {err[-300:]}"
            assert err.startswith("poise: ") and err.count("\n") == 1, f"{item.name}: {err}"
            assert str(path.parent.parent) in err or "/dev/zero" in err, err


@pytest.mark.slow
def test_a_studio_is_alive_after_every_hostile_robot(tmp_path: Path) -> None:
    project = filled(tmp_path)
    server = started(project)
    try:
        with server.studio.page() as page:
            page.open("open_file", path="short.bvh")
            for number, item in enumerate(possible()):
                path = item.written(tmp_path, f"robots{number}")
                onto = path.relative_to(project).as_posix()
                recipe = {
                    "poise": 1,
                    "clip": {"file": "short.bvh"},
                    "character": {"to": onto},
                    "steps": [{"retarget": {}}],
                }
                with watched(server.child.pid) as used:
                    began = time.monotonic()
                    heard = page.edit(recipe)
                assert time.monotonic() - began < PATIENCE_S
                check(item, used, "studio")
                # Those that load are no body for a walk.
                where = {place for place, _ in heard.problem_lines()}
                assert where == {"character.to"}, f"{item.name}: {heard.problem_lines()}"
                assert server.child.poll() is None, item.name
                assert server.studio.request("GET", "/").code in (200, 404), item.name
        with server.studio.page() as page:
            assert not page.open("open_file", path="short.bvh").problem_lines()
    finally:
        server.stop()
