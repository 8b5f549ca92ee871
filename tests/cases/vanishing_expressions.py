"""Expressions that vanish, and expressions that nearly do."""

from hypothesis import strategies as st
from sympy import Expr, Function, Rational, Symbol, cos, exp, log, sin, sqrt, tan, tanh

from recipe import Dense, Field, Potential, Vector, grad, total
from recipe.language.calculus import partial
from recipe.language.symbols import OTHER

theta = Vector("theta")
r = Vector("r", like=theta)
phi = Vector("phi")
d = theta.dim
U, V = Potential("U", theta), Potential("V", theta, r)
F = Field("F", theta, positive=True)
M, S = Dense("M", theta), Dense("S", theta, symmetric=True)
g, h = Function("g", positive=True), Function("h")
a, c = Symbol("a", positive=True), Symbol("c", positive=True)
b = Symbol("b", real=True)

IDENTITIES = {
    "pythagoras": sin(theta) ** 2 + cos(theta) ** 2 - 1,
    "pythagoras summed": total(sin(theta) ** 2) + total(cos(theta) ** 2) - d,
    "tangent": tan(b) * cos(b) - sin(b),
    "partial fractions": total(1 / (1 + theta**2)) + total(theta**2 / (1 + theta**2)) - d,
    "two denominators": total(3 / ((1 + theta**2) * (4 + theta**2)))
    - total(1 / (1 + theta**2))
    + total(1 / (4 + theta**2)),
    "two denominators of one family": total((c - a) / ((a + theta) * (c + theta)))
    - total(1 / (a + theta))
    + total(1 / (c + theta)),
    "a denominator with a sum in it": total(theta / (theta + total(theta**2)))
    + total(theta**2) * total(1 / (theta + total(theta**2)))
    - d,
    "powers of a denominator": total(theta**4 / (1 + theta**2) ** 2)
    + 2 * total(theta**2 / (1 + theta**2) ** 2)
    + total(1 / (1 + theta**2) ** 2)
    - d,
    "exponentials": exp(theta + b) * exp(-theta / 2) - exp(theta / 2) * exp(b),
    "hyperbolic": tanh(theta) - (exp(2 * theta) - 1) / (exp(2 * theta) + 1),
    "logarithms": log(a * (1 + theta**2)) - log(a) - log(1 + theta**2),
    "softplus": log(1 + exp(-theta)) - log(1 + exp(theta)) + theta,
    "symbolic powers": (a * c) ** b - a**b * c**b,
    "roots": sqrt(1 + theta**2) * sqrt(a + a * theta**2) - sqrt(a) * (1 + theta**2),
    "roots of different order": Rational(1) * a ** Rational(1, 2) * a ** Rational(1, 3)
    - a ** Rational(5, 6),
    "a root of a function": g(theta) / sqrt(g(theta)) - sqrt(g(theta)),
    "mixed partials": partial(partial(V, theta), r.at(OTHER))
    - partial(partial(V, r.at(OTHER)), theta),
    "large exponent": exp(998 * b / 997) * exp(-b) - exp(b / 997),
    "equal arguments": h(theta * (1 + theta)) - h(theta + theta**2),
}

NEAR_MISSES = {
    "a coefficient": total(sin(theta) ** 2) + total(cos(theta) ** 2) - d - Rational(1, 10**15),
    "small lengths only": (d - 1) * (d - 2) * total(r**2),
    "newton": total(r) ** 3 - 3 * total(r) * total(r**2) + 2 * total(r**3),
    "one length only": total(r**2) - total(r) ** 2,
    "unequal arguments": h(theta) - h(2 * theta),
    "a function and its derivative": h(theta) - h(theta).diff(theta),
    "not symmetric": M.entry(0, OTHER) - M.entry(OTHER, 0),
    "hessian entries": partial(grad(U, theta), theta) - partial(grad(U, theta), theta.at(OTHER)),
    "two lengths": total(theta) * total(phi) - total(theta) * phi.dim,
    "root": sqrt(1 + theta**2) - 1 - theta**2 / 2,
    "constants": exp(1) - Rational(2718281828459045, 10**15),
}


def words() -> list[Expr]:
    return [
        theta,
        r,
        a,
        b,
        d,
        g(theta),
        h(theta),
        F,
        total(theta),
        total(r * theta),
        total(h(theta)),
        total(F * r),
        grad(U, theta),
        sin(theta),
        exp(theta / 2),
        sqrt(1 + theta**2),
        1 / (1 + theta**2),
        log(1 + exp(r)),
        total(1 / (a + theta**2)),
    ]


@st.composite
def expressions(draw: st.DrawFn) -> Expr:
    e = draw(st.sampled_from(words()))
    for _ in range(draw(st.integers(1, 5))):
        other = draw(st.sampled_from(words()))
        e = draw(
            st.sampled_from([e + other, e * other, e - 2 * other, e**2 + other, e / (1 + other**2)])
        )
    return e
