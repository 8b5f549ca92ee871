"""Data are matched with draws by the names of columns and labels, never by place alone.

The oracle is plain pandas and scipy: what a row says depends on the names in it.
"""

import re

import numpy as np
import pytest
from scipy import stats

from codegen import compute_log_likelihood, read_draws, sample_posterior_predictive
from codegen.inputs.label_arrays import LabelWarning
from codegen.inputs.lengths import Lengths
from codegen.inputs.named_values import NamedValues, in_order_of_names
from codegen.inputs.posterior_data import resolved_arrays
from codegen.results.diagnostics.groups import Group, Variable
from codegen.results.quantities import at_draws, derived_draws
from codegen.results.saved_draws import SavedDraws
from recipe import Data, Posterior, RecipeError, Scalar, Simplex, Vector, total
from recipe.laws import categorical, dirichlet, normal

pandas = pytest.importorskip("pandas")

BETA, A = Vector("beta"), Vector("a")
X, Y, G, NEW = Data("x", like=BETA), Data("y"), Data("g"), Data("new", like=BETA)
H = Data("h")
COLUMNS, COUNTIES = ("income", "age"), tuple(f"county {k:02d}" for k in range(5))
RNG = np.random.default_rng(2)
EFFECTS = {"beta": RNG.normal(size=(2, 6, 2)), "a": RNG.normal(size=(2, 6, 5))}


def draws(name, names):
    """Draws of one block, whose coordinates have names."""
    values = EFFECTS[name][..., : len(names or COUNTIES)]
    points = {} if names is None else {"d": Variable(("d",), np.array(names, dtype=object))}
    return SavedDraws(Group({name: Variable(("chain", "draw", "d"), values)}, points))


def table(columns=COLUMNS):
    known = {"income": [1.0, 2.0, 0.5], "age": [-1.0, 0.0, 4.0], "wage": [0.0, 1.0, 2.0]}
    return pandas.DataFrame({c: known[c] for c in columns})


def regression(x, **more):
    data = {X: x, Y: [0.0, 1.0, 2.0], **more.pop("data", {})}
    return Posterior(
        BETA, normal(Y, total(X * BETA), 1), total(normal(BETA, 0, 1)), data=data, **more
    )


def groups(labels, y=None, **more):
    data = {G: labels, Y: np.zeros(len(labels)) if y is None else y, **more.pop("data", {})}
    return Posterior(A, normal(Y, A[G], 1), total(normal(A, 0, 1)), data=data, **more)


def rows(drawn, posterior):
    found = compute_log_likelihood(drawn, posterior).predictions["log_likelihood"]
    return found.variables["y"].values


def by_name(x):
    of = dict(zip(COLUMNS, np.moveaxis(EFFECTS["beta"], -1, 0), strict=True))
    mean = sum(of[c][..., None] * x[c].to_numpy() for c in COLUMNS)
    return stats.norm.logpdf([0.0, 1.0, 2.0], mean, 1)


def of_labels(labels, names=COUNTIES):
    mean = EFFECTS["a"][..., [names.index(name) for name in labels]]
    return stats.norm.logpdf(0.0, mean, 1)


@pytest.mark.parametrize("columns", [COLUMNS, COLUMNS[::-1]])
def test_columns_are_matched_by_name(columns, tmp_path):
    drawn = draws("beta", COLUMNS)
    read = read_draws(drawn.save(tmp_path / "draws.nc"))
    for each in (drawn, read):
        found = rows(each, regression(table(columns)))
        np.testing.assert_allclose(found, by_name(table()), rtol=1e-12)


def test_columns_in_another_order_predict_the_same_data():
    found = [
        sample_posterior_predictive(draws("beta", COLUMNS), regression(table(c)), seed=1)
        .predictions["posterior_predictive"]
        .variables["y"]
        .values
        for c in (COLUMNS, COLUMNS[::-1])
    ]
    assert np.array_equal(*found)


