"""``recipe predict``, and predictions beside the draws of ``recipe sample``."""

import runpy

import numpy as np
import pytest
from helpers.command import command
from scipy import stats

from codegen import read_draws
from codegen.results.diagnostics.groups import Group, Variable
from codegen.results.law_of_draws import law_of
from codegen.results.quantities import at_draws
from codegen.results.saved_draws import SavedDraws

MODEL = """
from recipe import Data, Posterior, Scalar
from recipe.laws import normal

mu, y = Scalar("mu"), Data("y")
given = {y: [0.5, 1.0]}
law = normal(y, mu, 1)
posterior = Posterior(mu, law, normal(mu, 0, 1), given, derived={"twice": 2 * mu})
"""
SAMPLE = ["sample", "sghmc", "--step-size", "0.05", "--param", "C=1", "--steps", "2e3"]
BOTH = ["--log-likelihood", "--posterior-predictive"]


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    folder = tmp_path_factory.mktemp("predict")
    (folder / "model.py").write_text(MODEL)
    how = ["--posterior", folder / "model.py", "--seed", "1", "-o", folder / "draws.nc"]
    return folder, command(*SAMPLE, *how, *BOTH)


def test_a_run_saves_predictions_beside_its_draws(drawn):
    arviz = pytest.importorskip("arviz")
    folder, done = drawn
    assert done.returncode == 0, done.stderr
    assert "twice" in done.stdout
    found = arviz.from_netcdf(folder / "draws.nc")
    mu = found.posterior["mu"].to_numpy()[..., None]
    rows = found.log_likelihood["y"].to_numpy()
    assert np.allclose(rows, stats.norm.logpdf([0.5, 1.0], mu, 1), rtol=1e-12)
    assert found.posterior_predictive["y"].shape == rows.shape
    assert found.observed_data["y"].to_numpy().tolist() == [0.5, 1.0]
    assert np.isfinite(arviz.loo(found).elpd_loo)


def test_saved_draws_are_predicted_from(drawn):
    arviz = pytest.importorskip("arviz")
    folder, _ = drawn
    more = ["--posterior", folder / "model.py", "-o", folder / "more.nc", "--thin", "2"]
    done = command("predict", folder / "draws.nc", *more, "--log-likelihood", "--log-prior")
    assert done.returncode == 0, done.stderr
    assert "more.nc" in done.stdout
    ours, theirs = (arviz.from_netcdf(folder / f"{n}.nc") for n in ("more", "draws"))
    assert np.array_equal(
        ours.log_likelihood["y"].to_numpy(), theirs.log_likelihood["y"].to_numpy()[:, ::2]
    )
    assert {"sample_stats", "posterior_predictive", "observed_data"} <= set(ours.groups())
    mu = theirs.posterior["mu"].to_numpy()[:, ::2]
    assert np.allclose(ours.log_prior["log_prior"].to_numpy(), stats.norm.logpdf(mu), rtol=1e-12)
    assert ours.posterior_predictive["y"].equals(theirs.posterior_predictive["y"])
    saved = read_draws(folder / "draws.nc")
    assert np.array_equal(read_draws(folder / "more.nc")["mu"], saved["mu"])
    again = command("predict", folder / "draws.nc", *more, "--log-likelihood")
    assert again.returncode == 2
    assert "--force" in again.stderr


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ([], "nothing is asked for"),
        (["--log-likelihood", "--param", "C=x"], "not a number"),
        (["--log-likelihood", "--thin", "0"], "thin"),
    ],
)
def test_bad_input_is_one_sentence(drawn, more, words):
    folder, _ = drawn
    how = ["--posterior", folder / "model.py", "-o", folder / "bad.nc"]
    done = command("predict", folder / "draws.nc", *how, *more)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_new_data_of_no_law_are_refused_before_the_run(tmp_path):
    (tmp_path / "model.py").write_text(MODEL.replace("law = normal(y, mu, 1)", "law = -(y-mu)**4"))
    how = ["--posterior", tmp_path / "model.py", "--posterior-predictive"]
    done = command(*SAMPLE, *how)
    assert done.returncode == 2
    assert "no law by name" in done.stderr


