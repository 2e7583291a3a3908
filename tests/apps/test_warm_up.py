"""`poise warm-up` compiles what commands need, `poise clean` shows and removes it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from poise.apps import warm_up as ahead
from poise.apps.cli import first_use
from poise.apps.cli.first_use import FirstUse
from poise.apps.warm_up import Compiled, warm_up
from poise.compilation.listed import kernels_of, listed_commands, listed_kernels

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


def poise(folder: Path, *arguments: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", COUNTING, *arguments], cwd=folder, capture_output=True, text=True,
        env={**os.environ, "NUMBA_CACHE_DIR": str(folder / "kernels"),
             "XDG_STATE_HOME": str(folder), "LOCALAPPDATA": str(folder), "HOME": str(folder),
             **environment},
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_what_is_kept_is_listed_and_removed_only_when_told(tmp_path: Path) -> None:
    kernels = tmp_path / "kernels"
    assert "Nothing is kept" in poise(tmp_path, "clean")
    (kernels / "made.nbc").write_bytes(b"0" * 1_000_000)
    (kernels / "mine.txt").write_text("not ours")
    assert f"{kernels}: 1 files of compiled kernels, 1.0 MB" in poise(tmp_path, "clean")
    assert (kernels / "made.nbc").is_file()
    assert "removed" in poise(tmp_path, "clean", "--yes")
    assert [path.name for path in kernels.iterdir()] == ["mine.txt"]


def test_what_a_command_needs_is_compiled_side_by_side(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "kernels"))
    told: list[tuple[int, int]] = []
    assert warm_up(lambda done, of: told.append((done, of)), ["inspect"], cores=2) == ()
    needed = len(kernels_of(["inspect"]))
    assert told == [(done, needed) for done in range(1, needed + 1)]
    assert len(list((tmp_path / "kernels").glob("*.nbc"))) == needed
    poise(tmp_path, "sample", "walk", "-o", "walk.bvh")
    assert "compiled 0" in poise(tmp_path, "inspect", "walk.bvh")


def test_the_first_use_of_a_command_compiles_all_that_it_needs_first(tmp_path: Path) -> None:
    poise(tmp_path, "sample", "walk", "-o", "walk.bvh")
    # This process compiles nothing itself: others do, and it loads.
    assert "compiled 0" in poise(tmp_path, "inspect", "walk.bvh", POISE_CORES="2")
    kept = len(list((tmp_path / "kernels").glob("*.nbc")))
    assert kept == len(kernels_of(["inspect", "sample"]))
    other = tmp_path / "one_core"
    other.mkdir()
    poise(other, "sample", "walk", "-o", "walk.bvh")
    assert "compiled 0" not in poise(other, "inspect", "walk.bvh", POISE_CORES="1")


def test_a_process_that_ends_costs_its_kernels_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead.sys, "executable", "/bin/false")
    failed = warm_up(lambda done, of: None, ["inspect"], cores=2)
    assert {one.place for one in failed} == kernels_of(["inspect"])
    assert isinstance(failed[0], Compiled) and "has ended" in failed[0].problem


@pytest.mark.slow
def test_after_it_commands_compile_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "kernels"))
    assert warm_up(lambda done, of: None) == ()
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


@pytest.mark.parametrize("command", ["correct", "leap", "run", "render"])
def test_only_what_a_command_needs_is_compiled_for_it(
    command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(first_use, "compile_ahead", lambda name, cores: asked.append(name))
    monkeypatch.setenv("POISE_CORES", "2")
    kernels, use = listed_kernels(), FirstUse(command)
    of_reports = next(iter(kernels_of(["report"]) - kernels_of(["correct", "inspect", "leap"])))
    assert use(kernels[of_reports].name, lambda: kernels[of_reports].signature)
    smallest = min(
        (name for name in listed_commands() if of_reports in kernels_of([name])),
        key=lambda name: len(kernels_of([name])),
    )
    assert asked == [command if command == "render" else smallest]  # as with --report
    assert not use(kernels[of_reports].name, lambda: kernels[of_reports].signature)
    assert not use("poise.made:up", lambda: "[]")
