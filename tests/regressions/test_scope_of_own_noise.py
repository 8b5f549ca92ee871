"""Found on 26 November 2026: a proof about an edge read a posterior and the signs of its data, and
its report said that it held for every smooth potential.
"""

import pytest
from sympy import Interval, Matrix, log, oo

from recipe import Data, Posterior, Potential, Recipe, Scalar, bind
from verify import Verdict, verify

lam = Scalar("lam", Interval.open(0, oo))
y = Data("y")
V = Potential("V", lam)
own_noise = Recipe((lam,), V, D=Matrix([[lam]]), Q=Matrix([[0]]), name="q")
THESE = "the V(lam) of its posterior with any parameters and any data with the signs of these"
ANY = "the V(lam) of its posterior with any data and parameters"


def report(log_likelihood, data):
    law = Posterior((lam,), log_likelihood, log_prior=log(lam) - lam, data={y: data})
    return verify(bind(own_noise, law))


def edge_of(found):
    return next(line.outcome for line in found.lines if line.name == "boundary")


def test_signs_of_data_are_in_the_scope():
    found = report(y * log(lam) - lam, [1.0, 2.0])
    assert found.verdict is Verdict.PROVED
    assert found.scope.startswith(THESE)
    assert edge_of(found).scope.startswith(THESE)
    assert report(y * log(lam) - lam, [-1.5, 1.0]).verdict is Verdict.UNDECIDED


@pytest.mark.parametrize("data", [[1.0, 2.0], [-1.5, 1.0]])
def test_a_proof_that_needs_no_signs_holds_for_any_data(data):
    found = report(y * lam - y**2 * lam**2, data)
    assert found.verdict is Verdict.PROVED
    assert found.scope.startswith(ANY)


def test_without_a_posterior_every_potential_is_meant():
    assert verify(own_noise).scope.startswith("every smooth V(lam)")
