"""How far the law of a position is off at each of several step sizes, measured in one coordinate
beside the order that is proved.

It is indicative. The numbers of exp(-H) come from quadrature, the others from the last states of
many chains that start in the law of that position, everything else at its middle: a time that is
too short for the rest of the state looks like a bias.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sympy import Expr, Interval, expand

from codegen.running.one_step import OneStep
from recipe import RecipeError, Update
from recipe.language.calculus import summands
from recipe.language.domain import on_simplex
from recipe.language.free_symbols import blocks_in
from recipe.language.symbols import Block, Vector, name_of
from recipe_cli.trial import Trial
from verify.decide.zero.errors import CannotDecideError
from verify.discrete.weak_order import invariant_order
from verify.statistics.numbers.arrays import Meanings, images_of

SHARES = (1.0, 0.71, 0.5, 0.35, 0.25)  # of the step size that was asked for
TIME, CHAINS = 20.0, 8_000  # how long each chain runs, and how many there are
MOST = 4_000  # steps of a chain
PURPOSE = 13  # of these random numbers
GRID, FAR = 20_001, 60.0  # points of the quadrature, and how far out it goes
NEAR = 1e-6  # of an end of a domain


@dataclass(frozen=True)
class Law:
    """The law of one coordinate of a block under exp(-H), on a grid."""

    block: Block
    places: np.ndarray
    weights: np.ndarray

    @property
    def mean(self) -> float:
        return float(self.weights @ self.places)

    @property
    def variance(self) -> float:
        return float(self.weights @ (self.places - self.mean) ** 2)

    def draws(self, rng: np.random.Generator, n: int) -> np.ndarray:
        """Independent draws, by the inverse of the distribution function between the points."""
        return np.asarray(np.interp(rng.random(n), np.cumsum(self.weights), self.places))


@dataclass(frozen=True)
class Point:
    """What was measured at a step size: the errors of the mean and of the mean square about the
    true mean, by their scale.
    """

    step_size: float
    bias: tuple[float, float]
    error: tuple[float, float]


@dataclass(frozen=True)
class Bias:
    """All of it; ``order`` is what is proved of the law of the block, and ``said`` in words."""

    block: str
    points: tuple[Point, ...]
    order: float | None
    said: str


def measured_bias(
    rule: Update, meanings: Meanings, trials: Mapping[str, Trial], kernel: OneStep, seed: int
) -> Bias | None:
    """The bias at the step size of a kernel and at smaller ones.

    None where no position has a law that is found by quadrature, no chain stays finite, or the
    steps are too small for it. ``meanings`` are the numbers of one coordinate, and so are those of
    the kernel.
    """
    law = law_of_position(rule, meanings, trials)
    if law is None or TIME / (kernel.size * SHARES[-1]) > MOST:
        return None
    rng = np.random.default_rng([seed, PURPOSE])
    tried = (_point(rule, law, replace(kernel, size=kernel.size * share), rng) for share in SHARES)
    points = [point for point in tried if point is not None]
    return Bias(name_of(law.block), tuple(points), *_proved(rule, law.block)) if points else None


def law_of_position(rule: Update, meanings: Meanings, trials: Mapping[str, Trial]) -> Law | None:
    """The law of the first vector, positions before others, of which H is a sum of what it alone
    enters and of the rest.
    """
    potentials = [U for U in rule.target.atoms() if getattr(U, "blocks", ())]
    for block in sorted(rule.state, key=lambda b: not any(_enters(U, b) for U in potentials)):
        if not isinstance(block, Vector) or on_simplex(block):
            continue
        own = [term for term in summands(expand(rule.target)) if _enters(term, block)]
        others = [b for b in rule.state if b != block and any(_enters(term, b) for term in own)]
        if own and not others:
            return _on_grid(block, own, meanings, trials)
    return None


def _enters(term: Expr, block: Block) -> bool:
    names = {name_of(b) for U in term.atoms() for b in getattr(U, "blocks", ())}
    image = block.image
    return (
        bool(blocks_in(term, (block,)))
        or name_of(block) in names
        or (image is not None and name_of(image) in names)
    )


def _on_grid(
    block: Block, own: list[Expr], meanings: Meanings, trials: Mapping[str, Trial]
) -> Law | None:
    places = _grid(block.domain)
    m = meanings.with_values({**images_of((block,)), name_of(block): places[:, None]})
    theta = m.place(name_of(block.image)) if block.image is not None else places[:, None]
    m = m.with_values({name: trial.value(theta) for name, trial in trials.items()})
    with np.errstate(all="ignore"):
        energy = sum(m.of(term, block)[:, 0] for term in own)
    energy = np.where(np.isfinite(energy), energy, np.inf)
    weights = np.exp(-(energy - energy.min())) * np.gradient(places)
    return Law(block, places, weights / weights.sum())


def _grid(domain: Any) -> np.ndarray:
    low, high = (
        (float(domain.start), float(domain.end))
        if isinstance(domain, Interval)
        else (-np.inf, np.inf)
    )
    if np.isfinite(low) and np.isfinite(high):
        return np.asarray(low + (high - low) * np.linspace(NEAR, 1 - NEAR, GRID))
    if np.isfinite(low):
        return np.asarray(low + np.geomspace(NEAR, FAR, GRID))
    return np.asarray(
        high - np.geomspace(FAR, NEAR, GRID) if np.isfinite(high) else np.linspace(-FAR, FAR, GRID)
    )


def _point(rule: Update, law: Law, kernel: OneStep, rng: np.random.Generator) -> Point | None:
    """The last states of many chains; None where one of them left its domain or the finite
    numbers.
    """
    first = {name_of(b): np.array([_middle(b)]) for b in rule.state}
    key, steps, name = (
        int(rng.integers(2**62)),
        max(1, round(TIME / kernel.size)),
        name_of(law.block),
    )
    last = np.empty(CHAINS)
    for chain, x in enumerate(law.draws(rng, CHAINS)):
        moved = kernel.advanced(
            {**first, name: np.array([x])}, steps, seed=key, chain=chain, begin=0
        )
        if moved is None:
            return None
        last[chain] = moved[name][0]
    away = last - law.mean
    scale = (np.sqrt(law.variance), law.variance)
    found = [
        (f.mean() / s, f.std() / s / np.sqrt(CHAINS))
        for f, s in zip((away, away**2 - law.variance), scale, strict=True)
    ]
    return Point(
        kernel.size,
        (float(found[0][0]), float(found[1][0])),
        (float(found[0][1]), float(found[1][1])),
    )


def _middle(block: Block) -> float:
    low, high = (
        (float(block.domain.start), float(block.domain.end))
        if isinstance(block.domain, Interval)
        else (-np.inf, np.inf)
    )
    if np.isfinite(low) and np.isfinite(high):
        return (low + high) / 2
    return low + 1 if np.isfinite(low) else (high - 1 if np.isfinite(high) else 0.0)


def _proved(rule: Update, block: Block) -> tuple[float | None, str]:
    """The order of the law of a block that is proved, in one dimension, and the words for it."""
    try:
        found = invariant_order(rule, marginals=[(block,)])
    except (RecipeError, CannotDecideError):
        return None, "no order is proved"
    of_block = next((m for m in found.marginals if m.kept == (block,)), found)
    if of_block.order < 1:
        return None, "no order is proved"
    return float(
        of_block.order
    ), f"order {'exactly' if of_block.exact else 'at least'} {of_block.order}, proved"
