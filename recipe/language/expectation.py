"""The exact mean of an expression over the noise of an update rule."""

from __future__ import annotations

from sympy import Add, Expr, Mul, Pow, S, expand

from recipe.language.abstract import Dense
from recipe.language.chi_squared import NoncentralChiSquared, moment
from recipe.language.errors import OutsideLanguageError
from recipe.language.noise import Noise, ScalarNoise
from recipe.language.symbols import GENERIC, OTHER, Indexed, Length
from recipe.language.total import Total, labels, opened, relabel, sum_over

NOISE = (Noise, ScalarNoise)
Sums = dict[int, Length]


def expectation(e: Expr) -> Expr:
    """The mean over the noise, by Wick's theorem (Isserlis 1918).

    Draws at two different labels are draws at different coordinates. A ``NoncentralChiSquared``
    draw is replaced by its moments, where it does not stand in a sum.

    Raises:
        OutsideLanguageError: where the expression is not a polynomial of the noise.
    """
    if not e.has(*NOISE):
        return e
    return Add(*(_mean_of_term(term) for term in Add.make_args(expand(_distributed(e)))))


def _distributed(e: Expr) -> Expr:
    """Multiply out under every sum over noise, so that each summand is a product."""
    if isinstance(e, Total) and e.has(*NOISE):
        body, label = opened(e)
        return sum_over(expand(_distributed(body)), label, e.index.length)
    return e.func(*(_distributed(a) for a in e.args)) if e.args and e.has(Total) else e


def _mean_of_term(term: Expr) -> Expr:
    if not term.has(*NOISE):
        return term
    rest, draws, sums = _take_apart(term)
    return _pair_up(rest, draws, sums)


def _take_apart(term: Expr) -> tuple[Expr, list[Expr], Sums]:
    """Split a product into its factor free of noise, its noise factors, and the sums that were
    opened to reach them.
    """
    rest: Expr = S.One
    draws: list[Expr] = []
    sums: Sums = {}
    pending = list(Mul.make_args(term))
    while pending:
        factor = pending.pop()
        base, power = factor.as_base_exp() if isinstance(factor, Pow) else (factor, S.One)
        if not factor.has(*NOISE):
            rest *= factor
        elif isinstance(base, NOISE) and power.is_Integer and power > 0:
            draws += [base] * int(power)
        elif (
            isinstance(base, NoncentralChiSquared)
            and power.is_Integer
            and power > 0
            and labels(base) <= {GENERIC, OTHER}
        ):
            # outside of sums, two draws are either the same draw or independent
            rest *= moment(base, int(power))
        elif isinstance(base, Total) and power.is_Integer and power > 0:
            for _ in range(int(power)):
                body, label = opened(base, *sums)
                sums[label] = base.index.length
                pending += Mul.make_args(body)
        else:
            raise OutsideLanguageError(
                f"{factor} is outside the language: an update must be a polynomial of its noise"
            )
    return rest, draws, sums


def _pair_up(rest: Expr, draws: list[Expr], sums: Sums) -> Expr:
    """The mean of a product of draws: the sum over all ways to pair the first draw with another
    one.
    """
    if not draws:
        for label, length in sums.items():
            rest = sum_over(rest, label, length)
        return rest
    first, others = draws[0], draws[1:]
    return Add(*(_pair(rest, first, k, others, sums) for k in range(len(others))))


def _pair(rest: Expr, first: Expr, k: int, others: list[Expr], sums: Sums) -> Expr:
    """The contribution of pairing ``first`` with the k-th of the other draws."""
    second, left = others[k], others[:k] + others[k + 1 :]
    if isinstance(first, ScalarNoise) or isinstance(second, ScalarNoise):
        return _pair_up(rest, left, sums) if first == second else S.Zero
    if (first.base, first.extra) != (second.base, second.extra):
        return S.Zero
    covariance = first.extra[0]
    if isinstance(covariance, Dense):
        return _pair_up(rest * covariance.entry(first.label, second.label), left, sums)
    if first.label == second.label:
        return _pair_up(rest, left, sums)
    gone, kept = (first.label, second.label) if first.label in sums else (second.label, first.label)
    if gone not in sums:
        return S.Zero  # two different coordinates
    moved = [relabel(n, gone, kept) if isinstance(n, Indexed) else n for n in left]
    return _pair_up(
        relabel(rest, gone, kept), moved, {lab: n for lab, n in sums.items() if lab != gone}
    )
