"""``LogDensity``: the logarithm of a density, with what it demands of the data."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

from sympy import Basic, Expr, Set, Symbol, Tuple
from sympy.core.symbol import Str

from recipe.language.blocks import Scalar, Vector
from recipe.language.data import ScalarData, VectorData
from recipe.language.errors import OutsideLanguageError, RecipeError
from recipe.language.symbols import GENERIC, Indexed, Length


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
        of: the blocks that it has laws of.
        about: the blocks that it has laws of, and those that it has laws of some coordinates of, as
            of the ``m[now]`` of a series.
    """

    expression: Expr
    demands: tuple[Demand, ...] = ()
    indicators: tuple[Indicator, ...] = ()
    variable: Indexed | None = None
    laws: tuple[NamedLaw, ...] = ()
    of: tuple[Symbol, ...] = ()
    about: tuple[Symbol, ...] = ()

    def __add__(self, other: Any) -> LogDensity:
        added = as_log_density(other)
        return LogDensity(
            self.expression + added.expression,
            tuple(dict.fromkeys((*self.demands, *added.demands))),
            tuple(dict.fromkeys((*self.indicators, *added.indicators))),
            self.variable or added.variable,
            (*self.laws, *added.laws),
            tuple(dict.fromkeys((*self.of, *added.of))),
            tuple(dict.fromkeys((*self.about, *added.about))),
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


@dataclass(frozen=True)
class Prior:
    """A law without its variable, such as ``normal(0, 5)``: the ``prior`` of a block.

    Attributes:
        name: the function of ``recipe.laws`` that the user called.
        arguments: its arguments by name, in their order.
        law: the function itself.
        domain: the support of the law.
        density: the log density of a block that has the law, summed over its coordinates; None
            before there is a block.
    """

    name: str
    arguments: tuple[tuple[str, Expr], ...]
    law: Callable[..., LogDensity]
    domain: Set
    density: LogDensity | None = field(default=None, compare=False)

    @property
    def identity(self) -> Basic:
        """What a block with this law is compared by."""
        return Tuple(Str(self.name), *(e for _, e in self.arguments))

    @property
    def takes(self) -> str:
        """What the law takes to be a log density, as a clause."""
        needed = ", ".join(["x", *(name for name, _ in self.arguments)])
        return f"{self.name} takes ({needed}); write {self.name}(x, ...)"

    def on(self, block: Any) -> Prior:
        """Return the law of a block, with its density.

        Args:
            block: the block, without a prior; or a sequence of numbers that have the law each.

        Raises:
            RecipeError: where the law is none of such a block, its normalising constant depends on
                other blocks, or it depends on data.
        """
        from recipe.language.total import labels, total  # it imports this file

        where = f"the prior {self} of {getattr(block, 'name', block)}"
        self._check_arguments(block, where)
        density = self.law(block, **dict(self.arguments))
        if self.name == "laplace" and isinstance(block, Scalar | Vector):
            raise OutsideLanguageError(self._without_kink(block, where))
        if isinstance(block, Vector) and density.variable is not None:
            density = total(density)
        if labels(density.expression):
            raise RecipeError(f"{where} is of vectors, and {block} is one number")
        return replace(self, density=density)

    def _without_kink(self, block: Any, where: str) -> str:
        """What to write instead of a Laplace law: a normal law whose variance is exponential, and a
        smooth density that is close.
        """
        b, kind = getattr(block, "name", str(block)), type(block).__name__
        m, s = (f"({e})" if e.args else str(e) for _, e in self.arguments)
        smooth = f"-log(2 * {s}) - sqrt(({b} - {m})**2 + w**2) / {s}"
        smooth = f"total({smooth})" if kind == "Vector" else smooth
        return (
            f"{where} has a kink, where there is no gradient. The same law without a kink is that"
            f" of {m} + {s} * sqrt(2 * v) * z, with {kind}('v', prior=exponential(1)) and"
            f" {kind}('z', prior=normal(0, 1)): write that for {b}, and derived={{'{b}': ...}} to"
            f" see it. Smooth, and close to it, is log_prior={smooth} with a number w much smaller"
            " than the scale"
        )

    def _check_arguments(self, block: Any, where: str) -> None:
        """Refuse data among the arguments, and vectors of another length than the block."""
        written = {s for _, e in self.arguments for s in e.atoms(Symbol)}
        for s in sorted(written, key=str):
            if isinstance(s, VectorData) and s.coordinate is not None:
                raise RecipeError(
                    f"{where} has {s.length.owner}[{s.coordinate}]: a coordinate by its number"
                    " stands in a log likelihood only; make it a Scalar block of its own"
                )
            if isinstance(s, ScalarData | VectorData):
                datum = getattr(s, "labels", None) or s
                raise RecipeError(
                    f"{where} depends on {datum}, which is data; a prior has none, so write what"
                    f" depends on {datum} into log_likelihood"
                )
        if not isinstance(block, Vector):
            return
        for s in sorted(written, key=str):
            if isinstance(s, Indexed) and s.label == GENERIC and s.length != block.length:
                raise RecipeError(
                    f"{where}: {s} has another length than {block.name}; declare {block.name}"
                    f" with like={s}, or sum {s}, total(...)"
                )

    def __str__(self) -> str:
        known = inspect.signature(self.law).parameters
        by_name = {n for n, p in known.items() if p.kind is p.KEYWORD_ONLY}
        shown = (f"{n}={e}" if n in by_name else str(e) for n, e in self.arguments)
        return f"{self.name}({', '.join(shown)})"

    __repr__ = __str__

    def _no_density(self, *_: Any) -> NoReturn:
        raise RecipeError(no_variable(self))

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __neg__ = _no_density
    __truediv__ = __rtruediv__ = __pow__ = __rpow__ = _no_density


def no_variable(prior: Prior) -> str:
    """What is wrong with a law without its variable where a density must be."""
    return (
        f"{prior} is a law without its variable, and {prior.takes} for the log density, or declare"
        f" a block with it, Scalar('x', prior={prior})"
    )


def check_prior(name: str, prior: Any) -> None:
    """Require that the argument ``prior=`` of a block is a law without its variable.

    Raises:
        RecipeError: for anything else.
    """
    if isinstance(prior, Prior):
        return
    if isinstance(prior, LogDensity):
        said = "is a log density; leave out its variable"
    elif callable(prior):
        said = "is a function; call it with the arguments of the law"
    else:
        said = f"is {type(prior).__name__}; it must be a law of recipe.laws without its variable"
    raise RecipeError(
        f"the prior of {name} {said}, as in Scalar({name!r}, prior=normal(0, 1)); any other density"
        " is written into log_prior="
    )


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
