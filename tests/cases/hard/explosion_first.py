"""Explosion and uniqueness that are hard to decide: name, how to ask, the verdict that is true, and why."""

# ruff: noqa: E501, F403, F405

from cases.hard.common import explosion_case as case
from cases.hard.common import uniqueness
from cases.hard.explosion_names import *

CASES = [
    # 1D: s' = e^H/D; if s is infinite at both ends the process does not explode; with finite mass, if
    # s is finite at one end, it does.
    case(
        "quartic noise in a parabola",
        lambda: langevin(x**2 / 2, 1 + x**4),
        P,
        "s' = e^(x^2/2)/(1 + x^4)",
    ),
    case(
        "exponential noise below the law",
        lambda: langevin(x**2 / 2, exp(x**2 / 4)),
        P,
        "s' = e^(x^2/4)",
    ),
    case(
        "Cauchy's law, D of degree three",
        lambda: langevin(log(1 + x**2), (1 + x**2) ** R(3, 2)),
        P,
        "s' = (1 + x^2)^(-1/2), s infinite",
    ),
    case(
        "drift x log x",
        lambda: drift(x * log(1 + x**2), 0 * x),
        P,
        "Osgood: dx/(x log x) diverges; V = log log",
    ),
    case("a driftless martingale of any speed", lambda: drift(0 * x, 0 * x, exp(x**2)), P, "s = x"),
    case(
        "a cubic drift in fast noise",
        lambda: drift(x**3, 0 * x, 2 + x**8),
        P,
        "s' tends to a constant",
    ),
    case(
        "wells that grow and oscillate",
        lambda: langevin(x**2 * cos(x)),
        P,
        "s' = e^(x^2 cos x), infinite at both ends",
    ),
    case(
        "Gumbel's law with D = e^x",
        lambda: langevin(exp(x) - x, exp(x)),
        P,
        "s' = e^(e^x - 2x), infinite at both ends",
    ),
    case(
        "the 3/2 model",
        lambda: langevin(c / p + 3 * log(p), p**3, p),
        P,
        "s' = e^(c/p) at both ends not integrable",
    ),
    case(
        "relativistic underdamped",
        lambda: Recipe((x, y), x**4 + sqrt(1 + y**2), FRICTION, CANONICAL),
        P,
        "L H <= A",
    ),
    case(
        "underdamped, friction of the position",
        lambda: Recipe((x, y), x**4 / 4 + y**2 / 2, Matrix([[0, 0], [0, 1 + x**4]]), CANONICAL),
        P,
        "L H <= 1 + x^4 <= 1 + 4 H",
    ),
    case(
        "a free particle with friction",
        lambda: Recipe((x, y), y**2 / 2, FRICTION, CANONICAL),
        P,
        "linear coefficients",
    ),
    case(
        "underdamped in a periodic potential",
        lambda: Recipe((theta, r), total(cos(theta)) + total(r**2) / 2, FRICTION, CANONICAL),
        P,
        "Lipschitz coefficients",
    ),
    case(
        "a radial metric of degree four",
        lambda: langevin(total(theta**2) / 2, (1 + total(theta**2)) ** 2, theta),
        P,
        "L |theta|^2 is about -2 s^3",
    ),
    case(
        "quartic noise in every coordinate",
        lambda: langevin(total(theta**2) / 2, 1 + theta**4, theta),
        P,
        "independent coordinates, the first case",
    ),
    case(
        "uniqueness with quartic noise",
        lambda: langevin(x**2 / 2, 1 + x**4),
        P,
        "elliptic, does not explode",
        uniqueness,
    ),
    case(
        "uniqueness of a relativistic underdamped one",
        lambda: Recipe((x, y), x**4 + sqrt(1 + y**2), FRICTION, CANONICAL),
        P,
        "Hoermander: d/dy of y/sqrt(1+y^2) > 0",
        uniqueness,
    ),
    case(
        "Cauchy's law, D of degree four",
        lambda: langevin(log(1 + x**2), (1 + x**2) ** 2),
        F,
        "s' = 1/(1 + x^2), finite mass",
    ),
    case(
        "noise above the law",
        lambda: langevin(x**2 / 2, exp(x**2)),
        F,
        "s' = e^(-x^2/2), finite mass",
    ),
    case(
        "a flat law with quartic noise",
        lambda: langevin(0 * x, 1 + x**4),
        F,
        "integral of x/(1 + x^4) is finite",
    ),
    case("drift 1 + x^2", lambda: drift(1 + x**2, 0 * x), F, "integral of 1/(1 + x^2)"),
    case(
        "an inverted quartic, underdamped",
        lambda: Recipe((x, y), -(x**4) / 4 + y**2 / 2, FRICTION, CANONICAL),
        F,
        "x'' = x^3 - A x' explodes, additive noise",
    ),
    case(
        "Gumbel's law with D = e^(-2x)",
        lambda: langevin(exp(x) - x, exp(-2 * x)),
        F,
        "s' = e^(e^x + x) is finite at -oo, as is the mass",
    ),
    case(
        "uniqueness with D = x^2", lambda: langevin(x**2 / 2, x**2), F, "0 is absorbing", uniqueness
    ),
    case(
        "uniqueness of a rotation without noise",
        lambda: Recipe((x, y), x**4 + y**2 / 2, zeros(2), CANONICAL),
        F,
        "H is conserved",
        uniqueness,
    ),
    case(
        "uniqueness, noise along the diagonal",
        lambda: Recipe((x, y), (x**2 + y**2) / 2, Matrix([[1, 1], [1, 1]]), zeros(2)),
        F,
        "x - y is conserved",
        uniqueness,
    ),
]
