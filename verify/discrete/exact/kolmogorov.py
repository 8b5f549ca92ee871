"""That a law is the transition of a diffusion: its transform solves the backward Kolmogorov
equation.

For ``dx = f dt + sqrt(2 D) dW`` and ``u(t, x) = E[exp(s x_t) | x]`` that equation is ``u_t = f u_x
+ D u_xx`` with ``u(0, x) = exp(s x)``. Let u be made of a rule's law instead, bounded by 1 (s <= 0
for a law on the positive half line, s imaginary for a normal one). By Ito's formula ``u(T - t,
x_t)`` is then a bounded martingale, so that ``u(T, x) = E[exp(s x_T) | x]``; and the transform for
these s determines the law. With ``u = exp(L)`` the equation is ``L_t = f L_x + D (L_xx + L_x^2)``.
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Dummy, Expr, Interval, S, Symbol, exp, nan, oo, zoo

from recipe.language.phi import Phi
from recipe.language.symbols import Block
from verify.decide.definedness import (
    NONNEGATIVE,
    POSITIVE,
    Condition,
    decide_condition,
    is_continuous,
)
from verify.decide.zero.canonical import normalised
from verify.decide.zero.decide import decide_zero
from verify.discrete.exact.law import ChiSquaredLaw, Law
from verify.verdict import Outcome, undecided


def decide_transition(
    law: Law, block: Block, step: Symbol, drift: Expr, noise: Expr
) -> Iterator[tuple[str, Outcome]]:
    """Whether it is the law of the process after the time ``step``: admissible, right at time 0,
    and a solution.
    """
    yield from _admissible(law, block)
    yield from _initial(law, block, step)
    yield "the backward Kolmogorov equation", _solves(law, block, step, drift, noise)


def _admissible(law: Law, block: Block) -> Iterator[tuple[str, Outcome]]:
    """Whether there is such a law, and it is one on the domain."""
    if isinstance(law, ChiSquaredLaw):
        yield "the domain", _on(block, Interval.open(0, oo), Interval(0, oo))
        yield "the degrees of freedom", decide_condition(Condition(law.draw.df, POSITIVE, law.draw))
        yield (
            "the non-centrality",
            decide_condition(Condition(law.draw.nonc, NONNEGATIVE, law.draw)),
        )
        yield "the scale", decide_condition(Condition(law.scale, POSITIVE, law.draw))
    else:
        yield "the domain", _on(block, S.Reals)
        yield "the variance", decide_condition(Condition(law.variance, NONNEGATIVE, law.variance))


def _on(block: Block, *domains: Interval) -> Outcome:
    if block.domain in domains:
        return decide_zero(S.Zero)
    return undecided(f"{block} lives on {block.domain}, and the law on {domains[0]}")


def _initial(law: Law, block: Block, step: Symbol) -> Iterator[tuple[str, Outcome]]:
    """At time 0 the law is the point x: of a scaled chi-squared number ``scale`` is 0 and ``scale
    nonc`` is x there.
    """
    if isinstance(law, ChiSquaredLaw):
        shift = law.scale * law.draw.nonc
        yield "the scale at time 0", _starts_at(law.scale, S.Zero, step)
        yield "scale * nonc at time 0", _starts_at(shift, block, step, normalised(shift))
        yield (
            "the degrees of freedom at time 0",
            _starts_at(law.draw.df, law.draw.df.xreplace({step: S.Zero}), step),
        )
    else:
        yield "the mean at time 0", _starts_at(law.mean, block, step)
        yield "the variance at time 0", _starts_at(law.variance, S.Zero, step)


def _starts_at(e: Expr, wanted: Expr, step: Symbol, *others: Expr) -> Outcome:
    """Whether it tends to a value as time vanishes: what it is at 0 where it is continuous, as
    written or in an equal form.
    """
    t = Dummy("t", nonnegative=True)
    for form in (e, *others):
        value = form.xreplace({step: S.Zero})
        if not value.has(nan, zoo, oo, -oo) and is_continuous(form.xreplace({step: t})):
            return decide_zero(value - wanted)
    return undecided(f"{e} is not seen to be continuous at time 0")


def _solves(law: Law, block: Block, step: Symbol, drift: Expr, noise: Expr) -> Outcome:
    """By the zero test; Phi as it is off 0, as both sides are continuous in its argument."""
    s = Dummy("s", negative=True) if isinstance(law, ChiSquaredLaw) else Dummy("s", real=True)
    L = _without_phi(law.log_transform(s))
    by_x = L.diff(block)
    return decide_zero(
        L.diff(step)
        - _without_phi(drift) * by_x
        - _without_phi(noise) * (by_x.diff(block) + by_x**2)
    )


def _without_phi(e: Expr) -> Expr:
    return e.replace(lambda n: isinstance(n, Phi), lambda n: n.rewrite(exp))
