"""Samplers with a scale for each coordinate: proved as ever, and the sampler of z = theta/scale."""

import numpy as np
import pytest
from sympy import Function, Matrix, Symbol, sqrt

from catalog.hmc import ghmc, hmc, hmc_kernel
from catalog.mala import mala
from catalog.sghmc import sghmc
from catalog.sgld import sgld
from catalog.sgnht import sgnht
from codegen import sample
from recipe import (
    Field,
    Noise,
    Parameter,
    Potential,
    Recipe,
    RecipeError,
    Update,
    Vector,
    grad,
    preconditioned,
    total,
)
from verify import verify
from verify.verdict import Verdict

theta = Vector("theta")
U = Potential("U", theta)
SAMPLERS = {
    "sgld": sgld,
    "sghmc": sghmc,
    "hmc": hmc,
    "hmc_kernel": hmc_kernel,
    "ghmc": ghmc,
    "mala": mala,
    "sgnht": sgnht,
}


@pytest.mark.parametrize("name", SAMPLERS)
def test_the_verdict_is_that_of_the_sampler(name):
    assert verify(preconditioned(SAMPLERS[name])).verdict is Verdict.PROVED


def test_the_rule_is_what_one_writes_by_hand():
    scale = Parameter("scale", like=theta, positive=True)
    eps, w = Symbol("epsilon", positive=True), Noise("w", like=theta)
    (_, made), *_ = preconditioned(sgld).update.rule
    by_hand = theta - eps * scale**2 * grad(U, theta) + sqrt(2 * eps) * scale * w
    assert (made - by_hand).expand() == 0


def test_a_rule_that_forgets_a_scale_is_refuted():
    made = preconditioned(sghmc)
    scale = next(s for s in made.parameters if str(s).startswith("scale"))
    wrong = Update(
        made.update.step,
        [(b, e.xreplace({scale: scale**2}) if b.name == "r" else e) for b, e in made.update.rule],
        made.update.target,
    )
    assert verify(wrong).verdict is not Verdict.PROVED


@pytest.mark.parametrize("name", ["sghmc", "hmc_kernel"])
def test_draws_are_those_of_the_scaled_law(name):
    """Sampling z from ``U(scale*z)`` with the same random numbers gives theta = scale*z."""
    scale = np.array([3.0, 0.25])
    z = Vector("z", like=theta)
    factor = Parameter("factor", like=theta, positive=True)
    params = {"C": 1.5} if name == "sghmc" else {}
    words = {"steps": 50, "step_size": 0.3, "seed": 4, "progress": False, "chains": 2}

    def law(x):
        return total(x**2) / 2 + total(x) ** 2 / 8

    start = np.array([[0.3, -0.2], [0.1, 0.4]])
    in_theta = sample(
        preconditioned(SAMPLERS[name]),
        law(theta),
        params=params | {"scale": scale},
        initial={"theta": scale * start},
        **words,
    )
    in_z = sample(
        SAMPLERS[name],
        law(factor * z),
        params=params | {"factor": scale},
        initial={"z": start},
        **words,
    )
    assert np.allclose(in_theta["theta"], scale * in_z["z"], rtol=1e-9, atol=1e-12)


def test_what_has_no_scales_is_refused():
    own = Recipe(theta, H=U + total(theta**2), D=1, Q=0)
    with pytest.raises(RecipeError, match="outside of U"):
        preconditioned(own)
    two = Recipe((theta,), U + Potential("V", theta), D=1, Q=0)
    with pytest.raises(RecipeError, match="potentials U, V"):
        preconditioned(two)
    with pytest.raises(RecipeError, match="neither a Recipe nor a Kernel"):
        preconditioned(sgld.update)


def test_a_metric_that_depends_on_the_state_is_taken_at_the_scaled_state():
    G = Function("G", positive=True)(theta)
    scale = Parameter("scale", like=theta, positive=True)
    made = preconditioned(Recipe(theta, H=U, D=Matrix([[G]]), Q=0))
    assert made.D.written[0, 0] == scale**2 * G.func(theta / scale)
    assert verify(made).verdict is verify(Recipe(theta, H=U, D=Matrix([[G]]), Q=0)).verdict


def test_a_field_is_named_in_the_refusal():
    metric = Field("M", theta, positive=True)
    with pytest.raises(RecipeError, match="M"):
        preconditioned(Recipe(theta, H=U, D=Matrix([[metric]]), Q=0))
