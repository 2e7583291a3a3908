"""Three neighbours in one number of several lanes: the columns of a ball joint, side by side.

A hinge has one column: its numbers stand in the first lane. What the other lanes hold is never
stored.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from poise.arrays import Array
from poise.compiled import inlined_borrowing
from poise.mechanics.lanes import LANES, lanes_type, load, store
from poise.mechanics.quaternion_kernels import Vector

_TRIPLE = ir.VectorType(ir.DoubleType(), 3)
_WORD = ir.IntType(32)


def _place(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    data = context.make_array(sig.args[0])(context, builder, args[0]).data
    return builder.gep(data, [args[1]])


def _store_three(typingctx: Any, array: Any, index: Any, value: Any) -> Any:
    """Put the first three lanes next to each other into an array, from `index` on."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        mask = ir.Constant(ir.VectorType(_WORD, 3), [0, 1, 2])
        three = builder.shuffle_vector(args[2], args[2], mask)
        place = builder.bitcast(_place(context, builder, sig, args), _TRIPLE.as_pointer())
        builder.store(three, place, align=8)
        return context.get_dummy_value()

    return types.none(array, types.intp, lanes_type), codegen


def _store_one(typingctx: Any, array: Any, index: Any, value: Any) -> Any:
    """Put the first lane into an array."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        one = builder.extract_element(args[2], _WORD(0))
        builder.store(one, _place(context, builder, sig, args))
        return context.get_dummy_value()

    return types.none(array, types.intp, lanes_type), codegen


def _spread(typingctx: Any, value: Any) -> Any:
    """A number in every lane."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        undefined = ir.Constant(ir.VectorType(ir.DoubleType(), LANES), ir.Undefined)
        one = builder.insert_element(undefined, args[0], _WORD(0))
        mask = ir.Constant(ir.VectorType(_WORD, LANES), [0] * LANES)
        return builder.shuffle_vector(one, undefined, mask)

    return lanes_type(types.float64), codegen


_three = cast(Callable[[Array, int, float], None], intrinsic(_store_three))
_one = cast(Callable[[Array, int, float], None], intrinsic(_store_one))
spread = cast(Callable[[float], float], intrinsic(_spread))


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
