"""Hamiltonian dynamics with unit mass: no noise, and stationary without a Metropolis test only as the step vanishes.

Duane, Kennedy, Pendleton & Roweth (1987), "Hybrid Monte Carlo", Physics Letters B 195(2); the step is symplectic Euler.
"""

from sympy import Matrix, Symbol

from recipe import Potential, Recipe, Update, Vector, grad, total

theta = Vector("theta")
r = Vector("r", like=theta)
U = Potential("U", theta)

epsilon = Symbol("epsilon", positive=True)

hmc = Recipe(
    state=(theta, r),
    H=U + total(r**2) / 2,
    D=Matrix([[0, 0], [0, 0]]),
    Q=Matrix([[0, -1], [1, 0]]),
    marginal={theta: U},
    source="Duane, Kennedy, Pendleton & Roweth (1987), Hybrid Monte Carlo, Physics Letters B 195(2)",
    update=Update(
        step=epsilon,
        target=U + total(r**2) / 2,
        rule=[
            (theta, theta + epsilon * r),
            (r, r - epsilon * grad(U, theta)),
        ],
    ),
)
