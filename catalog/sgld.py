"""Stochastic gradient Langevin dynamics.

Welling & Teh (2011), "Bayesian learning via stochastic gradient Langevin dynamics", ICML; in the
convention of Ma, Chen & Fox (2015), "A complete recipe for stochastic gradient MCMC", NIPS, whose
step is half of the one of Welling & Teh.
"""

from sympy import Matrix, Symbol, sqrt

from recipe import Noise, Potential, Recipe, Update, Vector, grad

theta = Vector("theta")
U = Potential("U", theta)

epsilon = Symbol("epsilon", positive=True)
w = Noise("w", like=theta)

sgld = Recipe(
    state=(theta,),
    H=U,
    D=Matrix([[1]]),
    Q=Matrix([[0]]),
    source=(
        "Welling & Teh (2011), Bayesian learning via stochastic gradient Langevin dynamics, ICML"
    ),
    update=Update(
        step=epsilon,
        target=U,
        rule={theta: theta - epsilon * grad(U, theta) + sqrt(2 * epsilon) * w},
    ),
)
