"""One step of an ``Update`` in explicit coordinates, as maps near the identity that follow one
another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sympy import Dummy, Expr, Rational, Symbol, factorial

from recipe.declare.update import Update
from recipe.language.blocks import Block
from recipe.language.calculus import partial
from recipe.language.errors import OutsideLanguageError, RecipeError
from recipe.language.expectation import NOISE
from verify.discrete.weak_order.expansion import expand_in
from verify.discrete.weak_order.ring import Ring
from verify.discrete.weak_order.series import Series
from verify.generator.one_dimension import at_length_one

Pairs = tuple[tuple[Block, Expr], ...]
# by how much each coordinate moves: a series in s without constant term, a polynomial of noise
Map = dict[Block, Series]


@dataclass(frozen=True)
class Step:
    """An update where every block has length one.

    ``stages`` follow one another; the assignments of a stage are simultaneous or, if
    ``sequential``, follow one another too. No noise is in two stages. ``recorded`` are the recorded
    values, functions of the state.
    """

    update: Update
    coordinates: tuple[Block, ...]
    H: Expr
    s: Symbol
    stages: tuple[Pairs, ...]
    recorded: Pairs
    sequential: bool

    def with_values(self, values: Mapping[Expr, Expr]) -> Step:
        """Return the step with abstract atoms replaced."""

        def put(pairs: Pairs) -> Pairs:
            return tuple((b, e.xreplace(dict(values))) for b, e in pairs)

        H = self.H.xreplace(dict(values))
        return Step(
            self.update,
            self.coordinates,
            H,
            self.s,
            tuple(map(put, self.stages)),
            put(self.recorded),
            self.sequential,
        )

    def everything(self) -> list[Expr]:
        """Return every expression of the step."""
        return [
            self.H,
            *(e for stage in self.stages for _, e in stage),
            *(e for _, e in self.recorded),
        ]


def step_of(update: Update) -> Step:
    """Return the step of an update, cut into stages as small as the noises allow."""
    s = Dummy("s", positive=True)

    def line(pairs: Pairs) -> Pairs:
        return tuple((block, at_length_one(e).xreplace({update.step: s**2})) for block, e in pairs)

    rule = line(update.rule)
    stages = _stages(rule) if update.sequential else (rule,)
    H = at_length_one(update.target)
    return Step(update, update.state, H, s, stages, line(update.observe), update.sequential)


def _stages(rule: Pairs) -> tuple[Pairs, ...]:
    """Cut successive assignments into stages: those that share a noise come together, with all
    between them.
    """
    last: dict[Symbol, int] = {}
    for k, (_, e) in enumerate(rule):
        last |= dict.fromkeys(e.atoms(*NOISE), k)
    stages: list[Pairs] = []
    start = end = 0
    for k, (_, e) in enumerate(rule):
        end = max([end, k, *(last[n] for n in e.atoms(*NOISE))])
        if k == end:
            stages.append(rule[start : k + 1])
            start = end = k + 1
    return tuple(stages)


def gradient_of(step: Step, ring: Ring) -> dict[Block, object]:
    """Return the derivatives of H by each coordinate."""
    return {x: ring.read(at_length_one(partial(step.H, x))) for x in step.coordinates}


def maps_of(step: Step, ring: Ring, end: int) -> list[Map]:
    """Return the stages as maps, up to the power of s before ``end``.

    Raises:
        RecipeError: where a stage is not near the identity, or has no expansion.
    """
    return [map_of(stage, step.sequential, step.s, ring, end) for stage in step.stages]


def map_of(stage: Pairs, successive: bool, s: Symbol, ring: Ring, end: int) -> Map:
    """Return one stage as one simultaneous map, up to the power of s before ``end``.

    Raises:
        RecipeError: where the stage is not near the identity, or has no expansion.
    """
    moved: Map = {}
    for block, e in stage:
        value = expand_in(e, s, ring, end)
        if successive and moved:
            value = _at_moved(value, moved, list(moved), end)
        change = value + Series(
            ring, 0, (-ring.generator(block), *(ring.zero for _ in range(end - 1)))
        )
        _check_near_identity(change, block, ring)
        moved[block] = change.stripped()
    for block, change in moved.items():
        if change.end > 1 and change.low <= 1 and ring.mean(change.at(1)) != 0:
            raise RecipeError(
                f"the rule of {block} has no limit: it moves by a multiple of the root of the step"
                " on average"
            )
    return moved


def is_even(maps: Sequence[Map], ring: Ring) -> bool:
    """Return True if changing the sign of s equals changing the sign of every noise: only whole
    powers of the step then have a mean.
    """
    changes = [
        (power, change.at(power))
        for m in maps
        for change in m.values()
        for power in range(change.end)
    ]
    noises = [
        k for k in ring.numbers_of(*(c for _, c in changes)) if isinstance(ring.meanings[k], NOISE)
    ]
    return all(
        (sum(exponents) - power) % 2 == 0
        for power, c in changes
        for exponents in ring.split(c, noises)
    )


def _check_near_identity(change: Series, block: Block, ring: Ring) -> None:
    if change.at(0) != 0:
        jump = ring.expression(change.at(0))
        raise OutsideLanguageError(
            f"the rule of {block} moves by {jump} however small the step is: the order is found for"
            " steps near the identity"
        )


def _at_moved(
    value: Series, moved: Mapping[Block, Series], blocks: Sequence[Block], end: int
) -> Series:
    """Return Taylor's series ``sum_k change^k / k! d^k value``, in which no derivative acts on a
    change.
    """
    if not blocks:
        return value
    block, *rest = blocks
    ring, change = value.ring, moved[block]
    total, slope, power, k = _at_moved(value, moved, rest, end), value, change, 1
    while power.low < end and not power.is_zero():
        slope = slope.each(lambda c: ring.derivative(c, block))
        if slope.is_zero():
            break
        term = (
            (power * _at_moved(slope, moved, rest, end)).cut(end).scaled(Rational(1, factorial(k)))
        )
        total, power, k = total + _known_to(term, end), (power * change).stripped().cut(end), k + 1
    return total


def _known_to(term: Series, end: int) -> Series:
    """Return the series below the power ``end``, up to which it must be known."""
    if term.end < end:  # no assert: a verdict rests on it
        raise AssertionError("a term is known to too low an order")
    return term.cut(end)
