"""The limit of an update rule as its step vanishes: ``f = lim E[dz]/eps`` and ``2 D = lim
Cov[dz]/eps``.

With ``s = sqrt(eps)`` one step is ``z + s a + s^2 b + O(s^3)``; then ``E a`` must vanish, ``f = E
b`` and ``2 D = E a a^T``. A draw that is not normal is replaced by a normal one with its mean and
variance. Lyapunov's condition for this is that its fourth central moment is o(eps).
"""

from __future__ import annotations

import sympy
from sympy import Add, Dummy, Expr, Pow, S, Symbol, expand_mul

from recipe.declare.dynamics import Dynamics
from recipe.declare.reflect_update import unfolded
from recipe.declare.update import Update
from recipe.language.assumed import cached
from recipe.language.blocks import Block, Vector
from recipe.language.calculus import directional, freeze, partial, thaw
from recipe.language.chi_squared import NoncentralChiSquared, cumulant
from recipe.language.entry import Column, Coupling, Entry, Number, Row
from recipe.language.errors import OutsideLanguageError, RecipeError
from recipe.language.expectation import expectation
from recipe.language.noise import Noise, ScalarNoise
from recipe.language.phi import exp_by_phi
from recipe.language.symbols import GENERIC, OTHER
from recipe.language.total import relabel, substitute

Increment = dict[Block, Expr]
MAX_ROOT_ORDER = 4  # the leading term of a root is looked for up to this order in the step


@cached(maxsize=256)
def limit_of(update: Update) -> Dynamics:
    """The diffusion that an update rule follows as its step vanishes: ``f = lim E[dz]/eps``, ``2 D
    = lim Cov[dz]/eps``.

    Args:
        update: the rule. Where it has folds, the limit is that inside of the domain.

    Returns:
        The dynamics of the same state.

    Raises:
        RecipeError: where there is no limit: the rule is not the identity at step 0, or its noise
            has a mean at order sqrt(eps).
        OutsideLanguageError: where a term cannot be expanded in the step.
    """
    first, second = _expand(unfolded(update).update)
    for block, a in first.items():
        mean = sympy.expand(expectation(a))
        if mean != 0:
            raise RecipeError(
                f"the rule of {block} has no limit: it moves by {mean} * sqrt({update.step}) on"
                f" average, and its drift must scale as {update.step}"
            )
    drift = {block: expectation(b) for block, b in second.items()}
    diffusion = {
        (row, column): _half_covariance(row, column, first)
        for row in update.state
        for column in update.state
    }
    return Dynamics(update.state, drift, diffusion)


def noises_of_limit(update: Update) -> frozenset[Noise | ScalarNoise]:
    """The draws of a rule that are in its limit: those that move a block by a multiple of
    ``sqrt(step)``.

    Raises:
        RecipeError: where there is no limit, as for ``limit_of``.
        OutsideLanguageError: where a term cannot be expanded in the step.
    """
    first, _ = _expand(unfolded(update).update)
    return frozenset(w for a in first.values() for w in a.atoms(Noise, ScalarNoise))


def _expand(update: Update) -> tuple[Increment, Increment]:
    """The coefficients ``a`` (of s) and ``b`` (of s^2) of the whole step, by block."""
    s = Dummy("s", positive=True)
    first: Increment = dict.fromkeys(update.state, S.Zero)
    second: Increment = dict.fromkeys(update.state, S.Zero)
    seen_first, seen_second = dict(first), dict(second)
    for block, written in update.rule:
        rule = _with_normal_noise(written, block, update.step)
        e1, e2 = _taylor(
            in_root_of_step(_with_leading_roots(rule, update.step), update.step, s),
            s,
            block,
            update.step,
        )
        # The right-hand side is taken at z + s a + s^2 b. Its value at s = 0 is the block itself,
        # which brings its own a and b.
        first[block] = e1 + seen_first[block]
        second[block] = e2 + directional(e1, seen_first) + seen_second[block]
        if update.sequential:
            seen_first, seen_second = dict(first), dict(second)
    return first, second


