"""Ctrl-C ends whatever a command does within seconds, and leaves no process behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

import poise
from poise.samples import walking
from tests.apps.batch_runs import none_left, put_clip, put_recipe, rows_of, wait_for

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals as on POSIX systems")
ROOT = Path(__file__).resolve().parents[2]
PROMISED_S = 5.0
BATCH = ("batch", "library", "--recipe", "r.yaml", "--out", "out", "-j", "2")


def interrupted(
    folder: Path, arguments: tuple[str, ...], is_at_work: Callable[[psutil.Process], bool]
) -> None:
    """Press Ctrl-C once a command is at work, as a terminal does: all of its group hear it."""
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "poise", *arguments], cwd=folder, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        wait_for(lambda: is_at_work(psutil.Process(process.pid)), "it is at work", 240.0)
        began = time.monotonic()
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=240)
        seconds = time.monotonic() - began
    finally:
        process.kill()
    # Interrupted inside of `exec`, Python ends as if it had not handled it: the same to a shell.
    assert process.returncode in (130, -signal.SIGINT) and "Traceback" not in said, said
    none_left(folder)
    assert seconds < PROMISED_S


@pytest.mark.slow
@pytest.mark.parametrize("more", [(), ("--cluster", "local")], ids=["batch", "cluster"])
def test_ctrl_c_ends_a_batch_within_seconds(tmp_path: Path, more: tuple[str, ...]) -> None:
    if more:
        pytest.importorskip("distributed", reason="Dask is not installed: pip install '.[cluster]'")
    put_recipe(tmp_path / "r.yaml")
    for number in range(200):
        put_clip(tmp_path / "library" / f"{number}.bvh")
    interrupted(tmp_path, (*BATCH, *more), lambda _: bool(rows_of(tmp_path / "out")))
    assert len(rows_of(tmp_path / "out")) < 200


@pytest.mark.slow
def test_ctrl_c_ends_a_correction_within_seconds(tmp_path: Path) -> None:
    poise.save(walking(60.0, 120.0).clip, tmp_path / "long.bvh")
    for seconds in (2.0, 5.0, 8.0):
        interrupted(
            tmp_path, ("correct", "long.bvh", "-o", "out.bvh"),
            lambda process, least=seconds: process.cpu_times().user > least,
        )  # fmt: skip
        assert not (tmp_path / "out.bvh").exists()


def test_what_the_tests_start_can_be_interrupted_even_if_they_cannot() -> None:
    """As when a shell has started them in the background."""
    child = "import signal; print(signal.getsignal(signal.SIGINT) == signal.SIG_IGN)"
    code = f"""
import signal, subprocess, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
subprocess.run([sys.executable, "-c", {child!r}], check=True)
import tests.conftest
subprocess.run([sys.executable, "-c", {child!r}], check=True)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=ROOT,
    )  # fmt: skip
    assert done.stdout == "True\nFalse\n"
