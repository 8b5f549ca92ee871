"""``LogDensity``: the logarithm of a density, with what it demands of the data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sympy import Expr

from recipe.language.symbols import Indexed, Length, ScalarData, VectorData


@dataclass(frozen=True)
class Demand:
    """A demand on every number of a data array.

    Attributes:
        data: the symbol of the array.
        role: the place of the number in a law, such as "a label of bernoulli".
        lower, upper: the least and the greatest value; None where there is no such bound. The upper
            bound may be another number of the same datum.
        open: whether the bounds themselves are excluded.
        whole: whether the numbers are whole.
    """

    data: ScalarData | VectorData
    role: str
    lower: Expr | None = None
    upper: Expr | None = None
    open: bool = False
    whole: bool = False


@dataclass(frozen=True)
class Indicator:
    """A number of a datum that is derived from another one: 1 where a label has a value, else 0.

    Attributes:
        data: the symbol that stands for the indicator in expressions.
        label: the symbol of the labels.
        value: the label that it looks for; a length for the label that is one more than the last
            coordinate has.
    """

    data: ScalarData
    label: ScalarData
    value: int | Length


@dataclass(frozen=True, eq=False)
class NamedLaw:
    """A law by name of data, so that data can be drawn from it.

    Attributes:
        name: the function that the user called.
        variable: the data symbol that it is a law of.
        arguments: its arguments by name, expressions or tuples of them (weights and logits), or of
            other laws (the parts of a mixture).
        expression: the log density.
    """

    name: str
    variable: ScalarData | VectorData
    arguments: Mapping[str, Any]
    expression: Expr


@dataclass(frozen=True, eq=False)
class LogDensity:
    """The logarithm of a density or of a probability, as a law of ``recipe.laws`` returns it.

    It adds to others and to expressions, takes factors, and ``total`` sums it over coordinates. A
    ``Posterior`` takes it as ``log_likelihood`` or ``log_prior``, and checks what it demands.

    Attributes:
        expression: the logarithm itself, a sympy expression.
        demands: what each data array must satisfy.
        indicators: the data that are derived from labels.
        variable: the block or data that it is a law of, where that has coordinates, so that
            ``total`` knows what to sum over where the density is constant; None otherwise.
        laws: the laws of data that it is a sum of, as far as they are known. A law that is scaled
            is none any more.
    """

    expression: Expr
    demands: tuple[Demand, ...] = ()
    indicators: tuple[Indicator, ...] = ()
    variable: Indexed | None = None
    laws: tuple[NamedLaw, ...] = ()

    def __add__(self, other: Any) -> LogDensity:
        added = as_log_density(other)
        return LogDensity(
            self.expression + added.expression,
            tuple(dict.fromkeys((*self.demands, *added.demands))),
            tuple(dict.fromkeys((*self.indicators, *added.indicators))),
            self.variable or added.variable,
            (*self.laws, *added.laws),
        )

    __radd__ = __add__

    def __neg__(self) -> LogDensity:
        return self * -1

    def __sub__(self, other: Any) -> LogDensity:
        return self + -as_log_density(other)

    def __rsub__(self, other: Any) -> LogDensity:
        return -self + other

    def __mul__(self, factor: Any) -> LogDensity:
        return replace(self.mapped(self.expression * _factor(factor)), laws=())

    __rmul__ = __mul__

    def __truediv__(self, divisor: Any) -> LogDensity:
        return replace(self.mapped(self.expression / _factor(divisor)), laws=())

    def __str__(self) -> str:
        return str(self.expression)

    def mapped(self, expression: Expr) -> LogDensity:
        """Another expression of the same data, with the same demands."""
        return replace(self, expression=expression)


def _factor(e: Any) -> Expr:
    return _expression(e, "a factor of a log density")


def _expression(e: Any, where: str) -> Expr:
    from recipe.language.as_expression import as_expression  # it refuses laws

    return as_expression(e, where)


def as_log_density(e: Any, where: str = "a part of a log density") -> LogDensity:
    """Return a log density, or an expression or number as one that demands nothing.

    Args:
        e: the value.
        where: how the error message calls the place of the value.

    Raises:
        RecipeError: for anything else.
    """
    return e if isinstance(e, LogDensity) else LogDensity(_expression(e, where))
