"""What a prompt shows of public objects, and which names completion proposes."""

import subprocess
import sys

import numpy as np
import pytest
from sympy import Integer

import catalog
import codegen
import recipe
import recipe_sampler
import verify
from catalog.hmc import hmc_kernel
from catalog.posteriors.bioassay import posterior
from catalog.posteriors.breast_cancer import posterior as breast_cancer
from catalog.sghmc import sghmc
from catalog.sgld import sgld
from catalog.wright_fisher_dirichlet import wright_fisher_dirichlet
from codegen import Prediction
from recipe import Scalar, bind, derive, discretised

MAX_LINES, MAX_CHARS = 5, 110


def many():
    return sum((Scalar(f"x{n}") ** 2 for n in range(8)), Integer(0))


def draws():
    return codegen.Draws({"theta": np.ones((2, 3))}, np.full(2, 3), (), False, {}, np.ones(3))


PUBLIC = {
    "recipe": (lambda: sghmc, "Recipe of (theta, r) with the parameters C"),
    "bound": (lambda: bind(sghmc, posterior), "Recipe of (a, b, r_a, r_b) with the parameters C"),
    "long": (lambda: wright_fisher_dirichlet, "Recipe of (theta)"),
    "update": (lambda: sghmc.update, "Update of (theta, r)"),
    "kernel": (lambda: hmc_kernel, "Kernel of (theta, r)"),
    "posterior": (lambda: posterior, "Posterior of (a, b)"),
    "data": (lambda: breast_cancer, "Posterior of "),
    "derivation": (lambda: derive(wright_fisher_dirichlet), "Derivation of (theta"),
    "dynamics": (lambda: derive(sghmc).dynamics, "Dynamics of (theta, r)"),
    "step": (lambda: discretised(sghmc, "baoab"), "Discretisation of (theta, r), baoab"),
    "many": (lambda: bind(sgld, many()), "Recipe of (x0, x1, "),
    "many steps": (lambda: discretised(bind(sgld, many()), "euler"), "Discretisation of (x0, "),
    "module": (lambda: codegen.generate(sghmc, posterior), "Module "),
    "report": (lambda: verify.verify(sghmc), "Report on this recipe: proved for every d_theta"),
    "schedule": (lambda: codegen.Cyclical(0.1, 100), "Cyclical(a=0.1, length=100)"),
    "divergence": (
        lambda: codegen.Divergence(0, 1, "theta"),
        "Divergence: chain 0 diverged in step",
    ),
    "density": (lambda: codegen.Density(posterior), "Density of (a, b) with 2 coordinates"),
    "prediction": (
        lambda: Prediction(0.1, True, sentence="minibatch noise " + "widens the law, " * 60),
        "Prediction of the bias of a run: unknown for 0.1 sd",
    ),
    "draws": (draws, "2 chains of 3 draws"),
}


@pytest.mark.parametrize("name", PUBLIC)
def test_a_prompt_shows_what_it_is_in_at_most_five_lines(name):
    made, beginning = PUBLIC[name]
    lines = repr(made()).splitlines()
    assert lines[0].startswith(beginning)
    assert 1 <= len(lines) <= MAX_LINES
    assert max(map(len, lines)) <= MAX_CHARS
    assert not any("object at 0x" in line for line in lines)


def test_print_shows_all():
    assert str(sghmc).startswith("Recipe(")
    assert "Q=Matrix(" in str(sghmc)
    assert len(str(wright_fisher_dirichlet).splitlines()) > MAX_LINES


@pytest.mark.parametrize("package", [recipe, codegen, verify], ids=lambda p: p.__name__)
def test_completion_proposes_the_public_names_alone(package):
    assert dir(package) == sorted(package.__all__)


def test_completion_has_all_names_before_any_is_used():
    shown = "import verify; print(*dir(verify))"
    done = subprocess.run([sys.executable, "-c", shown], capture_output=True, text=True, check=True)
    assert done.stdout.split() == sorted(verify.__all__)


def test_completion_of_the_catalog_proposes_its_files():
    shown = dir(catalog)
    assert {"sghmc", "hmc", "posteriors", "audits"} <= set(shown)
    assert not [name for name in shown if name.startswith("_") or name in vars(recipe_sampler)]
