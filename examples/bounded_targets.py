"""The nine laws on intervals and half lines of figure 1 of Yokoi, Otsuka & Sato (2020).

As in the code that its authors published (github.com/syokoi/TransformSGLD): softplus on a half
line, and a sigmoid stretched to the interval elsewhere; chains start at 1 or in the middle.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import sympy
from scipy.stats import beta, gamma, truncnorm
from sympy import Expr, Integer, Interval, Lambda, Matrix, S, Symbol, log, oo

from recipe import Recipe, Vector, total
from recipe.declare.maps import softplus
from recipe.declare.transformations.map import Map

a, b, scale = (Symbol(name, positive=True) for name in ("a", "b", "s"))
SHAPES = ((2.0, 2.0), (2.0, 0.5), (0.5, 0.5))


@dataclass(frozen=True)
class Target:
    """A law of one positive or bounded number: its potential in the language, and as it is known
    elsewhere.
    """

    name: str
    theta: Vector
    U: Expr
    map: Map
    law: Any
    slope: Callable[[np.ndarray], np.ndarray]  # U' once more, for what is done without the library
    params: dict[str, float] = field(default_factory=dict)

    @property
    def langevin(self) -> Recipe:
        """Overdamped Langevin dynamics; every coordinate is a chain of its own."""
        return Recipe((self.theta,), total(self.U), Matrix([[1]]), Matrix([[0]]))

    @property
    def start(self) -> float:
        """Where the published chains start."""
        low, high = self.ends
        return (low + high) / 2 if np.isfinite(high) else 1.0

    @property
    def ends(self) -> tuple[float, float]:
        """Of the domain."""
        return float(self.theta.domain.start), float(self.theta.domain.end)


def interval_map(low: int, high: int) -> Map:
    """A sigmoid from ``low`` to ``high``."""
    phi, theta = Symbol("phi", real=True), Symbol("theta", real=True)
    name = "sigmoid" if (low, high) == (0, 1) else f"sigmoid onto ({low}, {high})"
    forward = Lambda(phi, low + (high - low) / (1 + sympy.exp(-phi)))
    return Map(name, forward, Lambda(theta, log((theta - low) / (high - theta))), S.Reals)


def gamma_target(k: float, s: float) -> Target:
    """Shape and scale, as in ``Gamma(k, theta)`` of the paper."""
    theta = Vector("theta", domain=Interval.open(0, oo))
    U = (1 - a) * log(theta) + theta / scale
    return Target(
        f"Gamma({k:g}, {s:g})",
        theta,
        U,
        softplus,
        gamma(k, scale=s),
        lambda x: (1 - k) / x + 1 / s,
        {"a": k, "s": s},
    )


def beta_target(k: float, m: float) -> Target:
    """Both shapes."""
    theta = Vector("theta", domain=Interval.open(0, 1))
    U = (1 - a) * log(theta) + (1 - b) * log(1 - theta)
    name, known = f"Beta({k:g}, {m:g})", {"a": k, "b": m}
    return Target(
        name,
        theta,
        U,
        interval_map(0, 1),
        beta(k, m),
        lambda x: (1 - k) / x - (1 - m) / (1 - x),
        known,
    )


def normal_target(low: int, high: int) -> Target:
    """A standard normal number that is known to lie in an interval."""
    theta = Vector("theta", domain=Interval.open(low, high))
    law = truncnorm(low, high)
    return Target(
        f"normal on ({low}, {high})",
        theta,
        theta**2 / Integer(2),
        interval_map(low, high),
        law,
        lambda x: x,
    )


def targets() -> list[Target]:
    """In the order of the figure."""
    normals = [normal_target(-5, high) for high in (-2, 0, 2)]
    return [*(beta_target(*s) for s in SHAPES), *(gamma_target(*s) for s in SHAPES), *normals]
