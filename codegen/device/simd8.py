"""Eight coordinates at once: an index ``at = whole(i)`` in the place of ``i``, and vectors of eight
numbers in the place of one number.

The text of a formula is the same for one coordinate and for eight: ``theta[at]`` reads or writes
the coordinates i .. i + 7. With ``at = lanes(i, n)`` it takes only those that are less than n, for
the last coordinates; a processor without masks has to compare each time. Every operation is applied
to each of the eight numbers, so the bits are those of eight separate operations on any machine;
LLVM cuts the vectors to the width of the machine.

Generated modules contain the text of this file from ``INDEX`` to the last function before
``lanes_text``.
"""

from __future__ import annotations

import inspect
import operator
import sys
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import (
    intrinsic,
    lower_builtin,
    lower_cast,
    models,
    register_model,
    type_callable,
)

INDEX = ir.IntType(64)
NUMBERS = ir.VectorType(ir.DoubleType(), 8)
NUMBERED = ir.Constant(ir.VectorType(INDEX, 8), [0, 1, 2, 3, 4, 5, 6, 7])
EIGHT = np.uint64(8)


class Lanes(types.Type):
    """The index of eight coordinates: the first, and how many there are from it on."""


class Eight(types.Type):
    """Eight numbers."""

    def fused(self, builder: Any, values: Any) -> Any:
        """In LLVM, the first times the second plus the third, rounded once."""
        return called(builder, "llvm.fma.v8f64", NUMBERS, values)


lanes_type = Lanes("lanes")
eight_type = Eight("eight")
register_model(Lanes)(
    lambda manager, kind: models.PrimitiveModel(manager, kind, ir.LiteralStructType([INDEX, INDEX]))
)
register_model(Eight)(lambda manager, kind: models.PrimitiveModel(manager, kind, NUMBERS))


def repeated(builder: Any, value: Any) -> Any:
    """In LLVM, a value eight times."""
    first = builder.insert_element(
        ir.Constant(ir.VectorType(value.type, 8), ir.Undefined), value, ir.IntType(32)(0)
    )
    return builder.shuffle_vector(
        first, first, ir.Constant(ir.VectorType(ir.IntType(32), 8), [0] * 8)
    )


def there(builder: Any, at: Any) -> Any:
    """In LLVM, a mask of the eight coordinates that exist."""
    return builder.icmp_unsigned("<", NUMBERED, repeated(builder, builder.extract_value(at, 1)))


def called(builder: Any, name: str, result: Any, values: Any) -> Any:
    """In LLVM, the call of one of its own functions."""
    kind = ir.FunctionType(result, [v.type for v in values])
    return builder.call(builder.module.declare_intrinsic(name, fnty=kind), values)


def place_of(context: Any, builder: Any, kind: Any, array: Any, at: Any) -> Any:
    """In LLVM, the address of the first of eight elements, or all eight addresses if the elements
    are not side by side.
    """
    first = builder.extract_value(at, 0)
    if isinstance(kind, types.CPointer):
        return builder.gep(array, [first]), "p0"
    data = context.make_array(kind)(context, builder, array)
    if kind.layout == "C":
        return builder.gep(data.data, [first]), "p0"
    stride = repeated(builder, builder.extract_value(data.strides, 0))
    which = builder.add(repeated(builder, first), NUMBERED)
    spread = builder.add(
        repeated(builder, builder.ptrtoint(data.data, INDEX)), builder.mul(stride, which)
    )
    return builder.inttoptr(spread, ir.VectorType(data.data.type, 8)), "v8p0"


