"""What a user gives numbers of: the parameters of a sampler and the data of a posterior."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from sympy import Basic, Float, Integer, Rational, S, Symbol
from sympy.core.symbol import Str

from recipe.language.errors import RecipeError
from recipe.language.names import checked_name
from recipe.language.numpy_slips import NotAnArray
from recipe.language.symbols import GENERIC, Indexed, shared_length


@dataclass(frozen=True)
class KnownNumbers:
    """The numbers that a parameter carries, one for each coordinate.

    Attributes:
        numbers: the numbers, finite.
        source: what they were written in, as messages name it.
    """

    numbers: tuple[float, ...]
    source: str

    @property
    def identity(self) -> Basic:
        """What a parameter with these numbers is compared by."""
        text = " ".join(x.hex() for x in self.numbers)
        return Str(hashlib.sha256(text.encode()).hexdigest())

    @property
    def signs(self) -> dict[str, bool]:
        """The assumption of sympy on the sign of all numbers."""
        for fact, holds in (
            ("positive", lambda x: x > 0),
            ("negative", lambda x: x < 0),
            ("nonnegative", lambda x: x >= 0),
            ("nonpositive", lambda x: x <= 0),
        ):
            if all(map(holds, self.numbers)):
                return {fact: True}
        return {}


class VectorParameter(Indexed):
    """A constant with one value for each coordinate, such as counts or scales."""

    __slots__ = ()

    @property
    def known(self) -> KnownNumbers | None:
        """The numbers that it was declared with; None where they are given when a sampler runs."""
        return self.extra[0] if self.extra else None


def with_numbers(name: str, like: Indexed, known: KnownNumbers) -> VectorParameter:
    """Return a parameter that carries its numbers.

    Args:
        name: its name.
        like: what has the coordinates.
        known: the numbers, one for each coordinate.
    """
    facts = {"real": True, **known.signs}
    return Indexed.__new__(VectorParameter, name, like.length, GENERIC, (known,), **facts)  # type: ignore[return-value]


class Values:
    """The array that a ``Data`` symbol carries. It is equal to itself alone, whatever is in it.

    Args:
        array: the array.
    """

    __slots__ = ("array",)

    def __init__(self, array: Any) -> None:
        self.array = array

    @property
    def identity(self) -> Basic:
        """A number that no other array has as long as this one is there."""
        return Integer(id(self.array))


class VectorData(Indexed):
    """A row of the data set, with one value for each coordinate."""

    __slots__ = ()

    @property
    def values(self) -> Any:
        """The array that the symbol carries; None where it has none."""
        return self.extra[2].array if len(self.extra) > 2 else None

    @property
    def labels(self) -> ScalarData | None:
        """The data whose labels this one is derived from: 1 at the coordinate with that number, and
        0 elsewhere. None for data that are given.
        """
        return self.extra[0] if self.extra else None

    @property
    def coordinate(self) -> int | None:
        """The coordinate that every datum names, where it is a number; None for all other data."""
        found = self.labels
        return int(found.name) if found is not None and found.name.isdigit() else None

    @property
    def but_last(self) -> bool:
        """Whether the number of coordinates is a label as well, of no coordinate."""
        return bool(self.extra and self.extra[1])


def one_hot(name: str, like: Indexed, labels: ScalarData, but_last: bool = False) -> VectorData:
    """Return data that are 1 at the coordinate that a label names, and 0 elsewhere.

    Args:
        name: the name.
        like: what has the coordinates.
        labels: the symbol of the labels; its name is a number, where that names the coordinate.
        but_last: whether the number of coordinates is a label as well. What is multiplied by these
            data then has to be left out for that label.
    """
    extra = (labels, S.true if but_last else S.false)
    return Indexed.__new__(VectorData, name, like.length, GENERIC, extra, real=True)  # type: ignore[return-value]


class ScalarData(NotAnArray, Symbol):
    """One number of a datum, such as its label."""

    __slots__ = ("values",)
    values: Any

    def __new__(cls, name: str, values: Any = None) -> ScalarData:
        obj = Symbol.__xnew__(cls, name, real=True)
        obj.values = values
        return obj  # type: ignore[no-any-return]

    def _hashable_content(self) -> tuple[Any, ...]:
        content: tuple[Any, ...] = super()._hashable_content()
        return content if self.values is None else (*content, Values(self.values).identity)

    def __getitem__(self, labels: Any) -> NoReturn:
        """Refuse numbers of groups, which are data of another length."""
        raise RecipeError(
            f"{self.name}[{labels}]: data have one number a row; look the numbers of groups up"
            f" before, Data({self.name!r}, numbers[labels]) with arrays of numpy"
        )

    def __iter__(self) -> Any:
        raise TypeError(f"'ScalarData' object is not iterable: {self.name} is one number a row")

    def __reduce__(self) -> tuple[Any, ...]:
        return ScalarData, (self.name, self.values)

    def __getnewargs_ex__(self) -> Any:
        raise TypeError("data symbols are pickled through __reduce__")


def Parameter(
    name: str, like: Indexed | None = None, values: Any = None, **assumptions: bool
) -> Symbol:
    """A constant whose number is given when the sampler runs, or whose numbers are known.

    Args:
        name: an identifier.
        like: a ``Vector``; the parameter then has one value for each of its coordinates. Without it
            the parameter is one number.
        values: the numbers of a parameter with coordinates, a list or an array: it then has no
            place in ``params=``, and says how many coordinates there are.
        **assumptions: assumptions of sympy, such as ``positive=True``. Proofs use these and nothing
            else; the parameter is real unless you say otherwise. Of ``values`` the sign is assumed
            that all of them have.

    Returns:
        The symbol. A plain ``sympy.Symbol`` serves as well where the parameter is one number.

    Raises:
        RecipeError: for an unusable name, a ``like`` without coordinates, and values that are no
            finite numbers, or have other signs than the assumptions.

    Example:
        >>> from recipe import Parameter, Vector
        >>> from recipe.laws import normal
        >>> beta = Vector("beta")
        >>> sd = Parameter("sd", like=beta, values=[1, 2.5, 10])
        >>> Vector("beta", prior=normal(0, sd)).prior
        normal(0, sd)
    """
    checked_name(name)
    if values is not None:
        return _with_values(name, like, values, assumptions)
    assumptions.setdefault("real", True)
    if like is None:
        return Symbol(name, **assumptions)
    return Indexed.__new__(
        VectorParameter, name, shared_length(name, like), GENERIC, (), **assumptions
    )


def _with_values(name: str, like: Any, values: Any, wanted: Mapping[str, bool]) -> VectorParameter:
    where = f"the values of Parameter({name!r})"
    if like is None:
        raise RecipeError(
            f"{where} are one for each coordinate of a block; give like=, the block, or write a"
            " single number as it is"
        )
    shared_length(name, like)
    numbers = tuple(float_of(e) for e in listed_numbers(values, where))
    found = with_numbers(name, like, KnownNumbers(numbers, where))
    for fact, truth in wanted.items():
        if getattr(found, f"is_{fact}") is not truth:
            raise RecipeError(f"{where} are not all {fact}={truth}, as it is declared")
    return found


def listed_numbers(values: Any, where: str) -> tuple[Rational, ...]:
    """Return numbers that a user listed; a float is the decimal that was typed.

    Args:
        values: a list, a tuple, an array of one dimension or a column.
        where: how messages call them.

    Raises:
        RecipeError: for what is no list of finite numbers, and for names of coordinates, which no
            place here is matched by.
    """
    if isinstance(values, str | bytes | Basic | Mapping) or not hasattr(values, "__len__"):
        raise RecipeError(f"{where} are {values!r}, and must be a list or an array of numbers")
    index = getattr(values, "index", None)
    if index is not None and not callable(index) and list(index) != list(range(len(values))):
        raise RecipeError(f"{where} have the index of a column; give them without, .to_numpy()")
    listed = values.tolist() if hasattr(values, "tolist") else list(values)
    if not listed:
        raise RecipeError(f"{where} are an empty list; give one number for each coordinate")
    return tuple(_number_listed(x, k, where) for k, x in enumerate(listed))


def _number_listed(x: Any, k: int, where: str) -> Rational:
    number = x.item() if hasattr(x, "item") and not isinstance(x, Basic) else x
    if isinstance(number, Float):
        number = float(number)
    if isinstance(number, float) and math.isfinite(number):
        return Rational(repr(number))
    whole = isinstance(number, int | Rational) and not isinstance(number, bool)
    if whole and abs(number) < 2**53:
        return Rational(number)
    raise RecipeError(f"{where} have {x!r} at the place {k}, which is no finite number of float64")


def float_of(x: Rational) -> float:
    """Return the nearest float of a fraction."""
    return int(x.p) / int(x.q)


def Data(name: str, values: Any = None, like: Indexed | None = None) -> Symbol:
    """A value that each datum of a ``Posterior`` brings.

    Args:
        name: an identifier.
        values: the array of all N data, or a list or a column of a table; it must not change.
            Without it the array is given to the ``Posterior``, as ``data={symbol: array}``.
        like: a ``Vector``; the datum then brings one value for each of its coordinates, and the
            array behind the symbol has the shape (N, d). Without it the datum brings one number,
            and the array has the shape (N,).

    Returns:
        The symbol, for the ``log_likelihood`` of one datum and as a key of ``data``. Two symbols
        are equal where they carry the same array, or none.

    Raises:
        RecipeError: for an unusable name, values that are no array, or a ``like`` without
            coordinates.

    Example:
        >>> from recipe import Data, Posterior, Vector, total
        >>> theta = Vector("theta")
        >>> x, y = Data("x", [[1.0, 2.0]], like=theta), Data("y", [3.0])
        >>> least_squares = -((y - total(x * theta)) ** 2) / 2
        >>> model = Posterior(theta, least_squares, log_prior=-total(theta**2) / 2)
    """
    checked_name(name)
    if values is not None:
        _check_values(name, values)
    if like is None:
        return ScalarData(name, values)
    extra = () if values is None else (None, S.false, Values(values))  # no labels are behind it
    return Indexed.__new__(VectorData, name, shared_length(name, like), GENERIC, extra, real=True)


def _check_values(name: str, values: Any) -> None:
    """Refuse what cannot be the array of a ``Data`` symbol."""
    if isinstance(values, Indexed):
        raise RecipeError(
            f"Data({name!r}, {values}): the values of {name} are an array; for data with a value"
            f" for each coordinate of {values} write Data({name!r}, like={values})"
        )
    if isinstance(values, str | bytes | Basic | Mapping) or not hasattr(values, "__len__"):
        raise RecipeError(
            f"the values of Data({name!r}, ...) are {type(values).__name__}, and must be an array,"
            " a list or a column of a table, with a row for each datum"
        )
