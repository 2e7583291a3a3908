"""Several frames in one number: `LANES` float64 that compiled code adds and multiplies at once.

Inside a compiled function, `load(array, index)` gives such a value; `+`, `-`, `*` work between two
of them, or one and a float. The compiler's own vectoriser gives up on loops as long as those of
inverse dynamics (strided input, too many arrays that might overlap); here it has no choice. On a
processor with narrower registers a value simply takes more of them.

Arrays of any dimension are C-contiguous and addressed by flat indices, which are not checked: these
are the inner loops.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Iterable, Sequence
from inspect import Parameter
from typing import NamedTuple, TypeAlias, cast

from llvmlite import ir
from numba import types
from numba.core.base import BaseContext
from numba.core.typing.templates import Signature
from numba.extending import intrinsic, lower_builtin, models, register_model, type_callable

from poise.arrays import Array

LANES = 4
"""One AVX2 register, two NEON registers. Eight (AVX-512) were slower: the scratch leaves the L1
cache and values leave the registers."""

_VECTOR = ir.VectorType(ir.DoubleType(), LANES)
_PAIR = ir.VectorType(ir.DoubleType(), 2)
_UNDEFINED = ir.Constant(_VECTOR, ir.Undefined)
_FLAGS = ("contract",)  # as in poise.compiled: fuse a·b + c, nothing else

Kind: TypeAlias = types.Type
Value: TypeAlias = ir.NamedValue | ir.Constant


class LanesType(types.Type):
    """The type of such a value in Numba's eyes."""

    def __init__(self) -> None:
        super().__init__(name=f"lanes{LANES}")


lanes_type = LanesType()


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, dmm: object, fe_type: Kind) -> None:
        super().__init__(dmm, fe_type, _VECTOR)


class Code(NamedTuple):
    """Where an intrinsic writes its instructions, and what it was given."""

    context: BaseContext
    builder: ir.IRBuilder
    signature: Signature
    values: Sequence[Value]

    def address(self) -> Value:
        """Of the array's element: the first two arguments."""
        make = self.context.make_array(self.signature.args[0])
        return self.builder.gep(
            make(self.context, self.builder, self.values[0]).data, [self.values[1]]
        )

    def pointer(self, kind: ir.VectorType) -> Value:
        """To it and its neighbours."""
        return cast(Value, self.builder.bitcast(self.address(), kind.as_pointer()))

    def places(self) -> list[Value]:
        """The addresses of all lanes, the third argument apart."""
        start, stride = self.address(), self.values[2]
        steps = (self.builder.mul(stride, ir.Constant(stride.type, lane)) for lane in range(LANES))
        return [self.builder.gep(start, [step]) for step in steps]


def emitted(
    emit: Callable[[Code], Value | None],
) -> Callable[[BaseContext, ir.IRBuilder, Signature, Sequence[Value]], Value]:
    """As Numba calls it; what returns nothing returns Numba's nothing."""

    def codegen(
        context: BaseContext, builder: ir.IRBuilder, sig: Signature, args: Sequence[Value]
    ) -> Value:
        value = emit(Code(context, builder, sig, args))
        return context.get_dummy_value() if value is None else value

    return codegen


def lane_intrinsic(
    emit: Callable[[Code], Value | None], result: Kind, *kinds: Kind | None, literal: bool = False
) -> Callable[..., object]:
    """What compiled code may call; arguments of no kind are taken as they come.

    With `literal`, numbers that stand in the code arrive as such.
    """

    def typed(typingctx: object, *given: Kind) -> object:
        wanted = (own or kind for kind, own in zip(given, kinds, strict=True))
        return result(*wanted), emitted(emit)

    # Numba asks by name and number for what it passes.
    names = ("typingctx", *(f"argument{n}" for n in range(len(kinds))))
    parameters = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in names]
    vars(typed)["__signature__"] = inspect.Signature(parameters)
    typed.__name__ = emit.__name__
    return intrinsic(prefer_literal=literal)(typed)


def splat(builder: ir.IRBuilder, value: Value) -> Value:
    """A number in every lane."""
    one = builder.insert_element(_UNDEFINED, value, index(0))
    return builder.shuffle_vector(one, _UNDEFINED, mask([0] * LANES))


def index(lane: int) -> ir.Constant:
    """Of a lane."""
    return ir.Constant(ir.IntType(32), lane)


def mask(indices: Iterable[int]) -> ir.Constant:
    """Of a shuffle."""
    numbers = list(indices)
    return ir.Constant(ir.VectorType(ir.IntType(32), len(numbers)), numbers)


def _define(op: Callable[[float, float], float], instruction: str) -> None:
    def typing(context: object) -> Callable[[Kind, Kind], Kind | None]:
        def typer(a: Kind, b: Kind) -> Kind | None:
            pair = (isinstance(a, LanesType), isinstance(b, LanesType))
            other = b if pair[0] else a
            fits = pair == (True, True) or (any(pair) and isinstance(other, types.Float))
            return lanes_type if fits else None

        return typer

    def lower(code: Code) -> Value:
        a, b = (
            value if isinstance(kind, LanesType) else splat(code.builder, value)
            for kind, value in zip(code.signature.args, code.values, strict=True)
        )
        return getattr(code.builder, instruction)(a, b, flags=_FLAGS)

    type_callable(op)(typing)
    for pair in ((LanesType, LanesType), (LanesType, types.Float), (types.Float, LanesType)):
        lower_builtin(op, *pair)(emitted(lower))


