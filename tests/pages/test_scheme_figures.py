"""What the scripts behind docs/schemes.md compute, in their quick form, against exact numbers; and
the exact numbers themselves.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from helpers.leading_bias import leading_bias
from sympy import Symbol

from catalog.sghmc import sghmc
from catalog.sgld import sgld
from recipe import bind, discretise, total
from verify.discrete.linear import affine_step, stationary_covariance

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def _scripts(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))


def quick(script, *arguments):
    call = [sys.executable, f"benchmarks/{script}", "--quick", "--json", *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        call, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
def test_every_scheme_has_the_variance_of_its_linear_chain(tmp_path):
    """Five standard errors each, of 0.1 to 0.5 percent."""
    found = quick("scheme_bias.py", "--plot", tmp_path)
    assert len(found) == 15
    for p in found:
        assert abs(p["variance"] - p["discrete"]) < 5 * p["error"] < 0.03, p
        assert p["order"] == 2  # of the law of the position, for the semi-implicit scheme, too
    assert (tmp_path / "gaussian.png").stat().st_size > 10_000


@pytest.mark.slow
def test_figures_of_the_sghmc_paper(tmp_path):
    """Figure 1: five standard errors. Figure 3a: 0.05 in the mean error of the covariance, 40
    percent in a time.
    """
    found = quick("sghmc_figures.py", "--plot", tmp_path)
    by = {f["sampler"]: f for f in found["figure 1"]}
    for f in by.values():
        assert abs(f["variance"] - f["discrete"]) < 5 * f["error"], f
    assert by["HMC, noisy gradient"]["discrete"] > 2
    assert by["SGHMC"]["divergence"] < 0.005
    assert by["HMC, noisy gradient"]["divergence"] > 0.1
    for f in found["figure 3a"]:
        assert abs(f["pooled"] - f["discrete"]) < 0.05, f
        assert abs(f["time"] / f["discrete_time"] - 1) < 0.4, f
    assert {p.name for p in tmp_path.iterdir()} == {"sghmc-1.png", "sghmc-3a.png"}


@pytest.mark.slow
def test_figure_2_of_the_recipe_paper(tmp_path):
    """The naive sampler is refuted and as far off as its exact law (within 40 percent, as its step
    has a bias of its own).
    """
    found = quick("recipe_figure_2.py", "--plot", tmp_path)
    for bar in found["left"]:
        naive = bar["sampler"] == "naive gSGRHMC"
        assert bar["verdict"] == ("refuted" if naive else "proved"), bar
        if naive:
            assert 0.6 < bar["divergence"] / bar["exact"] < 1.6, bar
        else:
            assert bar["divergence"] < 0.0015, bar
    assert all(f["verdict"] == "proved" for f in found["right"])
    assert all(
        f["divergences"]["1000"][0] < 0.01 < f["divergences"]["10"][0] for f in found["right"]
    )
    assert {p.name for p in tmp_path.iterdir()} == {"recipe-2-left.png", "recipe-2-right.png"}


def test_exact_moments_of_the_targets():
    from exact_laws import line_law, plane_draws, plane_variances

    x, weights = line_law(lambda z: z**4 - 2 * z**2)
    assert [weights @ f for f in (x**2, np.abs(x), x**4)] == pytest.approx(
        [0.832745, 0.827392, 1.082745], abs=1e-6
    )
    assert plane_variances() == pytest.approx((1.06882, 0.14735), abs=5e-6)
    first, second = plane_draws(200_000, np.random.default_rng(0))
    assert (np.var(first), np.var(second)) == pytest.approx(plane_variances(), rel=0.02)
    assert np.mean(second) == pytest.approx(-0.93280, abs=0.005)


@pytest.mark.parametrize(
    ("dynamics", "scheme", "closed"),
    [
        ("overdamped", "euler", lambda h: 2 / (2 - h)),
        ("overdamped", "leimkuhler-matthews", lambda h: 1),
        ("momentum", "baoab", lambda h: 1),
        ("momentum", "aboba", lambda h: 1),
        ("momentum", "obabo", lambda h: 4 / (4 - h**2)),
        ("momentum", "oabao", lambda h: (4 - h**2) / 4),
    ],
)
def test_linear_chains_against_their_closed_forms(dynamics, scheme, closed):
    from exact_laws import langevin_variance

    for h in (0.1, 0.7):
        assert langevin_variance(dynamics, scheme, h, 1.3) == pytest.approx(closed(h), rel=1e-12)


def test_a_linear_chain_without_a_stationary_law_says_so():
    from exact_laws import langevin_variance

    assert langevin_variance("momentum", "euler", 1.01, 1.0) is None
    assert langevin_variance("overdamped", "leimkuhler-matthews", 2.01, 1.0) is None


@pytest.mark.parametrize(("scheme", "power"), [("euler", 1), ("leimkuhler-matthews", 2)])
def test_the_transfer_operator_has_the_proved_leading_bias(scheme, power):
    """The proved correction of the density, integrated by quadrature, against the discrete chain at
    two small steps.
    """
    from exact_laws import line_law
    from transfer import variance

    (theta,) = sgld.state
    (U,) = sgld.abstract
    well = theta**4 - 2 * theta**2
    bias = leading_bias(discretise(bind(sgld, {U: total(well)}), scheme), total(theta**2))
    assert bias.power == power
    x, weights = line_law(lambda z: z**4 - 2 * z**2)
    correction = np.array([float(c) for c in bias.correction.as_poly(theta).all_coeffs()])
    f, exact = np.polyval(correction, x), weights @ x**2
    proved = weights @ (f * x**2) - (weights @ f) * exact
    near, far = (
        (variance("overdamped", scheme, h, 1.0) - exact) / h**power for h in (0.002, 0.004)
    )
    assert 2 * near - far == pytest.approx(proved, rel=0.01)


@pytest.mark.slow
def test_the_transfer_operator_does_not_depend_on_its_grid():
    from transfer import variance

    assert variance("momentum", "baoab", 0.2, 1.0) == pytest.approx(
        variance("momentum", "baoab", 0.2, 1.0, refine=1.2), abs=1e-8
    )


@pytest.mark.parametrize(
    ("recipe", "scheme"),
    [(sgld, s) for s in ("euler", "leimkuhler-matthews")]
    + [(sghmc, s) for s in ("euler", "semi-implicit", "baoab", "obabo")],
)
def test_linear_chains_against_the_closed_forms_that_are_proved(recipe, scheme):
    from exact_laws import langevin_variance

    step = affine_step(discretise(recipe, scheme))
    (theta,) = sgld.state
    proved = stationary_covariance(step).of_step[theta, theta]
    for h in (0.1, 0.6):
        values = {step.step: h, step.curvature: 1, Symbol("C", positive=True): 1.3}
        measured = langevin_variance("overdamped" if recipe is sgld else "momentum", scheme, h, 1.3)
        assert measured == pytest.approx(float(proved.subs(values)), rel=1e-12)
