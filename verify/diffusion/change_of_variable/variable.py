"""A variable in which a function of phi is rational: phi itself, or ``y = exp(k phi)`` with k
> 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import sympy
from sympy import Dummy, Expr, Poly, Rational, S, Symbol, exp, log, oo
from sympy.polys.polyerrors import CoercionFailed, PolynomialError

from verify.decide.asymptotics.leading import certain_sign
from verify.decide.zero.canonical import normalised

Y = Dummy("y", real=True)


@dataclass(frozen=True)
class Variable:
    """``y = phi``, or ``y = exp(rate phi)`` if ``rate`` is not None.

    y increases with phi, and ranges over the open interval from ``low`` to ``high``.
    """

    x: Symbol
    rate: Expr | None
    low: Expr
    high: Expr

    def read(self, e: Expr) -> Expr:
        """Rewrite an expression of phi as one of y."""
        if self.rate is None:
            return e.xreplace({self.x: Y})
        e = e.rewrite(exp, deep=True) if e.has(sympy.sinh, sympy.cosh, sympy.tanh) else e
        powers = {
            a: Y ** (a.args[0].coeff(self.x) / self.rate)
            for a in e.atoms(exp)
            if _is_power(a, self.x)
        }
        return e.xreplace(powers).xreplace({self.x: log(Y) / self.rate})

    def phi(self, y: Expr) -> Expr:
        """The value of phi for a value of y."""
        return y if self.rate is None else log(y) / self.rate

    def phi_at(self, y: Expr) -> Expr:
        """The value of phi for a value or an end of y; the ends may be infinite."""
        if self.rate is not None and y in (S.Zero, oo):
            return oo if y == oo else -oo
        return self.phi(y)


@dataclass(frozen=True)
class Fraction:
    """``constant * num / den``, with coprime polynomials of y that have rational coefficients."""

    constant: Expr
    num: Poly
    den: Poly

    def __call__(self, y: Expr) -> Expr:
        """The value at y."""
        return (
            self.constant
            * self.num.as_expr().xreplace({Y: y})
            / self.den.as_expr().xreplace({Y: y})
        )

    def derivative(self) -> Fraction:
        """The derivative by y."""
        return _reduced(
            self.constant, self.num.diff() * self.den - self.num * self.den.diff(), self.den**2
        )


def variable(expressions: Iterable[Expr], x: Symbol) -> Variable | None:
    """A variable in which all the expressions may be rational.

    None if there are exponentials of anything but rational multiples of one k phi, or if exp(k phi)
    is not rational at an end.
    """
    low, high = (x.domain.start, x.domain.end) if hasattr(x, "domain") else (-oo, oo)
    listed = [normalised(e) for e in expressions]
    rates = [a.args[0].coeff(x) for e in listed for a in e.atoms(exp) if _is_power(a, x)]
    if not rates:
        return Variable(x, None, low, high)
    rate = _unit(rates)
    ends = [_power(end, upper) for end, upper in ((low, False), (high, True))]
    if rate is None or None in ends:
        return None
    return Variable(x, rate, *ends)


def in_variable(e: Expr, x: Symbol) -> tuple[Expr, Variable]:
    """An expression of phi rewritten in a variable in which it may be rational, or in phi; and that
    variable.
    """
    e = normalised(e)
    y = variable([e], x) or Variable(x, None, x.domain.start, x.domain.end)
    return y.read(e), y


def _is_power(e: exp, x: Symbol) -> bool:
    """Return True for ``exp(k x)`` with k not depending on x."""
    rate = e.args[0].coeff(x)
    return rate != 0 and x not in rate.free_symbols and e.args[0] == (rate * x)


def _unit(rates: list[Expr]) -> Expr | None:
    """The largest positive number of which all rates are integer multiples; None if there is
    none.
    """
    first = rates[0] if certain_sign(rates[0]) == 1 else -rates[0]
    ratios = [sympy.cancel(r / first) for r in rates]
    if certain_sign(first) != 1 or not all(r.is_Rational for r in ratios):
        return None
    common = math.lcm(*(int(r.q) for r in ratios))
    return first * Rational(math.gcd(*(int(r * common) for r in ratios)), common)


def _power(end: Expr, upper: bool) -> Expr | None:
    """``exp(rate end)`` if that is rational or infinite; None otherwise."""
    if end in (oo, -oo):
        return oo if upper else S.Zero
    return S.One if end == 0 else None


def fraction(e: Expr) -> Fraction | None:
    """An expression of y as a quotient of polynomials, up to a constant factor with rational
    coefficients.

    None if it is not one.
    """
    above, below = (_polynomial(p) for p in sympy.fraction(sympy.together(e)))
    if above is None or below is None:
        return None
    return _reduced(above[0] / below[0], above[1], below[1])


def _reduced(constant: Expr, num: Poly, den: Poly) -> Fraction:
    common = num.gcd(den)
    return Fraction(constant, num.quo(common), den.quo(common))


def _polynomial(e: Expr) -> tuple[Expr, Poly] | None:
    """``(c, p)`` with ``e = c p``, where c does not depend on y and p has rational coefficients;
    None if there are none.
    """
    constant, product = S.One, Poly(1, Y, domain="QQ")
    try:
        number, factors = sympy.factor_list(e)
        for factor, power in factors:
            if Y not in factor.free_symbols:
                constant *= factor**power
            elif not S(power).is_Integer:
                return None
            else:
                product *= Poly(factor, Y, domain="QQ") ** power
    except (PolynomialError, CoercionFailed):
        return None
    return number * constant, product
