"""What is wrong with a posterior is said in the words that its user wrote."""

import pytest
from sympy import Interval

from codegen import Density
from recipe import Data, Posterior, RecipeError, Scalar, Vector, total
from recipe.laws import categorical_logit, laplace, normal, uniform

w, b = Vector("w"), Scalar("b")
x, y, group = Data("x", like=w), Data("y"), Data("group")
LINE, PRIOR = normal(y, total(x * w), 1), -total(w**2)
DATA = {x: [[1, 2]], y: [1]}


def density(likelihood, data=DATA, **given):
    return Density(Posterior(w, likelihood, PRIOR, data, **given))


REFUSED = {
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
