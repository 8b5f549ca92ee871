"""Positive semidefinite matrices that are hard to decide: name, how to ask, the verdict that is true, and why."""

# ruff: noqa: E501, F403, F405

from cases.hard.common import psd_case as case
from cases.hard.psd_names import *


def toeplitz(t, m):
    return Matrix(m, m, lambda i, j: t ** abs(i - j) if i != j else 1)


A5 = Matrix(5, 3, lambda i, j: S5[i] ** (j + 1) + i * j)
CASES = [
    case("1 - c^2/(1 + c)^2", (x,), 1 - c**2 / (1 + c) ** 2, P, "(1 + 2c)/(1 + c)^2"),
    case(
        "Gram matrix of two vectors",
        (theta, r, xi, zeta),
        at_end(
            (theta, r, xi, zeta),
            [[total(theta**2), total(theta * r)], [total(theta * r), total(r**2)]],
        ),
        P,
        "Cauchy-Schwarz",
    ),
    case(
        "second moment above the square of the first",
        (theta, xi),
        at_end((theta, xi), [[d * total(theta**2) - total(theta) ** 2]]),
        P,
        "Cauchy-Schwarz with 1",
    ),
    case(
        "Hankel determinant of moments",
        (theta, xi),
        at_end((theta, xi), [[total(theta**4) * total(theta**2) - total(theta**3) ** 2]]),
        P,
        "Cauchy-Schwarz of theta and theta^2",
    ),
    case(
        "partition functions of both signs",
        (theta, xi),
        at_end((theta, xi), [[total(exp(theta)) * total(exp(-theta)) - d**2]]),
        P,
        "Cauchy-Schwarz",
    ),
    case("two consecutive whole numbers", (x,), n**2 - n, P, "n >= 1"),
    case("whole number above its unit", (x, y), [[n, 1], [1, 1]], P, "n - 1 >= 0"),
    case("(d - 1)(d - 2)", (theta,), (d - 1) * (d - 2), P, "d is whole"),
    case("AR(1) correlations", S4, toeplitz(tanh(S4[0]), 4), P, "|tanh| < 1, Markov covariance"),
    case(
        "multinomial covariance",
        (q,),
        q - outer(q, q) / total(q),
        P,
        "Cauchy-Schwarz with weights q",
    ),
    case(
        "a diagonal that may vanish less a product",
        (theta,),
        theta**2 - outer(theta, theta) / d,
        P,
        "(sum theta w)^2 <= d sum theta^2 w^2",
    ),
    case(
        "two vectors across",
        (theta, r),
        [[1 + outer(theta, r) + outer(r, theta) + total(r**2) * outer(theta, theta), 0], [0, 0]],
        P,
        "(|w| - |r||theta.w|)^2 is below it",
    ),
    case(
        "AM-GM of four",
        (x, y, z),
        [[x**4 + y**4 + z**4 + 1 - 4 * x * y * z, 0, 0], [0, 0, 0], [0, 0, 1]],
        P,
        "(x^2-y^2)^2 + (z^2-1)^2 + 2(xy-z)^2",
    ),
    case(
        "cosines of angles between",
        (x, y, z),
        [[1, cos(x - y), cos(x - z)], [cos(x - y), 1, cos(y - z)], [cos(x - z), cos(y - z), 1]],
        P,
        "Gram matrix of unit vectors of the plane",
    ),
    case("Mertens", (theta,), 3 + 4 * cos(theta) + cos(2 * theta), P, "2(1 + cos)^2"),
    case("cosh above its parabola", (x,), cosh(x) - 1 - x**2 / 2, P, "power series"),
    case("relative entropy", (p,), p * log(p) - p + 1, P, "minimum 0 at 1, convex"),
    case("x tanh x", (theta,), theta * tanh(theta), P, "both have one sign"),
    case(
        "a root below its parabola",
        (x,),
        1 + x**2 / 2 - sqrt(1 + x**2),
        P,
        "(1 + x^2/2)^2 = 1 + x^2 + x^4/4",
    ),
    case(
        "two Lorentz vectors",
        (x, y),
        [[sqrt(1 + x**2) * sqrt(1 + y**2) - 1 - x * y, 0], [0, 1]],
        P,
        "(1+x^2)(1+y^2) - (1+xy)^2 = (x-y)^2",
    ),
    case("the others' squares", (theta,), total(theta**2) - theta**2, P, "sum over the others"),
    case(
        "Sherman-Morrison",
        (theta,),
        M - outer(dot(M, theta), dot(M, theta)) / (1 + total(theta * dot(M, theta))),
        P,
        "inverse of M^-1 + theta theta^T",
    ),
    case(
        "five dense squares",
        S5,
        (A5 * A5.T).expand(),
        P,
        "A A^T",
    ),
    case("fails first at 13", (theta,), 1 - outer(one, one) / 12, F, "eigenvalue 1 - d/12"),
    case("diagonal of the length", (theta,), 30 - d, F, "d = 31"),
    case("between two lengths", (theta,), (d - 13) * (d - 31) + 1, F, "d = 14: -16"),
    case(
        "moments, too sharp from 13 on",
        (theta, xi),
        at_end((theta, xi), [[total(theta**2) - total(theta) ** 2 / 12]]),
        F,
        "equal coordinates, d = 13",
    ),
    case("1 - c^2/(1 + c)", (x,), 1 - c**2 / (1 + c), F, "c = 2: -1/3"),
    case(
        "Mertens less a thousandth",
        (theta,),
        3 + 4 * cos(theta) + cos(2 * theta) - R(1, 1000),
        F,
        "at pi",
    ),
    case(
        "exponential of a fourth power as a kernel",
        (x, y, z),
        [
            [1, exp(-((x - y) ** 4)), exp(-((x - z) ** 4))],
            [exp(-((x - y) ** 4)), 1, exp(-((y - z) ** 4))],
            [exp(-((x - z) ** 4)), exp(-((y - z) ** 4)), 1],
        ],
        F,
        "points 0, 1/2, 1: det (1-b)(1+b-2a^2) < 0",
    ),
    case(
        "equal correlations of four",
        S4,
        Matrix(4, 4, lambda i, j: 1 if i == j else tanh(S4[0])),
        F,
        "1 + 3 tanh < 0 at -1",
    ),
    case("cosh above a quartic", (x,), cosh(x) - 1 - x**2 / 2 - x**4 / 20, F, "x = 1: -0.007"),
    case(
        "weights that are too heavy by a little",
        (theta,),
        theta**2 - outer(theta, theta) / (d - R(1, 100)),
        F,
        "equal coordinates",
    ),
]
