"""A pilot run and the kernel that it tunes compute with the same compiled density."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from numba.core import event
from sympy import Interval, oo

from catalog.hmc import hmc_kernel
from catalog.sghmc import sghmc
from codegen import Density, generate, tune
from codegen.inputs.density.density_functions import functions_of_a_kernel
from codegen.store.allowlist import checked
from codegen.store.common_functions import part_of, same_functions
from codegen.tuning.prepared import module_of_tests
from recipe import Data, Posterior, Scalar, Vector, total

beta, tau = Vector("beta"), Scalar("tau", domain=Interval.open(0, oo))
x, y = Data("x", like=beta), Data("y")
ROWS = np.random.default_rng(3).standard_normal((7, 2))


def posterior(scale=1, blocks=(tau, beta)):
    return Posterior(
        blocks,
        -tau * (y - total(x * beta)) ** 2 / 2,
        -total(beta**2) / (2 * scale) - tau,
        data={x: ROWS, y: ROWS.sum(axis=1)},
    )


class Compiled(event.Listener):
    """Counts how often each function of a density is compiled."""

    def __init__(self):
        self.names = Counter()

    def on_start(self, event):
        function = event.data["dispatcher"].py_func
        if function.__module__.startswith("density_") or function.__name__ == "run":
            self.names[function.__name__] += 1

    def on_end(self, event):
        pass


def test_tuning_a_kernel_compiles_its_density_once(tmp_path, monkeypatch):
    monkeypatch.setenv("RECIPE_CACHE", str(tmp_path))
    seen = Compiled()
    with event.install_listener("numba:compile", seen):
        tune(hmc_kernel, posterior(3), chains=1)
    assert seen.names["run"] == seen.names["gradient_U"] == seen.names["potential_U"] == 1


@pytest.mark.parametrize("blocks", [(tau, beta), (beta, tau)])
def test_the_density_of_a_kernel_is_that_of_its_posterior(blocks):
    given = posterior(1, blocks)
    kernel = module_of_tests([sghmc, hmc_kernel], given)
    own, taken = Density(given), Density(given, kernel=kernel)
    at = {"beta": [0.3, -0.7], "tau": 1.4}
    z, beta_at = given.given[x] @ [0.3, -0.7], np.array([0.3, -0.7])
    residual = given.given[y] - z
    value = 0.7 * residual @ residual + beta_at @ beta_at / 2 + 1.4
    assert taken.potential(at) == pytest.approx(value, rel=1e-13)
    assert taken.potential(at) == own.potential(at)
    slopes = taken.gradient(at)
    np.testing.assert_allclose(slopes[beta], beta_at - 1.4 * residual @ given.given[x], rtol=1e-12)
    assert slopes[tau] == pytest.approx(residual @ residual / 2 + 1, rel=1e-13)
    assert taken._module is not own._module


def test_a_kernel_of_another_posterior_has_no_functions_for_it():
    kernel = module_of_tests([hmc_kernel], posterior())
    z = Data("z")
    other = Posterior((tau, beta), -tau * z, -total(beta**2), data={z: [1.0]})
    assert functions_of_a_kernel(kernel, posterior(), [x, y]) is not None
    assert functions_of_a_kernel(kernel, other, [z]) is None
    assert (
        functions_of_a_kernel(kernel, Posterior(tau, -tau * z, -tau, data={z: [1.0]}), [z]) is None
    )


def test_a_kernel_of_another_law_with_the_same_names_has_no_functions_for_it():
    kernel = module_of_tests([hmc_kernel], posterior(1))
    assert functions_of_a_kernel(kernel, posterior(2), [x, y]) is None
    assert functions_of_a_kernel(kernel, posterior(1), [x, y]) is not None


def test_a_sampler_without_tests_has_no_values_to_share():
    assert module_of_tests([sghmc], posterior()) is None
    assert generate(sghmc, posterior()).density is None


def test_the_part_of_a_text_is_the_same_for_all_trajectories_and_has_all_that_it_calls():
    one, other = (generate(hmc_kernel, posterior(), name=name) for name in ("one", "other"))
    assert one.source != other.source
    assert one.density == other.density
    assert same_functions(one.source, one.density.text, one.density.names) == list(
        one.density.names
    )
    assert checked(one.density.text) == one.density.text
    assert "def run(" not in one.density.text
    assert one.density != generate(hmc_kernel, posterior(2)).density


def test_a_part_keeps_what_extends_the_compiler_and_leaves_out_what_is_not_called():
    text = (
        "from a import mark, device\nSCALE = 2.0\n\n@device\ndef leaf(a):\n    return a * SCALE\n\n"
        "@mark(3)\ndef effect(a):\n    return helper(a)\n\ndef helper(a):\n    return a\n\n"
        "@device\ndef other(a):\n    return leaf(a)\n\nmark(4)\n"
    )
    part = part_of(text, ["leaf"], "# a comment")
    assert part.startswith("# a comment\n")
    assert "def other" not in part
    for line in ("SCALE = 2.0", "def leaf", "@mark(3)", "def helper", "mark(4)"):
        assert line in part