@pytest.mark.parametrize("columns", [("age", "wage"), ("income", "wage")])
def test_other_columns_are_refused(columns):
    said = f"the columns of x are {', '.join(columns)}; the draws are of beta[income], beta[age]"
    with pytest.raises(RecipeError, match=re.escape(said)):
        rows(draws("beta", COLUMNS), regression(table(columns)))


def test_names_that_are_given_name_the_columns_of_arrays():
    x = table()
    posterior = regression(x[["age", "income"]].to_numpy(), coords={BETA: ["age", "income"]})
    np.testing.assert_allclose(rows(draws("beta", COLUMNS), posterior), by_name(x), rtol=1e-12)


def test_columns_without_names_are_matched_by_place_with_a_warning():
    with pytest.warns(LabelWarning, match=r"the first is taken for beta\[income\]"):
        found = rows(draws("beta", COLUMNS), regression(table().to_numpy()))
    np.testing.assert_allclose(found, by_name(table()), rtol=1e-12)


def test_names_beside_draws_without_names_are_matched_by_place_with_a_warning():
    with pytest.warns(LabelWarning, match=r"are numbered: age is taken for beta\[0\]"):
        found = rows(draws("beta", None), regression(table(COLUMNS[::-1])))
    expected = rows(draws("beta", None), regression(table(COLUMNS[::-1]).to_numpy()))
    assert np.array_equal(found, expected)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("fitted", [None, ("1", "0")])
@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
def test_columns_that_are_numbers_are_matched_by_number(fitted, order):
    x = table().to_numpy()
    new = pandas.DataFrame({k: x[:, k] for k in order})
    place = [int(name) for name in fitted or ("0", "1")]
    mean = EFFECTS["beta"] @ x[:, place].T
    expected = stats.norm.logpdf([0.0, 1.0, 2.0], mean, 1)
    np.testing.assert_allclose(rows(draws("beta", fitted), regression(new)), expected, rtol=1e-12)


def test_two_tables_that_number_their_columns_in_two_orders_are_refused():
    z, x = Data("z", like=BETA), table().to_numpy()
    for orders in ([0, 1], [1, 0]), ([1, 0], [0, 1]):
        one, other = (pandas.DataFrame(x[:, order], columns=order) for order in orders)
        posterior = Posterior(
            BETA,
            normal(Y, total((X + z) * BETA), 1),
            total(normal(BETA, 0, 1)),
            {X: one, z: other, Y: [0.0, 1.0, 2.0]},
        )
        with pytest.raises(RecipeError, match="in another order"):
            resolved_arrays(posterior, Lengths())


@pytest.mark.filterwarnings("error")
def test_nothing_is_said_where_neither_or_the_posterior_has_names():
    x = table()
    found = rows(draws("beta", None), regression(x.to_numpy()))
    assert np.array_equal(found, rows(draws("beta", COLUMNS), regression(x)))
    named = regression(x.to_numpy(), coords={BETA: COLUMNS})
    assert np.array_equal(found, rows(draws("beta", COLUMNS), named))


def test_the_columns_of_derived_quantities_are_matched_by_name():
    new = table(COLUMNS[::-1]).iloc[:2]
    posterior = regression(table(), data={NEW: new}, derived={"q": total(NEW * BETA)})
    at = at_draws(posterior, {"beta": EFFECTS["beta"]}, {}, {"beta": COLUMNS})
    expected = EFFECTS["beta"] @ new[list(COLUMNS)].to_numpy().T
    np.testing.assert_allclose(derived_draws(at)["q"], expected, rtol=1e-12)


@pytest.mark.parametrize(
    "categories",
    [COUNTIES, COUNTIES[::-1], ("county 03", "county 01"), ("x", "county 01", "county 03")],
    ids=["same", "reversed", "subset", "unused"],
)
@pytest.mark.parametrize("saved", [False, True])
def test_labels_are_matched_by_name(categories, saved, tmp_path):
    labels = ["county 03", "county 01", "county 03"]
    drawn = draws("a", COUNTIES)
    drawn = read_draws(drawn.save(tmp_path / "draws.nc")) if saved else drawn
    posterior = groups(pandas.Categorical(labels, categories=categories))
    np.testing.assert_allclose(rows(drawn, posterior), of_labels(labels), rtol=1e-12)