def _with_normal_noise(rule: Expr, block: Block, step: Symbol) -> Expr:
    """A rule with the same drift and diffusion whose noise is normal.

    In ``p + q X`` the draw X is replaced by a normal number with its mean and variance, to first
    order in the step.
    """
    draw = min(rule.atoms(NoncentralChiSquared), key=str, default=None)
    if draw is None:
        return rule
    p, q = _affine_in(draw, rule, block)
    s = Dummy("s", positive=True)
    rest, scale = in_root_of_step(p, step, s), in_root_of_step(q, step, s)
    in_s = NoncentralChiSquared(
        draw.noise, *(in_root_of_step(e, step, s) for e in (draw.df, draw.nonc))
    )
    mean, variance, fourth = (_scaled_cumulant(scale, in_s, k) for k in (1, 2, 4))
    drift, diffusion = (
        _second_coefficient(e, s, block, step) for e in (rest + mean - block, variance)
    )
    if sympy.expand(_second_coefficient(fourth + 3 * variance**2, s, block, step)) != 0:
        raise RecipeError(
            f"the rule of {block} has no limit: its fourth central moment does not vanish faster"
            f" than {step}"
        )
    return block + step * drift + sympy.sqrt(step * sympy.factor_terms(diffusion)) * draw.noise


def _affine_in(draw: NoncentralChiSquared, rule: Expr, block: Block) -> tuple[Expr, Expr]:
    """Return ``(p, q)`` of a rule ``p + q X``, both free of noise."""
    x = Dummy("x", real=True)
    by_draw = rule.xreplace({draw: x})
    p, q = substitute(by_draw, {x: S.Zero}), partial(by_draw, x)
    if any(e.has(x, Noise, ScalarNoise) for e in (p, q)):
        raise OutsideLanguageError(
            f"the rule of {block} is outside the language: {rule} is not affine in one draw without"
            " noise beside it"
        )
    return p, q


def _scaled_cumulant(q: Expr, draw: NoncentralChiSquared, k: int) -> Expr:
    """The k-th cumulant of ``q X``, multiplied out term by term.

    As the step vanishes nonc tends to infinity, while ``q nonc`` stays finite.
    """
    return Add(*(q**k * term for term in Add.make_args(expand_mul(cumulant(draw, k)))))


def _second_coefficient(e: Expr, s: Symbol, block: Block, step: Symbol) -> Expr:
    """The coefficient of ``step = s^2`` in an expression, after a check that its lower coefficients
    are zero.
    """
    slope = partial(e, s)
    for lower in (e, slope):
        value = sympy.expand(substitute(lower, {s: S.Zero}))
        if value != 0:  # nan is not 0
            raise RecipeError(
                f"the rule of {block} has no limit: its draw leaves {value} as {step} vanishes,"
                " which is not proved to be 0"
            )
    value = substitute(partial(slope, s), {s: S.Zero}) / 2
    if value.has(sympy.nan, sympy.zoo, sympy.oo, -sympy.oo):
        raise OutsideLanguageError(
            f"the rule of {block} is outside the language: it is singular at {step} = 0"
        )
    return value


def in_root_of_step(rule: Expr, step: Symbol, s: Symbol) -> Expr:
    """The rule as a function of ``s = sqrt(step)``, with ``sqrt(1 - exp(-2 c step))`` as s times a
    function that is smooth at 0.
    """
    return exp_by_phi(
        rule.xreplace({step: s**2}),
        lambda z: s in z.free_symbols and substitute(z, {s: S.Zero}) == 0,
    )


