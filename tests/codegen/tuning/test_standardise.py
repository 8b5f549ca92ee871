"""Where nothing can be tuned, columns of data that are not standardised are named."""

from dataclasses import dataclass

import numpy as np
import pytest

from catalog.hmc import hmc_kernel
from codegen import UntunableError, tune
from codegen.bias.column_scales import unstandardised
from codegen.tuning.standardise import with_columns
from recipe import Data, Posterior, Scalar, Vector, total
from recipe.laws import normal, poisson_log

random = np.random.default_rng(0)
TABLE = random.normal(size=(40, 3))
COUNTS = random.poisson(2.0, size=40).astype(float)


@dataclass(frozen=True)
class Law:
    """What is read of a target: the arrays of its data, which it has as its own density."""

    data: dict

    @property
    def density(self):
        return self


def said_of(posterior):
    reason = UntunableError("it fails")
    return str(with_columns(reason, Law(dict(posterior.data)), posterior))


def of_columns(table):
    a, beta = Scalar("a", prior=normal(0, 5)), Vector("beta", prior=normal(0, 5))
    x, y = Data("x", table, like=beta), Data("y", COUNTS)
    return Posterior(log_likelihood=poisson_log(y, a + total(x * beta)))


def test_the_column_with_another_scale_is_named_where_the_pilot_run_fails():
    with pytest.raises(UntunableError) as heard:
        tune(hmc_kernel, of_columns(TABLE * [1.0, 1e5, 1.0]))
    assert str(heard.value).startswith("column 1 of x has scale ")
    assert ": standardise it first; at the first state" in str(heard.value)


def test_a_column_far_from_0_is_named_and_what_is_observed_is_not():
    a, b = Scalar("a", prior=normal(0, 5)), Scalar("b", prior=normal(0, 5))
    year, y = Data("year", 2000 + 10 * TABLE[:, 0]), Data("y", 1e6 + COUNTS)
    said = said_of(Posterior(log_likelihood=poisson_log(y, a + b * year)))
    assert said.startswith("year has mean 1,998 and standard deviation 11")
    assert said.endswith(": standardise it first; it fails")


def test_standardised_columns_are_not_named():
    assert said_of(of_columns(TABLE)) == "it fails"
    assert said_of(of_columns(TABLE + 1.0)) == "it fails"


def test_a_column_of_ones_is_standardised_enough():
    assert unstandardised("x", np.hstack([np.ones((40, 1)), TABLE])) is None
    assert unstandardised("x", TABLE[:, 0]) is None
    assert unstandardised("x", 5e3 * TABLE[:, 0]).startswith("x has mean ")
    assert unstandardised("x", TABLE[:, :2] + [0.0, 50.0]).startswith("column 1 of x has mean 5")