def test_labels_by_names_that_are_given_are_matched_by_name():
    names = ["county 03", "county 01"]
    for labels in (["county 01", "county 03"], [1, 0]):
        found = rows(draws("a", COUNTIES), groups(labels, coords={A: names}))
        np.testing.assert_allclose(found, of_labels(["county 01", "county 03"]), rtol=1e-12)


@pytest.mark.parametrize(
    ("drawn", "labels", "said"),
    [
        (COUNTIES, ["county 01", "county 99"], "g county 99 is no group of the draws (row 1)"),
        (None, ["county 01", "county 00"], "the draws of a are numbered, so nothing says which"),
    ],
)
def test_other_labels_are_refused(drawn, labels, said):
    with pytest.raises(RecipeError, match=re.escape(said)):
        rows(draws("a", drawn), groups(pandas.Categorical(labels)))


def test_labels_without_names_are_matched_by_place_with_a_warning():
    with pytest.warns(LabelWarning, match=r"label 0 is taken for a\[county 00\]"):
        found = rows(draws("a", COUNTIES), groups([3, 1]))
    np.testing.assert_allclose(found, of_labels(["county 03", "county 01"]), rtol=1e-12)


def test_two_columns_of_labels_are_numbered_alike():
    home = pandas.Categorical(["A", "B", "C"])
    away = pandas.Categorical(["C", "A", "A"], categories=["C", "A"])
    posterior = Posterior(
        A, normal(Y, A[G] - A[H], 1), total(normal(A, 0, 1)), {Y: [0, 0, 0], G: home, H: away}
    )
    assert posterior.given[G].tolist() == [0, 1, 2]
    assert posterior.given[H].tolist() == [2, 0, 0]
    other = pandas.Categorical(["C", "A", "D"])
    with pytest.raises(RecipeError, match="'D', which the categories of g do not name"):
        Posterior(A, normal(Y, A[G] - A[H], 1), 0, {Y: [0, 0, 0], G: home, H: other})


def test_labels_of_derived_quantities_are_those_of_the_log_likelihood():
    new = pandas.Categorical(["county 02", "county 00"], categories=["county 02", "county 00"])
    posterior = groups(pandas.Categorical(COUNTIES), data={H: new}, derived={"q": A[H]})
    at = at_draws(posterior, {"a": EFFECTS["a"]}, {}, {"a": COUNTIES})
    assert np.array_equal(derived_draws(at)["q"], EFFECTS["a"][..., [2, 0]])


@pytest.mark.parametrize("wrong", [[0, 5], [-1, 0], [0.5, 1]])
def test_labels_of_derived_quantities_without_a_coordinate_are_refused(wrong):
    posterior = groups([0, 1, 2, 3, 4], data={H: wrong}, derived={"q": A[H]})
    with pytest.raises(RecipeError, match="the coordinates of a are numbered from 0 to 4"):
        at_draws(posterior, {"a": EFFECTS["a"]}, {}, {})


def test_the_last_category_of_a_simplex_is_no_coordinate():
    w, z = Vector("w", domain=Simplex()), Data("z")
    labels = pandas.Categorical(["A", "B", "C", "A"])
    posterior = Posterior(w, categorical(z, w), dirichlet(w, 1), {z: labels})
    lengths = Lengths()
    resolved_arrays(posterior, lengths)
    assert lengths.names_of(w) == ("A", "B")


@pytest.mark.parametrize("coords", [COLUMNS[::-1], ("age", "wage")])
def test_names_that_are_given_do_not_move_the_columns_of_a_table(coords):
    posterior = regression(table(), coords={BETA: coords})
    with pytest.raises(RecipeError, match=r"coords\[beta\].*(another order|another place)"):
        resolved_arrays(posterior, Lengths())


def lengths_of_a_table():
    lengths = Lengths()
    resolved_arrays(regression(table()), lengths)
    return lengths


