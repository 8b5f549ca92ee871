"""The stochastic gradient Nose-Hoover thermostat on theta > 0 by change of random variables.

Yokoi, Otsuka & Sato (2020), "Weak approximation of transformed stochastic gradient MCMC", Machine
Learning, section 5, with theta = softplus(phi) = log(1 + exp(phi)), for the sampler of Ding et al.
(2014).
"""

from sympy import Interval, Matrix, Symbol, exp, log, oo, sqrt

from recipe import (
    Noise,
    Potential,
    Preimage,
    Recipe,
    Scalar,
    Update,
    Vector,
    corv,
    grad,
    maps,
    total,
)

theta = Vector("theta", domain=Interval.open(0, oo))
U = Potential("U", theta)
phi = Preimage("phi", theta, maps.softplus)
s = 1 / (1 + exp(-phi))  # f'(phi), so that f''/f' = 1 - s

r = Vector("r", like=theta)
xi = Scalar("xi")
A = Symbol("A", positive=True)  # friction, and variance of the injected noise
d = theta.dim

epsilon = Symbol("epsilon", positive=True)
w = Noise("w", like=r)

thermostat = total(r**2) / 2 + d * (xi - A) ** 2 / 2

corv_sgnht = corv(
    Recipe(
        state=(theta, r, xi),
        H=U + thermostat,
        D=Matrix([[0, 0, 0], [0, A, 0], [0, 0, 0]]),
        Q=Matrix([[0, -1, 0], [1, 0, r / d], [0, -r / d, 0]]),
        marginal={theta: U},
    ),
    theta,
    maps.softplus,
    source=(
        "Yokoi, Otsuka & Sato (2020), Weak approximation of transformed stochastic gradient MCMC,"
        " Machine Learning"
    ),
    update=Update(
        step=epsilon,
        target=U - total(log(s)) + thermostat,
        rule=[  # position and thermostat move by the new momentum
            (
                r,
                r
                - epsilon * xi * r
                - epsilon * (s * grad(U, theta) - (1 - s))
                + sqrt(2 * A * epsilon) * w,
            ),
            (phi, phi + epsilon * r),
            (xi, xi + epsilon * (total(r**2) / d - 1)),
        ],
    ),
)
