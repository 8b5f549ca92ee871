"""Stochastic gradient Riemann Hamiltonian Monte Carlo with an elementwise metric G(theta).

Ma, Chen & Fox (2015), "A complete recipe for stochastic gradient MCMC", NIPS, algorithm 1 with
exact gradients (B = 0). ``sgrhmc`` has any metric; ``sgrhmc_bounded`` has G = 1 + 1/(1 + theta^2),
smooth and between 1 and 2: steps are shorter near zero.
"""

from sympy import Expr, Function, Matrix, Symbol, sqrt

from recipe import Noise, Potential, Recipe, Update, Vector, div, grad, total

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
