"""Stochastic gradient Langevin dynamics on theta >= 0, reflected at 0.

The symmetrised Euler scheme of Bossy, Gobet & Talay (2004), "A symmetrized Euler scheme for an
efficient approximation of reflected diffusions", J. Appl. Probab. 41(3): a step that goes below 0
comes back by as much. U is smooth up to the edge; where its slope is infinite there, as for a gamma
law of shape below 1, such steps do not become the reflected diffusion (docs/boundaries.md).
"""

from sympy import Interval, Matrix, Set, Symbol, oo, sqrt

from recipe import Fold, Noise, Potential, Recipe, Update, Vector, grad, mirror

epsilon = Symbol("epsilon", positive=True)


def reflected_on(domain: Set) -> Recipe:
    """The sampler on ``Interval(0, oo)``, or on ``Interval.open(0, oo)`` for a U that has no value
    at 0, where nothing is proved of the edge.
    """
    theta = Vector("theta", domain=domain)
    U, w = Potential("U", theta), Noise("w", like=theta)
    step = theta - epsilon * grad(U, theta) + sqrt(2 * epsilon) * w
    free = Recipe(
        state=(theta,),
        H=U,
        D=Matrix([[1]]),
        Q=Matrix([[0]]),
        source=(
            "Bossy, Gobet & Talay (2004), A symmetrized Euler scheme for an efficient approximation"
            " of reflected diffusions"
        ),
        update=Update(step=epsilon, target=U, rule={theta: Fold(step, 0, oo)}),
    )
    return mirror(free, theta)


mirror_sgld = reflected_on(Interval(0, oo))
