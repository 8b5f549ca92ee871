"""What holds of a sampler in explicit coordinates: one judgement for each obligation, by numbers
alone.

``None`` says that the oracle has no opinion. A judgement ``True`` means: at every place that was
looked at; ``False`` has one place where it certainly fails. Numbers have 60 digits, and what is
neither below 1e-35 nor above 1e-25 of its terms is an error.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Any

import mpmath
import numpy as np
import sympy
from sympy import Expr

from oracles.decimals import BEYOND, DIGITS, HALF, ONE, ZERO, binary, decimal_of
from oracles.explicit_numbers import Number, Place, value_in
from oracles.jets import Jet, Series, UndefinedError, coordinate
from recipe import Recipe, Update, Vector
from recipe.language.blocks import Block
from recipe.language.noise import Noise, ScalarNoise
from recipe.language.symbols import Indexed, Length
from recipe.language.total import Total

SMALL, LARGE = Decimal(10) ** -35, Decimal(10) ** -25
SEARCHES = 160  # places at which a counterexample is looked for
IDENTITY_PLACES = ((2, 0), (1, 1), (2, 2), (3, 3))  # (length, seed)
MOST_COORDINATES = 7  # lengths of three are looked at up to so many coordinates


class UnsureError(AssertionError):
    """Too close to zero for the digits that the oracle works with."""


def certainly_nonzero(terms: list[Number]) -> bool:
    """Whether a sum is not zero, measured by the size of its terms."""
    total, size = abs(sum(terms)), 1 + sum(map(abs, terms))
    if SMALL * size < total < LARGE * size:
        raise UnsureError(f"{total:.3} of {size:.3}")
    return bool(total >= LARGE * size)


@dataclass(frozen=True)
class Explicit:
    """A state of explicit lengths at one place; each coordinate is a jet, or with ``plain`` a
    number.
    """

    state: tuple[Block, ...]
    length: int
    seed: int
    plain: bool = False
    wild: bool = False

    @cached_property
    def sizes(self) -> dict[Length, int]:
        """The first length as asked for, the others one more and one less in turn: lengths are
        independent.
        """
        lengths = list(dict.fromkeys(b.length for b in self.state if isinstance(b, Vector)))
        return {
            d: max(1, self.length + (0, 1, -1)[k % 3] * (self.seed % 2))
            for k, d in enumerate(lengths)
        }

    @cached_property
    def coordinates(self) -> list[tuple[Block, int]]:
        return [
            (b, k)
            for b in self.state
            for k in range(self.sizes[b.length] if isinstance(b, Vector) else 1)
        ]

    @cached_property
    def place(self) -> Place:
        n, values = len(self.coordinates), {}
        for m, (block, k) in enumerate(self.coordinates):
            x = value_in(block.domain, f"{self.seed}{block.name}{k}", self.size(block), self.wild)
            values[block.name, k] = x if self.plain else coordinate(x, m, n)
        return Place(self.sizes, self.seed, values, wild=self.wild, state=self.state)

    def size(self, block: Block) -> int:
        return self.sizes[block.length] if isinstance(block, Vector) else 1

    def number(self, e: Expr) -> Number:
        return self.jet(self.place.read(e, ()))

    def vector(self, by_block: dict[Block, Expr]) -> list[Number]:
        return [self.jet(self.place.component(by_block[b], b, k)) for b, k in self.coordinates]

    def matrix(self, written: Any) -> list[list[Number]]:
        """A block matrix as it is written, entry by entry."""
        index = {b: k for k, b in enumerate(self.state)}
        return [
            [
                self.jet(self.place.entry(written[index[a], index[b]], a, b, i, j))
                for b, j in self.coordinates
            ]
            for a, i in self.coordinates
        ]

    def jet(self, x: Number) -> Number:
        """A number as a constant jet."""
        if self.plain or isinstance(x, Jet):
            return x
        zero = coordinate(ZERO, 0, len(self.coordinates)) * 0
        return zero + x


@dataclass(frozen=True)
class Diffusion:
    """Drift and D at one place: values, and the derivatives that the Fokker-Planck equation
    needs.
    """

    drift: list[Any]
    drift_by_own: list[Any]  # d f_i / d z_i
    D: list[list[Jet]]


def residual_terms(process: Diffusion, H: Jet) -> list[Any]:
    """``(sum_ij d_i d_j (D_ij p) - sum_i d_i (f_i p)) / p`` for p = exp(-H), term by term."""
    n, g, h = range(len(process.drift)), H.gradient, H.hessian
    terms = [-process.drift_by_own[i] for i in n] + [process.drift[i] * g[i] for i in n]
    for i, j in itertools.product(n, n):
        D = process.D[i][j]
        terms += [
            D.hessian[i, j],
            -D.gradient[i] * g[j],
            -D.gradient[j] * g[i],
            D.value * g[i] * g[j],
            -D.value * h[i, j],
        ]
    return terms


def of_recipe(recipe: Recipe, at: Explicit) -> tuple[Diffusion, Jet]:
    """``f_i = sum_j d_j (D + Q)_ij - (D + Q)_ij d_j H`` (Ma, Chen & Fox 2015, equation 3)."""
    H, D, Q = at.number(recipe.H), at.matrix(recipe.D.written), at.matrix(recipe.Q.written)
    n = range(len(at.coordinates))
    M = [[D[i][j] + Q[i][j] for j in n] for i in n]
    drift = [sum(M[i][j].gradient[j] - M[i][j].value * H.gradient[j] for j in n) for i in n]
    own = [
        sum(
            M[i][j].hessian[i, j]
            - M[i][j].gradient[i] * H.gradient[j]
            - M[i][j].value * H.hessian[i, j]
            for j in n
        )
        for i in n
    ]
    return Diffusion(drift, own, D), H


def of_update(update: Update, at: Explicit) -> tuple[Diffusion, Jet]:
    """Drift and D of a printed rule: the step expanded in s = sqrt(step), its mean over the noise
    by cubature.
    """
    samples = [expanded(update, at, w) for w in noises(update, at)]
    weight = ONE / len(samples)
    n = range(len(at.coordinates))

    def mean(values: Iterator[Jet]) -> Jet:
        return sum(values, at.jet(ZERO)) * weight

    for i in n:
        if abs(mean(first[i] for first, _ in samples).value) > LARGE:
            raise UndefinedError("the noise has a mean")
    drift = [mean(second[i] for _, second in samples) for i in n]
    D = [[mean(first[i] * first[j] for first, _ in samples) * HALF for j in n] for i in n]
    return Diffusion(
        [f.value for f in drift], [f.gradient[i] for i, f in enumerate(drift)], D
    ), at.number(update.target)


def noises(update: Update, at: Explicit) -> list[dict[tuple[str, int], Any]]:
    """The points +-sqrt(n) e_k: equal weights are exact up to degree three, and the noise enters
    the class with degree one.
    """
    symbols = {
        s.at(0) if isinstance(s, Indexed) else s
        for _, e in update.rule
        for s in e.atoms(Noise, ScalarNoise)
    }
    names = sorted(
        (s.base, k) if isinstance(s, Noise) else (s.name, 0)
        for s in symbols
        for k in range(at.sizes[s.length] if isinstance(s, Noise) else 1)
    )
    if not names:
        return [{}]
    radius = Decimal(len(names)).sqrt()
    return [
        {name: radius * sign if name == chosen else ZERO for name in names}
        for chosen in names
        for sign in (1, -1)
    ]


def expanded(
    update: Update, at: Explicit, noise: dict[tuple[str, int], Any]
) -> tuple[list[Jet], list[Jet]]:
    """The coefficients of s and s^2 of one step from the place, the noise being given."""
    s, start = Series(1, (ONE, *[ZERO] * 5)), at.place.values
    values = dict(start)
    simultaneous = Place(at.sizes, at.seed, dict(start) | noise, (update.step, s), state=at.state)
    for block, rule in update.rule:
        place = (
            Place(at.sizes, at.seed, values | noise, (update.step, s), state=at.state)
            if update.sequential
            else simultaneous
        )
        values = values | {
            (block.name, k): place.component(rule, block, k) for k in range(at.size(block))
        }
    first, second = [], []
    for block, k in at.coordinates:
        new = values[block.name, k]
        new = new if isinstance(new, Series) else Series(0, (new, ZERO, ZERO))
        if abs(at.jet(new.value).value - start[block.name, k].value) > LARGE:
            raise UndefinedError("at step zero it moves")
        first.append(at.jet(new.at(1)))
        second.append(at.jet(new.at(2)))
    return first, second


# -- judgements
# --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Judge:
    """The judgements on one declaration; each place is worked out once."""

    declared: Recipe | Update
    _places: dict[tuple[int, int], Explicit] = field(default_factory=dict)
    _processes: dict[tuple[Any, int, int], tuple[Diffusion, Jet]] = field(default_factory=dict)

    @property
    def state(self) -> tuple[Block, ...]:
        return self.declared.state

    def __call__(self, name: str) -> bool | None:
        """Whether the obligation holds; None for one that is not judged here."""
        judgement = JUDGEMENTS.get(name)
        return None if judgement is None else judgement(self)

    def places(self) -> Iterator[tuple[int, int]]:
        for length, seed in IDENTITY_PLACES:
            if (
                length < 3
                or len(Explicit(self.state, length, seed).coordinates) <= MOST_COORDINATES
            ):
                yield length, seed

    def at(self, length: int, seed: int) -> Explicit:
        return self._places.setdefault((length, seed), Explicit(self.state, length, seed))

    def process(self, declared: Recipe | Update, length: int, seed: int) -> tuple[Diffusion, Jet]:
        key = (id(declared), length, seed)
        if key not in self._processes:
            of = of_recipe if isinstance(declared, Recipe) else of_update
            self._processes[key] = of(declared, self.at(length, seed))
        return self._processes[key]

    def vanishes(self, terms_at: Callable[[int, int], Iterator[list[Any]]]) -> bool:
        """Whether all the sums vanish at every place; three coordinates are looked at where fewer
        show nothing.
        """
        return not any(
            certainly_nonzero(terms) for place in self.places() for terms in terms_at(*place)
        )

    @cached_property
    def searched(self) -> list[Explicit]:
        """Places of plain numbers to find a counterexample at."""
        return [
            Explicit(self.state, 1 + k % 3, 100 + k, plain=True, wild=k % 4 > 0)
            for k in range(SEARCHES)
        ]

    def matrix_vanishes(self, written: Any, sign: int) -> bool:
        def pairs(length: int, seed: int) -> Iterator[list[Any]]:
            M = Explicit(self.state, length, seed, plain=True).matrix(written)
            return ([M[i][j], sign * M[j][i]] for i in range(len(M)) for j in range(i + 1))

        return self.vanishes(pairs)

    def is_psd(self) -> bool | None:
        """Whether D has no certainly negative eigenvalue at any place that was looked at."""
        if isinstance(self.declared, Update):
            return True
        for at in self.searched:
            try:
                D = np.array(at.matrix(self.declared.D.written))
            except (UndefinedError, *BEYOND):
                continue
            if smallest_eigenvalue((D + D.T) / 2) < -LARGE * (1 + abs(D).max()):
                return False
        return True

    def is_defined(self) -> bool | None:
        if isinstance(self.declared, Update):
            return None

        def doubtful(e: Expr) -> Expr:
            return e if can_be_undefined(e) else sympy.S.Zero

        H, written = doubtful(self.declared.H), (self.declared.D.written, self.declared.Q.written)
        matrices = [m for m in (m.applyfunc(doubtful) for m in written) if not m.is_zero_matrix]
        for at in self.searched if H != 0 or matrices else ():
            try:
                at.number(H)
                for matrix in matrices:
                    at.matrix(matrix)
            except BEYOND:  # too large or too small a number to say anything
                continue
            except (UndefinedError, ZeroDivisionError):
                return False
        return True

    def is_stationary(self) -> bool:
        return self.vanishes(
            lambda d, seed: iter([residual_terms(*self.process(self.declared, d, seed))])
        )

    def agrees(self) -> bool:
        """Whether drift, D and the law up to a constant are those of the update."""
        declared = self.declared
        assert isinstance(declared, Recipe)

        def differences(length: int, seed: int) -> Iterator[list[Any]]:
            ours, H = self.process(declared, length, seed)
            theirs, target = self.process(declared.update, length, seed)
            yield from ([a, -b] for a, b in zip(H.gradient, target.gradient, strict=True))
            yield from ([a, -b] for a, b in zip(ours.drift, theirs.drift, strict=True))
            yield from (
                [a.value, -b.value]
                for x, y in zip(ours.D, theirs.D, strict=True)
                for a, b in zip(x, y, strict=True)
            )

        return self.vanishes(differences)

    def has_marginal(self) -> bool | None:
        """Whether ``H - U`` depends on no kept block; where it does, the integral might still be
        constant: no opinion.
        """
        declared = self.declared
        assert isinstance(declared, Recipe)

        def slopes(length: int, seed: int) -> Iterator[list[Any]]:
            at = self.at(length, seed)
            for kept, U in declared.marginal:
                mine = [m for m, (block, _) in enumerate(at.coordinates) if block in kept]
                yield from (
                    [at.number(declared.H).gradient[m], -at.number(U).gradient[m]] for m in mine
                )

        return True if self.vanishes(slopes) else None


def can_be_undefined(e: Expr) -> bool:
    """Whether there is a power or a function in an expression that is not defined everywhere."""
    powers = [
        p.base
        for p in e.atoms(sympy.Pow)
        if not (p.base == sympy.E or (p.exp.is_Integer and p.exp > 0))
    ]
    logarithms = [f.args[0] for f in e.atoms(sympy.log)]
    return e.has(sympy.tan, sympy.loggamma, sympy.polygamma) or not all(
        map(is_seen_positive, powers + logarithms)
    )


def is_seen_positive(e: Expr) -> bool:
    """Whether an expression is positive at a glance: a positive name, an exponential, or what is
    positive plus squares.
    """
    if isinstance(e, sympy.Add):
        return any(map(is_seen_positive, e.args)) and all(
            is_seen_positive(a) or is_square(a) for a in e.args
        )
    return e.func is sympy.exp or bool((e.is_Symbol or e.is_Rational) and e.is_positive)


def is_square(e: Expr) -> bool:
    return (
        is_square(e.body)
        if isinstance(e, Total)
        else isinstance(e, sympy.Pow) and bool(e.exp.is_even)
    )


def smallest_eigenvalue(D: np.ndarray) -> Decimal:
    """To 60 digits, if it is not so large that floating point cannot be wrong about its sign; rows
    of zeros are left out.
    """
    kept = (D != 0).any(axis=1)
    if not kept.any():
        return ZERO
    D = D[np.ix_(kept, kept)]
    rough = D.astype(float)
    size = np.abs(rough).sum()
    if size < 1e100 and (smallest := np.linalg.eigvalsh(rough)[0]) > 1e-9 * size:
        return Decimal(smallest)
    with mpmath.workdps(DIGITS):
        exact = mpmath.matrix([[binary(x) for x in row] for row in D])
        return decimal_of(min(mpmath.eigsy(exact, eigvals_only=True))) if len(D) > 1 else D[0, 0]


JUDGEMENTS: dict[str, Callable[[Judge], bool | None]] = {
    "well-defined": Judge.is_defined,
    "diffusion-symmetric": lambda judge: judge.matrix_vanishes(judge.declared.D.written, -1),
    "curl-skew": lambda judge: judge.matrix_vanishes(judge.declared.Q.written, 1),
    "diffusion-psd": Judge.is_psd,
    "stationarity": Judge.is_stationary,
    "agrees-with-update": Judge.agrees,
    "marginal": Judge.has_marginal,
}

__all__ = ["JUDGEMENTS", "Judge", "UnsureError", "sympy"]
