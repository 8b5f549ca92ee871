"""Edges of a recipe that is bound to data: the data enter as sums, which may be any numbers."""

import numpy as np
import pytest
from helpers.outcomes import outcome_of
from sympy import Interval, Matrix, Symbol, exp, log, oo

from recipe import Data, Parameter, Posterior, Potential, Recipe, Vector, bind, discretise, total
from recipe.language.symbols import Indexed
from recipe.language.total import Total
from recipe.scheme import discretised
from verify import Verdict, verify
from verify.diffusion.boundary.with_data import with_data_summed_up

theta = Vector("theta", domain=Interval.open(0, oo))
z, y = Data("z", like=theta), Data("y")
s, N = Symbol("s", positive=True), Parameter("N", positive=True)
U = Potential("U", theta)
LANGEVIN = Recipe(theta, U, D=Matrix([[theta**2]]), Q=Matrix([[0]]))
SQUARE = total(log(theta) ** 2)
PRIOR = -total(log(theta)) - SQUARE / (2 * s**2) - N * SQUARE / 2
ROWS, Y_VALUES = np.arange(6.0).reshape(3, 2) - 2, np.array([1.0, 0.0, 2.0])
KNOWN = {"theta", "z", "y", "s", "N", "rows", "data_sum"}


def bound(likelihood, prior=PRIOR, recipe=LANGEVIN):
    given = {z: ROWS, y: Y_VALUES}
    used = {t.at(0) if isinstance(t, Indexed) else t for t in likelihood.atoms(Symbol)}
    data = {t: array for t, array in given.items() if t in used}
    return bind(recipe, {U: Posterior(theta, likelihood, prior, data)})


def test_a_log_normal_law_that_is_bound_to_data_is_proved():
    report = verify(bound(total(z * log(theta))))
    assert report.verdict is Verdict.PROVED
    edges = outcome_of(report, "boundary")
    assert edges.by.startswith("theta = 0: unattainable")
    for scope in (report.scope, edges.scope):
        assert "the U(theta) of its posterior with any data and parameters" in scope
        assert "every smooth" not in scope
    assert outcome_of(report, "uniqueness").verdict is Verdict.PROVED
    step = verify(discretised(bound(total(z * log(theta))), "exact"))
    assert outcome_of(step, "boundary").verdict is Verdict.PROVED
    assert "every smooth" not in step.scope


def test_an_exact_step_as_a_claim_that_is_bound_to_data_is_proved():
    """The step of the abstract recipe as a printed rule, to which the posterior is bound."""
    claim = discretise(bound(total(z * log(theta))), "exact")
    assert outcome_of(verify(claim), "boundary").verdict is Verdict.UNDECIDED
    report = verify(bound(total(z * log(theta)), recipe=claim))
    assert report.verdict is Verdict.PROVED
    assert outcome_of(report, "boundary").by.startswith("theta = 0: unattainable")
    assert "the U(theta) of its posterior with any data and parameters" in report.scope
    assert "every smooth" not in report.scope


def test_an_edge_that_some_sums_reach_is_open_for_a_claim():
    recipe = Recipe(theta, U, D=Matrix([[1]]), Q=Matrix([[0]]))
    claim = bound(total(z * log(theta)), -total(theta), discretise(recipe, "euler"))
    assert with_data_summed_up(claim) is not None
    assert outcome_of(verify(claim), "boundary").verdict is Verdict.UNDECIDED


def test_a_potential_without_data_is_still_every_one():
    report = verify(LANGEVIN)
    assert outcome_of(report, "boundary").verdict is Verdict.UNDECIDED
    assert "every smooth U(theta)" in report.scope


@pytest.mark.parametrize(
    ("likelihood", "summed"),
    [
        (total(z * log(theta)) - total(log(theta) ** 2) / 2, ROWS.sum(axis=0)),
        (total(exp(z) * theta) / s, np.exp(ROWS).sum(axis=0)),
        (-3 * y**2 * total(theta) * s - total(theta), (Y_VALUES**2).sum()),
        ((y + 1) * total(log(theta)), Y_VALUES.sum()),
    ],
)
def test_sums_over_the_data_are_those_of_the_log_likelihood(likelihood, summed):
    """At numbers: with its sums put in, the energy is minus the log posterior of all rows."""
    law = bound(likelihood)
    at, numbers = np.array([0.7, 1.9]), {"s": 1.3, "N": 3.0}
    wanted = -value(law.posteriors[0][1].log_prior, at, numbers)
    for x, v in zip(ROWS, Y_VALUES, strict=True):
        wanted -= value(likelihood, at, numbers | {"z": x, "y": v})
    summed_up = numbers | {"rows": 3.0, "data_sum": summed}
    assert value(with_data_summed_up(law).H, at, summed_up) == pytest.approx(wanted, rel=1e-12)


def value(e, at, numbers):
    """The value of an expression with sums over two coordinates, written out by hand."""

    def number_of(t, k):
        known = ({"theta": at} | numbers)[getattr(t, "base", str(t))]
        return known[k] if np.ndim(known) else known

    def summed(body):
        symbols = [t for t in body.free_symbols if getattr(t, "base", str(t)) in KNOWN]
        return sum(float(body.subs({t: number_of(t, k) for t in symbols})) for k in range(2))

    left = e.xreplace({t: summed(t.body) for t in e.atoms(Total)})
    return float(left.subs({t: number_of(t, 0) for t in left.free_symbols}))


@pytest.mark.parametrize(
    "likelihood",
    [
        -total((z - log(theta)) ** 4 * theta**z),  # data and state in one factor
        y * total(z * log(theta)),  # two sums whose product is no sum over the data of one
        -total(exp(-z * theta)),
    ],
)
def test_data_that_do_not_enter_as_sums_leave_the_edges_open(likelihood):
    recipe = bound(likelihood)
    assert with_data_summed_up(recipe) is None
    assert outcome_of(verify(recipe), "boundary").verdict is Verdict.UNDECIDED


def test_an_edge_that_some_sums_reach_is_open():
    """The exponent at the edge is a sum of the data, and some would refute."""
    recipe = Recipe(theta, U, D=Matrix([[1]]), Q=Matrix([[0]]))
    law = bound(total(z * log(theta)), -total(theta), recipe)
    assert with_data_summed_up(law) is not None
    outcome = outcome_of(verify(law), "boundary")
    assert outcome.verdict is Verdict.UNDECIDED
    assert outcome.witness is None
