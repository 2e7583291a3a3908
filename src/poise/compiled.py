"""The one way Poise compiles a loop: cached on disk, without the interpreter lock.

`contract` lets the compiler fuse a·b + c (one rounding fewer, twice the throughput). The other
fast-math liberties are left off: they would reorder sums and assume that NaN never occurs.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar, cast

from poise.compilation.folder import why_not_kept  # isort: skip  (before Numba itself)

import numba
from numba.core import event

from poise.announce import announce
from poise.compilation.compiler import InnerCompiler
from poise.compilation.files import KernelCache

F = TypeVar("F", bound=Callable[..., object])


def compiled(function: F) -> F:
    """Compile a function that other compiled functions or Python may call."""
    return _jit(function)


def inlined(function: F) -> F:
    """Compile a small scalar helper into its callers; Python cannot call it."""
    return _jit(function, **_INNER, inline="never", forceinline=True)


def borrowing(function: F) -> F:
    """Compile a function that makes no arrays, only reads and fills those it is given.

    It does not count references. Counting is atomic, and a function that is handed thirty arrays
    for a microsecond of work would spend most of it counting.
    """
    return _jit(function, _nrt=False)


def inner_borrowing(function: F) -> F:
    """Such a function that only compiled ones call: half the time to compile.

    What unpacks Python's objects for it is left out, which for groups of arrays is more code than
    the function itself; and machine code is made of its callers only.
    """
    return _jit(function, **_INNER, _nrt=False)


def inlined_borrowing(function: F) -> F:
    """A small helper of such functions, compiled into its callers."""
    return _jit(function, **_INNER, inline="never", forceinline=True, _nrt=False)


def reassociated(function: F) -> F:
    """Like `inlined_borrowing`, and sums may be taken in any order.

    For scalar products, which otherwise cannot use wide registers. The order is fixed when it is
    compiled, so equal input still gives equal bits on one machine.
    """
    any_order = {"contract", "reassoc"}
    return _jit(
        function, **_INNER, inline="never", forceinline=True, fastmath=any_order, _nrt=False
    )


_INNER: dict[str, object] = {"no_cpython_wrapper": True, "pipeline_class": InnerCompiler}


def _jit(function: F, **options: object) -> F:
    # Nobody calls kernels from C: that wrapper is never made.
    options = {"nogil": True, "fastmath": {"contract"}, "no_cfunc_wrapper": True, **options}
    njit = cast(Callable[..., Callable[[F], F]], numba.njit)  # its types know fewer options
    dispatcher: Any = njit(**options)(function)
    said = repr(sorted((name, _as_text(value)) for name, value in options.items()))
    dispatcher._cache = KernelCache(cast(FunctionType, function), said)
    return dispatcher


def _as_text(option: object) -> object:
    """An option, the same text in every process."""
    if isinstance(option, type):
        return option.__qualname__
    return sorted(map(str, option)) if isinstance(option, set) else option


class _Announcer(event.Listener):
    """Says once per run that Numba compiles: kernels loaded from the cache make no sound."""

    said = False

    def on_start(self, event: object) -> None:
        """Compilation of one function begins."""
        if not self.said:
            self.said = True
            why = why_not_kept()
            how_often = f"each time: {why}" if why else "only the first time"
            announce(f"compiling for this machine, {how_often}")

    def on_end(self, event: object) -> None:
        """Compilation of one function ended."""


event.register("numba:compile", _Announcer())
