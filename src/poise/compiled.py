"""The one way Poise compiles a loop: cached on disk, without the interpreter lock.

`contract` lets the compiler fuse a·b + c (one rounding fewer, twice the throughput). The other
fast-math liberties are left off: they would reorder sums and assume that NaN never occurs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

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
