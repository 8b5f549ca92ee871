"""Control variates have no noise at the mode: what they have elsewhere is small beside a law, and
no reason to predict nothing.
"""

import numpy as np

from catalog.sghmc import sghmc
from codegen import sample
from recipe import Data, Posterior, Scalar, Vector, total
from recipe.laws import half_normal, normal


def test_a_scale_beside_slopes_is_predicted():
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(2_000, 3))
    values = rows @ [0.5, -0.3, 0.1] + rng.normal(size=2_000)
    beta, s = Vector("beta", prior=normal(0, 1)), Scalar("s", prior=half_normal(5))
    x, y = Data("x", rows, like=beta), Data("y", values)
    posterior = Posterior(log_likelihood=normal(y, total(x * beta), s))
    draws = sample(
        sghmc, posterior, step_size=0.004, params={"C": 6}, scheme="baoab", batch_size=100,
        control_variates=True, steps=4_000, warmup=500, seed=1, progress=False,
    )  # fmt: skip
    assert draws.bias.judgement == "within"
