"""Exact refutation of moves before a Metropolis test, where the law before the test is normal.

After affine moves with normal noise, started from exp(-H) with H quadratic, the law is normal with
a density p that is known. Psi is the map of the test, and G what happens on rejection. The density
at z after the test is

    p(Psi^-1 z) min(1, e^(H(Psi^-1 z) - H(z))) + p(G z) (1 - min(1, e^(H(G z) - H(Psi G z)))).

Where the next sweep begins by redrawing a block, the values of this block do not matter, and the
density is integrated over it. The density is continuous, so one point where it is not that of
exp(-H) proves that the laws differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import flint
from sympy import Dummy, Expr, Rational, Symbol

from recipe import Kernel
from recipe.kernel.part import MetropolisedMap, Move, Part
from recipe.language.blocks import Block
from recipe.language.errors import OutsideLanguageError
from recipe.language.text import listed
from verify.decide.points.balls import Ball, at_precision, shown_ball
from verify.kernels.acceptance import (
    NotPolynomialError,
    accepted_mass,
    apply_rounds,
    coefficients,
    inverse_shears,
    total_mass,
)
from verify.kernels.instance import Instance, Place, instances, places
from verify.kernels.moments import Law, NotAffineError, law_after
from verify.kernels.shears import Shear, shears_of
from verify.verdict import Witness

COORDINATES = tuple(Rational(p, 2) for p in (1, 2, 3, 0))
MAX_POINTS = 8
MAX_MAP_STEPS = 40  # applications of the map that are followed from one point
WORKING_PRECISION_BITS = 128
UNUSED = Dummy("u")  # the variable of polynomials that are constants, as no block is integrated out
Blocks = frozenset[Block]


def witness_after_test(
    kernel: Kernel, parts: Sequence[Part], without: Blocks = frozenset()
) -> Witness | None:
    """Return a point at which the parts, moves and one test after them, change the density of
    exp(-H).

    ``without`` is at most one block, which the next sweep redraws: the density of the others is
    compared. A witness refutes the kernel. None leaves it open: the parts are not of this form, an
    instance is not normal, or no point was found.
    """
    *moves, test = parts if parts else (None,)
    if (
        not moves
        or not all(isinstance(p, Move) for p in moves)
        or not isinstance(test, MetropolisedMap)
        or len(without) > 1
    ):
        return None
    low, high = test.times if isinstance(test.times, tuple) else (test.times, test.times)
    shears = shears_of(test.map)
    if isinstance(shears, str) or sum(range(low, high + 1)) > MAX_MAP_STEPS:
        return None
    for instance in instances(kernel, powers=(2,)):
        try:
            found = at_precision(
                WORKING_PRECISION_BITS,
                lambda at=instance: _witness(kernel, moves, test, shears, at, without),  # type: ignore[misc]
            )
        except (NotAffineError, NotPolynomialError, OutsideLanguageError, ZeroDivisionError):
            continue
        if found is not None:
            return found
    return None


@dataclass(frozen=True)
class _TestedInstance:
    """One instance in numbers: the energy, the map, the blocks whose sign turns on rejection, and
    the law after the moves.
    """

    state: tuple[Block, ...]
    H: Expr
    shears: list[tuple[Block, Expr]]
    turned: tuple[Block, ...]
    after: _NormalDensity


@dataclass(frozen=True)
class _NormalDensity:
    """A normal density: its mean, its precision matrix, and the logarithm of its value at the
    mean.
    """

    mean: list[Ball]
    precision: list[list[Ball]]
    top: Ball


def _witness(
    kernel: Kernel,
    moves: Sequence[Part],
    test: MetropolisedMap,
    shears: tuple[Shear, ...],
    instance: Instance,
    without: Blocks,
) -> Witness | None:
    """Return a point of one instance at which the density differs; None if none of the tried points
    does.
    """
    before, after = law_after(kernel, moves, instance)
    explicit = [(s.block, instance.of(s.g)) for s in shears]
    turned = test.flips if test.flip_on_rejection else ()
    at = _TestedInstance(
        kernel.state, instance.of(kernel.target), explicit, turned, _normal_density(after)
    )
    seen = [b for b in kernel.state if b not in without]
    law = _normal_density(_marginal(before, [kernel.state.index(b) for b in seen]))
    low, high = test.times if isinstance(test.times, tuple) else (test.times, test.times)
    for z in places(seen, COORDINATES, MAX_POINTS):
        found = [
            _density(at, n, z | {b: b for b in without}, without) for n in range(low, high + 1)
        ]
        ratio = (
            sum(found, flint.arb(0))
            / len(found)
            / _log_density_along(law, [z[b] for b in seen], UNUSED)[0].exp()
        )
        if ratio.is_finite() and not ratio.contains(1):
            point = instance.shown() | {str(b): str(v) for b, v in z.items()}
            of = f"that of {listed(seen)} under exp(-H)" if without else "that of exp(-H)"
            return Witness(
                point, f"the density after the test is {shown_ball(ratio)} times {of} there, not 1"
            )
    return None


def _density(at: _TestedInstance, rounds: int, z: Place, without: Blocks) -> Ball:
    """Return the density at z after ``rounds`` steps of the map and the test, integrated over the
    block in ``without``.
    """
    u = next(iter(without), UNUSED)
    from_far = apply_rounds(inverse_shears(at.shears), rounds, z)
    from_near = {b: -v if b in at.turned else v for b, v in z.items()}
    beyond = apply_rounds(at.shears, rounds, from_near)
    here, far, near, gone = (at.H.xreplace(p) for p in (z, from_far, from_near, beyond))
    arriving, staying = (
        _log_density_along(at.after, [p[b] for b in at.state], u) for p in (from_far, from_near)
    )
    enters, leaves = coefficients(far - here, u), coefficients(near - gone, u)
    if without:
        return (
            accepted_mass(arriving, enters) + total_mass(staying) - accepted_mass(staying, leaves)
        )
    return arriving[0].exp() * _min_one(enters[0]) + staying[0].exp() * (1 - _min_one(leaves[0]))


def _min_one(gap: Ball) -> Ball:
    """``min(1, exp(gap))``."""
    return gap.min(0).exp()


def _log_density_along(
    law: _NormalDensity, place: Sequence[Expr], u: Symbol
) -> tuple[Ball, Ball, Ball]:
    """Return the coefficients of 1, u and u^2 of the log density at a place whose coordinates are
    affine in u.

    Raises:
        NotPolynomialError: where a coordinate is not affine in u.
    """
    lines = [[*coefficients(e, u), flint.arb(0)] for e in place]
    if any(len(line) > 3 for line in lines):
        raise NotPolynomialError
    gaps = [(line[0] - m, line[1]) for line, m in zip(lines, law.mean, strict=True)]
    a0, a1, a2 = law.top, flint.arb(0), flint.arb(0)
    for (c, s), row in zip(gaps, law.precision, strict=True):
        for (other, slope), p in zip(gaps, row, strict=True):
            a0, a1, a2 = a0 - p * c * other / 2, a1 - p * c * slope, a2 - p * s * slope / 2
    return a0, a1, a2


def _normal_density(law: Law) -> _NormalDensity:
    """Return the density of a normal law.

    Raises:
        NotAffineError: where the law has no density, as a block was set to a number.
    """
    mean, covariance = law
    matrix = flint.arb_mat([[flint.arb(c) for c in row] for row in covariance])
    size = matrix.det() * (2 * flint.arb.pi()) ** len(mean)
    if not size > 0:
        raise NotAffineError
    return _NormalDensity([flint.arb(m) for m in mean], matrix.inv().tolist(), -size.log() / 2)


def _marginal(law: Law, seen: Sequence[int]) -> Law:
    mean, covariance = law
    return [mean[i] for i in seen], [[covariance[i][j] for j in seen] for i in seen]
