"""Draws say which law they are of, and nothing is computed of draws of another one."""

import json
import re
import warnings

import numpy as np
import pytest
from sympy import Rational, Symbol, expand, log

from catalog.hmc import hmc_kernel
from codegen import (
    compute_log_likelihood,
    compute_log_prior,
    read_draws,
    sample,
    sample_posterior_predictive,
    sample_prior_predictive,
)
from codegen.results.diagnostics.groups import Group, Variable
from codegen.results.law_of_draws import law_of
from codegen.results.quantities import at_draws
from codegen.results.require_law import LawWarning
from codegen.results.saved_draws import SavedDraws
from recipe import (
    Data,
    Ordered,
    Parameter,
    Posterior,
    Potential,
    Recipe,
    RecipeError,
    Scalar,
    Simplex,
    Vector,
    total,
)
from recipe.laws import categorical, dirichlet, half_normal, logistic, normal, ordered_logistic

ROWS = [0.3, 1.0, 2.0]
OF_DATA = [compute_log_likelihood, sample_posterior_predictive]


def model(y=ROWS, law=normal, sd=2):
    mu, tau = Scalar("mu", prior=normal(0, sd)), Scalar("tau", prior=half_normal(3))
    data = {Data("y"): y, Data("x"): [1.0, -1.0, 2.0]}
    return Posterior(log_likelihood=law(Data("y"), mu * Data("x"), tau), data=data)


def drawn(posterior):
    how = {"step_size": 0.1, "steps": 30, "chains": 2, "progress": False}
    return sample(hmc_kernel, posterior, **how)


@pytest.fixture(scope="module")
def fitted():
    return drawn(model())


def noted(posterior, names=None, **shapes):
    """Draws that say that they are of a posterior."""
    values = {n: np.full((2, 5, *shape), 0.3) for n, shape in shapes.items()}
    variables = {n: Variable(("chain", "draw", n)[: a.ndim], a) for n, a in values.items()}
    points = {
        n: Variable((n,), np.array(names or range(a.shape[2]), dtype=object))
        for n, a in values.items()
        if a.ndim == 3
    }
    return SavedDraws(Group(variables, points, law_of(at_draws(posterior, values, {}))))


@pytest.fixture(scope="module")
def before():
    return noted(model().prior(), mu=(), tau=())


def refused(called, draws, posterior):
    with pytest.raises(RecipeError) as error:
        called(draws, posterior)
    return str(error.value)


@pytest.mark.parametrize("called", OF_DATA)
@pytest.mark.parametrize(
    ("other", "said"),
    [
        (model([0.4, 1.0, 2.0]), "of a posterior with other data, y: sample this one"),
        (model(law=logistic), "another log likelihood"),
        (model(sd=5), "with the prior normal(0, 2) of mu, and this posterior has normal(0, 5)"),
        (model(law=logistic).with_data({"y": ROWS}), "another log likelihood"),
    ],
    ids=["data", "law", "prior", "law of other data"],
)
def test_draws_of_another_posterior_are_refused(called, other, said, fitted, tmp_path):
    saved = read_draws(fitted.save(tmp_path / "draws.nc"))
    for draws in (fitted, saved):
        assert said in refused(called, draws, other)


@pytest.mark.parametrize("called", OF_DATA)
def test_draws_of_the_prior_are_no_draws_of_the_posterior(called, before):
    assert "sample_prior_predictive(draws, posterior)" in refused(called, before, model())


def test_draws_of_the_posterior_are_no_draws_of_the_prior(fitted):
    for posterior in (model(), model().prior()):
        assert "not of its prior" in refused(sample_prior_predictive, fitted, posterior)


def test_draws_of_another_prior_are_refused(fitted, before):
    assert "normal(0, 5)" in refused(sample_prior_predictive, before, model(sd=5))
    assert "normal(0, 5)" in refused(compute_log_prior, fitted, model(sd=5))


def written_out():
    """The same law, with its prior in ``log_prior=`` and its data as float32."""
    mu, tau = Scalar("mu"), Scalar("tau", domain=half_normal(3).domain)
    y, x = Data("y"), Data("x")
    prior = -(tau**2) / 18 - mu**2 / 8
    data = {y: np.array(ROWS, np.float32), x: np.array([1, -1, 2])}
    return Posterior((tau, mu), log_likelihood=normal(y, x * mu, tau), log_prior=prior, data=data)


