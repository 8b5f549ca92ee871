"""Ein(exp(a)), compiled, in numpy for draws, and in numpy for tests of kernels, beside mpmath; and
the map that it belongs to: its compiled step, the values that begin a run, and its law.
"""

import mpmath
import numpy as np
import pytest
from scipy import stats
from sympy import Interval, exp, log, oo

from codegen import generate, sample
from codegen.device.special import ein_exp
from codegen.inputs.evaluate import SPECIAL
from codegen.inputs.preimages import halved
from codegen.lowering.stable_forms import EinExp, Expm1, stabilised
from recipe import Potential, Recipe, Vector, bind, corv, maps, total
from recipe.language.phi import Ein
from recipe_cli.program.translation import translation_of
from verify.statistics.numbers.arrays import LANGUAGE_FUNCTIONS
from verify.verdict import Verdict

theta = Vector("theta", domain=Interval.open(0, oo))
U = Potential("U", theta)
MOVED = corv(Recipe((theta,), U, 1, 0), theta, maps.integrated_log_log)
POINTS = [*np.linspace(-40, 8, 200), *np.linspace(1.09, 1.11, 40), -690.0, 30.0, 650.0]


def exact(a):
    with mpmath.workdps(40):
        y = mpmath.exp(mpmath.mpf(a))
        if a > 5:
            return mpmath.euler + a  # E1 is below 1e-66
        if a > -5:
            return mpmath.euler + a + mpmath.e1(y)
        return sum((-1) ** (k + 1) * y**k / (k * mpmath.factorial(k)) for k in range(1, 20))


def test_the_compiled_function_has_all_digits():
    errors = [abs(float(ein_exp(a) / exact(a) - 1)) for a in POINTS]
    assert max(errors) < 9e-16
    assert ein_exp(-800.0) == 0
    assert ein_exp(1e4) == pytest.approx(1e4 + np.euler_gamma)
    assert np.isnan(ein_exp(np.nan))


def test_the_functions_of_draws_and_of_tests_agree():
    a = np.array([p for p in POINTS if p < 600])
    right = np.array([float(exact(p)) for p in a])
    for function in (SPECIAL["Ein"], LANGUAGE_FUNCTIONS[Ein]):
        np.testing.assert_allclose(function(np.exp(a)), right, rtol=2e-14)
    negative = LANGUAGE_FUNCTIONS[Ein](np.array([-0.5, -3.0]))
    with mpmath.workdps(30):
        by_ei = [float(mpmath.euler + mpmath.log(-x) - mpmath.ei(-x)) for x in (-0.5, -3.0)]
    np.testing.assert_allclose(negative, by_ei, rtol=1e-13)


def test_its_slope_keeps_its_digits_near_the_edge():
    p = Vector("phi")
    assert stabilised(Ein(exp(p))) == EinExp(p)
    of = stabilised((p * exp(-exp(p)) - p).expand())
    assert of == p * Expm1(-exp(p))
    assert stabilised(p * exp(-p) - p) == p * exp(-p) - p, "others are left as they were"


def test_the_text_is_proved():
    module = generate(MOVED, scheme="euler")
    outcome = translation_of(module)
    assert outcome.verdict is Verdict.PROVED, outcome.by
    assert "ein_exp(" in module.source
    assert "expm1(-" in module.source


def test_values_without_a_written_inverse_are_halved():
    values = np.array([1e-8, 0.3, 1.0, 25.0])
    found = halved(lambda at: SPECIAL["Ein"](np.exp(at)), values)
    np.testing.assert_allclose(SPECIAL["Ein"](np.exp(found)), values, rtol=1e-13)
    falls = halved(lambda at: -(at**3), np.array([8.0, -27.0]))
    np.testing.assert_allclose(falls, [-2.0, 3.0])
    assert np.isnan(halved(np.tanh, np.array([1.5, np.nan]))).all()


@pytest.mark.filterwarnings("ignore::codegen.BiasWarning")
def test_draws_have_their_law_and_begin_where_they_are_told():
    """Gamma(3, 1) by steps of 0.02: the chains' 80,000 kept draws have an effective size of some
    10,000, so that a right program has a distance of Kolmogorov of at most 0.02 but for 1e-3 of
    seeds; this one is fixed.
    """
    bound = bind(MOVED, {U: total(theta - 2 * log(theta))})
    draws = sample(
        bound, step_size=0.02, steps=400_000, warmup=2000, thin=20, chains=4, seed=1,
        lengths={theta: 1}, initial={theta: np.array([3.0])}, progress=False,
    )  # fmt: skip
    assert stats.kstest(draws["theta"].ravel(), stats.gamma(3).cdf).statistic < 0.02
    assert stats.kstest(draws["theta"].ravel(), stats.gamma(2.8).cdf).statistic > 0.03
