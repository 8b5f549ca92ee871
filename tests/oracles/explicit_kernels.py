"""The slow obvious counterpart of what is proved of kernels: explicit coordinates, typed anew,
nothing of the verifier.
"""

from __future__ import annotations

from collections.abc import Mapping

import mpmath
import numpy as np
from sympy import Expr, Matrix, Rational, Symbol

from oracles.explicit import World, evaluate
from recipe import Update
from recipe.language.symbols import GENERIC

Pair = tuple[list[Expr], list[Expr]]


def coordinates(name: str, d: int) -> list[Symbol]:
    return [Symbol(f"{name}{k}", real=True) for k in range(d)]


def shear_map(
    U: Expr, x: list[Symbol], r: list[Symbol], word: list[tuple[str, Expr]], times: int = 1
) -> Pair:
    """Kicks ("B") and drifts ("A") with their times, in explicit coordinates."""
    force = [U.diff(s) for s in x]
    position, momentum = list(x), list(r)
    for letter, t in word * times:
        if letter == "A":
            position = [(a + t * b).expand() for a, b in zip(position, momentum, strict=True)]
        else:
            there = dict(zip(x, position, strict=True))
            momentum = [
                (b - t * f.subs(there, simultaneous=True)).expand()
                for b, f in zip(momentum, force, strict=True)
            ]
    return position, momentum


def leapfrog(h: Expr) -> list[tuple[str, Expr]]:
    return [("B", h / 2), ("A", h), ("B", h / 2)]


def determinant(state: list[Symbol], values: Pair) -> Expr:
    return Matrix([*values[0], *values[1]]).jacobian(Matrix(state)).det().expand()


def turned_and_back(x: list[Symbol], r: list[Symbol], values: Pair) -> list[Expr]:
    """``F Psi F Psi`` less the identity, coordinate by coordinate."""
    position, momentum = values
    again = dict(zip([*x, *r], [*position, *(-m for m in momentum)], strict=True))
    back = [e.subs(again, simultaneous=True) for e in (*position, *(-m for m in momentum))]
    return [(e - s).expand() for e, s in zip(back, [*x, *r], strict=True)]


def mean_after_test(
    U,
    force,
    h: float,
    turned: bool,
    observe,
    kicks=(1.0, 1.0),
    bound: float = 9.0,
    points: int = 1201,
) -> float:
    """The mean of an observable after one tested leapfrog step from exp(-U - r^2/2), less its mean
    before, by quadrature.
    """
    x, r = np.meshgrid(
        np.linspace(-bound, bound, points), np.linspace(-bound, bound, points), indexing="ij"
    )
    kicked = r - kicks[0] * h / 2 * force(x)
    new_x = x + h * kicked
    new_r = kicked - kicks[1] * h / 2 * force(new_x)
    law = np.exp(-U(x) - r**2 / 2)
    law /= law.sum()
    accepted = np.exp(np.minimum(0, U(x) + r**2 / 2 - U(new_x) - new_r**2 / 2))
    rejected = observe(x, -r if turned else r)
    after = accepted * observe(new_x, new_r) + (1 - accepted) * rejected
    return float((law * (after - observe(x, r))).sum())


def moments_after(
    rules: list[list[list[Expr]]], noise: list[list[list[Expr]]], covariance: Matrix
) -> Matrix:
    """The covariance after the maps ``z' = A z + B w``, one after another."""
    for A, B in zip(rules, noise, strict=True):
        covariance = Matrix(A) * covariance * Matrix(A).T + Matrix(B) * Matrix(B).T
    return covariance


def log_ratio(
    world: World, update: Update, x: Mapping[Symbol, Rational], y: Mapping[Symbol, Rational]
) -> mpmath.mpf:
    """``log pi(y) q(x | y) - log pi(x) q(y | x)`` of a proposal with normal noise, by its
    covariance matrix in coordinates.
    """
    coordinates_of = [(b, k) for b in update.state for k in range(world.size(b))]
    rule = dict(update.rule)
    new = [world.read(rule[b], {GENERIC: k}) for b, k in coordinates_of]
    noise = sorted(
        set().union(*(e.free_symbols for e in new))
        - {s for b in update.state for s in world.coordinates(b)},
        key=str,
    )
    slopes = Matrix(new).jacobian(noise)
    silent = dict.fromkeys(noise, Rational(0))

    def side(here: Mapping[Symbol, Rational], there: Mapping[Symbol, Rational]) -> mpmath.mpf:
        """H at a point less the log density of the move from it to another."""
        point = silent | dict(here)
        B = mpmath.matrix([[evaluate(e, point) for e in row] for row in slopes.tolist()])
        mean = [evaluate(e, point) for e in new]
        with mpmath.workdps(50):
            to = [there[world.coordinates(b)[k]] for b, k in coordinates_of]
            gap = mpmath.matrix([mpmath.mpf(t.p) / t.q - m for t, m in zip(to, mean, strict=True)])
            C = B * B.T
            quadratic = (gap.T * mpmath.lu_solve(C, gap))[0]
            return (
                evaluate(world.read(update.target, {}), point)
                + quadratic / 2
                + mpmath.log(mpmath.det(C)) / 2
            )

    return side(x, y) - side(y, x)
