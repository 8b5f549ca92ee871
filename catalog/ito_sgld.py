"""Langevin dynamics on theta > 0, the same process seen in phi = f^-1(theta): right in the limit,
unstable at every step size.

Yokoi, Otsuka & Sato (2020), "Weak approximation of transformed stochastic gradient MCMC", Machine
Learning, equation (19), with theta = softplus(phi) = log(1 + exp(phi)). Its Euler step diverges
where theta comes near the edge; a step of ``corv_sgld`` does not.
"""

from sympy import Interval, Matrix, Symbol, exp, log, oo, sqrt

from recipe import Noise, Potential, Preimage, Recipe, Update, Vector, grad, ito, maps, total

theta = Vector("theta", domain=Interval.open(0, oo))
U = Potential("U", theta)
phi = Preimage("phi", theta, maps.softplus)
s = 1 / (1 + exp(-phi))  # f'(phi), so that f''/f' = 1 - s

epsilon = Symbol("epsilon", positive=True)
w = Noise("w", like=phi)

ito_sgld = ito(
    Recipe(state=(theta,), H=U, D=Matrix([[1]]), Q=Matrix([[0]])),
    theta,
    maps.softplus,
    source=(
        "Yokoi, Otsuka & Sato (2020), Weak approximation of transformed stochastic gradient MCMC,"
        " Machine Learning, (19)"
    ),
    update=Update(
        step=epsilon,
        target=U - total(log(s)),
        # g' = 1/s and g'' = -f''/f'^3 = -(1 - s)/s^2 for g = f^-1
        rule={
            phi: phi + epsilon * (-grad(U, theta) / s - (1 - s) / s**2) + sqrt(2 * epsilon) / s * w
        },
    ),
)
