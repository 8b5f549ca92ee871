"""Stochastic gradient Hamiltonian Monte Carlo with friction C and unit mass.

Chen, Fox & Guestrin (2014), "Stochastic gradient Hamiltonian Monte Carlo", ICML, algorithm 2 with
exact gradients (B = 0).
"""

from sympy import Matrix, Symbol, sqrt

from recipe import Noise, Potential, Recipe, Update, Vector, grad, total

theta = Vector("theta")
r = Vector("r", like=theta)
U = Potential("U", theta)
C = Symbol("C", positive=True)  # friction, a rate: 1/C is how long the momentum lasts

epsilon = Symbol("epsilon", positive=True)
w = Noise("w", like=r)

sghmc = Recipe(
    state=(theta, r),
    H=U + total(r**2) / 2,
    D=Matrix([[0, 0], [0, C]]),
    Q=Matrix([[0, -1], [1, 0]]),
    marginal={theta: U},
    source=(
        "Chen, Fox & Guestrin (2014), Stochastic gradient Hamiltonian Monte Carlo, ICML,"
        " algorithm 2"
    ),
    update=Update(
        step=epsilon,
        target=U + total(r**2) / 2,
        rule=[  # the momentum moves by the gradient at the new position
            (theta, theta + epsilon * r),
            (r, r - epsilon * grad(U, theta) - epsilon * C * r + sqrt(2 * C * epsilon) * w),
        ],
    ),
)
