"""Proof that a law is the transition of a diffusion: its transform solves the backward Kolmogorov
equation.

For ``dx = f dt + sqrt(2 D) dW`` and ``u(t, x) = E[exp(s x_t) | x]`` that equation is ``u_t = f u_x
+ D u_xx`` with ``u(0, x) = exp(s x)``. Now let u be the transform of the law of a rule, bounded by
1 (s <= 0 for a law on the positive half line, s imaginary for a normal law). By Ito's formula ``u(T
- t, x_t)`` is a bounded martingale, so ``u(T, x) = E[exp(s x_T) | x]``, and the transform at these
s determines the law. With ``u = exp(L)`` the equation is ``L_t = f L_x + D (L_xx + L_x^2)``.
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Dummy, Expr, Interval, S, Symbol, exp, nan, oo, zoo

from recipe.language.blocks import Block
from recipe.language.phi import Phi
from recipe.signs.defined import NONNEGATIVE, POSITIVE, Condition, is_continuous
from verify.decide.definedness import decide_condition
from verify.decide.zero.canonical import normalised
from verify.decide.zero.decide import decide_zero
from verify.discrete.exact.law import ChiSquaredLaw, Law
from verify.verdict import Outcome, undecided


def decide_transition(
    law: Law, block: Block, step: Symbol, drift: Expr, noise: Expr
) -> Iterator[tuple[str, Outcome]]:
    """Yield the conditions, by name, under which the law is that of the process after the time
    ``step``: it exists, starts at the old value, and solves the equation.

    All proved is a proof. A refuted condition refutes that the transition is exact.
    """
    yield from _admissible(law, block)
    yield from _initial(law, block, step)
    yield "the backward Kolmogorov equation", _solves(law, block, step, drift, noise)


def _admissible(law: Law, block: Block) -> Iterator[tuple[str, Outcome]]:
    """Yield the conditions under which the law exists and lives on the domain of the block."""
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
    """Yield the conditions under which the law at time 0 is the point x.

    For a scaled chi-squared number, ``scale`` is then 0 and ``scale nonc`` is x.
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
    """Decide whether e tends to ``wanted`` as time vanishes: its value at 0 where e, or an equal
    form in ``others``, is continuous.
    """
    t = Dummy("t", nonnegative=True)
    for form in (e, *others):
        value = form.xreplace({step: S.Zero})
        if not value.has(nan, zoo, oo, -oo) and is_continuous(form.xreplace({step: t})):
            return decide_zero(value - wanted)
    return undecided(f"{e} is not seen to be continuous at time 0")


def _solves(law: Law, block: Block, step: Symbol, drift: Expr, noise: Expr) -> Outcome:
    """Decide the equation by the zero test.

    Phi is replaced by its formula away from 0, which is enough, as both sides are continuous in its
    argument.
    """
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
