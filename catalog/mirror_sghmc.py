"""Stochastic gradient Hamiltonian Monte Carlo on theta >= 0: at the edge theta turns back, and its
momentum changes its sign.

Langevin dynamics with specular reflection, as in Bossy & Jabir (2011), "On confined McKean Langevin
processes satisfying the mean no-permeability boundary condition", Stochastic Process. Appl.
121(12). Taking the absolute value of theta and keeping the momentum would be another process, with
another law.
"""

from sympy import Interval, Matrix, Set, Symbol, oo, sqrt

from recipe import Fold, FoldSign, Noise, Potential, Recipe, Update, Vector, grad, mirror, total

C = Symbol("C", positive=True)  # friction, a rate: 1/C is how long the momentum lasts
epsilon = Symbol("epsilon", positive=True)


def reflected_on(domain: Set) -> Recipe:
    """The sampler on ``Interval(0, oo)``, or on ``Interval.open(0, oo)`` for a U that has no value
    at 0, where nothing is proved of the edge.
    """
    theta = Vector("theta", domain=domain)
    r = Vector("r", like=theta)
    U, w = Potential("U", theta), Noise("w", like=r)
    free = Recipe(
        state=(theta, r),
        H=U + total(r**2) / 2,
        D=Matrix([[0, 0], [0, C]]),
        Q=Matrix([[0, -1], [1, 0]]),
        marginal={theta: U},
        source=(
            "Bossy & Jabir (2011), On confined McKean Langevin processes, Stochastic Process. Appl."
            " 121(12)"
        ),
        update=Update(
            step=epsilon,
            target=U + total(r**2) / 2,
            rule=[  # the momentum turns first: its sign depends on the position before the fold
                (theta, theta + epsilon * r),
                (r, r * FoldSign(theta, 0, oo)),
                (theta, Fold(theta, 0, oo)),
                (r, r - epsilon * grad(U, theta) - epsilon * C * r + sqrt(2 * C * epsilon) * w),
            ],
        ),
    )
    return mirror(free, theta)


mirror_sghmc = reflected_on(Interval(0, oo))
