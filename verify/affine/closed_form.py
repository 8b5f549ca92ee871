"""The stationary covariance and the stable steps of an update on a quadratic potential, as closed forms in the step."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from sympy import Expr, ImmutableDenseMatrix, Symbol, cancel

from recipe.errors import RecipeError
from recipe.symbols import Block
from recipe.update import Update
from verify.affine.compose import AffineMap, hessian, recorded_map, step_map
from verify.affine.conditions import Conditions, Positive, remaining
from verify.affine.exact import Exact, Table, covariance_of
from verify.affine.gradient_errors import added_by_errors
from verify.affine.lyapunov import residual, stationary_covariance, stationary_mean
from verify.affine.quadratic import Quadratic, quadratic
from verify.affine.readable import product
from verify.affine.schur import positive_when_stable
from verify.affine.steps import StepRange, step_ranges
from verify.signs.definedness import NONZERO, PROVERS, conditions
from verify.signs.minors import has_positive_minors
from verify.zero.decide import vanishes

Covariance = dict[tuple[Block, Block], Expr]


@dataclass(frozen=True)
class Stability:
    """The spectral radius is below one if and only if all ``conditions`` hold.

    ``steps`` solves them for the step, where that can be done; ``bounded`` is what must hold for the powers of M to stay bounded
    where no noise is drawn and the radius is one for every step, as of a map that preserves volume (two coordinates only).
    """

    conditions: Conditions
    steps: tuple[StepRange, ...] | None
    bounded: Conditions | None = None

    @property
    def never(self) -> bool:
        """Whether no step is stable."""
        return self.conditions.impossible is not None or self.steps == ()


@dataclass(frozen=True)
class Stationary:
    """What is known of an update on a quadratic potential.

    ``covariance`` is that of what is recorded, in the stationary law, which is unique for every stable step; None where no step has
    one, and ``reason`` says why. ``by_noise`` is what errors of the gradients with variance 1 a coordinate add to it, by block of
    the gradient: empty where the update has no gradient of a potential. ``target`` is the covariance under exp(-target), where the
    target is quadratic, and ``ratio`` the stationary variance of each block over its variance there.
    """

    update: Update
    curvatures: dict[Block, Symbol]
    scope: tuple[str, ...]
    step_map: AffineMap
    stability: Stability
    defined: tuple[str, ...]
    mean: dict[Block, Expr] | None
    covariance: Covariance | None
    by_noise: dict[Block, Covariance]
    target: Covariance | None
    ratio: dict[Block, Expr]
    reason: str | None = None

    @property
    def blocks(self) -> tuple[Block, ...]:
        """What is recorded."""
        return tuple(a for a, b in self.covariance or {} if a == b)


@lru_cache(maxsize=128)
def stationary(update: Update) -> Stationary:
    """Derive it.

    Raises:
        NotAffineError: where the update is no affine map on a quadratic potential.
    """
    on = quadratic(update)
    step = step_map(update.rule, update.sequential, on)
    recorded = recorded_map(on)
    added = added_by_errors(on)
    exact = Exact(
        [
            *step.M,
            *step.m,
            *covariance_of(step.N),
            *recorded.M,
            *recorded.m,
            *covariance_of(recorded.N),
            *(x for A in added.values() for x in A),
        ]
    )
    M = exact.table(step.M)
    stability = _stability(exact, M, update.step, quiet=not step.draws)
    R = covariance_of(step.N)
    found = None if stability.never else stationary_covariance(exact, M, exact.table(R))
    covariance, mean, by_noise = None, None, dict[Block, Covariance]()
    if found is not None:
        _confirm(exact, step.M, R, found)
        shown = _Shown(exact, recorded, update.step)
        covariance = shown.covariance(found, covariance_of(recorded.N))
        mean = _mean(exact, step, M, shown)
        by_noise = {b: shown.covariance(_solution(exact, step.M, M, A), recorded.N * 0 * recorded.N.T) for b, A in added.items()}
    reason = None if covariance is not None else _reason(step, stability)
    target = _target(on, recorded)
    ratio = {b: _as_product(covariance[b, b] / target[b, b], update.step) for b in recorded.state} if covariance and target else {}
    return Stationary(
        update, on.curvatures, on.scope, step, stability, _defined(on), mean, covariance, by_noise, target, ratio, reason
    )


def _as_product(e: Expr, step: Symbol) -> Expr:
    exact = Exact([e])
    return product(exact, exact.read(e), step)


@dataclass(frozen=True)
class _Shown:
    """How moments of the state are shown: as those of what is recorded of it."""

    exact: Exact
    recorded: AffineMap
    step: Symbol

    def covariance(self, of_state: Table, own: ImmutableDenseMatrix) -> Covariance:
        L = self.exact.table(self.recorded.M)
        moved = self.exact.product(self.exact.product(L, of_state), [list(c) for c in zip(*L, strict=True)])
        extra = self.exact.table(own)
        rows = self.recorded.state
        return {
            (a, b): product(self.exact, self.exact.reduced(moved[i][j] + extra[i][j]), self.step)
            for i, a in enumerate(rows)
            for j, b in enumerate(rows)
            if i <= j
        }


def _stability(exact: Exact, M: Table, step: Symbol, *, quiet: bool) -> Stability:
    ratios = positive_when_stable(exact, M)
    found = remaining(exact, ratios)
    bounded = None
    if quiet and len(M) == 2 and ratios[1].is_zero():
        bounded = remaining(exact, [ratios[0], ratios[2]])
    return Stability(found, step_ranges(found, step), bounded)


def _confirm(exact: Exact, M: ImmutableDenseMatrix, R: ImmutableDenseMatrix, found: Table) -> None:
    """Put the solution into the equation, with the exponentials and roots as they are written."""
    e = exact.canonical.generators.expression
    S = ImmutableDenseMatrix([[exact.decays.back(e(x)) for x in row] for row in found])
    if not all(vanishes(x) for x in residual(M, R, S)):
        raise RecipeError(
            "the covariance that was found could not be shown to solve the Lyapunov equation; this version has no closed form"
        )


def _solution(exact: Exact, written: ImmutableDenseMatrix, M: Table, R: ImmutableDenseMatrix) -> Table:
    found = stationary_covariance(exact, M, exact.table(R))
    assert found is not None  # the same equation has a unique solution for the noise of the step
    _confirm(exact, written, R, found)
    return found


def _mean(exact: Exact, step: AffineMap, M: Table, shown: _Shown) -> dict[Block, Expr] | None:
    found = stationary_mean(exact, M, exact.table(step.m))
    if found is None:
        return None
    moved = exact.product(exact.table(shown.recorded.M), [[x] for x in found])
    own = exact.table(shown.recorded.m)
    return {b: product(exact, exact.reduced(moved[i][0] + own[i][0]), shown.step) for i, b in enumerate(shown.recorded.state)}


def _reason(step: AffineMap, stability: Stability) -> str:
    if not step.draws:
        return "the step draws no noise, so that it determines no covariance: it depends on the start"
    return "no step is stable" if stability.never else "the equation of the stationary covariance has no unique solution"


def _target(on: Quadratic, recorded: AffineMap) -> Covariance | None:
    precision = hessian(on.put(on.update.target), on.update.state)
    if precision is None or not has_positive_minors(precision):
        return None
    covariance, state = precision.inv(), on.update.state
    rows = [state.index(b) for b in recorded.state]
    return {(state[i], state[j]): cancel(covariance[i, j]) for p, i in enumerate(rows) for j in rows[p:]}


def _defined(on: Quadratic) -> tuple[str, ...]:
    """Where the formulas of the step have values, as far as that is not proved."""
    rules = [*(e for _, e in on.update.rule), *(e for _, e in on.update.observe)]
    needed = [c for e in rules for c in conditions(e) if not PROVERS[c.sign](c.e)]
    return tuple(dict.fromkeys(str(Positive(c.e, c.sign.split()[0] if c.sign != NONZERO else "!=")) for c in needed))
