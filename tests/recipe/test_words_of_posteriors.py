"""What is wrong with a posterior is said in the words that its user wrote."""

import pytest
from sympy import Interval

from catalog.hmc import hmc_kernel
from codegen import Density, sample
from recipe import Data, Posterior, RecipeError, Scalar, Vector, total
from recipe.laws import categorical, categorical_logit, dirichlet, laplace, normal, uniform

w, b = Vector("w"), Scalar("b")
x, y, group = Data("x", like=w), Data("y"), Data("group")
LINE, PRIOR = normal(y, total(x * w), 1), -total(w**2)
DATA = {x: [[1, 2]], y: [1]}


def density(likelihood, data=DATA, **given):
    return Density(Posterior(w, likelihood, PRIOR, data, **given))


NOW, BEFORE, A = Data("now"), Data("before"), Scalar("a", prior=normal(0, 1))
WALK = normal(w[NOW], w[BEFORE], 1)


REFUSED = {
    "a sum over rows in the prior": (
        lambda: Posterior(w, LINE, total(WALK), DATA),
        "total(...) of an expression in w[before] and w[now], one number for each row of the data,"
        " has no coordinates to sum over; the log_likelihood is summed over the rows",
    ),
    "rows in the prior": (
        lambda: Posterior(w, LINE, normal(w[NOW], 0, 1), DATA),
        "log_prior: w[now] is one number for each row of the data, and a term over these belongs"
        " in the log_likelihood",
    ),
    "a scale with a prior on the line": (
        lambda: normal(y, 0, A),
        "must be above 0; declare a = Scalar('a', prior=half_normal(1))",
    ),
    "a scale with another prior": (
        lambda: normal(y, 0, Scalar("a", prior=normal(1, 2))),
        "declare a = Scalar('a', domain=Interval.open(0, oo), prior=normal(1, 2))",
    ),
    "a missing group": (
        lambda: density(LINE + normal(y, w[group], 1), {**DATA, group: [None, "Basel"]}),
        "the data of group are text, and nothing says which label is the first",
    ),
    "names of other libraries": (
        lambda: normal(y, mu=0, sigma=1),
        "normal has no argument mu or sigma; its arguments are x, mean, sd",
    ),
    "a block that is left out": (
        lambda: Posterior(b, LINE, -(b**2), DATA),
        "log_likelihood: the block w is not in blocks=(b)",
    ),
    "a derived block": (
        lambda: Posterior(w, LINE, PRIOR, DATA, derived={"q": b}),
        "derived['q']: the block b is not in blocks=(w)",
    ),
    "the data of a posterior": (
        lambda: Posterior(w, LINE, PRIOR, Posterior(w, LINE, PRIOR, DATA).data),
        "data= is of the type tuple, and must be a dict of arrays by Data symbol, such as {x:"
        " table[['age', 'income']], y: table['y']}; of a posterior, posterior.given is such a dict",
    ),
    "a kink": (
        lambda: Posterior(b, laplace(y, b, 1), -(b**2), {y: [1]}),
        "smooth, and close to it, is sqrt((b - y)**2 + w**2) with a small number w; and if a kink"
        " is meant, write sqrt(b**2 - 2*b*y + y**2)",
    ),
    "no block": (lambda: Posterior((), LINE, PRIOR, DATA), "blocks=() has no block"),
    "text": (lambda: Posterior("w", LINE, PRIOR, DATA), "blocks= contains 'w'"),
    "names of coordinates": (
        lambda: density(LINE, coords={w: ["a"]}),
        "coords[w] makes the length of w 1, but the data of x, of the shape (1, 2), makes it 2",
    ),
    "a label": (
        lambda: density(LINE + normal(y, w[group], 1), {**DATA, group: [7]}),
        "row 0 of the data of group is 7, and the coordinates of w are numbered from 0 to 1",
    ),
    "a table": (
        lambda: Posterior(w, LINE, PRIOR, [1, 2]),
        "data= is of the type list, and must be a dict",
    ),
    "a name": (
        lambda: Posterior(w, LINE, PRIOR, {"y": [1], x: [[1, 2]]}),
        "with the symbol itself as the key and not its name",
    ),
    "a length": (lambda: Vector("v", 3), "learned when the sampler runs (from data, coords= or"),
    "a block without a law": (
        lambda: Posterior((w, b), LINE, PRIOR, DATA),
        "b is in blocks=, and neither in log_likelihood nor in log_prior",
    ),
    "a number": (
        lambda: density(normal(y, total(x * w) + w[5], 1)),
        "the log likelihood has w[5], and the coordinates of w are numbered from 0 to 1",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_mistake_is_said_in_the_words_of_its_user(name):
    wrong, said = REFUSED[name]
    with pytest.raises(RecipeError) as refused:
        wrong()
    assert said in str(refused.value)
    assert "d_w" not in str(refused.value)
    assert "state" not in str(refused.value)


def test_a_block_between_two_ends_has_the_uniform_law():
    p = Scalar("p", domain=Interval.open(0, 1))
    assert Posterior((w, p), LINE, PRIOR + uniform(p, 0, 1), DATA).blocks == (w, p)


def test_a_posterior_shows_its_data_as_they_were_given():
    shown = repr(Posterior(b, categorical_logit(y, [b, 0]), -(b**2), {y: [0, 1, 1]}))
    assert "data: y (3,)" in shown


def test_a_posterior_shows_coordinates_that_labels_name_as_they_were_written():
    likelihood = normal(y, b * w[group] + total(x * w), 1)
    data = {**DATA, y: [1, 2], x: [[1, 2], [3, 4]], group: [0, 1]}
    shown = repr(Posterior((b, w), likelihood, PRIOR - b**2, data))
    assert "log likelihood of a row: -(-b*w[group] + y - total(w*x))**2/2" in shown


@pytest.mark.parametrize("missing", [None, float("nan"), "NA"])
def test_a_missing_group_of_new_rows_is_named(missing):
    pandas = pytest.importorskip("pandas")
    shop = Data("shop", pandas.Series(["Basel", "Zug"], dtype="category"))
    e = Vector("e", prior=normal(0, 1))
    fitted = Posterior(log_likelihood=normal(Data("z", [1.0, 2.0]), e[shop], 1))
    new = [pandas.NA if missing == "NA" else missing, "Basel"]
    with pytest.raises(RecipeError, match="the data of shop has a missing value in row 0; fill it"):
        fitted.with_data({"shop": new})


def test_the_concentrations_of_a_simplex_are_shown_once_and_all():
    v = Vector("v", prior=dirichlet([0.5, 2, 7, 1.5]))
    shown = repr(Posterior(log_likelihood=categorical(Data("k", [0, 1, 2, 3]), v)))
    assert "prior: v ~ dirichlet([0.5, 2, 7, 1.5])" in shown
    assert "known" not in shown


def test_values_of_an_unknown_block_are_refused_with_the_blocks_of_the_user():
    posterior = Posterior(log_likelihood=normal(Data("z", [1.0]), A, 1))
    with pytest.raises(
        RecipeError, match=r"initial= names q, which is no block; the blocks are a$"
    ):
        sample(hmc_kernel, posterior, step_size=0.1, steps=2, initial={"q": 1}, progress=False)
