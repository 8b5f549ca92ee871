"""Why a log density is not finite: the smallest expression, its numbers, the row, the repair."""

from functools import partial

import numpy as np
import pytest
from sympy import Interval, Symbol, exp, log, oo

from catalog.hmc import hmc_kernel
from codegen import Divergence, Draws, sample
from codegen.inputs.not_finite import state_values, why_not_finite
from codegen.inputs.schedule import Geometric
from recipe import Data, Posterior, Scalar, Vector, total
from recipe.laws import normal, poisson_log

m, s, w = Scalar("m"), Scalar("s"), Vector("w")
tau = Scalar("tau", domain=Interval.open(0, oo))
y, E, at = Data("y"), Data("E"), Data("at")
BARE = Posterior((m, s), -log(s) - ((y - m) / s) ** 2 / 2, normal(m, 0, 5), data={y: [1.0, 2.0]})


def reason(posterior, arrays=None, **blocks):
    values = {b: np.array(blocks[b.name]) for b in posterior.blocks}
    arrays = {k: np.array(v) for k, v in posterior.given.items()} if arrays is None else arrays
    return why_not_finite(posterior, state_values(posterior, values, arrays, {}))


def test_a_logarithm_of_a_block_on_the_reals_asks_for_a_domain():
    assert reason(BARE, m=0.0, s=-0.03) == (
        "the log density is not a number: log(s) with s = -0.03; declare s with"
        " domain=Interval.open(0, oo)"
    )
    assert reason(BARE, m=0.0, s=0.03) is None


def test_a_row_of_the_data_is_named():
    posterior = Posterior(
        (m,), poisson_log(y, log(E) + m), normal(m, 0, 5), data={y: [1, 2, 3], E: [2.0, 1.0, 0.0]}
    )
    said = "the log density is not finite: row 2, log(E) with E = 0; correct the data, or leave the"
    assert reason(posterior, m=0.0).startswith(said)


def test_a_coordinate_in_a_sum_is_named():
    posterior = Posterior(
        (w,), normal(y, w[at], 1), total(log(w)), data={y: [1.0, 2.0], at: [0, 1]}
    )
    assert "log(w) with w[1] = -2;" in reason(posterior, w=[1.0, -2.0])


def test_a_number_that_overflows_is_no_fault_of_a_domain():
    posterior = Posterior((m,), -exp(m) + y * m, normal(m, 0, 5), data={y: [1.0]})
    assert "exp(m) with m = 800; start elsewhere" in reason(posterior, m=800.0)


def test_a_stable_form_is_no_fault():
    """log(1 + exp(m)) is finite where exp(m) is not."""
    posterior = Posterior((m,), y * m - log(1 + exp(m)), normal(m, 0, 5), data={y: [1.0]})
    assert reason(posterior, m=800.0) is None


def test_a_chain_that_cannot_move_is_not_told_to_take_a_smaller_step():
    still = Divergence(0, 0, "s", fault="the log density is no number", never_moved=True)
    assert str(still) == "chain 0 stayed where it began: the log density is no number"
    values, rate = {"s": np.full((1, 50), -1.0)}, {"acceptance_rate": 0.0}
    ones = np.ones(50)
    said = Draws(values, np.array([50]), (still,), False, rate, ones).summary().warnings
    assert said[0] == str(still)
    assert not any("step size" in w for w in said)
    said = Draws(values, np.array([50]), (), False, rate, ones).summary().warnings
    assert sum("step size" in w for w in said) == 2


@pytest.mark.slow
def test_a_run_says_why_a_chain_cannot_move():
    draws = sample(
        hmc_kernel, BARE, step_size=0.1, steps=50, chains=2, initial={"m": [0, 0], "s": [-1, 2.0]}
    )
    (only,) = draws.divergences
    assert only.chain == 0
    said = "chain 0 stayed where it began: the log density is not a number: log(s) with s = -1;"
    assert str(only).startswith(said)
    assert not any("step" in w for w in [*draws.summary().warnings, *draws.warnings])


@pytest.mark.slow
def test_a_scheduled_run_says_it_too_and_no_error_there_costs_draws(monkeypatch):
    width = Symbol("width", positive=True)
    law = Posterior((m, s), -log(s) - ((y - m) / s) ** 2 / 2, normal(m, 0, width), data=BARE.given)
    settings = {
        "params": {"width": Geometric(5, 0.05, 200)},
        "initial": {"m": [0], "s": [-1]},
        "progress": False,
    }
    run = partial(sample, hmc_kernel, law, step_size=0.1, steps=50, chains=1, **settings)
    (only,) = run().divergences
    assert "log(s) with s = -1;" in str(only)

    def fails(*_):
        raise TypeError("no number")

    monkeypatch.setattr("codegen.results.assemble_draws.why_not_finite", fails)
    draws = run()
    assert draws["m"].shape == (1, 50)
    assert not draws.divergences
