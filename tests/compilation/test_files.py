"""Compiled kernels are found again by what they are made from, and only where they may be kept."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import types
from pathlib import Path

import pytest

from poise.compilation import files, folder
from poise.compilation.files import Target, digest_of, shipped_target, versions
from poise.compiled import compiled, inlined_borrowing

SOURCE = """
from poise.compiled import compiled, inlined
FACTOR = 2.0
@inlined
def helper(x):
    return FACTOR * x
{more}
@compiled
def kernel(x):
    return helper(x) + {added}
"""


def made(added: str = "1.0", factor: str = "2.0", more: str = "") -> types.FunctionType:
    """The function of a kernel that calls another one."""
    space: dict[str, object] = {"__name__": "poise.made"}
    text = SOURCE.format(added=added, more=more).replace("FACTOR = 2.0", f"FACTOR = {factor}")
    exec(compile(text, "made.py", "exec"), space)
    return space["kernel"].py_func  # type: ignore[attr-defined]


def test_what_a_kernel_is_made_from_names_its_files() -> None:
    same = digest_of(made())
    assert digest_of(made()) == same
    assert digest_of(made(added="2.0")) != same  # its own code
    assert digest_of(made(factor="3.0")) != same  # a constant that a kernel reads which it calls
    assert digest_of(made(more="\nLATER = 1\n# and lines that are no part of it\n")) == same


def test_how_it_is_compiled_counts_too() -> None:
    def kernel(x: float) -> float:
        return x

    def again(x: float) -> float:
        return x

    again.__qualname__ = kernel.__qualname__
    compiled(kernel)
    inlined_borrowing(again)
    assert digest_of(kernel) != digest_of(again)  # type: ignore[arg-type]


def test_digests_are_the_same_in_every_process() -> None:
    script = (
        "from poise.physics.equations import evaluate_frames as f;"
        "from poise.compilation.files import digest_of; print(digest_of(f.py_func))"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(found) == 1


@pytest.mark.parametrize(
    ("change", "runs"),
    [
        ({}, True),
        ({"features": "+sse2,+no-such-thing"}, False),
        ({"versions": "cpython-39 numba 0.1"}, False),
        ({"triple": "vax-dec-ultrix"}, False),
    ],
    ids=["this machine", "another processor", "other versions", "another system"],
)
def test_shipped_kernels_are_for_machines_that_can_run_them(
    change: dict[str, str], runs: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files.write_target(tmp_path)
    written = json.loads((tmp_path / files.TARGET).read_text())
    assert Target(**written).versions == versions()
    (tmp_path / files.TARGET).write_text(json.dumps({**written, **change}))
    monkeypatch.setattr(files, "SHIPPED", tmp_path)
    shipped_target.cache_clear()
    assert (shipped_target() is not None) == runs
    shipped_target.cache_clear()


SCRIPT = """
import sys
from pathlib import Path
from poise.compilation import files as kernel_files
if len(sys.argv) > 1:
    kernel_files.SHIPPED = Path(sys.argv[1])
import numpy as np
from poise.mechanics import quaternion_kernels
from poise.solvers import Layers, likeliest_states
from poise.solvers import state_paths
layers = Layers(np.arange(3), np.zeros(2, np.int64), 2)
likeliest_states(layers, np.zeros(2), np.zeros(1))
print(sum(state_paths._pass.stats.cache_hits.values()))
"""


def hits(cache: Path, *shipped: Path) -> int:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *map(str, shipped)], capture_output=True, text=True,
        env={**os.environ, "NUMBA_CACHE_DIR": str(cache)}, check=True,
    )  # fmt: skip
    return int(done.stdout)


def test_shipped_kernels_come_first_and_broken_ones_do_no_harm(tmp_path: Path) -> None:
    shipped, own, empty = tmp_path / "shipped", tmp_path / "own", tmp_path / "empty"
    assert hits(shipped) == 0
    assert hits(shipped) == 1  # kept, and found again
    subprocess.run(
        [sys.executable, "-c",
         "import sys; from pathlib import Path; from poise.compilation.files import write_target;"
         "write_target(Path(sys.argv[1]))", str(shipped)], check=True,
    )  # fmt: skip
    assert hits(own, shipped) == 1
    assert not list(own.glob("*.nbc"))
    for path in shipped.glob("*.nbc"):
        path.write_bytes(b"cut off")
    assert hits(empty, shipped) == 0


def test_a_folder_of_others_is_refused_and_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", "kernels")
    folder.kernel_folder.cache_clear()
    try:
        assert folder.kernel_folder() is None
        assert "whole path" in folder.why_not_kept()
    finally:
        monkeypatch.undo()
        folder._refused.clear()
        folder.kernel_folder.cache_clear()
