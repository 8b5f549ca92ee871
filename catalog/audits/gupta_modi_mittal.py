"""Gupta, Modi & Mittal, "Stochastic techniques for MCMC methods", proposal for the course CS772,
IIT Kanpur: Algorithm 1 and equation (3) as they are printed.

* ``algorithm_1``: the proposal ``theta + rho (u + rho Delta / 2)`` with ``Delta = -d log p/d
  theta`` goes downhill. ``algorithm_1_corrected`` has the other sign. The step size is rho^2.
* ``eq_3``: the values ``log p(x_i | theta)`` stand in the sum where their gradients are meant, as
  in all of (1) to (4); V is minus the log prior, L minus the sum. ``eq_3_corrected`` has them.

The acceptance of Algorithm 1, ``min(1, p(new)/p(old) exp(-u'u/2))``, lacks the momentum after the
step: right is ``exp((u'u - v'v)/2)`` with ``v = u + rho (Delta(old) + Delta(new))/2`` for the
corrected Delta. A Metropolis test with a ratio of one's own cannot be said in the language; that
the printed one does not keep a normal law is an integral in ``tests/pages/test_audit_figures.py``.
"""

from sympy import Expr, Symbol, sqrt

from recipe import Noise, Potential, Scalar, Update, Vector, grad

source = "Gupta, Modi & Mittal, Stochastic techniques for MCMC methods, proposal for CS772"
eps = Symbol("epsilon", positive=True)
theta = Vector("theta")
U = Potential("U", theta)
w = Noise("w", like=theta)


def algorithm(sign: int, of: str, expect: str) -> Update:
    """The proposal of Algorithm 1 with ``Delta = sign grad(U, theta)``."""
    return Update(
        step=eps,
        target=U,
        rule={theta: theta + eps * sign * grad(U, theta) / 2 + sqrt(eps) * w},
        source=f"{source}, Algorithm 1, without its test{of}",
        expect=expect,
    )


algorithm_1 = algorithm(1, "", "refuted")
algorithm_1_corrected = algorithm(-1, ", with Delta = d log p/d theta", "proved")

x = Scalar("x")
V, L = Potential("V", x), Potential("L", x)
w_x = Noise("w", like=x)


def equation(of_data: Expr, of: str, expect: str) -> Update:
    """Equation (3) in one dimension with this contribution of the data."""
    return Update(
        step=eps,
        target=V + L,
        rule={x: x - eps / 2 * (grad(V, x) + of_data) + sqrt(eps) * w_x},
        source=f"{source}, equation (3){of}",
        expect=expect,
    )


eq_3 = equation(L, "", "refuted")
eq_3_corrected = equation(grad(L, x), ", with the gradients of the data", "proved")
