"""Kernels that are hard to decide: name, how to ask, the verdict that is true, and why."""

# ruff: noqa: F403, F405

from cases.hard.common import kernel_case as case
from cases.hard.kernel_names import *
from cases.hard.kernel_names import K, drift, h, hmc, kick, nx, one, rule, w

RADIAL = (x**2 + y**2) ** 2
PAIR = x**2 / 2 + (y - x**2) ** 2 / 2
W = Potential("W", theta)
CASES = [
    case(
        "MALA with a metric of the whole norm",
        lambda: compose(
            metropolis(
                one(
                    theta,
                    theta
                    - h * grad(U, theta) * (1 + total(theta**2))
                    + sqrt(2 * h * (1 + total(theta**2))) * Noise("n", like=theta),
                    U,
                )
            )
        ),
        P,
        "Hastings, the d-th power of the scale",
    ),
    case(
        "a walk that leans to the origin",
        lambda: compose(
            metropolis(
                one(
                    theta,
                    theta / (1 + h * theta**2)
                    + sqrt(h) * exp(-(theta**2)) * Noise("n", like=theta),
                    U,
                )
            )
        ),
        P,
        "Hastings",
    ),
    case(
        "a walk on the half line, rejected outside",
        lambda: compose(metropolis(one(p, p + sqrt(h) * p * Noise("n", like=p), p - a * log(p)))),
        P,
        "Hastings, outside density 0",
    ),
    case(
        "leapfrog with hyperbolic kinetic energy",
        lambda: compose(
            metropolis(
                rule(
                    drift(R(1, 2), tanh(r)),
                    kick(1),
                    drift(R(1, 2), tanh(r)),
                    H=U + total(log(cosh(r))),
                ),
                times=(1, 7),
                flip=r,
            )
        ),
        P,
        "palindromic shears, odd speed",
    ),
    case(
        "two time scales",
        lambda: compose(
            refresh(Recipe((theta, r), U + W + K, zeros(2), CANONICAL), r),
            metropolis(
                rule(
                    (r, r - h / 2 * grad(W, theta)),
                    kick(R(1, 4)),
                    drift(R(1, 2)),
                    kick(R(1, 2)),
                    drift(R(1, 2)),
                    kick(R(1, 4)),
                    (r, r - h / 2 * grad(W, theta)),
                    H=U + W + K,
                ),
                flip=r,
            ),
        ),
        P,
        "palindromic (Tuckerman)",
    ),
    case(
        "a force gradient",
        lambda: compose(
            refresh(hmc, r, keep=-R(3, 5)),
            metropolis(
                rule(
                    kick(R(1, 6)),
                    drift(R(1, 2)),
                    kick(R(2, 3), grad(U, theta) - h**2 / 24 * theta * total(theta**2)),
                    drift(R(1, 2)),
                    kick(R(1, 6)),
                ),
                flip=r,
            ),
        ),
        P,
        "kicks are functions of theta, palindromic",
    ),
    case(
        "a rotation by an angle of the radius",
        lambda: compose(
            step(
                Update(
                    h,
                    {
                        x: cos(x**2 + y**2) * x - sin(x**2 + y**2) * y,
                        y: sin(x**2 + y**2) * x + cos(x**2 + y**2) * y,
                    },
                    RADIAL,
                )
            )
        ),
        P,
        "twist map keeps the radius and volume",
    ),
    case(
        "a mirror of the interval",
        lambda: compose(step(one(u, 1 - u, -(a - 1) * log(u * (1 - u))))),
        P,
        "H symmetric about 1/2",
    ),
    case(
        "a shear across a banana",
        lambda: compose(step(Update(h, {x: -x, y: y}, PAIR))),
        P,
        "H even in x",
    ),
    case(
        "reflection of the deviation from a banana",
        lambda: compose(step(Update(h, {x: x, y: 2 * x**2 - y}, PAIR))),
        P,
        "y - x^2 changes sign, det -1",
    ),
    case(
        "a rotation by 3-4-5",
        lambda: compose(
            step(Update(h, {x: R(3, 5) * x - R(4, 5) * y, y: R(4, 5) * x + R(3, 5) * y}, RADIAL))
        ),
        P,
        "orthogonal",
    ),
    case(
        "a tested reflection at a point",
        lambda: compose(metropolis(one(x, 2 * b - x, x**4 - x))),
        P,
        "an involution, with the test",
    ),
    case(
        "a tested exchange with a shear",
        lambda: compose(metropolis(Update(h, {x: y, y: x}, PAIR))),
        P,
        "an involution that keeps volume",
    ),
    case(
        "a momentum rotated into a second one",
        lambda: compose(
            step(
                Update(
                    h,
                    {theta: theta, r: (r + s) / sqrt(2), s: (r - s) / sqrt(2)},
                    U + K + total(s**2) / 2,
                )
            )
        ),
        P,
        "orthogonal map of normals",
    ),
    case(
        "Gibbs in a funnel",
        lambda: compose(
            step(
                Update(
                    h,
                    {theta: exp(x / 2) * Noise("n", like=theta), x: x},
                    total(theta**2) * exp(-x) / 2 + d * x / 2 + x**2 / 18,
                )
            )
        ),
        P,
        "conditional law",
    ),
    case(
        "elliptical mixing with an exact angle",
        lambda: compose(step(rule((r, tanh(h) * r + w / cosh(h))))),
        P,
        "tanh^2 + sech^2 = 1",
    ),
    case(
        "a walk with heavy damping, then a redraw",
        lambda: compose(
            metropolis(
                rule(kick(R(1, 2)), drift(1), kick(R(1, 2))), flip=r, flip_on_rejection=False
            ),
            refresh(hmc, r),
        ),
        P,
        "the redraw makes the sign irrelevant",
    ),
    case(
        "a leaning walk with the target's ratio",
        lambda: with_cost(one(x, x / (1 + h) + sqrt(h) * nx, x**4), x**4),
        F,
        "the proposal is not symmetric",
    ),
    case(
        "leapfrog in a stretched coordinate, no Jacobian",
        lambda: compose(
            refresh(Recipe((x, y), x**4 + y**2 / 2, zeros(2), CANONICAL), y),
            metropolis(
                Update(
                    h,
                    [(x, x * cosh(h * y) + sqrt(1 + x**2) * sinh(h * y)), (y, y)],
                    x**4 + y**2 / 2,
                ),
                flip=y,
            ),
        ),
        F,
        "it keeps e^-H dx/sqrt(1 + x^2) instead, uniquely",
    ),
    case(
        "a leapfrog with one kick of another force",
        lambda: compose(
            refresh(hmc, r, keep=R(3, 5)),
            metropolis(rule(kick(R(1, 2)), drift(1), kick(R(1, 2), theta**3)), flip=r),
        ),
        F,
        "not palindromic",
    ),
    case(
        "an inversion of a Gamma number",
        lambda: compose(step(one(p, 1 / p, p - log(p)))),
        F,
        "p e^-p is not symmetric in log p",
    ),
    case(
        "a tested inversion without its Jacobian",
        lambda: compose(metropolis(one(p, 1 / p, p - log(p)))),
        F,
        "the balance needs the factor 1/p^2",
    ),
    case(
        "a funnel's scale forgotten",
        lambda: compose(
            step(
                Update(
                    h,
                    {theta: exp(x) * Noise("n", like=theta), x: x},
                    total(theta**2) * exp(-x) / 2 + d * x / 2 + x**2 / 18,
                )
            )
        ),
        F,
        "variance e^(2x), not e^x",
    ),
    case(
        "mixing with a square too many",
        lambda: compose(step(rule((r, tanh(h) * r + w / cosh(h) ** 2)))),
        F,
        "tanh^2 + sech^4 < 1",
    ),
    case(
        "a rotation of unequal temperatures",
        lambda: compose(
            step(
                Update(
                    h, {x: R(3, 5) * x - R(4, 5) * y, y: R(4, 5) * x + R(3, 5) * y}, x**2 / 2 + y**2
                )
            )
        ),
        F,
        "covariance diag(1, 1/2) is turned",
    ),
    case(
        "a contraction that is tested",
        lambda: compose(metropolis(one(x, x / 2, x**4))),
        F,
        "always accepted towards 0: H falls, so E x^2 falls",
    ),
]
