"""The Metropolis-adjusted Langevin algorithm: an Euler step of Langevin dynamics as a proposal that
is accepted or rejected.

Besag (1994), discussion of Grenander & Miller, Journal of the Royal Statistical Society B 56;
Roberts & Tweedie (1996), "Exponential convergence of Langevin distributions and their discrete
approximations", Bernoulli 2(4). ``pmala`` has a metric G that depends on the position: Xifara,
Sherlock, Livingstone, Byrne & Girolami (2014), "Langevin diffusions and the Metropolis-adjusted
Langevin algorithm", Statistics & Probability Letters 91.
"""

from sympy import Function, Symbol, sqrt

from recipe import Noise, Potential, Update, Vector, compose, div, grad, metropolis

theta = Vector("theta")
U = Potential("U", theta)
G = Function("G", positive=True)(theta)  # metric, a function of theta

epsilon = Symbol("epsilon", positive=True)
w = Noise("w", like=theta)

mala = compose(
    metropolis(
        Update(
            step=epsilon,
            target=U,
            rule={theta: theta - epsilon * grad(U, theta) + sqrt(2 * epsilon) * w},
        )
    ),
    source=(
        "Roberts & Tweedie (1996), Exponential convergence of Langevin distributions and their"
        " discrete approximations"
    ),
)

pmala = compose(
    metropolis(
        Update(
            step=epsilon,
            target=U,
            rule={
                theta: (
                    theta
                    - epsilon * (grad(U, theta) / G - div(1 / G, theta))
                    + sqrt(2 * epsilon / G) * w
                )
            },
        )
    ),
    source=(
        "Xifara et al. (2014), Langevin diffusions and the Metropolis-adjusted Langevin algorithm"
    ),
)
