"""Update rules that are claimed to sample a law and do not."""

from sympy import (
    Function,
    Rational,
    Symbol,
    sqrt,
)

from recipe import (
    Dense,
    Field,
    Noise,
    Potential,
    Scalar,
    Update,
    Vector,
    div,
    dot,
    grad,
    total,
)

theta = Vector("theta")
r = Vector("r", like=theta)
xi = Scalar("xi")
U = Potential("U", theta)
d = theta.dim
A, eps = Symbol("A", positive=True), Symbol("epsilon", positive=True)
w = Noise("w", like=theta)
K = total(r**2) / 2


# -- claims
# --------------------------------------------------------------------------------------------------

G = Function("G", positive=True)(theta)
F = Field("F", theta, positive=True)


def riemannian(metric, correction=1, friction=1):
    return Update(
        eps,
        {
            theta: theta + eps * r / sqrt(metric),
            r: (
                r
                - eps * grad(U, theta) / sqrt(metric)
                + correction * eps * div(1 / sqrt(metric), theta)
                - friction * eps * r / metric
                + sqrt(2 * eps / metric) * w
            ),
        },
        U + K,
    )


def langevin(metric, correction=1, noise=1):
    drift = -grad(U, theta) / metric + correction * div(1 / metric, theta)
    return Update(eps, {theta: theta + eps * drift + sqrt(2 * noise * eps / metric) * w}, U)


def nose_hoover(hamiltonian):
    return Update(
        eps,
        [
            (theta, theta + eps * r),
            (r, r - eps * grad(U, theta) - eps * xi * r + sqrt(2 * A * eps) * w),
            (xi, xi + eps * (total(r**2) / d - 1)),
        ],
        U + K + hamiltonian,
    )


WRONG = {
    "sgrhmc without the correction": riemannian(G, correction=0),
    "sgrhmc with the correction negated": riemannian(G, correction=-1),
    "sgrhmc with half the friction": riemannian(G, friction=Rational(1, 2)),
    "sgrld without the correction": langevin(F, correction=0),
    "sgrld with the correction negated": langevin(F, correction=-1),
    "sgrld with half the noise": langevin(F, noise=Rational(1, 2)),
    "sgnht as it is printed": nose_hoover((xi - A) ** 2 / (2 * d)),
    "sgld at another temperature": Update(
        eps, {theta: theta - eps * grad(U, theta) + sqrt(2 * A * eps) * w}, U
    ),
    "a preconditioner in the drift only": Update(
        eps,
        {
            theta: (
                theta
                - eps * dot(Dense("M", theta, positive=True), grad(U, theta))
                + sqrt(2 * eps) * w
            )
        },
        U,
    ),
    "a norm that is not squared": Update(
        eps,
        [
            (theta, theta + eps * r),
            (r, r - eps * grad(U, theta) - eps * xi * r + sqrt(2 * A * eps) * w),
            (xi, xi + eps * (sqrt(1 + total(r**2)) / d - 1)),
        ],
        U + K + d * (xi - A) ** 2 / 2,
    ),
}
