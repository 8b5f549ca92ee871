"""Ahn, Korattikara & Welling (2012), "Bayesian posterior sampling via stochastic gradient Fisher
scoring", ICML: their update (SGFS) in one dimension, ``theta <- theta + 2 (gamma N I + 4 B/eps)^-1
(grad log p + noise)`` with noise of variance 4 B/eps, written without fractions of eps.

I is the Fisher information of one datum, N the number of data, gamma = (n + N)/n for minibatches of
n, and grad log p is estimated from a minibatch. I is a running average of empirical covariances of
the gradients of data, which changes by a share of 1/t in step t and comes to rest.

* ``sgfs``: I and B at rest: for small steps SGLD with D = 1/(2 B). The gradient's own noise, of
  variance N^2 I/n, vanishes in the limit. (Of a normal law with precision N I the step with that
  noise has the variance 1/(N I) at every size: gamma is made so.)
* ``sgfs_with_b_of_the_state``: they choose B proportional to N I. Where the average is so short
  that I follows the state, the correction div D is missing: not stationary.
  ``sgfs_with_b_of_the_state_corrected`` has it.
"""

from sympy import Expr, Function, Integer, Symbol, sqrt

from recipe import Noise, Potential, Scalar, Update, grad

source = (
    "Ahn, Korattikara & Welling (2012), Bayesian posterior sampling via stochastic gradient Fisher"
    " scoring, ICML"
)
eps = Symbol("epsilon", positive=True)
theta = Scalar("theta")
U = Potential("U", theta)
w = Noise("w", like=theta)
N, gamma = Symbol("N", positive=True), Symbol("gamma", positive=True)


def scoring(fisher: Expr, B: Expr, correction: Expr, of: str, expect: str) -> Update:
    """The update with this information, this B, and a term beside the gradient."""
    scale = eps * gamma * N * fisher + 4 * B
    drift = 2 * eps / scale * (-grad(U, theta)) + eps * correction
    return Update(
        step=eps,
        target=U,
        rule={theta: theta + drift + 4 * sqrt(eps * B) / scale * w},
        source=f"{source}, SGFS{of}",
        expect=expect,
    )


_I, _B = Symbol("I_1", positive=True), Symbol("B", positive=True)
_F = Function("I_1", positive=True)(theta)

sgfs = scoring(_I, _B, Integer(0), ", I and B at rest", "proved")
sgfs_with_b_of_the_state = scoring(_F, N * _F, Integer(0), ", B = N I(theta)", "refuted")
sgfs_with_b_of_the_state_corrected = scoring(
    _F, N * _F, (1 / (2 * N * _F)).diff(theta), ", B = N I(theta), with div D", "proved"
)