_define(operator.add, "fadd")
_define(operator.sub, "fsub")
_define(operator.mul, "fmul")


def _load(code: Code) -> Value:
    return code.builder.load(code.pointer(_VECTOR), align=8)


def _store(code: Code) -> None:
    code.builder.store(code.values[2], code.pointer(_VECTOR), align=8)


def _gather(code: Code) -> Value:
    value = _UNDEFINED
    for lane, place in enumerate(code.places()):
        value = code.builder.insert_element(value, code.builder.load(place), index(lane))
    return value


def _scatter(code: Code) -> None:
    for lane, place in enumerate(code.places()):
        code.builder.store(code.builder.extract_element(code.values[3], index(lane)), place)


def _gather_pair(code: Code) -> Value:
    """Half the loads and a third of the shuffles of two single gathers.

    Pairs of even and of odd lanes stand side by side, and one interleaving of the two gives each
    value.
    """
    builder, places = code.builder, code.places()
    pairs = [builder.load(builder.bitcast(p, _PAIR.as_pointer()), align=8) for p in places]
    even, odd = _joined(builder, pairs[0::2]), _joined(builder, pairs[1::2])
    values = [builder.shuffle_vector(even, odd, mask(_interleaved(k))) for k in (0, 1)]
    return code.context.make_tuple(builder, code.signature.return_type, values)


def _scatter_pair(code: Code) -> None:
    builder, (first, second) = code.builder, code.values[3:]
    even, odd = (builder.shuffle_vector(first, second, mask(_interleaved(k))) for k in (0, 1))
    for lane, place in enumerate(code.places()):
        at = lane - lane % 2
        source = odd if lane % 2 else even
        pair = builder.shuffle_vector(source, _UNDEFINED, mask([at, at + 1]))
        builder.store(pair, builder.bitcast(place, _PAIR.as_pointer()), align=8)


def _prefetch(code: Code) -> None:
    builder, byte, word = code.builder, ir.IntType(8).as_pointer(), ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
    ask = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
    place = code.address()
    for line in range(code.signature.args[2].literal_value):
        at = builder.gep(place, [ir.Constant(code.values[1].type, 8 * line)])
        # Read, keep in all caches, data.
        builder.call(ask, [builder.bitcast(at, byte), *(word(n) for n in (0, 3, 1))])


def _joined(builder: ir.IRBuilder, parts: Sequence[Value]) -> Value:
    """Pairs, a power of two of them, put end to end."""
    size = 2
    while len(parts) > 1:
        size *= 2
        parts = [
            builder.shuffle_vector(a, b, mask(range(size)))
            for a, b in zip(parts[0::2], parts[1::2], strict=True)
        ]
    return parts[0]


def _interleaved(k: int) -> list[int]:
    """Every second number of two vectors in turn, from the first (k = 0) or the second on."""
    return [at for n in range(k, LANES, 2) for at in (n, LANES + n)]


_INT, _NONE, _TWO = types.intp, types.none, types.UniTuple(lanes_type, 2)

# To the type checker a value of several lanes is a float, as it is to whoever reads the formulas.
load = cast(Callable[[Array, int], float], lane_intrinsic(_load, lanes_type, None, _INT))
"""`LANES` neighbours of an array, from an index on."""
store = cast(
    Callable[[Array, int, float], None], lane_intrinsic(_store, _NONE, None, _INT, lanes_type)
)
"""Put a value's lanes next to each other into an array, from an index on."""
gather = cast(
    Callable[[Array, int, int], float], lane_intrinsic(_gather, lanes_type, None, _INT, _INT)
)
"""`LANES` numbers of an array, from an index on, a stride apart."""
scatter = cast(
    Callable[[Array, int, int, float], None],
    lane_intrinsic(_scatter, _NONE, None, _INT, _INT, lanes_type),
)
"""Put a value's lanes into an array, from an index on, a stride apart."""
gather_pair = cast(
    Callable[[Array, int, int], tuple[float, float]],
    lane_intrinsic(_gather_pair, _TWO, None, _INT, _INT),
)
"""Two values whose lanes are neighbours: `gather` at an index and at the next."""
scatter_pair = cast(
    Callable[[Array, int, int, float, float], None],
    lane_intrinsic(_scatter_pair, _NONE, None, _INT, _INT, lanes_type, lanes_type),
)
"""`scatter` the first value at an index and the second at the next."""
prefetch = cast(
    Callable[[Array, int, int], None],
    lane_intrinsic(_prefetch, _NONE, None, _INT, None, literal=True),
)
"""Ask for the next few cache lines (a literal number) of an array, from an index on.

Also past the end of the array: asking is not reading.
"""
