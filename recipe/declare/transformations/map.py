"""``Map``: a change of variable ``theta = f(phi)`` from the real line, or an interval, onto a
domain.

Only its form is checked here. The verifier proves that it is monotone, that it reaches the whole
domain, and that its inverse is one. Its derivative is derived, never given.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sympy
from sympy import Abs, Dummy, Expr, Interval, Lambda, Rational, S, Symbol, oo, sign
from sympy.core.function import FunctionClass

from recipe.language.as_expression import as_expression
from recipe.language.blocks import Scalar, with_decimal_ends
from recipe.language.checks.validate import read
from recipe.language.data import ScalarData
from recipe.language.errors import OutsideLanguageError, RecipeError
from recipe.language.noise import ScalarNoise
from recipe.language.symbols import Indexed, Length

NOT_PARAMETERS = (Indexed, Scalar, ScalarNoise, ScalarData, Length)
PHI, THETA = Symbol("phi", real=True), Symbol("theta", real=True)


@dataclass(frozen=True)
class Map:
    """A change of variable ``theta = forward(phi)`` for phi in ``domain``.

    Attributes:
        name: the name in messages.
        forward: the map, a sympy ``Lambda`` of one real symbol; ``|phi|`` may occur in it.
        inverse: the map back; None where it has no closed form.
        domain: the interval of phi.

    Raises:
        RecipeError: where the domain is no interval, or an expression is not a function of its
            variable and of parameters.
    """

    name: str
    forward: Lambda
    inverse: Lambda | None
    domain: Interval

    def __post_init__(self) -> None:
        if not isinstance(self.domain, Interval) or not self.domain.start < self.domain.end:
            raise RecipeError(
                f"{self.name}: the domain {self.domain} of a map must be an Interval, such as"
                " Interval(-oo, oo)"
            )
        object.__setattr__(self, "forward", _read(self.forward, f"the map {self.name}"))
        if self.inverse is not None:
            object.__setattr__(self, "inverse", _read(self.inverse, f"the inverse of {self.name}"))

    def __call__(self, phi: Expr) -> Expr:
        """The value ``f(phi)``."""
        return self.forward(phi)

    def derivative(self, phi: Expr, order: int = 1) -> Expr:
        """The derivative ``f'(phi)``, or one of higher order, at points where it exists."""
        (x,) = self.forward.variables
        e = self.forward.expr
        for _ in range(order):
            e = derivative(e, x)
        return Lambda(x, e)(phi)

    @property
    def kink(self) -> bool:
        """True if the map contains an absolute value, so that its derivatives may jump at 0."""
        return bool(self.forward.expr.has(Abs))

    def __str__(self) -> str:
        return self.name


def derivative(e: Expr, x: Symbol) -> Expr:
    """The derivative by x away from 0.

    The rules are ``d|x|/dx = sign(x)``, ``d sign(x)/dx = 0``, ``x sign(x) = |x|`` and ``sign(x)^2 =
    1``.
    """
    if not e.has(Abs, sign):
        return e.diff(x)
    size, direction = Dummy("size", positive=True), Dummy("direction", real=True)
    apart = e.xreplace({Abs(x): size, sign(x): direction})
    # x = direction size lets terms cancel; direction^2 = 1 does the rest.
    slope = (apart.diff(x) + direction * apart.diff(size)).xreplace({x: direction * size})
    constant, odd = _parity(slope, direction)
    return (sympy.factor(constant) + direction * sympy.factor(odd)).xreplace(
        {size: Abs(x), direction: sign(x)}
    )


def _parity(e: Expr, direction: Symbol) -> tuple[Expr, Expr]:
    """Return ``(a, b)`` with ``e = a + direction b`` where ``direction`` is 1 or -1."""
    up, down = (e.xreplace({direction: value}) for value in (S.One, S.NegativeOne))
    return (up + down) / 2, (up - down) / 2


def as_map(f: Any, *, inverse: Any = None, domain: Any = None) -> Map:
    """Return the ``Map`` that a user means.

    Args:
        f: a ``Map``, a sympy function such as ``exp``, a ``Lambda``, or a Python function of one
            symbol.
        inverse: the inverse, in one of these forms. Without it sympy is asked for one; the verifier
            proves the answer before anything depends on it.
        domain: the interval that f is defined on; by default the real line.

    Raises:
        RecipeError: where f is no function of one number, or no inverse is found.
    """
    if isinstance(f, Map):
        if inverse is not None or domain is not None:
            raise RecipeError(
                f"{f} is a Map, which has its inverse and its domain; give those of a plain"
                " function only"
            )
        return f
    forward = _as_lambda(f, PHI, "f")
    name = f.__name__ if isinstance(f, FunctionClass) else str(forward.expr)
    if domain is None or domain == S.Reals:
        where = S.Reals
    else:
        where = with_decimal_ends(domain) if isinstance(domain, Interval) else domain
    found = Map(name, forward, None, where)
    backward = _solved(found) if inverse is None else _as_lambda(inverse, THETA, "inverse")
    return Map(name, found.forward, backward, found.domain)


