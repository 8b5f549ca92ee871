"""``averaged``: the limit of one sweep as its step vanishes, an ``Update`` of the blocks that are
not redrawn.

A momentum that is redrawn in every sweep never gets far. In L steps of size h the positions move by
``h L r`` and by h^2 times a force, so time passes at the rate h^2; friction, of order h^(5/2), has
no effect. For the blocks that a sweep moves by little, let ``z' = z + s z_1 + s^2 z_2 + ...`` with
s the root of the step, and m the first order that occurs. The sweep is a step of the time ``s^n``,
where n is the first order at which it moves them on average, or 2 m if that is smaller:

    drift = E[z_n],    2 D = E[z_m z_m^T] where n = 2 m, and 0 where n < 2 m.

This is the expansion of ``limit_of``, for a whole sweep. Let the number of repetitions be a symbol
L. Then ``E[f(z')] = T^L f`` and ``T^L = sum over j of binomial(L, j) (T - 1)^j`` with ``T - 1 =
O(s)``. So the coefficient of s^n is a polynomial of L of degree at most n, which its values at n +
1 numbers determine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random
from typing import Any

from sympy import Abs, Add, Expr, Mul, Rational, S, Symbol, expand, factor, factor_terms, log, sqrt

from recipe.declare.replace_fields import with_fields
from recipe.declare.update import Update
from recipe.kernel.conditional import conditional_of
from recipe.kernel.series import MAX_ORDER, RootStepSeries
from recipe.kernel.sweep import Sweep, follow, sweep_of
from recipe.language.blocks import Block, Vector
from recipe.language.calculus import contract, freeze, thaw, tidy
from recipe.language.checks.validate import read
from recipe.language.errors import RecipeError
from recipe.language.expectation import expectation
from recipe.language.free_symbols import UnusedNames, blocks_in
from recipe.language.noise import Noise
from recipe.language.symbols import GENERIC, OTHER
from recipe.language.text import listed
from recipe.language.total import relabel, substitute

# numbers of repetitions that determine a polynomial of degree MAX_ORDER
REPETITION_COUNTS = tuple(range(1, MAX_ORDER + 2))

Values = dict[Block, Expr]


@dataclass(frozen=True)
class _SweepEnds:
    """The slow blocks after a sweep, as series in the root of the step, for each number of
    repetitions that is followed.

    Attributes:
        sweep: the sweep.
        slow: the blocks that it moves by little.
        series: their values after the sweep, by block, one mapping for each number of repetitions.
    """

    sweep: Sweep
    slow: tuple[Block, ...]
    series: tuple[Mapping[Block, RootStepSeries], ...]

    def at(self, n: int) -> list[Values]:
        """The coefficients of ``s^n`` by block, one mapping for each number of repetitions.

        Raises:
            RecipeError: where they depend on a block that should have been redrawn first.
        """
        others = tuple(b for b in self.sweep.state if b not in self.slow)
        found = [{b: end[b].at(n) for b in self.slow} for end in self.series]
        for b, e in ((b, e) for values in found for b, e in values.items()):
            if blocks_in(e, others):
                names = listed(blocks_in(e, others))
                raise RecipeError(
                    f"{b} after the sweep depends on {names} before it, which must be redrawn"
                    " before a rule reads it: begin the sweep with its refresh(...)"
                )
        return found

    def over_counts(self, values: Sequence[Expr]) -> Expr:
        """One expression for all numbers of repetitions, by Lagrange's interpolation of the
        values.
        """
        L = self.sweep.times
        weights = (
            [S.One]
            if L is None
            else [
                Mul(*((L - j) * Rational(1, k - j) for j in REPETITION_COUNTS if j != k))
                for k in REPETITION_COUNTS
            ]
        )
        frozen, stands_for = freeze(
            expand(Add(*(w * v for w, v in zip(weights, values, strict=True))))
        )
        return thaw(factor(frozen), stands_for)


def averaged(
    *parts: object,
    target: Any = None,
    name: str | None = None,
    source: str | None = None,
    expect: str | None = None,
) -> Update:
    """The limit of a sweep as its step vanishes: a step of a diffusion of the blocks that the sweep
    moves by little.

    Every other block must be redrawn or set before it is read. The target is the law of the
    remaining blocks under ``exp(-H)``, where no other is given.

    Args:
        *parts: as for ``compose``, without Metropolis tests; one of them may be ``repeat(part, L)``
            with a symbol L, for every number of repetitions.
        target: an H' of the blocks that move by little, if ``exp(-H')`` is claimed and no other.
        name: the name in reports.
        source: the citation.
        expect: the verdict that an audit expects.

    Returns:
        An update of these blocks that stands for its limit only (``limit_only``). Its step is the
        step of the sweep, or the square of it where the momenta are redrawn in every sweep.

    Raises:
        RecipeError: where the sweep has no such limit, or the target is about other blocks.
    """
    sweep = sweep_of(parts)
    ends = _followed(sweep)
    names = UnusedNames(e for u in sweep.unrolled(1) for e, _ in u.written())
    n, drift, noise = _limit(ends, names)
    time = sweep.step if n == 2 else Symbol(names.fresh(f"{sweep.step}_squared"), positive=True)
    rule = {b: b + time * drift[b] + sqrt(time) * noise[b] for b in ends.slow}
    claimed = _law_of(ends) if target is None else _claimed(target, ends)
    made = Update(time, rule, claimed, name=name, source=source, expect=expect, where=sweep.where)
    return with_fields(made, limit_only=True)


def _followed(sweep: Sweep) -> _SweepEnds:
    """Follow the sweep, and sort its blocks: slow ones move by little, all others must be redrawn
    or set.
    """
    series = [
        follow(sweep, count) for count in (REPETITION_COUNTS if sweep.times is not None else (1,))
    ]
    slow = tuple(b for b in sweep.state if all(expand(end[b].at(0) - b) == 0 for end in series))
    if not slow:
        raise RecipeError(
            "the sweep redraws or sets every block, so that nothing in it moves by little as the"
            " step vanishes"
        )
    fast = tuple(b for b in sweep.state if b not in slow)
    kept = next(
        ((b, e) for end in series for b in fast if blocks_in(e := end[b].at(0), fast)), None
    )
    if kept is not None:
        raise RecipeError(
            f"{kept[0]} becomes {kept[1]} in a sweep as the step vanishes: neither redrawn in full"
            " nor moved by little, so that no limit is known"
        )
    return _SweepEnds(sweep, slow, tuple(series))


def _limit(ends: _SweepEnds, names: UnusedNames) -> tuple[int, Values, Values]:
    """Return the n of the time ``s^n`` that the sweep is a step of, and the drift and the noise by
    block.
    """
    first = next(
        (
            n
            for n in range(1, MAX_ORDER + 1)
            if any(_is_nonzero(e) for values in ends.at(n) for e in values.values())
        ),
        MAX_ORDER,
    )
    for n in range(first, min(2 * first, MAX_ORDER) + 1):
        means = [{b: expand(expectation(e)) for b, e in values.items()} for values in ends.at(n)]
        on_average = [(b, e) for values in means for b, e in values.items() if _is_nonzero(e)]
        if on_average or n == 2 * first:
            break
    else:
        raise RecipeError(
            f"the sweep moves {listed(ends.slow)} by less than the square of {ends.sweep.step}: no"
            " limit is known"
        )
    if n % 2 == 1:
        block, e = on_average[0]
        raise RecipeError(
            f"the sweep has no limit: it moves {block} by {e} * {ends.sweep.step}**({n}/2) on"
            " average"
        )
    drift = {b: ends.over_counts([values[b] for values in means]) for b in ends.slow}
    return (
        n,
        drift,
        _noise(ends, first, names) if n == 2 * first else dict.fromkeys(ends.slow, S.Zero),
    )


def _is_nonzero(e: Expr) -> bool:
    """Return True if a coefficient is nonzero, and False if it is written as 0.

    A zero in another form would be taken for the leading order of the motion, and at that order the
    sweep would seem to stand still. So a coefficient that is neither of the two is refused.

    Raises:
        RecipeError: where it is not written as 0 and is near 0 at a point of random numbers.
    """
    if e == 0:
        return False
    frozen, _ = freeze(e)
    draw = Random(0)
    values = {
        s: draw.randint(2, 99) if s.is_integer else Rational(draw.randint(51, 149), 100)
        for s in frozen.free_symbols
    }
    if abs(frozen.xreplace(values).evalf(60)) > Rational(1, 10**20):
        return True
    raise RecipeError(
        f"{e} is not written as 0, and no value other than 0 is found: write the rules so that it"
        " cancels"
    )


def _noise(ends: _SweepEnds, first: int, names: UnusedNames) -> Values:
    """Noise with the covariance of ``z_m``, by block.

    Where coordinates and blocks are independent it is one draw for each block; else it is z_m
    itself.
    """
    found = ends.at(first)
    if not _are_independent(ends.slow, found):
        if ends.sweep.times is None:
            return found[0]
        raise RecipeError(
            f"the noise of {listed(ends.slow)} is correlated, and no root of its covariance is"
            f" known for every {ends.sweep.times}; give a number in the place of {ends.sweep.times}"
        )
    variances = {
        b: ends.over_counts([expectation(values[b] ** 2) for values in found]) for b in ends.slow
    }
    return {
        b: _root(v) * Noise(names.fresh("w"), like=b) if v != 0 else S.Zero
        for b, v in variances.items()
    }


def _root(variance: Expr) -> Expr:
    """A square root of either sign.

    A draw and its negative have one law, so that x serves as the root of x^2 in place of |x|.
    """
    return sqrt(factor_terms(variance)).replace(Abs, lambda e: e)


def _are_independent(slow: tuple[Block, ...], found: list[Values]) -> bool:
    """Return True if the increments of different blocks, and of different coordinates of one block,
    are uncorrelated.
    """
    for values in found:
        across = [
            (values[b], relabel(values[b], GENERIC, OTHER)) for b in slow if isinstance(b, Vector)
        ]
        pairs = [(values[b], values[c]) for b, c in combinations(slow, 2)]
        pairs += [(a, relabel(b, GENERIC, OTHER)) for a, b in pairs]
        if any(expand(expectation(a * b)) != 0 for a, b in (*across, *pairs)):
            return False
    return True


def _claimed(target: Any, ends: _SweepEnds) -> Expr:
    claimed = read(target, "target")
    others = blocks_in(claimed, ends.sweep.state) - {*ends.slow}
    others |= claimed.free_symbols & {ends.sweep.step}
    if others:
        raise RecipeError(
            f"the target {claimed} contains {listed(sorted(others, key=str))}: in the limit the"
            f" step vanishes, and the law is one of {listed(ends.slow)} alone"
        )
    return claimed


def _law_of(ends: _SweepEnds) -> Expr:
    """H with every fast block integrated out of ``exp(-H)``; each must be normal given the rest."""
    H = ends.sweep.target
    for block in (b for b in ends.sweep.state if b not in ends.slow):
        try:
            law = conditional_of(H, block)
        except RecipeError as error:
            raise RecipeError(
                f"the law of {listed(ends.slow)} under exp(-H) is not known: {error}"
            ) from None
        if not law.precision.is_positive:
            raise RecipeError(
                f"the precision {law.precision} of {block} under H is not known to be positive;"
                " declare its symbols so"
            )
        H = substitute(H, {block: law.mean})
        if blocks_in(law.precision, ends.sweep.state):
            H += contract(log(law.precision) / 2, block)
    return tidy(H)
