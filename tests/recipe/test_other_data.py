"""``Posterior.with_data``: the same model with other data, and what is left out."""

import re

import numpy as np
import pytest
from sympy import exp

from codegen.inputs.demands import require_demands
from recipe import Data, Ordered, Posterior, RecipeError, Scalar, Vector, bind, total
from recipe.laws import beta, binomial, half_normal, normal, ordered_logistic

A, B = Scalar("a", prior=normal(0, 1)), Vector("b", prior=normal(0, 1))
SD = Scalar("sd", prior=half_normal(1))
X, Y, G, NEW = Data("x", [1.0, 2, 3]), Data("y", [1.0, 2, 3]), Data("g", [0, 1, 1]), Data("new")
OLD = [1.0, 2, 3]


def model(**more):
    return Posterior(log_likelihood=normal(Y, A * X + B[G], SD), **more)


def arrays(posterior):
    return {str(s): list(np.asarray(a)) for s, a in posterior.given.items()}


def test_new_covariates_leave_the_data_that_are_drawn_out():
    new = model().with_data({X: [4.0, 5], G: [0, 1]})
    assert arrays(new) == {"x": [4, 5], "g": [0, 1]}
    assert [str(s) for s in new.missing] == ["y"]
    assert new.log_likelihood == model().log_likelihood
    assert new.priors == model().priors


def test_the_posterior_itself_does_not_change():
    posterior = model()
    before = arrays(posterior), repr(posterior)
    posterior.with_data({X: [4.0, 5], "g": [0, 1]})
    assert (arrays(posterior), repr(posterior)) == before


def test_data_are_left_out_for_the_same_number_of_rows_as_well():
    assert [str(s) for s in model().with_data({"x": OLD}).missing] == ["y"]


def test_all_data_are_a_posterior_that_is_sampled():
    from catalog.sghmc import sghmc

    new = model().with_data({X: [4.0], G: [1], Y: [0.5]})
    assert not new.missing
    bind(sghmc, new)
    again = model().with_data({X: [4.0], G: [1]}).with_data({Y: [0.5]})
    assert arrays(again) == arrays(new)
    assert not again.missing


def test_new_observations_alone_keep_the_covariates():
    new = model().with_data({Y: [3.0, 2, 1]})
    assert arrays(new) == {"x": OLD, "g": [0, 1, 1], "y": [3, 2, 1]}


def test_data_of_derived_quantities_have_rows_of_their_own():
    posterior = model(derived={"rate": exp(A * NEW)}, data={NEW: [0.0]})
    new = posterior.with_data({NEW: [1.0, 2]})
    assert arrays(new)["new"] == [1, 2]
    assert not new.missing


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "with at least one of them"),
        ([1], "takes a dict of new arrays"),
        ({"z": [1]}, "with_data() has z, which is no data of this posterior; its data are"),
        ({X: [1.0, 2]}, "gives x with 2 rows, and g still has 3; give g as well"),
        ({X: [1.0], G: [0, 1]}, "gives g with 2 rows, and x is given with 1; give as many"),
    ],
)
def test_data_that_do_not_fit_are_refused(given, said):
    with pytest.raises(RecipeError, match=re.escape(said)):
        model().with_data(given)


def test_a_sampler_refuses_data_that_were_left_out():
    from catalog.sghmc import sghmc
    from codegen import Density

    new = model().with_data({X: [4.0], G: [1]})
    for use in (lambda: bind(sghmc, new), lambda: Density(new)):
        with pytest.raises(RecipeError, match="needs y, which with_data"):
            use()


def test_counts_out_of_n_need_no_counts():
    n, k, p = Data("n", [5, 6]), Data("k", [1, 2]), Scalar("p", prior=beta(1, 1))
    new = Posterior(log_likelihood=binomial(k, n, p)).with_data({n: [7]})
    require_demands(new)  # that a count is at most n is asked of no count
    with pytest.raises(RecipeError, match="the n of binomial"):
        require_demands(new.with_data({n: [7.5]}))


def test_an_ordered_block_stays_one():
    c = Ordered("c", 2, prior=normal(0, 3))
    ordered = Posterior(log_likelihood=ordered_logistic(Y, A * X, c)).with_data({X: [1.0]})
    assert ordered.blocks == Posterior(log_likelihood=ordered_logistic(Y, A * X, c)).blocks
    assert "c" in ordered.derived


