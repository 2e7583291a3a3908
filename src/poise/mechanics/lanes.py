"""Several frames in one number: `LANES` float64 that compiled code adds and multiplies at once.

Inside a compiled function, `load(array, index)` gives such a value; `+`, `-`, `*` work between two
of them, or one and a float. The compiler's own vectoriser gives up on loops as long as those of
inverse dynamics (strided input, too many arrays that might overlap); here it has no choice. On a
processor with narrower registers a value simply takes more of them.

Arrays of any dimension are C-contiguous and addressed by flat indices, which are not checked: these
are the inner loops.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any, cast

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, lower_builtin, models, register_model, type_callable

from poise.arrays import Array

LANES = 4
"""One AVX2 register, two NEON registers. Eight (AVX-512) were slower: the scratch leaves the L1
cache and values leave the registers."""

_VECTOR = ir.VectorType(ir.DoubleType(), LANES)
_PAIR = ir.VectorType(ir.DoubleType(), 2)
_UNDEFINED = ir.Constant(_VECTOR, ir.Undefined)
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
    one = builder.insert_element(_UNDEFINED, value, _index(0))
    return builder.shuffle_vector(one, _UNDEFINED, _mask([0] * LANES))


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
    """`LANES` neighbours of an array, from `index` on."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        place = _address(context, builder, sig.args[0], args[0], args[1])
        return builder.load(builder.bitcast(place, _VECTOR.as_pointer()), align=8)

    return lanes_type(array, types.intp), codegen


def _store(typingctx: Any, array: Any, index: Any, value: Any) -> Any:
    """Put a value's lanes next to each other into an array, from `index` on."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        place = _address(context, builder, sig.args[0], args[0], args[1])
        builder.store(args[2], builder.bitcast(place, _VECTOR.as_pointer()), align=8)
        return context.get_dummy_value()

    return types.none(array, types.intp, lanes_type), codegen


def _gather(typingctx: Any, array: Any, index: Any, stride: Any) -> Any:
    """`LANES` numbers of an array, `stride` apart, from `index` on."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        value = _UNDEFINED
        for lane, place in enumerate(_places(context, builder, sig, args)):
            value = builder.insert_element(value, builder.load(place), _index(lane))
        return value

    return lanes_type(array, types.intp, types.intp), codegen


def _scatter(typingctx: Any, array: Any, index: Any, stride: Any, value: Any) -> Any:
    """Put a value's lanes into an array, `stride` apart, from `index` on."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        for lane, place in enumerate(_places(context, builder, sig, args)):
            builder.store(builder.extract_element(args[3], _index(lane)), place)
        return context.get_dummy_value()

    return types.none(array, types.intp, types.intp, lanes_type), codegen


def _gather_pair(typingctx: Any, array: Any, index: Any, stride: Any) -> Any:
    """Two values whose lanes are neighbours: `gather` at `index` and at `index + 1`.

    Half the loads and a third of the shuffles of two single gathers: pairs of even and of odd
    lanes stand side by side, and one interleaving of the two gives each value.
    """

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        places = _places(context, builder, sig, args)
        pairs = [builder.load(builder.bitcast(p, _PAIR.as_pointer()), align=8) for p in places]
        even, odd = _joined(builder, pairs[0::2]), _joined(builder, pairs[1::2])
        values = [builder.shuffle_vector(even, odd, _mask(_interleaved(k))) for k in (0, 1)]
        return context.make_tuple(builder, sig.return_type, values)

    return types.UniTuple(lanes_type, 2)(array, types.intp, types.intp), codegen


def _scatter_pair(
    typingctx: Any, array: Any, index: Any, stride: Any, first: Any, second: Any
) -> Any:
    """`scatter` the first value at `index` and the second at `index + 1`."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        even, odd = (
            builder.shuffle_vector(args[3], args[4], _mask(_interleaved(k))) for k in (0, 1)
        )
        for lane, place in enumerate(_places(context, builder, sig, args)):
            at = lane - lane % 2
            source = odd if lane % 2 else even
            pair = builder.shuffle_vector(source, _UNDEFINED, _mask([at, at + 1]))
            builder.store(pair, builder.bitcast(place, _PAIR.as_pointer()), align=8)
        return context.get_dummy_value()

    return types.none(array, types.intp, types.intp, lanes_type, lanes_type), codegen


def _prefetch(typingctx: Any, array: Any, index: Any, lines: Any) -> Any:
    """Ask for the next few cache lines (a literal number) of an array, from `index` on.

    Also past the end of the array: asking is not reading.
    """

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
        ask = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        place = _address(context, builder, sig.args[0], args[0], args[1])
        for line in range(sig.args[2].literal_value):
            at = builder.gep(place, [ir.Constant(args[1].type, 8 * line)])
            # Read, keep in all caches, data.
            builder.call(ask, [builder.bitcast(at, byte), *(word(n) for n in (0, 3, 1))])
        return context.get_dummy_value()

    if not isinstance(lines, types.IntegerLiteral):
        return None
    return types.none(array, types.intp, lines), codegen


def _places(context: Any, builder: Any, sig: Any, args: Any) -> list[Any]:
    """The addresses of all lanes of a gather or scatter."""
    start = _address(context, builder, sig.args[0], args[0], args[1])
    steps = (builder.mul(args[2], ir.Constant(args[2].type, lane)) for lane in range(LANES))
    return [builder.gep(start, [step]) for step in steps]


def _joined(builder: Any, parts: list[Any]) -> Any:
    """Vectors of equal length, a power of two of them, put end to end."""
    while len(parts) > 1:
        size = 2 * parts[0].type.count
        parts = [
            builder.shuffle_vector(a, b, _mask(range(size)))
            for a, b in zip(parts[0::2], parts[1::2], strict=True)
        ]
    return parts[0]


def _interleaved(k: int) -> list[int]:
    """Every second number of two vectors in turn, from the first (k = 0) or the second on."""
    return [at for n in range(k, LANES, 2) for at in (n, LANES + n)]


def _mask(indices: Iterable[int]) -> Any:
    numbers = list(indices)
    return ir.Constant(ir.VectorType(ir.IntType(32), len(numbers)), numbers)


# To the type checker a value of several lanes is a float, as it is to whoever reads the formulas.
load = cast(Callable[[Array, int], float], intrinsic(_load))
store = cast(Callable[[Array, int, float], None], intrinsic(_store))
gather = cast(Callable[[Array, int, int], float], intrinsic(_gather))
scatter = cast(Callable[[Array, int, int, float], None], intrinsic(_scatter))
gather_pair = cast(Callable[[Array, int, int], tuple[float, float]], intrinsic(_gather_pair))
scatter_pair = cast(Callable[[Array, int, int, float, float], None], intrinsic(_scatter_pair))
prefetch = cast(Callable[[Array, int, int], None], intrinsic(prefer_literal=True)(_prefetch))
