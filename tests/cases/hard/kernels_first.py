"""Kernels that are hard to decide: name, how to ask, the verdict that is true, and why."""

# ruff: noqa: F403, F405

from cases.hard.common import kernel_case as case
from cases.hard.kernel_names import *
from cases.hard.kernel_names import drift, h, hmc, kick, nx, ny, one, rule, w

FR = 1 / (2 - 2 ** R(1, 3))
CASES = [
    case(
        "random walk with a scale of the position",
        lambda: compose(
            metropolis(one(theta, theta + sqrt(h) * sqrt(1 + theta**2) * Noise("n", like=theta), U))
        ),
        P,
        "Hastings' ratio with the scales",
    ),
    case(
        "preconditioned Crank-Nicolson",
        lambda: compose(
            metropolis(
                one(
                    theta,
                    sqrt(1 - exp(-2 * h)) * Noise("n", like=theta) + exp(-h) * theta,
                    U + total(theta**2) / 2,
                )
            )
        ),
        P,
        "Hastings",
    ),
    case(
        "tamed MALA",
        lambda: compose(
            metropolis(
                one(
                    theta,
                    theta
                    - h * grad(U, theta) / sqrt(1 + h * grad(U, theta) ** 2)
                    + sqrt(2 * h) * Noise("n", like=theta),
                    U,
                )
            )
        ),
        P,
        "Hastings",
    ),
    case(
        "relativistic leapfrog",
        lambda: compose(
            metropolis(
                rule(
                    kick(R(1, 2)),
                    drift(1, r / sqrt(1 + r**2)),
                    kick(R(1, 2)),
                    H=U + total(sqrt(1 + r**2)),
                ),
                flip=r,
            )
        ),
        P,
        "palindromic shears, odd speed",
    ),
    case(
        "a surrogate gradient",
        lambda: compose(
            refresh(hmc, r),
            metropolis(
                rule(kick(R(1, 2), theta**3), drift(1), kick(R(1, 2), theta**3)), times=5, flip=r
            ),
        ),
        P,
        "any kick that is a function of theta keeps volume and is reversible",
    ),
    case(
        "Forest and Ruth",
        lambda: compose(
            refresh(hmc, r),
            metropolis(
                rule(
                    drift(FR / 2),
                    kick(FR),
                    drift((1 - FR) / 2),
                    kick(1 - 2 * FR),
                    drift((1 - FR) / 2),
                    kick(FR),
                    drift(FR / 2),
                ),
                flip=r,
            ),
        ),
        P,
        "palindromic",
    ),
    case(
        "reflection at the mean plane",
        lambda: compose(step(rule((r, r - 2 * total(r) / d)))),
        P,
        "orthogonal map of a standard normal r",
    ),
    case(
        "exchange of two equal coordinates",
        lambda: compose(step(Update(h, {x: y, y: x}, x**4 + y**4 + x**2 * y**2))),
        P,
        "H symmetric, |det| 1",
    ),
    case(
        "a quarter turn",
        lambda: compose(step(Update(h, {x: y, y: -x}, (x**2 + y**2) ** 2 + x**2 * y**2))),
        P,
        "H invariant, det 1",
    ),
    case(
        "inversion of a log-normal number",
        lambda: compose(step(one(p, 1 / p, log(p) + log(p) ** 2))),
        P,
        "log p changes sign",
    ),
    case(
        "replica exchange",
        lambda: compose(metropolis(Update(h, {x: y, y: x}, x**4 / 4 + y**2 / 2))),
        P,
        "an involution that keeps volume, with the test",
    ),
    case(
        "a tested sign flip of a skew law",
        lambda: compose(metropolis(one(x, -x, x**4 + x**3))),
        P,
        "an involution, with the test",
    ),
    case(
        "Gibbs sampler of a correlated pair",
        lambda: compose(
            step(
                Update(
                    h,
                    {x: R(3, 5) * y + R(4, 5) * nx, y: y},
                    (x**2 - R(6, 5) * x * y + y**2) / (2 * (1 - R(9, 25))),
                )
            ),
            step(
                Update(
                    h,
                    {x: x, y: R(3, 5) * x + R(4, 5) * ny},
                    (x**2 - R(6, 5) * x * y + y**2) / (2 * (1 - R(9, 25))),
                )
            ),
        ),
        P,
        "conditional laws",
    ),
    case(
        "Adler's overrelaxation",
        lambda: compose(
            step(Update(h, {x: 2 * R(3, 5) * y - x, y: y}, (x**2 - R(6, 5) * x * y + y**2) / 2))
        ),
        P,
        "reflection about the conditional mean",
    ),
    case(
        "partial refresh by an angle",
        lambda: compose(step(rule((r, cos(b) * r + sin(b) * w)))),
        P,
        "cos^2 + sin^2 = 1",
    ),
    case(
        "a momentum of the scale of the position",
        lambda: compose(
            step(
                rule(
                    (r, w / sqrt(1 + theta**2)),
                    H=total(theta**4)
                    + total(r**2 * (1 + theta**2)) / 2
                    - total(log(1 + theta**2)) / 2,
                )
            )
        ),
        P,
        "conditional law of r",
    ),
    case(
        "an independence sampler",
        lambda: compose(
            metropolis(one(theta, 2 * Noise("n", like=theta), U + total(theta**2) / 2))
        ),
        P,
        "Hastings",
    ),
    case(
        "random walk with a scale of the position, no ratio of scales",
        lambda: with_cost(one(x, x + sqrt(h) * sqrt(1 + x**2) * nx, x**4), x**4),
        F,
        "symmetric only for a constant scale",
    ),
    case(
        "leapfrog, mass of the position, explicit",
        lambda: compose(
            refresh(
                Recipe(
                    (x, y),
                    x**2 / 2 + y**2 / (2 * (1 + x**2)) + log(1 + x**2) / 2,
                    zeros(2),
                    CANONICAL,
                ),
                y,
            ),
            metropolis(
                Update(
                    h,
                    [
                        (y, y - h / 2 * (x + x / (1 + x**2) - x * y**2 / (1 + x**2) ** 2)),
                        (x, x + h * y / (1 + x**2)),
                        (y, y - h / 2 * (x + x / (1 + x**2) - x * y**2 / (1 + x**2) ** 2)),
                    ],
                    x**2 / 2 + y**2 / (2 * (1 + x**2)) + log(1 + x**2) / 2,
                ),
                flip=y,
            ),
        ),
        F,
        "explicit: neither keeps volume nor is reversible",
    ),
    case(
        "a multiplicative move without its Jacobian",
        lambda: compose(
            refresh(Recipe((p, y), p - a * log(p) + y**2 / 2, zeros(2), CANONICAL), y),
            metropolis(Update(h, [(p, p * exp(h * y)), (y, y)], p - a * log(p) + y**2 / 2), flip=y),
        ),
        F,
        "it keeps e^-H dp/p instead, uniquely",
    ),
    case(
        "a drift with an even speed",
        lambda: compose(
            refresh(Recipe((x, y), x**2 / 2 + y**2 / 2, zeros(2), CANONICAL), y),
            metropolis(Update(h, [(x, x + h * y**2), (y, y)], x**2 / 2 + y**2 / 2), flip=y),
        ),
        F,
        "x never moves down, so its mean grows",
    ),
    case(
        "an independence sampler with the ratio of the target",
        lambda: with_cost(one(x, 2 * nx, x**4), x**4),
        F,
        "Hastings' factor is missing",
    ),
    case(
        "a partial refresh that mixes linearly",
        lambda: compose(step(rule((r, exp(-a * h) * r + (1 - exp(-a * h)) * w)))),
        F,
        "variance c^2 + (1 - c)^2",
    ),
    case(
        "a reflection that is too long",
        lambda: compose(step(rule((r, r - 3 * total(r) / d)))),
        F,
        "total(r) becomes -2 total(r)",
    ),
    case(
        "an exchange of unequal coordinates",
        lambda: compose(step(Update(h, {x: y, y: x}, x**4 + 2 * y**4))),
        F,
        "the laws of x and y differ",
    ),
    case(
        "half of the exponent",
        lambda: with_cost(one(x, x + sqrt(h) * nx, x**4), x**4 / 2),
        F,
        "it samples e^(-x^4/2)",
    ),
]
