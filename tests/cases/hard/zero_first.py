"""Zero tests that are hard to decide: name, how to ask, the verdict that is true, and why."""

# ruff: noqa: F403, F405

from cases.hard.common import zero_case as case
from cases.hard.names import *

CASES = [
    case(
        "cosh^2 - sinh^2 of a sine",
        cosh(sin(x)) ** 2 - sinh(sin(x)) ** 2 - 1,
        P,
        "cosh^2 - sinh^2 = 1",
    ),
    case(
        "double argument of tanh of a cosine, summed",
        total(tanh(2 * cos(theta))) - total(2 * tanh(cos(theta)) / (1 + tanh(cos(theta)) ** 2)),
        P,
        "tanh 2y = 2 tanh y/(1 + tanh^2 y)",
    ),
    case("triple angle of a sine", sin(3 * x) - 3 * sin(x) + 4 * sin(x) ** 3, P, "triple angle"),
    case("half angle tangent", sin(x) * tan(x / 2) - 1 + cos(x), P, "tan(x/2) = (1 - cos x)/sin x"),
    case(
        "three sines to the sixth",
        total(sin(theta) ** 6 + cos(theta) ** 6 + 3 * sin(theta) ** 2 * cos(theta) ** 2) - d,
        P,
        "cube of sin^2 + cos^2 = 1",
    ),
    case("atan of x and 1/x", atan(p) + atan(1 / p) - pi / 2, P, "complement on p > 0"),
    case(
        "Gudermannian in two forms",
        2 * atan(exp(x)) - pi / 2 - 2 * atan(tanh(x / 2)),
        P,
        "gd(x); both 0 at 0, derivative 1/cosh x",
    ),
    case("sine of twice atan", sin(2 * atan(x)) - 2 * x / (1 + x**2), P, "2 sin cos"),
    case("Machin", 4 * atan(R(1, 5)) - atan(R(1, 239)) - pi / 4, P, "Machin 1706"),
    case("a root of two is denested", sqrt(3 + 2 * sqrt(2)) - 1 - sqrt(2), P, "(1 + sqrt 2)^2"),
    case(
        "Cardano: 1 as a difference of cube roots",
        (2 + sqrt(5)) ** R(1, 3) - (sqrt(5) - 2) ** R(1, 3) - 1,
        P,
        "golden ratio cubed is 2 + sqrt 5",
    ),
    case(
        "a root of a parameter is denested",
        sqrt(a + 1 + 2 * sqrt(a)) - 1 - sqrt(a),
        P,
        "(1 + sqrt a)^2, a > 0",
    ),
    case(
        "acosh in two logarithms",
        2 * log(sqrt((p + 2) / 2) + sqrt(p / 2)) - log(p + 1 + sqrt(p * (p + 2))),
        P,
        "square of the first argument",
    ),
    case(
        "loggamma, two steps, summed",
        total(loggamma(q + 2) - loggamma(q)) - total(log(q) + log(1 + q)),
        P,
        "gamma recurrence",
    ),
    case(
        "Legendre's duplication",
        loggamma(2 * a) - loggamma(a) - loggamma(a + R(1, 2)) - (2 * a - 1) * log(2) + log(pi) / 2,
        P,
        "duplication",
    ),
    case(
        "trigamma recurrence",
        polygamma(1, a + 1) - polygamma(1, a) + 1 / a**2,
        P,
        "derivative of digamma recurrence",
    ),
    case("an exchange of base and exponent", p ** log(a) - a ** log(p), P, "exp(log a log p)"),
    case(
        "log cosh",
        total(log(2 * cosh(theta))) - total(theta) - total(log(1 + exp(-2 * theta))),
        P,
        "2 cosh y = e^y (1 + e^-2y)",
    ),
    case("logarithm of a unit of a field", log(sqrt(2) + 1) + log(sqrt(2) - 1), P, "product 1"),
    case(
        "erf is odd about a mean",
        total(erf((theta - b) * (1 + theta))) + total(erf(b + b * theta - theta - theta**2)),
        P,
        "erf odd",
    ),
    case(
        "variance of a block",
        total((theta - total(theta) / d) ** 2) - total(theta**2) + total(theta) ** 2 / d,
        P,
        "Koenig",
    ),
    case(
        "softmax of a shifted block",
        exp(theta - total(theta) / d) / total(exp(theta - total(theta) / d))
        - exp(theta) / total(exp(theta)),
        P,
        "the factor cancels",
    ),
    case(
        "an abstract function of a double angle",
        total(h(sin(2 * theta) / 2)) - total(h(sin(theta) * cos(theta))),
        P,
        "equal arguments",
    ),
    case(
        "sech of the Gudermannian",
        cos(2 * atan(tanh(x / 2))) - 1 / cosh(x),
        P,
        "(1 - t^2)/(1 + t^2), t = tanh(x/2)",
    ),
    case(
        "acosh and log",
        acosh(cosh(p) + 1) - log(1 + cosh(p) + sqrt((1 + cosh(p)) ** 2 - 1)),
        P,
        "definition of acosh for arguments above 1",
    ),
    case(
        "atan addition without its branch",
        atan(x) - atan(y) - atan((x - y) / (1 + x * y)),
        F,
        "differs by pi where x y < -1",
    ),
    case(
        "twice atan beyond one",
        2 * atan(p) - atan(2 * p / (1 - p**2)),
        F,
        "differs by pi for p > 1",
    ),
    case(
        "triple angle, wrong coefficient",
        sin(3 * x) - 3 * sin(x) + 3 * sin(x) ** 3,
        F,
        "at x = pi/2: -1 - 3 + 3",
    ),
    case("Ramanujan's constant", exp(pi * sqrt(163)) - 640320**3 - 744, F, "-7.5e-13"),
    case(
        "loggamma of the wrong step",
        total(loggamma(q + 1) - loggamma(q)) - total(log(q + 1)),
        F,
        "recurrence has log q",
    ),
    case(
        "a root of a square below its kink", sqrt(a**2 - 2 * a + 1) - a + 1, F, "|a - 1| for a < 1"
    ),
    case(
        "Newton's fourth identity",
        total(r) ** 4
        - 6 * total(r) ** 2 * total(r**2)
        + 3 * total(r**2) ** 2
        + 8 * total(r) * total(r**3)
        - 6 * total(r**4),
        F,
        "24 e_4, zero for d <= 3 only",
    ),
    case("tanh and its tail", tanh(20) - 1 + 2 * exp(-40), F, "2 e^-80"),
    case(
        "a half argument in a total",
        total(tanh(theta / 2)) - total(sinh(theta) / (2 + cosh(theta))),
        F,
        "tanh(x/2) = sinh/(1 + cosh)",
    ),
    case(
        "an abstract function of a half",
        h(sin(2 * x)) - h(2 * sin(x) ** 2 * cos(x)),
        F,
        "other arguments, h any",
    ),
    case("four quarter turns", sin(4 * pi * x), F, "at x = 1/8 it is 1"),
]