def test_predictions_need_every_block(tmp_path):
    text = MODEL.replace("Posterior(mu,", 'Posterior((mu, Scalar("nu")),').replace(
        "normal(mu, 0, 1)", 'normal(mu, 0, 1) + normal(Scalar("nu"), 0, 1)'
    )
    (tmp_path / "model.py").write_text(text)
    how = ["--posterior", tmp_path / "model.py", "--keep", "mu", "--log-likelihood"]
    done = command(*SAMPLE, *how)
    assert done.returncode == 2
    assert "nu" in done.stderr
    assert "--keep" in done.stderr


def test_new_data_are_a_posterior_with_data_and_no_other_posterior(drawn):
    folder, _ = drawn
    anew = MODEL.replace("[0.5, 1.0]", "[0.5, 1.0, 9.0]")
    (folder / "anew.py").write_text(anew)
    (folder / "there.py").write_text(f"{MODEL}posterior = posterior.with_data({{y: [9.0]}})\n")
    how = [folder / "draws.nc", "--log-likelihood", "-o", folder / "there.nc"]
    refused = command("predict", *how, "--posterior", folder / "anew.py")
    assert refused.returncode == 2
    assert "of a posterior with other data, y" in refused.stderr
    assert "with_data" in refused.stderr
    done = command("predict", *how, "--posterior", folder / "there.py")
    assert done.returncode == 0, done.stderr
    found = read_draws(folder / "there.nc").predictions["log_likelihood"].variables["y"].values
    mu = read_draws(folder / "draws.nc")["mu"]
    assert np.allclose(found[..., 0], stats.norm.logpdf(9.0, mu, 1), rtol=1e-12)


NAMED = """
from recipe import Data, Posterior, Vector, total
from recipe.laws import normal

beta = Vector("beta", prior=normal(0, 1))
x, y = Data("x", like=beta), Data("y")
rows = {x: [[1.0, 0.0], [2.0, 1.0]], y: [1.0, 2.0]}
law, names = normal(y, total(x * beta), 1), {beta: ["a", "b"]}
fitted = Posterior(log_likelihood=law, data=rows, coords=names)
derived = {"mean": total(x * beta), "twice": 2 * beta}
asked = Posterior(log_likelihood=law, data=rows, derived=derived)
there = asked.with_data({x: [[3.0, 4.0]]})
"""


def test_derived_quantities_at_new_data_and_warnings_in_sentences(tmp_path):
    (tmp_path / "model.py").write_text(NAMED)
    declared = runpy.run_path(str(tmp_path / "model.py"))
    beta = np.random.default_rng(1).normal(size=(2, 6, 2))
    names = {"beta_dim": Variable(("beta_dim",), np.array(["a", "b"], object))}
    variables = {"beta": Variable(("chain", "draw", "beta_dim"), beta)}
    law = law_of(at_draws(declared["fitted"], {"beta": beta}, {}))
    SavedDraws(Group(variables, names, law)).save(tmp_path / "draws.nc")
    how = ["predict", tmp_path / "draws.nc", "--derived", "-o", tmp_path / "more.nc"]
    none = command(*how, "--posterior", tmp_path / "model.py:fitted")
    assert none.returncode == 2
    assert "no derived quantities; give it derived=" in none.stderr
    done = command(*how, "--posterior", tmp_path / "model.py:there")
    assert done.returncode == 0, done.stderr
    found = read_draws(tmp_path / "more.nc").predictions["predictions"]
    assert np.allclose(found.variables["mean"].values[..., 0], beta @ [3.0, 4.0], rtol=1e-12)
    assert np.array_equal(found.variables["twice"].values, 2 * beta)
    assert list(found.coordinates["twice_dim"].values) == ["a", "b"]
    (warning,) = done.stderr.splitlines()
    assert warning.startswith("warning: the columns of x have no names, and the draws are of beta[")
