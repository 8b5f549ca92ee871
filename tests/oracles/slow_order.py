"""``E phi(z')`` of one step by brute force: concrete polynomials, multiplied out and averaged
monomial by monomial.

Shares no code with ``verify.discrete.weak_order``: the test function moves here, there the density.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from sympy import QQ, Expr, Integer, Poly, Rational, Symbol, factorial2, ring, series

from recipe import Update
from recipe.language.blocks import Block
from recipe.language.expectation import NOISE

Moment = Callable[[int], Expr]


@cache
def coefficient(e: Expr, s: Symbol, highest: int) -> Expr:
    return series(e, s, 0, highest + 1).removeO()


class SlowStep:
    """A step whose right-hand sides are polynomials of state and noise, with numbers for all
    parameters.
    """

    def __init__(self, update: Update, values: dict[Symbol, Expr], highest: int) -> None:
        self.update, self.values, self.highest = update, values, highest
        pairs = (*update.rule, *update.observe)
        self.noises = sorted({n for _, e in pairs for n in e.atoms(*NOISE)}, key=str)
        self.letters: list[Symbol] = [*update.state, *self.noises]
        self.s = Symbol("s", positive=True)
        self.ring, *gens = ring(["s", *map(str, self.letters)], QQ)
        self.gen = dict(zip((self.s, *self.letters), gens, strict=True))

    def cut(self, p):
        return self.ring.from_dict({m: c for m, c in p.items() if m[0] <= self.highest})

    def read(self, e: Expr, state: dict[Block, object]):
        """A right-hand side at a state."""
        e = e.xreplace(self.values).xreplace({self.update.step: self.s**2})
        total = self.ring.zero
        for exponents, c in Poly(e, *self.letters).terms():
            expanded = Poly(coefficient(c, self.s, self.highest), self.s)
            term = self.ring.from_dict(
                {(k[0], *([0] * len(self.letters))): QQ(q.p, q.q) for k, q in expanded.terms()}
            )
            for letter, n in zip(self.letters, exponents, strict=True):
                for _ in range(n):
                    term = self.cut(term * state.get(letter, self.gen[letter]))
            total += term
        return total

    def moved(self, pairs, sequential: bool) -> dict[Block, object]:
        old = {b: self.gen[b] for b in self.update.state}
        new = dict(old)
        for block, e in pairs:
            new[block] = self.read(e, new if sequential else old)
        return new

    def average(self, phi, pairs, sequential: bool) -> dict[int, object]:
        """``E phi(z')`` as polynomials of z, by powers of s; phi is a polynomial of the ring that
        is free of s.
        """
        state = self.moved(pairs, sequential)
        total = self.ring.zero
        for exponents, c in phi.items():
            term = self.ring.from_dict({(0,) * len(exponents): c})
            for letter, n in zip(self.letters, exponents[1:], strict=True):
                for _ in range(n):
                    term = self.cut(term * state[letter])
            total += term
        return self._over_noise(total)

    def _over_noise(self, p) -> dict[int, object]:
        first = 1 + len(self.update.state)
        found: dict[int, object] = {}
        for m, c in p.items():
            if any(n % 2 for n in m[first:]):
                continue
            for n in m[first:]:
                c = c * int(factorial2(n - 1))  # noqa: PLW2901
            key = (0, *m[1:first], *([0] * len(self.noises)))
            found[m[0]] = found.get(m[0], self.ring.zero) + self.ring.from_dict({key: c})
        return found

    def step(self, phi) -> dict[int, object]:
        return self.average(phi, self.update.rule, self.update.sequential)

    def record(self, phi) -> dict[int, object]:
        return self.average(phi, self.update.observe, False)

    def under_target(self, p, moments: dict[Block, Moment]) -> Expr:
        """The mean under a target whose coordinates are independent."""
        total = Integer(0)
        for m, c in p.items():
            term = Rational(int(c.numerator), int(c.denominator))
            for block, n in zip(self.update.state, m[1:], strict=False):
                term *= moments[block](n)
            total += term
        return total.expand()


def normal(variance: Expr) -> Moment:
    return lambda n: Integer(0) if n % 2 else Integer(factorial2(n - 1)) * variance ** (n // 2)


def quartic(n: int) -> Expr:
    """Moments of ``exp(-x^4 / 4)``: by parts ``E x^(n+3) = n E x^(n-1)``; the second is left as a
    letter.
    """
    if n % 2:
        return Integer(0)
    if n < 4:
        return Symbol("m", positive=True) if n else Integer(1)
    return (n - 3) * quartic(n - 4)
