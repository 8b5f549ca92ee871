"""The bias of one coordinate at several step sizes, measured beside the order that is proved.

The bias is indicative. The moments of exp(-H) are computed by quadrature. The moments of the
sampler come from the last states of many chains; each starts with that coordinate drawn from its
law, and the rest of the state at its middle. If the chains are too short for the rest of the state,
that looks like a bias.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sympy import Expr, Interval, expand

from recipe import RecipeError, Update
from recipe.language.blocks import Block, Vector
from recipe.language.calculus import summands
from recipe.language.domain import on_simplex
from recipe.language.free_symbols import blocks_in
from recipe.language.symbols import name_of
from verify.decide.zero.errors import CannotDecideError
from verify.diffusion.vanishing import not_judged_by_limit
from verify.discrete.weak_order import invariant_order
from verify.statistics.numbers.arrays import Meanings, images_of
from verify.statistics.numbers.callables import Advance
from verify.statistics.trial.potentials import TrialPotential
from verify.statistics.trial.trial import Trial
from verify.subject import subject_of

STEP_SIZE_RATIOS = (1.0, 0.71, 0.5, 0.35, 0.25)  # of the step size of the trial
CHAIN_TIME, CHAINS = 20.0, 8_000  # how long each chain runs, and how many there are
MAX_STEPS = 4_000  # of a chain
BIAS_STREAM = 13  # key of these random numbers beside the seed
GRID_POINTS, GRID_END = 20_001, 60.0  # points of the quadrature, and how far out it goes
MIN_DISTANCE_FROM_END = 1e-6  # of a point of the grid from an end of its domain


@dataclass(frozen=True)
class PositionLaw:
    """The law of one coordinate of a block under exp(-H), on a grid.

    Attributes:
        block: the block.
        places: the points of the grid, in ascending order.
        weights: the probability of each point.
    """

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
        """Return n independent draws, an array (n,), by the inverse of the distribution
        function.
        """
        return np.asarray(np.interp(rng.random(n), np.cumsum(self.weights), self.places))


@dataclass(frozen=True)
class BiasPoint:
    """The bias at one step size.

    Attributes:
        step_size: the step size.
        bias: the bias of the mean in standard deviations of the law, and of the variance in
            variances.
        error: the standard error of each.
    """

    step_size: float
    bias: tuple[float, float]
    error: tuple[float, float]


@dataclass(frozen=True)
class MeasuredBias:
    """The bias of a block at several step sizes.

    Attributes:
        block: the name of the block.
        points: the bias at each step size.
        order: the order of the bias that is proved; None if none is proved.
        order_text: the order in words.
    """

    block: str
    points: tuple[BiasPoint, ...]
    order: float | None
    order_text: str


def measure_bias(
    trial: Trial, advance_by: Callable[[float], Advance], *, seed: int = 0
) -> MeasuredBias | None:
    """Measure the bias of a step at the step size of a trial and at smaller ones.

    Args:
        trial: a step whose vectors have one coordinate, see ``one_coordinate_trial``.
        advance_by: the function that returns the program for a step size; see ``Advance``.
        seed: the seed of all random numbers.

    Returns:
        The bias; None if no position has a law that quadrature can compute, no chain stays finite,
        or a chain would need more than 4,000 steps.
    """
    assert isinstance(trial.rule, Update)
    law = law_of_position(trial)
    if law is None or CHAIN_TIME / (trial.step_size * STEP_SIZE_RATIOS[-1]) > MAX_STEPS:
        return None
    rng = np.random.default_rng([seed, BIAS_STREAM])
    sizes = [trial.step_size * ratio for ratio in STEP_SIZE_RATIOS]
    tried = (_point(trial.rule, law, advance_by(size), size, rng) for size in sizes)
    points = [point for point in tried if point is not None]
    if not points:
        return None
    return MeasuredBias(name_of(law.block), tuple(points), *_proved(trial.rule, law.block))


def law_of_position(trial: Trial) -> PositionLaw | None:
    """Return the law of the first vector whose part of H contains no other block; None if there is
    no such vector.

    Vectors in the potential are tried first.
    """
    rule, meanings = trial.rule, trial.setting.meanings
    potentials = {U.name: potential for U, potential in trial.potentials.items()}
    abstract = [U for U in rule.target.atoms() if getattr(U, "blocks", ())]
    for block in sorted(rule.state, key=lambda b: not any(_enters(U, b) for U in abstract)):
        if not isinstance(block, Vector) or on_simplex(block):
            continue
        own = [term for term in summands(expand(rule.target)) if _enters(term, block)]
        others = [b for b in rule.state if b != block and any(_enters(term, b) for term in own)]
        if own and not others:
            return _on_grid(block, own, meanings, potentials)
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
    block: Block, own: list[Expr], meanings: Meanings, potentials: Mapping[str, TrialPotential]
) -> PositionLaw:
    places = _grid(block.domain)
    m = meanings.with_values({**images_of((block,)), name_of(block): places[:, None]})
    theta = m.place(name_of(block.image)) if block.image is not None else places[:, None]
    m = m.with_values({name: U.value(theta) for name, U in potentials.items()})
    with np.errstate(all="ignore"):
        energy = sum(m.of(term, block)[:, 0] for term in own)
    energy = np.where(np.isfinite(energy), energy, np.inf)
    weights = np.exp(-(energy - energy.min())) * np.gradient(places)
    return PositionLaw(block, places, weights / weights.sum())


def _grid(domain: Any) -> np.ndarray:
    low, high = (
        (float(domain.start), float(domain.end))
        if isinstance(domain, Interval)
        else (-np.inf, np.inf)
    )
    if np.isfinite(low) and np.isfinite(high):
        inside = np.linspace(MIN_DISTANCE_FROM_END, 1 - MIN_DISTANCE_FROM_END, GRID_POINTS)
        return np.asarray(low + (high - low) * inside)
    if np.isfinite(low):
        return np.asarray(low + np.geomspace(MIN_DISTANCE_FROM_END, GRID_END, GRID_POINTS))
    if np.isfinite(high):
        return np.asarray(high - np.geomspace(GRID_END, MIN_DISTANCE_FROM_END, GRID_POINTS))
    return np.linspace(-GRID_END, GRID_END, GRID_POINTS)


def _point(
    rule: Update, law: PositionLaw, advance: Advance, size: float, rng: np.random.Generator
) -> BiasPoint | None:
    """Return the bias of the last states of many chains; None if a chain left its domain or is not
    finite.
    """
    first = {name_of(b): np.array([_middle(b)]) for b in rule.state}
    key, steps = int(rng.integers(2**62)), max(1, round(CHAIN_TIME / size))
    name = name_of(law.block)
    last = np.empty(CHAINS)
    for chain, x in enumerate(law.draws(rng, CHAINS)):
        moved = advance({**first, name: np.array([x])}, steps, seed=key, chain=chain, begin=0)
        if moved is None:
            return None
        last[chain] = moved[name][0]
    away = last - law.mean
    scale = (np.sqrt(law.variance), law.variance)
    found = [
        (f.mean() / s, f.std() / s / np.sqrt(CHAINS))
        for f, s in zip((away, away**2 - law.variance), scale, strict=True)
    ]
    return BiasPoint(
        size,
        (float(found[0][0]), float(found[1][0])),
        (float(found[0][1]), float(found[1][1])),
    )


def _middle(block: Block) -> float:
    """Return a point in the middle of the domain of a block."""
    low, high = (
        (float(block.domain.start), float(block.domain.end))
        if isinstance(block.domain, Interval)
        else (-np.inf, np.inf)
    )
    if np.isfinite(low) and np.isfinite(high):
        return (low + high) / 2
    return low + 1 if np.isfinite(low) else (high - 1 if np.isfinite(high) else 0.0)


def _proved(rule: Update, block: Block) -> tuple[float | None, str]:
    """Return the proved order of the law of a block, in one dimension, and the words for it."""
    try:
        if not_judged_by_limit(subject_of(rule)) is not None:
            return None, "no order is proved"
        found = invariant_order(rule, marginals=[(block,)])
    except (RecipeError, CannotDecideError):
        return None, "no order is proved"
    of_block = next((m for m in found.marginals if m.kept == (block,)), found)
    if of_block.order < 1:
        return None, "no order is proved"
    return float(
        of_block.order
    ), f"order {'exactly' if of_block.exact else 'at least'} {of_block.order}, proved"
