"""Laws to sample, with exact draws: none of them needs a Markov chain, and few are even or of unit
scale.

A ``Target`` is a potential of the blocks that the samplers of the catalog move, the values of its
parameters, and a function that draws from it. The draws are images of draws that numpy makes, or
come from a tabulated distribution function.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from scipy.integrate import cumulative_simpson
from sympy import Expr, Integer, Interval, Rational, exp, log, oo

from generators.strategies.numbers import lengths, places, scales
from recipe import Dense, Parameter, Scalar, Simplex, Vector, dot, total
from recipe.language.blocks import Block

State = dict[str, np.ndarray]

theta = Vector("theta")
m = Parameter("m", like=theta)


@dataclass(frozen=True)
class Target:
    """``exp(-U)`` on ``blocks``: ``params`` are the values of what U names, ``draw(rng, n)`` n
    exact draws, a row each.
    """

    name: str
    blocks: tuple[Block, ...]
    U: Expr
    length: int
    params: Mapping[str, Any]
    draw: Callable[[np.random.Generator, int], State]

    def __repr__(self) -> str:
        values = ", ".join(f"{k}={np.asarray(v).tolist()}" for k, v in self.params.items())
        return f"{self.name}, length {self.length}: U = {self.U}" + (
            f" with {values}" if values else ""
        )


@st.composite
def vectors(draw: st.DrawFn, length: int, entries: st.SearchStrategy[Expr]) -> np.ndarray:
    return np.array([float(draw(entries)) for _ in range(length)])


@st.composite
def normals(draw: st.DrawFn) -> Target:
    """Any covariance: theta = m + L z with a triangular L."""
    n = draw(lengths)
    L = np.diag(draw(vectors(n, scales)))
    for a in range(n):
        L[a, :a] = draw(vectors(a, places))
    mean = draw(vectors(n, places))
    P = Dense("P", theta, positive=True)
    precision = np.linalg.inv(L @ L.T)
    U = total((theta - m) * dot(P, theta - m)) / 2
    values = {"P": (precision + precision.T) / 2, "m": mean}
    return Target(
        "normal",
        (theta,),
        U,
        n,
        values,
        lambda rng, k: {"theta": mean + rng.standard_normal((k, n)) @ L.T},
    )


@st.composite
def mixtures(draw: st.DrawFn) -> Target:
    """Two normal humps of their own width and weight."""
    n, s, t, c = draw(lengths), draw(scales), draw(scales), draw(scales)
    mean, other = draw(vectors(n, places)), draw(vectors(n, places))
    k = Parameter("k", like=theta)
    U = -log(
        exp(-total((theta - m) ** 2) / (2 * s**2)) + c * exp(-total((theta - k) ** 2) / (2 * t**2))
    )
    mass = np.array([float(s) ** n, float(c) * float(t) ** n])

    def drawn(rng: np.random.Generator, rows: int) -> State:
        first = rng.random((rows, 1)) < mass[0] / mass.sum()
        width = np.where(first, float(s), float(t))
        return {"theta": np.where(first, mean, other) + width * rng.standard_normal((rows, n))}

    return Target("mixture", (theta,), U, n, {"m": mean, "k": other}, drawn)


@st.composite
def quartics(draw: st.DrawFn) -> Target:
    """A flat top about m: |theta - m|^4 is gamma."""
    n, b, mean = draw(lengths), draw(scales), None
    mean = draw(vectors(n, places))

    def drawn(rng: np.random.Generator, rows: int) -> State:
        size = (4 / float(b) * rng.standard_gamma(0.25, (rows, n))) ** 0.25
        return {"theta": mean + rng.choice([-1.0, 1.0], (rows, n)) * size}

    return Target("quartic", (theta,), b * total((theta - m) ** 4) / 4, n, {"m": mean}, drawn)


@st.composite
def double_wells(draw: st.DrawFn) -> Target:
    """Two wells of unequal depth in every coordinate."""
    n, b, c = (
        draw(lengths),
        draw(scales),
        draw(st.sampled_from([Rational(1, 2), Integer(0), Integer(-1)])),
    )
    U = total(b * (theta**4 / 4 - theta**2) + c * theta)
    draw_one = _inverted(lambda x: float(b) * (x**4 / 4 - x**2) + float(c) * x)
    return Target(
        "double well",
        (theta,),
        U,
        n,
        {},
        lambda rng, rows: {"theta": draw_one(rng.random((rows, n)))},
    )


def _inverted(U: Callable[[np.ndarray], np.ndarray]) -> Callable[[np.ndarray], np.ndarray]:
    """The inverse of the distribution function, from a table whose ends are beyond all that a draw
    can reach.
    """
    x = np.linspace(-8, 8, 40_001)
    density = np.exp(-U(x) + U(x).min())
    F = cumulative_simpson(density, x=x, initial=0)
    return lambda u: np.interp(u, F / F[-1], x)


@st.composite
def skewed(draw: st.DrawFn) -> Target:
    """Logarithms of gamma numbers: one tail is exponential, the other doubly so."""
    n, k, s = draw(lengths), draw(scales), draw(scales)
    mean = draw(vectors(n, places))
    z = (theta - m) / s
    return Target(
        "log gamma",
        (theta,),
        total(exp(z) - k * z),
        n,
        {"m": mean},
        lambda rng, rows: {
            "theta": mean + float(s) * np.log(rng.standard_gamma(float(k), (rows, n)))
        },
    )


@st.composite
def heavy_tailed(draw: st.DrawFn) -> Target:
    """Student's law, coordinate by coordinate."""
    n, nu, s = (
        draw(lengths),
        draw(st.sampled_from([Integer(5), Integer(3), Integer(10)])),
        draw(scales),
    )
    mean = draw(vectors(n, places))
    U = (nu + 1) * total(log(1 + (theta - m) ** 2 / (nu * s**2))) / 2
    return Target(
        "Student",
        (theta,),
        U,
        n,
        {"m": mean},
        lambda rng, rows: {"theta": mean + float(s) * rng.standard_t(float(nu), (rows, n))},
    )