@pytest.mark.parametrize(
    "same",
    [model(), model().with_data({"y": [1.0], "x": [2.0]}), written_out()],
    ids=["anew", "other data", "written out"],
)
def test_draws_of_this_law_are_taken(same, fitted):
    for called in (*OF_DATA, compute_log_prior):
        called(fitted, same)


def test_data_of_prior_draws_may_be_new(before):
    there = model().with_data({"x": [1.0, 5.0]})
    found = sample_prior_predictive(before, there).predictions["prior_predictive"]
    assert found.variables["y"].values.shape == (2, 5, 2)
    compute_log_prior(before, model())


def test_draws_of_other_programs_say_nothing_of_their_law(fitted):
    variables = {n: Variable(("chain", "draw"), fitted[n]) for n in ("mu", "tau")}
    for said in ({}, {"law": "something else"}, {"law": "[]"}):
        draws = SavedDraws(Group(variables, attributes=said))
        compute_log_likelihood(draws, model([5.0, 6.0, 7.0]))


SCALE = Symbol("s", positive=True)


def with_law(density, y=ROWS):
    """A posterior of a, with the density of a row of y as a function of both."""
    a = Scalar("a", prior=normal(0, 2))
    return Posterior(log_likelihood=density(a, Data("y", y)))


def noted_of(posterior, **named):
    values = {"a": np.full((2, 5), 0.3)}
    attributes = law_of(at_draws(posterior, values, named))
    return SavedDraws(Group({"a": Variable(("chain", "draw"), values["a"])}, {}, attributes))


@pytest.mark.parametrize(
    "called", [*OF_DATA, compute_log_prior], ids=["likelihood", "predictive", "prior"]
)
def test_draws_with_other_values_of_parameters_are_refused(called, tmp_path):
    a, b = Scalar("a", prior=normal(0, SCALE)), Symbol("b", positive=True)
    posterior = Posterior(log_likelihood=normal(Data("y", ROWS), a, b))
    fitted = noted_of(posterior, s=1.0, b=0.1)
    for draws in (fitted, read_draws(fitted.save(tmp_path / "draws.nc"))):
        called(draws, posterior, params={"s": np.float32(1), "b": np.float32(0.1)})
        with pytest.raises(RecipeError, match=r"are draws with s = 1, and params= says s = 100;"):
            called(draws, posterior, params={"s": 100, "b": 0.1})
        if called is compute_log_prior:
            called(draws, posterior, params={"s": 1, "b": 7})
        else:
            with pytest.raises(RecipeError, match=r"are draws with b = 0\.1, and params= says"):
                called(draws, posterior, params={"s": 1, "b": 7})


def test_the_values_of_a_vector_of_parameters_are_compared():
    theta = Vector("theta")
    k = Parameter("k", like=theta)
    posterior = Posterior(
        theta, normal(Data("y"), total(theta), 1), -total(k * theta**2), {Data("y"): ROWS}
    )

    def at(value):
        values = {"theta": np.full((2, 5, 3), 0.3)}
        attributes = law_of(at_draws(posterior, values, {"k": value}))
        variables = {"theta": Variable(("chain", "draw", "d"), values["theta"])}
        return SavedDraws(Group(variables, {}, attributes))

    compute_log_prior(at([2.0, 2.0, 2.0]), posterior, params={"k": [2.0, 2.0, 2.0]})
    with pytest.raises(RecipeError, match="these are draws with other values of k"):
        compute_log_prior(at([2.0, 2.0, 2.0]), posterior, params={"k": [2.0, 2.0, 3.0]})


def test_a_density_that_is_finite_at_the_data_alone_is_compared_there():
    def law(c):
        return with_law(lambda a, y: -((log(y - 5) - c * a) ** 2), [6.0, 7.0])

    fitted = noted_of(law(1))
    compute_log_likelihood(fitted, law(1))
    compute_log_likelihood(fitted, law(1).with_data({"y": [8.0, 9.0, 10.0]}))
    for other in (law(7), law(7).with_data({"y": [8.0, 9.0]})):
        assert "another log likelihood" in refused(compute_log_likelihood, fitted, other)


