"""What enters the compiled loops: contiguous frames.

Every array reaches a kernel as read-only, C-contiguous float64 with the frame axis first, so that
each kernel is compiled once, for one signature.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array
from poise.errors import BadShape, BadValue


def as_frames(argument: str, value: ArrayLike, shape: tuple[int, ...], frames: int = -1) -> Array:
    """A read-only (F, *shape) array; a single pose without the frame axis becomes one frame.

    Args:
        argument: the name a message should use.
        value: numbers; copied only if they are not float64 in C order already.
        shape: the axes after the frames.
        frames: the number of frames wanted, or -1 for any.
    """
    try:
        array = np.ascontiguousarray(value, dtype=np.float64)
    except (TypeError, ValueError) as problem:
        raise BadValue(argument, "an array of numbers", type(value).__name__) from problem
    if array.shape[1:] != shape or array.ndim != len(shape) + 1:
        if array.shape != shape:
            raise BadShape(argument, _shape_words(shape, frames), array.shape)
        array = array[None]
    if frames >= 0 and len(array) != frames:
        raise BadShape(argument, _shape_words(shape, frames), array.shape)
    flags = array.flags
    if flags.writeable or not flags.aligned:
        array = array.view() if flags.aligned else array.copy()
        array.setflags(write=False)
    return array


def _shape_words(shape: tuple[int, ...], frames: int) -> str:
    return f"({', '.join(['F' if frames < 0 else str(frames), *map(str, shape)])})"
