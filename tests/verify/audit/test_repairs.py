"""Repairs: a norm that must be squared, and two edits of the drift together."""

import pytest
from helpers.outcomes import outcome_of
from sympy import Function, S, exp, sqrt, symbols

from recipe import Noise, Potential, Scalar, Update, Vector, div, grad, limit_of, total
from recipe.language.calculus import gradient
from verify import Verdict, verify
from verify.audit.repair import find_repair
from verify.audit.repair.edits import Claim

theta, xi = Vector("theta"), Scalar("xi")
r = Vector("r", like=theta)
U, G = Potential("U", theta), Function("G", positive=True)(theta)
h, A, B = symbols("h A B", positive=True)
w = Noise("w", like=theta)
g, K, d = -grad(U, theta), total(r**2) / 2, theta.dim
root = 1 / sqrt(G)
c = exp(-xi * h)
drive = h / 2 * (sqrt(total(r**2)) - d)

BADODAB = Update(
    h,
    [
        (r, r + h / 2 * g),
        (theta, theta + h / 2 * r),
        (xi, xi + drive),
        (r, c * r + sqrt((1 - c**2) / (2 * xi)) * w),
        (xi, xi + drive),
        (theta, theta + h / 2 * r),
        (r, r + h / 2 * g),
    ],
    U + K + (xi - S.Half) ** 2 / 2,
)
PRINTED_17 = Update(
    h,
    [
        (r, r - h * (root * -g + div(root, theta) - r / G) + sqrt(2 * h / G) * w),
        (theta, theta + h * root * r),
    ],
    U + K,
)
NAIVE = Update(
    h, [(theta, theta + h * root * r), (r, r + h * root * g + sqrt(2 * h * B) * w)], U + K
)
TWO_FACTORS = Update(
    h, {theta: theta + 2 * h * r, r: r + h * g - 3 * A * h * r + sqrt(2 * A * h) * w}, U + K
)

REPAIRS = {
    "an unsquared norm": (BADODAB, ["sqrt(total(r**2)) must be total(r**2)"]),
    "two signs": (PRINTED_17, ["+ h*r/G(theta) must be - h*r/G(theta)", "must be - h*G'(theta)"]),
    "two terms": (NAIVE, ["must gain - B*h*r", "must gain + h*div(1/sqrt(G(theta)), theta)"]),
    "two factors": (TWO_FACTORS, ["2*h*r must be h*r", "must be -A*h*r"]),
}


def claim_of(update: Update) -> Claim:
    dynamics = limit_of(update)
    return Claim(update, dynamics, {b: gradient(update.target, b) for b in dynamics.state})


@pytest.mark.by_default(1)
@pytest.mark.parametrize("name", REPAIRS)
def test_the_repair_is_found_and_the_repaired_rule_is_proved(name):
    update, words = REPAIRS[name]
    found = find_repair(claim_of(update))
    assert found is not None
    assert all(word in found.text for word in words), found.text
    assert outcome_of(verify(found.update), "stationarity").verdict is Verdict.PROVED
    assert found.update != update


def test_a_hole_that_the_limit_closes_is_no_fault():
    """``(1 - exp(-2 xi h))/(2 xi)`` has no value at xi = 0, and tends to h there."""
    found = find_repair(claim_of(BADODAB))
    assert found is not None
    outcome = outcome_of(verify(found.update), "well-defined")
    assert outcome.verdict is Verdict.PROVED
    assert "the rule of r is continued to where xi is 0, as its limit is" in outcome.assumptions
    broken = Update(h, {theta: theta + h * g / xi + sqrt(2 * h) * w, xi: xi}, U + xi**2)
    assert outcome_of(verify(broken), "well-defined").verdict is Verdict.REFUTED


def test_one_edit_is_preferred_to_two():
    found = find_repair(
        claim_of(
            Update(
                h, {theta: theta + 2 * h * r, r: r + h * g - A * h * r + sqrt(2 * A * h) * w}, U + K
            )
        )
    )
    assert found is not None
    assert ", and " not in found.text
