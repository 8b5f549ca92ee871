"""Stochastic gradient Nose-Hoover thermostat: the friction xi adapts to unknown gradient noise.

Ding, Fang, Babbush, Chen, Skeel & Neven (2014), "Bayesian sampling using stochastic gradient
thermostats", NIPS, algorithm 1.
"""

from sympy import Matrix, Symbol, sqrt

from recipe import Noise, Potential, Recipe, Scalar, Update, Vector, grad, total

theta = Vector("theta")
r = Vector("r", like=theta)
xi = Scalar("xi")
U = Potential("U", theta)
A = Symbol("A", positive=True)  # friction, and variance of the injected noise
d = theta.dim

epsilon = Symbol("epsilon", positive=True)
w = Noise("w", like=r)

# Ma, Chen & Fox (2015) print (xi - A)^2 / (2 d) in the Hamiltonian: right at d = 1 only.
H = U + total(r**2) / 2 + d * (xi - A) ** 2 / 2

sgnht = Recipe(
    state=(theta, r, xi),
    H=H,
    D=Matrix([[0, 0, 0], [0, A, 0], [0, 0, 0]]),
    Q=Matrix([[0, -1, 0], [1, 0, r / d], [0, -r / d, 0]]),
    marginal={theta: U},
    source=(
        "Ding et al. (2014), Bayesian sampling using stochastic gradient thermostats, NIPS,"
        " algorithm 1"
    ),
    update=Update(
        step=epsilon,
        target=H,
        rule=[  # position and thermostat move by the new momentum
            (r, r - epsilon * xi * r - epsilon * grad(U, theta) + sqrt(2 * A * epsilon) * w),
            (theta, theta + epsilon * r),
            (xi, xi + epsilon * (total(r**2) / d - 1)),
        ],
    ),
)