@st.composite
def funnels(draw: st.DrawFn) -> Target:
    """Neal's funnel: the logarithm v of a variance, and numbers of that variance."""
    n, s = draw(lengths), draw(scales)
    v = Scalar("v")
    U = v**2 / (2 * s**2) + exp(-v) * total(theta**2) / 2 + theta.dim * v / 2

    def drawn(rng: np.random.Generator, rows: int) -> State:
        log_variance = float(s) * rng.standard_normal((rows, 1))
        return {
            "v": log_variance,
            "theta": np.exp(log_variance / 2) * rng.standard_normal((rows, n)),
        }

    return Target("funnel", (v, theta), U, n, {}, drawn)


@st.composite
def gammas(draw: st.DrawFn, closed: bool = False) -> Target:
    """On the half line; ``closed`` with the edge, where the density is positive and the slope is
    not zero.
    """
    n, s = draw(lengths), draw(scales)
    k = (
        Integer(1)
        if closed
        else draw(st.sampled_from([Integer(2), Rational(5, 2), Integer(1), Rational(1, 2)]))
    )
    x = Vector("theta", domain=Interval(0, oo) if closed else Interval.open(0, oo))
    U = total(x) / s - ((k - 1) * total(log(x)) if k != 1 else 0)
    return Target(
        "exponential with its edge" if closed else "gamma",
        (x,),
        U,
        n,
        {},
        lambda rng, rows: {"theta": float(s) * rng.standard_gamma(float(k), (rows, n))},
    )


@st.composite
def betas(draw: st.DrawFn) -> Target:
    n, a, b = draw(lengths), draw(scales), draw(scales)
    x = Vector("theta", domain=Interval.open(0, 1))
    U = -total((a - 1) * log(x) + (b - 1) * log(1 - x), over=x)
    return Target(
        "beta", (x,), U, n, {}, lambda rng, rows: {"theta": rng.beta(float(a), float(b), (rows, n))}
    )


@st.composite
def dirichlets(draw: st.DrawFn) -> Target:
    """On the open simplex, the last coordinate left out."""
    n, last = draw(lengths), draw(scales)
    x = Vector("theta", domain=Simplex())
    a = Parameter("a", like=x, positive=True)
    shapes = draw(vectors(n, scales))
    U = -total((a - 1) * log(x)) - (last - 1) * log(1 - total(x))
    return Target(
        "Dirichlet",
        (x,),
        U,
        n,
        {"a": shapes},
        lambda rng, rows: {"theta": rng.dirichlet([*shapes, float(last)], rows)[:, :n]},
    )


on_the_line = st.one_of(normals(), quartics(), double_wells(), skewed(), heavy_tailed(), mixtures())
bounded = st.one_of(gammas(), betas(), dirichlets(), gammas(closed=True))
targets = st.one_of(on_the_line, bounded, funnels())
