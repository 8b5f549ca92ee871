"""Parameters that carry their numbers, and laws with a number for each coordinate."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sympy import Integer, Rational

from recipe import Data, Ordered, Parameter, Posterior, RecipeError, Scalar, Simplex, Vector, laws
from recipe import total as summed
from recipe.language.data import VectorParameter
from recipe.language.total import Total

W, THETA = Vector("w", domain=Simplex()), Vector("theta")
A = Parameter("A", like=W, positive=True)


def value(density, block, at):
    """The number of a log density of one block at a point, each sum written out."""
    given = {block: [Rational(str(x)) for x in at]}
    for s in density.atoms(VectorParameter):
        numbers = s.known.numbers if s.known else (2, 1)
        given[s.at(0)] = [Rational(str(x)) for x in numbers]
    sums = {
        t: sum(
            t.body.xreplace({s.at(t.index.label): each[k] for s, each in given.items()})
            for k in range(len(at))
        )
        for t in density.atoms(Total)
    }
    return float(density.xreplace(sums).subs(block.dim, len(at)).evalf(30))


@pytest.mark.parametrize(
    "numbers",
    [[2, 1, 5], [0.5, 0.3, 0.2], (1, 1, 1), np.array([2.5, 1, 0.1]), pd.Series([2, 1, 5.0])],
    ids=str,
)
def test_a_dirichlet_law_with_a_concentration_of_each_is_that_of_scipy(numbers):
    """Beside the edge of the simplex as well, where concentrations below 1 have their poles."""
    known = stats.dirichlet([float(x) for x in numbers])
    for at in ([0.2, 0.5], [0.7, 0.29999999], [1e-12, 0.5]):
        found = value(laws.dirichlet(W, numbers).expression, W, at)
        assert found == pytest.approx(known.logpdf([*at, 1 - sum(at)]), rel=1e-7)


@pytest.mark.parametrize("given", [(A, 5), (A, Rational(1, 2)), (3, 5), (3, 3)], ids=str)
def test_the_concentration_of_the_last_probability_by_itself(given):
    each, last = given
    first = [2, 1] if each is A else [3, 3]
    found = value(laws.dirichlet(W, each, last=last).expression, W, [0.2, 0.5])
    assert found == pytest.approx(stats.dirichlet([*first, float(last)]).logpdf([0.2, 0.5, 0.3]))


REAL, POSITIVE = [0.5, -1.5], [0.5, 3]
ONES = {
    "normal": (laws.normal, (REAL, POSITIVE), stats.norm),
    "student_t": (
        laws.student_t,
        ([3, 7.5], REAL, POSITIVE),
        stats.t,
    ),
    "cauchy": (laws.cauchy, (REAL, POSITIVE), stats.cauchy),
    "gamma": (laws.gamma, (POSITIVE, [2, 4]), lambda k, r: stats.gamma(k, scale=1 / r)),
    "beta": (laws.beta, (POSITIVE, [2, 4]), stats.beta),
    "half_normal": (laws.half_normal, (POSITIVE,), lambda s: stats.halfnorm(0, s)),
}


@pytest.mark.parametrize("name", ONES)
def test_laws_with_a_number_of_each_coordinate_are_those_of_scipy(name):
    law, numbers, known = ONES[name]
    block = Vector("v", prior=law(*numbers))
    each = [
        known(*own).logpdf(x)
        for own, x in zip(zip(*numbers, strict=True), [0.25, 0.75], strict=True)
    ]
    assert value(
        block.prior.density.expression, Vector("v", domain=block.domain), [0.25, 0.75]
    ) == (pytest.approx(sum(each)))


def test_numbers_of_an_ordered_block_have_laws_of_their_own():
    c = Ordered("c", 3, prior=laws.normal([0, 1, 4], 2))
    at = {Scalar(b.name, b.domain): x for b, x in zip(c.blocks, (0.5, 1, 2), strict=True)}
    known = stats.norm([0, 1, 4], 2).logpdf([0.5, 1.5, 3.5]).sum()
    assert float(c.prior.density.expression.subs(at)) == pytest.approx(known)


def test_blocks_are_equal_where_their_numbers_are():
    one, same, other = (Vector("w", prior=laws.dirichlet(x)) for x in ([2, 1], (2.0, 1), [2, 3]))
    assert one == same != other
    assert hash(one) == hash(same)
    assert pickle.loads(pickle.dumps(one)) == one
    assert str(one.prior) == "dirichlet([2, 1])"
    assert str(laws.dirichlet([0.1] * 20)) == "dirichlet([0.1, 0.1, 0.1, 0.1, 0.1, 0.1, ..., 0.1])"
    assert str(laws.dirichlet(A, last=3)) == "dirichlet(A, last=3)"


def test_values_of_a_parameter_are_its_numbers_and_give_its_sign():
    s = Parameter("s", like=THETA, values=[1, 2.5, Rational(1, 3)])
    assert s.known.numbers == (1.0, 2.5, 1 / 3)
    assert s.is_positive
    assert Parameter("s", like=THETA, values=[0, 2]).is_nonnegative
    assert Parameter("s", like=THETA, values=[-1, 2]).is_positive is None
    assert s == Parameter("s", like=THETA, values=np.array([1, 2.5, 1 / 3]))
    assert s != Parameter("s", like=THETA)
    assert s.at(3).known == s.known


def test_a_posterior_says_what_is_known():
    posterior = Posterior(THETA, Integer(0), summed(laws.normal(THETA, 0, [1, 2.5])))
    assert "known: sd_of_theta = [1, 2.5]" in repr(posterior)
    assert "parameters" not in repr(posterior)


S = Scalar("s")
MIXED = Vector(
    "m", prior=laws.mixture([0.5, 0.5], [laws.normal([0, 1], 1), laws.normal([5, 6], 1)])
)
REFUSED = {
    "a concentration of 0": (
        lambda: laws.dirichlet([2, 0, 1]),
        r"the concentration of dirichlet is \[2, 0, 1\], and must be above 0; its number 1 is 0",
    ),
    "one probability": (lambda: laws.dirichlet([2]), "2 of them or more"),
    "none": (lambda: laws.dirichlet([]), "empty list"),
    "two last ones": (
        lambda: laws.dirichlet([2, 1], last=3),
        "last=3 is one more; leave last= out",
    ),
    "no last one": (
        lambda: laws.dirichlet(W, A),
        r"a value for each coordinate of w, and the last .* dirichlet\(A, last=...\)",
    ),
    "a last one below 0": (
        lambda: laws.dirichlet(W, A, last=-1),
        "the last concentration .* above 0",
    ),
    "not a number": (lambda: laws.dirichlet([2, float("nan")]), "nan at the place 1"),
    "infinite": (lambda: laws.normal(0, [2, float("inf")]), "inf at the place 1"),
    "text": (lambda: laws.normal(0, ["1", 2]), "'1' at the place 0"),
    "a bool": (lambda: laws.normal(0, [True, 2]), "True at the place 0"),
    "a number that float64 rounds": (lambda: laws.normal(0, [2**60, 2]), "at the place 0"),
    "two axes": (lambda: laws.normal(0, [[1], [2]]), r"\[1\] at the place 0"),
    "a block among numbers": (lambda: laws.normal([S, 1], 1), "s at the place 0"),
    "names of rows": (lambda: laws.dirichlet(pd.Series([1, 2], index=["a", "b"])), "to_numpy"),
    "a negative sd": (lambda: Vector("v", prior=laws.normal(0, [1, -2])), "its number 1 is -2"),
    "a list for one number": (
        lambda: Scalar("s", prior=laws.normal([0, 1], 1)),
        r"the mean of normal is \[0, 1\], 2 numbers, and s is no vector",
    ),
    "a list for rows": (lambda: laws.normal(Data("y"), [0, 1], 1), "write a Data symbol"),
    "too few for an ordered block": (
        lambda: Ordered("c", 3, prior=laws.normal([0, 1], 1)),
        r"\[0, 1\], 2 numbers for 3 variables",
    ),
    "one name for two": (
        lambda: Posterior(MIXED, Integer(0)),
        "two parameters are called mean_of_m, and one of them carries its numbers",
    ),
    "values of one number": (lambda: Parameter("k", values=[1]), "give like=, the block"),
    "values that are a number": (lambda: Parameter("k", like=THETA, values=1), "must be a list"),
    "values of another sign": (
        lambda: Parameter("k", like=THETA, values=[1, -1], positive=True),
        "are not all positive=True, as it is declared",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(case):
    f, said = REFUSED[case]
    with pytest.raises(RecipeError, match=said):
        f()
