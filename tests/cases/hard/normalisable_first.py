"""Masses that are hard to decide: name, how to ask, the verdict that is true, and why."""

# ruff: noqa: F403, F405

from cases.hard.common import normalisable_case as case
from cases.hard.names import *

CASES = [
    case("pseudo-Huber of the norm", (theta,), sqrt(1 + total(theta**2)), P, "e^-r r^(d-1)"),
    case(
        "multivariate Student", (theta,), (a + d) / 2 * log(1 + total(theta**2) / a), P, "r^(-a-1)"
    ),
    case("Mexican hat", (theta,), total(theta**2) ** 2 - 5 * total(theta**2), P, "quartic"),
    case(
        "a positive quartic form less a quadratic",
        (x, y),
        x**4 + y**4 - x**2 * y**2 - 3 * x**2 - 2 * y**2,
        P,
        "form is positive definite",
    ),
    case("Rosenbrock", (x, y), (1 - x) ** 2 + 100 * (y - x**2) ** 2, P, "normal in y given x"),
    case(
        "two wells beside a spring",
        (x, y),
        (x**2 - 1) ** 2 + (x - y) ** 2,
        P,
        "normal in y given x",
    ),
    case(
        "Toda, three bonds",
        (x, y),
        exp(x) + exp(y) + exp(-x - y),
        P,
        "a linear form is positive in every direction",
    ),
    case(
        "logistic regression, overlapping data, flat prior",
        (x, y),
        log(1 + exp(x + y)) + log(1 + exp(-x - y)) + log(1 + exp(x - y)) + log(1 + exp(y - x)),
        P,
        "at least |x + y| + |x - y|",
    ),
    case("generalised gamma", (p,), p**a - (c - 1) * log(p), P, "Gamma(c/a)/a"),
    case(
        "inverse Gaussian",
        (p,),
        c * (p - a) ** 2 / (2 * a**2 * p) + R(3, 2) * log(p),
        P,
        "its normal form",
    ),
    case("beta prime", (p,), -(a - 1) * log(p) + (a + c) * log(1 + p), P, "B(a, c)"),
    case("Kumaraswamy", (u,), -(a - 1) * log(u) - (c - 1) * log(1 - u**a), P, "1/(a c)"),
    case(
        "eight schools",
        (theta, x, y),
        total((theta - x) ** 2) * exp(-2 * y) / 2
        + d * y
        + total(theta**2) / 2
        + x**2 / 200
        + y**2 / 2,
        P,
        "a proper prior times a bounded likelihood",
    ),
    case("a power of the norm", (theta,), (1 + total(theta**2)) ** a, P, "stretched exponential"),
    case("squared logarithm", (x,), log(1 + x**2) ** 2, P, "log normal tails"),
    case(
        "a cubic below a radial quartic",
        (theta,),
        total(theta**2) ** 2 - total(theta) ** 3,
        P,
        "|theta|^3 d^(3/2) < |theta|^4",
    ),
    case(
        "mixture of two normal laws of a block",
        (theta,),
        -log(exp(-total((theta - b) ** 2) / 2) + exp(-total((theta + b) ** 2) / 2)),
        P,
        "sum of two finite masses",
    ),
    case("a ring", (theta,), (sqrt(1 + total(theta**2)) - 2) ** 2, P, "about r^2"),
    case(
        "logs of a half line with a slow tail",
        (p,),
        log(1 + p) + 2 * log(log(2 + p)),
        P,
        "1/(p log^2 p)",
    ),
    case(
        "a variance with an exponential prior",
        (x, y),
        x**2 * exp(-y) / 2 + exp(y),
        P,
        "e^(y/2 - e^y) after x",
    ),
    case("loggamma with a linear part", (p,), loggamma(p + 1) - b * p, P, "superlinear"),
    case("Cauchy's law in the plane", (x, y), R(3, 2) * log(1 + x**2 + y**2), P, "r dr/r^3"),
    case("negative powers of -log u", (u,), -(a - 1) * log(-log(u)), P, "Gamma(a)"),
    case(
        "Student about a dense scale",
        (theta,),
        (a + d) / 2 * log(1 + total(theta * dot(M, theta)) / a),
        P,
        "linear change of the multivariate Student",
    ),
    case(
        "Student with no degree of freedom",
        (theta,),
        d * log(1 + total(theta**2)) / 2,
        F,
        "r^(d-1) r^-d",
    ),
    case("a logarithm in the plane", (x, y), log(1 + x**2 + y**2), F, "r dr/r^2"),
    case("one direction only", (theta,), sqrt(1 + total(theta) ** 2), F, "flat across, d = 2"),
    case(
        "a quartic that turns down on the diagonal",
        (x, y),
        x**4 + y**4 - 3 * x**2 * y**2,
        F,
        "-x^4 on x = y",
    ),
    case("Toda with free ends", (x, y), exp(x - y) + exp(y - x), F, "free of x + y"),
    case(
        "separated data, flat prior",
        (x, y),
        log(1 + exp(x + 2 * y)) + log(1 + exp(x - y)),
        F,
        "bounded as x -> -oo",
    ),
    case("beta prime of no tail", (p,), -(a - 1) * log(p) + a * log(1 + p), F, "1/p"),
    case("a product squared", (x, y), x**2 * y**2, F, "sqrt(pi)/|x|"),
    case("log log of power one", (p,), log(1 + p) + log(log(2 + p)), F, "1/(p log p)"),
    case(
        "the square of a norm less its fourth powers",
        (theta,),
        total(theta**2) ** 2 - total(theta**4),
        F,
        "0 at d = 1",
    ),
    case("a bounded potential", (theta,), total(theta**2) / (1 + total(theta**2)), F, "below 1"),
    case(
        "a mixture with an improper part", (x,), -log(exp(-(x**2)) + 1 / sqrt(1 + x**2)), F, "1/|x|"
    ),
]
