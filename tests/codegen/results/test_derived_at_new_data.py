"""Derived quantities of draws that are there, at other data, against numpy."""

import numpy as np
import pytest

from codegen import compute_derived, read_draws
from codegen.results.diagnostics.groups import Group, Variable
from codegen.results.law_of_draws import law_of
from codegen.results.quantities import at_draws
from codegen.results.saved_draws import SavedDraws
from recipe import Data, Posterior, RecipeError, Scalar, Vector, total
from recipe.laws import half_normal, normal

A, TAU = Vector("a", prior=normal(0, 1)), Scalar("tau", prior=half_normal(1))
B, G, X, Y = Vector("b", prior=normal(0, 2)), Data("g"), Data("x", like=Vector("b")), Data("y")
RNG = np.random.default_rng(5)
VALUES = {
    "a": RNG.normal(size=(2, 6, 3)),
    "b": RNG.normal(size=(2, 6, 2)),
    "tau": RNG.exponential(size=(2, 6)),
}
TABLE = RNG.normal(size=(4, 2))
NAMES = {"a": ["Ash", "Elm", "Oak"], "b": ["age", "income"]}


def model(x, g, y, derived=True):
    mean = A[G] + total(X * B)
    quantities = {"mean": mean, "scaled": TAU * A, "both": [TAU, TAU**2]} if derived else None
    return Posterior(
        log_likelihood=normal(Y, mean, TAU), data={X: x, G: g, Y: y}, derived=quantities
    )


def fitted(**more):
    pandas = pytest.importorskip("pandas")
    x = pandas.DataFrame(TABLE, columns=NAMES["b"])
    return model(x, pandas.Categorical(["Oak", "Ash", "Elm", "Oak"]), [1.0, 2, 3, 4], **more)


def drawn(posterior):
    points = {f"{n}_dim": Variable((f"{n}_dim",), np.array(v, object)) for n, v in NAMES.items()}
    variables = {n: Variable(("chain", "draw", f"{n}_dim")[: v.ndim], v) for n, v in VALUES.items()}
    return SavedDraws(Group(variables, points, law_of(at_draws(posterior, VALUES, {}))))


def test_quantities_at_new_data_are_those_of_numpy(tmp_path):
    pandas = pytest.importorskip("pandas")
    posterior = fitted()
    new = pandas.DataFrame({"income": [1.0, 2.0], "age": [3.0, -1.0]})
    there = posterior.with_data({X: new, G: pandas.Categorical(["Oak", "Ash"])})
    draws = compute_derived(drawn(posterior), there)
    found = draws.predictions["predictions"]
    b = VALUES["b"]
    expected = VALUES["a"][..., [2, 0]] + b[..., [0]] * [3.0, -1.0] + b[..., [1]] * [1.0, 2.0]
    np.testing.assert_allclose(found.variables["mean"].values, expected, rtol=1e-12)
    scaled = VALUES["tau"][..., None] * VALUES["a"]
    np.testing.assert_allclose(found.variables["scaled"].values, scaled, rtol=1e-14)
    assert found.variables["both"].values.shape == (2, 6, 2)
    assert found.coordinates["scaled_dim"].values.tolist() == NAMES["a"]
    saved = read_draws(draws.save(tmp_path / "more.nc")).predictions["predictions"]
    assert np.array_equal(saved.variables["mean"].values, found.variables["mean"].values)
    some = compute_derived(drawn(posterior), there, thin=4).predictions["predictions"]
    assert np.array_equal(some.variables["mean"].values, found.variables["mean"].values[:, ::4])


def test_quantities_that_were_not_declared_before_the_run_are_computed_after_it():
    draws = compute_derived(drawn(fitted(derived=False)), fitted())
    found = draws.predictions["predictions"].variables["mean"].values
    expected = VALUES["a"][..., [2, 0, 1, 2]] + VALUES["b"] @ TABLE.T
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.filterwarnings("error")
def test_quantities_of_the_prior_are_those_of_its_draws():
    draws = compute_derived(drawn(fitted().prior()), fitted().prior())
    found = draws.predictions["predictions"].variables["mean"].values
    expected = VALUES["a"][..., [2, 0, 1, 2]] + VALUES["b"] @ TABLE.T
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_draws_of_another_posterior_and_nothing_derived_are_refused():
    posterior = fitted()
    with pytest.raises(RecipeError, match="not of its prior"):
        compute_derived(drawn(posterior), posterior.prior())
    with pytest.raises(RecipeError, match="no derived quantities"):
        compute_derived(drawn(posterior), fitted(derived=False))


def test_draws_of_another_model_are_called_that():
    posterior = model(TABLE, [0, 1, 2, 1], [1.0, 2.0, 3.0, 4.0])
    said = "these are draws of another model, of theta, psi; the posterior has a, b, tau"
    with pytest.raises(RecipeError, match=said):
        at_draws(posterior, {"theta": VALUES["a"], "psi": VALUES["tau"]}, {})
    with pytest.raises(RecipeError, match="there are no draws of b, a block of the posterior"):
        at_draws(posterior, {"a": VALUES["a"], "tau": VALUES["tau"]}, {})
