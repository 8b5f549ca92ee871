"""Marginal laws that are hard to decide: name, how to ask, the verdict that is true, and why."""

# ruff: noqa: F403, F405

from cases.hard.common import marginal
from cases.hard.names import *


def case(name, state, H, law, expected, why):
    return name, lambda: marginal(state, H, {state[0]: law}), expected, why


P, F = "proved", "refuted"
gt = g(theta)
m = Function("m")(theta)
G = Field("G", theta, positive=True)
CASES = [
    case(
        "multivariate Student with a metric",
        (theta, r),
        U + (a + d) / 2 * log(1 + total(G * r**2) / a) - total(log(G)) / 2,
        U,
        P,
        "linear change in d dimensions",
    ),
    case(
        "an elliptical law about a mean",
        (theta, r),
        U + (1 + total((r - m) ** 2 / gt**2)) ** R(1, 4) + total(log(gt)),
        U,
        P,
        "location and scale in d dimensions",
    ),
    case(
        "hyperbolic secant squared",
        (x, y),
        x**2 + 2 * log(cosh(y * (2 + sin(x)))) - log(2 + sin(x)),
        x**2,
        P,
        "scale family",
    ),
    case(
        "gamma by its mean",
        (x, p),
        x**4 / 4 + a * p * exp(-x) - (a - 1) * log(p) + a * x,
        x**4 / 4,
        P,
        "(e^x/a)^a Gamma(a)",
    ),
    case(
        "gamma by a position-dependent rate",
        (theta, w),
        U + total(gt * w - (c - 1) * log(w) - c * log(gt)),
        U,
        P,
        "Gamma(c) g^-c",
    ),
    case(
        "inverse chi-squared with a scale",
        (x, p),
        x**2 + 3 * (1 + x**2) / p + 4 * log(p) - 3 * log(1 + x**2),
        x**2,
        P,
        "Gamma(3) s^-3, s = 3(1+x^2)",
    ),
    case(
        "Weibull of any shape",
        (x, p),
        x**2 + p**c * exp(c * x) - (c - 1) * log(p) - c * x,
        x**2,
        P,
        "e^(-c x)/c",
    ),
    case("Frechet", (x, p), x**2 + exp(x) / p**2 + 3 * log(p) - x, x**2, P, "e^-x/2"),
    case(
        "normal on the line with a sheared pair",
        (x, y, z),
        x**2 + cosh(y + z * x) + cosh(z),
        x**2,
        P,
        "shear in y",
    ),
    case(
        "a rotated and stretched pair",
        (x, y, z),
        x**2 + cosh(y + z) + cosh((y - z) * exp(x)) - x,
        x**2,
        P,
        "linear change of Jacobian 2 e^x",
    ),
    case("an odd sine", (x, y), x**2 + y**2 - log(1 + sin(x * y) / 2), x**2, P, "odd in y"),
    case(
        "a logistic tilt of an even law",
        (x, y),
        x**2 + log(1 + y**2) + log(1 + exp(-x * y)),
        x**2,
        P,
        "1/(1+e^-t) is 1/2 plus an odd function",
    ),
    case(
        "beta by its first shape",
        (x, u),
        x**2 - (exp(x) - 1) * log(u) - log(1 - u) - x - log(1 + exp(x)),
        x**2,
        P,
        "B(s, 2) = 1/(s(s+1))",
    ),
    case(
        "exponential above a moving threshold",
        (x, p),
        x**2 + exp(p * exp(x)) - x,
        x**2,
        P,
        "scale family on the half line",
    ),
    case(
        "softplus of a scale",
        (x, y),
        x**2 + log(1 + exp(y * exp(x))) - y * exp(x) / 2 - x,
        x**2,
        P,
        "scale family, e^-x",
    ),
    case(
        "generalised normal of any power",
        (theta, r),
        U + total((1 + r**2 / gt**2) ** (c / 2) + log(gt)),
        U,
        P,
        "scale family, integrable for c > 0",
    ),
    case(
        "chi-squared with a length of freedom",
        (theta, p),
        U + p / 2 - (d / R(2) - 1) * log(p),
        U,
        P,
        "independent gamma",
    ),
    case(
        "a thermostat with a hyperbolic law",
        (theta, xi),
        U + d * cosh(xi - total(theta) / d),
        U,
        P,
        "location family",
    ),
    case(
        "half Student",
        (x, p),
        x**2 + 2 * log(1 + p**2 / (1 + x**2)) + log(1 + x**2) / 2,
        x**2,
        P,
        "scale family on the half line",
    ),
    case(
        "a cubic with its mean",
        (x, y),
        x**2 + (y - x**3) ** 4 - (y - x**3) ** 2,
        x**2,
        P,
        "location family",
    ),
    case(
        "log gamma", (x, y), x**2 + exp(y + x) - a * (y + x), x**2, P, "location family, Gamma(a)"
    ),
    case(
        "multivariate Student without a determinant",
        (theta, r),
        U + (a + d) / 2 * log(1 + total(G * r**2) / a),
        U,
        F,
        "determinant^(-1/2) is left",
    ),
    case(
        "logistic on the half line about the position",
        (x, p),
        x**2 + log(cosh(p - x)),
        x**2,
        F,
        "2 atan e^x",
    ),
    case("exponential above the position", (x, p), x**2 + p + p * x**2, x**2, F, "1/(1 + x^2)"),
    case(
        "gamma with a shape of the position",
        (x, p),
        x**2 + p - exp(x) * log(p),
        x**2,
        F,
        "Gamma(1 + e^x)",
    ),
    case(
        "Weibull, other power",
        (x, p),
        x**2 + p**2 * exp(2 * x) - log(p) - x,
        x**2,
        F,
        "e^-x is left",
    ),
    case(
        "a tilt of a law that is not even",
        (x, y),
        x**2 + exp(y) - y + log(1 + exp(-x * y)),
        x**2,
        F,
        "x -> oo and x -> -oo differ: masses of y > 0 and y < 0",
    ),
    case(
        "beta by its first shape, half of it",
        (x, u),
        x**2 - (exp(x) - 1) * log(u) - log(1 - u) - x,
        x**2,
        F,
        "1/(1 + e^x) is left",
    ),
    case("a coupling of two wells", (x, y), x**2 + y**4 + x * y, x**2, F, "E cosh(x y) grows"),
    case(
        "a scale that is squared",
        (theta, r),
        U + total(cosh(r / gt) + log(gt) * 2),
        U,
        F,
        "1/g is left",
    ),
    case(
        "sheared pair with a stretch",
        (x, y, z),
        x**2 + cosh(y + z * x) + cosh(z * (1 + x**2)),
        x**2,
        F,
        "1/(1 + x^2)",
    ),
]
