"""Found on 21 November 2026: a rule that draws from a chi-squared law with degrees of freedom of
any sign was *proved* to be well defined.
"""

import pytest
from helpers.outcomes import outcome_of
from sympy import Interval, Symbol, oo, sqrt

from recipe import Noise, NoncentralChiSquared, Scalar, Update, Vector
from verify import Verdict, verify

h = Symbol("h", positive=True)
x, theta = Scalar("x"), Vector("theta", domain=Interval.open(0, oo))
v, w = Noise("v", like=x), Noise("w", like=theta)
b, below = Symbol("b", real=True), Symbol("c", negative=True)


def centred(df):
    """A rule with the drift -df x and noise of mean zero and variance 2 df: by its limit alone D =
    df.
    """
    return Update(
        h, {x: x - h * df * x + sqrt(h) * (NoncentralChiSquared(v, df, 0) - df)}, x**2 / 2
    )


@pytest.mark.parametrize("df", [-1, b, below, 0])
def test_there_is_no_law_with_these_degrees_of_freedom(df):
    report = verify(centred(df))
    outcome = outcome_of(report, "well-defined")
    assert outcome.verdict is report.verdict is Verdict.REFUTED
    assert (
        f"{df} > 0 fails at the witness, where NoncentralChiSquared(v, {df}, 0) has no value"
        in outcome.by
    )


@pytest.mark.parametrize("df", [-1, b, below])
def test_a_negative_variance_is_none(df):
    assert outcome_of(verify(centred(df)), "diffusion-psd").verdict is Verdict.REFUTED
