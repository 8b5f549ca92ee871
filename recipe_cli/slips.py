"""Slips of somebody who is new to symbols: the exception of Python, sympy or numpy in the words of
this language.

numpy and Python's own functions compute with numbers, and an expression has none yet. What they
then raise names neither the line of the model nor its repair.
"""

from __future__ import annotations

import inspect
import re

from recipe import laws
from recipe.language.numpy_slips import in_sympy

# The message of an exception, and the sentence in its place. A message of another kind stays.
SLIPS: tuple[tuple[str, str], ...] = (
    (
        r"no callable (?P<f>\w+) method",
        "numpy's {name} computes numbers, and this is an expression; {instead}",
    ),
    (
        r"[Cc]annot convert expression to float",
        "a function of Python that computes numbers, such as math.log or float, was given an"
        " expression; use the function of sympy, such as from sympy import log",
    ),
    (
        r"cannot determine truth value of Relational: (?P<f>.*)",
        "{name} is neither true nor false, as it is about a symbol, and models have no branches;"
        " declare where the block lives, as in Scalar('x', domain=Interval.open(0, oo)), or write"
        " a smooth expression",
    ),
    (
        r"bad operand type for unary -: '\w*Than'|unsupported operand.*'\w*Than'",
        "a comparison is no number, and models have no branches; declare where the block lives, as"
        " in Scalar('x', domain=Interval.open(0, oo)), or write a smooth expression",
    ),
    (
        r"unsupported operand type\(s\) for @|matmul: Input operand \d does not have enough dim",
        "@ multiplies arrays, and a block stands for one of its coordinates; write the product"
        " x @ theta as total(x * theta), with x = Data('x', like=theta), or dot(M, theta) with a"
        " Dense matrix",
    ),
    (
        r"'(Vector|Scalar|VectorData|ScalarData|VectorParameter|Mul|Add|Pow)' object is not"
        r" (iterable|subscr)",
        "a block stands for one of its coordinates and has no others to go through; write the sum"
        " as total(theta**2), and a value that differs by coordinate as Data or as"
        " Parameter(..., like=theta)",
    ),
    (
        r"object of type '(Vector|VectorData|VectorParameter)' has no len|'Length' object cannot",
        "the number of coordinates is a symbol until the sampler runs; write it as theta.dim, and"
        " a sum over the coordinates as total(...)",
    ),
    (
        r"(Scalar|Vector)\.__new__\(\) got an unexpected keyword argument '(positive|nonneg\w*)'",
        "a block says where it lives by domain=Interval.open(0, oo), with Interval and oo from"
        " sympy, or has a law there, prior=half_normal(1)",
    ),
)


def slip_of(error: BaseException) -> str | None:
    """Return the sentence for a slip; None where the exception is of another kind."""
    if not isinstance(error, TypeError | ValueError | AttributeError):
        return None
    text = str(error)
    law = re.fullmatch(r"(\w+)\(\) got an unexpected keyword argument '\w+'", text)
    if law is not None and law[1] in laws.__all__:
        own = ", ".join(inspect.signature(getattr(laws, law[1])).parameters)
        return f"the law is {law[1]}({own}); give its arguments by these names, or in this order"
    for pattern, sentence in SLIPS:
        found = re.search(pattern, text)
        if found is not None:
            names = found.groupdict()
            name = names.get("f") or ""
            return sentence.format(name=name, instead=in_sympy(name))
    return None
