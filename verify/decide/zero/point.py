"""Explicit points of a recipe's domain, and exact evaluation at them in ball arithmetic.

A point gives every length a number, every coordinate and parameter an exact rational, and every
abstract function, derivative and matrix entry a rational of its own. The jets of a smooth function
may be chosen freely (mixed partials symmetric, positive functions positive); those of an
elementwise function only at distinct arguments.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterable, Mapping
from functools import reduce, singledispatch
from typing import Any

import flint
import sympy
from sympy import Add, Expr, Function, Mul, Pow, Rational, Symbol
from sympy.core.function import AppliedUndef
from sympy.core.numbers import Exp1, Pi

from recipe.language.abstract import Dense, DenseEntry, Field, Jet, Partial, Potential
from recipe.language.assumed import ParameterCondition, assumed
from recipe.language.calculus import abstract_atoms
from recipe.language.domain import on_simplex
from recipe.language.symbols import (
    GENERIC,
    Block,
    Indexed,
    Length,
    Scalar,
    Vector,
)
from recipe.language.total import Total, free_indexed
from verify.decide.identities.maximum import Maximum
from verify.decide.zero.candidate_values import (
    candidates,
    fits,
    generic_value,
    is_discrete,
    is_inside,
)
from verify.decide.zero.condition_places import Places, keys_of, lengths_of, places_of

Ball = Any  # flint.arb

LONG = 8  # terms of a sum whose value is remembered
TRIES_UNDER_CONDITIONS = 400  # choices of parameters among which one meets all conditions
WORKING_BITS = (128, 512)  # precisions of ball arithmetic; the second if the first is too coarse
# A positive definite matrix is R R^T plus this multiple of the identity, so that its values are
# neither all large nor all small.
RIDGE = Rational(1, 8)
ROOT = "root"  # marks the keys of entries of R, which are chosen and not printed

BALL_FUNCTIONS: dict[type[Function], Callable[[Ball], Ball]] = {
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
    sympy.gamma: lambda x: x.gamma(),
    sympy.asin: lambda x: x.asin(),
    sympy.acos: lambda x: x.acos(),
    sympy.asinh: lambda x: x.asinh(),
    sympy.acosh: lambda x: x.acosh(),
    sympy.atanh: lambda x: x.atanh(),
    sympy.Abs: abs,
}


class NoValueError(Exception):
    """The expression has no value at the point, or none that ball arithmetic can enclose."""


class Point:
    """One point of the domain. Each value is chosen when it is first needed, by a generator with a
    seed.

    ``sizes`` gives every length a number; ``edge`` prefers values at the ends of domains; at the
    ``origin`` every coordinate is 0 that may be; ``generic`` values are fractions with a large
    denominator, at which a function hardly vanishes by chance.
    """

    def __init__(
        self,
        sizes: Mapping[Length, int],
        seed: int,
        *,
        edge: bool = False,
        origin: bool = False,
        generic: bool = False,
    ) -> None:
        self.sizes = dict(sizes)
        self._random = random.Random(seed)
        self._edge = edge
        self._origin = origin
        self._generic = generic
        self._values: dict[Any, Rational] = {}
        self._arguments: dict[Any, list[tuple[Any, tuple[Ball, ...]]]] = {}
        self._known: dict[tuple[Expr, int], Ball] = {}  # values of sums, by precision
        self._conditions_hold = False
        self._parameters_put = False

    def evaluate(self, e: Expr, places: Places | None = None) -> Ball:
        """Return a ball that contains the value of ``e``, each free label standing for the
        coordinate in ``places``.

        Raises:
            NoValueError: if the expression is not defined at the point, or its value depends on
                numbers that ball arithmetic cannot tell apart.
        """
        if assumed():
            self._check_conditions(assumed())
        value = _value(e, self, places or {})
        if not value.is_finite():
            raise NoValueError(f"{e} is not finite there")
        return value

    def is_exactly_zero(self, e: Expr, places: Places) -> bool:
        """Return True if rational arithmetic shows that the expression is zero at the point.

        False for expressions with abstract functions, which are not evaluated this way.
        """
        if abstract_atoms(e):
            return False
        values = {
            s: self.choose(s.at(GENERIC), places[s.label])
            for s in free_indexed(e)
            if not isinstance(s, Length)
        }
        values |= {
            s: self.choose(s) for s in e.atoms(Symbol) - values.keys() if not isinstance(s, Length)
        }
        lengths = {s: Rational(self.sizes[s]) for s in e.atoms(Length)}
        return bool(e.xreplace(values | lengths) == 0)

    def shown(self) -> dict[str, str | list[str]]:
        """The values chosen so far, by printable name; a vector as the list of its coordinates."""
        found: dict[str, str | list[str]] = {
            str(length): str(n) for length, n in self.sizes.items()
        }
        vectors: dict[str, dict[int, Rational]] = {}
        roots: dict[Dense, dict[int, list[Rational]]] = {}
        for key, value in self._values.items():
            if isinstance(key, tuple) and len(key) == 3 and key[0] == "coordinate":
                vectors.setdefault(key[1].base, {})[key[2]] = value
            elif isinstance(key, tuple) and key[0] == ROOT:
                roots.setdefault(key[1], {}).setdefault(key[2], []).append(value)
            else:
                found[_key_text(key)] = str(value)
        for matrix, rows in roots.items():
            for i, j in itertools.combinations_with_replacement(sorted(rows), 2):
                entry = sum(
                    (a * b for a, b in zip(rows[i], rows[j], strict=True)), RIDGE * int(i == j)
                )
                found[_key_text(("entry", matrix, i, j))] = str(entry)
        for base, coordinates in vectors.items():
            found[base] = [str(coordinates.get(k, "any")) for k in range(max(coordinates) + 1)]
        return found

    # -- moving
    # ----------------------------------------------------------------------------------------------

    def movable(self) -> list[Any]:
        """The keys of the values that may vary continuously: coordinates, parameters and free
        values.

        Empty if a value of an elementwise function was chosen, as that belongs to its arguments.
        """
        if any(isinstance(key, tuple) and key[0] == "function" for key in self._values):
            return []
        return [
            key
            for key in self._values
            if _symbol_of(key) is None or not is_discrete(_symbol_of(key))
        ]

    def value_of(self, key: Any) -> Rational:
        """The value chosen for a key."""
        return self._values[key]

    def moved(self, values: Mapping[Any, Rational]) -> Point | None:
        """The point with some values replaced.

        None if a new value violates the declaration of its symbol, or changes the sign of a jet.
        """
        for key, value in values.items():
            symbol = _symbol_of(key)
            if symbol is None and value * self._values[key] <= 0:
                return None
            if symbol is not None and not (fits(value, symbol) and is_inside(value, symbol)):
                return None
        point = Point(self.sizes, 0, edge=self._edge)
        point._values = {**self._values, **values}
        return None if point._leaves_a_simplex() or not point.meets_conditions() else point

    def meets_conditions(self) -> bool:
        """Return True if the values chosen, and others that this call chooses, are seen to meet the
        conditions between parameters of the proof at hand.
        """
        try:
            self._choose_under(assumed())
        except NoValueError:
            return False
        return True

    def _leaves_a_simplex(self) -> bool:
        totals: dict[Any, Rational] = {}
        for key, value in self._values.items():
            symbol = _symbol_of(key)
            if on_simplex(symbol):
                totals[symbol] = totals.get(symbol, Rational(0)) + value
        return any(total >= 1 for total in totals.values())

    # -- choosing values
    # ----------------------------------------------------------------------------------------------

    def choose(self, symbol: Symbol, k: int | None = None) -> Rational:
        """The value of coordinate k of a block, or with ``k=None`` of a plain symbol.

        Raises:
            NoValueError: if no candidate satisfies the assumptions of the symbol.
        """
        key = ("coordinate", symbol, k) if k is not None else symbol
        if key not in self._values and assumed():
            self._choose_under(assumed())
        if key not in self._values:
            self._values[key] = self._chosen(symbol)
        return self._values[key]

    def _choose_under(self, conditions: tuple[ParameterCondition, ...]) -> None:
        """Choose all parameters in conditions between parameters at once, so that these hold.

        Raises:
            NoValueError: if no such values were found.
        """
        if self._conditions_hold:
            return
        places = self._places_of(conditions)
        keys = [key for c, k in places for key in keys_of(c.e, k, self.sizes)]
        free = [key for key in dict.fromkeys(keys) if key not in self._values]
        self._conditions_hold = True  # while the conditions are evaluated below
        for _ in range(TRIES_UNDER_CONDITIONS if free else 1):
            self._known.clear()
            self._values |= {key: self._chosen(_parameter_of(key)) for key in free}
            values = [(_value(c.e, self, k), c) for c, k in places]
            if all(v > 0 if c.is_strict else v >= 0 for v, c in values):
                return
        self._conditions_hold = False
        self._known.clear()
        for key in free:
            del self._values[key]
        raise NoValueError("no values of the parameters were found for which the conditions hold")

    def _places_of(
        self, conditions: tuple[ParameterCondition, ...]
    ) -> list[tuple[ParameterCondition, Places]]:
        for c in conditions:
            if not lengths_of(c) <= self.sizes.keys():
                raise NoValueError(f"{c} is about parameters of an unknown length")
        return [(c, k) for c in conditions for k in places_of(c, self.sizes)]

    def _check_conditions(self, conditions: tuple[ParameterCondition, ...]) -> None:
        """Check the conditions that no choice of a parameter will check: those of lengths alone,
        and all of them where a parameter was put.

        Raises:
            NoValueError: where one of them does not hold.
        """
        if self._parameters_put:
            self._choose_under(conditions)
        for c in conditions:
            lengths = c.e.atoms(Length)
            if c.e.free_symbols == lengths and lengths <= self.sizes.keys():
                value = _value(c.e, self, {})
                if not (value > 0 if c.is_strict else value >= 0):
                    raise NoValueError(f"{c} does not hold for these lengths")

    def choose_all(self, symbols: Iterable[Symbol]) -> dict[Symbol, Rational] | None:
        """The values of lengths and plain symbols, chosen in this order.

        None if no value of one of them satisfies its assumptions.
        """
        try:
            return {
                s: Rational(self.sizes[s]) if isinstance(s, Length) else self.choose(s)
                for s in symbols
            }
        except NoValueError:
            return None

    def coordinates(self, block: Block) -> range:
        """The numbers of the coordinates of a block, counted from 0; a scalar has one."""
        return range(self.sizes.get(block.length, 1) if isinstance(block, Vector) else 1)

    def put(self, symbol: Symbol, k: int | None, value: Rational) -> None:
        """Set coordinate k of a block (``k=None``: a plain symbol) before it is chosen, as on an
        edge of its domain.
        """
        self._parameters_put |= not isinstance(symbol, Vector | Scalar)
        self._values[("coordinate", symbol, k) if k is not None else symbol] = value
        self._known.clear()

    def _chosen(self, symbol: Symbol) -> Rational:
        if on_simplex(symbol):
            return Rational(self._random.randint(1, 7), 8 * self.sizes[symbol.length])
        if self._generic and not is_discrete(symbol):
            value = generic_value(symbol, self._random)
            if value is None:
                raise _no_value_of(symbol)
            return value
        fitting = candidates(symbol, self._edge)
        if not fitting:
            raise _no_value_of(symbol)
        if self._origin and isinstance(symbol, Vector | Scalar) and 0 in fitting:
            return Rational(0)
        return self._random.choice(fitting)

    def free(self, key: Any, positive: bool) -> Ball:
        """The value of an atom that may be chosen freely, such as a derivative of an abstract
        function.
        """
        if key not in self._values:
            numerator = self._random.randint(1, 24) * (
                1 if positive or self._random.random() < 0.5 else -1
            )
            if self._edge and not positive and self._random.random() < 0.3:
                numerator = 0
            self._values[key] = Rational(numerator, 8)
        return _ball(self._values[key])

    def positive_definite(self, matrix: Dense, i: int, j: int) -> Ball:
        """The entry (i, j) of a positive definite matrix ``R R^T + 1/8``, where R is chosen
        freely.
        """
        n = self.sizes[matrix.row.length]
        products = [
            self.free((ROOT, matrix, i, k), False) * self.free((ROOT, matrix, j, k), False)
            for k in range(n)
        ]
        return sum(products, _ball(RIDGE * int(i == j)))

    def remembered(self, e: Expr, compute: Callable[[], Ball]) -> Ball:
        """The value of an expression without a free coordinate, which is computed once: the many
        equations about a model hold the same long sums.
        """
        key = e, flint.ctx.prec
        if key not in self._known:
            self._known[key] = compute()
        return self._known[key]

    def elementwise(self, e: AppliedUndef, orders: tuple[int, ...], places: Places) -> Ball:
        """The derivative of the given orders of an elementwise function: free, but equal at equal
        arguments.

        Raises:
            NoValueError: if two arguments of the function cannot be told apart.
        """
        arguments = tuple(_value(a, self, places) for a in e.args)
        written = tuple(
            _argument_name(a, ball, places) for a, ball in zip(e.args, arguments, strict=True)
        )
        known = self._arguments.setdefault(e.func, [])
        for name, balls in known:
            if all(a.overlaps(b) for a, b in zip(arguments, balls, strict=True)):
                if name != written:
                    raise NoValueError(f"two arguments of {e.func} cannot be told apart")
                break
        else:
            known.append((written, arguments))
        return self.free(
            ("function", e.func, orders, written), positive=bool(e.is_positive) and not any(orders)
        )


@singledispatch
def _value(e: Expr, point: Point, places: Places) -> Ball:
    if type(e) in BALL_FUNCTIONS:
        return BALL_FUNCTIONS[type(e)](_value(e.args[0], point, places))
    raise NoValueError(f"{type(e).__name__} cannot be evaluated")


@_value.register
def _(e: sympy.polygamma, point: Point, places: Places) -> Ball:
    if not e.args[0].is_Integer:
        raise NoValueError(f"{e} cannot be evaluated")
    order, at = int(e.args[0]), _value(e.args[1], point, places)
    if order == 0:
        return at.digamma()
    # (-1)^(m+1) m! zeta(m + 1, z), the sum of (z + k)^-(m+1)
    return flint.arb(order + 1).zeta(at) * (-1) ** (order + 1) * math.factorial(order)


@_value.register
def _(e: sympy.sign, point: Point, places: Places) -> Ball:
    value = _value(e.args[0], point, places)
    if value.contains(0):
        raise NoValueError(f"{e} jumps there")
    return flint.arb(1 if value > 0 else -1)


@_value.register
def _(e: Maximum, point: Point, places: Places) -> Ball:
    # The maximum of two balls encloses that of each number in one with each in the other.
    return reduce(lambda a, b: a.max(b), (_value(a, point, places) for a in e.args))


@_value.register
def _(e: Rational, point: Point, places: Places) -> Ball:
    return _ball(e)


@_value.register
def _(e: Pi, point: Point, places: Places) -> Ball:
    return flint.arb.pi()


@_value.register
def _(e: Exp1, point: Point, places: Places) -> Ball:
    return flint.arb(1).exp()


@_value.register
def _(e: Symbol, point: Point, places: Places) -> Ball:
    return _ball(point.choose(e))


@_value.register
def _(e: Length, point: Point, places: Places) -> Ball:
    return flint.arb(point.sizes[e])


@_value.register
def _(e: Indexed, point: Point, places: Places) -> Ball:
    return _ball(point.choose(e.at(GENERIC), places[e.label]))


@_value.register
def _(e: Potential, point: Point, places: Places) -> Ball:
    return point.free(("jet", e, None, ()), positive=False)


@_value.register
def _(e: Field, point: Point, places: Places) -> Ball:
    return point.free(("jet", e.at(GENERIC), places[e.label], ()), positive=bool(e.is_positive))


@_value.register
def _(e: Partial, point: Point, places: Places) -> Ball:
    head = e.head.at(GENERIC) if isinstance(e.head, Field) else e.head
    at = places[e.head.label] if isinstance(e.head, Field) else None
    wrt = ((s.base, places[s.label]) if isinstance(s, Indexed) else (s.name, -1) for s in e.wrt)
    return point.free(("jet", head, at, tuple(sorted(wrt))), positive=False)


@_value.register
def _(e: DenseEntry, point: Point, places: Places) -> Ball:
    i, j = (places[label] for label in e.labels)
    if e.matrix.positive_definite:
        return point.positive_definite(e.matrix, i, j)
    return point.free(
        ("entry", e.matrix, *((min(i, j), max(i, j)) if e.matrix.symmetric else (i, j))),
        positive=False,
    )


@_value.register
def _(e: Jet, point: Point, places: Places) -> Ball:
    return point.elementwise(e.applied, e.orders, places)


@_value.register
def _(e: AppliedUndef, point: Point, places: Places) -> Ball:
    return point.elementwise(e, (0,) * len(e.args), places)


@_value.register
def _(e: Add, point: Point, places: Places) -> Ball:
    if len(e.args) >= LONG and not free_indexed(e):
        return point.remembered(e, lambda: _sum(e, point, places))
    return _sum(e, point, places)


def _sum(e: Add, point: Point, places: Places) -> Ball:
    return sum((_value(a, point, places) for a in e.args), flint.arb(0))


@_value.register
def _(e: Mul, point: Point, places: Places) -> Ball:
    return math.prod((_value(a, point, places) for a in e.args), start=flint.arb(1))


@_value.register
def _(e: Pow, point: Point, places: Places) -> Ball:
    base = _value(e.base, point, places)
    if e.exp.is_Integer:
        return base ** int(e.exp)
    if e.exp == Rational(1, 2):
        return base.sqrt()
    power = _value(e.exp, point, places)
    if power.is_integer():
        return base**power
    if not base > 0:
        raise NoValueError(f"{e.base} is not known to be positive there")
    return base**power


@_value.register
def _(e: Total, point: Point, places: Places) -> Ball:
    if not free_indexed(e):
        return point.remembered(e, lambda: _total(e, point, places))
    return _total(e, point, places)


def _total(e: Total, point: Point, places: Places) -> Ball:
    label, length = e.index.label, e.index.length
    return sum(
        (_value(e.body, point, {**places, label: k}) for k in range(point.sizes[length])),
        flint.arb(0),
    )


def at_precision(bits: int, compute: Callable[[], Ball]) -> Ball:
    """Return ``compute()``, run in ball arithmetic with a working precision of this many bits."""
    before = flint.ctx.prec
    flint.ctx.prec = bits
    try:
        return compute()
    finally:
        flint.ctx.prec = before


def shown_ball(value: Ball) -> str:
    """The midpoint of a ball to twelve digits, without zeros at the end."""
    digits, exponent, power = str(value.str(12, radius=False)).partition("e")
    return (digits.rstrip("0").removesuffix(".") if "." in digits else digits) + exponent + power


def _ball(value: Rational) -> Ball:
    return flint.arb(flint.fmpq(int(value.p), int(value.q)))


def _argument_name(e: Expr, ball: Ball, places: Places) -> str:
    """A name that equal arguments share: the exact value, or where that is irrational the
    expression and its coordinates.
    """
    if ball.is_exact():
        mantissa, exponent = (int(n) for n in ball.man_exp())
        return str(Rational(mantissa) * Rational(2) ** exponent)
    at = sorted((str(s), places[s.label] + 1) for s in free_indexed(e))
    return str(e) + "".join(f" at {s}={k}" for s, k in at)


def _no_value_of(symbol: Symbol) -> NoValueError:
    return NoValueError(f"no value of {symbol} was found that satisfies its assumptions")


def _parameter_of(key: Any) -> Symbol:
    """The parameter whose value a key names."""
    return key if isinstance(key, Symbol) else key[1]


def _symbol_of(key: Any) -> Symbol | None:
    """The symbol whose value a key names; None for jets and matrix entries."""
    if isinstance(key, Symbol):
        return key
    return key[1] if key[0] == "coordinate" else None


def _key_text(key: Any) -> str:
    if isinstance(key, Symbol):
        return key.name
    kind, head, *rest = key
    if kind == "jet":
        at, wrt = rest
        return quotient(
            f"{head}" + ("" if at is None else f"[{at + 1}]"),
            [b if k < 0 else f"{b}[{k + 1}]" for b, k in wrt],
        )
    if kind == "function":
        orders, written = rest
        primes = (
            chr(39) * orders[0]
            if len(orders) == 1
            else f"^({','.join(map(str, orders))})"
            if any(orders)
            else ""
        )
        return f"{head.__name__}{primes}({', '.join(written)})"
    return f"{head}[{rest[0] + 1}, {rest[1] + 1}]"


def quotient(head: str, wrt: list[str]) -> str:
    """A derivative written as a quotient: ``d^2U/dtheta[1]dtheta[2]`` or ``d^2U/dtheta[1]^2``.

    ``wrt`` names the variables of differentiation; if it is empty, the function itself is returned.
    """
    powers = "".join(
        f"d{x}" + (f"^{wrt.count(x)}" if wrt.count(x) > 1 else "") for x in dict.fromkeys(wrt)
    )
    order = f"^{len(wrt)}" if len(wrt) > 1 else ""
    return f"d{order}{head}/{powers}" if wrt else head
