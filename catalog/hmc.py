"""Hamiltonian Monte Carlo with unit mass: the flow, and the kernels that Metropolis tests make of
its leapfrog steps.

Duane, Kennedy, Pendleton & Roweth (1987), "Hybrid Monte Carlo", Physics Letters B 195(2). ``hmc``
is the flow without a test, whose step is symplectic Euler: it is stationary only as the step
vanishes. ``hmc_kernel`` is exact at every step size; its number of steps is drawn, as Mackenzie
(1989), "An improved hybrid Monte Carlo method", Physics Letters B 226, advises: a fixed one may be
periodic. ``ghmc`` keeps a part of the momentum, and turns it on rejection: Horowitz (1991), "A
generalized guided Monte Carlo algorithm", Physics Letters B 268.
"""

from sympy import Matrix, Symbol, exp

from recipe import Potential, Recipe, Update, Vector, compose, grad, metropolis, refresh, total

theta = Vector("theta")
r = Vector("r", like=theta)
U = Potential("U", theta)
gamma = Symbol("gamma", positive=True)  # friction: how fast the momentum is renewed

epsilon = Symbol("epsilon", positive=True)

hmc = Recipe(
    state=(theta, r),
    H=U + total(r**2) / 2,
    D=Matrix([[0, 0], [0, 0]]),
    Q=Matrix([[0, -1], [1, 0]]),
    marginal={theta: U},
    source=(
        "Duane, Kennedy, Pendleton & Roweth (1987), Hybrid Monte Carlo, Physics Letters B 195(2)"
    ),
    update=Update(
        step=epsilon,
        target=U + total(r**2) / 2,
        rule=[
            (theta, theta + epsilon * r),
            (r, r - epsilon * grad(U, theta)),
        ],
    ),
)

_leapfrog = Update(
    step=epsilon,
    target=hmc.H,
    rule=[
        (r, r - epsilon * grad(U, theta) / 2),
        (theta, theta + epsilon * r),
        (r, r - epsilon * grad(U, theta) / 2),
    ],
)

hmc_kernel = compose(
    refresh(hmc, r),
    metropolis(_leapfrog, times=(1, 20), flip=r),
    source=(
        "Duane, Kennedy, Pendleton & Roweth (1987), Hybrid Monte Carlo, Physics Letters B 195(2)"
    ),
)

ghmc = compose(
    refresh(hmc, r, keep=exp(-gamma * epsilon)),
    metropolis(_leapfrog, flip=r),
    source="Horowitz (1991), A generalized guided Monte Carlo algorithm, Physics Letters B 268",
)
