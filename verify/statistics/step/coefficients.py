"""The coefficients of a step, and how a wrong one would be seen: the rule with each of them scaled,
carried out with numbers.
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

MIN_BROKEN_SHARE = 0.01  # of the replicas: what is seen in so many without noise is not missed
MIN_SLOPE_CHANGE = 1e-6  # a noise coefficient is not that of the rule if it differs by so much
STEPS_PER_STATE = (
    32  # steps from each state that tell how far a wrong coefficient moves the noise on average
)
SHIFT, SCALE = "shift", "scale"
MIN_GAIN = 1e-9  # what a shift gains if it gains nothing
MARGIN_ERRORS = 4.0  # standard errors of an estimated effect that are not counted on
REPLICA_MARGIN = 1.05  # more replicas than the formulas say
ROUNDING_MULTIPLE = (
    4.0  # the rounding errors of two numbers by which these may differ and be the same
)
TYPICAL_DEVIATION = 3.0  # a number that is not often passed
MAX_NAME_CHARACTERS = 60  # letters of the name of a coefficient


@dataclass(frozen=True)
class Coefficient:
    """A term of a rule, or a parameter; ``equations`` and ``meanings`` are those with it multiplied
    by the factor.
    """

    name: str
    equations: Equations
    meanings: Meanings


@dataclass(frozen=True)
class Signature:
    """What a wrong coefficient does to the recovered noise, by state (a row each): ``shift`` by
    label, and ``slope``.

    ``certain`` says that it breaks a relation without noise, and ``apart`` that neighbouring states
    that share their noise show it: their shifts differ by more than rounding. ``gain`` is how far
    the statistic of the shift moves with one replica a state, and ``spread`` its standard deviation
    then; ``ratio`` is the factor of the standard deviation where the slope differs.
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
        """Where it scales the noise of a label."""
        return np.abs(self.slope[label] - 1) > MIN_SLOPE_CHANGE

    def needed(self, states: int, level: float, power: float, most: int) -> dict[str, float]:
        """The replicas with which each of its tests finds it, by this factor or by its inverse;
        infinite beyond ``most``.
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
    n = 16.0
    while n <= most and visible_scale(entries * n, level, power) > ratio:
        n *= 1.1
    return n


def coefficients_of(
    equations: Equations, meanings: Meanings, scalars: tuple[str, ...], factor: float
) -> Iterator[Coefficient]:
    """Every term of every assignment, and every parameter in ``scalars``, multiplied by the
    factor.
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
    """How far a wrong coefficient moves the noise from each state: the sum of squares, in standard
    deviations.
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
    """What a wrong coefficient does at these states, by the rule with it carried out beside the
    rule itself.
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
    """Whether a shift is another one at the state before, so that the same noise at both does not
    look the same.
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
    """Numbers about their mean from each state."""
    each = x.reshape(-1, STEPS_PER_STATE)
    return np.asarray(each - each.mean(axis=1, keepdims=True))


def _shown(value: float, error: float) -> float:
    """How much of an effect is there for sure: the value, nearer to zero by some standard
    errors.
    """
    return float(np.sign(value) * max(abs(value) - MARGIN_ERRORS * error, 0.0))


def weakest_signature(signature: Signature, inverse: Signature) -> Signature:
    """That of the factor, with what is harder to see of the factor and of its inverse, along the
    shift of the factor.
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
    """That of the angle between two shifts."""
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
    """The rule and the rule with one wrong coefficient, from the same states with the same
    noise.
    """

    plan: RecoveryPlan
    wrong: Coefficient
    states: State
    meanings: Meanings
    rounding: float

    def read(self, drawn: Mapping[str, Array]) -> tuple[Innovations, Innovations]:
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
