"""Coordinates that labels name: the text is proved, and no mistake in it is."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from sympy import exp

from catalog.sgld import sgld
from codegen import Density, generate
from codegen.module import Module
from recipe import Data, Posterior, Scalar, Simplex, Vector, bind, total
from recipe.laws import categorical, dirichlet, normal, poisson_log
from recipe_cli.program.translation import translation_of
from verify import Verdict

mu, theta, slope = Scalar("mu"), Vector("theta"), Vector("slope")
other = Vector("other", like=theta)
x = Data("x", like=slope)
group, school, y, w = Data("group"), Data("school"), Data("y"), Data("w")
SIZE = 40
rng = np.random.default_rng(0)
ARRAYS = {
    x: rng.normal(size=(SIZE, 2)),
    group: rng.integers(0, 3, SIZE),
    school: rng.integers(0, 5, SIZE),
    y: rng.integers(0, 4, SIZE),
    w: rng.normal(size=SIZE),
}
PRIOR = -(mu**2) - total(theta**2) - total(other**2) - total(slope**2)
VARIED = (
    mu + theta[group] * exp(other[school] / 3) + other[group] * w + total(x * slope) * theta[school]
)


def posterior(eta, law=poisson_log):
    return Posterior((mu, theta, other, slope), law(y, eta), PRIOR, ARRAYS)


def module(eta) -> Module:
    U = next(a for a in sgld.abstract if a.name == "U")
    return generate(bind(sgld, {U: posterior(eta)}), name="labelled")


@pytest.fixture(scope="module")
def varied():
    return module(VARIED)


def test_the_text_is_proved(varied):
    outcome = translation_of(varied)
    assert outcome.verdict is Verdict.PROVED, outcome.by


MISTAKES = {
    "the block of another label": (
        "theta[data.group_in_d_theta[row]]",
        "theta[data.school_in_d_theta[row]]",
    ),
    "another block": ("= theta[data.group_in_d_theta[row]]", "= other[data.group_in_d_theta[row]]"),
    "another length": ("= theta[data.group", "= slope[data.group"),
    "put in place of added": (
        "g_theta[data.group_in_d_theta[row]] +=",
        "g_theta[data.group_in_d_theta[row]] =",
    ),
    "taken away": (
        "g_theta[data.group_in_d_theta[row]] +=",
        "g_theta[data.group_in_d_theta[row]] -=",
    ),
    "the result of another block": (
        "g_theta[data.group_in_d_theta[row]] +=",
        "g_other[data.group_in_d_theta[row]] +=",
    ),
    "the gradient read": (
        "= theta[data.group_in_d_theta[row]]",
        "= g_theta[data.group_in_d_theta[row]]",
    ),
    "another row": ("row = row_of[k]\n            g_mu", "row = row_of[0]\n            g_mu"),
    "the label as a number": ("float(data.w[row])", "float(data.group_in_d_theta[row])"),
    "a coordinate of the label": (
        "= theta[data.group_in_d_theta[row]]",
        "= theta[data.group_in_d_theta[row][0]]",
    ),
    "the label and one": (
        "= theta[data.group_in_d_theta[row]]",
        "= theta[data.group_in_d_theta[row] + 1]",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_no_mistake_is_proved(varied, name):
    old, new = MISTAKES[name]
    assert old in varied.source
    changed = dataclasses.replace(varied, source=varied.source.replace(old, new, 1))
    assert translation_of(changed).verdict is not Verdict.PROVED


@pytest.mark.slow
def test_values_and_gradients_are_those_of_plain_indexing():
    """The posterior again in numpy, with its gradient by differences."""
    law = posterior(VARIED, lambda y, eta: normal(y, eta, 2))
    density = Density(law)
    at = {mu: 0.3, theta: rng.normal(size=5), other: rng.normal(size=5), slope: rng.normal(size=2)}

    def plain(at):
        eta = (
            at[mu]
            + at[theta][ARRAYS[group]] * np.exp(at[other][ARRAYS[school]] / 3)
            + at[other][ARRAYS[group]] * ARRAYS[w]
            + ARRAYS[x] @ at[slope] * at[theta][ARRAYS[school]]
        )
        fit = ((ARRAYS[y] - eta) ** 2 / 8 + np.log(2) + np.log(2 * np.pi) / 2).sum()
        return fit + sum(np.sum(np.square(v)) for v in at.values())

    assert density.potential(at) == pytest.approx(plain(at))
    found = density.gradient(at)
    for block, value in at.items():
        for i in range(np.size(value)):
            step = np.zeros(np.size(value))
            step[i] = 1e-6
            step = step if np.ndim(value) else step[0]
            slope_ = (plain(at | {block: value + step}) - plain(at | {block: value - step})) / 2e-6
            assert np.atleast_1d(found[block])[i] == pytest.approx(slope_, abs=1e-5)


# -- a block that a label names and a sum goes over: two sums over rows grow in one coordinate

weights = Vector("weights", domain=Simplex())
SIMPLEX = Posterior(
    weights,
    categorical(y, weights),
    dirichlet(weights, 2),
    {y: rng.integers(0, 4, SIZE)},
)


@pytest.fixture(scope="module")
def chances():
    return generate(sgld, SIMPLEX, name="chances")


def test_two_sums_over_rows_in_one_coordinate_are_proved(chances):
    outcome = translation_of(chances)
    assert outcome.verdict is Verdict.PROVED, outcome.by


GROWS = "g_weights[data.y_but_last_in_d_weights[row]] += "
TWO_SUMS = {
    "the first is left out": (GROWS, "g_weights[data.y_but_last_in_d_weights[row]] += 0.0 * "),
    "the first is taken away": (GROWS, GROWS.replace("+=", "-=")),
    "the first is doubled": (GROWS, GROWS + "2.0 * "),
    "the second is left out": ("return weights_sum + factor", "return weights_sum + 0.0 * factor"),
    "the second is taken away": ("return weights_sum + factor", "return weights_sum - factor"),
}


@pytest.mark.parametrize("mistake", TWO_SUMS)
def test_a_mistake_in_one_of_two_sums_is_not_proved(chances, mistake):
    right, wrong = TWO_SUMS[mistake]
    assert right in chances.source
    changed = dataclasses.replace(chances, source=chances.source.replace(right, wrong))
    assert translation_of(changed).verdict is not Verdict.PROVED