def _as_lambda(f: Any, x: Symbol, where: str) -> Lambda:
    """Return a function of one number as a ``Lambda`` of x."""
    if isinstance(f, Lambda):
        if len(f.variables) != 1:
            raise RecipeError(f"{where}={f} must be a function of one number")
        return Lambda(x, f(x))
    if not callable(f) or isinstance(f, Expr):
        raise RecipeError(
            f"{where}={f} is no function; write a function of one symbol, such as exp or lambda x:"
            " x + exp(x)"
        )
    return Lambda(x, as_expression(_called(f, x, where), f"{where}({x})"))


def _called(f: Callable[[Symbol], Any], x: Symbol, where: str) -> Any:
    try:
        return f(x)
    except Exception as error:
        raise RecipeError(
            f"{where} could not be called with one symbol: {type(error).__name__}: {error}"
        ) from None


def _read(f: Lambda, where: str) -> Lambda:
    """Return the function after a check that it is an expression of the language in its variable
    and in parameters.
    """
    if f == S.IdentityFunction:
        return f
    (x,) = f.variables
    if not x.is_real:
        raise RecipeError(
            f"{where}: its variable {x} must be declared real, Symbol({x.name!r}, real=True)"
        )
    if f.expr.has(sign):
        raise OutsideLanguageError(f"{where}: sign({x}) jumps, and a map must be continuous")
    size = Dummy("size", positive=True)
    e = read(f.expr.xreplace({Abs(x): size}), where).xreplace({size: Abs(x)})
    foreign = next((s for s in e.free_symbols if s != x and isinstance(s, NOT_PARAMETERS)), None)
    if foreign is not None:
        raise RecipeError(
            f"{where}: {foreign} is no parameter; a map takes one number to one number, the same in"
            " every coordinate"
        )
    if x not in e.free_symbols:
        raise RecipeError(f"{where} = {e} does not depend on its variable")
    return Lambda(x, e)


def _solved(f: Map) -> Lambda:
    """The inverse among sympy's solutions of ``f(phi) = theta`` that maps values of f at some
    points back to these points.
    """
    (x,) = f.forward.variables
    try:
        candidates = sympy.solve(f.forward.expr - THETA, x)
    except (NotImplementedError, ValueError, TypeError, RecursionError):
        candidates = []
    for e in candidates:
        if (
            e.free_symbols <= f.forward.free_symbols | {THETA}
            and _is_written(e)
            and _goes_back(f, Lambda(THETA, e))
        ):
            return Lambda(THETA, e)
    raise RecipeError(
        f"no inverse of {f} on {f.domain} was found; give it, inverse=..., if it has one there"
    )


def _is_written(e: Expr) -> bool:
    """Return True if the expression is made of the forms of the language."""
    try:
        read(e, "the inverse")
    except RecipeError:
        return False
    return True


def _goes_back(f: Map, inverse: Lambda) -> bool:
    """Return True if the inverse maps values of f back at some points, in floating point.

    This chooses a candidate for the verifier to prove; it proves nothing.
    """
    values = {s: Rational(k + 2, 3) for k, s in enumerate(sorted(f.forward.free_symbols, key=str))}
    try:
        return all(
            abs(complex(inverse(f(p)).xreplace(values)) - p) < 1e-9 * (1 + abs(p))
            for p in _points(f.domain)
        )
    except (TypeError, ValueError, ArithmeticError):
        return False


def _points(domain: Interval) -> list[Expr]:
    """A few points inside of the interval."""
    low, high = domain.start, domain.end
    if low == -oo and high == oo:
        return [Rational(n, 2) for n in (-3, -1, 1, 3)]
    if high == oo:
        return [low + Rational(n, 2) for n in (1, 3)]
    if low == -oo:
        return [high - Rational(n, 2) for n in (1, 3)]
    return [low + (high - low) * Rational(n, 4) for n in (1, 2, 3)]
