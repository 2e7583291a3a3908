"""The kernels that commands use, with their signatures: so that all cores can compile them at once.

A command meets its kernels one after the other, and one core compiles while the others wait. The
list says beforehand what will be met. It is written by `python -m benchmarks.kernel_list --write`;
a kernel that it lacks is compiled when it is met.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from poise.compilation.signatures import types_of

LIST = Path(__file__).parent / "kernels.json"


@dataclass(frozen=True)
class ListedKernel:
    """A kernel of the list."""

    name: str
    """`poise.solvers.small_dense:dot`."""
    signature: str
    """Types of the arguments, as `signature_text` writes them."""
    calls: tuple[int, ...]
    """Places in the list of the kernels that it calls: before its own."""
    commands: frozenset[str]
    """Which commands call it from Python."""

    @property
    def dispatcher(self) -> Any:
        """What compiles it."""
        module, name = self.name.split(":")
        return getattr(import_module(module), name)

    def compile(self) -> None:
        """Load or compile it; it is kept on disk."""
        self.dispatcher.compile(types_of(self.signature))


@cache
def listed_kernels() -> tuple[ListedKernel, ...]:
    """All of them."""
    return tuple(
        ListedKernel(name, json.dumps(signature), tuple(calls), frozenset(commands))
        for name, signature, calls, commands in json.loads(LIST.read_text(encoding="utf-8"))
    )


def listed_commands() -> tuple[str, ...]:
    """Those that the list knows."""
    return tuple(sorted({name for kernel in listed_kernels() for name in kernel.commands}))


def kernels_of(commands: Iterable[str]) -> frozenset[int]:
    """Places in the list of the kernels that commands need; of all, if none is named."""
    kernels, wanted = listed_kernels(), frozenset(commands)
    needed: set[int] = set()
    for place in reversed(range(len(kernels))):  # callers come after what they call
        called = not wanted or wanted & kernels[place].commands
        if called or place in needed:
            needed |= {place, *kernels[place].calls}
    return frozenset(needed)


def in_order(places: frozenset[int]) -> list[int]:
    """Places by how much is to be compiled for the largest kernel that they are part of.

    That one can only be begun when all of it is there, and takes longest: nothing waits for it.
    """
    kernels = listed_kernels()
    size = dict.fromkeys(places, 0)
    for place in sorted(places):
        closure, left = {place}, [place]
        while left:
            new = {call for call in kernels[left.pop()].calls if call not in closure}
            closure |= new
            left += new
        for part in closure:
            size[part] = max(size[part], len(closure))
    return sorted(places, key=lambda place: (-size[place], place))


def as_json(kernels: Iterable[ListedKernel]) -> str:
    """The text of the list."""
    lines = (
        json.dumps([k.name, json.loads(k.signature), k.calls, sorted(k.commands)],
                   separators=(",", ":"))
        for k in kernels
    )  # fmt: skip
    return "[\n" + ",\n".join(lines) + "\n]\n"
