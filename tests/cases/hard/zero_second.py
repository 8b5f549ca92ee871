"""Zero tests that are hard to decide: name, how to ask, the verdict that is true, and why."""

# ruff: noqa: F403, F405

from cases.hard.common import zero_case as case
from cases.hard.names import *

CASES = [
    case(
        "1 - tanh^2 of a tangent of atan",
        (1 - tanh(x * cos(y)) ** 2) * cosh(x * cos(y)) ** 2 - 1,
        P,
        "sech^2",
    ),
    case(
        "sinh of three cosines",
        total(sinh(3 * cos(theta)) - 4 * sinh(cos(theta)) ** 3) - 3 * total(sinh(cos(theta))),
        P,
        "triple argument",
    ),
    case(
        "product of three sines",
        4 * sin(x) * sin(pi / 3 - x) * sin(pi / 3 + x) - sin(3 * x),
        P,
        "Morrie-like product",
    ),
    case(
        "sums of angles of a tangent",
        tan(x + y) * (1 - tan(x) * tan(y)) - tan(x) - tan(y),
        P,
        "addition theorem",
    ),
    case(
        "Morrie's law",
        8 * sin(x) * cos(x) * cos(2 * x) * cos(4 * x) - sin(8 * x),
        P,
        "double angle thrice",
    ),
    case("a root of a cubic", 8 * cos(pi / 9) ** 3 - 6 * cos(pi / 9) - 1, P, "cos 60"),
    case(
        "angle of a point of the circle",
        atan(u / sqrt(1 - u**2)) + atan(sqrt(1 - u**2) / u) - pi / 2,
        P,
        "complementary angles",
    ),
    case("asin and atan", asin(u) - atan(u / sqrt(1 - u**2)), P, "tan of asin"),
    case("asinh is odd", log(x + sqrt(1 + x**2)) + log(sqrt(1 + x**2) - x), P, "product 1"),
    case(
        "cosine of two atans",
        cos(atan(x) - atan(y)) * sqrt((1 + x**2) * (1 + y**2)) - 1 - x * y,
        P,
        "addition theorem",
    ),
    case("Euler's atan", atan(R(1, 2)) + atan(R(1, 3)) - pi / 4, P, "tan = (5/6)/(5/6)"),
    case(
        "square root of a sum of two surds",
        sqrt(10 + 2 * sqrt(21)) - sqrt(3) - sqrt(7),
        P,
        "3 + 7 + 2 sqrt 21",
    ),
    case(
        "a cube root of 7 + 5 sqrt 2",
        (7 + 5 * sqrt(2)) ** R(1, 3) - 1 - sqrt(2),
        P,
        "(1 + sqrt 2)^3",
    ),
    case(
        "conjugate roots of a root",
        sqrt(sqrt(1 + x**2) + x) * sqrt(sqrt(1 + x**2) - x) - 1,
        P,
        "1 + x^2 - x^2",
    ),
    case(
        "a nested root of a parameter",
        sqrt(2 + 2 * sqrt(1 - u**2)) - sqrt(1 + u) - sqrt(1 - u),
        P,
        "square of the sum, both positive",
    ),
    case(
        "gamma reflection", loggamma(u) + loggamma(1 - u) + log(sin(pi * u)) - log(pi), P, "Euler"
    ),
    case(
        "digamma duplication",
        2 * polygamma(0, 2 * a) - polygamma(0, a) - polygamma(0, a + R(1, 2)) - 2 * log(2),
        P,
        "derivative of duplication",
    ),
    case(
        "log of a factorial of a length",
        loggamma(d + 2) - loggamma(d) - log(d * (d + 1)),
        P,
        "recurrence at whole numbers",
    ),
    case(
        "digamma, three steps",
        total(polygamma(0, q + 3) - polygamma(0, q)) - total(1 / q + 1 / (q + 1) + 1 / (q + 2)),
        P,
        "recurrence",
    ),
    case(
        "tanh of a logarithm",
        total(tanh(log(q))) - total((q**2 - 1) / (q**2 + 1)),
        P,
        "exponentials of logs",
    ),
    case(
        "normal cdf is symmetric",
        (1 + erf(x * (1 - y) / sqrt(2))) / 2 + (1 + erf((x * y - x) / sqrt(2))) / 2 - 1,
        P,
        "Phi(t) + Phi(-t) = 1",
    ),
    case(
        "log softmax",
        total(log(exp(theta) / total(exp(theta)))) - total(theta) + d * log(total(exp(theta))),
        P,
        "log of a ratio",
    ),
    case(
        "a double sum",
        total(theta * total(r * (theta - 1))) - total(theta) * (total(r * theta) - total(r)),
        P,
        "linearity",
    ),
    case(
        "an abstract function of logarithms",
        g(log(a * p**2)) - g(log(a) + 2 * log(p)),
        P,
        "equal arguments on p > 0",
    ),
    case("logarithm of 72", log(72) - 3 * log(2) - 2 * log(3), P, "8*9"),
    case("a branch of atan of tan", atan(sin(x) / cos(x)) - x, F, "by pi from x = pi/2 on"),
    case(
        "sum of three atans",
        atan(1 / p) + atan(p) + atan(x) + atan(1 / (1 + x**2)) - pi / 2 - atan(x + 1 / (1 + x**2)),
        F,
        "atan is not additive",
    ),
    case(
        "Morrie, one angle wrong",
        8 * sin(x) * cos(x) * cos(2 * x) * cos(3 * x) - sin(8 * x),
        F,
        "x = 1: not equal",
    ),
    case(
        "a sum of cube roots, nearly",
        (7 + 5 * sqrt(2)) ** R(1, 3) - 1 - sqrt(2) - R(1, 10**30),
        F,
        "-1e-30",
    ),
    case(
        "duplication without its constant",
        loggamma(2 * a) - loggamma(a) - loggamma(a + R(1, 2)) - (2 * a - 1) * log(2),
        F,
        "constant -log(pi)/2",
    ),
    case(
        "a variance of one coordinate less",
        total((theta - total(theta) / d) ** 2) * d * (d - 1) * (d - 2) * (d - 3),
        F,
        "zero for d <= 3, not at 4",
    ),
    case(
        "a normal cdf and its rational bound",
        erf(x) ** 2 - 1 + exp(-4 * x**2 / pi),
        F,
        "Polya's approximation, an inequality",
    ),
    case("a product of exponents", (a**b) ** c - a**b * a**c, F, "b c is not b + c"),
    case(
        "logistic summed twice",
        total(1 / (1 + exp(-theta))) + total(1 / (1 + exp(theta))) - d - exp(-60) * total(theta),
        F,
        "e^-60 total(theta)",
    ),
    case(
        "cosine of thrice an atan",
        cos(3 * atan(x)) * (1 + x**2) ** R(3, 2) - 1 + 3 * x**4,
        F,
        "it is 1 - 3 x^2",
    ),
    case(
        "stirling to two terms",
        loggamma(a) - (a - R(1, 2)) * log(a) + a - log(2 * pi) / 2 - 1 / (12 * a),
        F,
        "asymptotic only",
    ),
]
