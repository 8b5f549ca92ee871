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
        "Student of any degree",
        (theta, r),
        U + total((c + 1) / 2 * log(1 + r**2 / (c * gt**2)) + log(gt)),
        U,
        P,
        "scale family",
    ),
    case(
        "logistic with location and scale",
        (theta, r),
        U + total((r - m) / gt + 2 * log(1 + exp(-(r - m) / gt)) + log(gt)),
        U,
        P,
        "location and scale family",
    ),
    case(
        "sech with a location",
        (theta, r),
        U + total(log(cosh((r - m) / gt)) + log(gt)),
        U,
        P,
        "location and scale family",
    ),
    case(
        "gamma by its rate",
        (x, p),
        x**2 / 2 + p * exp(x) - (a - 1) * log(p) - a * x,
        x**2 / 2,
        P,
        "Gamma(a) e^(-a x)",
    ),
    case(
        "inverse gamma",
        (x, p),
        x**4 + exp(x) / p + (a + 1) * log(p) - a * x,
        x**4,
        P,
        "Gamma(a) e^(-a x)",
    ),
    case(
        "Rayleigh", (x, p), x**2 / 2 + p**2 * exp(-2 * x) - log(p) + 2 * x, x**2 / 2, P, "e^(2x)/2"
    ),
    case(
        "log normal about a position",
        (x, p),
        (log(p) - x) ** 2 / 2 + log(p) + x**4,
        x**4,
        P,
        "normal in log p",
    ),
    case(
        "relativistic, all coordinates in one root",
        (theta, r),
        U + sqrt(1 + total(G * r**2)) - total(log(G)) / 2,
        U,
        P,
        "linear change in d dimensions",
    ),
    case(
        "two powers of one scale",
        (theta, r),
        U + total(r**4 * gt**2 + r**2 * gt) - total(log(gt)) / 2,
        U,
        P,
        "s = sqrt(g) r",
    ),
    case(
        "a power law on the interval",
        (x, u),
        x**2 - (exp(x) - 1) * log(u) - x,
        x**2,
        P,
        "integral of u^(s-1) is 1/s",
    ),
    case(
        "exponential with a rate of the position",
        (x, p),
        x**2 + p * (1 + x**2) - log(1 + x**2),
        x**2,
        P,
        "1/rate",
    ),
    case(
        "Gumbel",
        (x, y),
        x**2 + (y - x) * exp(-x) + exp(-(y - x) * exp(-x)) + x,
        x**2,
        P,
        "location and scale family",
    ),
    case(
        "Cauchy about a sine", (x, y), x**2 + log(1 + (y - sin(x)) ** 2), x**2, P, "location family"
    ),
    case(
        "skew normal",
        (x, y),
        x**2 / 2 + y**2 / 2 - log(1 + erf(x * y)),
        x**2 / 2,
        P,
        "erf is odd in y",
    ),
    case("Lomax", (x, p), x**2 + (a + 1) * log(1 + p * exp(x)) - x, x**2, P, "e^-x/a"),
    case(
        "two sech in turn",
        (x, y, z),
        x**2 + log(cosh(y - z**2)) + log(cosh(z - x**3)),
        x**2,
        P,
        "location families",
    ),
    case(
        "a location of the whole block",
        (theta, r),
        U + total(log(1 + (r - theta * total(theta**2)) ** 2)),
        U,
        P,
        "location family",
    ),
    case(
        "square root of one quartic",
        (x, y),
        x**2 + sqrt(1 + y**4 * exp(4 * x)) - x,
        x**2,
        P,
        "scale family, e^-x",
    ),
    case(
        "half normal by its precision",
        (x, p),
        x**2 + p**2 * exp(x) / 2 - x / 2,
        x**2,
        P,
        "sqrt(pi/2) e^(-x/2)",
    ),
    case(
        "log-logistic",
        (x, p),
        x**2 + 2 * log(1 + p**2 * exp(-2 * x)) - log(p) + 2 * x,
        x**2,
        P,
        "e^(2x)/2",
    ),
    case(
        "a hyperbolic cosine in the exponent",
        (theta, r),
        U + total(cosh(r / gt) + log(gt)),
        U,
        P,
        "scale family",
    ),
    case(
        "logistic without its scale",
        (theta, r),
        U + total(r / gt + 2 * log(1 + exp(-r / gt))),
        U,
        F,
        "integral g",
    ),
    case(
        "a normal law on the half line about the position",
        (x, p),
        x**2 / 2 + (p - x) ** 2 / 2,
        x**2 / 2,
        F,
        "Phi(x) sqrt(2 pi)",
    ),
    case(
        "gamma by its rate, one factor",
        (x, p),
        x**2 / 2 + p * exp(x) - (a - 1) * log(p) - x,
        x**2 / 2,
        F,
        "e^((1-a) x)",
    ),
    case(
        "sech on an interval about the position",
        (x, u),
        x**2 + log(cosh(u - x)),
        x**2,
        F,
        "vanishes as x -> oo",
    ),
    case(
        "skew about another mean",
        (x, y),
        x**2 / 2 + (y - 1) ** 2 / 2 - log(1 + erf(x * y)),
        x**2 / 2,
        F,
        "grows with x",
    ),
    case(
        "relativistic, twice the determinant",
        (theta, r),
        U + sqrt(1 + total(G * r**2)) - total(log(G)),
        U,
        F,
        "sqrt of the determinant is left",
    ),
    case(
        "two powers of two scales",
        (theta, r),
        U + total(r**4 * gt + r**2),
        U,
        F,
        "strictly decreasing in g",
    ),
    case(
        "log normal without its Jacobian",
        (x, p),
        (log(p) - x) ** 2 / 2 + x**4,
        x**4,
        F,
        "e^(x + 1/2)",
    ),
    case(
        "two sech, the second with a scale",
        (x, y, z),
        x**2 + log(cosh((y - z) * exp(x))) + log(cosh(z)),
        x**2,
        F,
        "e^-x",
    ),
    case(
        "an even perturbation",
        (x, y),
        x**2 + y**2 - log(1 + tanh(x * y) ** 2 / 2),
        x**2,
        F,
        "grows with |x|",
    ),
]
