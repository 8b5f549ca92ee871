"""The stochastic Cox-Ingersoll-Ross process: counts, sampled without an error of discretisation.

Baker, Fearnhead, Fox & Nemeth (2018), "Large-scale stochastic sampling from the probability
simplex", NeurIPS. Independent gamma variables with shapes a, divided by their sum, have a Dirichlet
law. ``scir`` is their diffusion, a square-root process, and ``--scheme exact`` draws its
transition. ``scir_posterior`` is the same process for any law of positive numbers. For counts with
a Dirichlet prior theta grad U is affine in theta, and an estimated gradient estimates the number a
alone, so the exact scheme works with minibatches as well.
"""

from sympy import Expr, Interval, Matrix, Symbol, exp, log, oo

from recipe import (
    Noise,
    NoncentralChiSquared,
    Parameter,
    Potential,
    Recipe,
    Update,
    Vector,
    grad,
    total,
)

source = (
    "Baker, Fearnhead, Fox & Nemeth (2018), Large-scale stochastic sampling from the probability"
    " simplex, NeurIPS"
)
h = Symbol("h", positive=True)

theta = Vector("theta", domain=Interval.open(0, oo))
U = Potential("U", theta)
w = Noise("w", like=theta)


def transition(shape: Expr) -> Expr:
    """Their update: a draw from the law of the process with this shape after the time h."""
    return (
        (1 - exp(-h)) / 2 * NoncentralChiSquared(w, 2 * shape, 2 * theta * exp(-h) / (1 - exp(-h)))
    )


scir_posterior = Recipe(
    state=(theta,),
    H=U,
    D=Matrix([[theta]]),
    Q=Matrix([[0]]),
    source=source,
    update=Update(step=h, target=U, rule={theta: transition(1 + theta - theta * grad(U, theta))}),
)

a = Parameter("a", like=theta, positive=True)  # shapes of the gamma laws
gamma = total(theta - (a - 1) * log(theta))

scir = Recipe(
    state=(theta,),
    H=gamma,
    D=Matrix([[theta]]),
    Q=Matrix([[0]]),
    source=source,
    update=Update(step=h, target=gamma, rule={theta: transition(a)}),
)
