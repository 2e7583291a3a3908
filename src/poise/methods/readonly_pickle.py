"""Records on their way to another process: they arrive as they were sent.

A pickle forgets that an array is read-only. The numbers would be the same, but to the compiler such
an array is of another kind: every kernel would be compiled once more, for half a minute.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Parcel(Generic[T]):
    """Anything, wrapped so that it can be pickled; within one process, it costs nothing."""

    content: T

    def __reduce__(self) -> tuple[Callable[[bytes], object], tuple[bytes]]:
        written = io.BytesIO()
        _Packer(written).dump(self.content)
        return _unpacked, (written.getvalue(),)


class _Packer(pickle.Pickler):
    """Writes down what is read-only as such."""

    def reducer_override(
        self, obj: object, /
    ) -> str | tuple[Callable[..., object], tuple[object, ...]]:
        """How what pickles get wrong is made anew; all else goes its usual way."""
        if type(obj) is np.ndarray and not obj.flags.writeable:
            return _read_only, (obj.copy(order="K"),)
        if isinstance(obj, MappingProxyType):
            return _view, (dict[object, object](obj),)
        return NotImplemented


def _unpacked(written: bytes) -> Parcel[object]:
    return Parcel(pickle.loads(written))


def _read_only(array: NDArray[np.generic]) -> NDArray[np.generic]:
    array.flags.writeable = False
    return array


def _view(of: dict[object, object]) -> Mapping[object, object]:
    return MappingProxyType(of)
