"""Equal forms whose sign can be read off, for expressions whose sign ``recipe.signs.sign``
proves by an argument.

A checker is given such a form and needs no argument. The forms are built without sympy's automatic
rewriting, which would undo them: ``2 + x^2`` is ``1 + (1 + x^2)`` under a logarithm.
"""

from __future__ import annotations

from functools import reduce, singledispatch

from sympy import (
    Add,
    Expr,
    Integer,
    Interval,
    Mul,
    Pow,
    S,
    atan,
    cos,
    erf,
    exp,
    factor_terms,
    log,
    sin,
    sinh,
    tanh,
)

from recipe.language.total import Total
from recipe.signs.bounds import AT_ONCE, ONE_BY_ONE, bounds_of, less_taylor_polynomial
from recipe.signs.intervals import domain_of
from recipe.signs.low_degree import affine_in, coefficients_of
from recipe.signs.sets import ANY, NEGATIVE, NOT_NEGATIVE, POSITIVE, products, signs_of_sum
from recipe.signs.sign import possible_signs
from recipe.signs.sums import positive_denominator, times_denominator
from recipe.signs.totals import less_one_summand, of_sum_on_simplex, sign_on_simplex


@singledispatch
def readable_form(e: Expr) -> Expr:
    """An expression equal to ``e`` whose sign can be read off, provided that ``possible_signs``
    knows it.
    """
    return e


@readable_form.register
def _(e: Mul) -> Expr:
    return _rebuilt(e, [readable_form(a) for a in e.args])


@readable_form.register
def _(e: Pow) -> Expr:
    return _rebuilt(e, [readable_form(e.base), e.exp])


@readable_form.register(sinh)
@readable_form.register(tanh)
@readable_form.register(atan)
@readable_form.register(erf)
def _(e: Expr) -> Expr:
    return _rebuilt(e, [readable_form(e.args[0])])


@readable_form.register
def _(e: log) -> Expr:
    return _rebuilt(e, [_sum(S.One, readable_form(e.args[0] - 1))])


@readable_form.register
def _(e: Total) -> Expr:
    return Total(readable_form(e.body), e.index)


@readable_form.register
def _(e: Add) -> Expr:
    if signs_of_sum([possible_signs(a) for a in e.args]) != ANY:
        return _rebuilt(e, [readable_form(a) for a in e.args])
    return (
        _on_simplex(e)
        or _between_ends(e)
        or _square_and_rest(e)
        or _exponential(e)
        or _between_bounds(e)
        or _numerator(e)
        or _without_one(e)
        or _without_taylor_polynomial(e)
        or _with_common_factor(e)
        or e
    )


def _with_common_factor(e: Add) -> Expr | None:
    """The factor that all terms have, times the rest; None if that does not give the sign."""
    factored = factor_terms(e)
    known = isinstance(factored, Mul) and all(possible_signs(a) != ANY for a in factored.args)
    return readable_form(factored) if known else None


def _rebuilt(e: Expr, args: list[Expr]) -> Expr:
    return e if list(e.args) == args else e.func(*args, evaluate=False)


def _sum(*parts: Expr) -> Expr:
    kept = [p for p in parts if p != 0]
    return Add(*kept, evaluate=False) if len(kept) > 1 else reduce(lambda a, b: b, kept, S.Zero)


def _product(*parts: Expr) -> Expr:
    kept = [p for p in parts if p != 1]
    return (
        S.Zero
        if S.Zero in kept
        else Mul(*kept, evaluate=False)
        if len(kept) > 1
        else reduce(lambda a, b: b, kept, S.One)
    )


def _on_simplex(e: Add) -> Expr | None:
    """``(1 - s) a + s (a + b)`` for ``a + b s``, where s is a sum of coordinates on the simplex.

    None if that does not give the sign.
    """
    if sign_on_simplex(e, possible_signs) == ANY:
        return None
    for s, a, b in of_sum_on_simplex(e):
        if signs_of_sum([possible_signs(a), possible_signs(a + b)]) != ANY:
            return _sum(_product(1 - s, readable_form(a)), _product(s, readable_form(a + b)))
    return None


def _numerator(e: Add) -> Expr | None:
    """``(e p) / p``, where p is a positive sum from the denominators; None if there is none."""
    p = positive_denominator(e, possible_signs)
    if p is None:
        return None
    return _product(
        readable_form(times_denominator(e, p)), Pow(readable_form(p), -1, evaluate=False)
    )


def _without_one(e: Add) -> Expr | None:
    """``c (total(f) - f) + (c f + rest)``, with f at one coordinate; None if that does not give the
    sign.
    """
    for c, others, at_one in less_one_summand(e, possible_signs):
        if possible_signs(at_one) <= NOT_NEGATIVE:
            return _sum(_product(readable_form(c), others), readable_form(at_one))
    return None


