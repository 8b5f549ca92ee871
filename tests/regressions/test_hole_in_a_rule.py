"""Found on 22 November 2026: a hole in the rule of one block was taken to be closed by its limit,
as the hole in the rule of another block is, and the claim was *proved* to be well defined.
"""

from helpers.outcomes import outcome_of
from sympy import Function, exp, symbols

from recipe import Potential, Scalar, Update, Vector, grad, total
from verify import Verdict, verify

theta, xi = Vector("theta"), Scalar("xi")
r = Vector("r", like=theta)
U, G = Potential("U", theta), Function("G", positive=True)(theta)
h, A, B = symbols("h A B", positive=True)
g, K, d = -grad(U, theta), total(r**2) / 2, theta.dim


def test_a_hole_in_one_rule_is_still_a_fault_in_another():
    for rule in (
        {r: r + r * (1 - exp(-h * xi)) / xi, theta: theta + h * g / xi},
        {theta: theta + h * g / xi, r: r},
    ):
        claim = Update(h, {**rule, xi: xi}, U + total(r**2) / 2 + xi**2)
        assert outcome_of(verify(claim), "well-defined").verdict is Verdict.REFUTED
