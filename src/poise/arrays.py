"""Arrays inside frozen records: copied, shape-checked, finite and read-only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from poise.errors import BadShape, BadValue

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
RawArray = NDArray[Any]
"""An array whose type is only known when the program runs."""

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"
"""What `json.loads` returns."""

Dimension = int | str
"""A fixed size, or a letter of the shape alphabet for "any size"."""


def frozen_array(
    argument: str,
    value: ArrayLike,
    shape: Sequence[Dimension],
    *,
    finite: bool = True,
) -> Array:
    """A read-only float64 copy of `value`, checked against `shape`.

    Args:
        argument: the name a message should use.
        value: anything NumPy can turn into numbers.
        shape: sizes, or letters for free sizes: `("F", 3)`.
        finite: refuse NaN and infinities (limits are allowed to be infinite).
    """
    array = _copied(argument, value, np.float64)
    _check_shape(argument, array, shape)
    if finite and not np.isfinite(array).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise BadValue(argument, "finite everywhere", f"{array[where]} at index {where}")
    array.flags.writeable = False
    return array


def frozen_indices(argument: str, value: ArrayLike, shape: Sequence[Dimension]) -> Indices:
    """A read-only int64 copy of `value`, checked against `shape`."""
    array = _copied(argument, value, np.int64)
    _check_shape(argument, array, shape)
    array.flags.writeable = False
    return array


def _copied(argument: str, value: ArrayLike, dtype: type[np.generic]) -> RawArray:
    try:
        return np.array(value, dtype=dtype, order="C")
    except (TypeError, ValueError, OverflowError) as problem:
        raise BadValue(argument, "an array of numbers", type(value).__name__) from problem


def _check_shape(argument: str, array: RawArray, shape: Sequence[Dimension]) -> None:
    fits = array.ndim == len(shape) and all(
        isinstance(want, str) or want == got for want, got in zip(shape, array.shape, strict=True)
    )
    if not fits:
        wanted = ", ".join(str(d) for d in shape) + ("," if len(shape) == 1 else "")
        raise BadShape(argument, f"({wanted})", array.shape)
