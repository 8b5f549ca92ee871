"""The numbers at which two texts of an estimator are compared, and the gradient there.

The gradient from some rows is that of the posterior, in ball arithmetic. Where it is a function of
the user, it is N/n times a sum over the rows and a part of the prior, of numbers that are chosen:
a module gets this function when it runs, so that the numbers may be any.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from sympy import Expr, Rational

from recipe.language.derivatives import symbols_in
from recipe.language.symbols import GENERIC, Index, Indexed, Length, generic
from verify.decide.points.point import Point
from verify.translation.parse.interface import Legend
from verify.translation.parse.module import ParsedModule
from verify.translation.posterior.carried_out import ball
from verify.translation.posterior.posterior_functions import PosteriorFunctions
from verify.translation.reference.matcher import length_of

ROWS, USED, COORDINATES, EVERY = 5, 3, 2, 2
LARGEST_RANDOM = 40  # numerators of the numbers of a gradient of the user, over 8

Numbers = tuple[Fraction, ...]


@dataclass
class ChosenNumbers:
    """Numbers of everything that two texts of an estimator read: blocks at each call, rows, data
    and parameters.

    Attributes:
        module: the module.
        legend: the names of its fields.
        density: the posterior.
        seed: the seed of all choices.
        distinct: whether rows are drawn without replacement.
    """

    module: ParsedModule
    legend: Legend
    density: PosteriorFunctions
    seed: int
    distinct: bool
    _points: dict[str, Point] = field(default_factory=dict, init=False)
    _terms: dict[Any, tuple[Any, ...]] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        data = [s for s, _ in self.density.posterior.data]
        self.blocks = self.density.potential.blocks
        lengths = {length_of(s) for s in (*self.blocks, *data)} - {None}
        self.sizes: dict[Length, int] = dict.fromkeys(
            sorted((n for n in lengths if n is not None), key=str), COORDINATES
        )
        self.data = data

    def point(self, what: str) -> Point:
        """Return the point with the values of something, such as one row of the data."""
        return self._points.setdefault(what, Point(self.sizes, seed=_seed_of(self.seed, what)))

    def values(self, what: str, s: Any) -> Numbers:
        """Return the coordinates of a symbol at a point."""
        chosen = [self.point(what).choose(at, k) for at, k in self.places(s)]
        return tuple(Fraction(int(x.p), int(x.q)) for x in chosen)

    def places(self, s: Any) -> list[tuple[Any, int | None]]:
        """Return the coordinates of a symbol, as a point knows them."""
        if not isinstance(s, Indexed):
            return [(s, None)]
        return [(s.at(GENERIC), k) for k in range(self.sizes[s.length])]

    def state(self, what: str) -> tuple[Numbers, ...]:
        """Return the values of all blocks at a point."""
        return tuple(self.values(what, b) for b in self.blocks)

    def rows(self, call: int) -> list[int]:
        """Return the rows of a minibatch, no two of them the same."""
        return [(call + 2 * k) % ROWS for k in range(USED)]

    def gradient(self, state: tuple[Numbers, ...], rows: Sequence[int]) -> list[list[Any]]:
        """Return the gradient from rows of the data, from all of them if there are none."""
        used = list(rows) or list(range(ROWS if self.data else 1))
        scale = Fraction(ROWS if self.data else 1, len(used))
        terms = [self._of_row(state, n) for n in used]
        prior = self._of_row(state, None)
        return [
            [ball(scale) * sum((t[k] for t in each[1:]), each[0][k]) + p[k] for k in range(len(p))]
            for each, p in zip(zip(*terms, strict=True), prior, strict=True)
        ]

    def _of_row(self, state: tuple[Numbers, ...], row: int | None) -> tuple[Any, ...]:
        """Return what one row adds to the gradient, by block; with no row, what the prior does."""
        if (state, row) not in self._terms:
            self._terms[state, row] = (
                self._derived(state, row)
                if self.density.posterior.user_gradient is None
                else self._chosen(state, row)
            )
        return self._terms[state, row]

    def _chosen(self, state: tuple[Numbers, ...], row: int | None) -> tuple[Any, ...]:
        numbers = random.Random(repr((self.seed, state, row)))
        return tuple(
            [ball(Fraction(numbers.randint(-LARGEST_RANDOM, LARGEST_RANDOM), 8)) for _ in block]
            for block in state
        )

    def _derived(self, state: tuple[Numbers, ...], row: int | None) -> tuple[Any, ...]:
        posterior = self.density.posterior
        of = posterior.prior_gradient if row is None else posterior.datum_gradient
        point = Point(self.sizes, seed=0)
        for b, numbers in zip(self.blocks, state, strict=True):
            self._put(point, b, numbers)
        for s in self.data if row is not None else []:
            self._put(point, s, self.values(f"row {row}", s))
        for s in self.parameters():
            self._put(point, s, self.values("parameters", s))
        return tuple(
            [self._value(of[b], point, k or 0) for _, k in self.places(b)] for b in self.blocks
        )

    def _value(self, e: Expr, point: Point, k: int) -> Any:
        return point.evaluate(e, {GENERIC: k})

    def _put(self, point: Point, s: Any, numbers: Numbers) -> None:
        for (at, k), x in zip(self.places(s), numbers, strict=True):
            point.put(at, k, _rational(x))

    def parameters(self) -> list[Any]:
        """Return the parameters of the posterior."""
        posterior = self.density.posterior
        if posterior.user_gradient is not None:
            return []
        gradients = (*posterior.prior_gradient.values(), *posterior.datum_gradient.values())
        symbols = {generic(s) for e in gradients for s in symbols_in(e)}
        known = {*map(generic, self.blocks), *map(generic, self.data)}
        return sorted((s for s in symbols - known if not isinstance(s, Length | Index)), key=str)

    def shown(self, last: int) -> dict[str, str | list[str]]:
        """Return everything that was chosen, up to a call."""
        found: dict[str, str | list[str]] = {str(n): str(size) for n, size in self.sizes.items()}
        found |= {str(s): _text(self.values("parameters", s)) for s in self.parameters()}
        if self.density.posterior.user_gradient is None:
            for n in range(ROWS):
                found |= {f"{s} of row {n}": _text(self.values(f"row {n}", s)) for s in self.data}
        if self.density.potential in self.legend.modes:
            found |= self._shown_state("the mode")
        if self.density.potential in self.legend.snapshots:
            found["calls from one snapshot to the next"] = str(EVERY)
        found["rows are drawn"] = "without replacement" if self.distinct else "with replacement"
        for call in range(last + 1):
            found |= self._shown_state(f"call {call + 1}")
            found[f"rows of call {call + 1}"] = [str(n) for n in self.rows(call)]
        return found | self._shown_gradients()

    def _shown_state(self, what: str) -> dict[str, str | list[str]]:
        return {
            f"{b} at {what}": _text(x) for b, x in zip(self.blocks, self.state(what), strict=True)
        }

    def _shown_gradients(self) -> dict[str, str | list[str]]:
        """Return the numbers of a gradient of the user, which were chosen as well."""
        if self.density.posterior.user_gradient is None:
            return {}
        found: dict[str, str | list[str]] = {}
        for (state, row), terms in self._terms.items():
            at = ", ".join(f"{b} = {_text(x)}" for b, x in zip(self.blocks, state, strict=True))
            part = "the prior" if row is None else f"row {row}"
            for b, numbers in zip(self.blocks, terms, strict=True):
                found[f"gradient by {b} of {part} at {at}"] = [
                    x.str(20, radius=False) for x in numbers
                ]
        return found


def _seed_of(seed: int, what: str) -> int:
    """Return a number that is the same in every process."""
    return random.Random(f"{seed} {what}").randrange(1 << 30)


def _rational(x: Fraction) -> Any:
    return Rational(x.numerator, x.denominator)


def _text(numbers: Numbers) -> str | list[str]:
    texts = [str(x) for x in numbers]
    return texts[0] if len(texts) == 1 else texts
