"""The law that a pilot run samples: a posterior as a function of real numbers, one vector of all
coordinates.

A block on an interval is written as the same function of a real number as ``bind`` writes it
(``recipe.rebuild.onto_domains``), with the logarithm of its slope in the density; one on a simplex
as the same function of a real vector.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sympy import Interval, S, oo

from codegen.inputs.density.compiled_posterior import Density
from codegen.inputs.initial_states import given_blocks
from codegen.inputs.preimages import without_ordered
from codegen.module import Module
from codegen.tuning.law.onto_simplex import OntoSimplex
from codegen.tuning.law.untunable import UntunableError
from recipe.declare.posterior import Posterior
from recipe.language.blocks import Block, Scalar, Simplex, Vector
from recipe.language.checks.validate import read
from recipe.language.free_symbols import names_to_give
from recipe.language.symbols import generic, name_of


@dataclass(frozen=True, eq=False)
class Line:
    """A bijection from the real line onto the domain of a block: the identity, ``a + exp``, ``b -
    exp``, or ``a + (b - a)/(1 + exp(-z))``.

    Attributes:
        low, high: the ends of the domain.
    """

    low: float
    high: float

    @property
    def is_identity(self) -> bool:
        """Whether the block lives on the line itself."""
        return not (np.isfinite(self.low) or np.isfinite(self.high))

    @property
    def is_logarithm(self) -> bool:
        """Whether the block lives above 0."""
        return self.low == 0 and not np.isfinite(self.high)

    def inverse(self, theta: np.ndarray) -> np.ndarray:
        """Return the points whose values are those of the block."""
        if np.isfinite(self.low) and np.isfinite(self.high):
            return np.log((theta - self.low) / (self.high - theta))
        if np.isfinite(self.low):
            return np.log(theta - self.low)
        return np.log(self.high - theta) if np.isfinite(self.high) else theta

    def forward(self, z: np.ndarray) -> np.ndarray:
        """Return the values of the block."""
        if np.isfinite(self.low) and np.isfinite(self.high):
            return self.low + (self.high - self.low) / (1.0 + np.exp(-z))
        if np.isfinite(self.low):
            return self.low + np.exp(z)
        return self.high - np.exp(z) if np.isfinite(self.high) else z

    def pulled(self, z: np.ndarray, slopes: np.ndarray) -> np.ndarray:
        """Return derivatives by z from those by the values of the block."""
        return slopes * self._slope(z)

    def _slope(self, z: np.ndarray) -> np.ndarray:
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
        evaluations: how often the gradient has been computed, a list of one number.
    """

    density: Density
    lines: tuple[Line | OntoSimplex, ...]
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

    @property
    def are_scales(self) -> np.ndarray:
        """Whether a coordinate is the logarithm of a number above 0, shape (n,)."""
        scales = [isinstance(line, Line) and line.is_logarithm for line in self.lines]
        return np.repeat(scales, self.sizes)

    def parts(self, z: np.ndarray) -> list[np.ndarray]:
        """Return z by block; the last axis is cut."""
        return np.split(z, np.cumsum(self.sizes)[:-1], axis=-1)

    def blocks(self, z: np.ndarray) -> dict[Block, np.ndarray]:
        """Return the values of the blocks at z, of the shape (..., length)."""
        parts = zip(self.density.blocks, self.lines, self.parts(z), strict=True)
        return {b: line.forward(part) for b, line, part in parts}

    def points(self, initial: Mapping[Any, Any] | None, chains: int) -> np.ndarray | None:
        """Return first values of blocks as points, shape (chains, n), NaN in the coordinates of a
        block that has none; None where no block has any.

        Args:
            initial: first values by block, as for ``sample``.
            chains: the number of chains.
        """
        wanted = {b.name for b in self.density.blocks}
        plain = without_ordered(initial, self.density.ordered) or {}
        chosen = {k: v for k, v in plain.items() if name_of(k) in wanted}
        given = given_blocks(chosen, self.density.blocks, chains, self.density.lengths)
        if not given:
            return None
        parts = zip(self.density.blocks, self.lines, self.sizes, strict=True)
        unknown = np.full((chains, 1), np.nan)
        return np.hstack(
            [line.inverse(given[b]) if b in given else unknown.repeat(n, 1) for b, line, n in parts]
        )

    def why_not_finite(self, z: np.ndarray) -> str | None:
        """Return why the log density is not finite at z; None where it is, or nothing tells."""
        parts = zip(self.lines, self.parts(z), strict=True)
        with np.errstate(all="ignore"):
            return self.density.why_not_finite([line.forward(part) for line, part in parts])

    def __call__(self, z: np.ndarray) -> tuple[float, np.ndarray]:
        """Return minus the log density of z, up to a constant, and its gradient; both are not
        finite where the density is 0.
        """
        return self.value(z), self.slope(z)

    def value(self, z: np.ndarray) -> float:
        """Return minus the log density of z, up to a constant."""
        parts = self.parts(z)
        if all(line.is_identity for line in self.lines):
            return self.density.value(parts)
        with np.errstate(all="ignore"):
            mapped = list(zip(self.lines, parts, strict=True))
            value = self.density.value([line.forward(p) for line, p in mapped])
            for line, p in mapped:
                value -= line.log_slope(p)[0]
        return value

    def slope(self, z: np.ndarray) -> np.ndarray:
        """Return the gradient of minus the log density of z."""
        self.evaluations[0] += 1
        parts = self.parts(z)
        if all(line.is_identity for line in self.lines):
            return np.concatenate(self.density.slopes(parts))
        with np.errstate(all="ignore"):
            mapped = list(zip(self.lines, parts, strict=True))
            slopes = self.density.slopes([line.forward(p) for line, p in mapped])
            pulled = [
                line.pulled(p, g) - line.log_slope(p)[1]
                for (line, p), g in zip(mapped, slopes, strict=True)
            ]
        return np.concatenate(pulled)


