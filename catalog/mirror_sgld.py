"""Stochastic gradient Langevin dynamics on theta >= 0, reflected at 0.

The symmetrised Euler scheme of Bossy, Gobet & Talay (2004), "A symmetrized Euler scheme for an efficient approximation of reflected
diffusions", J. Appl. Probab. 41(3): a step that goes below 0 comes back by as much. ``mirror_sgld`` has any U that is smooth up to
the edge; ``mirror_sgld_gamma`` has a gamma law of any shape, whose drift may be infinite at 0.
"""

from sympy import Expr, Interval, Matrix, Symbol, log, oo, sqrt

from recipe import Fold, Noise, Potential, Recipe, Update, Vector, grad, mirror, total

epsilon = Symbol("epsilon", positive=True)


def reflected(theta: Vector, H: Expr) -> Recipe:
    """The sampler for one law."""
    w = Noise("w", like=theta)
    langevin = Recipe(
        state=(theta,),
        H=H,
        D=Matrix([[1]]),
        Q=Matrix([[0]]),
        source="Bossy, Gobet & Talay (2004), A symmetrized Euler scheme for an efficient approximation of reflected diffusions",
        update=Update(
            step=epsilon,
            target=H,
            rule={theta: Fold(theta - epsilon * grad(H, theta) + sqrt(2 * epsilon) * w, 0, oo)},
        ),
    )
    return mirror(langevin, theta)


closed = Vector("theta", domain=Interval(0, oo))
mirror_sgld = reflected(closed, Potential("U", closed))

inside = Vector("theta", domain=Interval.open(0, oo))
shape, rate = Symbol("shape", positive=True), Symbol("rate", positive=True)
mirror_sgld_gamma = reflected(inside, total(rate * inside - (shape - 1) * log(inside)))
