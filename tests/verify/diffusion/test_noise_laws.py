"""A rule draws from laws that there are: what their parameters must fulfil is asked of claims, of
published rules and of steps.
"""

import pytest
from helpers.outcomes import outcome_of
from sympy import Interval, Matrix, Symbol, exp, log, oo, sqrt

from catalog.scir import scir, scir_posterior
from recipe import Noise, NoncentralChiSquared, Parameter, Recipe, Scalar, Update, Vector, total
from recipe.scheme.discretisation import as_printed
from verify import Verdict, verify

h = Symbol("h", positive=True)
x, theta = Scalar("x"), Vector("theta", domain=Interval.open(0, oo))
v, w = Noise("v", like=x), Noise("w", like=theta)
a = Parameter("a", like=theta, positive=True)
gamma = total(theta - (a - 1) * log(theta))


def centred(df):
    """A rule with the drift -df x and noise of mean zero and variance 2 df: by its limit alone D =
    df.
    """
    return Update(
        h, {x: x - h * df * x + sqrt(h) * (NoncentralChiSquared(v, df, 0) - df)}, x**2 / 2
    )


def square_root(df=2 * a, extra=0):
    nonc = 2 * theta * exp(-h) / (1 - exp(-h))
    return Update(h, {theta: (1 - exp(-h)) / 2 * NoncentralChiSquared(w, df, nonc + extra)}, gamma)


def of(update):
    return Recipe((theta,), gamma, Matrix([[theta]]), Matrix([[0]]), update=update)


def test_a_law_that_there_is():
    report = verify(centred(Symbol("k", positive=True)))
    assert outcome_of(report, "well-defined").assumptions == ()
    assert outcome_of(report, "diffusion-psd").verdict is report.verdict is Verdict.PROVED


@pytest.mark.parametrize(
    ("update", "line"),
    [
        (square_root(2 * a - 100 * h), "-100*h + 2*a > 0"),
        (
            square_root(extra=-20 * h**2 * theta),
            "-20*h**2*theta + 2*theta*exp(-h)/(1 - exp(-h)) >= 0",
        ),
    ],
)
def test_what_only_small_steps_have_is_said(update, line):
    wanted = (f"the step is so small that {line}",)
    for report, name in (
        (verify(update), "well-defined"),
        (verify(of(update)), "agrees-with-update"),
        (verify(as_printed(of(update))), "consistency"),
    ):
        outcome = outcome_of(report, name)
        assert outcome.verdict is Verdict.PROVED
        assert outcome.assumptions == wanted


def test_a_non_centrality_that_is_negative_at_every_small_step():
    update = Update(
        h, {x: x - 2 * h * x + sqrt(h) * (NoncentralChiSquared(v, 2, -h) - 2)}, x**2 / 2
    )
    outcome = outcome_of(verify(update), "well-defined")
    assert outcome.verdict is Verdict.REFUTED
    assert "-h >= 0 fails for every small step" in outcome.by


def test_a_published_rule_without_a_law_agrees_with_nothing():
    """Its mean and variance have the limit of the recipe all the same, for shapes of any sign."""
    shape = Parameter("shape", like=theta)  # of any sign
    law = total(theta - (shape - 1) * log(theta))
    rule = square_root(2 * shape).rule[0][1]
    recipe = Recipe(
        (theta,), law, Matrix([[theta]]), Matrix([[0]]), update=Update(h, {theta: rule}, law)
    )
    for declared, name in ((recipe, "agrees-with-update"), (as_printed(recipe), "consistency")):
        outcome = outcome_of(verify(declared), name)
        assert outcome.verdict is Verdict.REFUTED
        assert "the draw of theta: 2*shape > 0 fails at the witness" in outcome.by


def test_scir_has_its_law_for_every_shape_and_every_step():
    for declared in (scir.update, scir):
        report = verify(declared)
        assert report.verdict is Verdict.PROVED
        assert outcome_of(report, "well-defined").assumptions == ()
    assert outcome_of(verify(scir), "agrees-with-update").assumptions == ()


def test_of_an_unknown_law_it_is_said_where_the_rule_draws():
    outcome = outcome_of(verify(scir_posterior), "agrees-with-update")
    assert outcome.verdict is Verdict.PROVED
    (line,) = outcome.assumptions
    assert line.startswith("the rule draws where -2*theta*grad(U, theta) + 2*theta + 2 > 0")
    assert outcome_of(verify(scir_posterior.update), "well-defined").verdict is Verdict.REFUTED