@pytest.mark.parametrize(
    "value",
    [
        pandas.Series({"age": 2.0, "income": 1.0}),
        pandas.DataFrame({"age": [2.0, 2.0], "income": [1.0, 1.0]}),
        NamedValues(np.array([[2.0, 1.0]]), ("age", "income")),
        np.array([1.0, 2.0]),
        pandas.Series([1.0, 2.0]),
        pandas.Series([1.0, 2.0], index=range(2)),
    ],
    ids=["series", "table", "draws", "array", "numbered", "range"],
)
def test_values_with_names_are_put_in_order(value):
    found = np.asarray(in_order_of_names("initial['beta']", value, BETA, lengths_of_a_table()))
    assert np.array_equal(np.atleast_2d(found)[0], [1.0, 2.0])


def test_values_of_other_names_are_refused():
    value = pandas.Series({"age": 2.0, "wage": 1.0})
    with pytest.raises(RecipeError, match="has the names age, wage, and the coordinates of beta"):
        in_order_of_names("initial['beta']", value, BETA, lengths_of_a_table())


@pytest.mark.parametrize("index", [[1, 0], [5, 7]])
def test_an_index_of_numbers_is_no_index_of_names(index):
    value = pandas.Series([1.0, 2.0], index=index)
    said = f"has the names {index[0]}, {index[1]}, and the coordinates of beta are income, age"
    with pytest.raises(RecipeError, match=said):
        in_order_of_names("initial['beta']", value, BETA, lengths_of_a_table())


def test_an_index_of_numbers_is_that_of_numbered_coordinates_or_refused():
    found = in_order_of_names("v", pandas.Series([1.0, 2.0], index=[1, 0]), BETA, Lengths())
    assert np.array_equal(found, [2.0, 1.0])
    with pytest.raises(RecipeError, match=r"v has the index 5, 7, .* numbered from 0"):
        in_order_of_names("v", pandas.Series([1.0, 2.0], index=[5, 7]), BETA, Lengths())


@pytest.mark.parametrize(
    "value",
    [
        pandas.Series([1.0, 2.0], index=[1.0, 0.0]),
        pandas.DataFrame([[1.0, 2.0]], columns=[1.0, 0.0]),
    ],
    ids=["series", "table"],
)
def test_whole_numbers_that_are_floats_are_numbers_of_coordinates(value):
    found = np.asarray(in_order_of_names("v", value, BETA, Lengths()))
    assert np.array_equal(found.ravel(), [2.0, 1.0])


@pytest.mark.parametrize("index", [[0.5, 1.5], [0.0, np.nan], [7.0, 5.0], [-1, 0], [0.0, np.inf]])
def test_floats_that_number_no_coordinates_are_refused(index):
    value = pandas.Series([1.0, 2.0], index=index)
    with pytest.raises(RecipeError, match=r"v has the index .* numbered from 0"):
        in_order_of_names("v", value, BETA, Lengths())
    with pytest.raises(RecipeError, match=r"v has the names .* are income, age"):
        in_order_of_names("v", value, BETA, lengths_of_a_table())


def test_floats_may_be_the_names_of_coordinates():
    lengths = Lengths()
    lengths.learn_names({BETA: ("0.5", "1.5")})
    value = pandas.Series([1.0, 2.0], index=[1.5, 0.5])
    assert np.array_equal(in_order_of_names("v", value, BETA, lengths), [2.0, 1.0])


def test_names_of_numbered_coordinates_are_taken_by_place_with_a_warning():
    value = pandas.Series({"age": 1.0, "income": 2.0})
    with pytest.warns(LabelWarning, match=r"age is taken for beta\[0\]"):
        found = in_order_of_names("v", value, BETA, Lengths())
    assert np.array_equal(found, [1.0, 2.0])


