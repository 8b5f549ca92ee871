"""Masses that are hard to decide: name, how to ask, the verdict that is true, and why."""

# ruff: noqa: F403, F405

from cases.hard.common import normalisable
from cases.hard.names import *


def case(name, state, H, expected, why):
    return name, lambda: normalisable(H, *state), expected, why


P, F = "proved", "refuted"
CASES = [
    case("log cosh of a norm", (theta,), log(cosh(sqrt(1 + total(theta**2)))), P, "about r"),
    case(
        "generalised Student of a block and a number",
        (theta, x),
        (d + 2) * log(1 + x**2 + total(theta**2)),
        P,
        "d + 1 dimensions, exponent 2d + 4",
    ),
    case(
        "double well in every pair",
        (theta,),
        total(theta**4) - total(theta) ** 2,
        P,
        "quartic above quadratic",
    ),
    case(
        "Henon-Heiles with a wall",
        (x, y),
        (x**2 + y**2) / 2 + x**2 * y - y**3 / 3 + (x**2 + y**2) ** 2,
        P,
        "quartic above cubic",
    ),
    case(
        "a banana in three",
        (x, y, z),
        x**2 / 18 + (y - x**2) ** 2 + (z - y**2) ** 2,
        P,
        "normal laws in turn",
    ),
    case(
        "a wall of exponentials beside a parabola",
        (x, y),
        exp(x - y) + exp(y - x) + x**2,
        P,
        "cosh in y - x",
    ),
    case(
        "Poisson regression, two counts",
        (x, y),
        exp(x + y) - 2 * (x + y) + exp(x - y) - 3 * (x - y),
        P,
        "e^s - k s in two independent directions",
    ),
    case(
        "probit-like ridge",
        (x, y),
        log(1 + exp(x + 2 * y)) + log(1 + exp(-x + y)) + x**2 / 8 + sqrt(1 + y**2),
        P,
        "losses are positive",
    ),
    case("generalised inverse Gaussian", (p,), a * p + c / p - (b - 1) * log(p), P, "Bessel K"),
    case("Levy", (p,), R(3, 2) * log(p) + c / (2 * p), P, "p^(-3/2) at infinity"),
    case("Burr", (p,), -(c - 1) * log(p) + (a + 1) * log(1 + p**c), P, "1/(a c)"),
    case(
        "logit normal",
        (u,),
        log(u) + log(1 - u) + log(u / (1 - u)) ** 2 / 2,
        P,
        "normal in the logit",
    ),
    case(
        "horseshoe",
        (theta, w),
        total(theta**2 / (2 * w**2)) + total(log(w)) + total(log(1 + w**2)) + total(theta**2) / 200,
        P,
        "normal given w, half Cauchy",
    ),
    case(
        "a norm to a fractional power",
        (theta,),
        (2 + total(theta**4)) ** R(1, 8),
        P,
        "at least c |theta|^(1/2)",
    ),
    case("a slow convex potential", (x,), x**2 / log(2 + x**2), P, "above |x| in the end"),
    case(
        "a radial sextic with all signs",
        (theta,),
        total(theta**2) ** 3 - 7 * total(theta**2) ** 2 + b * total(theta**2),
        P,
        "leading coefficient 1",
    ),
    case(
        "spike and slab",
        (theta,),
        -total(log(exp(-(theta**2) * 50) + exp(-(theta**2) / 2))),
        P,
        "product of mixtures",
    ),
    case(
        "smooth bound with log barrier on the half line",
        (q,),
        total(q) ** 2 - a * total(log(q)),
        P,
        "integrable powers at 0, a Gaussian in the sum",
    ),
    case("Pareto of two logs", (p,), log(1 + p) + 3 * log(1 + log(1 + p)), P, "1/(p log^3 p)"),
    case(
        "stochastic volatility",
        (theta, x),
        total(theta**2) * exp(-x) / 2 + d * x / 2 + cosh(x),
        P,
        "normal given x, then cosh",
    ),
    case("Gumbel", (x,), (x - b) / a + exp(-(x - b) / a), P, "a"),
    case(
        "isotropic Laplace beside a number",
        (theta, x),
        sqrt(1 + x**2 + total(theta**2)) - x / 2,
        P,
        "at least half the norm",
    ),
    case("Weibull in its logs", (x,), -c * x + exp(c * x), P, "1/c"),
    case(
        "an arcsine beside a Gamma",
        (u, p),
        log(u * (1 - u)) / 2 + p * (1 + u) - (a - 1) * log(p),
        P,
        "product of integrable factors",
    ),
    case(
        "Student between half the lengths",
        (theta,),
        (d - R(1, 2)) / 2 * log(1 + total(theta**2)),
        F,
        "r^(d-1) r^(1/2 - d)",
    ),
    case(
        "Rosenbrock without its first valley",
        (x, y),
        100 * (y - x**2) ** 2,
        F,
        "constant in x after y",
    ),
    case(
        "three numbers, exponent three halves",
        (x, y, z),
        R(3, 2) * log(1 + x**2 + y**2 + z**2),
        F,
        "r^2 dr/r^3",
    ),
    case(
        "differences only", (theta,), total((theta - total(theta) / d) ** 2), F, "free of the mean"
    ),
    case(
        "an indefinite form of degree four",
        (x, y),
        (x**2 + y**2) * (x**2 - 4 * x * y + y**2),
        F,
        "negative on x = y",
    ),
    case(
        "Poisson regression, a count of nought",
        (x, y),
        exp(x + y) + exp(x - y) - 3 * (x - y),
        F,
        "x + y -> -oo with x - y fixed",
    ),
    case(
        "horseshoe without the scale",
        (theta, w),
        total(theta**2 / (2 * w**2)) + total(log(1 + w**2)),
        F,
        "w/(1 + w^2) after theta",
    ),
    case("Burr without its index", (p,), -(c - 1) * log(p) + log(1 + p**c), F, "1/p at infinity"),
    case("a product beside a square", (x, y), x**2 * y**2 + x**2, F, "1/|x| at 0 after y"),
    case("Kumaraswamy, upper end", (u,), (1 + a) * log(1 - u**c), F, "(1 - u)^(-1-a)"),
    case(
        "iterated logarithms",
        (x,),
        log(2 + x**2) / 2 + log(log(3 + x**2)) / 2,
        F,
        "1/(x sqrt(log x))",
    ),
    case(
        "a saddle in a block",
        (theta,),
        total(theta**4) - total(theta**2) ** 2 + total(theta**2),
        F,
        "d = 2, equal coordinates: -2t^4 + 2t^2",
    ),
]
