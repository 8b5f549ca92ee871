"""What numpy and ``@`` say about a symbol of the language, in its words: for symbols alone, as sums
and products of them are sympy's own.
"""

from __future__ import annotations

from typing import Any, NoReturn

from recipe.language.errors import RecipeError

# Functions of numpy that sympy has by another name or not at all.
ELSEWHERE = {
    "absolute": "Abs(x)",
    "arccos": "acos(x)",
    "arcsin": "asin(x)",
    "arctan": "atan(x)",
    "cbrt": "x**Rational(1, 3)",
    "exp2": "2**x",
    "expm1": "exp(x) - 1",
    "log10": "log(x)/log(10)",
    "log1p": "log(1 + x)",
    "log2": "log(x)/log(2)",
    "reciprocal": "1/x",
    "square": "x**2",
}


class NoTransposeError(RecipeError, AttributeError):
    """A symbol has no transpose, which ``hasattr`` hears as well."""


class NotAnArray:
    """A symbol that is no array: functions of arrays and matrix products are refused with the
    repair, and arithmetic with numbers of numpy is sympy's.
    """

    __slots__ = ()

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        import numpy as np  # proofs alone do not need it

        name = ufunc.__name__
        if name == "matmul":
            refuse_matrix_product()
        if ufunc.nin == 1:
            raise RecipeError(
                f"numpy's {name} computes numbers, and {self} is a symbol; {in_sympy(name)}"
            )
        plain = [np.asarray(x, dtype=object) if isinstance(x, NotAnArray) else x for x in inputs]
        return getattr(ufunc, method)(*plain, **options)

    def sum(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse the sum of an array."""
        raise RecipeError(
            f"{self}.sum() is about arrays, and a block stands for one of its coordinates; write"
            f" total({self})"
        )

    def dot(self, *_: Any) -> NoReturn:
        """Refuse a product of arrays."""
        refuse_matrix_product()

    @property
    def T(self) -> NoReturn:
        """Refuse the transpose of an array."""
        raise NoTransposeError(
            f"{self}.T is about arrays, and a block stands for one of its coordinates; write a"
            " product x.T @ theta as total(x * theta), with x = Data('x', like=theta)"
        )

    def __matmul__(self, other: Any) -> NoReturn:
        refuse_matrix_product()

    def __rmatmul__(self, other: Any) -> NoReturn:
        refuse_matrix_product()


def in_sympy(name: str) -> str:
    """What to write in the place of a function of numpy, by its name there."""
    if name in ELSEWHERE:
        return f"write {ELSEWHERE[name]}, with the functions of sympy"
    import sympy

    if hasattr(sympy, name):
        return f"use the function of sympy, from sympy import {name}"
    return "write it with functions of sympy, such as exp and log"


def refuse_matrix_product() -> NoReturn:
    """Refuse ``x @ theta``, with the sum that is meant."""
    raise RecipeError(
        "@ multiplies arrays, and a block stands for one of its coordinates; write the product"
        " x @ theta as total(x * theta), with x = Data('x', like=theta)"
    )