def test_rows_of_one_index_in_two_orders_are_refused():
    x = table()
    y = pandas.Series([0.0, 1.0, 2.0], index=[2, 0, 1])
    g = pandas.Series([0, 1, 0], index=[0, 2, 1])
    law = normal(Y, total(X * BETA) + A[G], 1)
    prior = total(normal(BETA, 0, 1)) + total(normal(A, 0, 1))

    def read(x, y, g):
        return resolved_arrays(Posterior((BETA, A), law, prior, {X: x, Y: y, G: g}), Lengths())

    with pytest.raises(RecipeError, match=r"of y have the index of x in another order.*y\.loc"):
        read(x, y, g.to_numpy())
    with pytest.raises(RecipeError, match="of g have the index of x in another order"):
        read(x, y.to_numpy(), g)
    for index in ([0, 1, 2], [7, 9, 8], [0, 0, 1]):  # the same, of other rows, or not distinct
        found = read(x, y.set_axis(index), g.to_numpy())
        assert found[Y].tolist() == [0.0, 1.0, 2.0]


LETTERS = pandas.Index(list("abc"))
PAIRS = pandas.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)])
WITH_NAN = pandas.Index([np.nan, 1.0, 2.0])


def rows_of(*indices):
    """The data x, z, y of one log likelihood, with these indices, or without where one is None."""
    x, z = Data("x"), Data("z")
    values = [np.array([1.0, 2.0, 3.0])] * 3
    given = [
        v if i is None else pandas.Series(v, index=i) for v, i in zip(values, indices, strict=True)
    ]
    beta = Scalar("b", prior=normal(0, 1))
    data = dict(zip((x, z, Y), given, strict=True))
    return Posterior(log_likelihood=normal(Y, beta * x + z, 1), data=data)


@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize("index", [LETTERS, PAIRS, WITH_NAN], ids=["letters", "pairs", "nan"])
@pytest.mark.parametrize("beside", [None, range(3), PAIRS.set_names(["u", "v"])])
def test_every_index_is_compared_with_every_other(place, index, beside):
    """Also where the first one is that of a table without names, or of several levels."""
    indices = [index, index[[1, 2, 0]]]
    indices.insert(place, beside)
    if index is not PAIRS or not isinstance(beside, pandas.MultiIndex):
        first, second = (n for k, n in enumerate("xzy") if k != place)
        said = f"of {second} have the index of {first} in another order"
        with pytest.raises(RecipeError, match=said):
            rows_of(*indices)
    rows_of(*[index if k != place else beside for k in range(3)])


DATES = pandas.date_range("2020-01-01", periods=3)


@pytest.mark.parametrize(
    "others",
    [
        (LETTERS, PAIRS),
        (PAIRS, LETTERS),
        (DATES, LETTERS),
        (DATES.astype(str)[::-1], DATES),
        (pandas.Index([["a"], ["b"], ["c"]], dtype=object), LETTERS),
        (pandas.Index([("a", 2), ("a", 1), ("b", 1)], tupleize_cols=False), PAIRS),
    ],
    ids=["pairs", "letters", "dates", "texts of dates", "lists", "tuples"],
)
def test_indices_that_cannot_be_compared_say_nothing(others):
    rows_of(range(3), *others)


def test_the_last_draws_of_a_file_carry_their_names(tmp_path):
    from recipe_cli.sampling.initial_typed import initial_typed

    path = draws("beta", COLUMNS).save(tmp_path / "draws.nc")
    found = initial_typed([str(path)])["beta"]
    assert found.names == COLUMNS
    assert np.array_equal(np.asarray(found), EFFECTS["beta"][:, -1])


def test_categories_that_no_row_has_are_said():
    labels = pandas.Categorical(["c", "a"], categories=["c", "a", "b"])
    with pytest.warns(LabelWarning, match="no row with the label b, so 1 of 3 coordinates"):
        resolved_arrays(groups(labels), Lengths())


@pytest.mark.filterwarnings("error")
def test_categories_that_every_row_or_coords_name_are_not_said():
    resolved_arrays(groups(pandas.Categorical(["c", "a"])), Lengths())
    labels = pandas.Categorical(["c", "a"], categories=["c", "a", "b"])
    resolved_arrays(groups(labels, coords={A: ["c", "a", "b"]}), Lengths())
