"""What numpy and ``@`` say about a symbol of the language, in its words: for symbols alone, as sums
and products of them are sympy's own.
"""

from __future__ import annotations

from typing import Any, NoReturn

from recipe.language.errors import RecipeError


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
                f"numpy's {name} computes numbers, and {self} is a symbol; use the function of"
                f" sympy, from sympy import {name}"
            )
        plain = [np.asarray(x, dtype=object) if isinstance(x, NotAnArray) else x for x in inputs]
        return getattr(ufunc, method)(*plain, **options)

    def __matmul__(self, other: Any) -> NoReturn:
        refuse_matrix_product()

    def __rmatmul__(self, other: Any) -> NoReturn:
        refuse_matrix_product()


def refuse_matrix_product() -> NoReturn:
    """Refuse ``x @ theta``, with the sum that is meant."""
    raise RecipeError(
        "@ multiplies arrays, and a block stands for one of its coordinates; write the product"
        " x @ theta as total(x * theta), with x = Data('x', like=theta)"
    )
