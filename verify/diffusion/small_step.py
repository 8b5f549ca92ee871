"""May a rule be expanded in the root of its step?

The limit of a rule is read off its Taylor coefficients at ``s = sqrt(step) = 0``. They are right if
the rule is smooth there, uniformly in its noise: ``4 s^3/(w^2 + s^2)`` has no coefficient of order
s^2, and moves the state by s^2 sqrt(8 pi) on average. Two things are enough, and both are proved
for every state:

* A denominator, logarithm or root has a leading term in s whose coefficient vanishes nowhere.
* Noise stands in polynomials, whose moments exist; in functions as ``v = s w``, so that the rule is
  a smooth function of v near 0, and v is not near 0 with a probability below every power of s; in
  exponentials of linear terms, and in bounded functions.
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import (
    Dummy,
    Expr,
    Poly,
    Pow,
    S,
    Symbol,
    atan,
    cos,
    cosh,
    erf,
    exp,
    expand,
    preorder_traversal,
    sin,
    sinh,
    sqrt,
    tanh,
)
from sympy.core.function import AppliedUndef
from sympy.polys.polyerrors import PolynomialError

from recipe import Update
from recipe.declare.reflect_update import unfolded
from recipe.language.abstract import Jet
from recipe.language.assumed import cached
from recipe.language.checks.forms import SMOOTH_FUNCTIONS
from recipe.language.chi_squared import NoncentralChiSquared
from recipe.language.expectation import NOISE
from recipe.language.phi import Phi, exp_by_phi
from recipe.language.symbols import GENERIC, OTHER
from recipe.language.total import Total, opened
from recipe.signs.defined import PROVERS, Condition, own_conditions
from verify.decide.definedness import leading_sign
from verify.verdict import Outcome, proved, undecided

BOUNDED = (sin, cos, tanh, atan, erf)
EXPONENTIAL = (exp, sinh, cosh, Phi)
FUNCTIONS = (*SMOOTH_FUNCTIONS, Phi, AppliedUndef, Jet)


@cached(maxsize=256)
def decide_expansion(update: Update) -> Outcome:
    """Decide whether every assignment of a rule is smooth in the root of the step at 0, with its
    noise.
    """
    for block, e in unfolded(update).update.rule:
        for problem in _problems(e, update.step):
            return undecided(f"the limit of the rule of {block} is not proved: {problem}")
    return proved("the rule is smooth in the root of its step")


def _problems(e: Expr, step: Symbol) -> Iterator[str]:
    """Yield what keeps an expression from being smooth in the root of the step."""
    if isinstance(e, Total):
        body, _ = opened(e, GENERIC, OTHER)
        yield from _problems(body, step)
        return
    if not isinstance(e, NoncentralChiSquared):  # its moments are taken as they are
        for condition in own_conditions(e):
            yield from _of_condition(condition, e, step)
        if isinstance(e, FUNCTIONS) or (isinstance(e, Pow) and _noise_in(e.exp)):
            yield from _of_function(e, step)
    for part in e.args:
        if isinstance(part, Expr):
            yield from _problems(part, step)


def _of_condition(condition: Condition, e: Expr, step: Symbol) -> Iterator[str]:
    if not (_noise_in(condition.e) or step in condition.e.free_symbols):
        return
    s = Dummy("s", positive=True)
    scaled = _in_scaled_noise(condition.e, step, s)
    if _has_negative_power(scaled, s):
        yield f"the noise in {e} does not vanish with {step}"
        return
    at_rest = scaled.xreplace(dict.fromkeys(_noise_in(scaled), S.Zero))
    lead = leading_sign(at_rest.xreplace({s: sqrt(step)}), step)
    strict = condition.strict_sign
    if lead is None or not PROVERS[strict](lead):
        shown = condition.e if lead is None else lead
        yield f"as {step} vanishes, {e} depends on {shown} {strict}, which is not proved"


def _of_function(e: Expr, step: Symbol) -> Iterator[str]:
    noise = _noise_in(e)
    if not noise:
        return
    s = Dummy("s", positive=True)
    arguments = [a for a in e.args if _noise_in(a)]
    if not any(_has_negative_power(_in_scaled_noise(a, step, s), s) for a in arguments):
        return
    as_written = [expand(a.xreplace({step: s**2})) for a in arguments]
    if any(_has_negative_power(a, s) for a in as_written):
        yield f"{e} is singular as {step} vanishes"
    elif isinstance(e, BOUNDED):
        return
    elif not (_is_exponential(e) and all(_is_linear(a, noise) for a in as_written)):
        yield f"{e} grows with its noise so fast that its moments may be infinite"


def _is_exponential(e: Expr) -> bool:
    return isinstance(e, EXPONENTIAL) or (isinstance(e, Pow) and e.base.is_number)


def _noise_in(e: Expr) -> list[Symbol]:
    """Return the noise in an expression, at every label that it has in a sum."""
    return sorted(e.atoms(*NOISE), key=str)


def _in_scaled_noise(e: Expr, step: Symbol, s: Symbol) -> Expr:
    """Return an expression with ``v/s`` in place of its noise, where v keeps the name.

    A root such as ``sqrt(1 - exp(-s^2))`` is s times a smooth function, which cancels the divisor:
    it is written as ``s sqrt(phi_1(-s^2))``.
    """
    scaled = {w: w / s for w in _noise_in(e)}
    in_root = exp_by_phi(e.xreplace({step: s**2}), lambda z: _vanishes(z, s))
    return expand(in_root.xreplace(scaled))


def _vanishes(e: Expr, s: Symbol) -> bool:
    """Is an expression without noise a multiple of a power of s?"""
    return not _noise_in(e) and e.as_independent(s, as_Add=False)[1] in (s, s**2)


def _has_negative_power(e: Expr, s: Symbol) -> bool:
    return any(
        isinstance(p, Pow) and s in p.base.free_symbols and not p.exp.is_nonnegative
        for p in preorder_traversal(e)
    )


def _is_linear(e: Expr, noise: list[Symbol]) -> bool:
    try:
        return bool(Poly(e, *noise).total_degree() <= 1)
    except PolynomialError:
        return False
