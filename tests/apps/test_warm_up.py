"""`poise warm-up` compiles what commands need, `poise clean` shows and removes it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

from poise.apps.cli.main import app
from poise.apps.warm_up import JOBS, warm_up

COUNTING = """
import sys
from numba.core import event
from poise.apps.cli.main import main

class Counter(event.Listener):
    count = 0
    def on_start(self, event):
        self.count += 1
    def on_end(self, event):
        pass

counter = Counter()
event.register("numba:compile", counter)
try:
    main()
except SystemExit as left:
    assert left.code in (None, 0, 3), left.code
print("compiled", counter.count)
"""


def poise(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", COUNTING, *arguments], cwd=folder, capture_output=True, text=True,
        env={**os.environ, "NUMBA_CACHE_DIR": str(folder / "kernels")}, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_jobs_are_commands_that_exist() -> None:
    known = get_command(app).commands  # type: ignore[attr-defined]
    for job in JOBS:
        assert {arguments[0] for arguments in job.commands} <= set(known)


def test_what_is_kept_is_listed_and_removed_only_when_told(tmp_path: Path) -> None:
    kernels = tmp_path / "kernels"
    assert "Nothing is kept" in poise(tmp_path, "clean")
    (kernels / "made.nbc").write_bytes(b"0" * 1_000_000)
    (kernels / "mine.txt").write_text("not ours")
    assert f"{kernels}: 1 files of compiled kernels, 1.0 MB" in poise(tmp_path, "clean")
    assert (kernels / "made.nbc").is_file()
    assert "removed" in poise(tmp_path, "clean", "--yes")
    assert [path.name for path in kernels.iterdir()] == ["mine.txt"]


@pytest.mark.slow
def test_after_it_commands_compile_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "kernels"))
    done = warm_up(lambda job, count, of: None)
    assert [job.problem for job in done] == [""] * len(JOBS)
    poise(tmp_path, "sample", "run", "-o", "run.bvh")
    poise(tmp_path, "sample", "jump", "-o", "jump.bvh")
    for arguments in (
        ("measure", "run.bvh"),
        ("render", "run.bvh", "-o", "run.png"),
        ("correct", "run.bvh", "-o", "corrected.bvh", "--report", "corrected.html"),
        ("leap", "jump.bvh", "--higher", "1.05", "-o", "leap.bvh"),
        ("retarget", "run.bvh", "--to", "jump.bvh", "-o", "retargeted.bvh"),
    ):
        assert "compiled 0" in poise(tmp_path, *arguments), arguments