def test_a_density_that_can_be_compared_nowhere_is_said():
    """It is finite where a is above 50, which no made-up point is."""

    def law(c):
        return with_law(lambda a, y: -((c * log(a - 50) - y) ** 2))

    with pytest.warns(LawWarning, match="nothing says whether these are draws of this posterior"):
        compute_log_likelihood(noted_of(law(1)), law(7))


@pytest.mark.parametrize("offset", [0, 10**5, 10**7])
def test_a_law_that_is_written_in_two_ways_is_one_law_far_from_0(offset):
    """What is left of the squares of the offset has the rounding of these squares."""

    def law(wrap, scale=1):
        return with_law(lambda a, y: wrap(-scale * (y - a - offset) ** 2 / 2), [offset, offset + 1])

    for other in (law(lambda e: e), law(expand)):
        compute_log_likelihood(noted_of(law(lambda e: e)), other)
    said = refused(compute_log_likelihood, noted_of(law(expand)), law(expand, Rational(1001, 1000)))
    assert "another log likelihood" in said


@pytest.mark.filterwarnings("error")
def test_draws_of_files_that_say_less_are_taken():
    """Of earlier versions: with neither parameters, nor the largest number of a density."""
    posterior, values = model(), {n: np.full((2, 5), 0.3) for n in ("mu", "tau")}
    law = json.loads(law_of(at_draws(posterior, values, {}))["law"])
    few = {n: law[n] for n in ("prior", "log_prior", "log_likelihood", "priors", "data", "last")}
    variables = {n: Variable(("chain", "draw"), a) for n, a in values.items()}
    draws = SavedDraws(Group(variables, {}, {"law": json.dumps(few)}))
    compute_log_likelihood(draws, posterior)
    assert "another log likelihood" in refused(compute_log_likelihood, draws, model(law=logistic))


def test_of_draws_of_another_law_it_is_said(tmp_path):
    """Of a sampler at a temperature: what is computed is of the draws that there are."""
    theta = Vector("theta")
    U, T = Potential("U", theta), Symbol("T", positive=True)
    tempered = Recipe(theta, U / T, D=T, Q=0, name="tempered")
    how = {"scheme": "euler", "step_size": 0.01, "steps": 5, "chains": 1, "progress": False}
    posterior = with_law(lambda a, y: normal(y, a, 1))
    fitted = sample(tempered, posterior, **how, params={"T": 100})
    for draws in (fitted, read_draws(fitted.save(tmp_path / "draws.nc"))):
        for called in (*OF_DATA, compute_log_prior):
            with pytest.warns(LawWarning, match=r"exp\(-\(U/T\)\) with T = 100, not of the post"):
                called(draws, posterior)
    with warnings.catch_warnings():
        warnings.simplefilter("error", LawWarning)
        compute_log_likelihood(sample(tempered, posterior, **how, params={"T": 1}), posterior)


W, A = Vector("w", domain=Simplex()), Vector("a")
Z, G, X = Data("z"), Data("g"), Data("x", like=A)


def labelled(z, x, g=(0, 1, 1), first=1.0):
    likelihood = categorical(Z, W) + normal(Data("y"), A[G] + first * W[0] + total(X * A), 1)
    prior = dirichlet(W, 1) + total(normal(A, 0, 1))
    data = {Z: z, G: list(g), X: x, Data("y"): ROWS}
    return Posterior((W, A), likelihood, prior, data)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"z": [0, 2, 1]}, "other data, z:"),
        ({"g": (1, 1, 0)}, "other data, g:"),
        ({"x": np.eye(3, 2)[::-1]}, "other data, x:"),
        ({"first": 1.5}, "another log likelihood"),
    ],
)
def test_labels_tables_and_coordinates_are_compared(change, said):
    known = {"z": [0, 1, 2], "x": np.eye(3, 2)}
    draws = noted(labelled(**known), w=(2,), a=(2,))
    compute_log_likelihood(draws, labelled(**known))
    with pytest.raises(RecipeError, match=re.escape(said)):
        compute_log_likelihood(draws, labelled(**known | change))


