"""The symbols that all case files share."""

# ruff: noqa: F403
from sympy import *
from sympy import Function, Interval, Rational, Symbol, oo

from recipe import (  # noqa: F401
    Dense,
    Field,
    Noise,
    Parameter,
    Potential,
    Recipe,
    Scalar,
    Simplex,
    Update,
    Vector,
    compose,
    dot,
    flip,
    grad,
    metropolis,
    outer,
    refresh,
    repeat,
    step,
    total,
)

P, F = "proved", "refuted"
R = Rational
x, y, z = Scalar("x"), Scalar("y"), Scalar("z")
p = Scalar("p", domain=Interval.open(0, oo))
u = Scalar("u", domain=Interval.open(0, 1))
theta = Vector("theta")
r, s = Vector("r", like=theta), Vector("s", like=theta)
q = Vector("q", domain=Interval.open(0, oo))
w = Vector("w", like=theta, domain=Interval.open(0, oo))  # as long as theta
v = Vector("v", domain=Interval.open(0, 1))
xi, zeta = Scalar("xi"), Scalar("zeta")
a, c = Symbol("a", positive=True), Symbol("c", positive=True)
b, b2 = Symbol("b", real=True), Symbol("b2", real=True)
n = Symbol("n", integer=True, positive=True)
d = theta.dim
h, g = Function("h"), Function("g", positive=True)
U = Potential("U", theta)
one = theta**0
gt, m = g(theta), Function("m")(theta)
G, M = Field("G", theta, positive=True), Dense("M", theta, positive=True)
HEAD = None
