"""Kernels that only kernels call are compiled without machine code, and nothing else changes."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from pathlib import Path

import pytest
from numba import float64
from numba.core import event
from numba.core.compiler import Flags

from poise.compilation.compiler import InnerLibrary
from poise.compiled import compiled, inlined

SCRIPT = """
import sys
import numpy as np
from numba.core import event
from poise.compiled import borrowing, compiled, inlined, inner_borrowing

@inlined
def half(x):
    return 0.5 * x

@inner_borrowing
def fill(out, x):
    if x < 0.0:
        raise ValueError("no root of a number below zero")
    for i in range(len(out)):
        out[i] = half(x) + i

@borrowing
def outer(out, x):
    fill(out, x)

@compiled
def other(x):
    out = np.empty(2)
    fill(out, x)
    return out

out = np.empty(3)
outer(out, 4.0)
print(out.tolist(), other(2.0).tolist())
try:
    outer(out, -1.0)
except ValueError as problem:
    print(problem)
for kernel in (half, fill, outer, other):
    print(kernel.__name__, sum(kernel.stats.cache_hits.values()), end=" ")
"""
SAYS = "[2.0, 3.0, 4.0] [1.0, 2.0]\nno root of a number below zero\n"


def said(folder: Path, script: str = SCRIPT) -> str:
    (folder / "made.py").write_text(script)
    done = subprocess.run(
        [sys.executable, "-c", "import made"], cwd=folder, capture_output=True, text=True,
        env={**os.environ, "NUMBA_CACHE_DIR": str(folder / "kernels")}, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_inner_kernels_are_kept_without_machine_code_and_found_again(tmp_path: Path) -> None:
    assert said(tmp_path) == SAYS + "half 0 fill 0 outer 0 other 0"
    kept = {path.name.split(".")[1].split("-")[0] for path in (tmp_path / "kernels").glob("*.nbc")}
    assert kept == {"half", "fill", "outer", "other"}
    # Outer ones have all that they need.
    assert said(tmp_path) == SAYS + "half 0 fill 0 outer 1 other 1"
    # A caller that is compiled anew takes inner ones from disk.
    assert said(tmp_path, SCRIPT.replace("outer(out, x):\n", "outer(out, x):\n    x += 0.0\n")) == (
        SAYS + "half 0 fill 1 outer 0 other 1"
    )


def test_python_has_no_way_into_an_inner_kernel() -> None:
    @inlined
    def twice(x: float) -> float:
        return 2.0 * x

    @compiled
    def outer(x: float) -> float:
        return twice(x)

    assert outer(3.0) == 6.0
    twice.compile((float64,))  # type: ignore[attr-defined]
    (made,) = twice.overloads.values()  # type: ignore[attr-defined]
    assert isinstance(made.library, InnerLibrary)
    assert made.library.get_pointer_to_function("anything") == 0


def test_the_garbage_collector_rests_while_a_kernel_is_compiled() -> None:
    seen: list[bool] = []

    class Looking(event.Listener):
        def on_start(self, event: object) -> None:
            seen.append(gc.isenabled())

        def on_end(self, event: object) -> None:
            pass

    @compiled
    def broken(x: float) -> float:
        return x.nothing  # type: ignore[attr-defined]

    with event.install_listener("numba:compile", Looking()):
        assert gc.isenabled()
        with pytest.raises(Exception, match="nothing"):
            broken(1.0)
    assert seen == [False]
    assert gc.isenabled()


def test_flags_compare_as_their_values_do() -> None:
    one, other = Flags(), Flags()
    assert one == other
    assert one.values() == {name: getattr(one, name) for name in one.options}
    one.nrt = True
    assert one != other
    assert one.values()["nrt"] is True
    other.nrt = True
    assert one == other
    assert hash(one) == hash(other)
    assert (one == 1) is False
