"""The one way Poise compiles a loop: cached on disk, without the interpreter lock.

`contract` lets the compiler fuse a·b + c (one rounding fewer, twice the throughput). The other
fast-math liberties are left off: they would reorder sums and assume that NaN never occurs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba.core import event

from poise.announce import announce

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """Compile a function that other compiled functions or Python may call."""
    options: dict[str, Any] = {"cache": True, "nogil": True, "fastmath": {"contract"}}
    return cast(F, numba.njit(**options)(function))


def compiled_parallel(function: F) -> F:
    """Compile a function whose `numba.prange` loops run on all cores."""
    options: dict[str, Any] = {
        "cache": True, "nogil": True, "parallel": True, "fastmath": {"contract"},
    }  # fmt: skip
    return cast(F, numba.njit(**options)(function))


def inlined(function: F) -> F:
    """Compile a small scalar helper into its callers."""
    options: dict[str, Any] = {
        "cache": True, "nogil": True, "inline": "never", "forceinline": True,
        "fastmath": {"contract"},
    }  # fmt: skip
    return cast(F, numba.njit(**options)(function))


class _Announcer(event.Listener):
    """Says once per run that Numba compiles: kernels loaded from the cache make no sound."""

    said = False

    def on_start(self, event: object) -> None:
        """Compilation of one function begins."""
        if not self.said:
            self.said = True
            announce("compiling for this machine, only the first time")

    def on_end(self, event: object) -> None:
        """Compilation of one function ended."""


event.register("numba:compile", _Announcer())
