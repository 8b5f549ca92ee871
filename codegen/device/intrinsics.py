"""What device functions are made of: bits and numbers, one rounding for a product and a sum, and
how wide vectors are.

No operation of a module has a fast-math flag: each is rounded as it is written, and the numbers are
the same bits for any width of the vectors. What is to be fused says so by ``fma``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

device = njit(error_model="numpy", forceinline=True)
reduction = njit(error_model="numpy")

Word = Any  # an unsigned 64-bit integer: numpy.uint64 outside of Numba


@device
def as_float(word: Word) -> float:
    """The floating-point number with these bits."""
    return np.uint64(word).view(np.float64)


@device
def as_word(x: float) -> Word:
    """The bits of a floating-point number."""
    return np.float64(x).view(np.uint64)


@intrinsic
def fma(typing: Any, a: Any, b: Any, c: Any) -> Any:
    """a * b + c, rounded once: an instruction, or where the machine has none the exact function of
    the C library.
    """
    kind = next(
        (t for t in (a, b, c) if not isinstance(t, types.Number)), types.float64
    )  # else a vector of eight numbers
    fused = (lambda builder, values: builder.fma(*values)) if kind is types.float64 else kind.fused
    return kind(kind, kind, kind), lambda context, builder, signature, values: fused(
        builder, values
    )


@intrinsic
def held(typing: Any, x: Any) -> Any:
    """x itself, a constant of a polynomial: a value that LLVM does not look into, so that a loop
    has it before it begins.

    What it knows to be a constant is fetched in every turn, in machine code of a just-in-time
    compiler by two instructions, of which one holds the whole address (docs/decisions/0019).
    """
    kind = ir.FunctionType(ir.DoubleType(), [ir.DoubleType()])

    def code(context, builder, signature, values):  # type: ignore[no-untyped-def]  # a module has this text, and no Any
        return builder.call(
            builder.module.declare_intrinsic("llvm.arithmetic.fence", kind.args, kind), values
        )

    return types.float64(types.float64), code


@intrinsic
def wide(typing: Any) -> Any:
    """Lets the loops of the function that calls it use vectors of 512 bits, where the machine has
    them: elsewhere, nothing.
    """
    attribute = (
        '"prefer-vector-width"="512"'  # llvmlite's own add takes no attribute that has a value
    )
    return types.void(), lambda context, builder, signature, values: set.add(
        builder.function.attributes, attribute
    )


INTRINSICS = (fma, held, wide)
