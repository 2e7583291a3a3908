"""Several frames in one number: `LANES` float64 that compiled code adds and multiplies at once.

Inside a compiled function, `load(array, index)` gives such a value; `+`, `-`, `*` work between two
of them, or one and a float. The compiler's own vectoriser gives up on loops as long as those of
inverse dynamics (strided input, too many arrays that might overlap); here it has no choice. On a
processor with narrower registers a value simply takes more of them.

Arrays are flat and C-contiguous, and indices are not checked: these are the inner loops.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, cast

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, lower_builtin, models, register_model, type_callable

from poise.arrays import Array

LANES = 8
"""A cache line of doubles: two AVX2 registers, one AVX-512 register, four NEON registers."""

_VECTOR = ir.VectorType(ir.DoubleType(), LANES)
_FLAGS = ("contract",)  # as in poise.compiled: fuse a·b + c, nothing else


class LanesType(types.Type):
    """The type of such a value in Numba's eyes."""

    def __init__(self) -> None:
        super().__init__(name=f"lanes{LANES}")


lanes_type = LanesType()


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, _VECTOR)


def _splat(builder: Any, kind: Any, value: Any) -> Any:
    if isinstance(kind, LanesType):
        return value
    one = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), value, _index(0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(one, ir.Constant(_VECTOR, ir.Undefined), zeros)


def _index(lane: int) -> Any:
    return ir.Constant(ir.IntType(32), lane)


def _define(op: Any, instruction: str) -> None:
    def typing(context: Any) -> Any:
        def typer(a: Any, b: Any) -> Any:
            pair = (isinstance(a, LanesType), isinstance(b, LanesType))
            other = b if pair[0] else a
            fits = pair == (True, True) or (any(pair) and isinstance(other, types.Float))
            return lanes_type if fits else None

        return typer

    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        a, b = (_splat(builder, kind, value) for kind, value in zip(sig.args, args, strict=True))
        return getattr(builder, instruction)(a, b, flags=_FLAGS)

    type_callable(op)(typing)
    for pair in ((LanesType, LanesType), (LanesType, types.Float), (types.Float, LanesType)):
        lower_builtin(op, *pair)(lower)


_define(operator.add, "fadd")
_define(operator.sub, "fsub")
_define(operator.mul, "fmul")


def _address(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
    data = context.make_array(kind)(context, builder, array).data
    return builder.gep(data, [index])


def _load(typingctx: Any, array: Any, index: Any) -> Any:
    """`LANES` neighbours of a flat array, from `index` on."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        place = _address(context, builder, sig.args[0], args[0], args[1])
        return builder.load(builder.bitcast(place, _VECTOR.as_pointer()), align=8)

    return lanes_type(array, types.intp), codegen


def _store(typingctx: Any, array: Any, index: Any, value: Any) -> Any:
    """Put a value's lanes next to each other into a flat array, from `index` on."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        place = _address(context, builder, sig.args[0], args[0], args[1])
        builder.store(args[2], builder.bitcast(place, _VECTOR.as_pointer()), align=8)
        return context.get_dummy_value()

    return types.none(array, types.intp, lanes_type), codegen


def _gather(typingctx: Any, array: Any, index: Any, stride: Any) -> Any:
    """`LANES` numbers of a flat array, `stride` apart, from `index` on."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        place = _address(context, builder, sig.args[0], args[0], args[1])
        value = ir.Constant(_VECTOR, ir.Undefined)
        for lane in range(LANES):
            step = builder.mul(args[2], ir.Constant(args[2].type, lane))
            number = builder.load(builder.gep(place, [step]))
            value = builder.insert_element(value, number, _index(lane))
        return value

    return lanes_type(array, types.intp, types.intp), codegen


def _scatter(typingctx: Any, array: Any, index: Any, stride: Any, value: Any) -> Any:
    """Put a value's lanes into a flat array, `stride` apart, from `index` on."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        place = _address(context, builder, sig.args[0], args[0], args[1])
        for lane in range(LANES):
            step = builder.mul(args[2], ir.Constant(args[2].type, lane))
            number = builder.extract_element(args[3], _index(lane))
            builder.store(number, builder.gep(place, [step]))
        return context.get_dummy_value()

    return types.none(array, types.intp, types.intp, lanes_type), codegen


# To the type checker a value of several lanes is a float, as it is to whoever reads the formulas.
load = cast(Callable[[Array, int], float], intrinsic(_load))
store = cast(Callable[[Array, int, float], None], intrinsic(_store))
gather = cast(Callable[[Array, int, int], float], intrinsic(_gather))
scatter = cast(Callable[[Array, int, int, float], None], intrinsic(_scatter))
