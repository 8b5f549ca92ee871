"""A tuned run that begins at first values that were given has the warm-up that it needs."""

import json

import numpy as np
import pytest

from catalog.hmc import hmc_kernel
from catalog.sgld import sgld
from codegen import UntunableError, sample, tune
from codegen.inputs.options import SamplingOptions
from codegen.results.diagnostics.convergence import convergence
from codegen.tuning.law.pilot import pilot_run
from codegen.tuning.law.target import target_of
from codegen.tuning.prepared import prepared, scaled
from codegen.tuning.trial import from_given
from recipe import Vector, total

x = Vector("x")
NORMAL = total(x**2) / 2
FAR = np.array([40.0, -60.0])


@pytest.mark.slow
def test_a_run_of_a_kernel_warms_up_from_far_away():
    how = {"seed": 2, "max_error": 0.1, "lengths": {x: 2}}
    from_draws = tune(hmc_kernel, NORMAL, **how)
    draws = sample(hmc_kernel, NORMAL, step_size="auto", initial={"x": FAR}, progress=False, **how)
    found = json.loads(draws.attributes["tuning"])
    warmup, steps = (found["settings"][k] for k in ("warmup", "steps"))
    assert from_draws.settings["warmup"] == 0
    assert warmup >= 100
    assert steps - warmup == from_draws.settings["steps"]
    assert "From the first values that were given a trial came to the pilot run" in str(found)
    shown = convergence(draws["x"])
    assert np.all(np.abs(shown.mean) <= 4 * shown.mcse_mean)
    assert np.all(np.abs(draws["x"][:, 0]) < 6)  # the first draw that is kept


@pytest.fixture(scope="module")
def euler():
    target = target_of(NORMAL, {}, {x: 2})
    pilot = pilot_run(target, 4, 0)
    what = scaled(sgld, NORMAL, target, pilot, {})
    options = SamplingOptions(steps=1, step_size=1.0, params=what.params, lengths={x: 2})
    return prepared(what, options), target, pilot


def test_the_steps_from_a_point_are_those_of_the_recursion(euler):
    """A step of size h takes away h of the distance: from 500 to 4 within log(125)/h steps, and
    after half as many it is at 45; steps are looked at in powers of two.
    """
    made, target, pilot = euler
    settings = {"step_size": 0.05, "steps": 2000, "warmup": 100}
    starts = np.full((4, 2), 500.0)
    found, said = from_given(made, target, pilot, starts, settings, 30.0)
    exact = np.log(500 / 4) / (0.05 * pilot.sd.mean() ** 2)
    assert exact / 2 < found["warmup"] - 300 < 2.5 * exact
    assert found["steps"] - found["warmup"] == 1900
    assert "in 128 steps" in said
    near, said = from_given(made, target, pilot, pilot.last, settings, 30.0)
    assert near["warmup"] == 300
    assert "in 0 steps" in said


def test_a_start_from_which_the_run_would_not_arrive_is_refused(euler):
    made, target, pilot = euler
    starts = np.full((4, 2), 500.0)
    slow = {"step_size": 1e-4, "steps": 2000, "warmup": 100}
    with pytest.raises(UntunableError, match=r"has not come to the posterior in .* leave initial="):
        from_given(made, target, pilot, starts, slow, 30.0)
    unstable = {"step_size": 3.0, "steps": 2000, "warmup": 100}
    with pytest.raises(UntunableError, match=r"first values that were given (diverges|has not)"):
        from_given(made, target, pilot, starts, unstable, 30.0)
