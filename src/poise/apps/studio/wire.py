"""Messages as they go over the socket.

One with arrays goes as bytes: the length of a JSON head (4 bytes, little-endian), the head, spaces
up to a multiple of 8, then its arrays one after the other, each at a multiple of 8.
"""

from __future__ import annotations

import json
import math
import re
import struct
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cache
from typing import Annotated, cast, get_args

import numpy as np
from numpy.typing import ArrayLike
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from poise.apps.studio.from_page import FromPage
from poise.apps.studio.to_page import ArrayOf, ArrayType, FromServer
from poise.errors import BadValue

Told = str | bytes
"""A message, ready to be sent."""

_LENGTH = struct.Struct("<I")
_EIGHT = 8
_LONGEST_WORDS = 300
_HEAD = 100
_SLOT = re.compile(
    rb'\{"kind": ?"(document_state|place|goals|measures|scatter|family_state|files|figure|physics|'
    rb'motion(?!", ?"which": ?"live"))"(?:, ?"(?:which|key)": ?"(\w+)")?'
)
"""Kinds that are told whole, with what they are of; motions of a drag are told in parts."""


def told(message: FromServer, **arrays: ArrayLike) -> Told:
    """A message as text, or with its arrays as bytes; integers go as uint32, others as float32."""
    said = {"kind": kind_of(type(message)), **asdict(message)}
    if not arrays:
        return json.dumps(_plain(said), separators=(",", ":"))
    heads: list[ArrayOf] = []
    parts: list[bytes] = []
    for name, values in arrays.items():
        whole = np.asarray(values)
        kind = _array_type(whole.dtype)
        data = whole.astype(kind).tobytes()
        heads.append(ArrayOf(name, whole.shape, kind))
        parts += [data, b"\0" * (-len(data) % _EIGHT)]
    head = json.dumps(_plain({**said, "arrays": [asdict(each) for each in heads]})).encode()
    gap = b" " * (-(len(head) + _LENGTH.size) % _EIGHT)
    return b"".join([_LENGTH.pack(len(head)), head, gap, *parts])


def slot_of(message: Told) -> str:
    """What a message says anew, whole: one of the same slot makes it needless; empty: nothing."""
    head = message[:_HEAD].encode() if isinstance(message, str) else message[_LENGTH.size : _HEAD]
    found = _SLOT.match(head)
    return "" if found is None else b" ".join(each for each in found.groups() if each).decode()


def kind_of(record: type) -> str:
    """What a message of the server is called on the page."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", record.__name__).lower()


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
def _adapter() -> TypeAdapter[FromPage]:
    for record in get_args(FromPage):
        record.__pydantic_config__ = ConfigDict(allow_inf_nan=False)
    return TypeAdapter(Annotated[FromPage, Field(discriminator="kind")])


def _array_type(dtype: np.dtype[np.generic]) -> ArrayType:
    if dtype.kind == "b" or dtype == np.uint8:
        return "uint8"
    return "uint32" if dtype.kind in "iu" else "float32"


def _plain(value: object) -> object:
    """JSON has no NaN: what is not a number is nothing."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        found = cast("Mapping[object, object]", value)
        return {str(key): _plain(each) for key, each in found.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in cast("Sequence[object]", value)]
    return value