def test_text_is_numbered_by_the_names_before():
    pandas = pytest.importorskip("pandas")
    labels = pandas.Categorical(["u", "v", "w"], categories=["w", "v", "u"])
    theta, g, y = Vector("theta"), Data("g"), Data("y")
    posterior = Posterior(
        theta, normal(y, theta[g], 1), total(normal(theta, 0, 1)), {g: labels, y: OLD}
    )
    for new in (["u", "w"], pandas.Categorical(["u", "w"])):
        assert posterior.with_data({g: new}).given[g].tolist() == [2, 0]
    with pytest.raises(RecipeError, match="'x', which the data before do not name"):
        posterior.with_data({g: ["u", "x"]})
    others = posterior.with_data({g: pandas.Categorical(["x", "y"]), y: [1.0, 2]})  # another model
    assert others.categories[g] == ("x", "y")


def test_data_that_are_drawn_and_covariates_leave_out_what_depends_on_them():
    u, w, b = Data("u", OLD), Data("w", OLD), Scalar("b", prior=normal(0, 1))
    chain = Posterior(log_likelihood=normal(u, b * w, 1) + normal(Y, b * u, 1))
    for given, missing in (("u", "y"), ("w", "uy"), ("y", ""), ("uy", ""), ("uw", "y")):
        new = chain.with_data(dict.fromkeys(given, OLD))
        assert "".join(sorted(map(str, new.missing))) == missing
    with pytest.raises(RecipeError, match="w still has 3; give w as well"):
        chain.with_data({u: [1.0] * 5})


def test_the_variable_of_a_scaled_law_does_not_stay_beside_new_data_that_it_depends_on():
    """w is an argument of the law of y, and nothing says that its own law has moved."""
    u, w, y = Data("u", OLD), Data("w", OLD), Data("y", OLD)
    chain = Posterior(log_likelihood=2 * normal(w, A * u, 1) + normal(y, A * w, 1))
    said = r"gives u, and the old w would stay beside: a term .* no law by name.*give all of u, w"
    with pytest.raises(RecipeError, match=said):
        chain.with_data({"u": [5.0] * len(OLD)})
    given = {"u": [5.0], "w": [6.0]}
    assert chain.with_data(given).missing == (Data("y"),)
    assert chain.with_data({"y": [7.0] * len(OLD)}).missing == ()


@pytest.mark.parametrize("scaled", [True, False])
def test_some_data_of_an_expression_that_is_no_law_by_name_are_refused(scaled):
    law = normal(Y, A * X, 1)
    posterior = Posterior(log_likelihood=2 * law if scaled else -((Y - A * X) ** 2))
    for given in ("x", "y"):
        with pytest.raises(RecipeError, match=r"no law by name.*give all of x, y"):
            posterior.with_data({given: OLD})
    assert arrays(posterior.with_data({X: [4.0], Y: [5.0]})) == {"x": [4], "y": [5]}


def test_the_order_of_the_data_stays():
    def gradient(*_):
        raise AssertionError

    a, x, y = Scalar("a"), Data("x"), Data("y")
    data = {y: OLD, x: OLD}
    posterior = Posterior(a, normal(y, a * x, 1), normal(a, 0, 1), data, gradient=gradient)
    again = posterior.with_data({x: [1.0]}).with_data({y: [2.0]})
    assert [str(s) for s, _ in again.data] == ["y", "x"]


def test_the_prior_with_other_data_knows_its_posterior():
    posterior = model(derived={"rate": exp(A * NEW)}, data={NEW: [0.0]})
    new = posterior.prior().with_data({NEW: [1.0, 2]})
    assert new.prior_of is not None
    assert arrays(new) == {"new": [1, 2]}


def test_the_prior_of_a_flat_one_is_refused():
    m = Scalar("m")
    posterior = Posterior(m, normal(Data("y"), m, 1), 0, {Data("y"): OLD})
    with pytest.raises(RecipeError, match=re.escape("m has no prior (log_prior=0), so the prior")):
        posterior.prior()


def test_a_prior_takes_the_data_of_its_posterior():
    new = Data("new")
    posterior = Posterior(
        log_likelihood=normal(Y, A * X, 1), data={new: [1.0]}, derived={"q": A * new}
    )
    there = posterior.prior().with_data({X: [5.0, 6.0]})
    assert arrays(there.prior_of) == {"x": [5, 6], "new": [1]}
    assert there.prior_of.missing == (Data("y"),)
    assert there.data == ()
    assert arrays(there) == {"new": [1]}
    assert arrays(posterior.prior().with_data({new: [4.0]})) == {"new": [4]}
    with pytest.raises(RecipeError, match="its data are new, x, y"):
        posterior.prior().with_data({"unknown": [1.0]})


def test_data_have_no_numbers_of_groups():
    """Nor can Python go through them, although they refuse an index in words."""
    with pytest.raises(RecipeError, match=r"x\[g\]: data have one number a row"):
        X[G]
    with pytest.raises(TypeError, match="'ScalarData' object is not iterable"):
        list(X)
