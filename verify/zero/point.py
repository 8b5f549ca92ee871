"""Explicit points of a recipe's domain, and exact evaluation at them in ball arithmetic.

A point gives every length a number, every coordinate and parameter an exact rational, and every abstract function, derivative and
matrix entry a rational of its own. The jets of a smooth function may be chosen freely (mixed partials symmetric, positive functions
positive); those of an elementwise function only at distinct arguments.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from functools import singledispatchmethod
from typing import Any

import flint
import sympy
from sympy import Add, Expr, Function, Interval, Mul, Pow, Rational, Symbol, oo
from sympy.core.function import AppliedUndef
from sympy.core.numbers import Exp1, Pi

from recipe.abstract import Dense, DenseEntry, Field, Jet, Partial, Potential
from recipe.symbols import GENERIC, Indexed, Length, Scalar, Simplex, Vector, assumptions_of
from recipe.total import Total

Ball = Any  # flint.arb
Places = Mapping[int, int]  # which coordinate each free label stands for, counted from 0

CANDIDATES = tuple(Rational(p, q) for q in (4, 1, 2) for p in (1, 3, 5, 6, 2, 4, 7, -1, -3, -5, 8, 0))
BITS = (128, 512)

FUNCTIONS: dict[type[Function], Callable[[Ball], Ball]] = {
    sympy.exp: lambda x: x.exp(),
    sympy.log: lambda x: x.log(),
    sympy.sin: lambda x: x.sin(),
    sympy.cos: lambda x: x.cos(),
    sympy.tan: lambda x: x.tan(),
    sympy.sinh: lambda x: x.sinh(),
    sympy.cosh: lambda x: x.cosh(),
    sympy.tanh: lambda x: x.tanh(),
    sympy.atan: lambda x: x.atan(),
    sympy.erf: lambda x: x.erf(),
    sympy.loggamma: lambda x: x.lgamma(),
}


class NoValueError(Exception):
    """The expression has no certain value at the point."""


class Point:
    """One point; values are chosen when they are first asked for, from a seed."""

    def __init__(self, sizes: Mapping[Length, int], seed: int, *, edge: bool = False) -> None:
        self.sizes = dict(sizes)
        self._random = random.Random(seed)
        self._edge = edge
        self._values: dict[Any, Rational] = {}
        self._arguments: dict[Any, list[tuple[Any, tuple[Ball, ...]]]] = {}

    def evaluate(self, e: Expr, places: Places | None = None) -> Ball:
        """A ball that contains the value, labels standing for ``places``.

        Raises:
            NoValueError: where the expression is not defined there, or its value depends on what cannot be told apart.
        """
        value = self._at(e, dict(places or {}))
        if not value.is_finite():
            raise NoValueError(f"{e} is not finite there")
        return value

    def shown(self) -> dict[str, str | list[str]]:
        """The values that were asked for."""
        found: dict[str, str | list[str]] = {str(length): str(n) for length, n in self.sizes.items()}
        vectors: dict[str, dict[int, Rational]] = {}
        for key, value in self._values.items():
            if isinstance(key, tuple) and len(key) == 3 and key[0] == "coordinate":
                vectors.setdefault(key[1].base, {})[key[2]] = value
            else:
                found[_key_text(key)] = str(value)
        for base, coordinates in vectors.items():
            found[base] = [str(coordinates.get(k, "any")) for k in range(max(coordinates) + 1)]
        return found

    # -- choosing values -----------------------------------------------------------------------------------------------------

    def choose(self, symbol: Symbol, k: int | None = None) -> Rational:
        """The value of a coordinate or of a plain symbol."""
        key = ("coordinate", symbol, k) if k is not None else symbol
        if key not in self._values:
            self._values[key] = self._chosen(symbol)
        return self._values[key]

    def _chosen(self, symbol: Symbol) -> Rational:
        domain = symbol.domain if isinstance(symbol, Vector | Scalar) else None
        if isinstance(domain, Simplex):
            return Rational(self._random.randint(1, 7), 8 * self.sizes[symbol.length])
        fitting = [c for c in CANDIDATES if _fits(c, symbol)]
        if isinstance(domain, Interval):
            fitting = [c for c in (*fitting, *_inside(domain)) if c in domain]
        if self._edge:
            special = (Rational(0), *((domain.start, domain.end) if isinstance(domain, Interval) else ()))
            fitting = [c for c in special if c in fitting or (isinstance(domain, Interval) and c in domain)] + fitting[:3]
        if not fitting:
            raise NoValueError(f"no value of {symbol} was found that satisfies its assumptions")
        return self._random.choice(fitting)

    def _free(self, key: Any, positive: bool) -> Ball:
        if key not in self._values:
            numerator = self._random.randint(1, 24) * (1 if positive or self._random.random() < 0.5 else -1)
            self._values[key] = Rational(numerator, 8)
        return _ball(self._values[key])

    # -- evaluation ----------------------------------------------------------------------------------------------------------

    @singledispatchmethod
    def _at(self, e: Expr, places: dict[int, int]) -> Ball:
        if type(e) in FUNCTIONS:
            return FUNCTIONS[type(e)](self._at(e.args[0], places))
        raise NoValueError(f"{type(e).__name__} cannot be evaluated")

    @_at.register
    def _(self, e: Rational, places: dict[int, int]) -> Ball:
        return _ball(e)

    @_at.register
    def _(self, e: Pi, places: dict[int, int]) -> Ball:
        return flint.arb.pi()

    @_at.register
    def _(self, e: Exp1, places: dict[int, int]) -> Ball:
        return flint.arb(1).exp()

    @_at.register
    def _(self, e: Symbol, places: dict[int, int]) -> Ball:
        return _ball(self.choose(e))

    @_at.register
    def _(self, e: Length, places: dict[int, int]) -> Ball:
        return flint.arb(self.sizes[e])

    @_at.register
    def _(self, e: Indexed, places: dict[int, int]) -> Ball:
        return _ball(self.choose(e.at(GENERIC), places[e.label]))

    @_at.register
    def _(self, e: Potential, places: dict[int, int]) -> Ball:
        return self._free(("jet", e, None, ()), positive=False)

    @_at.register
    def _(self, e: Field, places: dict[int, int]) -> Ball:
        return self._free(("jet", e.at(GENERIC), places[e.label], ()), positive=bool(e.is_positive))

    @_at.register
    def _(self, e: Partial, places: dict[int, int]) -> Ball:
        head = e.head.at(GENERIC) if isinstance(e.head, Field) else e.head
        at = places[e.head.label] if isinstance(e.head, Field) else None
        wrt = ((s.base, places[s.label]) if isinstance(s, Indexed) else (s.name, -1) for s in e.wrt)
        return self._free(("jet", head, at, tuple(sorted(wrt))), positive=False)

    @_at.register
    def _(self, e: DenseEntry, places: dict[int, int]) -> Ball:
        i, j = (places[label] for label in e.labels)
        if e.matrix.positive_definite:
            return self._positive_definite(e.matrix, i, j)
        key = ("entry", e.matrix, *((min(i, j), max(i, j)) if e.matrix.symmetric else (i, j)))
        return self._free(key, positive=False)

    def _positive_definite(self, matrix: Dense, i: int, j: int) -> Ball:
        """``R R^T + 1`` with a free ``R``."""
        n = self.sizes[matrix.row.length]
        products = [self._free(("root of", matrix, i, k), False) * self._free(("root of", matrix, j, k), False) for k in range(n)]
        return sum(products, flint.arb(1 if i == j else 0))

    @_at.register
    def _(self, e: Jet, places: dict[int, int]) -> Ball:
        return self._elementwise(e.applied, e.orders, places)

    @_at.register
    def _(self, e: AppliedUndef, places: dict[int, int]) -> Ball:
        return self._elementwise(e, (0,) * len(e.args), places)

    def _elementwise(self, e: AppliedUndef, orders: tuple[int, ...], places: dict[int, int]) -> Ball:
        """A free value at these arguments, the same one wherever the arguments are the same."""
        arguments = tuple(self._at(a, places) for a in e.args)
        written = tuple(_argument_name(a, ball, places) for a, ball in zip(e.args, arguments, strict=True))
        known = self._arguments.setdefault(e.func, [])
        for name, balls in known:
            if all(a.overlaps(b) for a, b in zip(arguments, balls, strict=True)):
                if name != written:
                    raise NoValueError(f"two arguments of {e.func} cannot be told apart")
                break
        else:
            known.append((written, arguments))
        positive = bool(e.is_positive) and not any(orders)
        return self._free(("function", e.func, orders, written), positive)

    @_at.register
    def _(self, e: Add, places: dict[int, int]) -> Ball:
        return sum((self._at(a, places) for a in e.args), flint.arb(0))

    @_at.register
    def _(self, e: Mul, places: dict[int, int]) -> Ball:
        result = flint.arb(1)
        for a in e.args:
            result *= self._at(a, places)
        return result

    @_at.register
    def _(self, e: Pow, places: dict[int, int]) -> Ball:
        base = self._at(e.base, places)
        if e.exp.is_Integer:
            return base ** int(e.exp)
        if e.exp == Rational(1, 2):
            return base.sqrt()
        if not base > 0:
            raise NoValueError(f"{e.base} is not known to be positive there")
        return base ** self._at(e.exp, places)

    @_at.register
    def _(self, e: Total, places: dict[int, int]) -> Ball:
        label = e.index.label
        return sum((self._at(e.body, {**places, label: k}) for k in range(self.sizes[e.index.length])), flint.arb(0))


def at_precision(bits: int, compute: Callable[[], Ball]) -> Ball:
    """Run a computation in ball arithmetic of so many bits."""
    before = flint.ctx.prec
    flint.ctx.prec = bits
    try:
        return compute()
    finally:
        flint.ctx.prec = before


def shown_ball(value: Ball) -> str:
    """A ball to twelve digits."""
    return str(value.str(12, radius=False))


def _ball(value: Rational) -> Ball:
    return flint.arb(flint.fmpq(int(value.p), int(value.q)))


def _argument_name(e: Expr, ball: Ball, places: Places) -> str:
    """An argument by its exact value, or, where that is irrational, by how it is written and at which coordinates."""
    if ball.is_exact():
        mantissa, exponent = (int(n) for n in ball.man_exp())
        return str(Rational(mantissa) * Rational(2) ** exponent)
    at = sorted((str(s), places[s.label] + 1) for s in e.free_symbols if isinstance(s, Indexed))
    return str(e) + "".join(f" at {s}={k}" for s, k in at)


def _inside(domain: Interval) -> list[Rational]:
    """A few rational points strictly between the ends."""
    start = domain.start if domain.start != -oo else (domain.end - 8 if domain.end != oo else Rational(-4))
    end = domain.end if domain.end != oo else start + 8
    if not (start.is_Rational and end.is_Rational):
        return []
    return [start + (end - start) * Rational(k, 16) for k in (3, 5, 8, 11, 14)]


def _fits(value: Rational, symbol: Symbol) -> bool:
    facts = assumptions_of(symbol)
    return all(getattr(value, f"is_{fact}", truth) in (truth, None) for fact, truth in facts.items() if fact != "commutative")


def _key_text(key: Any) -> str:
    if isinstance(key, Symbol):
        return key.name
    kind, head, *rest = key
    if kind == "jet":
        at, wrt = rest
        name = f"{head}" + ("" if at is None else f"[{at + 1}]")
        return f"d({name}, {', '.join(b if k < 0 else f'{b}[{k + 1}]' for b, k in wrt)})" if wrt else name
    if kind == "function":
        orders, written = rest
        return f"{head.__name__}{chr(39) * sum(orders)}({', '.join(written)})"
    return f"{'' if kind == 'entry' else kind + ' '}{head}[{rest[0] + 1}, {rest[1] + 1}]"
