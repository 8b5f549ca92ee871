"""Mixtures of laws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, overload

from sympy import Add, Basic, Expr, Rational, Symbol, Tuple, exp, log, oo
from sympy.core.symbol import Str

from recipe.language.blocks import Scalar
from recipe.language.errors import RecipeError
from recipe.language.log_density import LogDensity, Prior, no_variable
from recipe.laws.law import argument, named_law, positive_demands

ROUNDING = 1e-9  # floats such as 1/3 do not sum to 1 exactly
SHARES = (Rational(2, 7), Rational(5, 9))  # of the way through a domain: two points to look at


@overload
def mixture(weights: Sequence[Any], densities: Sequence[LogDensity]) -> LogDensity: ...


@overload
def mixture(weights: Sequence[Any], densities: Sequence[Prior]) -> Prior: ...


def mixture(
    weights: Sequence[Any], densities: Sequence[LogDensity] | Sequence[Prior]
) -> LogDensity | Prior:
    """Return the log density of the law that has each of some densities with a weight.

    Args:
        weights: the weights, above 0. They must sum to 1, which is looked at where they are made of
            numbers, scalar blocks and parameters.
        densities: the laws, one for each weight, at the same variable. Laws without their variable,
            ``[normal(-2, 1), normal(2, 1)]``, give a ``Prior``, as ``normal`` is; they must have
            the same support.

    Raises:
        RecipeError: where the numbers of weights and densities differ, a density is no
            ``LogDensity``, a weight may be 0 or less, or the weights do not sum to 1; where laws of
            a prior have two supports.
    """
    if len(weights) != len(densities) or not densities:
        raise RecipeError(
            f"mixture: {len(weights)} weights and {len(densities)} densities; give one weight for"
            " each"
        )
    priors = [d for d in densities if isinstance(d, Prior)]
    if len(priors) == len(densities):
        return _prior(weights, priors)
    for d in densities:
        if isinstance(d, Prior):
            raise RecipeError(f"mixture: {no_variable(d)}")
        if not isinstance(d, LogDensity):
            raise RecipeError(f"mixture: {d!r} is no law; write normal(y, mean, sd), for example")
    read = [argument(w, "a weight of mixture") for w in weights]
    _require_a_sum_of_one(read)
    demands = [d for w in read for d in positive_demands(w, "a weight of mixture")]
    given = [d for d in densities if isinstance(d, LogDensity)]
    joined = sum(given[1:], given[0])
    terms = (w * exp(d.expression) for w, d in zip(read, given, strict=True))
    every = tuple(dict.fromkeys((*demands, *joined.demands)))
    e, parts = log(Add(*terms)), [d.laws for d in given]
    known = all(len(p) == 1 for p in parts) and len({p[0].variable for p in parts}) == 1
    laws = tuple(p[0] for p in parts) if known else ()
    named = (
        named_law("mixture", laws[0].variable, e, weights=tuple(read), laws=laws) if known else ()
    )
    return LogDensity(e, every, joined.indicators, joined.variable, named, joined.of, joined.about)


@dataclass(frozen=True)
class _Parts:
    """The laws of a mixture, as a function of its variable and its arguments by name.

    Attributes:
        parts: the laws, without their variables.
    """

    parts: tuple[Prior, ...]

    def __call__(self, x: Any, **arguments: Expr) -> LogDensity:
        if isinstance(x, Sequence):  # numbers that have the law each
            return sum((self(each, **arguments) for each in x[1:]), self(x[0], **arguments))
        weights = [arguments[_weight(k)] for k in range(len(self.parts))]
        laws = [
            part.law(x, **{name: arguments[_argument(k, name)] for name, _ in part.arguments})
            for k, part in enumerate(self.parts)
        ]
        return mixture(weights, laws)


@dataclass(frozen=True, repr=False)
class _MixturePrior(Prior):
    """A mixture without its variable; its arguments are the weights and those of its laws."""

    @property
    def identity(self) -> Basic:
        return Tuple(super().identity, *(Str(name) for name, _ in self.arguments), *self._laws())

    @property
    def takes(self) -> str:
        return "mixture takes (weights, laws of x); write mixture([...], [normal(x, ...), ...])"

    def _laws(self) -> list[Basic]:
        parts: tuple[Prior, ...] = self.law.parts  # type: ignore[attr-defined]
        return [part.identity for part in parts]

    def __str__(self) -> str:
        parts: tuple[Prior, ...] = self.law.parts  # type: ignore[attr-defined]
        weights = ", ".join(str(e) for _, e in self.arguments[: len(parts)])
        return f"mixture([{weights}], [{', '.join(map(str, parts))}])"

    __repr__ = __str__


def _weight(k: int) -> str:
    return f"weight_{k + 1}"


def _argument(k: int, name: str) -> str:
    return f"{name}_{k + 1}"


def _prior(weights: Sequence[Any], parts: Sequence[Prior]) -> Prior:
    """Return a mixture of laws without their variables."""
    for part in parts[1:]:
        if part.domain != parts[0].domain:
            raise RecipeError(
                f"mixture: {parts[0]} is a law on {parts[0].domain} and {part} one on"
                f" {part.domain}; the laws of a prior must have one support"
            )
    read = [argument(w, "a weight of mixture") for w in weights]
    _require_a_sum_of_one(read)
    for w in read:
        positive_demands(w, "a weight of mixture")
    arguments = [(_weight(k), w) for k, w in enumerate(read)]
    arguments += [(_argument(k, n), e) for k, part in enumerate(parts) for n, e in part.arguments]
    return _MixturePrior("mixture", tuple(arguments), _Parts(tuple(parts)), parts[0].domain)


def _require_a_sum_of_one(weights: Sequence[Expr]) -> None:
    """Raise RecipeError where the weights do not sum to 1 at a point within the domains."""
    total = Add(*weights)
    symbols = sorted(total.free_symbols, key=str)
    if not all(type(s) in (Scalar, Symbol) for s in symbols):
        return
    for share in SHARES:
        at = {s: _inside(s, share / (n + 1)) for n, s in enumerate(symbols)}
        found = total.xreplace(at)
        off = (found - 1).evalf()
        if off.is_number and off.is_real and abs(off) > ROUNDING:
            where = ", ".join(f"{s.name} = {v}" for s, v in at.items())
            raise RecipeError(
                f"mixture: the weights sum to {total}, which is not 1"
                + (f" (at {where} it is {found})" if at else "")
                + "; write the last one as 1 minus the others"
            )


def _inside(s: Symbol, share: Expr) -> Expr:
    """Return a number of the domain of a block, or of a parameter."""
    low, high = (s.domain.inf, s.domain.sup) if isinstance(s, Scalar) else (0, oo)
    if high != oo and low != -oo:
        return low + (high - low) * share
    if high != oo:
        return high - share
    return share if low == -oo else low + share
