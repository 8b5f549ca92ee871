"""Arguments of a law that are listed numbers, one for each coordinate of its variable."""

from __future__ import annotations

from typing import Any

from sympy import Basic, Expr, Rational, Tuple

from recipe.language.blocks import Vector
from recipe.language.data import KnownNumbers, VectorData, float_of, listed_numbers, with_numbers
from recipe.language.errors import RecipeError
from recipe.language.names import fitting_name
from recipe.language.symbols import name_of

MOST_SHOWN = 8  # numbers of a list in messages and tables


class Listed(Tuple):
    """Numbers that stand for the coordinates of a variable that is not known yet."""

    def __str__(self) -> str:
        shown = [str(x) if x.is_Integer else repr(float_of(x)) for x in self.args]
        if len(shown) > MOST_SHOWN:
            shown = [*shown[: MOST_SHOWN - 2], "...", shown[-1]]
        return f"[{', '.join(shown)}]"

    __repr__ = __str__

    def _sympystr(self, _: Any) -> str:
        return str(self)


def is_listed(e: Any) -> bool:
    """Whether an argument is several numbers, and no expression."""
    if isinstance(e, Listed):
        return True
    return not isinstance(e, str | bytes | Basic) and hasattr(e, "__len__")


def listed(e: Any, where: str) -> Listed:
    """Return an argument that is several numbers.

    Args:
        e: the argument.
        where: how messages call it.

    Raises:
        RecipeError: where it is no list of finite numbers.
    """
    return e if isinstance(e, Listed) else Listed(*listed_numbers(e, f"the numbers of {where}"))


def of_coordinates(e: Listed, x: Any, law: str, name: str) -> Expr:
    """Return the parameter that has these numbers in the coordinates of a variable.

    Args:
        e: the numbers.
        x: the variable.
        law, name: the law, and the name of the argument.

    Raises:
        RecipeError: where the variable is one number.
    """
    if not isinstance(x, Vector | VectorData):
        raise RecipeError(
            f"the {name} of {law} is {e}, {len(e)} numbers, and {x} is no vector; give one number,"
            " or for one of each row a Data symbol"
        )
    known = KnownNumbers(tuple(map(float_of, e)), f"the {name} {e} of {law}")
    return with_numbers(fitting_name(f"{name}_of_{name_of(x)}"), x, known)


def require_above_zero(e: Listed, where: str) -> None:
    """Require that all numbers of an argument are above 0.

    Raises:
        RecipeError: naming the first that is not.
    """
    for k, x in enumerate(e):
        if not x > 0:
            raise RecipeError(f"{where} is {e}, and must be above 0; its number {k} is {x}")


def at_place(e: Any, k: int, count: int, where: str) -> Rational | Any:
    """Return the number of an argument for one of several variables, such as the numbers of an
    ``Ordered`` block; an argument that is no list is that of all of them.

    Raises:
        RecipeError: where there are more or fewer numbers than variables.
    """
    if not is_listed(e):
        return e
    numbers = listed(e, where)
    if len(numbers) != count:
        raise RecipeError(f"{where} is {numbers}, {len(numbers)} numbers for {count} variables")
    return numbers[k]
