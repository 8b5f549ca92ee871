"""Third-order Langevin dynamics: the noise reaches theta through two momenta, so that its path is
smoother.

Mou, Ma, Wainwright, Bartlett & Jordan (2021), "High-order Langevin diffusion yields an accelerated
MCMC algorithm", JMLR 22(42). The momenta are scaled by L, the smoothness (Lipschitz) constant of
grad U. The rule is the Euler step of the diffusion; the paper discretises it in another way.
"""

from sympy import Matrix, Symbol, sqrt

from recipe import Noise, Potential, Recipe, Update, Vector, grad, total

theta = Vector("theta")
p = Vector("p", like=theta)
r = Vector("r", like=theta)
U = Potential("U", theta)
L = Symbol("L", positive=True)  # smoothness of U: the largest curvature
gamma = Symbol("gamma", positive=True)  # coupling of the two momenta
xi = Symbol("xi", positive=True)  # friction of the second momentum

epsilon = Symbol("epsilon", positive=True)
w = Noise("w", like=r)

third_order_langevin = Recipe(
    state=(theta, p, r),
    H=U + L * (total(p**2) + total(r**2)) / 2,
    D=Matrix([[0, 0, 0], [0, 0, 0], [0, 0, xi / L]]),
    Q=Matrix([[0, -1, 0], [1, 0, -gamma], [0, gamma, 0]]) / L,
    marginal={theta: U},
    source=(
        "Mou et al. (2021), High-order Langevin diffusion yields an accelerated MCMC algorithm,"
        " JMLR 22(42)"
    ),
    update=Update(
        step=epsilon,
        target=U + L * (total(p**2) + total(r**2)) / 2,
        rule={
            theta: theta + epsilon * p,
            p: p - epsilon * grad(U, theta) / L + epsilon * gamma * r,
            r: r - epsilon * gamma * p - epsilon * xi * r + sqrt(2 * xi * epsilon / L) * w,
        },
    ),
)
