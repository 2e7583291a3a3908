"""Signatures of kernels as text, and back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from poise.compilation.folder import kernel_folder as kernel_folder  # isort: skip  (before Numba)

from numba import types


def signature_text(arguments: Sequence[types.Type]) -> str:
    """Types as text that `types_of` reads."""
    return json.dumps([_described(kind) for kind in arguments])


def types_of(text: str) -> tuple[types.Type, ...]:
    """The types of such a text."""
    return tuple(map(_type, json.loads(text)))


def _described(kind: Any) -> Any:
    if isinstance(kind, types.Array):
        writable = "w" if kind.mutable else "r"
        return [f"{writable}{kind.ndim}{kind.layout}", _described(kind.dtype)]
    if isinstance(kind, types.IntegerLiteral | types.BooleanLiteral):
        return ["literal", kind.literal_value]
    if isinstance(kind, types.NamedTuple | types.NamedUniTuple):
        of = kind.instance_class
        return [f"{of.__module__}:{of.__qualname__}", *map(_described, kind.types)]
    if isinstance(kind, types.Tuple | types.UniTuple):
        return ["tuple", *map(_described, kind.types)]
    if isinstance(kind, types.Number | types.Boolean | types.NoneType):
        return str(kind)
    module = import_module(type(kind).__module__)  # of our own: `lanes_type`
    for name, value in vars(module).items():
        if value is kind:
            return f"{module.__name__}:{name}"
    raise TypeError(f"the list of kernels has no text for {kind!r}")


def _type(text: Any) -> types.Type:
    if isinstance(text, str):
        module, _, name = text.rpartition(":")
        return getattr(import_module(module) if module else types, name)
    kind, *parts = text
    if kind == "literal":
        return types.literal(parts[0])
    inner = [_type(part) for part in parts]
    if kind == "tuple":
        return types.Tuple(inner)
    if ":" in kind:
        module, name = kind.split(":")
        named = getattr(import_module(module), name)
        if len(set(inner)) == 1:
            return types.NamedUniTuple(inner[0], len(inner), named)
        return types.NamedTuple(inner, named)
    return types.Array(inner[0], int(kind[1:-1]), kind[-1], readonly=kind[0] == "r")
