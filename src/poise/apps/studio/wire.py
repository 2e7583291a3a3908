"""Messages as they go over the socket.

One with arrays goes as bytes: the length of a JSON head (4 bytes, little-endian), the head, spaces
up to a multiple of 8, then its arrays one after the other, each at a multiple of 8.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import cache
from typing import Annotated, Any, cast, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from poise.apps.studio.from_page import FromPage
from poise.apps.studio.to_page import ArrayOf, FromServer
from poise.errors import BadValue

_TYPES = {"float32": np.float32, "uint32": np.uint32, "uint8": np.uint8}
_LENGTH = struct.Struct("<I")
_EIGHT = 8
_LONGEST_WORDS = 300


def packed(message: FromServer, arrays: Mapping[str, ArrayLike] | None = None) -> str | bytes:
    """A message as text, or with its arrays as bytes; integers go as uint32, others as float32."""
    if not arrays:
        return json.dumps(_plain(asdict(message)), separators=(",", ":"))
    made = {name: _narrow(np.asarray(values)) for name, values in arrays.items()}
    heads = tuple(
        ArrayOf(name, tuple(each.shape), cast(Any, each.dtype.name)) for name, each in made.items()
    )
    told = json.dumps(_plain(asdict(replace(cast(Any, message), arrays=heads)))).encode()
    parts = [_LENGTH.pack(len(told)), told, b" " * (-(len(told) + _LENGTH.size) % _EIGHT)]
    for each in made.values():
        data = each.tobytes()
        parts += [data, b"\0" * (-len(data) % _EIGHT)]
    return b"".join(parts)


def unpacked(message: bytes) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Head and arrays of a message in bytes; for tests and for other clients."""
    (length,) = _LENGTH.unpack_from(message)
    head: dict[str, Any] = json.loads(message[_LENGTH.size : _LENGTH.size + length])
    at = _LENGTH.size + length
    at += -at % _EIGHT
    found: dict[str, NDArray[Any]] = {}
    for each in head["arrays"]:
        kind, count = _TYPES[each["type"]], math.prod(each["shape"])
        values = np.frombuffer(message, kind, count, at)
        found[each["name"]] = values.reshape(each["shape"])
        at += values.nbytes
        at += -at % _EIGHT
    return head, found


def understood(text: str | bytes) -> FromPage:
    """What a page has said.

    Raises:
        BadValue: no message of ours.
    """
    try:
        return _adapter().validate_json(text)
    except ValidationError as refused:
        first = refused.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "message"
        said = first["msg"] if len(first["msg"]) < _LONGEST_WORDS else first["type"]
        raise BadValue(where[:_LONGEST_WORDS], "as messages.ts says", said) from None


@cache
def _adapter() -> TypeAdapter[Any]:
    finite = ConfigDict(allow_inf_nan=False)
    for record in get_args(FromPage):
        record.__pydantic_config__ = finite
    return TypeAdapter(Annotated[FromPage, Field(discriminator="kind")])


def _narrow(values: NDArray[Any]) -> NDArray[Any]:
    if values.dtype.kind == "b" or values.dtype == np.uint8:
        return np.ascontiguousarray(values, np.uint8)
    if values.dtype.kind in "iu":
        return np.ascontiguousarray(values, np.uint32)
    return np.ascontiguousarray(values, np.float32)


def _plain(value: Any) -> Any:
    """JSON has no NaN: what is not a number is nothing."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}  # type: ignore[misc]
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]  # type: ignore[misc]
    return value
