"""Positive semidefinite matrices that are hard to decide: name, how to ask, the verdict that is true, and why."""

# ruff: noqa: E501, F403, F405

from cases.hard.common import psd_case as case
from cases.hard.psd_names import *

lap = Matrix(5, 5, lambda i, j: 0)
for k, (i, j) in enumerate([(0, 1), (1, 2), (2, 3), (3, 4), (0, 2), (1, 4)]):
    weight = [exp(S5[0]), 1 + S5[1] ** 2, S5[2] ** 2, exp(-S5[3]), 1 / (1 + S5[4] ** 2), 2][k]
    lap[i, i] += weight
    lap[j, j] += weight
    lap[i, j] -= weight
    lap[j, i] -= weight
CASES = [
    case(
        "harmonic weight below one",
        (theta,),
        1 / (1 + c) + 1 / (1 + 1 / c) - c / (1 + c) ** 2,
        P,
        "1 - c/(1+c)^2",
    ),
    case(
        "Fisher matrix of location and scale",
        (theta, w, xi, zeta),
        at_end(
            (theta, w, xi, zeta),
            [[total(1 / w), total(theta / w)], [total(theta / w), total(theta**2 / w)]],
        ),
        P,
        "Cauchy-Schwarz with weights 1/q",
    ),
    case(
        "harmonic and arithmetic mean",
        (q, xi),
        at_end((q, xi), [[total(q) * total(1 / q) - q.dim**2]]),
        P,
        "Cauchy-Schwarz",
    ),
    case(
        "covariance times covariance",
        (theta, r, xi),
        at_end((theta, r, xi), [[total(theta**2) * total(r**2) - total(theta * r) ** 2]]),
        P,
        "Lagrange",
    ),
    case(
        "Bhattacharyya",
        (q, theta, xi),
        at_end((q, theta, xi), [[total(q) * q.dim - total(sqrt(q)) ** 2]]),
        P,
        "Cauchy-Schwarz with sqrt q and 1",
    ),
    case(
        "three whole numbers in a row",
        (x, y),
        [[n - 1, 0], [0, (n - 1) * (n - 2) * (n - 3)]],
        P,
        "0 at 1, 2, 3 and positive after",
    ),
    case(
        "(n - 3)(n - 4) in a border",
        (x, y),
        [[n, n - 3], [n - 3, n - 4 + R(9, 1) / n + (n - 3) * (n - 4)]],
        P,
        "Schur complement of the second: (n-4)+9/n-(n-3)^2/n+(n-3)(n-4) = 2 + (n-3)(n-4)",
    ),
    case(
        "length in a two by two",
        (theta, xi, zeta),
        at_end((theta, xi, zeta), [[d, d - 1], [d - 1, d - 1]]),
        P,
        "det (d - 1)",
    ),
    case(
        "Brownian covariance of four times",
        S4,
        Matrix(4, 4, lambda i, j: sum((exp(S4[k]) for k in range(min(i, j) + 1)), Integer(0))),
        P,
        "min of increasing times",
    ),
    case("Laplacian of a graph", S5, lap, P, "nonnegative weights"),
    case(
        "leave out the weighted mean",
        (theta, q),
        [[1 - outer(theta, theta) / (R(1, 2) + total(theta**2)), 0], [0, 0]],
        P,
        "|theta|^2 below the denominator",
    ),
    case(
        "centred logistic weights",
        (theta,),
        cosh(theta) ** -2 - outer(cosh(theta) ** -2, cosh(theta) ** -2) / total(cosh(theta) ** -2),
        P,
        "q - q q^T/total(q)",
    ),
    case(
        "outer product beside its norm",
        (theta,),
        total(theta**2) - outer(theta, theta),
        P,
        "Cauchy-Schwarz",
    ),
    case(
        "product of a matrix with its vector",
        (theta,),
        total(theta * dot(M, theta)) * M - outer(dot(M, theta), dot(M, theta)),
        P,
        "Cauchy-Schwarz in the M norm",
    ),
    case(
        "Choi and Lam",
        (x, y, z),
        [
            [x**4 * y**2 + y**4 * z**2 + z**4 * x**2 - 3 * x**2 * y**2 * z**2, 0, 0],
            [0, 1, 0],
            [0, 0, 1],
        ],
        P,
        "AM-GM, not a sum of squares",
    ),
    case(
        "Gaussian kernel at three points",
        (x, y, z),
        [
            [1, exp(-((x - y) ** 2) / 2), exp(-((x - z) ** 2) / 2)],
            [exp(-((x - y) ** 2) / 2), 1, exp(-((y - z) ** 2) / 2)],
            [exp(-((x - z) ** 2) / 2), exp(-((y - z) ** 2) / 2), 1],
        ],
        P,
        "positive definite function",
    ),
    case(
        "Fejer's kernel of order three",
        (theta,),
        2 + 3 * cos(theta) + 2 * cos(2 * theta) + cos(3 * theta),
        P,
        "half of |1 + e + e^2 + e^3|^2, and that is 4 + 6c1 + 4c2 + 2c3",
    ),
    case("exponential above its tangent", (theta,), exp(theta) - 1 - theta, P, "convex"),
    case("sinh and its line", (x,), x * sinh(x) - x**2, P, "power series"),
    case("softplus above the ramp", (x,), log(1 + exp(x)) - x / 2 - log(2), P, "log cosh(x/2)"),
    case(
        "squared Euclid, smoothed",
        (x, y),
        [
            [1 + x**2 + y**2, sqrt(1 + x**2 + y**2) * sin(x * y)],
            [sqrt(1 + x**2 + y**2) * sin(x * y), 1],
        ],
        P,
        "cos^2 times the first",
    ),
    case(
        "rotated metric",
        (x, y),
        [[2 + cos(2 * x), sin(2 * x)], [sin(2 * x), 2 - cos(2 * x)]],
        P,
        "eigenvalues 1 and 3",
    ),
    case(
        "rank one in three dense entries",
        (x, y, z),
        [
            [exp(2 * x), exp(x + y), exp(x) * z],
            [exp(x + y), exp(2 * y) + 1, exp(y) * z],
            [exp(x) * z, exp(y) * z, z**2],
        ],
        P,
        "outer product plus e2 e2^T",
    ),
    case(
        "fails first at 31",
        (theta, xi),
        [[1, theta**0], [theta**0, 30]],
        F,
        "Schur complement 30 - d",
    ),
    case("cubic in the length", (theta,), (d - 1) * (d - 2) * (14 - d), F, "d = 15: negative"),
    case(
        "equal coordinates from 14 on",
        (theta, xi),
        at_end((theta, xi), [[13 * total(theta**4) - total(theta**2) ** 2]]),
        F,
        "equal coordinates, d = 14",
    ),
    case("whole numbers, one in between", (x,), n**2 - 4 * n + 3, F, "n = 2: -1"),
    case(
        "Hilbert matrix less a hundred thousandth",
        S5,
        Matrix(5, 5, lambda i, j: Rational(1, i + j + 1)) - eye(5) / 100000,
        F,
        "smallest eigenvalue 3.3e-6",
    ),
    case(
        "relative entropy above a parabola",
        (p,),
        p * log(p) - p + 1 - (p - 1) ** 2 / 2,
        F,
        "p = 2: -0.11",
    ),
    case(
        "rotated metric, too eccentric",
        (x, y),
        [[2 + 2 * cos(x), 2 * sin(x) + R(1, 50)], [2 * sin(x) + R(1, 50), 2 - 2 * cos(x)]],
        F,
        "det = -(2 sin x)/25*... < 0 at x = 1",
    ),
    case(
        "Hankel of even moments, wrong order",
        (theta, xi),
        at_end((theta, xi), [[total(theta**2) ** 2 - total(theta**4) * (1 + R(1, 10**6))]]),
        F,
        "d = 1: -1e-6 theta^4",
    ),
    case(
        "a softmax doubled",
        (theta,),
        exp(theta) / total(exp(theta))
        - outer(exp(theta), exp(theta)) / total(exp(theta)) ** 2 * (1 + R(1, 1000)),
        F,
        "w = 1: 1 - 1.001",
    ),
    case(
        "a sine at a sharp place",
        (x, y),
        [[1, sin(x) + cos(x)], [sin(x) + cos(x), R(199, 100)]],
        F,
        "(sin + cos)^2 = 2 at pi/4",
    ),
    case(
        "product of metrics",
        (x, y),
        [[1 + x**2, x * y + 1], [x * y + 1, 1 + y**2]],
        P,
        "det (x - y)^2",
    ),
]