def _with_leading_roots(rule: Expr, step: Symbol) -> Expr:
    """Replace each square root of order s^2 or higher by its leading term; the rule stays the same
    to first order in the step.

    Exact integrators have such noise on the positions, of order step^(3/2) (Ermak & Buckholz 1980).
    sympy does not find its derivative by sqrt(step) at 0.
    """
    if any(step in p.base.free_symbols for p in rule.atoms(Pow) if p.exp.is_negative):
        return rule  # a dropped term might be divided by the step
    roots = [p for p in rule.atoms(Pow) if p.exp == S.Half and step in p.base.free_symbols]
    return rule.xreplace(
        {p: begun for p in roots if (begun := _leading_root(p.base, step)) is not None}
    )


@cached(maxsize=256)
def _leading_root(base: Expr, step: Symbol) -> Expr | None:
    """The leading term of the square root of ``c step^n + ...``, where n is at least 2 and c
    positive; None elsewhere.
    """
    for n in range(MAX_ROOT_ORDER + 1):
        value = sympy.expand(substitute(base, {step: S.Zero})) / sympy.factorial(n)
        if value != 0:
            return sympy.sqrt(step**n * value) if n >= 2 and value.is_positive else None
        base = partial(base, step)
    return None


def _taylor(e: Expr, s: Symbol, block: Block, step: Symbol) -> tuple[Expr, Expr]:
    """The coefficients of s and s^2 of a right-hand side, whose value at s = 0 must be the block
    itself.
    """
    start = substitute(
        sympy.expand(_at_zero(e, s, block, step)), {}
    )  # splits sums into terms again
    if start != block:
        absent = f"the step {step} does not occur in it"
        raise RecipeError(
            f"the rule of {block} has no limit: at {step} = 0 it is {start}, which is not proved"
            f" to be {block}; {_advice(start, step) if s in e.free_symbols else absent}"
        )
    slope = partial(e, s)
    return _at_zero(slope, s, block, step), _at_zero(partial(slope, s), s, block, step) / 2


def _advice(start: Expr, step: Symbol) -> str:
    """The repair for a rule that is not the identity at step 0."""
    if start.has(Noise, ScalarNoise):
        return f"its noise must scale as sqrt({step})"
    return (
        f"what moves it must scale as {step} (where that is a momentum v in units of the step, say"
        f" units={{v: {step}}})"
    )


def _at_zero(e: Expr, s: Symbol, block: Block, step: Symbol) -> Expr:
    """The value of an expression at s = 0, as a limit from the right where it is singular there."""
    value = substitute(e, {s: S.Zero})
    if not value.has(sympy.nan, sympy.zoo, sympy.oo, -sympy.oo):
        return value
    frozen, stands_for = freeze(e)
    if any(s in atom.free_symbols for atom in stands_for):
        raise OutsideLanguageError(
            f"the rule of {block} is outside the language: {step} stands inside a sum that is"
            " singular at 0"
        )
    try:
        value = sympy.limit(frozen, s, 0, "+")
    except (NotImplementedError, ValueError):
        value = sympy.nan
    if value.has(sympy.nan, sympy.zoo, sympy.oo, -sympy.oo, sympy.Limit, sympy.AccumBounds):
        raise RecipeError(
            f"the rule of {block} has no limit as {step} vanishes: its noise must scale as"
            f" sqrt({step}) and its drift as {step}"
        )
    return thaw(value, stands_for)


def _half_covariance(row: Block, column: Block, first: Increment) -> Entry:
    """The entry of D between two blocks: half of the covariance of their noise at order s."""
    u, v = first[row], first[column]
    together = expectation(u * v) / 2
    if not isinstance(row, Vector):
        return Row(together) if isinstance(column, Vector) else Number(together)
    if not isinstance(column, Vector):
        return Column(together)
    apart = expectation(u * relabel(v, GENERIC, OTHER)) / 2
    if row.length != column.length:
        return Coupling(S.Zero, apart)
    return Coupling(sympy.expand(together - relabel(apart, OTHER, GENERIC)), apart)
