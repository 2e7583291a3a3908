"""Three neighbours in one number of several lanes: the columns of a ball joint, side by side.

A hinge has one column: its numbers stand in the first lane. What the other lanes hold is never
stored.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from llvmlite import ir
from numba import types

from poise.arrays import Array
from poise.compiled import inlined_borrowing
from poise.mechanics.lanes import (
    LANES,
    Code,
    Value,
    index,
    lane_intrinsic,
    lanes_type,
    load,
    mask,
    splat,
    store,
)
from poise.mechanics.quaternion_kernels import Vector

_TRIPLE = ir.VectorType(ir.DoubleType(), 3)


def _store_three(code: Code) -> None:
    three = code.builder.shuffle_vector(code.values[2], code.values[2], mask([0, 1, 2]))
    code.builder.store(three, code.pointer(_TRIPLE), align=8)


def _store_one(code: Code) -> None:
    one = code.builder.extract_element(code.values[2], index(0))
    code.builder.store(one, code.address())


def _spread(code: Code) -> Value:
    return splat(code.builder, code.values[0])


_AT = types.none, None, types.intp, lanes_type
_three = cast(Callable[[Array, int, float], None], lane_intrinsic(_store_three, *_AT))
_one = cast(Callable[[Array, int, float], None], lane_intrinsic(_store_one, *_AT))
spread = cast(Callable[[float], float], lane_intrinsic(_spread, lanes_type, types.float64))
"""A number in every lane."""


@inlined_borrowing
def put_columns(array: Array, index: int, whole: bool, value: float) -> None:
    """The three columns of a ball joint, or (not `whole`) the one of a hinge, to a flat index."""
    if whole:
        _three(array, index, value)
    else:
        _one(array, index, value)


@inlined_borrowing
def store_lanes(laid: Array, start: int, v: Vector) -> None:
    """Three numbers, each of so many lanes, one after the other."""
    store(laid, start, v[0])
    store(laid, start + LANES, v[1])
    store(laid, start + 2 * LANES, v[2])


@inlined_borrowing
def lanes_at(laid: Array, start: int, number: int) -> Vector:
    """The three that begin with a number of those from `start` on."""
    at = start + number * LANES
    return load(laid, at), load(laid, at + LANES), load(laid, at + 2 * LANES)
