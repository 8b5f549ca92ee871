"""Stochastic gradient Hamiltonian Monte Carlo on theta > 0 by change of random variables: friction
and mass stay constant.

Yokoi, Otsuka & Sato (2020), "Weak approximation of transformed stochastic gradient MCMC", Machine
Learning, section 5, with theta = softplus(phi) = log(1 + exp(phi)), for the sampler of Chen, Fox &
Guestrin (2014).
"""

from sympy import Interval, Matrix, Symbol, exp, log, oo, sqrt

from recipe import Noise, Potential, Preimage, Recipe, Update, Vector, corv, grad, maps, total

theta = Vector("theta", domain=Interval.open(0, oo))
U = Potential("U", theta)
phi = Preimage("phi", theta, maps.softplus)
s = 1 / (1 + exp(-phi))  # f'(phi), so that f''/f' = 1 - s

r = Vector("r", like=theta)
C = Symbol("C", positive=True)  # friction, a rate: 1/C is how long the momentum lasts

epsilon = Symbol("epsilon", positive=True)
w = Noise("w", like=r)

corv_sghmc = corv(
    Recipe(
        state=(theta, r),
        H=U + total(r**2) / 2,
        D=Matrix([[0, 0], [0, C]]),
        Q=Matrix([[0, -1], [1, 0]]),
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
        target=U - total(log(s)) + total(r**2) / 2,
        rule=[  # the momentum moves by the gradient at the new position
            (phi, phi + epsilon * r),
            (
                r,
                r
                - epsilon * (s * grad(U, theta) - (1 - s))
                - epsilon * C * r
                + sqrt(2 * C * epsilon) * w,
            ),
        ],
    ),
)
