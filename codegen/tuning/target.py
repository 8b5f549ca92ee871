"""The law that a pilot run samples: a posterior as a function of real numbers, one vector of all
coordinates.

A block on an interval is written as the same function of a real number as ``bind`` writes it
(``recipe.rebuild.onto_domains``), with the logarithm of its slope in the density.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sympy import Interval, S, oo

from codegen.inputs.compiled_posterior import Density
from codegen.tuning.untunable import UntunableError
from recipe.declare.posterior import Posterior
from recipe.language.symbols import Block, Scalar, Vector


@dataclass(frozen=True, eq=False)
class Line:
    """A bijection from the real line onto the domain of a block: the identity, ``a + exp``, ``b -
    exp``, or ``a + (b - a)/(1 + exp(-z))``.

    Attributes:
        low, high: the ends of the domain.
    """

    low: float
    high: float

    def forward(self, z: np.ndarray) -> np.ndarray:
        """Return the values of the block."""
        if np.isfinite(self.low) and np.isfinite(self.high):
            return self.low + (self.high - self.low) / (1.0 + np.exp(-z))
        if np.isfinite(self.low):
            return self.low + np.exp(z)
        return self.high - np.exp(z) if np.isfinite(self.high) else z

    def slope(self, z: np.ndarray) -> np.ndarray:
        """Return the derivative of ``forward``."""
        if np.isfinite(self.low) and np.isfinite(self.high):
            share = 1.0 / (1.0 + np.exp(-z))
            return (self.high - self.low) * share * (1.0 - share)
        if np.isfinite(self.low):
            return np.exp(z)
        return -np.exp(z) if np.isfinite(self.high) else np.ones_like(z)

    def log_slope(self, z: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the sum of the logarithms of the slopes, and the derivative by each coordinate."""
        if np.isfinite(self.low) and np.isfinite(self.high):
            log_of = -np.logaddexp(0.0, -z) - np.logaddexp(0.0, z) + np.log(self.high - self.low)
            return float(np.sum(log_of)), 1.0 - 2.0 / (1.0 + np.exp(-z))
        if np.isfinite(self.low) or np.isfinite(self.high):
            return float(np.sum(z)), np.ones_like(z)
        return 0.0, np.zeros_like(z)


@dataclass(frozen=True, eq=False)
class Target:
    """A posterior of one vector z of real numbers.

    Attributes:
        density: the compiled posterior.
        lines: the map of each block.
        sizes: the number of coordinates of each block.
        evaluations: how often value and gradient have been computed, a list of one number.
    """

    density: Density
    lines: tuple[Line, ...]
    sizes: tuple[int, ...]
    evaluations: list[int] = field(default_factory=lambda: [0])

    @property
    def dimension(self) -> int:
        """The number of coordinates."""
        return sum(self.sizes)

    @property
    def labels(self) -> list[str]:
        """The names of the coordinates."""
        return [
            b.name if isinstance(b, Scalar) else f"{b.name}[{i}]"
            for b, n in zip(self.density.blocks, self.sizes, strict=True)
            for i in range(n)
        ]

    def parts(self, z: np.ndarray) -> list[np.ndarray]:
        """Return z by block; the last axis is cut."""
        return np.split(z, np.cumsum(self.sizes)[:-1], axis=-1)

    def blocks(self, z: np.ndarray) -> dict[Block, np.ndarray]:
        """Return the values of the blocks at z, of the shape (..., length)."""
        parts = zip(self.density.blocks, self.lines, self.parts(z), strict=True)
        return {b: line.forward(part) for b, line, part in parts}

    def __call__(self, z: np.ndarray) -> tuple[float, np.ndarray]:
        """Return minus the log density of z, up to a constant, and its gradient; both are not
        finite where the density is 0.
        """
        self.evaluations[0] += 1
        with np.errstate(all="ignore"):
            parts = self.parts(z)
            at = [line.forward(p) for line, p in zip(self.lines, parts, strict=True)]
            value = self.density.value(at)
            slopes = []
            for line, p, g in zip(self.lines, parts, self.density.slopes(at), strict=True):
                more, derivative = line.log_slope(p)
                value -= more
                slopes.append(g * line.slope(p) - derivative)
        return value, np.concatenate(slopes)


def target_of(posterior: Any, params: Mapping[Any, Any]) -> Target:
    """Return the law of a posterior as a function of real numbers.

    Args:
        posterior: a posterior, or an expression of blocks.
        params: values of parameters, by symbol or name; those that the posterior has are used.

    Raises:
        UntunableError: where it has no log likelihood in the language, or a block is on a simplex.
    """
    if not isinstance(posterior, Posterior):
        posterior = _posterior_of(posterior)
    if posterior.log_likelihood is None:
        raise UntunableError(
            "the posterior has a gradient and no log_likelihood, so a pilot run has no density to"
            " test; write its log_likelihood, or give step_size= yourself"
        )
    other = next((b for b in posterior.blocks if not isinstance(b.domain, Interval)), None)
    if other is not None and other.domain != S.Reals:
        raise UntunableError(
            f"{other.name} lives on {other.domain}, which a pilot run cannot reach; give step_size="
            " yourself"
        )
    needed = {s.name for s in posterior.parameters}
    given = {k: v for k, v in params.items() if str(k) in needed}
    density = Density(posterior, given)
    lines = tuple(_line(b) for b in density.blocks)
    return Target(density, lines, tuple(density.sizes))


def _posterior_of(expression: Any) -> Posterior:
    from sympy import sympify

    e = sympify(expression)
    blocks = tuple(sorted({s.at(0) if isinstance(s, Vector) else s for s in e.atoms(Vector, Scalar)}, key=str))
    return Posterior(blocks, S.Zero, -e, data={})


def _line(block: Block) -> Line:
    domain = block.domain
    low = -np.inf if domain == S.Reals or domain.start == -oo else float(domain.start)
    high = np.inf if domain == S.Reals or domain.end == oo else float(domain.end)
    return Line(low, high)