def _without_taylor_polynomial(e: Add) -> Expr | None:
    """``slope (f(u) - p(u)) + (slope p(u) + rest)``; None if that does not give the sign."""
    for remainder, slope, part, at_part in less_taylor_polynomial(e):
        away = products(possible_signs(slope), part)
        if signs_of_sum([away, possible_signs(at_part)]) != ANY:
            return _sum(_product(readable_form(slope), remainder), readable_form(at_part))
    return None


def _between_ends(e: Add) -> Expr | None:
    """An expression ``slope x + c`` on an interval: its value at the lowest end plus the rise from
    there, or a mean of its values at both ends.

    None if no coordinate gives the sign this way.
    """
    for s in sorted(e.free_symbols, key=str):
        domain = domain_of(s)
        if not isinstance(domain, Interval) or domain == S.Reals:
            continue
        coefficients = coefficients_of(e, s)
        if coefficients is None or len(coefficients) != 2:
            continue
        slope, constant = coefficients
        at = {end: slope * end + constant for end in (domain.start, domain.end) if end.is_finite}
        forms = [
            _sum(readable_form(value), _rise(slope, s, end, domain)) for end, value in at.items()
        ]
        if len(at) == 2:
            weight, over = (
                1 / (domain.end - domain.start),
                {domain.start: domain.end - s, domain.end: s - domain.start},
            )
            forms.append(
                _sum(
                    *(
                        _product(weight, over[end], readable_form(value))
                        for end, value in at.items()
                    )
                )
            )
        wanted = possible_signs(e)
        found = next(
            (
                f
                for f in forms
                if signs_of_sum([possible_signs(a) for a in Add.make_args(f)]) == wanted
            ),
            None,
        )
        if found is not None and wanted != ANY:
            return found
    return None


def _rise(slope: Expr, s: Expr, end: Expr, domain: Interval) -> Expr:
    """The nonnegative change of ``slope x + c`` on the way from an end of the interval to x."""
    return (
        _product(readable_form(slope), s - end)
        if end == domain.start
        else _product(readable_form(-slope), end - s)
    )


def _square_and_rest(e: Add) -> Expr | None:
    """Completing the square: ``a (x + b / (2 a))^2 + (4 a c - b^2) / (4 a)``; None if that does not
    give the sign.
    """
    for s in sorted(e.free_symbols, key=str):
        coefficients = coefficients_of(e, s)
        if coefficients is None or len(coefficients) != 3:
            continue
        a, b, c = coefficients
        gap = (4 * a * c - b**2).expand()
        if possible_signs(a) in (POSITIVE, NEGATIVE) and possible_signs(gap) <= NOT_NEGATIVE:
            square = Pow(s + b / (2 * a), 2, evaluate=False)
            return _sum(
                _product(readable_form(a), square), _product(readable_form(gap), 1 / (4 * a))
            )
    return None


def _exponential(e: Add) -> Expr | None:
    """A difference of a constant and an exponential as ``c (1 - exp(a))``; None for other sums."""
    for constant, other in (e.args, e.args[::-1]) if len(e.args) == 2 else ():
        exponential = -other / constant
        if isinstance(exponential, exp):
            power = exp(readable_form(exponential.args[0]), evaluate=False)
            return _product(
                readable_form(constant),
                Add(S.One, Mul(S.NegativeOne, power, evaluate=False), evaluate=False),
            )
    return None


def _between_bounds(e: Add) -> Expr | None:
    """``slope t + c``, with t on one side of a bound: its value at the bound plus the distance of t
    from there.

    None if that does not give the sign.
    """
    for t, slope, rest in affine_in(e, *ONE_BY_ONE, *AT_ONCE):
        lead = possible_signs(slope)
        for bound, side in bounds_of(t, possible_signs):
            at_bound = (rest + slope * bound).expand()
            away = products(lead, side)
            if signs_of_sum([possible_signs(at_bound), away]) != ANY:
                toward = 1 if side <= NOT_NEGATIVE else -1
                rise = _product(readable_form(toward * slope), _distance(t, bound, toward))
                return _sum(readable_form(at_bound), rise)
    return None


def _distance(t: Expr, bound: Expr, toward: int) -> Expr:
    """``toward (t - bound)``, written in a form that is visibly nonnegative where there is one."""
    if isinstance(t, tanh):
        return _product(
            Integer(2),
            Pow(Add(S.One, exp(-2 * toward * t.args[0]), evaluate=False), -1, evaluate=False),
        )
    if isinstance(t, sin | cos):
        other = cos(t.args[0]) if isinstance(t, sin) else sin(t.args[0])
        square = Pow(Add(S.One, toward * t, evaluate=False), 2, evaluate=False)
        return _product(S.Half, _sum(square, Pow(other, 2)))
    if isinstance(t, exp):
        t = exp(readable_form(t.args[0]), evaluate=False)
    return Add(-toward * bound, Mul(toward, t, evaluate=False), evaluate=False)


__all__ = ["readable_form"]
