"""A rule whose noise is of a higher power of the step than sqrt(step) has a limit without it, which
keeps exp(-H) together with other laws; it was proved, and off by any factor.
"""

import pytest
from sympy import Symbol, exp, sqrt

from codegen.verdict_before import verdict_before
from recipe import Noise, Potential, RecipeError, Update, Vector, grad, total
from verify import verify
from verify.verdict import Verdict

theta = Vector("theta")
r = Vector("r", like=theta)
U = Potential("U", theta)
h = Symbol("h", positive=True)
v, w = Noise("v", like=theta), Noise("w", like=theta)
H = U + total(r**2) / 2


def said(rule, name="stationarity"):
    report = verify(rule)
    return report.verdict, next(line.outcome for line in report.lines if line.name == name)


@pytest.mark.parametrize("factor", [2, 8])  # 2 is right in the time h^2, 8 is wrong by 4
def test_a_rule_that_rests_in_its_limit_is_undecided(factor):
    rule = Update(h, {theta: theta - h**2 / factor * grad(U, theta) + h * w}, U)
    verdict, outcome = said(rule)
    assert verdict is Verdict.UNDECIDED
    assert outcome.by == (
        "theta moves by less than a multiple of the step h, so that it rests in the limit, which"
        " keeps every law; write the rule in its own time: a step h for which noise scales as"
        " sqrt(h) and drift as h, such as h = sqrt(h)"
    )


@pytest.mark.parametrize("friction", [0, 1])  # without friction the energy grows for ever
def test_a_flow_with_noise_that_vanishes_is_undecided(friction):
    push = -h * grad(U, theta) - friction * h**2 * r
    rule = Update(h, {theta: theta + h * r, r: r + push + 3 * h * w}, H)
    verdict, outcome = said(rule)
    assert verdict is Verdict.UNDECIDED
    assert outcome.by.startswith("the noise w vanishes faster than sqrt(h), so that the limit is")


def test_noise_of_a_higher_order_beside_noise_of_the_limit_is_harmless():
    rule = Update(
        h,
        {
            theta: theta + h * r + h * sqrt(h) * v,
            r: r * exp(-h) - h * grad(U, theta) + sqrt(1 - exp(-2 * h)) * w,
        },
        H,
    )
    assert said(rule)[0] is Verdict.PROVED


def test_a_flow_says_that_it_keeps_other_laws():
    flow = Update(h, {theta: theta + h * r, r: r - h * grad(U, theta)}, H)
    assert said(flow)[0] is Verdict.PROVED
    sentence = (
        "flow leaves its target stationary, and other laws, too, so that its draws need not come"
        " from the target: H never changes"
    )
    with pytest.raises(RecipeError, match=sentence):
        verdict_before(flow, "flow", False)
    before = verdict_before(flow, "flow", True)
    assert before.proved is None
    assert before.note.startswith(sentence)


def test_a_limit_that_is_refuted_stays_refuted_whatever_vanishes():
    rule = Update(h, {theta: theta + 2 * h * r, r: r - h * grad(U, theta) + h * w}, H)
    assert said(rule)[0] is Verdict.REFUTED