def read_eight(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """In LLVM, eight elements of an array as numbers; 0 where there is no element."""
    kind = signature.args[0]
    number = kind.dtype
    one = context.get_data_type(number)
    vector = ir.VectorType(one, 8)
    place, many = place_of(context, builder, kind, values[0], values[1])
    name = f"llvm.masked.{'load' if many == 'p0' else 'gather'}.v8{one.intrinsic_name}.{many}"
    align = ir.IntType(32)(number.bitwidth // 8)
    found = called(
        builder,
        name,
        vector,
        [place, align, there(builder, values[1]), ir.Constant(vector, [one(0)] * 8)],
    )
    if number == types.float64:
        return found
    if number == types.float32:
        return builder.fpext(found, NUMBERS)
    return builder.sitofp(found, NUMBERS) if number.signed else builder.uitofp(found, NUMBERS)


@type_callable(operator.getitem)
def type_of_read(context: Any) -> Any:
    """An array at a ``Lanes`` is an ``Eight``."""
    return lambda array, at: eight_type if isinstance(at, Lanes) else None


lower_builtin(operator.getitem, types.Array, Lanes)(read_eight)
lower_builtin(operator.getitem, types.CPointer, Lanes)(read_eight)


@type_callable(operator.setitem)
def type_of_write(context: Any) -> Any:
    """An ``Eight`` goes into an array at a ``Lanes``."""
    return lambda array, at, values: types.none if isinstance(at, Lanes) else None


@lower_builtin(operator.setitem, types.Array, Lanes, Eight)
def write_eight(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """In LLVM, write eight numbers into an array of adjacent elements, as far as there are
    elements.
    """
    place, many = place_of(context, builder, signature.args[0], values[0], values[1])
    align = ir.IntType(32)(8)
    name = f"llvm.masked.{'store' if many == 'p0' else 'scatter'}.v8f64.{many}"
    called(builder, name, ir.VoidType(), [values[2], place, align, there(builder, values[1])])
    return context.get_dummy_value()


@lower_cast(types.Float, Eight)
def as_eight(context: Any, builder: Any, source: Any, target: Any, value: Any) -> Any:
    """In LLVM, a number eight times."""
    return repeated(builder, value)


def arithmetic(symbol: Any, instruction: Any) -> None:
    """Let an operator work on eights, and on an eight and a number."""

    @type_callable(symbol)
    def type_of(context: Any) -> Any:
        return lambda a, b: eight_type if isinstance(a, Eight) or isinstance(b, Eight) else None

    def lowered(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        both = [
            context.cast(builder, v, kind, eight_type)
            for v, kind in zip(values, signature.args, strict=True)
        ]
        return instruction(builder, *both)

    for kinds in ((Eight, Eight), (Eight, types.Float), (types.Float, Eight)):
        lower_builtin(symbol, *kinds)(lowered)


arithmetic(operator.add, ir.IRBuilder.fadd)
arithmetic(operator.sub, ir.IRBuilder.fsub)
arithmetic(operator.mul, ir.IRBuilder.fmul)
arithmetic(operator.truediv, ir.IRBuilder.fdiv)


@type_callable(operator.neg)
def type_of_minus(context: Any) -> Any:
    """Minus an ``Eight``."""
    return lambda a: eight_type if isinstance(a, Eight) else None


@lower_builtin(operator.neg, Eight)
def minus_eight(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """In LLVM, the eight numbers with the opposite sign."""
    return builder.fneg(values[0])


@type_callable(float)
def type_of_float(context: Any) -> Any:
    """An ``Eight`` as it is read is one of floats already."""
    return lambda a: eight_type if isinstance(a, Eight) else None


@lower_builtin(float, Eight)
def float_of_eight(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """In LLVM, nothing."""
    return values[0]


@intrinsic
def lanes(typing: Any, i: Any, n: Any) -> Any:
    """The index of the coordinates i .. i + 7, as far as they are less than n."""

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        both = ir.Constant(ir.LiteralStructType([INDEX, INDEX]), ir.Undefined)
        return builder.insert_value(
            builder.insert_value(both, values[0], 0), builder.sub(values[1], values[0]), 1
        )

    return lanes_type(types.uint64, types.uint64), code


@intrinsic
def whole(typing: Any, i: Any) -> Any:
    """The index of the coordinates i .. i + 7, all of which exist."""

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        both = ir.Constant(ir.LiteralStructType([INDEX, INDEX]), [INDEX(0), INDEX(8)])
        return builder.insert_value(both, values[0], 0)

    return lanes_type(types.uint64), code


@intrinsic
def eight(typing: Any, a: Any) -> Any:
    """A number eight times."""
    return eight_type(eight_type), lambda context, builder, signature, values: values[0]


@intrinsic
def inside(typing: Any, at: Any, new: Any, old: Any) -> Any:
    """The new numbers at coordinates that exist, the old ones beyond them."""

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.select(there(builder, values[0]), values[1], values[2])

    return eight_type(lanes_type, eight_type, eight_type), code


@intrinsic
def pairwise(typing: Any, a: Any) -> Any:
    """The sum of the eight numbers in pairs: l and l + 4, of these l and l + 2, of these the
    two.
    """

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        rest = values[0]
        for half in (4, 2, 1):
            low, high = (
                ir.Constant(ir.VectorType(ir.IntType(32), half), list(range(k, k + half)))
                for k in (0, half)
            )
            rest = builder.fadd(
                builder.shuffle_vector(rest, rest, low), builder.shuffle_vector(rest, rest, high)
            )
        return builder.extract_element(rest, ir.IntType(32)(0))

    return types.float64(eight_type), code


@intrinsic(prefer_literal=True)
def local_numbers(typing: Any, count: Any) -> Any:
    """Room for that many numbers on the stack; the count is written as a number."""
    return types.CPointer(types.float64)(count), lambda context, builder, signature, values: room(
        builder, ir.DoubleType(), count
    )


@intrinsic(prefer_literal=True)
def local_rows(typing: Any, count: Any) -> Any:
    """Room for that many row numbers on the stack."""
    return types.CPointer(types.uint64)(count), lambda context, builder, signature, values: room(
        builder, INDEX, count
    )


def room(builder: Any, kind: Any, count: Any) -> Any:
    """In LLVM, the address at which an array on the stack begins."""
    with builder.goto_entry_block():
        place = builder.alloca(kind, ir.IntType(32)(count.literal_value))
    place.align = 64
    return place


@intrinsic
def fetch(typing: Any, array: Any, row: Any) -> Any:
    """Prefetch a row of a two-dimensional array, so that it is in the cache when it is read."""

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kind = signature.args[0]
        data = context.make_array(kind)(context, builder, values[0])
        byte, word = ir.IntType(8), ir.IntType(32)
        place = builder.ptrtoint(data.data, INDEX)
        place = builder.add(place, builder.mul(builder.extract_value(data.strides, 0), values[1]))
        width = builder.mul(builder.extract_value(data.shape, 1), INDEX(kind.dtype.bitwidth // 8))
        block = builder.block
        body, after = builder.append_basic_block("fetch"), builder.append_basic_block("fetched")
        builder.branch(body)
        builder.position_at_end(body)
        at = builder.phi(INDEX)
        at.add_incoming(INDEX(0), block)
        pointer = builder.inttoptr(builder.add(place, at), byte.as_pointer())
        called(builder, "llvm.prefetch.p0", ir.VoidType(), [pointer, word(0), word(3), word(1)])
        following = builder.add(at, INDEX(64))
        at.add_incoming(following, body)
        builder.cbranch(builder.icmp_unsigned("<", following, width), body, after)
        builder.position_at_end(after)
        return context.get_dummy_value()

    return types.void(array, types.uint64), code


def lanes_text() -> str:
    """Return the text, without type hints, that a module embeds to work on eight coordinates at
    once.
    """
    source = inspect.getsource(sys.modules[__name__])
    start, end = source.index("INDEX = "), source.index("def lanes_text")
    return (
        source[start:end]
        .replace(": Any", "")
        .replace(" -> Any", "")
        .replace(" -> None", "")
        .strip("\n")
    )
