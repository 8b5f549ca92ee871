"""What LLVM has and Python has no word for: one rounding for a product and a sum, and how wide vectors are.

Generated modules contain the text of these two functions. No operation of a module has a fast-math flag, so each is rounded as it
is written, and the numbers are the same bits for any width of the vectors; what is to be fused says so by ``fma``.
"""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import intrinsic


@intrinsic
def fma(typing: Any, a: Any, b: Any, c: Any) -> Any:
    """a * b + c, rounded once: an instruction, or where the machine has none the exact function of the C library."""
    number = types.float64
    return number(number, number, number), lambda context, builder, signature, values: builder.fma(*values)


@intrinsic
def wide(typing: Any) -> Any:
    """Lets the loops of the function that calls it use vectors of 512 bits, where the machine has them: elsewhere, nothing."""
    attribute = '"prefer-vector-width"="512"'  # llvmlite's own add takes no attribute that has a value
    return types.void(), lambda context, builder, signature, values: set.add(builder.function.attributes, attribute)


INTRINSICS = (fma, wide)
