"""Modes of posteriors whose blocks live on intervals and simplexes, and numbers for all
coordinates.
"""

import numpy as np
import pytest
from sympy import Interval, oo

from catalog.sgld import sgld
from codegen import Density, sample
from codegen.inputs.density.unbounded import as_real, real_slopes
from codegen.inputs.initial_states import in_domain
from recipe import Data, Parameter, Posterior, RecipeError, Scalar, Simplex, Vector, total
from recipe.laws import bernoulli, beta, categorical, dirichlet, half_cauchy, normal

y, m, theta = Data("y"), Scalar("m"), Vector("theta")
s, p = Scalar("s", domain=Interval.open(0, oo)), Scalar("p", domain=Interval.open(0, 1))
n, w = Scalar("n", domain=Interval.open(-oo, 2)), Vector("w", domain=Simplex())
Y = np.array([1.0, 2.0, 4.0])
LAW = Posterior((m, s), normal(y, m, s), normal(m, 0, 1e4) + half_cauchy(s, 1e4), {y: Y})

FOUND = {
    "half-line": (LAW, {m: Y.mean(), s: Y.std()}),
    "interval": (
        Posterior(p, bernoulli(y, p), beta(p, 2, 2), {y: [0, 1, 1, 1]}),
        {p: 4 / 6},
    ),
    "simplex": (
        Posterior(w, categorical(y, w), dirichlet(w, 2), {y: [0, 1, 1, 2]}),
        {w: [2 / 7, 3 / 7]},
    ),
    "below": (Posterior(n, normal(y, n, 1), 0, {y: [-1.0, 3.0]}), {n: 1.0}),
}


@pytest.mark.parametrize("name", FOUND)
def test_a_mode_inside_is_that_of_the_block_itself(name):
    posterior, expected = FOUND[name]
    found = Density(posterior).mode()
    for block, value in expected.items():
        np.testing.assert_allclose(found[block], value, rtol=1e-3)


def test_a_search_begins_where_it_is_told():
    found = Density(LAW).mode({"m": 5, "s": 9})
    np.testing.assert_allclose(found[s], Y.std(), rtol=1e-3)


AT_AN_EDGE = {
    "half-line": Posterior(s, normal(y, 0, 1), -s, {y: [0.0]}),
    "interval": Posterior(p, bernoulli(y, p), 0, {y: [1, 1]}),
    "simplex": Posterior(w, categorical(y, w), 0, {y: [0, 2]}),
    "below": Posterior(n, normal(y, n, 1), 0, {y: [5.0, 6.0]}),
}


@pytest.mark.filterwarnings("ignore::codegen.inputs.label_arrays.LabelWarning")
@pytest.mark.parametrize("name", AT_AN_EDGE)
def test_a_density_that_rises_to_an_edge_has_no_mode_inside(name):
    with pytest.raises(RecipeError, match=r"no mode was found inside .* rises towards its edge"):
        Density(AT_AN_EDGE[name]).mode()


DOMAINS = [s.domain, p.domain, n.domain, Interval(-1, 3), w.domain, theta.domain]


@pytest.mark.parametrize("domain", DOMAINS, ids=str)
def test_slopes_are_those_of_differences(domain):
    z, weights, step = np.array([0.3, -1.2]), np.array([2.0, -0.7]), 1e-6
    x = in_domain(domain, z)
    np.testing.assert_allclose(as_real(domain, x), z, rtol=1e-12)
    by = np.eye(2) * step
    differences = [
        weights @ (in_domain(domain, z + d) - in_domain(domain, z - d)) / (2 * step) for d in by
    ]
    np.testing.assert_allclose(real_slopes(domain, x, weights), differences, rtol=1e-8)


def test_one_number_stands_for_all_coordinates():
    scale = Parameter("scale", like=theta, positive=True)
    x = Data("x", like=theta)
    posterior = Posterior(
        theta,
        normal(y, total(x * theta), 1),
        total(normal(theta, 0, scale)),
        {x: np.eye(3), y: Y},
    )
    how = {"step_size": 0.01, "steps": 5, "warmup": 0, "progress": False}
    one = sample(sgld, posterior, params={"scale": 2.0}, initial={"theta": 0.5}, **how)
    each = sample(sgld, posterior, params={"scale": [2.0] * 3}, initial={"theta": [0.5] * 3}, **how)
    assert np.array_equal(one["theta"], each["theta"])


def test_one_number_of_an_unknown_length_is_refused_with_what_to_write():
    alone = {"gradient": lambda theta: theta, "step_size": 0.01, "steps": 5, "progress": False}
    with pytest.raises(RecipeError, match=r"one number for all .* lengths=\{'theta': \.\.\.\}"):
        sample(sgld, initial={"theta": 0.5}, **alone)
    with pytest.raises(RecipeError, match=r"not known.*coords=\{theta: range"):
        sample(sgld, **alone)
