"""The coefficients of a step and the effect of a wrong one, found by carrying out the rule with
that coefficient scaled.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import special
from sympy import Expr, Rational

from recipe import NoncentralChiSquared
from recipe.language.calculus import summands
from recipe.language.fold import Fold
from recipe.language.symbols import name_of
from verify.statistics.null.normal import threshold_of, visible_scale
from verify.statistics.numbers.arrays import Array, Meanings, State
from verify.statistics.recover.equations import Equation, Equations
from verify.statistics.recover.innovations import (
    Innovations,
    carry_out,
    innovations,
    normal_numbers,
)
from verify.statistics.recover.plan import RecoveryPlan

MIN_BROKEN_SHARE = 0.01  # of replicas that break an exact relation, so that the error is found
MIN_SLOPE_CHANGE = 1e-6  # relative change of a noise coefficient that counts as a change
STEPS_PER_STATE = 32  # by which the mean effect of a wrong coefficient is estimated
SHIFT, SCALE = "shift", "scale"  # the tests that can find a wrong coefficient
MIN_GAIN = 1e-9  # in place of a gain of zero, by which one cannot divide
MARGIN_ERRORS = 4.0  # standard errors by which an estimated effect is made smaller, to be safe
REPLICA_MARGIN = 1.05  # factor of the numbers of replicas that the formulas give
ROUNDING_MULTIPLE = 4.0  # rounding errors by which two equal numbers may differ
TYPICAL_DEVIATION = 3.0  # standard deviations that a recovered number seldom exceeds
MAX_NAME_CHARACTERS = 60  # of the name of a coefficient


@dataclass(frozen=True)
class Coefficient:
    """A coefficient of a rule, multiplied by a factor: a term of an assignment, or a parameter.

    Attributes:
        name: the name of the coefficient.
        equations: the equations of the changed rule.
        meanings: the values of its symbols.
    """

    name: str
    equations: Equations
    meanings: Meanings


@dataclass(frozen=True)
class Signature:
    """The effect of a wrong coefficient on the recovered noise.

    Attributes:
        name: the name of the coefficient.
        shift: how far it shifts the noise, by label, arrays (states, coordinates).
        slope: by which factor it scales the noise, by label, arrays (states, coordinates).
        gain: how far it moves the statistic of the shift, with one replica for each state.
        spread: the standard deviation of that statistic, with one replica for each state.
        ratio: the factor of the standard deviation of the numbers whose slope changes.
        certain: whether it breaks a relation without noise, so that it is always found.
        apart: whether two neighbouring states with the same noise show it, because their shifts
            differ by more than rounding.
    """

    name: str
    shift: Mapping[str, Array]
    slope: Mapping[str, Array]
    gain: float
    spread: float
    ratio: float
    certain: bool
    apart: bool

    @property
    def moves(self) -> bool:
        """Whether it shifts the noise."""
        return any(np.any(s != 0) for s in self.shift.values())

    def scaled(self, label: str) -> Array:
        """Return where it scales the noise of a label."""
        return np.abs(self.slope[label] - 1) > MIN_SLOPE_CHANGE

    def needed(self, states: int, level: float, power: float, most: int) -> dict[str, float]:
        """Return how many replicas each of its tests needs to find the wrong coefficient.

        Args:
            states: the number of states.
            level: the significance level of the test.
            power: the probability of finding it.
            most: the largest number of replicas.

        Returns:
            A number of replicas for each test, ``shift`` or ``scale``, that can find it; infinite
            above ``most``.
        """
        found = {}
        if self.moves:
            beyond = threshold_of(level, 1) + float(special.ndtri(power)) * self.spread
            found[SHIFT] = REPLICA_MARGIN * states * (beyond / max(self.gain, MIN_GAIN)) ** 2
        entries = sum(int(self.scaled(label).sum()) for label in self.slope)
        if entries:
            found[SCALE] = REPLICA_MARGIN * _replicas_for_scale(
                entries / states, max(self.ratio, 1 / self.ratio), level, power, most
            )
        return {test: n if n <= most else np.inf for test, n in found.items()}


def _replicas_for_scale(
    entries: float, ratio: float, level: float, power: float, most: int
) -> float:
    """Return how many replicas find a standard deviation that is wrong by a factor; more than
    ``most`` if that is not enough.
    """
    n = 16.0
    while n <= most and visible_scale(entries * n, level, power) > ratio:
        n *= 1.1
    return n


def coefficients_of(
    equations: Equations, meanings: Meanings, scalars: tuple[str, ...], factor: float
) -> Iterator[Coefficient]:
    """Yield every coefficient of a rule, multiplied by a factor: the terms of its assignments, and
    its parameters.

    Args:
        equations: the equations of the rule.
        meanings: the values of its symbols.
        scalars: the names of the parameters that are no matrices.
        factor: the factor.
    """
    for k, q in enumerate(equations.listed):
        again = sum(other.block == q.block for other in equations.listed) > 1
        for name, e in _scaled_terms(
            q, factor, f"{name_of(q.block)} ({q.stage + 1})" if again else name_of(q.block)
        ):
            listed = (*equations.listed[:k], replace(q, e=e), *equations.listed[k + 1 :])
            yield Coefficient(name, replace(equations, listed=listed), meanings)
    for name in scalars:
        value = np.asarray(meanings.values[name], dtype=float) * factor
        yield Coefficient(name, equations, meanings.with_values({name: value}))


def _scaled_terms(q: Equation, factor: float, place: str) -> Iterator[tuple[str, Expr]]:
    """Yield the terms of an equation by name, with the right side in which each is scaled."""
    f = Rational(repr(float(factor)))
    for draw in q.e.atoms(NoncentralChiSquared):
        df, nonc = (
            NoncentralChiSquared(draw.noise, *a)
            for a in ((draw.df * f, draw.nonc), (draw.df, draw.nonc * f))
        )
        yield f"the degrees of freedom of {place}", q.e.xreplace({draw: df})
        yield f"the non-centrality of {place}", q.e.xreplace({draw: nonc})
    inner = q.e.args[0] if isinstance(q.e, Fold) else q.e
    for term in summands(inner):
        wrong = inner + (f - 1) * term
        yield (
            f"{_short(str(term))} in {place}",
            Fold(wrong, *q.e.args[1:]) if isinstance(q.e, Fold) else wrong,
        )


def _short(text: str) -> str:
    return text if len(text) <= MAX_NAME_CHARACTERS else f"{text[: MAX_NAME_CHARACTERS - 3]}..."


def moved_by(
    c: Coefficient, plan: RecoveryPlan, states: State, meanings: Meanings, rounding: float
) -> Array:
    """Return how far a wrong coefficient moves the noise from each state: the sum of squares, in
    standard deviations.
    """
    zero = {name_of(w): np.zeros((1, meanings.length_of(w))) for w in plan.equations.noises}
    right, wrong = _Pair(plan, c, states, meanings, rounding).read(zero)
    squares = [
        (_finite(wrong.noise[label] - u) ** 2).sum(axis=1) for label, u in right.noise.items()
    ]
    return np.asarray(sum(squares, np.zeros(len(next(iter(states.values()))))))


def signature(
    c: Coefficient,
    plan: RecoveryPlan,
    states: State,
    meanings: Meanings,
    rng: np.random.Generator,
    rounding: float,
) -> Signature:
    """Return the effect of a wrong coefficient at given states.

    Args:
        c: the coefficient.
        plan: how the noise of the rule is recovered.
        states: the states, by block, arrays (states, length).
        meanings: the values of the symbols of the rule.
        rng: the source of noise.
        rounding: the relative precision of the kernel's arithmetic.
    """
    right = _Pair(plan, c, states, meanings, rounding)
    noises = plan.equations.noises
    zero, up, down = (
        right.read({name_of(w): np.full((1, meanings.length_of(w)), x) for w in noises})
        for x in (0.0, 1.0, -1.0)
    )
    shift = {label: _finite(zero[1].noise[label] - u) for label, u in zero[0].noise.items()}
    with np.errstate(all="ignore"):
        slope = {
            label: _finite(
                (up[1].noise[label] - down[1].noise[label])
                / (up[0].noise[label] - down[0].noise[label]),
                1.0,
            )
            for label in shift
        }
    shift = {
        label: np.where(np.abs(s) > zero[0].resolution[label][:, None], s, 0.0)
        for label, s in shift.items()
    }
    apart = any(_is_apart(s, zero[0].resolution[label][:, None]) for label, s in shift.items())
    return _measured(
        c, shift, slope, apart, _Pair(plan, c, _repeated(states), meanings, rounding), rng
    )


def _is_apart(shift: Array, resolution: Array) -> bool:
    """Return True if the shift at some state differs from the shift at the state before by more
    than rounding.
    """
    before, there = (np.roll(x, 1, axis=0) for x in (shift, resolution))
    size = TYPICAL_DEVIATION + np.maximum(np.abs(shift), np.abs(before))
    return bool(
        (np.abs(shift - before) > ROUNDING_MULTIPLE * (resolution + there) * (1 + size)).any()
    )


def _measured(
    c: Coefficient,
    shift: Mapping[str, Array],
    slope: Mapping[str, Array],
    apart: bool,
    pair: _Pair,
    rng: np.random.Generator,
) -> Signature:
    """Return the signature of a coefficient, with its average effects estimated by random steps."""
    rows = len(next(iter(pair.states.values())))
    right, wrong = pair.read(normal_numbers(pair.plan.equations, pair.states, pair.meanings, rng))
    length = np.sqrt(sum((s**2).sum() for s in shift.values()))
    along = {label: _rows_repeated(s) for label, s in shift.items()}
    moved = sum(
        (
            (s * _finite(wrong.noise[label] - right.noise[label])).sum(axis=1)
            for label, s in along.items()
        ),
        np.zeros(rows),
    )
    found = sum(
        ((s * _finite(wrong.noise[label])).sum(axis=1) for label, s in along.items()),
        np.zeros(rows),
    )
    scaled = {label: _rows_repeated(np.abs(b - 1) > MIN_SLOPE_CHANGE) for label, b in slope.items()}
    wider = [
        (_finite(wrong.noise[label]) ** 2 - right.noise[label] ** 2)[where]
        for label, where in scaled.items()
    ]
    broken = np.zeros(rows, dtype=bool)
    for far in wrong.residuals.values():
        broken |= (far > 1).any(axis=1)
    for u in wrong.noise.values():
        broken |= ~np.isfinite(u).all(axis=1)
    gain = _shown(
        moved.sum() / STEPS_PER_STATE, np.sqrt((_about_states(moved) ** 2).sum()) / STEPS_PER_STATE
    ) / max(length, MIN_GAIN)
    spread = (
        np.sqrt((_about_states(found) ** 2).sum() / (STEPS_PER_STATE - 1)) / length
        if length > 0
        else 1.0
    )
    change = np.concatenate([np.zeros(0), *wider])
    ratio = (
        np.sqrt(max(1 + _shown(change.mean(), change.std() / np.sqrt(change.size)), MIN_GAIN))
        if change.size
        else 1.0
    )
    return Signature(
        c.name,
        shift,
        slope,
        gain,
        max(float(spread), 1.0),
        float(ratio),
        bool(broken.mean() > MIN_BROKEN_SHARE),
        apart,
    )


def _about_states(x: Array) -> Array:
    """Return numbers minus their mean over the steps from the same state."""
    each = x.reshape(-1, STEPS_PER_STATE)
    return np.asarray(each - each.mean(axis=1, keepdims=True))


def _shown(value: float, error: float) -> float:
    """Return an estimated effect made smaller by some standard errors, so that it is not
    overestimated.
    """
    return float(np.sign(value) * max(abs(value) - MARGIN_ERRORS * error, 0.0))


def weakest_signature(signature: Signature, inverse: Signature) -> Signature:
    """Return the signature of a factor and its inverse that is harder to see.

    The shift is that of the factor. The gain of the inverse counts along that shift only.

    Args:
        signature: the effect of the coefficient multiplied by the factor.
        inverse: its effect multiplied by one over the factor.
    """
    straight = abs(_cosine(signature.shift, inverse.shift))
    ratio = min((signature.ratio, inverse.ratio), key=lambda r: max(r, 1 / r))
    return replace(
        signature,
        gain=min(signature.gain, straight * inverse.gain),
        spread=max(signature.spread, inverse.spread),
        ratio=ratio,
        certain=signature.certain and inverse.certain,
        apart=signature.apart and inverse.apart,
    )


def _cosine(one: Mapping[str, Array], other: Mapping[str, Array]) -> float:
    """Return the cosine of the angle between two shifts."""
    inner, squares = (
        sum((s * other[label]).sum() for label, s in one.items()),
        [sum((s**2).sum() for s in x.values()) for x in (one, other)],
    )
    return float(inner / max(np.sqrt(squares[0] * squares[1]), MIN_GAIN**2))


def _finite(x: Array, instead: float = 0.0) -> Array:
    return np.where(np.isfinite(x), x, instead)


def _repeated(states: State) -> State:
    return {name: _rows_repeated(rows) for name, rows in states.items()}


def _rows_repeated(rows: Array) -> Array:
    return np.repeat(rows, STEPS_PER_STATE, axis=0)


@dataclass(frozen=True)
class _Pair:
    """The rule, and the rule with one wrong coefficient, from the same states with the same
    noise.
    """

    plan: RecoveryPlan
    wrong: Coefficient
    states: State
    meanings: Meanings
    rounding: float

    def read(self, drawn: Mapping[str, Array]) -> tuple[Innovations, Innovations]:
        """Return the innovations of a step of both rules, as the plan of the right rule recovers
        them.
        """
        rows = len(next(iter(self.states.values())))
        found: list[Any] = []
        for equations, meanings in (
            (self.plan.equations, self.meanings),
            (self.wrong.equations, self.wrong.meanings),
        ):
            after = carry_out(equations, self.states, drawn, meanings)
            wide = {k: np.broadcast_to(v, (rows, v.shape[1])) for k, v in after.items()}
            found.append(
                innovations(self.plan, self.states, wide, self.meanings, rounding=self.rounding)
            )
        return found[0], found[1]
