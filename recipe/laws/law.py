"""Check the arguments of a law, and collect what it demands of data."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from math import isfinite
from typing import Any, Concatenate, ParamSpec, Protocol, cast, overload

from sympy import Expr, Interval, Rational, Set, oo

from recipe.language.as_expression import as_expression
from recipe.language.blocks import Scalar, Vector
from recipe.language.data import ScalarData, VectorData
from recipe.language.errors import RecipeError
from recipe.language.log_density import Demand, LogDensity, NamedLaw, Prior
from recipe.language.symbols import Indexed, generic, name_of
from recipe.laws.above_zero import demands_above_zero
from recipe.laws.vectors import at_place, is_listed, listed, of_coordinates, require_above_zero

REALS = Interval(-oo, oo)
POSITIVE = Interval.open(0, oo)
UNIT = Interval.open(0, 1)
DATA = (ScalarData, VectorData)
BLOCKS = (Scalar, Vector)
P = ParamSpec("P")


class BlockLaw(Protocol[P]):
    """A law that a block may have: with its variable a log density, without it a ``Prior``."""

    __name__: str

    @overload
    def __call__(self, x: Any, /, *args: P.args, **kwargs: P.kwargs) -> LogDensity: ...

    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Prior: ...


def law_of_blocks(
    support: Set | Callable[..., Set],
) -> Callable[[Callable[Concatenate[Any, P], LogDensity]], BlockLaw[P]]:
    """Return a decorator: where the first argument of a law is missing, it returns a ``Prior``.

    Args:
        support: the set that the variable lies in, or a function of the arguments that returns it.
    """

    def decorated(f: Callable[Concatenate[Any, P], LogDensity]) -> BlockLaw[P]:
        signature = inspect.signature(f)
        by_place = [n for n, p in signature.parameters.items() if p.kind is not p.KEYWORD_ONLY]
        variable, *others = by_place

        @wraps(f)
        def law(*given: Any, **named: Any) -> LogDensity | Prior:
            unknown = [n for n in named if n not in signature.parameters]
            if unknown:
                raise RecipeError(
                    f"{f.__name__} has no argument {' or '.join(unknown)}; its arguments are"
                    f" {', '.join(signature.parameters)}"
                )
            count = len(given) + sum(n in by_place for n in named)
            if count < len(others) and _lacks(signature, given, named):
                raise RecipeError(
                    f"{f.__name__} needs {', '.join(others)}; the prior of a block is"
                    f" {f.__name__}({', '.join(others)})"
                )
            if count != len(others) or variable in named:
                return f(*given, **named)
            try:
                read = signature.bind(None, *given, **named).arguments
            except TypeError:
                return f(*given, **named)  # which says what is wrong with its arguments
            wanted = [n for n in read if n != variable]
            lives = support(**{n: read[n] for n in wanted}) if callable(support) else support
            arguments = {n: _of_a_prior(read[n], f"the {n} of {f.__name__}") for n in wanted}
            return Prior(f.__name__, tuple(arguments.items()), cast(Any, law), lives)

        return cast("BlockLaw[P]", law)

    return decorated


def _of_a_prior(e: Any, where: str) -> Any:
    """An argument of a law without its variable."""
    return listed(e, where) if is_listed(e) else argument(e, where)


def _lacks(signature: inspect.Signature, given: Any, named: Any) -> bool:
    """Return whether a law cannot be called so."""
    try:
        signature.bind(*given, **named)
    except TypeError:
        return True
    return False


@dataclass(frozen=True)
class Law:
    """A law whose arguments are being checked.

    Attributes:
        name: the function that the user called.
        support: the set that its variable lies in.
        positive: the arguments that must be above 0, by name.
        others: all other arguments, by name.
    """

    name: str
    support: Set
    positive: Mapping[str, Any]
    others: Mapping[str, Any]

    def read(self, x: Any) -> tuple[Expr, dict[str, Expr], tuple[Demand, ...]]:
        """Return the variable and the arguments as expressions, and what is demanded of data.

        Raises:
            RecipeError: for an argument outside its range, or a block whose domain is not within
                the support.
        """
        given = {**self.positive, **self.others}
        read = {name: self._argument(name, e, x) for name, e in given.items()}
        variable = argument(x, f"the variable of {self.name}")
        demands = [
            d
            for name in self.positive
            for d in positive_demands(read[name], f"the {name} of {self.name}")
        ]
        demands += self._demands_on(variable, read)
        return variable, read, tuple(demands)

    def _argument(self, name: str, e: Any, x: Any) -> Expr:
        where = f"the {name} of {self.name}"
        if not is_listed(e) or not isinstance(x, Vector | VectorData | Scalar):
            return argument(e, where)
        numbers = listed(e, where)
        if name in self.positive:
            require_above_zero(numbers, where)
        return of_coordinates(numbers, x, self.name, name)

    def at_place(self, k: int, count: int) -> Law:
        """The law of one of several numbers, which an argument may list a number for."""

        def own(arguments: Mapping[str, Any]) -> dict[str, Any]:
            return {
                n: at_place(e, k, count, f"the {n} of {self.name}") for n, e in arguments.items()
            }

        return replace(self, positive=own(self.positive), others=own(self.others))

    def _demands_on(self, x: Expr, arguments: Mapping[str, Expr]) -> list[Demand]:
        if self.support == REALS and not isinstance(x, BLOCKS):
            return []
        said = f"a value of {self.name}"
        if isinstance(x, DATA):
            return [_within(x, said, self.support)]
        if isinstance(x, BLOCKS):
            self._check_domain(x, arguments)
        elif self.support == POSITIVE:
            positive_demands(x, said)
        return []

    def _check_domain(self, block: Scalar | Vector, arguments: Mapping[str, Expr]) -> None:
        """Require that the domain of a block is the support, or that the law is cut off at numbers
        that do not move.
        """
        domain, name = block.domain, name_of(block)
        kind = type(block).__name__
        if not isinstance(domain, Interval) and domain.is_subset(REALS) is not True:
            raise RecipeError(
                f"{self.name}({name}): {name} lives on a simplex, where its coordinates are no"
                " independent numbers; use dirichlet"
            )
        if domain.is_subset(self.support.closure) is not True:
            raise RecipeError(
                f"{self.name}({name}) is a law on {self.support}, and {name} lives on {domain};"
                f" declare {name} = {kind}({name!r}, domain={_written(self.support)})"
            )
        moving = sorted(
            {str(generic(s)) for e in arguments.values() for s in e.atoms(*BLOCKS, *DATA)}
        )
        if moving and domain.closure != self.support.closure:
            raise RecipeError(
                f"{self.name}({name}) is cut off, as {name} lives on {domain}, and its normalising"
                f" constant depends on {', '.join(moving)}; write the density out, with that"
                " constant"
            )


def density(law: Law, x: Any, formula: Any) -> LogDensity:
    """Return the log density of a law at ``x``; ``formula`` gets the variable and the arguments.

    Of several numbers, such as an ``Ordered`` block, each has the law, and it is the sum.
    """
    if isinstance(x, Sequence) and not isinstance(x, str):
        if not len(x):
            raise RecipeError(f"{law.name}({x}): there is nothing in it that could have the law")
        first, *rest = [density(law.at_place(k, len(x)), e, formula) for k, e in enumerate(x)]
        return sum(rest, first)
    variable, arguments, demands = law.read(x)
    with_coordinates = variable if isinstance(variable, Indexed) else None
    e = formula(variable, **arguments)
    named = named_law(law.name, variable, e, **arguments)
    of = (generic(variable),) if isinstance(variable, BLOCKS) else ()
    about = _blocks_of(variable)
    return LogDensity(e, demands, variable=with_coordinates, laws=named, of=of, about=about)


def _blocks_of(variable: Expr) -> tuple[Any, ...]:
    """The blocks that a variable is made of; none where it has numbers of the data in it, beside
    labels that choose coordinates.
    """
    if any(getattr(s, "labels", None) is None for s in variable.atoms(*DATA)):
        return ()
    return tuple(sorted({generic(s) for s in variable.atoms(*BLOCKS)}, key=str))


def named_law(name: str, variable: Any, e: Expr, **arguments: Any) -> tuple[NamedLaw, ...]:
    """Return a law as one that data can be drawn from; nothing where its variable is no data."""
    if not isinstance(variable, DATA):
        return ()
    return (NamedLaw(name, generic(variable), arguments, e),)


def argument(e: Any, where: str) -> Expr:
    """Return an argument of a law as an expression; a float is the decimal that was typed."""
    if type(e) is float and isfinite(e):
        return Rational(repr(e))
    return as_expression(e, where)


def positive_demands(e: Expr, where: str) -> list[Demand]:
    """Return the demand that ``e`` is above 0, where it depends on the data.

    Raises:
        RecipeError: where it is a number, or a block or parameter, or an expression of these, that
            may be 0 or less.
    """
    if isinstance(e, DATA):
        return [_within(e, where, POSITIVE)]
    if e.is_positive or (e.is_nonnegative and isinstance(e, BLOCKS)):
        return []
    name = name_of(e)
    if isinstance(e, BLOCKS):
        kind = type(e).__name__
        raise RecipeError(
            f"{where} is {name}, which lives on {e.domain}, and it must be above 0; declare {name}"
            f" = {kind}({name!r}, {_above_zero(generic(e))})"
        )
    if e.is_Symbol:
        raise RecipeError(
            f"{where} is {name}, which may be negative; declare Parameter({name!r}, positive=True)"
        )
    if e.is_number or e.is_nonpositive:
        raise RecipeError(f"{where} is {e}, and it must be above 0")
    return demands_above_zero(e, where)


def _above_zero(block: Any) -> str:
    """What declares a block above 0, with the prior that it has."""
    if block.prior is None:
        return "domain=Interval.open(0, oo)"
    arguments = dict(block.prior.arguments)
    if block.prior.name == "normal" and arguments["mean"] == 0:
        return f"prior=half_normal({arguments['sd']})"
    return f"domain=Interval.open(0, oo), prior={block.prior}"


def _within(x: ScalarData | VectorData, role: str, support: Interval) -> Demand:
    lower, upper = (None if end in (-oo, oo) else end for end in (support.start, support.end))
    return Demand(generic(x), role, lower, upper, open=bool(support.left_open))


def _written(support: Interval) -> str:
    """The interval as a user writes it."""
    kind = "Interval.open" if support.left_open else "Interval"
    return f"{kind}({support.start}, {support.end})"