def test_columns_in_another_order_are_the_same_data():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"age": [1.0, 2.0, 3.0], "income": [0.0, 1.0, 5.0]})

    def regression(x):
        law = normal(Data("y"), total(X * A), 1)
        return Posterior(A, law, total(normal(A, 0, 1)), {X: x, Data("y"): ROWS})

    draws = noted(regression(table), ("age", "income"), a=(2,))
    compute_log_likelihood(draws, regression(table[["income", "age"]]))
    with pytest.raises(RecipeError, match="other data, x:"):
        compute_log_likelihood(draws, regression(table + 1))


def of_categories(labels, categories):
    pandas = pytest.importorskip("pandas")
    data = {Z: pandas.Categorical(labels, categories=categories)}
    return Posterior(W, categorical(Z, W), dirichlet(W, 1), data)


def rows(draws, posterior):
    found = compute_log_likelihood(draws, posterior).predictions["log_likelihood"]
    return found.variables["z"].values


def test_categories_of_a_simplex_are_matched_by_name(tmp_path):
    """Probabilities 0.3, 0.5 and what is left; the last category has no draws of its own."""
    fitted = of_categories(["a", "b", "c", "a"], ["a", "b", "c"])
    values = {"w": np.broadcast_to([0.3, 0.5], (2, 5, 2))}
    points = {"k": Variable(("k",), np.array(["a", "b"], dtype=object))}
    group = Group(
        {"w": Variable(("chain", "draw", "k"), values["w"])},
        points,
        law_of(at_draws(fitted, values, {})),
    )
    draws = SavedDraws(group)
    expected = np.log([0.3, 0.5, 0.2, 0.3])
    for each in (draws, read_draws(draws.save(tmp_path / "draws.nc"))):
        for order in (["a", "b", "c"], ["c", "a", "b"], ["b", "c", "a"]):
            found = rows(each, of_categories(["a", "b", "c", "a"], order))
            np.testing.assert_allclose(found[0, 0], expected, rtol=1e-12)
    new = pytest.importorskip("pandas").Categorical(["c", "b"], categories=["c", "b"])
    found = rows(draws, fitted.with_data({Z: new}))
    np.testing.assert_allclose(found[0, 0], np.log([0.2, 0.5]), rtol=1e-12)
    other = of_categories(["a", "b", "d", "a"], ["a", "b", "d"])
    with pytest.raises(RecipeError, match=r"z d is no group of the draws \(row 2\)"):
        compute_log_likelihood(draws, other)


def test_a_category_whose_name_draws_do_not_say_stays_at_its_place():
    points = {"k": Variable(("k",), np.array(["a", "b"], dtype=object))}
    values = np.broadcast_to([0.3, 0.5], (2, 5, 2))
    draws = SavedDraws(Group({"w": Variable(("chain", "draw", "k"), values)}, points))
    with pytest.raises(RecipeError, match="and of one more: give them in this order"):
        rows(draws, of_categories(["a", "b", "c"], ["c", "a", "b"]))


def answered(order):
    """A posterior of answers in words, whose numbers are the same for every order."""
    pandas = pytest.importorskip("pandas")
    words = pandas.Categorical([order[k] for k in (0, 2, 1)], categories=order, ordered=True)
    c, b = Ordered("c", 2, prior=normal(0, 3)), Scalar("b", prior=normal(0, 1))
    return Posterior(log_likelihood=ordered_logistic(Data("y", words), b * Data("x", ROWS), c))


@pytest.mark.parametrize("predict", OF_DATA)
def test_draws_of_answers_in_other_words_are_refused(predict):
    before = answered(["low", "medium", "high"])
    draws = noted(before, b=(), c_0=(), c_gap_1=())
    assert predict(draws, before).predictions
    new = before.with_data({"x": [1.0], "y": [2]})
    assert predict(draws, new).predictions
    for order in (["bad", "fair", "good"], ["high", "medium", "low"]):
        other = answered(order)
        for law in (other, other.with_data({"x": [1.0], "y": [order[0]]})):
            said = f"y is low < medium < high, and that of this one is {' < '.join(order)};"
            with pytest.raises(RecipeError, match=said):
                predict(draws, law)
