"""The law of an exact square-root chain after M steps with given estimates of its constant: Theorem
3.1 of Baker, Fearnhead, Fox & Nemeth (2018), with the order of the estimates put right.

One step with the estimate a has, for a constant c and ``r = exp(rate h)``,
``E[exp(s x') | x] = (1 - c s (1 - r))^-a exp(s r x / (1 - c s (1 - r)))``. Let ``N(R) = 1 - c s (1
- R)`` and ``T(R) = s R / N(R)``. After M steps with the estimates a_1, ..., a_M

    E[exp(s x_M) | x_0] = product over m of (N(r^m) / N(r^(m-1)))^-a_(M-m+1)  times  exp(T(r^M) x_0)

By induction: it holds for M = 0, and one step before M others turns ``exp(T(R) x)`` into ``(1 - c
T(R) (1 - r))^-a exp(T(R) r x / (1 - c T(R) (1 - r)))``, so that two identities between rational
functions are left: ``1 - c T(R) (1 - r) = N(R r)/N(R)`` and ``T(R) r / (1 - c T(R) (1 - r)) = T(R
r)``. The paper prints a_m in the place of a_(M-m+1); where the estimates are independent and alike
both have one law.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Dummy, Expr, Symbol, cancel, exp, log

from recipe.language.blocks import Block
from verify.decide.zero.decide import vanishes
from verify.discrete.exact.law import ChiSquaredLaw, rate_of


@dataclass(frozen=True)
class ManySteps:
    """The transform after M steps: ``N`` and ``T`` with ``R`` for the power of exp(rate h)."""

    s: Symbol
    R: Symbol
    N: Expr
    T: Expr
    rate: Expr


def many_steps(law: ChiSquaredLaw, x: Block, step: Symbol) -> ManySteps | None:
    """Return the transform after M steps; None where one step is not seen to have the form above,
    or an identity is not proved.
    """
    rate = rate_of(law, x)
    if rate is None:
        return None
    r, a = exp(rate), law.draw.df / 2
    c = cancel(2 * law.scale / (1 - r))
    s, R, q = Dummy("s", negative=True), Dummy("R", positive=True), Dummy("r", positive=True)
    one = -a * log(1 - c * s * (1 - r)) + s * r * x / (1 - c * s * (1 - r))
    if c.has(step, x) or a.has(step, x) or not vanishes(law.log_transform(s) - one):
        return None
    N = 1 - c * s * (1 - R)
    T = s * R / N
    after = 1 - c * T * (1 - q)
    next_N, next_T = (e.xreplace({R: R * q}) for e in (N, T))
    if not (vanishes(after - next_N / N) and vanishes(T * q / after - next_T)):
        return None
    shown, power = Symbol("s", negative=True), Symbol("R", positive=True)
    N, T = (e.xreplace({s: shown, R: power}) for e in (N, T))
    return ManySteps(shown, power, N, T, rate)


def sentence(found: ManySteps, x: Block) -> str:
    """Return the theorem in words."""
    return (
        f"given the estimates a_1, ..., a_M of M steps, E[exp({found.s}*{x}_M)] for {found.s} <= 0"
        f" is exp(T(r^M)*{x}) times the product over m of (N(r^m)/N(r^(m-1)))^(-a_(M-m+1)), with"
        f" r = {exp(found.rate)}, N({found.R}) = {found.N} and T({found.R}) = {found.T}"
    )
