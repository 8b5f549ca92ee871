"""The operations that device functions are built of: bits and numbers, a product and a sum in one
rounding, and the width of vectors.

No operation of a module has a fast-math flag: each is rounded as it is written, and the numbers
have the same bits for any width of the vectors. Operations are fused only where ``fma`` is written.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

device = njit(error_model="numpy", forceinline=True)
reduction = njit(error_model="numpy")
start_kernel = njit(error_model="numpy")

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
    """x itself, as a value that LLVM does not treat as a constant: a loop then loads it once,
    before it begins.

    A constant would be loaded in every turn, in machine code of a just-in-time compiler by two
    instructions, of which one holds the whole address (docs/decisions/0019).
    """
    kind = ir.FunctionType(ir.DoubleType(), [ir.DoubleType()])

    def code(context, builder, signature, values):  # type: ignore[no-untyped-def]  # a module has this text, and no Any
        return builder.call(
            builder.module.declare_intrinsic("llvm.arithmetic.fence", kind.args, kind), values
        )

    return types.float64(types.float64), code


@intrinsic
def wide(typing: Any) -> Any:
    """Let the loops of the calling function use vectors of 512 bits where the machine has them;
    elsewhere it does nothing.
    """
    attribute = (
        '"prefer-vector-width"="512"'  # llvmlite's own add takes no attribute that has a value
    )
    return types.void(), lambda context, builder, signature, values: set.add(
        builder.function.attributes, attribute
    )


INTRINSICS = (fma, held, wide)
