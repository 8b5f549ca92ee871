"""Langevin dynamics on theta > 0 by change of random variables: no step leaves the domain.

Yokoi, Otsuka & Sato (2020), "Weak approximation of transformed stochastic gradient MCMC", Machine
Learning, equation (25), with theta = softplus(phi) = log(1 + exp(phi)). Any other map onto the
domain, of ``recipe.maps`` or of one's own, does as well.
"""

from sympy import Interval, Matrix, Symbol, exp, log, oo, sqrt

from recipe import Noise, Potential, Preimage, Recipe, Update, Vector, corv, grad, maps, total

theta = Vector("theta", domain=Interval.open(0, oo))
U = Potential("U", theta)
phi = Preimage("phi", theta, maps.softplus)
s = 1 / (1 + exp(-phi))  # f'(phi), so that f''/f' = 1 - s

epsilon = Symbol("epsilon", positive=True)
w = Noise("w", like=phi)

corv_sgld = corv(
    Recipe(state=(theta,), H=U, D=Matrix([[1]]), Q=Matrix([[0]])),
    theta,
    maps.softplus,
    source=(
        "Yokoi, Otsuka & Sato (2020), Weak approximation of transformed stochastic gradient MCMC,"
        " Machine Learning, (25)"
    ),
    update=Update(
        step=epsilon,
        target=U - total(log(s)),
        rule={phi: phi - epsilon * (s * grad(U, theta) - (1 - s)) + sqrt(2 * epsilon) * w},
    ),
)
