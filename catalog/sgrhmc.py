"""Stochastic gradient Riemann Hamiltonian Monte Carlo with an elementwise metric G(theta).

Ma, Chen & Fox (2015), "A complete recipe for stochastic gradient MCMC", NIPS, algorithm 1 with
exact gradients (B = 0). ``sgrhmc`` has any metric; ``sgrhmc_bounded`` has G = 1 + 1/(1 + theta^2),
smooth and between 1 and 2: steps are shorter near zero. ``expanded_mean`` is the sampler of their
section 4.2.
"""

from sympy import Expr, Function, Interval, Matrix, Symbol, oo, sqrt

from recipe import (
    Fold,
    FoldSign,
    Noise,
    Potential,
    Recipe,
    Update,
    Vector,
    div,
    grad,
    mirror,
    total,
)

theta = Vector("theta")
r = Vector("r", like=theta)
U = Potential("U", theta)

epsilon = Symbol("epsilon", positive=True)
w = Noise("w", like=r)


def with_metric(G: Expr) -> Recipe:
    """The sampler with the elementwise metric G."""
    return Recipe(
        state=(theta, r),
        H=U + total(r**2) / 2,
        D=Matrix([[0, 0], [0, 1 / G]]),
        Q=Matrix([[0, -1 / sqrt(G)], [1 / sqrt(G), 0]]),
        marginal={theta: U},
        source=(
            "Ma, Chen & Fox (2015), A complete recipe for stochastic gradient MCMC, NIPS,"
            " algorithm 1"
        ),
        # Algorithm 1; equation (17) of the paper has the signs of the correction and of the
        # friction wrong.
        update=Update(
            step=epsilon,
            target=U + total(r**2) / 2,
            rule={
                theta: theta + epsilon * r / sqrt(G),
                r: (
                    r
                    - epsilon * grad(U, theta) / sqrt(G)
                    + epsilon * div(1 / sqrt(G), theta)
                    - epsilon * r / G
                    + sqrt(2 * epsilon / G) * w
                ),
            },
        ),
    )


sgrhmc = with_metric(Function("G", positive=True)(theta))
sgrhmc_bounded = with_metric(1 + 1 / (1 + theta**2))


def expanded_mean() -> Recipe:
    """The sampler with G = 1/theta on theta > 0, reflected at 0 with its momentum.

    The paper says "boundary reflection"; that the momentum turns with theta is not said, and
    without it the law is another one. What happens at the edge is undecided: where the shape of
    theta is below 1/2 the position reaches 0 at an infinite speed.
    """
    x = Vector("theta", domain=Interval.open(0, oo))
    p = Vector("r", like=x)
    V, noise = Potential("U", x), Noise("w", like=p)
    free = Recipe(
        state=(x, p),
        H=V + total(p**2) / 2,
        D=Matrix([[0, 0], [0, x]]),
        Q=Matrix([[0, -sqrt(x)], [sqrt(x), 0]]),
        marginal={x: V},
        source=(
            "Ma, Chen & Fox (2015), A complete recipe for stochastic gradient MCMC, NIPS,"
            " section 4.2"
        ),
        update=Update(
            step=epsilon,
            target=V + total(p**2) / 2,
            rule=[  # the momentum turns first: its sign depends on the position before the fold
                (x, x + epsilon * sqrt(x) * p),
                (p, p * FoldSign(x, 0, oo)),
                (x, Fold(x, 0, oo)),
                (
                    p,
                    p
                    - epsilon * sqrt(x) * grad(V, x)
                    + epsilon / (2 * sqrt(x))
                    - epsilon * x * p
                    + sqrt(2 * epsilon * x) * noise,
                ),
            ],
        ),
    )
    return mirror(free, x)
