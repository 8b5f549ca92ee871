"""Innovations: the noise that a step must have drawn, computed from the states before and after
it.

If the kernel is the rule, innovations are independent standard normal numbers, whatever the state
was. That is exact for every step size, dimension and potential. An equation without noise gives
residuals, which are zero but for rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy import special, stats
from sympy import S

from recipe import NoncentralChiSquared, RecipeError
from recipe.language.symbols import name_of
from verify.statistics.numbers.arrays import Array, Meanings, State, apply_elementwise, images_of
from verify.statistics.recover.equations import Equation, Equations, Version
from verify.statistics.recover.plan import (
    CHI_SQUARED,
    DIAGONAL,
    FOLDED,
    GENERAL,
    LOGARITHM,
    QUADRATIC,
    Backward,
    Check,
    Forward,
    Recover,
    RecoveryPlan,
)
from verify.statistics.recover.rounding import Rounding

MAX_IMAGE_DEVIATIONS = 10.0  # standard deviations beyond which images of a reflection are left out
MAX_IMAGES = 1000  # of a reflection, on each side
MIN_SINGULAR_RATIO = 1e-12  # to the largest singular value: below it a direction has no noise


@dataclass(frozen=True)
class Innovations:
    """The noise and the residuals of some steps.

    Attributes:
        noise: the recovered numbers, by label, arrays (replicas, coordinates).
        residuals: how far both sides of an equation without noise differ, in multiples of the
            rounding error, by label.
        resolution: how far rounding may move a recovered number, by label, arrays (replicas,). For
            a residual it is 0, or infinite if nothing is known about it.
    """

    noise: Mapping[str, Array]
    residuals: Mapping[str, Array]
    resolution: Mapping[str, Array]


@dataclass
class _Recovery:
    """The state of a recovery: it carries out the operations of a plan with numbers.

    Attributes:
        meanings: the values of the symbols.
        rounding: the relative precision of the kernel's arithmetic.
        versions: the values of the versions that are known.
        errors: how far rounding may have moved a version.
        drawn: the recovered noise that later equations read, by name.
        wrong: how far rounding may have moved it.
        noise, residuals, resolution: see ``Innovations``.
    """

    meanings: Meanings
    rounding: float
    versions: dict[Version, Array]
    errors: dict[Version, Array] = field(default_factory=dict)
    drawn: dict[str, Array] = field(default_factory=dict)
    wrong: dict[str, Array] = field(default_factory=dict)
    noise: dict[str, Array] = field(default_factory=dict)
    residuals: dict[str, Array] = field(default_factory=dict)
    resolution: dict[str, Array] = field(default_factory=dict)

    def at(self, q: Equation, **drawn: Array) -> Meanings:
        """Return the values of all that an equation reads, and of further noise."""
        blocks = {
            name_of(b): self.versions[b, n] for b, n in q.before.items() if (b, n) in self.versions
        }
        return self.meanings.with_values({**blocks, **self.drawn, **drawn})

    def error(self, q: Equation, m: Meanings, value: Array) -> Array:
        """Return how far rounding may move the difference of both sides of an equation."""
        return (
            self.rounded(q, q.e, m) + self.rounding * np.abs(value) + self.errors.get(q.made, 0.0)
        )

    def rounded(self, q: Equation, e: Any, m: Meanings) -> Array:
        """Return how far rounding may move an expression of the versions that an equation reads."""
        blocks = {
            name_of(b): self.errors[b, n] for b, n in q.before.items() if (b, n) in self.errors
        }
        return Rounding(m, self.rounding, {**blocks, **self.wrong}).of(e, q.block)

    def value_of(self, q: Equation) -> Array:
        """Return the left side of an equation: the new version, or the function of it that the
        equation is about.
        """
        new = self.versions[q.made]
        return new if q.seen_through is None else apply_elementwise(q.seen_through, new)


def innovations(
    plan: RecoveryPlan, before: State, after: State, meanings: Meanings, *, rounding: float
) -> Innovations:
    """Return the noise and the residuals of steps.

    Args:
        plan: how the noise is recovered.
        before, after: the states before and after the steps, by block, arrays (replicas, length).
        meanings: the values of all other symbols.
        rounding: the relative precision of the kernel's arithmetic, with room for the order of its
            operations.
    """
    equations = plan.equations
    versions = {(b, 0): before[name_of(b)] for b in equations.state}
    versions |= {
        equations.last(b): after[name_of(b)] for b in equations.state if equations.last(b)[1]
    }
    recovery = _Recovery(meanings.with_values(images_of(equations.state)), rounding, versions)
    for operation in plan.operations:
        match operation:
            case Forward(q):
                _forward(recovery, q)
            case Backward():
                _backward(recovery, operation)
            case Check(q):
                _check(recovery, q)
            case Recover():
                RECOVERY_BY_FORM[operation.form](recovery, operation)
    return Innovations(recovery.noise, recovery.residuals, recovery.resolution)


def _forward(recovery: _Recovery, q: Equation) -> None:
    """Compute a new version from the versions that its equation reads."""
    m = recovery.at(q)
    recovery.versions[q.made] = m.of(q.e, q.block)
    recovery.errors[q.made] = recovery.rounded(q, q.e, m)


def _backward(recovery: _Recovery, op: Backward) -> None:
    """Compute the version that an equation reads, from the version that it makes."""
    q = op.equation
    m = recovery.at(q)
    value, factor = recovery.versions[q.made], m.of(op.q, q.block)
    found = (value - m.of(op.p, q.block)) / factor
    sides = (
        recovery.rounded(q, op.p, m)
        + recovery.rounding * np.abs(value)
        + recovery.errors.get(q.made, 0.0)
    )
    recovery.versions[op.found] = found
    recovery.errors[op.found] = (sides + recovery.rounded(q, op.q, m) * np.abs(found)) / np.abs(
        factor
    )


def _check(recovery: _Recovery, q: Equation) -> None:
    """Compare both sides of an equation without noise."""
    m, value = recovery.at(q), recovery.value_of(q)
    _residual(recovery, q, value - m.of(q.e, q.block), recovery.error(q, m, value))


def _residual(recovery: _Recovery, q: Equation, left: Array, error: Array) -> None:
    """Note how far both sides of an equation differ, in multiples of the rounding error."""
    with np.errstate(all="ignore"):
        ratio = np.where(left == 0, 0.0, np.abs(left) / error)
    label = f"{name_of(q.block)} ({q.stage + 1})"
    recovery.residuals[label] = np.where(np.isnan(ratio), np.inf, ratio)
    recovery.resolution[label] = np.where(np.isfinite(error).all(axis=1), 0.0, np.inf)


def _units(
    recovery: _Recovery, op: Recover, q: Equation, scale: float, only: Any = None
) -> Meanings:
    """Return the values with all noise at ``scale``, or with one noise at it and the others at
    zero.
    """
    rows = {
        name_of(w): np.full(
            (1, recovery.meanings.length_of(w)), scale if only in (None, w) else 0.0
        )
        for w in op.noises
    }
    return recovery.at(q, **rows)


def _diagonal(recovery: _Recovery, op: Recover) -> None:
    """Recover the noise of ``new = mean + sum of c_w w``: the deviation from the mean, by its
    standard deviation.
    """
    (q,) = op.equations
    value, rest = recovery.value_of(q), _units(recovery, op, q, 0.0)
    mean = rest.of(q.e, q.block)
    coefficients = [_units(recovery, op, q, 1.0, w).of(q.e, q.block) - mean for w in op.noises]
    deviation = (
        coefficients[0] if len(coefficients) == 1 else np.sqrt(sum(c**2 for c in coefficients))
    )
    _keep(
        recovery, op, (value - mean) / deviation, recovery.error(q, rest, value) / np.abs(deviation)
    )


def _keep(recovery: _Recovery, op: Recover, u: Array, error: Array) -> None:
    """Note recovered numbers and how far rounding may have moved them."""
    recovery.noise[op.label] = u
    recovery.resolution[op.label] = np.broadcast_to(error, u.shape).max(axis=1)
    if len(op.noises) == 1 and op.used_again:
        name = name_of(op.noises[0])
        recovery.drawn[name], recovery.wrong[name] = u, np.broadcast_to(error, u.shape)


def _general(recovery: _Recovery, op: Recover) -> None:
    """Recover the noise of all coordinates together: ``new = mean + B w``, whitened by the singular
    values of B.
    """
    left, columns, errors = [], [], []
    sizes = [recovery.meanings.length_of(w) for w in op.noises]
    for q in op.equations:
        rest = _units(recovery, op, q, 0.0)
        mean, value = rest.of(q.e, q.block), recovery.value_of(q)
        left.append(value - mean)
        errors.append(recovery.error(q, rest, value))
        columns.append(_root(recovery, op, q, mean))
    B, R, E = (
        np.concatenate(columns, axis=1),
        np.concatenate(left, axis=1),
        np.concatenate(errors, axis=1),
    )
    U, size, V, rank = _split(B)
    if op.used_again and rank < sum(sizes):
        raise RecipeError(
            f"the noise {op.label} cannot be recovered from {op.equations[0].block} alone, and"
            " another assignment uses it again: give each assignment a noise of its own"
        )
    turned = _times(np.swapaxes(U, 1, 2), R)
    u = turned[:, :rank] / size[:, :rank]
    # At full rank all of the noise is determined, and u becomes the noise itself.
    u = _times(np.swapaxes(V, 1, 2), u) if rank == sum(sizes) else u
    error = np.linalg.norm(E, axis=1, keepdims=True)
    _keep(recovery, op, u, error / size[:, rank - 1 : rank])
    if rank < R.shape[1]:
        _residual(recovery, op.equations[0], turned[:, rank:], error)
    if op.used_again:
        parts = np.split(u, np.cumsum(sizes)[:-1], axis=1)
        recovery.drawn |= {name_of(w): part for w, part in zip(op.noises, parts, strict=True)}
        far = error / size[:, rank - 1 : rank]
        recovery.wrong |= {
            name_of(w): np.broadcast_to(far, part.shape)
            for w, part in zip(op.noises, parts, strict=True)
        }


def _split(B: Array) -> tuple[Array, Array, Array, int]:
    """Return the singular values of matrices with their directions, and the rank; NaN for a matrix
    that is not finite.
    """
    finite: Array = np.asarray(np.isfinite(B).all(axis=(1, 2)))
    U, size, V = np.linalg.svd(np.where(finite[:, None, None], B, 0.0), full_matrices=True)
    rank = int((size > MIN_SINGULAR_RATIO * size[:, :1]).sum(axis=1).max(initial=1))
    return U, np.where(finite[:, None], size, np.nan), V, rank


def _times(matrices: Array, rows: Array) -> Array:
    return (matrices @ rows[:, :, None])[:, :, 0]


def _root(recovery: _Recovery, op: Recover, q: Equation, mean: Array) -> Array:
    """Return the columns of B, an array (replicas, coordinates, numbers drawn)."""
    columns = []
    for w in op.noises:
        for j in range(recovery.meanings.length_of(w)):
            rows = {name_of(v): np.zeros((1, recovery.meanings.length_of(v))) for v in op.noises}
            rows[name_of(w)][0, j] = 1.0
            columns.append(recovery.at(q, **rows).of(q.e, q.block) - mean)
    rows_of = max(c.shape[0] for c in columns)
    return np.stack([np.broadcast_to(c, (rows_of, c.shape[1])) for c in columns], axis=2)


def _chi_squared(recovery: _Recovery, op: Recover) -> None:
    """Recover the noise of ``new = p + q X``: the normal number with the probability that X is
    below its value.
    """
    (q,) = op.equations
    (draw,) = q.e.atoms(NoncentralChiSquared)
    m = recovery.at(q)
    rest, scale = _affine_in_draw(m, q, draw)
    df, nonc = m.of(draw.df, q.block), m.of(draw.nonc, q.block)
    x = (recovery.value_of(q) - rest) / scale
    law = stats.ncx2(df, nonc)
    below, above = law.cdf(x), law.sf(x)
    u = np.where(below < 0.5, special.ndtri(below), -special.ndtri(above))
    _keep(recovery, op, u * np.sign(scale), np.full(u.shape, 1e-6))


def _affine_in_draw(m: Meanings, q: Equation, draw: NoncentralChiSquared) -> tuple[Array, Array]:
    """Return p and q of ``e = p + q draw``."""
    rest = m.of(q.e.xreplace({draw: S.Zero}), q.block)
    return rest, m.of(q.e.xreplace({draw: S.One}), q.block) - rest


def _quadratic(recovery: _Recovery, op: Recover) -> None:
    """Recover the noise of ``new = a + b w + c w^2``: the normal number with the probability that
    this is below its value.
    """
    (q,) = op.equations
    value = recovery.value_of(q)
    a, up, down = (_units(recovery, op, q, s).of(q.e, q.block) for s in (0.0, 1.0, -1.0))
    b, c = (up - down) / 2, (up + down) / 2 - a
    error = recovery.error(q, _units(recovery, op, q, 0.0), value)
    with np.errstate(all="ignore"):
        square, least = b**2 + 4 * c * (value - a), 4 * np.abs(c) * error
        # Near the vertex, rounding decides on which side of it a value lies, and so how much
        # probability is beyond the value.
        root = np.sqrt(np.where(square < -least, np.nan, np.maximum(square, least)))
        ends = np.sort(np.stack([(-b - root) / (2 * c), (-b + root) / (2 * c)]), axis=0)
        inside = special.ndtr(ends[1]) - special.ndtr(ends[0])
        outside = special.ndtr(ends[0]) + special.ndtr(-ends[1])
        u = np.where(inside < 0.5, special.ndtri(inside), -special.ndtri(outside)) * np.sign(c)
        straight = np.abs(c) <= MIN_SINGULAR_RATIO * np.abs(b)
        u = np.where(straight, (value - a) / b, u)
        resolution = error / np.where(straight, np.abs(b), root)
    _keep(recovery, op, u, resolution)


def _logarithm(recovery: _Recovery, op: Recover) -> None:
    """Recover the noise of ``new = exp(a + b w)``, where this is the whole right side."""
    (q,) = op.equations
    value, rest = recovery.value_of(q), _units(recovery, op, q, 0.0)
    middle = rest.of(q.e, q.block)
    a, up = (np.log(x) for x in (middle, _units(recovery, op, q, 1.0).of(q.e, q.block)))
    far = recovery.rounded(q, q.e, rest) / np.abs(middle) + recovery.rounding * (1 + np.abs(a))
    with np.errstate(all="ignore"):
        _keep(recovery, op, (np.log(value) - a) / (up - a), far / np.abs(up - a))


def _folded(recovery: _Recovery, op: Recover) -> None:
    """Recover the noise of ``new = Fold(mean + c w)``: the normal number with the probability that
    this is between the lower end and its value.
    """
    (q,) = op.equations
    inner = replace(q, e=q.e.args[0])
    lower, upper = (float(end) for end in q.e.args[1:])
    value, rest = recovery.value_of(q), _units(recovery, op, inner, 0.0)
    mean = rest.of(inner.e, q.block)
    parts = [_units(recovery, op, inner, 1.0, w).of(inner.e, q.block) - mean for w in op.noises]
    s = np.sqrt(sum(c**2 for c in parts))
    if np.isinf(lower):  # the mirror image is a half line with a lower end
        value, mean, lower, upper = -value, -mean, -upper, np.inf
    x, far = value - lower, np.abs(mean - lower) + MAX_IMAGE_DEVIATIONS * s
    images = (
        0 if np.isinf(upper) else int(min(np.ceil(far.max() / (2 * (upper - lower))), MAX_IMAGES))
    )
    below, above = np.zeros(value.shape), np.zeros(value.shape)
    for k in range(-images, images + 1):
        at = lower if images == 0 and np.isinf(upper) else lower + 2 * k * (upper - lower)
        end = np.inf if np.isinf(upper) else at + 2 * (upper - lower) - x
        below += special.ndtr((at + x - mean) / s) - special.ndtr((at - x - mean) / s)
        above += special.ndtr(-(at + x - mean) / s) - special.ndtr(-(end - mean) / s)
    above = above + special.ndtr((lower - x - mean) / s) if np.isinf(upper) else above
    u = np.where(below < 0.5, special.ndtri(below), -special.ndtri(above))
    outside = (x < 0) | (value > upper)
    _keep(recovery, op, np.where(outside, np.nan, u), recovery.error(inner, rest, value) / s)


RECOVERY_BY_FORM: Mapping[str, Callable[[_Recovery, Recover], None]] = {
    DIAGONAL: _diagonal,
    GENERAL: _general,
    CHI_SQUARED: _chi_squared,
    QUADRATIC: _quadratic,
    LOGARITHM: _logarithm,
    FOLDED: _folded,
}


def normal_numbers(
    equations: Equations, before: State, meanings: Meanings, rng: np.random.Generator
) -> dict[str, Array]:
    """Return standard normal numbers for one step from each state, by the name of the noise."""
    rows = len(next(iter(before.values())))
    return {
        name_of(w): rng.standard_normal((rows, meanings.length_of(w))) for w in equations.noises
    }


def carry_out(
    equations: Equations, before: State, drawn: Mapping[str, Array], meanings: Meanings
) -> State:
    """Return the states after one step of the rule with given noise, by block.

    Args:
        equations: the equations of the rule.
        before: the states before the step, by block, arrays (replicas, length).
        drawn: standard normal numbers, by the name of the noise.
        meanings: the values of all other symbols.
    """
    m0 = meanings.with_values({**images_of(equations.state), **drawn})
    versions: dict[Version, Array] = {(b, 0): before[name_of(b)] for b in equations.state}
    for q in equations.listed:
        m = m0.with_values({name_of(b): versions[b, n] for b, n in q.before.items()})
        versions[q.made] = _drawn_value(q, m)
    return {name_of(b): versions[equations.last(b)] for b in equations.state}


def _drawn_value(q: Equation, m: Meanings) -> Array:
    """Return the value that an equation makes."""
    draws = q.e.atoms(NoncentralChiSquared)
    if not draws:
        value = m.of(q.e, q.block)
        return value if q.seen_through is None else _back_through(q, value)
    (draw,) = draws
    rest, scale = _affine_in_draw(m, q, draw)
    u = special.ndtr(m.of(draw.noise, q.block) * np.sign(scale))
    return rest + scale * stats.ncx2.ppf(u, m.of(draw.df, q.block), m.of(draw.nonc, q.block))


def _back_through(q: Equation, value: Array) -> Array:
    """Return the new version from the value of the function of it that an equation is about."""
    assert q.image is not None
    return apply_elementwise(q.image, value)