def target_of(
    posterior: Any,
    params: Mapping[Any, Any],
    lengths: Mapping[Any, int] | None = None,
    kernel: Module | None = None,
) -> Target:
    """Return the law of a posterior as a function of real numbers.

    Args:
        posterior: a posterior, or an expression of blocks.
        params: values of parameters, by symbol or name; those that the posterior has are used.
        lengths: the number of coordinates of blocks, where data do not determine it.
        kernel: the module of a kernel that may sample it, whose functions are taken where they fit.

    Raises:
        UntunableError: where it has no log likelihood in the language, or a block lives on another
            set than an interval or a simplex.
    """
    if not isinstance(posterior, Posterior):
        posterior = _posterior_of(posterior)
    if posterior.log_likelihood is None:
        raise UntunableError(
            "the posterior has a gradient and no log_likelihood, so a pilot run has no density to"
            " test; write its log_likelihood, or give step_size= yourself"
        )
    known = (Interval, Simplex)
    other = next((b for b in posterior.blocks if not isinstance(b.domain, known)), None)
    if other is not None and other.domain != S.Reals:
        raise UntunableError(
            f"{other.name} lives on {other.domain}, which a pilot run cannot reach; give step_size="
            " yourself"
        )
    needed = names_to_give(posterior.parameters)
    given = {name_of(k): v for k, v in params.items() if name_of(k) in needed}
    density = Density(posterior, given, lengths=lengths, kernel=kernel)
    lines = tuple(_line(b) for b in density.blocks)
    return Target(density, lines, tuple(density.sizes))


def _posterior_of(expression: Any) -> Posterior:
    """Return the posterior of which an expression is minus the log density."""
    e = read(expression, "the posterior")
    blocks = {generic(s) for s in e.atoms(Vector, Scalar)}
    return Posterior(tuple(sorted(blocks, key=lambda b: b.name)), S.Zero, -e, data={})


def _line(block: Block) -> Line | OntoSimplex:
    domain = block.domain
    if isinstance(domain, Simplex):
        return OntoSimplex()
    low = -np.inf if domain == S.Reals or domain.start == -oo else float(domain.start)
    high = np.inf if domain == S.Reals or domain.end == oo else float(domain.end)
    return Line(low, high)
