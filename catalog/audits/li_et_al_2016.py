"""Li, Chen, Carlson & Carin (2016), "Preconditioned stochastic gradient Langevin dynamics for deep
neural networks", AAAI.

Their equation (6) has Gamma = div G; algorithm 1 leaves it out, as they say, and libraries have
copied that. The laws in one dimension, or where G_i depends on theta_i alone:

* ``algorithm_1``: not stationary. ``algorithm_1_with_its_own_law``: it has the density exp(-U) / G,
  U + total(log G).
* ``sign_turned``: with the sign of Gamma turned, as in another paper, it is exp(-U) / G^2;
  ``sign_turned_with_its_own_law``.
* ``algorithm_1_with_gamma``: equation (6), stationary for every d; ``for_every_field`` where G_i
  depends on all of theta.
"""

from sympy import Expr, Function, Symbol, log, sqrt

from recipe import Field, Noise, Potential, Update, Vector, div, grad, total

source = (
    "Li, Chen, Carlson & Carin (2016), Preconditioned stochastic gradient Langevin dynamics for"
    " deep neural networks, AAAI"
)

theta = Vector("theta")
U = Potential("U", theta)
eps = Symbol("epsilon", positive=True)
w = Noise("w", like=theta)
G = Function("G", positive=True)(theta)


def preconditioned(metric: Expr, gamma: Expr, target: Expr, of: str, expect: str) -> Update:
    """Their step, half of Langevin's, with a given term in the place of Gamma."""
    return Update(
        step=eps,
        target=target,
        rule={theta: theta + eps / 2 * (-metric * grad(U, theta) + gamma) + sqrt(eps * metric) * w},
        source=f"{source}, {of}",
        expect=expect,
    )


algorithm_1 = preconditioned(G, 0 * G, U, "algorithm 1", "refuted")
algorithm_1_with_its_own_law = preconditioned(
    G, 0 * G, U + total(log(G)), "algorithm 1, against the law that it has", "proved"
)
sign_turned = preconditioned(G, -div(G, theta), U, "with the sign of Gamma turned", "refuted")
sign_turned_with_its_own_law = preconditioned(
    G,
    -div(G, theta),
    U + 2 * total(log(G)),
    "with the sign of Gamma turned, against the law that it has",
    "proved",
)
algorithm_1_with_gamma = preconditioned(G, div(G, theta), U, "equation (6)", "proved")
_G = Field("G", theta, positive=True)
for_every_field = preconditioned(
    _G, div(_G, theta), U, "equation (6), where G_i depends on all of theta", "proved"
)
