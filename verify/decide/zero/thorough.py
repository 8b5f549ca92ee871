"""A canonical form that knows more relations between functions, and takes longer.

Angles are multiples of common angles, gamma functions obey their recurrences, even powers leave a
root as absolute values, and denominators are free of roots. It is asked where the quicker form has
not found a zero. As there, every rewrite is an identity wherever the expression is defined.
"""

from __future__ import annotations

from functools import singledispatchmethod

import sympy
from sympy import (
    Abs,
    Expr,
    Integer,
    Pow,
    Rational,
    S,
    atan,
    cos,
    erf,
    log,
    loggamma,
    polygamma,
    sign,
    sin,
    tan,
)
from sympy.core.numbers import EulerGamma

from recipe.language.total import Total
from recipe.signs.sign import is_positive
from verify.decide.zero.angles import Angles
from verify.decide.zero.canonical import Canonical
from verify.decide.zero.gammas import Gammas
from verify.decide.zero.ratio import Poly, Ratio
from verify.decide.zero.rationalise import rationalised


class Thorough(Canonical):
    """Reads expressions as ``Canonical`` does, with more relations between functions."""

    def __init__(self, capacity: int) -> None:
        super().__init__(capacity)
        self._angles = Angles(self)
        self._gammas = Gammas(self)

    def logarithm(self, argument: Ratio) -> Ratio:
        """The logarithm of a ratio."""
        return self._logarithm(argument)

    def rational_power(self, base: Ratio, power: Rational) -> Ratio:
        """The nonnegative root of a ratio, to a power."""
        return self._rational_power(base, power)

    def _normal(self, r: Ratio) -> Ratio:
        return rationalised(self.generators, r)

    @singledispatchmethod
    def _read(self, e: Expr) -> Ratio:
        return super()._read(e)

    @_read.register
    def _(self, e: sin) -> Ratio:
        return self._angles.circle(self._normal(self.read(e.args[0])))[1]

    @_read.register
    def _(self, e: cos) -> Ratio:
        return self._angles.circle(self._normal(self.read(e.args[0])))[0]

    @_read.register
    def _(self, e: tan) -> Ratio:
        cosine, sine = self._angles.circle(self._normal(self.read(e.args[0])))
        return sine / cosine

    @_read.register(atan)
    @_read.register(erf)
    def _(self, e: Expr) -> Ratio:
        argument = self._normal(self.read(e.args[0]))
        for side in (1, -1):  # these are odd functions; sympy turns the sign of some arguments
            number = self.generators.number(side)
            value = e.func(self.generators.expression(argument * number))
            if isinstance(value, e.func):
                return self.generators.generator(value, value) * number
        return self.read(value) * number  # sympy knows the value, as of atan(1)

    @_read.register
    def _(self, e: loggamma) -> Ratio:
        return self._gammas.log_gamma(self._normal(self.read(e.args[0])))

    @_read.register
    def _(self, e: polygamma) -> Ratio:
        order, argument = e.args
        if not (order.is_Integer and order >= 0):
            return super()._read(e)
        return self._gammas.poly_gamma(int(order), self._normal(self.read(argument)))

    @_read.register
    def _(self, e: sympy.gamma) -> Ratio:
        argument = self._normal(self.read(e.args[0]))
        if is_positive(e.args[0]):
            return self._exponential(self._gammas.log_gamma(argument))
        return self._gammas.gamma(argument)

    @_read.register(EulerGamma)
    def _(self, e: Expr) -> Ratio:
        return self.generators.generator(e, e)

    @_read.register
    def _(self, e: Total) -> Ratio:
        label, body = self._opened(e)
        return self.sums.read(self._normal(self.read(body)), e.index.at(label))

    @_read.register
    def _(self, e: Pow) -> Ratio:
        base, power = e.as_base_exp()
        if power.is_integer and not power.is_Integer and not is_positive(base):
            return self._whole_power(self.read(base), self.read(power), e)
        return super()._read(e)

    def _whole_power(self, base: Ratio, power: Ratio, e: Expr) -> Ratio:
        """A power whose exponent is a whole number with no known value, of each factor by itself.

        ``x^(m+n) = x^m x^n`` holds off x = 0; at 0 both sides have the limit of a continuous
        function, if the expression is defined there.
        """
        terms = [(self.generators.expression(t), q) for t, q in self.generators.terms(power)]
        if base.is_zero() or any(q.q != 1 or not t.is_integer for t, q in terms):
            return self._opaque(Pow, *e.as_base_exp())
        result = self.generators.number(1)
        for poly, side in ((base.num, 1), (base.den, -1)):
            constant, factors = poly.factor()
            found = [(self.generators.poly_expression(f), int(n)) for f, n in factors]
            found += [(Integer(p), int(n)) for p, n in sympy.factorint(abs(int(constant))).items()]
            found += [(S.NegativeOne, 1)] if constant < 0 else []
            for factor, n in found:
                for t, q in terms:
                    result *= self._factor_to_a_whole(factor, t, side * n * int(q.p))
        return result

    def _factor_to_a_whole(self, factor: Expr, t: Expr, n: int) -> Ratio:
        if t.is_Integer:
            return self.read(factor) ** (int(t) * n)
        if factor == -1:
            n %= 2
        meaning = Pow(factor, t)
        if is_positive(factor):
            return self.read(meaning) ** n
        result = self.generators.generator(("whole", factor, t), meaning)
        if factor == -1:
            self.generators.relate(result, 2, self.generators.number(1))
        return result**n

    # -- signs
    # ----------------------------------------------------------------------------------------------

    @_read.register
    def _(self, e: sign) -> Ratio:
        r = self._normal(self.read(e.args[0]))
        return r if r.is_zero() else self._sign_of(r)

    def _sign_of(self, r: Ratio) -> Ratio:
        """The sign of a ratio: the product of the signs of its irreducible factors."""
        result = self.generators.number(1)
        for poly in (r.num, r.den):
            constant, factors = poly.factor()
            result *= self.generators.number(1 if constant > 0 else -1)
            for factor, n in factors:
                if n % 2:
                    result *= self._sign_of_factor(factor)
        return self.generators.reduce(result)

    def _sign_of_factor(self, factor: Poly) -> Ratio:
        known, oriented = self._oriented(factor)
        if known is not None:
            return self.generators.number(oriented)
        side = sign(self.generators.poly_expression(factor))
        if isinstance(side, sign):
            return self.generators.sign(side)
        return super()._read(side)

    def _learn_positive(self, r: Ratio) -> None:
        """Record that a ratio is positive wherever the expression is defined."""
        side = self._sign_of(r)
        if len(side.num) != 1 or side.den != 1:
            return
        for k in self.generators.generators_of(side.num):
            if self.generators.is_sign(k):
                meaning = self.generators.of_index(k)
                self.generators.relate(meaning, 1, side / meaning)
                self.refined = True
                return

    def _is_learned(self, e: Expr) -> bool:
        """Return True if a factor is known to be positive as the expression is defined."""
        return self.generators.known(sign(e)) and bool(
            self.generators.reduce(self.generators.sign(sign(e))).num == 1
        )

    def _logarithm(self, argument: Ratio) -> Ratio:
        """A logarithm of what is positive, wherever it is defined, as a sum over its factors."""
        argument = self._normal(argument)
        rest, positive = self._positive_factors(argument)
        if rest is None:
            return super()._logarithm(argument)
        sizes = [
            (Abs(self.generators.poly_expression(factor)), side * int(n))
            for poly, side in ((rest.num, 1), (rest.den, -1))
            for factor, n in poly.factor()[1]
        ]
        if not all(isinstance(size, Abs) for size, _ in sizes):
            return super()._logarithm(argument)
        self._learn_positive(rest)
        result = self.generators.number(0)
        for size, n in (*positive, *sizes):
            result += self._log_factor(size) * self.generators.number(n)
        return result

    def _positive_factors(self, r: Ratio) -> tuple[Ratio | None, list[tuple[Expr, int]]]:
        """Split off absolute values as well: ``f^2 = |f|^2`` and ``sign(f) f = |f|``."""
        rest, positive = super()._positive_factors(r)
        if rest is None:
            return rest, positive
        left, odd, signs = self.generators.number(1), [], set[Expr]()
        for poly, side in ((rest.num, 1), (rest.den, -1)):
            constant, factors = poly.factor()
            left *= self.generators.number(int(constant)) ** side
            for factor, n in factors:
                e = self.generators.poly_expression(factor)
                if isinstance(e, sign):  # a sign is its own reciprocal
                    signs ^= {e} if n % 2 else set()
                elif not isinstance(Abs(e), Abs):
                    left *= Ratio(factor, self.generators.number(1).den) ** (side * int(n))
                elif n % 2:
                    odd.append((factor, e, side * int(n)))
                else:
                    positive.append((Abs(e), side * int(n)))
        for factor, e, n in odd:
            if sign(e) in signs or self._is_learned(e):
                signs -= {sign(e)}
                positive.append((Abs(e), n))
            else:
                left *= Ratio(factor, self.generators.number(1).den) ** n
        for side in signs:
            left *= self.generators.sign(side)
        return (None if left.den == 1 and left.num == 1 else left), positive

    def _exp_term(self, term: Ratio, p: int, q: int) -> Ratio:
        meaning = self.generators.expression(term)
        if isinstance(meaning, log) and isinstance(meaning.args[0], Abs):
            return self._factor_power(meaning.args[0], Rational(p, q))
        return super()._exp_term(term, p, q)
