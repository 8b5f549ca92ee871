"""Sums of arctangents, as arguments of complex numbers.

The argument of ``1 + i u`` is ``atan u``. If ``n_1 atan u_1 + ... + m pi/4`` is a sum with whole
numbers, then ``z = (1 + i u_1)^n_1 ... (1 + i)^m``, with the conjugate for a negative power, has
this sum as its argument, up to whole turns. Where the imaginary part of z is 0, the sum is a whole
multiple of pi: at each point, as z is not 0. If it is continuous on a connected domain the multiple
is one and the same everywhere, and it is 0 if a ball at one point has no number of size 3 in it.
"""

from __future__ import annotations

import math

from sympy import Expr, Rational, Symbol, atan, pi
from sympy.core.numbers import Pi

from recipe.language.assumed import under
from verify.decide.identities.connected import is_connected, is_smooth_everywhere
from verify.decide.points.general_position import first_value
from verify.decide.zero.form import Form, Prove, read, terms_of
from verify.decide.zero.ratio import Ratio

MAX_POWER = 64  # the sum of all powers of 1 + i u
LESS_THAN_PI = 3


def count_turns(form: Form, prove: Prove) -> bool:
    """Return True if the numerator is a sum of arctangents and of a rational multiple of pi, and is
    proved to be zero.

    All of this is proved without conditions between parameters, which could leave a domain that is
    not connected.
    """
    if not form.written.has(atan):
        return False
    with under(()):
        return _counts_no_turns(read(form.written), prove)


def _counts_no_turns(form: Form, prove: Prove) -> bool:
    found = _sum_of_arctangents(form)
    if found is None:
        return False
    powers, turns = found
    whole = sum((n * atan(u) for u, n in powers.items()), start=turns * pi)
    if not _is_continuous(whole):
        return False
    value = first_value(whole)
    return (
        value is not None
        and bool(abs(value) < LESS_THAN_PI)
        and prove(_imaginary_part(form, powers, int(4 * turns) % 4))
    )


def _sum_of_arctangents(form: Form) -> tuple[dict[Expr, int], Rational] | None:
    """The sum as whole powers of each ``1 + i u`` and a multiple of pi by a whole number of
    quarters; None if it is none.
    """
    powers: dict[Expr, int] = {}
    turns = 0
    for factors, c in terms_of(form.numerator):
        if len(factors) != 1 or factors[0][1] != 1:
            return None
        meaning = form.meaning(factors[0][0])
        if isinstance(meaning, atan):
            powers[meaning.args[0]] = c
        elif isinstance(meaning, Pi):
            turns = c
        else:
            return None
    if not powers:
        return None
    common = math.gcd(*powers.values())
    common = math.gcd(common, 4 * turns) if turns else common
    if sum(abs(n) // common for n in powers.values()) > MAX_POWER:
        return None
    return {u: n // common for u, n in powers.items()}, Rational(turns, common)


def _is_continuous(e: Expr) -> bool:
    symbols = e.free_symbols
    return not symbols or (
        all(isinstance(s, Symbol) and is_connected(s) for s in symbols) and is_smooth_everywhere(e)
    )


def _imaginary_part(form: Form, powers: dict[Expr, int], quarters: int) -> Expr:
    generators = form.canonical.generators
    real, imaginary = generators.number(1), generators.number(0)
    for u, n in [*powers.items(), (Rational(1), quarters)]:
        slope = form.canonical.read(u)
        turned = slope if n > 0 else -slope
        for _ in range(abs(n)):
            real, imaginary = _product(form, real, imaginary, turned)
    return generators.expression(imaginary)


def _product(form: Form, real: Ratio, imaginary: Ratio, u: Ratio) -> tuple[Ratio, Ratio]:
    reduce = form.canonical.generators.reduce
    return reduce(real - imaginary * u), reduce(imaginary + real * u)
