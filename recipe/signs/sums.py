"""The signs of a sum by the rules for sums, one after the other.

The functions are given ``signs``, which proves the sign of any expression.
"""

from __future__ import annotations

from sympy import Abs, Add, Dummy, Expr, Mul, Pow, S, Symbol, expand_mul, fraction, sign, together

from recipe.language.assumed import assumed
from recipe.language.calculus import freeze
from recipe.signs.bounds import (
    sign_between_bounds,
    sign_of_exponential,
    sign_with_logarithm,
    sign_with_series,
)
from recipe.signs.intervals import sign_between_ends, sign_of_bent, sign_of_quadratic
from recipe.signs.low_degree import affine_at
from recipe.signs.samples import takes_both_signs
from recipe.signs.sets import ANY, NEGATIVE, POSITIVE, Ask, Signs, products
from recipe.signs.totals import sign_on_simplex, sign_without_one
from recipe.signs.whole_numbers import sign_at_whole_numbers, sign_from_one_on

MAX_TERMS = 40  # of sums, which grow where roots and discriminants are squared
MAX_ROOTS = 3  # square roots in a sum, of which each doubles the work


def signs_by_rules(e: Add, signs: Ask) -> Signs:
    """The signs of a sum whose terms alone do not give them, by the first rule that gives some."""
    if len(e.args) > MAX_TERMS or (not assumed() and takes_both_signs(e)):
        return ANY
    for rule in (
        sign_on_simplex,
        sign_between_ends,
        sign_of_quadratic,
        sign_of_bent,
        sign_of_exponential,
        sign_between_bounds,
        sign_with_logarithm,
        _sign_of_numerator,
        _sign_on_both_sides,
        sign_from_one_on,
        _sign_with_root,
        sign_at_whole_numbers,
        sign_without_one,
        sign_with_series,
    ):
        found = rule(e, signs)
        if found != ANY:
            return found
    return ANY


def _sign_of_numerator(e: Add, signs: Ask) -> Signs:
    """The signs of ``e p``, where p is a positive sum in the denominator of a term of e."""
    p = positive_denominator(e, signs)
    return ANY if p is None else signs(times_denominator(e, p))


def positive_denominator(e: Add, signs: Ask) -> Expr | None:
    """The first sum in the denominator of a term that is proved positive, or None."""
    below = (
        f.base
        for t in e.args
        for f in Mul.make_args(t)
        if isinstance(f, Pow) and f.exp == -1 and isinstance(f.base, Add)
    )
    return next((p for p in below if signs(p) == POSITIVE), None)


def times_denominator(e: Add, p: Expr) -> Expr:
    """``e p``, multiplied out in the terms where p does not cancel."""
    return Add(
        *(t * p if 1 / p in Mul.make_args(t) else expand_mul(t * p, deep=False) for t in e.args)
    )


def _sign_on_both_sides(e: Add, signs: Ask) -> Signs:
    """The signs of an expression with ``|x|``, collected over x > 0, x < 0 and x = 0."""
    frozen, stands_for = freeze(e)
    size = next(
        (a for a in stands_for if isinstance(a, Abs) and isinstance(a.args[0], Symbol)), None
    )
    if size is None:
        return ANY
    x, away = size.args[0], Dummy("away", positive=True)
    back = {symbol: a for a, symbol in stands_for.items()}
    found: Signs = frozenset()
    for value in (away, -away, S.Zero):
        at = {x: value, stands_for[size]: abs(value)} | (
            {stands_for[sign(x)]: sign(value)} if sign(x) in stands_for else {}
        )
        num, den = fraction(together(frozen.xreplace(at)))
        found |= signs(num.expand().xreplace(back) / den.xreplace(back))
    return found


def _sign_with_root(e: Add, signs: Ask) -> Signs:
    """The signs of ``rest + slope sqrt(b)``: of the rest, where the slope has the same sign, and
    where it has the opposite one the sign of the rest times that of ``rest^2 - slope^2 b``.
    """
    roots = sorted((t for t in e.atoms(Pow) if t.exp == S.Half), key=str)
    for t in roots if len(roots) <= MAX_ROOTS else []:
        found = affine_at(e, t)
        if found is None:
            continue
        slope, rest = found
        side, other = signs(rest), signs(slope)
        if side in (POSITIVE, NEGATIVE) and other in (POSITIVE, NEGATIVE):
            if side == other:
                return side
            larger = products(side, signs((rest**2 - slope**2 * t.base).expand()))
            if larger != ANY:
                return larger
    return ANY
