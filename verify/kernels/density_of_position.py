"""Exact refutation of a Metropolised map by the density of one coordinate after it.

A map need not keep volume, nor have a known inverse. Let the state be (x, y), with y normal given
x, and Psi(x, y) = (X, Y). Started from exp(-H), the density of x at a point c after the test is

    integral of pi(x, y) a(x, y) / |dX/dx| dy + integral of pi(c, y) (1 - a(c, y)) dy,

with ``a = min(1, exp(H - H o Psi))``; in the first integral x solves X(x, y) = c, and there is a
summand for each solution. It is at least the sum over some short intervals of y, with one solution
in each. Where dX/dx is positive on a rectangle of x and y, there is one solution in it at most for
each y, and it is analytic in y. One c at which the sum certainly exceeds the density of x under
exp(-H) proves that the law of x changes, as all of this is continuous in c. Where later parts do
not move x the sweep changes it as well.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import islice, pairwise, product
from statistics import fmean
from typing import Any

import flint
from sympy import Expr, Rational

from recipe import Kernel
from recipe.kernel.conditional import Conditional
from recipe.kernel.part import MetropolisedMap, Move, Part
from recipe.language.blocks import Block
from recipe.language.domain import finite_ends, on_simplex
from recipe.language.errors import OutsideLanguageError
from recipe.language.expectation import NOISE
from recipe.signs.defined import is_smooth
from recipe.signs.sign import is_positive
from verify.decide.points.balls import at_precision, shown_ball
from verify.kernels.assignment import law_given_rest
from verify.kernels.ball_functions import BallFunction, NotCompiledError, ball_function, integral
from verify.kernels.instance import Instance, instances
from verify.verdict import Witness

WORKING_PRECISION_BITS = 96
RANGE = 5  # deviations of y, within which solutions are looked for
TOLERANCE = 2.0**-15  # the error that the integral over a piece aims at
MAX_EVALUATIONS = 300  # of the integrand on a piece; where they run out it is left out
PIECES = 60  # of this range
PROMISING = 0.002  # of the density: where it seems to grow by less, no rigorous integral is tried
BOXES = 3  # on each side of a rectangle on which dX/dx is seen to be positive
NEWTON_STEPS = 20
SETTLED = 2.0**-36  # a step of Newton's method that ends it; its ball takes the rest in
MAX_TRIES = 2  # of the most promising places
MAX_ROUNDS = 6
MAX_INSTANCES = 3
PLACES = tuple(Rational(p, 2) for p in (1, 2, 0, 3, -2, 4))
GAPS = tuple(Rational(p, 4) for p in (4, 2, 8, 1, 12))  # from an end of the domain
Ball = Any  # flint.arb or flint.acb
State = tuple[Ball, Ball]
Weight = Callable[[State, bool], Ball]
NOT_FINITE = flint.acb("nan")


def witness_of_position(
    kernel: Kernel, test: MetropolisedMap, after: tuple[Part, ...], without: frozenset[Block]
) -> Witness | None:
    """Return a point of an instance at which the density of a coordinate after the test certainly
    exceeds that under exp(-H).

    ``after`` has the parts after the test; all parts but the test must leave exp(-H) invariant. The
    laws of the blocks in ``without`` are not compared. A witness refutes the kernel. None leaves it
    open.
    """
    low, high = (test.times, test.times) if isinstance(test.times, int) else test.times
    if len(kernel.state) != 2 or high > MAX_ROUNDS or not _is_smooth_inside(test):
        return None
    for x, y in (kernel.state, kernel.state[::-1]):
        if x in {*test.flips, *without} or any(_moves(part, x) for part in after):
            continue
        if finite_ends(y.domain):
            continue
        law = law_given_rest(kernel.target, y)
        if isinstance(law, str):
            continue
        rounds = range(low, high + 1)
        search = partial(_search, kernel, test, (x, y), law, rounds)
        found = at_precision(WORKING_PRECISION_BITS, search)
        if found is not None:
            return found
    return None


def _search(
    kernel: Kernel,
    test: MetropolisedMap,
    state: tuple[Block, Block],
    law: Conditional,
    rounds: range,
) -> Witness | None:
    """Look at a few places of x in a few instances, and try the most promising ones rigorously."""
    x, y = state
    promises: list[tuple[float, Instance, _Flow, Expr]] = []
    for instance in islice(instances(kernel, edges=True), MAX_INSTANCES):
        try:
            flow = _Flow.of(kernel, test, instance, x, y, law)
            promises += [
                (fmean([_promise(flow, n, _ball(c)) for n in rounds]), instance, flow, c)
                for c in _places(x)
            ]
        except (NotCompiledError, OutsideLanguageError):
            continue
    promises.sort(key=lambda p: -p[0])
    for promise, instance, flow, c in promises[:MAX_TRIES]:
        if promise < PROMISING:
            return None
        ratio = sum((_ratio(flow, n, _ball(c)) for n in rounds), flint.arb(0)) / len(rounds)
        if ratio.is_finite() and ratio > 1:
            finding = (
                f"the density of {x} after the test is at least {shown_ball(ratio.lower())} times"
                " that under exp(-H) there"
            )
            return Witness(instance.shown() | {str(x): str(c)}, finding)
    return None


def _places(x: Block) -> tuple[Expr, ...]:
    edges = finite_ends(x.domain)
    if len(edges) == 2:
        return ()
    return tuple(edges[0].at + edges[0].inward * g for g in GAPS) if edges else PLACES


def _moves(part: Part, block: Block) -> bool:
    """Return True unless a part certainly leaves a block as it is."""
    return not isinstance(part, Move) or dict(part.update.rule)[block] != block


def _is_smooth_inside(test: MetropolisedMap) -> bool:
    """Return True if the rule has no noise, is smooth, and never leads out of the domain."""
    return all(
        not e.has(*NOISE)
        and is_smooth(e)
        and not on_simplex(b)
        and (e == b or all(is_positive(end.gap(e)) for end in finite_ends(b.domain)))
        for b, e in test.map.rule
    )


@dataclass(frozen=True)
class _Assignment:
    """An assignment of the map: the place in the state that it changes, and the new value, alone
    and with its slopes by x and y.
    """

    place: int
    value: BallFunction
    with_slopes: BallFunction


@dataclass(frozen=True)
class _Flow:
    """One instance as functions of balls. States are pairs of x and y.

    Attributes:
        x: the position.
        H: the energy.
        law: mean and precision of y given x.
        assignments: those of the map.
        at_once: whether each of them reads the state before all.
    """

    x: Block
    H: BallFunction
    law: BallFunction
    assignments: tuple[_Assignment, ...]
    at_once: bool

    @classmethod
    def of(
        cls,
        kernel: Kernel,
        test: MetropolisedMap,
        instance: Instance,
        x: Block,
        y: Block,
        law: Conditional,
    ) -> _Flow:
        state = (x, y)
        rules = [(state.index(b), instance.of(e)) for b, e in test.map.rule if e != b]
        return cls(
            x,
            ball_function([instance.of(kernel.target)], state),
            ball_function([instance.of(e) for e in (law.mean, law.precision)], state),
            tuple(
                _Assignment(
                    k,
                    ball_function([e], state),
                    ball_function([e, e.diff(x), e.diff(y)], state),
                )
                for k, e in rules
            ),
            not test.map.sequential,
        )

    def energy(self, z: State, analytic: bool) -> Ball:
        """H."""
        return self.H(z, analytic)[0]

    def moved(self, z: State, rounds: int, analytic: bool) -> State:
        """The state after some rounds of the map."""
        for _ in range(rounds):
            new = list(z)
            for a in self.assignments:
                (new[a.place],) = a.value(z if self.at_once else new, analytic)
            z = (new[0], new[1])
        return z

    def position(self, z: State, rounds: int, analytic: bool) -> tuple[Ball, Ball]:
        """X, and its slope dX/dx, after some rounds of the map."""
        slope = [flint.acb(1), flint.acb(0)]
        for _ in range(rounds):
            new, new_slope = list(z), list(slope)
            for a in self.assignments:
                old, bent = (z, slope) if self.at_once else (new, list(new_slope))
                value, by_x, by_y = a.with_slopes(old, analytic)
                new[a.place], new_slope[a.place] = value, by_x * bent[0] + by_y * bent[1]
            z, slope = (new[0], new[1]), new_slope
        return z[0], slope[0]


def _law_of_y(flow: _Flow, c: Ball) -> tuple[Ball, Ball]:
    """Mean and standard deviation of y given x = c."""
    mean, precision = flow.law((c, flint.acb(0)), False)
    return mean.real, (1 / precision.real).sqrt()


def _weight(flow: _Flow, rounds: int, c: Ball, mean: Ball) -> Weight:
    """``pi a`` as a function of the state, divided by pi at (c, mean)."""
    here = flow.energy((c, flint.acb(mean)), False)

    def weight(z: State, analytic: bool) -> Ball:
        energy = flow.energy(z, analytic)
        gap = energy - flow.energy(flow.moved(z, rounds, analytic), analytic)
        return (here - energy + gap.real_min(flint.acb(0), analytic)).exp()

    return weight


def _promise(flow: _Flow, rounds: int, c: Ball) -> float:
    """About what is added to the density of x at c, as a share of it; nothing is proved by it."""
    mean, deviation = _law_of_y(flow, c)
    weight = _weight(flow, rounds, c, mean)
    added = 0.0
    for low, high in _pieces(mean, deviation):
        middle = flint.acb(((low + high) / 2).mid())
        added -= _about((high - low) * weight((c, middle), False).real)
        piece = _Piece.of(flow, rounds, c, low, high)
        if piece is not None:
            arriving = weight((piece.x, piece.y), False).real / piece.slope
            added += _about((high - low) * arriving)
    return added / float(((2 * flint.arb.pi()).sqrt() * deviation).mid())


def _about(value: Ball) -> float:
    return float(value.mid()) if value.is_finite() else 0.0


def _ratio(flow: _Flow, rounds: int, c: Ball) -> Ball:
    """A ball whose lower end is at most the factor by which the density of x at c changes."""
    mean, deviation = _law_of_y(flow, c)
    weight = _weight(flow, rounds, c, mean)
    whole = (2 * flint.arb.pi()).sqrt() * deviation
    gain, loss = flint.arb(0), (flint.arb(RANGE - 1) / flint.arb(2).sqrt()).erfc() * whole
    for low, high in _pieces(mean, deviation):
        loss += _at_most(lambda y, analytic: weight((c, y), analytic), (low, high), mean, deviation)
        piece = _Piece.of(flow, rounds, c, low, high)
        if piece is not None and piece.has_one_solution(flow, rounds):
            gain += piece.arriving(flow, rounds, c, weight)
    return 1 + (gain - loss) / whole


def _at_most(f: Any, ends: tuple[Ball, Ball], mean: Ball, deviation: Ball) -> Ball:
    """A ball whose upper end is at least the integral of f, which is at most ``exp(-(y -
    mean)^2/(2 deviation^2))``.
    """
    found = integral(f, ends, TOLERANCE, MAX_EVALUATIONS)
    if found.is_finite():
        return found
    scale = deviation * flint.arb(2).sqrt()
    low, high = ((e - mean) / scale for e in ends)
    return (high.erf() - low.erf()) * scale * flint.arb.pi().sqrt() / 2


def _pieces(mean: Ball, deviation: Ball) -> list[tuple[Ball, Ball]]:
    """Short intervals that cover most of the law of y."""
    step = 2 * RANGE * deviation / PIECES
    ends = [(mean - RANGE * deviation + k * step).mid() for k in range(PIECES + 1)]
    return list(pairwise(ends))


@dataclass(frozen=True)
class _Piece:
    """An interval of y from ``low`` to ``high``, its middle y, the solution x there with the slope
    dX/dx, and a distance from x within which all solutions of the piece should lie.
    """

    low: Ball
    high: Ball
    y: Ball
    x: Ball
    slope: Ball
    bend: Ball
    reach: Ball

    @classmethod
    def of(cls, flow: _Flow, rounds: int, c: Ball, low: Ball, high: Ball) -> _Piece | None:
        """The piece; None where no solution is found in the domain."""
        middle = flint.acb(((low + high) / 2).mid())
        found = [_newton(flow, rounds, c, y) for y in (middle, flint.acb(low), flint.acb(high))]
        at = [x for x in found if x is not None and _is_inside(flow.x, x.real)]
        if len(at) < len(found):
            return None
        x, *others = at
        slope = flow.position((x, middle), rounds, False)[1].real
        if not slope > 0:
            return None
        reach = 2 * max(abs((other - x).real).upper() for other in others) + flint.arb(2) ** -10
        bend = (others[1] - others[0]) / (high - low)
        return cls(low, high, middle, x, slope.mid(), bend, reach)

    def arriving(self, flow: _Flow, rounds: int, c: Ball, weight: Weight) -> Ball:
        """A ball whose lower end is at most the integral of ``pi a / |dX/dx|`` over the piece."""

        def arrives(y: Ball, analytic: bool) -> Ball:
            solved = self.solution(flow, rounds, c, y, analytic)
            if solved is None:
                return NOT_FINITE
            x, slope = solved
            return weight((x, y), analytic) / slope

        found = integral(arrives, (self.low, self.high), TOLERANCE, MAX_EVALUATIONS)
        return found if found.is_finite() else flint.arb(0)

    def has_one_solution(self, flow: _Flow, rounds: int) -> bool:
        """Return True if dX/dx is certainly positive within reach, which is inside of the
        domain.
        """
        centre = self.x.real
        ys, xs = (
            [
                flint.acb((a + k * (b - a) / BOXES).union(a + (k + 1) * (b - a) / BOXES))
                for k in range(BOXES)
            ]
            for a, b in ((self.low, self.high), (centre - self.reach, centre + self.reach))
        )
        return all(_is_inside(flow.x, x.real) for x in xs) and all(
            flow.position((x, y), rounds, False)[1].real > 0 for x, y in product(xs, ys)
        )

    def solution(
        self, flow: _Flow, rounds: int, c: Ball, y: Ball, analytic: bool
    ) -> tuple[Ball, Ball] | None:
        """A ball around the x with X(x, y) = c for all y of a ball, and dX/dx there.

        None where Newton's method does not prove that there is one within reach.
        """
        middle = flint.acb(y.real.mid(), y.imag.mid())
        x = _newton(flow, rounds, c, middle, self.x + self.bend * (middle - self.y))
        if x is None:
            return None
        there, slope = flow.position((x, y), rounds, analytic)
        gap = there - c
        change = gap / slope
        if not change.is_finite():
            return None
        radius = 2 * (change.real.abs_upper() + change.imag.abs_upper()) + flint.arb(2) ** -60
        around = flint.arb(0, radius.upper())
        ball = x + flint.acb(around, around)
        slope = flow.position((ball, y), rounds, analytic)[1]
        newer = x - gap / slope
        inside = abs((newer - self.x).real) < self.reach
        if not newer.is_finite() or not ball.contains(newer) or not inside:
            return None
        return newer, slope


def _is_inside(x: Block, value: Ball) -> bool:
    """Return True if a value is certainly inside of the domain of x."""
    return all((value - _ball(end.at).real) * end.inward > 0 for end in finite_ends(x.domain))


def _newton(flow: _Flow, rounds: int, c: Ball, y: Ball, start: Ball | None = None) -> Ball | None:
    """A number near the x with X(x, y) = c, by Newton's method; None where it does not settle."""
    x = flint.acb(c.real.mid()) if start is None else start
    for _ in range(NEWTON_STEPS):
        there, slope = flow.position((x, y), rounds, False)
        change = (there - c) / slope
        if not change.is_finite():
            return None
        x = flint.acb((x.real - change.real).mid(), (x.imag - change.imag).mid())
        if change.real.abs_upper() < SETTLED and change.imag.abs_upper() < SETTLED:
            return x
    return None


def _ball(v: Expr) -> Ball:
    return flint.acb(flint.arb(flint.fmpq(int(v.p), int(v.q))))
