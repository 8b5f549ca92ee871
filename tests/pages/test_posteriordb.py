"""Models of posteriordb in the language, tuned and sampled here, beside the draws of Stan."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from catalog.sghmc import sghmc

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "examples" / "posteriordb.py"
FOLDER = Path(os.environ.get("RECIPE_DATA", ROOT.parent / "shared" / "data")) / "posteriordb"
there = pytest.mark.skipif(
    not FOLDER.is_dir(),
    reason=f"no folder {FOLDER}; RECIPE_DATA says where the data of posteriordb are",
)


def models():
    spec = importlib.util.spec_from_file_location("posteriordb_models", PROGRAM)
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


MODELS = models()


def test_without_the_data_it_says_what_is_missing(tmp_path):
    environment = {**os.environ, "RECIPE_DATA": str(tmp_path), "PYTHONPATH": str(ROOT)}
    found = subprocess.run(
        [sys.executable, PROGRAM], env=environment, capture_output=True, text=True, check=False
    )
    assert found.returncode == 2
    assert f"there is no folder {tmp_path / 'posteriordb'}" in found.stderr


@pytest.mark.slow
@there
@pytest.mark.parametrize("name", MODELS.MODELS)
def test_tuned_draws_are_those_of_the_reference(name):
    """Nothing is tuned by hand, and nothing is refused."""
    score = MODELS.scored(name, FOLDER)
    print(score)
    assert not score.said
    assert score.within
    assert score.effective >= 400


@pytest.mark.slow
@there
@pytest.mark.parametrize("name", ["kidiq-kidscore_interaction", "sblrc-blr", "arK-arK"])
def test_a_recipe_is_tuned_within_the_budget(name):
    score = MODELS.scored(name, FOLDER, sghmc)
    print(score)
    assert not score.said
    assert score.within


@pytest.mark.slow
@there
def test_a_wrong_law_is_out_of_the_budget(monkeypatch):
    """The scoreboard can fail: every draw is moved by half a standard deviation."""
    real = MODELS.MODELS["sblri-blr"](FOLDER)
    reference = MODELS.reference_draws(FOLDER, "sblri-blr")

    def moved(draws):
        return {k: v + 0.5 * np.std(reference[k]) for k, v in real.named(draws).items()}

    wrong = MODELS.Model(real.posterior, moved)
    monkeypatch.setitem(MODELS.MODELS, "sblri-blr", lambda folder: wrong)
    assert not MODELS.scored("sblri-blr", FOLDER).within
