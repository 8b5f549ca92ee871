"""Mean and variance of an exact chain after M steps, with the noise of an estimated constant,
derived from one step of its rule.

One step of a process with affine drift has ``E[x' | x] = a (1 - r) + r x`` with ``r = exp(rate
h)``, and a variance that is affine in x. Suppose that a is estimated anew at each step, right on
average, independently of x and with variance V. The estimate then adds ``(1 - r)^2 V`` to the
variance. Mean and variance are linear recursions; they are solved here, and the solutions are
proved to solve them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sympy import Add, Dummy, Expr, Integer, Mul, S, Symbol, cancel, exp, factor

from recipe.language.blocks import Block
from recipe.language.free_symbols import UnusedNames
from recipe.scheme.exact import Transition
from verify.decide.zero.decide import vanishes
from verify.discrete.exact.law import ChiSquaredLaw, Law, rate_of
from verify.discrete.exact.many_steps import many_steps, sentence
from verify.discrete.exact.transition import MatchedTransition


@dataclass(frozen=True)
class Moments:
    """``E x_M`` and ``Var x_M`` after M steps from ``x_0 = start``.

    ``center`` is the expression that the symbol ``a`` stands for. Where a is estimated anew at each
    step, ``gain`` times the variance of an estimate is added to the variance.
    """

    start: Block
    a: Symbol
    M: Symbol
    center: Expr
    mean: Expr
    variance: Expr
    gain: Expr


def facts_of(
    found: Iterable[tuple[Transition, MatchedTransition]], step: Symbol
) -> tuple[str, ...]:
    """Return sentences about mean and variance of the chains of square-root processes."""
    listed = [
        (p, moments_of(p.law, p.variable, step))
        for _, p in found
        if isinstance(p.law, ChiSquaredLaw)
    ]
    told = [line for p, m in listed if m is not None for line in _sentences(p, m)]
    for p, _ in listed:
        assert isinstance(p.law, ChiSquaredLaw)
        after = many_steps(p.law, p.variable, step)
        told += [] if after is None else [sentence(after, p.variable)]
    return tuple(told)


def _sentences(process: MatchedTransition, m: Moments) -> tuple[str, ...]:
    center = m.center.xreplace({d.total: d.from_gradient for d in process.data})
    return (
        f"after {m.M} steps from {m.start} the mean is {m.mean} and the variance {m.variance}"
        + ("" if m.a == center else f", with {m.a} = {center}"),
        (
            f"where {m.a} is estimated anew at each step, right on average and independently of the"
            f" rest, the variance gains {m.gain} times that of the estimate"
        ),
    )


def moments_of(law: Law, x: Block, step: Symbol) -> Moments | None:
    """Return mean and variance after M steps; None where one step is not seen to have the form
    above.
    """
    rate = rate_of(law, x)
    if rate is None:
        return None
    r, R = Dummy("r", positive=True), Dummy("R", positive=True)  # exp(rate) and its M-th power
    mean, variance = (cancel(_in_powers(e, rate, r)) for e in (law.mean, law.variance))
    center = cancel(mean.xreplace({x: S.Zero}) / (1 - r))
    slope, own = variance.diff(x), variance.xreplace({x: S.Zero})
    if center.has(r, x, step) or not (
        vanishes(mean - center * (1 - r) - r * x) and vanishes(variance - own - slope * x)
    ):
        return None
    names = UnusedNames([law.mean, law.variance])
    a = center if isinstance(center, Symbol) else Symbol(names.fresh("a"), real=True)
    M, V = Symbol(names.fresh("M"), positive=True), Dummy("V", nonnegative=True)
    own = cancel(own / center) * a if isinstance(law, ChiSquaredLaw) else own
    mean_M = a * (1 - R) + x * R
    variance_M = _recursion(
        r**2, {S.One: own + slope * a + (1 - r) ** 2 * V, r: slope * (x - a)}, r, R
    )
    step_of_variance = r**2 * variance_M + own + slope * mean_M + (1 - r) ** 2 * V
    if not (
        vanishes(variance_M.xreplace({R: R * r}) - step_of_variance)
        and vanishes(variance_M.xreplace({R: S.One}))
    ):
        return None
    powers = {R: exp(M * rate), r: exp(rate)}
    spread = _grouped(variance_M.xreplace({V: S.Zero}), (x, a), (r, R))
    gain = _factored(variance_M.diff(V), (r, R))
    return Moments(x, a, M, center, *(e.xreplace(powers) for e in (mean_M, spread, gain)))


def _in_powers(e: Expr, rate: Expr, r: Symbol) -> Expr:
    """Return the expression with ``r^k`` for ``exp(k rate)``."""
    ratios = {n: cancel(n.args[0] / rate) for n in e.atoms(exp)}
    return e.xreplace({n: r**k for n, k in ratios.items() if isinstance(k, Integer)})


def _recursion(factor_of: Expr, forcing: Mapping[Expr, Expr], r: Symbol, R: Symbol) -> Expr:
    """Return ``y_M`` for ``y_0 = 0`` and ``y_(k+1) = l y_k + sum_m c_m m^k``: the sum of ``c_m (l^M
    - m^M)/(l - m)``.
    """

    def to_the_M(e: Expr) -> Expr:
        return e.xreplace({r: R})

    return Add(
        *(c * (to_the_M(factor_of) - to_the_M(m)) / (factor_of - m) for m, c in forcing.items())
    )


def _grouped(e: Expr, by: tuple[Expr, ...], small: tuple[Symbol, ...]) -> Expr:
    """Return an expression that is affine in the symbols ``by`` with the coefficient of each
    factored.
    """
    return Add(
        *(s * _factored(e.diff(s), small) for s in by),
        _factored(e.xreplace(dict.fromkeys(by, S.Zero)), small),
    )


def _factored(e: Expr, small: tuple[Symbol, ...]) -> Expr:
    """Return the expression as a product whose factors are written positive where the symbols in
    ``small`` are small.
    """
    factors, turns = [], 0
    for f in Mul.make_args(factor(e)):
        base, power = f.as_base_exp()
        constant = base.xreplace(dict.fromkeys(small, S.Zero))
        turned = isinstance(base, Add) and power.is_Integer and constant.could_extract_minus_sign()
        factors.append((-base) ** power if turned else f)
        turns += int(power) if turned else 0
    return Mul(*factors) * (-1) ** turns


__all__ = ["Moments", "facts_of", "moments_of"]
