"""Exact linear algebra over the parameters, the step and the exponentials of a step."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from sympy import (
    Add,
    Dummy,
    Expr,
    Mul,
    Pow,
    Rational,
    S,
    Symbol,
    exp,
    factor,
    nan,
    oo,
    together,
    zoo,
)

from recipe.signs.sets import NEGATIVE
from recipe.signs.sign import possible_signs


def with_generators(entries: Iterable[Expr]) -> tuple[list[Expr], dict[Symbol, Expr]]:
    """Return the expressions as rational functions, and what their new symbols stand for.

    Every exponential becomes a whole power of a symbol, and so does every root.
    """
    listed = list(entries)
    exponentials = sorted({e for x in listed for e in x.atoms(exp)}, key=str)
    roots = sorted(
        {p for x in listed for p in x.atoms(Pow) if p.exp.is_Rational and not p.exp.is_Integer},
        key=str,
    )
    meanings: dict[Symbol, Expr] = {}
    put: dict[Expr, Expr] = {}
    for base, members in _families([e.args[0] for e in exponentials]).items():
        letter = Dummy("c", positive=True)
        meanings[letter] = exp(base)
        put |= {exp(argument): letter**power for argument, power in members.items()}
    for p in roots:
        root = Dummy("q", positive=True)
        meanings[root] = Pow(p.base, Rational(1, p.exp.q))
        put[p] = root**p.exp.p
    return [x.xreplace(put) for x in listed], meanings


def _families(arguments: Iterable[Expr]) -> dict[Expr, dict[Expr, int]]:
    """Group exponents that are rational multiples of one another, each as a whole multiple of one
    base.
    """
    families: dict[Expr, dict[Expr, Rational]] = {}
    for a in arguments:
        number, rest = a.as_coeff_Mul()
        families.setdefault(rest, {})[a] = Rational(number)
    found = {}
    for rest, members in families.items():
        unit = Rational(
            math.gcd(*(abs(q.p) for q in members.values())),
            math.lcm(*(q.q for q in members.values())),
        )
        unit = -unit if all(q < 0 for q in members.values()) else unit
        found[Mul(unit, rest)] = {a: int(q / unit) for a, q in members.items()}
    return found


def readable(e: Expr, meanings: Mapping[Symbol, Expr], step: Symbol) -> Expr:
    """Return a rational function factored, with its generators replaced by their meanings.

    Factors that are seen to be negative as the step vanishes are written with the opposite sign.
    """
    written = S(factor(together(e))).xreplace(dict(meanings))
    turned, factors = S.One, []
    for base, power in (f.as_base_exp() for f in Mul.make_args(written)):
        if power.is_Integer and isinstance(base, Add) and _is_negative_at_zero(base, step):
            turned *= (-1) ** power
            factors.append(Add(*(-term for term in base.args)) ** power)
        else:
            factors.append(base**power)
    return Mul(turned, *factors)


def _is_negative_at_zero(e: Expr, step: Symbol) -> bool:
    value = e.xreplace({step: S.Zero})
    return not value.has(nan, zoo, oo) and possible_signs(value) == NEGATIVE
