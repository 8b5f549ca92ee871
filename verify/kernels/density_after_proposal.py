"""Exact refutation of a Metropolis-Hastings test of one block: a point at which the density grows.

Started from exp(-H), the density at y after the test, divided by exp(-H(y)), is

    1 + integral of e^(H(y) - H(x)) q(y | x) a(x, y) dx - integral of q(x | y) a(y, x) dx,

with the density q of the proposal and the acceptance a. Other blocks keep their values. The first
integral is at least its part over a finite range; the second one is at most its part over a finite
range and the mass of q beyond. Both are continuous in y, so one point where the difference is
certainly positive proves that the law changes. Proposals outside of the domain are rejected, so
both integrals are over the domain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

import flint
from sympy import Expr, Rational, S

from recipe import Kernel
from recipe.kernel.part import MetropolisHastings
from recipe.language.blocks import Block
from recipe.language.domain import finite_ends, on_simplex
from recipe.language.errors import OutsideLanguageError
from recipe.language.expectation import NOISE
from recipe.language.fold import FOLDS
from recipe.language.symbols import generic
from verify.decide.points.balls import at_precision, shown_ball
from verify.kernels.ball_functions import (
    BallFunction,
    NotCompiledError,
    ball_function,
    integral,
)
from verify.kernels.instance import Instance, instances
from verify.verdict import Witness

WORKING_PRECISION_BITS = 96
REACH = 12  # the range of the integrals: so far from y, and so many deviations of q
MAX_POINTS = 8
MAX_INSTANCES = 3
PLACES = tuple(Rational(p, 2) for p in (1, 2, 3, 0, 4, 5, -2, -3))
GAPS = tuple(Rational(p, 4) for p in (4, 1, 8, 2, 12, 16, 24, 32))  # from an end of the domain
SLIVER = 2.0**-24
Ball = Any  # flint.arb or flint.acb
Function = Callable[[Ball, bool], Ball]


def witness_after_proposal(kernel: Kernel, part: MetropolisHastings) -> Witness | None:
    """Return a point of an instance at which the density after the test certainly exceeds
    exp(-H).

    A witness refutes that the test leaves exp(-H) invariant. None leaves it open.
    """
    if len(part.partners) != 1 or any(on_simplex(b) for b in kernel.state):
        return None
    for instance in islice(instances(kernel, edges=True), MAX_INSTANCES):
        try:
            found = at_precision(
                WORKING_PRECISION_BITS,
                lambda at=instance: next(_points(kernel, part, at), None),  # type: ignore[misc]
            )
        except (NotCompiledError, OutsideLanguageError):
            continue
        if found is not None:
            point, excess = found
            shown = instance.shown() | {str(b): str(v) for b, v in point.items()}
            least = shown_ball((1 + excess).lower())
            finding = f"the density after the test is at least {least} times that of exp(-H) there"
            return Witness(shown, finding)
    return None


@dataclass(frozen=True)
class _Proposal:
    """One instance as functions of balls.

    Attributes:
        block: the block that moves.
        others: the other blocks.
        at: the energy, and mean and slope of the noise, at a state.
        cost: the cost of a pair of states.
    """

    block: Block
    others: tuple[Block, ...]
    at: BallFunction
    cost: BallFunction


def _points(
    kernel: Kernel, part: MetropolisHastings, instance: Instance
) -> Iterator[tuple[dict[Block, Expr], Ball]]:
    """Yield points at which the density certainly grows, each with what is added to 1."""
    proposal = _proposal(kernel, part, instance)
    if proposal is None:
        return
    choices = [_places(b) for b in kernel.state]
    for values in islice(product(*choices), MAX_POINTS):
        at = dict(zip(kernel.state, values, strict=True))
        excess = _excess(proposal, at)
        if excess.is_finite() and excess > 0:
            yield at, excess


def _places(block: Block) -> tuple[Expr, ...]:
    """Places in the domain of a block."""
    edges = finite_ends(block.domain)
    if not edges:
        return PLACES
    low, high = block.domain.start, block.domain.end
    if len(edges) == 2:
        return tuple(low + (high - low) * Rational(k, 8) for k in range(1, 8))
    return tuple(edges[0].at + edges[0].inward * g for g in GAPS)


def _proposal(kernel: Kernel, part: MetropolisHastings, instance: Instance) -> _Proposal | None:
    """The instance as functions; None where the proposal is not normal."""
    ((block, partner),) = part.partners
    rule = instance.of(dict(part.proposal.rule)[block])
    draws = sorted({generic(s) for s in rule.atoms(*NOISE)}, key=str)
    if len(draws) != 1 or any(rule.has(f) for f in FOLDS):
        return None
    slope = rule.diff(draws[0])
    if draws[0] in slope.free_symbols:
        return None
    others = tuple(b for b in kernel.state if b != block)
    mean = rule.xreplace({draws[0]: S.Zero})
    return _Proposal(
        block,
        others,
        ball_function([instance.of(kernel.target), mean, slope], [block, *others]),
        ball_function([instance.of(part.cost)], [block, partner, *others]),
    )


def _excess(p: _Proposal, at: dict[Block, Expr]) -> Ball:
    """A ball whose lower end is at most what is added to 1 at a point."""
    y, others = _ball(at[p.block]), [_ball(at[b]) for b in p.others]

    def log_accepted(x: Ball, to: Ball, analytic: bool) -> Ball:
        (there,), (back,) = p.cost([x, to, *others], analytic), p.cost([to, x, *others], analytic)
        return (there - back).real_min(flint.acb(0), analytic)

    def log_density(mean: Ball, root: Ball, to: Ball, analytic: bool) -> Ball:
        """``log q(to | x)``, and half of log(2 pi)."""
        return -(((to - mean) / root) ** 2) / 2 - (root**2).log(analytic=analytic) / 2

    here, mean, root = p.at([y, *others], False)

    def arrives(x: Ball, analytic: bool) -> Ball:
        energy, mean, root = p.at([x, *others], analytic)
        weight = here - energy + log_density(mean, root, y, analytic)
        return (weight + log_accepted(x, y, analytic)).exp()

    def leaves(x: Ball, analytic: bool) -> Ball:
        return (log_density(mean, root, x, analytic) + log_accepted(y, x, analytic)).exp()

    centre, size = mean.real, abs(root.real)
    width = REACH * size
    unit = (2 * flint.arb.pi()).sqrt()
    gain = _inside(arrives, p.block, y.real - REACH, y.real + REACH) / unit
    loss = _inside(leaves, p.block, centre - width, centre + width) / unit
    # of q: its mass beyond the range, and next to the ends of the domain
    left = (flint.arb(REACH - 1) / flint.arb(2).sqrt()).erfc() + 2 * SLIVER / (size * unit)
    return gain - loss - flint.arb(0).union(left)


def _inside(f: Function, block: Block, low: Ball, high: Ball) -> Ball:
    """A ball around the integral of f over an interval inside of the domain of a block, without
    SLIVER at its ends.
    """
    for end in finite_ends(block.domain):
        edge = _ball(end.at).real
        if end.inward > 0:
            low = low.max(edge + SLIVER)
        else:
            high = high.min(edge - SLIVER)
    low, high = low.mid(), high.mid()
    return integral(f, (low, high)) if low < high else flint.arb(0)


def _ball(v: Expr) -> Ball:
    return flint.acb(flint.arb(flint.fmpq(int(v.p), int(v.q))))
