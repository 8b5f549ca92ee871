"""Explosion and uniqueness that are hard to decide: name, how to ask, the verdict that is true, and why."""

# ruff: noqa: E501, F403, F405

from cases.hard.common import explosion_case as case
from cases.hard.common import uniqueness
from cases.hard.explosion_names import *

CASES = [
    case(
        "double well with noise of degree six",
        lambda: langevin(x**4 / 4 - x**2 / 2, 1 + x**6),
        P,
        "s' = e^(x^4/4 - ..)/(1 + x^6)",
    ),
    case(
        "Student's law, noise of its own degree",
        lambda: langevin(2 * log(1 + x**2 / 3), (1 + x**2 / 3) ** 2),
        P,
        "s' = 1",
    ),
    case(
        "logistic law with cosh noise",
        lambda: langevin(x + 2 * log(1 + exp(-x)), cosh(x)),
        P,
        "s' = 4 cosh(x/2)^2/(.. cosh x), bounded below",
    ),
    case(
        "drift x log x log log x",
        lambda: drift(x * log(2 + x**2) * log(log(3 + x**2)), 0 * x),
        P,
        "Osgood",
    ),
    case(
        "pulled outwards, noise faster still",
        lambda: drift(x * (1 + x**2), 0 * x, (1 + x**2) ** 3),
        P,
        "exp(-integral of x (1+x^2)^-2) has a positive limit: s infinite",
    ),
    case(
        "a flat law with quadratic noise",
        lambda: langevin(0 * x, 1 + x**2),
        P,
        "geometric, linear coefficients",
    ),
    case("one-sided barrier", lambda: drift(exp(-x) - x**3, 0 * x), P, "inwards at both ends"),
    case(
        "logistic growth with proportional noise",
        lambda: langevin(p - (a - 1) * log(p), p**2, p),
        P,
        "drift (a + 1) p - p^2; s infinite at 0 for a > 0 and at oo",
    ),
    case(
        "underdamped with a metric of the position",
        lambda: Recipe(
            (x, y), x**4 + y**2 * (1 + x**2) / 2 - log(1 + x**2) / 2, FRICTION, CANONICAL
        ),
        P,
        "L H <= A (1 + x^2)",
    ),
    case(
        "heavy tails, underdamped",
        lambda: Recipe((x, y), log(1 + x**2) + y**2 / 2, FRICTION, CANONICAL),
        P,
        "L H <= A, H goes to infinity",
    ),
    case(
        "an inverted parabola, underdamped",
        lambda: Recipe((x, y), -(x**2) / 2 + y**2 / 2, FRICTION, CANONICAL),
        P,
        "linear coefficients",
    ),
    case(
        "a block with a metric exp of its norm",
        lambda: langevin(total(theta**2) / 2, exp(total(theta**2) / 4), theta),
        P,
        "time change of Ornstein-Uhlenbeck, L |theta|^2 = D (2d - |theta|^2)",
    ),
    case(
        "noise along the position",
        lambda: langevin(total(theta**2) / 2, 1 + outer(theta, theta), theta),
        P,
        "L |theta|^2 is about -2|theta|^4",
    ),
    case(
        "a swirl that grows, about a centre",
        lambda: Recipe(
            (x, y), (x**2 + y**2) / 2, eye(2), Matrix([[0, -1], [1, 0]]) * (x**2 + y**2) ** 2
        ),
        P,
        "the swirl keeps the norm: L |z|^2 = 4 - 2|z|^2",
    ),
    case(
        "uniqueness for a heavy-tailed underdamped one",
        lambda: Recipe((x, y), log(1 + x**2) + y**2 / 2, FRICTION, CANONICAL),
        P,
        "Hoermander, finite mass, no explosion",
        uniqueness,
    ),
    case(
        "uniqueness for a cubic norm",
        lambda: Recipe((x, y), (x**2 + y**2) ** R(3, 2), eye(2), zeros(2)),
        P,
        "elliptic with a locally Lipschitz drift",
        uniqueness,
    ),
    case(
        "uniqueness for a chain of oscillators heated at one end",
        lambda: Recipe(
            (x, y, z, xi),
            x**2 / 2 + (x - z) ** 2 / 2 + z**2 / 2 + z**4 + y**2 / 2 + xi**2 / 2,
            diag(0, A, 0, 0),
            Matrix([[0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 0, -1], [0, 0, 1, 0]]),
        ),
        P,
        "brackets: y, x, xi, z through a spring with constant coupling",
        uniqueness,
    ),
    case(
        "a double well in noise of exponential growth",
        lambda: langevin(x**4 / 4 - x**2, exp(x**4)),
        F,
        "s' = e^(-3x^4/4..), finite mass",
    ),
    case(
        "Student's law, noise of a higher degree",
        lambda: langevin(2 * log(1 + x**2 / 3), (1 + x**2 / 3) ** 3),
        F,
        "s' = (1 + x^2/3)^-1, finite mass",
    ),
    case(
        "the 3/2 model with a heavy tail",
        lambda: langevin(c / p + R(3, 2) * log(p), p**3, p),
        F,
        "s' = p^(-3/2) at oo and mass p^(-3/2): oo is reached",
    ),
    case(
        "cubic growth in quadratic noise",
        lambda: drift(x**3, 0 * x, 1 + x**2),
        F,
        "about x' = x^3, Feller's integral of x^-3",
    ),
    case(
        "a swirl that blows up",
        lambda: Recipe((x, y), log(1 + x**2) + y**2, zeros(2), CANONICAL * (1 + x**4)),
        F,
        "x' = 2y(1+x^4), y' > 0 for x >= 1",
    ),
    case(
        "a block in noise beyond its law",
        lambda: langevin(total(theta**2) / 2, exp(total(theta**2)), theta),
        F,
        "d = 1: s' = e^(-x^2/2)",
    ),
    case(
        "uniqueness, a line that cannot be crossed",
        lambda: Recipe((x, y), (x**2 + y**2) / 2, diag(x**2, 1), zeros(2)),
        F,
        "x = 0 is invariant, both halves carry a law",
        uniqueness,
    ),
    case(
        "uniqueness, a rotation apart from the noise",
        lambda: Recipe(
            (x, y, z),
            (x**2 + y**2 + z**2) / 2,
            diag(1, 0, 0),
            Matrix([[0, 0, 0], [0, 0, -1], [0, 1, 0]]),
        ),
        F,
        "y^2 + z^2 is conserved",
        uniqueness,
    ),
    case(
        "uniqueness, a swirl that vanishes on a line",
        lambda: Recipe((x, y), (x**2 + y**2) / 2, diag(0, 1), Matrix([[0, -x], [x, 0]])),
        F,
        "x' = x y keeps the sign of x",
        uniqueness,
    ),
]
