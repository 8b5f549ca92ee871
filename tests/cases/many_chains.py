"""Samplers whose modules carry many chains at once."""

from __future__ import annotations

from sympy import Interval, Matrix, Symbol, exp, log, oo

from cases.compiled_kernels import BOUND
from cases.observed_step import LM
from recipe import (
    Kernel,
    Noise,
    NoncentralChiSquared,
    Parameter,
    Potential,
    Recipe,
    Scalar,
    Simplex,
    Update,
    Vector,
    bind,
    mirror,
    total,
)

x, y, p, q = Scalar("x"), Scalar("y"), Scalar("p"), Scalar("q")
theta = Vector("theta")
r = Vector("r", like=theta)
U, V = Potential("U", x, y), Potential("V", theta)
C, h = Symbol("C", positive=True), Symbol("h", positive=True)
c = Parameter("c", like=theta, positive=True)
v, w, m, n = Noise("v", like=theta), Noise("w", like=x), Noise("m", like=x), Noise("n", like=x)
BANANA = x**2 / 2 + 5 * (y - x**2) ** 2
COUPLED = log(1 + total(c * theta**2)) + total(theta**4) / 4
TURN = Matrix([[0, 0, -1, 0], [0, 0, 0, -1], [1, 0, 0, 0], [0, 1, 0, 0]])
ROTATION = Matrix([[0, -1], [1, 0]])

SGLD = bind(Recipe((x, y), U, Matrix.eye(2), Matrix.zeros(2), name="banana_sgld"), {U: BANANA})
SGHMC = bind(
    Recipe((x, y, p, q), U + (p**2 + q**2) / 2, Matrix.diag(0, 0, C, C), TURN, name="banana_sghmc"),
    {U: BANANA},
)
VECTOR = bind(Recipe((theta, r), V + total(r**2) / 2, Matrix.diag(0, C), ROTATION), {V: COUPLED})
QUARTIC = bind(Recipe(theta, V, Matrix([[1]]), Matrix([[0]])), {V: total(theta**4) / 4})
POSITIVE = Vector("positive", domain=Interval.open(0, oo))
GAMMA = Recipe(
    POSITIVE, total(POSITIVE) - total(log(POSITIVE)), Matrix([[POSITIVE]]), Matrix([[0]])
)
a = Vector("a", domain=Interval.open(0, oo))
b = Scalar("b", domain=Interval.open(0, oo))
drawn = Noise("drawn", like=a)
CHI = Update(
    h,
    {
        a: a / 2 + h * b * NoncentralChiSquared(drawn, a, total(a)),
        b: h + h * NoncentralChiSquared(m, 1 + b, h),
    },
    total(a) + b,
)
cv = Parameter("cv", like=theta, positive=True)  # a name that ends as that of a noise does
SHARED = Update(
    h,
    {
        theta: theta - h * theta + h * v * total(cv * v * theta),
        x: x - h * x * total(v**2) + w * n,
        y: y + h * m,
    },
    total(theta**2),
)
SIMPLEX = Vector("s", domain=Simplex())
STILL = Update(h, {SIMPLEX: SIMPLEX, x: x + h * w}, x**2 / 2)

one, two, place = Scalar("pairwise_many"), Scalar("total_term"), Vector("place")
HOSTILE = Update(
    h,
    [
        (one, one - h * one + h * total(exp(-(place**2)) * Parameter("c", like=place))),
        (two, two - h * two * one),
        (place, place - h * place * two + h * Noise("chains", like=place)),
    ],
    total(place**2),
)

CASES = {
    "banana": SGLD,
    "banana with momentum": SGHMC,
    "sums": VECTOR,
    "one after another": LM,
    "reflected": mirror(GAMMA, POSITIVE),
    "draws that are not normal": CHI,
    "shared noise": SHARED,
    "simplex": STILL,
    "names of its own": HOSTILE,
    **{name: Kernel(parts) for name, parts in BOUND.items()},
}
SCHEMES = {"reflected": "euler"}
DRAWN = {"random times", "repeated"}  # how often they repeat
