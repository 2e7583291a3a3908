"""Compiled kernels on disk, found again by what they are made from.

A kernel's files are named by a digest of its code, of the constants it reads and of every kernel it
calls: an edit elsewhere, a new checkout, a copy or a time stamp makes nothing stale, and two
versions lie side by side. A wheel may carry kernels for its platform; what is not there, or not for
this processor, is compiled and kept in the user's own folder.

This reaches into Numba, whose own cache goes by the file that a function stands in.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import pickle
import platform
import sys
import types
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from poise.compilation.folder import kernel_folder  # isort: skip  (before Numba itself)

import llvmlite
import llvmlite.binding as llvm
import numba
import numpy as np
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile
from numba.core.dispatcher import Dispatcher

from poise.compilation.compiler import INNER, hand_over_environments, rebuild_inner
from poise.compilation.misses import ask_for
from poise.compilation.signatures import signature_text

SHIPPED = Path(__file__).parent / "_kernels"
"""Kernels that came with a wheel."""
TARGET = "target.json"
"""What they were compiled for."""


class Target(NamedTuple):
    """What compiled code runs on."""

    triple: str
    cpu: str
    features: str
    """As LLVM writes them: `+avx2,+fma,-avx512f`."""
    versions: str
    """Of Python, Numba, LLVM and NumPy, whose insides kernels know."""

    @property
    def key(self) -> tuple[str, str, str]:
        """As Numba tells targets apart."""
        return (self.triple, self.cpu, self.features)


def versions() -> str:
    """Of what compiled code depends on beside the processor."""
    python = f"{sys.implementation.cache_tag}{getattr(sys, 'abiflags', '')}"
    return (
        f"{python} numba {numba.__version__} llvmlite {llvmlite.__version__} numpy {np.__version__}"
    )


def write_target(folder: Path) -> None:
    """Say beside kernels what this process compiles them for."""
    from numba.core.registry import cpu_target

    context: Any = cpu_target.target_context
    triple, cpu, features = map(str, context.codegen().magic_tuple())
    target = Target(triple, cpu, features, versions())
    (folder / TARGET).write_text(json.dumps(target._asdict(), indent=1) + "\n", encoding="utf-8")


@cache
def shipped_target() -> Target | None:
    """What kernels beside the package were compiled for, if this machine can run them."""
    try:
        target = Target(**json.loads((SHIPPED / TARGET).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    if target.versions != versions() or target.triple != llvm.get_process_triple():
        return None
    has = llvm.get_host_cpu_features()
    needed = (name[1:] for name in target.features.split(",") if name.startswith("+"))
    return target if all(has.get(name, False) for name in needed) else None


class KernelCache(FunctionCache):
    """What Numba asks for a kernel before it compiles it, and gives it afterwards."""

    def __init__(self, function: types.FunctionType, options: str) -> None:
        self._py_func = function
        _options[function] = options
        self._impl = _Impl()
        self._name = f"{function.__module__.removeprefix('poise.')}.{function.__qualname__}"
        self._public = f"{function.__module__}:{function.__qualname__}"
        self._enabled = True

    @property
    def cache_path(self) -> str | None:
        """The folder; None if kernels are kept nowhere."""
        return kernel_folder()

    def flush(self) -> None:
        """Forget what is kept of this kernel."""
        if (folder := kernel_folder()) is not None:
            for path in Path(folder).glob(f"{self._stem}-*.nb[ic]"):
                path.unlink(missing_ok=True)

    @property
    def _stem(self) -> str:
        name = self._name.replace("<", "").replace(">", "")
        return f"{name}-{digest_of(self._py_func)[:20]}"

    def _files(self, folder: Path, key: tuple[Any, Any]) -> IndexDataCacheFile:
        """Of one signature for one target: no other process adds to them meanwhile."""
        signature = hashlib.sha256(repr(key).encode()).hexdigest()[:10]
        name = f"{self._stem}-{signature}-{_tag()}"
        return IndexDataCacheFile(str(folder), name, digest_of(self._py_func))

    def _load_overload(self, sig: Any, target_context: Any) -> Any:
        if not self._enabled:
            return None
        found = self._kept_overload(sig, target_context)
        if found is not None or kernel_folder() is None:
            return found
        if ask_for(self._public, lambda: signature_text(sig)):
            return self._kept_overload(sig, target_context)
        return None

    def _kept_overload(self, sig: Any, target_context: Any) -> Any:
        if (shipped := shipped_target()) is not None:
            found = self._found(SHIPPED, (sig, shipped.key), target_context)
            if found is not None:
                return found
        if (folder := kernel_folder()) is not None:
            return self._found(
                Path(folder), (sig, target_context.codegen().magic_tuple()), target_context
            )
        return None

    def _found(self, folder: Path, key: tuple[Any, Any], target_context: Any) -> Any:
        """A kernel of a folder; None if it is not there, or its file is damaged."""
        try:
            data = self._files(folder, key).load(key)
            return None if data is None else self._impl.rebuild(target_context, data)
        except Exception:  # a pickle that was cut off fails in any way there is
            return None

    def _save_overload(self, sig: Any, data: Any) -> None:
        hand_over_environments(data)
        folder = kernel_folder()
        if self._enabled and folder is not None and self._impl.check_cachable(data):
            key, reduced = (sig, data.codegen.magic_tuple()), self._impl.reduce(data)
            files = self._files(Path(folder), key)
            # A full disk, or a folder that was taken away meanwhile, costs the next run its time.
            with contextlib.suppress(OSError):
                try:
                    files.save(key, reduced)
                except (EOFError, ValueError, pickle.UnpicklingError):  # an index that was cut off
                    files.flush()
                    files.save(key, reduced)


class _Impl(CompileResultCacheImpl):
    """How compiled code is written down, as Numba does it; where is not its business here."""

    def __init__(self) -> None:
        pass

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        """A compiled kernel from what was kept of it."""
        if payload[0][1] == INNER:
            return rebuild_inner(target_context, payload)
        return super().rebuild(target_context, payload)


@cache
def _tag() -> str:
    """Of what must not share files: versions, and kinds of processor."""
    parts = f"{versions()} {platform.machine()}".encode()
    return f"py{sys.version_info[0]}{sys.version_info[1]}-{hashlib.sha256(parts).hexdigest()[:8]}"


_options: dict[types.FunctionType, str] = {}
"""How each kernel is compiled."""
_digests: dict[types.FunctionType, str] = {}


def digest_of(function: types.FunctionType) -> str:
    """Of all that a kernel is made from: its code, its constants, the kernels that it calls."""
    if function not in _digests:
        seen: dict[types.FunctionType, None] = {}
        text = hashlib.sha256()
        for part in _parts(function, seen):
            text.update(part)
            text.update(b"\0")
        _digests[function] = text.hexdigest()
    return _digests[function]


def _parts(function: types.FunctionType, seen: dict[types.FunctionType, None]) -> Iterator[bytes]:
    """What of a function, and of all that it calls, decides what is compiled."""
    if function in seen:
        yield f"again {list(seen).index(function)}".encode()
        return
    seen[function] = None
    yield f"{function.__module__}.{function.__qualname__} {_options.get(function, '')}".encode()
    yield repr(function.__defaults__).encode()
    names = dict[str, None]()
    yield from _code(function.__code__, names)
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    for value in (*cells, *(function.__globals__.get(name) for name in names)):
        yield from _value(value, seen)


def _code(code: types.CodeType, names: dict[str, None]) -> Iterator[bytes]:
    names |= dict.fromkeys(code.co_names)
    yield code.co_code
    yield repr((code.co_names, code.co_varnames, code.co_freevars, code.co_argcount)).encode()
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _code(constant, names)
        else:
            yield from _plain(constant)


def _value(value: object, seen: dict[types.FunctionType, None]) -> Iterator[bytes]:
    """What a kernel reads from outside of itself."""
    if isinstance(value, Dispatcher):
        yield from _parts(value.py_func, seen)
    elif isinstance(value, np.ndarray):
        yield f"{value.dtype} {value.shape}".encode()
        yield np.ascontiguousarray(value).tobytes()
    elif isinstance(value, types.ModuleType):
        yield value.__name__.encode()
        if value.__name__.startswith("poise."):
            raise TypeError(f"a kernel reaches into {value.__name__}: import the names it needs")
    elif isinstance(value, type):
        yield f"{value.__module__}.{value.__qualname__} {getattr(value, '_fields', '')}".encode()
    elif isinstance(value, tuple):
        for part in value:
            yield from _value(part, seen)
    else:
        yield from _plain(value)


def _plain(value: object) -> Iterator[bytes]:
    if isinstance(value, frozenset):
        yield repr(sorted(map(repr, value))).encode()
    elif isinstance(value, (bool, int, float, complex, str, bytes, tuple)) or value is None:
        yield repr(value).encode()
    else:
        name = getattr(value, "__qualname__", type(value).__qualname__)
        yield f"{type(value).__module__} {name}".encode()
