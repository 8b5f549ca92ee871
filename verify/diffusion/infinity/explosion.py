"""Explosion of one coordinate, by Feller's test and comparison.

Let ``dx = f dt + sqrt(2 D) dW`` with D > 0 a function of x alone, and ``f >= g(x)`` whatever the
other coordinates are. If, as x -> oo, ``g -> oo``, the integral of ``1/g`` is finite, that of
``g/D`` infinite, and ``D g'/g^2 -> 0``, then x reaches infinity in finite time with positive
probability. With ``s' = exp(-integral of g/D)``, Feller's ``v = integral of s' (integral of 1/(s'
D))`` is asymptotically the integral of ``1/g`` by l'Hospital's rule, so it is finite (Karatzas &
Shreve 1991, theorem 5.5.29), and x stays above the solution with drift g (Ikeda & Watanabe 1981,
theorem VI.1.1).
"""

from __future__ import annotations

from sympy import Expr, S, factor_terms

from recipe.declare.dynamics import Dynamics
from recipe.language.calculus import abstract_atoms
from recipe.language.defined import is_smooth
from recipe.language.free_symbols import blocks_in
from recipe.language.sign import NEGATIVE, NOT_NEGATIVE, is_nonnegative, is_positive, possible_signs
from recipe.language.symbols import Block, Vector
from recipe.language.text import text
from verify.decide.asymptotics.growth import (
    ONE,
    OrderOfInfinity,
    bound,
    compare,
    goes_to_zero,
    leading,
)
from verify.diffusion.infinity.ends import End, T, at_end, ends
from verify.diffusion.infinity.separation import at_length_one
from verify.generator.coupling import own_diffusion
from verify.verdict import Outcome, Witness, refuted


def find_explosion(dynamics: Dynamics) -> Witness | None:
    """A coordinate that is proved to explode when every vector has length 1; None if none was
    found.
    """
    if any(b.domain != S.Reals for b in dynamics.state):
        return None
    for x in dynamics.state:
        f = at_length_one(dynamics.drift[x])
        D = at_length_one(own_diffusion(dynamics, x))
        if (
            abstract_atoms(f)
            or blocks_in(D, dynamics.state) - {x}
            or not (is_positive(D) and is_smooth(D, f))
        ):
            continue
        g = f.xreplace({b: S.Zero for b in dynamics.state if b != x})
        for end in ends(x):
            sign = 1 if end.name == "oo" else -1
            if _explodes(sign * g, D, x, end) and _is_nonnegative(sign * (f - g)):
                return _witness(dynamics, x, f, g, end)
    return None


def _is_nonnegative(e: Expr) -> bool:
    """Return True if e is proved nonnegative, as it stands or with ``exp(a + b) - exp(a)`` as
    ``exp(a) (exp(b) - 1)``.
    """
    return is_nonnegative(e) or is_nonnegative(factor_terms(e.expand()))


def _witness(dynamics: Dynamics, x: Block, f: Expr, g: Expr, end: End) -> Witness:
    lengths = {str(b.length): "1" for b in dynamics.state if isinstance(b, Vector)}
    relation = "" if f == g else "at least " if end.name == "oo" else "at most "
    finding = (
        f"the drift of {x} is {relation}{text(g)}, and the integral of 1/({text(g)}) up to"
        f" {end.name} is finite"
    )
    return Witness({**lengths, str(x): f"-> {end.name}"}, finding)


def _explodes(outward: Expr, D: Expr, x: Block, end: End) -> bool:
    """Return True if a one-dimensional diffusion with this outward drift is proved to reach the end
    in finite time.
    """
    drift = _order(outward, x, end)
    if drift is None or not is_positive(drift.coefficient) or compare(drift, ONE) != 1:
        return False
    time, force = _order(1 / outward, x, end), _order(outward / D, x, end)
    correction = at_end(D * outward.diff(x) / outward**2, x, end)
    if time is None or force is None or correction is None:
        return False
    return (
        _has_finite_integral(time) is True
        and _has_finite_integral(force) is False
        and goes_to_zero(bound(correction, T))
    )


def _order(e: Expr, x: Block, end: End) -> OrderOfInfinity | None:
    f = at_end(e, x, end)
    return None if f is None else leading(f, T)


def _has_finite_integral(order: OrderOfInfinity) -> bool | None:
    """Decide whether a positive function of this order is integrable up to infinity; None if it is
    open.

    In the borderline case ``log(t)^q/t``, it is integrable iff q < -1.
    """
    if not order.rates and order.power == -1:
        signs = possible_signs(order.logs + 1)
        return True if signs == NEGATIVE else False if signs <= NOT_NEGATIVE else None
    return {1: False, -1: True}.get(compare(order, OrderOfInfinity(S.One, -S.One)) or 0)


def decide_explosion(dynamics: Dynamics) -> Outcome | None:
    """*Refuted* if a coordinate is proved to explode; None if not, which leaves the question
    open.
    """
    witness = find_explosion(dynamics)
    return (
        None
        if witness is None
        else refuted(
            "a coordinate reaches infinity in finite time with positive probability", witness
        )
    )
