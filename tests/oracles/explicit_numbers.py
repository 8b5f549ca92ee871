"""A second oracle in explicit coordinates, made of numbers: no formula is differentiated, at a
point everything is a jet.

A ``Place`` gives every length a number, every name a concrete meaning, every coordinate a value of
60 digits. Only the classes of the language are imported, never what works on them. It can show that
something does not hold; what holds at every place that was looked at, in so many digits, is taken
to hold.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache, partial, singledispatchmethod
from random import Random
from typing import Any

import sympy
from sympy import Add, Expr, Interval, Mul, Pow, Rational, Symbol
from sympy.core.function import AppliedUndef
from sympy.core.numbers import NumberSymbol

from oracles.decimals import HALF, INFINITY, ONE, PI, ZERO, by_mpmath
from oracles.jets import Jet, Series, UndefinedError, apply, power, sine
from recipe import Dense, Field, Noise, Potential, Scalar, Simplex, Vector
from recipe.language.abstract import DenseEntry, Partial, TransposedDense
from recipe.language.abstract import Jet as Derivative
from recipe.language.blocks import Block
from recipe.language.chi_squared import NoncentralChiSquared
from recipe.language.data import VectorParameter
from recipe.language.entry import Outer
from recipe.language.fold import Fold, FoldSign
from recipe.language.noise import ScalarNoise
from recipe.language.symbols import GENERIC, OTHER, Indexed, Length
from recipe.language.total import Total

Number = Any  # a Decimal, a Jet or a Series
At = tuple[tuple[int, int], ...]  # which coordinate each label stands for

psi = partial(by_mpmath, "psi")


def exactly(q: Rational) -> Decimal:
    return Decimal(int(q.p)) / int(q.q)


@cache
def fraction(key: str, low: int = 20, high: int = 200) -> Decimal:
    """A number of hundredths that belongs to a key."""
    return Decimal(Random(key).randint(low, high)) / 100


@dataclass(frozen=True)
class Place:
    """Blocks of explicit lengths, a meaning of every name (by the seed), and the values of
    coordinates and noises.

    ``wild`` makes values of very different size, and zeros: what looks for a counterexample wants
    those.
    """

    sizes: dict[Length, int]
    seed: int
    values: dict[tuple[str, int], Number]
    step: tuple[Symbol, Number] | None = None
    wild: bool = False
    state: tuple[Block, ...] = ()
    _known: dict[tuple[Expr, At], Number] = field(default_factory=dict)

    def size(self, block: Block) -> int:
        return self.sizes[block.length] if isinstance(block, Vector) else 1

    def component(self, e: Expr, block: Block, k: int) -> Number:
        """The k-th coordinate of an expression of the generic coordinate of a block."""
        return self.read(e, ((GENERIC, k),) if isinstance(block, Vector) else ())

    def entry(self, e: Expr, row: Block, column: Block, i: int, j: int) -> Number:
        """Entry (i, j) of what is written between two blocks: ``outer`` and ``Dense`` are full, the
        rest is diagonal.
        """
        if not (isinstance(row, Vector) and isinstance(column, Vector)):
            return self.component(
                e, row if isinstance(row, Vector) else column, i if isinstance(row, Vector) else j
            )
        terms = Add.make_args(e.expand(deep=False) if e.has(Outer, Dense, TransposedDense) else e)
        here = ((GENERIC, i), (OTHER, j))
        return _sum(
            [
                self._entry_term(t, here)
                for t in terms
                if i == j or t.has(Outer, Dense, TransposedDense)
            ]
        )

    def _entry_term(self, e: Expr, at: At) -> Number:
        factors = Mul.make_args(e)
        return _product([self._entry_factor(f, at) for f in factors])

    def _entry_factor(self, f: Expr, at: At) -> Number:
        (_, i), (_, j) = at
        if isinstance(f, Outer):
            u, v = f.args
            return self.read(u, ((GENERIC, i),)) * self.read(v, ((GENERIC, j),))
        if isinstance(f, Dense):
            return self.matrix_entry(f, i, j)
        if isinstance(f, TransposedDense):
            return self.matrix_entry(f.matrix, j, i)
        return self.read(f, ((GENERIC, i),))

    def read(self, e: Expr, at: At) -> Number:
        """The value of an expression whose labels stand for the coordinates ``at``."""
        at = tuple(place for place in at if place[0] in labels_in(e))
        if (e, at) not in self._known:
            self._known[e, at] = self._read(e, at)
        return self._known[e, at]

    @singledispatchmethod
    def _read(self, e: Expr, at: At) -> Number:
        if isinstance(e, sympy.polygamma):
            order, x = int(e.args[0]), self.read(e.args[1], at)
            return (
                x.composed(*(psi(order + k, x.value) for k in range(3)))
                if isinstance(x, Jet)
                else psi(order, x)
            )
        if isinstance(e, sympy.loggamma):
            x = self.read(e.args[0], at)
            value = x.value if isinstance(x, Jet) else x
            found = apply("loggamma", value)
            return x.composed(found, psi(0, value), psi(1, value)) if isinstance(x, Jet) else found
        return apply(type(e).__name__, self.read(e.args[0], at))

    @_read.register
    def _(self, e: Rational, at: At) -> Number:
        return exactly(e)

    @_read.register(sympy.core.numbers.Infinity)
    @_read.register(sympy.core.numbers.NegativeInfinity)
    def _(self, e: Expr, at: At) -> Number:
        return INFINITY if e == sympy.oo else -INFINITY

    @_read.register
    def _(self, e: NumberSymbol, at: At) -> Number:
        return {sympy.pi: PI, sympy.E: ONE.exp()}[e]

    @_read.register
    def _(self, e: Add, at: At) -> Number:
        return _sum([self.read(a, at) for a in e.args])

    @_read.register
    def _(self, e: Mul, at: At) -> Number:
        return _product([self.read(a, at) for a in e.args])

    @_read.register
    def _(self, e: Pow, at: At) -> Number:
        base, p = e.args
        if self.step is not None and base == self.step[0] and p.is_Rational:
            s = self.step[1]  # the step is s^2
            return power(s, int(2 * p))
        if p.is_Integer:
            return power(self.read(base, at), int(p))
        if p.is_Rational:
            return power(self.read(base, at), exactly(p))
        if base == sympy.E:
            return apply("exp", self.read(p, at))
        return apply("exp", self.read(p, at) * apply("log", self.read(base, at)))

    @_read.register
    def _(self, e: Symbol, at: At) -> Number:
        if self.step is not None and e == self.step[0]:
            return self.step[1] * self.step[1]
        return self._parameter(e, e.name)

    def _parameter(self, e: Symbol, name: str) -> Decimal:
        if e.is_integer:
            return Decimal(Random(f"{self.seed}{name}").randint(1, 4))
        size = fraction(f"{self.seed}{name}") * self._scale(name)
        below = e.is_negative or (
            not e.is_nonnegative and Random(f"{self.seed}sign{name}").random() < 0.5
        )
        return -size if below else size

    def _scale(self, name: str) -> Decimal:
        """1, or at a wild place a size that belongs to a name."""
        return (
            Random(f"{self.seed}scale{name}").choice([ONE / 32, ONE, ONE, 16]) if self.wild else 1
        )

    @_read.register
    def _(self, e: Length, at: At) -> Number:
        return Decimal(self.sizes[e])

    @_read.register(Scalar)
    @_read.register(ScalarNoise)
    def _(self, e: Symbol, at: At) -> Number:
        return self.values[e.name, 0]

    @_read.register
    def _(self, e: Vector, at: At) -> Number:
        return self.values[e.base, dict(at)[e.label]]

    @_read.register
    def _(self, e: VectorParameter, at: At) -> Number:
        return self._parameter(e, f"{e.base}{dict(at)[e.label]}")

    @_read.register
    def _(self, e: Noise, at: At) -> Number:
        k = dict(at)[e.label]
        if e.covariance is None:
            return self.values[e.base, k]
        return _sum(
            [self.root_entry(e.covariance, k, m) * self.values[e.base, m] for m in range(k + 1)]
        )

    @_read.register
    def _(self, e: Potential, at: At) -> Number:
        return self._smooth(e.name, self._arguments(e.blocks), (), False)

    @_read.register
    def _(self, e: Field, at: At) -> Number:
        return self._smooth(
            f"{e.base}{dict(at)[e.label]}", self._arguments((e.block,)), (), bool(e.is_positive)
        )

    @_read.register
    def _(self, e: Partial, at: At) -> Number:
        head, where = e.head, dict(at)
        blocks = head.blocks if isinstance(head, Potential) else (head.block,)
        name = head.name if isinstance(head, Potential) else f"{head.base}{where[head.label]}"
        wanted = [(x.base, where[x.label]) if isinstance(x, Vector) else (x.name, 0) for x in e.wrt]
        places = [p for p, _ in self._arguments(blocks)]
        return self._smooth(
            name, self._arguments(blocks), [places.index(p) for p in wanted], bool(head.is_positive)
        )

    def _arguments(self, blocks: tuple[Block, ...]) -> list[tuple[tuple[str, int], Number]]:
        places = [
            (b.base if isinstance(b, Vector) else b.name, k)
            for b in blocks
            for k in range(self.size(b))
        ]
        return [(p, self.values[p] if p in self.values else self._image(*p)) for p in places]

    def _image(self, name: str, k: int) -> Number:
        """A coordinate of a block that one in the state stands for: the map of that."""
        phi = next(b for b in self.state if b.image is not None and b.image.name == name)
        return self.component(phi.forward(phi), phi, k)

    @_read.register
    def _(self, e: Fold, at: At) -> Number:
        return self._inside(e, at)

    @_read.register
    def _(self, e: FoldSign, at: At) -> Number:
        self._inside(e, at)
        return ONE

    def _inside(self, e: Fold | FoldSign, at: At) -> Number:
        """What is folded; it lies inside, where a fold changes nothing, if the step is small."""
        x, low, high = (self.read(a, at) for a in e.args)
        value = x
        while isinstance(value, Series | Jet):
            value = value.value
        assert low < value < high
        return x

    @_read.register
    def _(self, e: NoncentralChiSquared, at: At) -> Number:
        """Another number with its mean and variance; all later cumulants of a square-root process
        vanish faster than the step.
        """
        df, nonc = self.read(e.df, at), self.read(e.nonc, at)
        return df + nonc + power((df + nonc * 2) * 2, HALF) * self.read(e.noise, at)

    @_read.register
    def _(self, e: AppliedUndef, at: At) -> Number:
        return self._smooth(
            e.func.__name__,
            [(k, self.read(a, at)) for k, a in enumerate(e.args)],
            (),
            bool(e.is_positive),
        )

    @_read.register
    def _(self, e: Derivative, at: At) -> Number:
        arguments = [(k, self.read(a, at)) for k, a in enumerate(e.applied.args)]
        wrt = [k for k, n in enumerate(e.orders) for _ in range(n)]
        return self._smooth(e.applied.func.__name__, arguments, wrt, bool(e.applied.is_positive))

    def _smooth(
        self, name: str, arguments: list[tuple[Any, Number]], wrt: Any, positive: bool
    ) -> Number:
        """A sum of three waves that belongs to a name, differentiated by the arguments at the
        positions ``wrt``.
        """
        key, scale = f"{self.seed}{name}", self._scale(name)
        offset = Decimal(5) / 2 if positive else fraction(key, -150, 150)
        terms = [] if len(wrt) else [offset * scale]
        for wave in "abc":
            slopes = [fraction(f"{key}{wave}{k}", -140, 140) for k, _ in enumerate(arguments)]
            phase = _sum(
                [x * a for a, (_, x) in zip(slopes, arguments, strict=True)]
                + [fraction(f"{key}{wave}", 0, 300)]
            )
            weight = (
                fraction(f"{key}{wave}weight", 20, 80) * scale * math.prod(slopes[k] for k in wrt)
            )
            terms.append(sine(phase, len(wrt)) * weight)
        return _sum(terms)

    @_read.register
    def _(self, e: Total, at: At) -> Number:
        outside = tuple(p for p in at if p[0] != e.index.label)
        return _sum(
            [
                self.read(e.body, (*outside, (e.index.label, k)))
                for k in range(self.sizes[e.index.length])
            ]
        )

    @_read.register
    def _(self, e: DenseEntry, at: At) -> Number:
        row, column = e.labels
        return self.matrix_entry(e.matrix, dict(at)[row], dict(at)[column])

    def matrix_entry(self, m: Dense, i: int, j: int) -> Decimal:
        """A number that belongs to the place in the matrix; a positive definite one is ``R
        R^T``.
        """
        if m.positive_definite:
            return _sum(
                [self.root_entry(m, i, k) * self.root_entry(m, j, k) for k in range(min(i, j) + 1)]
            )
        i, j = sorted((i, j)) if m.symmetric else (i, j)
        return fraction(f"{self.seed}{m.name}{i},{j}", -200, 200)

    def root_entry(self, m: Dense, i: int, j: int) -> Decimal:
        return (
            ZERO
            if j > i
            else fraction(f"{self.seed}{m.name}{i},{j}", *((20, 200) if i == j else (-200, 200)))
        )


@cache
def labels_in(e: Expr) -> frozenset[int]:
    """The labels that an expression uses and does not bind."""
    if isinstance(e, Indexed):
        return frozenset({e.label})
    inside = frozenset().union(*(labels_in(a) for a in e.args))
    return inside - {e.index.label} if isinstance(e, Total) else inside


def _sum(terms: list[Number]) -> Number:
    result = terms[0] if terms else ZERO
    for t in terms[1:]:
        result = result + t
    return result


def _product(factors: list[Number]) -> Number:
    """The product, plain numbers first: a jet is multiplied by them once."""
    ordered = sorted(
        factors, key=lambda f: isinstance(f, Jet) + 2 * (not isinstance(f, Jet | Decimal))
    )
    result = ordered[0]
    for f in ordered[1:]:
        result = result * f
    return result


def value_in(domain: Any, key: str, size: int, wild: bool) -> Decimal:
    """A number of a domain that belongs to a key; at wild places sometimes a special or a large
    one.
    """
    random = Random(key)
    if isinstance(domain, Simplex):
        return Decimal(random.randint(1, 99)) / (100 * size)
    start, end = (
        (domain.start, domain.end) if isinstance(domain, Interval) else (-sympy.oo, sympy.oo)
    )
    if start.is_infinite and end.is_infinite:
        usual = Decimal(random.randint(-150, 150)) / 100
        return random.choice([ZERO, ONE, Decimal(-1), usual, usual, usual * 8]) if wild else usual
    inside = Decimal(random.randint(1, 99)) / 100
    stretch = random.choice([ONE, ONE / 16]) if wild else 1
    if start.is_finite and end.is_finite:
        return exactly(start) + inside * stretch * exactly(end - start)
    if start.is_finite:
        return exactly(start) + 3 * inside * (random.choice([1, 8, ONE / 16]) if wild else 1)
    return exactly(end) - 3 * inside


__all__ = ["Number", "Place", "UndefinedError", "exactly", "value_in"]
