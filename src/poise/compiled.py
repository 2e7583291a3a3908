"""The one way Poise compiles a loop: cached on disk, without the interpreter lock.

`contract` lets the compiler fuse a·b + c (one rounding fewer, twice the throughput). The other
fast-math liberties are left off: they would reorder sums and assume that NaN never occurs.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TypeVar, cast

from poise.kernel_cache import why_not_kept, with_cache  # isort: skip  (before Numba itself)

import numba
from numba.core import event

from poise.announce import announce

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
    the function itself.
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


_INNER = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def _jit(function: F, **options: object) -> F:
    options = {"nogil": True, "fastmath": {"contract"}, **options}
    njit = cast(Callable[..., Callable[[F], F]], numba.njit)  # its types know fewer options
    dispatcher = with_cache(lambda kept: njit(cache=kept, **options)(function), _folder)
    # Numba looks only at the file of the function itself when it asks whether a cached kernel is
    # stale. Ours call inlined ones from other files, so all files of the folder count, and those
    # that any kernel may draw on.
    # This reaches into Numba; a version that looks different inside only loses this developers'
    # convenience, and a test says so.
    file = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if hasattr(file, "_source_stamp"):
        folder = Path(function.__code__.co_filename).parent
        file._source_stamp = (file._source_stamp, _stamps(folder))  # type: ignore[union-attr]
    return dispatcher


def _folder(dispatcher: object) -> str:
    """Where Numba keeps a kernel; empty if it does not say so."""
    return str(getattr(getattr(dispatcher, "_cache", None), "cache_path", None) or "")


@cache
def _stamps(folder: Path) -> tuple[tuple[str, float, int], ...]:
    """Name, time and size of every file whose change may change a kernel in `folder`."""
    here = Path(__file__)
    shared = [
        f for room in ("mechanics", "solvers", "ik") for f in (here.parent / room).glob("*.py")
    ]
    files = {here, *shared, *folder.glob("*.py")}
    return tuple((f.name, f.stat().st_mtime, f.stat().st_size) for f in sorted(files))


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
